//! A directory, files in it, and the command.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// A directory of its own for a test.
pub(crate) struct Place {
    directory: tempfile::TempDir,
}

/// Reads, databases of their 21-mers, and links of other programs' names to the command.
pub(crate) fn with_databases() -> Place {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    place.write("a.fq.gz", gzip(&fastq(300)));
    place.ok(&[
        "count", "-q", "-k21", "a.fq", "-o", "a.thk", "--trace", "a.jsonl",
    ]);
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.kmc"]);
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.jf"]);
    for name in ["fastp", "jellyfish", "kmc", "kmc_dump", "kmc_tools"] {
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path(name)).unwrap();
    }
    place
}

/// How the command ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The report of `qc` that was written last, of those whose names it chose: "json" or "html".
    pub(crate) fn report(&self, ending: &str) -> Vec<u8> {
        let ending = format!("fastp.{ending}");
        let names = self.names().into_iter();
        let reports = names.filter(|name| name.ends_with(&ending));
        let written = |name: &String| self.path(name).metadata().unwrap().modified().unwrap();
        self.read(&reports.max_by_key(written).expect("a report"))
    }

    /// The names of all files here.
    pub(crate) fn names(&self) -> BTreeSet<String> {
        names_in(self.directory.path())
    }

    /// The command, to be run here.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_thalweg"));
        command
            .current_dir(self.directory.path())
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// The same, ended with code 124 if it hangs.
    fn bounded(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command
            .args(["60", env!("CARGO_BIN_EXE_thalweg")])
            .current_dir(self.directory.path())
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        ended(self.bounded(arguments))
    }

    /// Run it and expect success.
    pub(crate) fn ok(&self, arguments: &[&str]) -> Ended {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
        ended
    }

    /// Run a script of bash here, to which it is `$THALWEG`.
    pub(crate) fn shell(&self, script: &str) -> Ended {
        let mut shell = Command::new("bash");
        shell
            .current_dir(self.directory.path())
            .env("THALWEG", env!("CARGO_BIN_EXE_thalweg"))
            .args(["-c", script]);
        ended(shell)
    }

    /// Run it with a reader of its standard output that goes after 100 bytes.
    pub(crate) fn leave(&self, arguments: &[&str]) -> Ended {
        let mut command = self.command(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 100]).unwrap();
        drop(stdout);
        finished(child.wait_with_output().unwrap())
    }

    /// Run it with `input` on its standard input.
    pub(crate) fn feed(&self, arguments: &[&str], input: &[u8]) -> Ended {
        let mut command = self.bounded(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                // The command may have seen enough.
                let _ = stdin.write_all(input);
            });
            finished(child.wait_with_output().unwrap())
        })
    }

    /// Run it, expect it to fail with `code`, with all of `words` in its
    /// message, a hint, and no file more or less than before.
    pub(crate) fn fails(&self, arguments: &[&str], code: i32, words: &[&str]) -> Ended {
        let before = self.names();
        let ended = self.run(arguments);
        ended.expect_failure(code, words);
        assert_eq!(self.names(), before, "{arguments:?} left or took files");
        ended
    }

    /// The command refuses what it was asked for, before or after it knows the command line.
    pub(crate) fn refuses(&self, arguments: &[&str], words: &[&str]) {
        let ended = self.run(arguments);
        if !ended.is_of_the_command_line() {
            return ended.expect_failure(2, words);
        }
        assert_eq!(ended.code, Some(2), "{}", ended.stderr);
        for word in words {
            assert!(
                ended.stderr.contains(word),
                "{word:?} is missing in: {}",
                ended.stderr
            );
        }
    }

    /// As [`fails`](Self::fails), for messages that say all there is to say.
    pub(crate) fn fails_without_hint(&self, arguments: &[&str], code: i32, word: &str) {
        let before = self.names();
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        assert!(ended.stderr.contains(word), "{}", ended.stderr);
        assert_eq!(self.names(), before, "{arguments:?} left or took files");
    }
}

impl Ended {
    /// Whether it is the parser of the command line that complains.
    fn is_of_the_command_line(&self) -> bool {
        self.stderr
            .contains("\nFor more information, try '--help'.")
    }

    pub(crate) fn expect_failure(&self, code: i32, words: &[&str]) {
        let Self { stderr, .. } = self;
        assert_eq!(self.code, Some(code), "{stderr}");
        // What is wrong with the words of a command line is told with how they go.
        let more = match self.is_of_the_command_line() {
            true => "\nFor more information",
            false => "\nhint: ",
        };
        for word in words.iter().chain(&["thalweg: error: ", more]) {
            assert!(stderr.contains(word), "'{word}' is missing in: {stderr}");
        }
        assert!(!stderr.contains("was stopped"), "{stderr}");
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }
}

pub(crate) fn ended(mut command: Command) -> Ended {
    finished(command.output().unwrap())
}

fn finished(output: std::process::Output) -> Ended {
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!stderr.contains("panicked"), "{stderr}");
    assert!(!stderr.contains("internal error, please"), "{stderr}");
    Ended {
        code: output.status.code(),
        stdout: output.stdout,
        stderr,
    }
}

pub(crate) fn names_in(directory: &Path) -> BTreeSet<String> {
    std::fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// Numbers below a limit, the same for each seed (xorshift).
pub(crate) fn random(mut state: u64) -> impl FnMut(usize) -> usize {
    move |limit| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 33) as usize % limit
    }
}

/// `count` FASTQ records of 100 bases, named r0, r1, …, that do not compress
/// to nothing.
pub(crate) fn fastq(count: usize) -> Vec<u8> {
    fastq_with(count, "")
}

/// The same with `suffix` behind each name, such as "/1".
pub(crate) fn fastq_with(count: usize, suffix: &str) -> Vec<u8> {
    let mut text = Vec::new();
    let mut state = 88_172_645_463_325_252_u64;
    for record in 0..count {
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as usize
        };
        let bases: Vec<u8> = (0..100).map(|_| b"ACGT"[next() % 4]).collect();
        let qualities: Vec<u8> = (0..100).map(|_| b"#-5:?DI"[next() % 7]).collect();
        writeln!(text, "@r{record}{suffix}").unwrap();
        text.extend_from_slice(&bases);
        text.extend_from_slice(b"\n+\n");
        text.extend_from_slice(&qualities);
        text.push(b'\n');
    }
    text
}

/// Bytes of the records `first..end` in what [`fastq`] made.
pub(crate) fn records(text: &[u8], first: usize, end: usize) -> &[u8] {
    let mut starts = vec![0];
    let lines = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
    starts.extend(lines.map(|(at, _)| at + 1).skip(3).step_by(4));
    &text[starts[first]..starts[end]]
}

pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    gzip_at(6, text)
}

/// gzip of `level`; at level 0 the text stands in it as it is.
pub(crate) fn gzip_at(level: u32, text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// BGZF with blocks of 20,000 bytes and the block that marks the end.
pub(crate) fn bgzf(text: &[u8]) -> Vec<u8> {
    bgzf_at(6, text)
}

/// The same, its blocks of `level`.
pub(crate) fn bgzf_at(level: u32, text: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for block in text.chunks(20_000).chain([&[][..]]) {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(block).unwrap();
        let data = encoder.finish().unwrap();
        file.extend_from_slice(&[0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, b'B', b'C', 2, 0]);
        file.extend_from_slice(&(data.len() as u16 + 25).to_le_bytes());
        file.extend_from_slice(&data);
        let mut crc = flate2::Crc::new();
        crc.update(block);
        file.extend_from_slice(&crc.sum().to_le_bytes());
        file.extend_from_slice(&(block.len() as u32).to_le_bytes());
    }
    file
}

/// `1234567` as `1,234,567`.
pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let groups: Vec<&[u8]> = digits.as_bytes().rchunks(3).rev().collect();
    String::from_utf8(groups.join(&b',')).unwrap()
}
