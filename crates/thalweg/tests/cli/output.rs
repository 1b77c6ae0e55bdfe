//! Where output goes, and what is left when it cannot.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, fastq, gzip};

#[test]
fn files_appear_under_their_names() {
    let place = Place::new();
    let text = fastq(20_000);
    place.write("a.fq.gz", gzip(&text));
    place.write("out.fq", "old");
    for name in ["new.fq", "out.fq"] {
        let ended = place.ok(&["cat", "a.fq.gz", "-o", name]);
        assert_eq!(ended.stdout, b"");
        assert!(place.read(name) == text);
    }
    // Readable for others, as the umask has it.
    let mode = |name: &str| {
        std::fs::metadata(place.path(name))
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("new.fq"), mode("a.fq.gz"));
    assert_eq!(mode("out.fq"), mode("a.fq.gz"));
    // A link stays a link.
    std::os::unix::fs::symlink("new.fq", place.path("link.fq")).unwrap();
    place.ok(&["cat", "--records", "0..0", "a.fq.gz", "-o", "link.fq"]);
    assert!(place.path("link.fq").is_symlink());
    assert_eq!(place.read("new.fq"), b"");
    assert_eq!(place.names().len(), 4);
    // Devices are written to, not replaced.
    place.ok(&["cat", "a.fq.gz", "-o", "/dev/null"]);
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
    assert!(place.ok(&["cat", "a.fq.gz", "-o", "-"]).stdout == text);
}

#[test]
fn a_failure_leaves_nothing() {
    let place = Place::new();
    let data = gzip(&fastq(20_000));
    place.write("cut.fq.gz", &data[..data.len() / 2]);
    place.write("out.fq", "old");
    for name in ["new.fq", "out.fq"] {
        place.fails(&["cat", "cut.fq.gz", "-o", name], 1, &["cut.fq.gz"]);
    }
    assert_eq!(place.read("out.fq"), b"old");
    place.fails(&["cat", "cut.fq.gz", "--parts", "2"], 1, &["cut.fq.gz"]);
    place.fails(&["index", "cut.fq.gz"], 1, &["cut.fq.gz"]);
}

#[test]
fn a_full_disk_is_reported() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(20_000)));
    place.write("b.fq", fastq(3));
    for arguments in [
        &["cat", "a.fq.gz"][..],
        &["cat", "a.fq.gz", "-t", "3"],
        &["cat", "b.fq"],
        &["stats", "b.fq"],
        &["info", "b.fq"],
        &["verify", "b.fq"],
        &["completions", "bash"],
        &["--help"],
        &["--version"],
        &["help", "count"],
    ] {
        let mut command = place.command(arguments);
        command.stdout(OpenOptions::new().write(true).open("/dev/full").unwrap());
        command.stderr(Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(
            stderr.contains("standard output: No space left"),
            "{stderr}"
        );
        assert!(stderr.contains("hint: "), "{stderr}");
    }
    place.fails(
        &["cat", "a.fq.gz", "-o", "/dev/full"],
        2,
        &["/dev/full", "No space"],
    );
}

#[test]
fn what_must_not_be_written_is_not_replaced() {
    let place = Place::new();
    place.write("a.fq", fastq(100));
    for name in ["o.fq", "o.thk", "o.tsv"] {
        let path = place.write(name, "old");
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o444))
            .unwrap();
        if OpenOptions::new().append(true).open(&path).is_ok() {
            eprintln!(
                "SKIPPED: what_must_not_be_written_is_not_replaced: this user may write all files"
            );
            return;
        }
        let arguments = match name {
            "o.fq" => &["cat", "a.fq", "-o", name][..],
            _ => &["count", "-k", "21", "a.fq", "-o", name],
        };
        place.fails(arguments, 2, &[name, "Permission denied"]);
        assert_eq!(place.read(name), b"old", "{name}");
    }
}

/// Also where they lead to what is not there yet; and messages keep the names that were given.
#[test]
fn links_stay_links() {
    let place = Place::new();
    let text = fastq(2_000);
    place.write("a.fq", &text);
    std::fs::create_dir(place.path("folder")).unwrap();
    for (link, target) in [("link.fq", "folder/new.fq"), ("link.thk", "folder/new.thk")] {
        std::os::unix::fs::symlink(target, place.path(link)).unwrap();
    }
    place.ok(&["cat", "a.fq", "-o", "link.fq"]);
    place.ok(&["count", "-k", "21", "a.fq", "-o", "link.thk"]);
    for link in ["link.fq", "link.thk"] {
        assert!(place.path(link).is_symlink(), "{link}");
    }
    assert!(place.read("folder/new.fq") == text);
    place.ok(&["kmers", "verify", "folder/new.thk"]);
    std::os::unix::fs::symlink("circle.fq", place.path("circle.fq")).unwrap();
    place.fails(
        &["cat", "a.fq", "-o", "circle.fq"],
        2,
        &["thalweg: error: circle.fq: ", "hint: "],
    );
    assert!(place.path("circle.fq").is_symlink());
}

/// Whoever made our standard output may use it without waiting.
#[test]
fn a_pipe_that_does_not_wait_is_waited_for() {
    use nix::fcntl::{FcntlArg, OFlag, fcntl};
    let place = Place::new();
    let text = fastq(50_000);
    // More than the largest pipe holds.
    assert!(text.len() > 3 << 20);
    place.write("a.fq", &text);
    let (mut reader, writer) = std::io::pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
    let mut command = place.command(&["cat", "a.fq"]);
    let mut child = command.stdout(writer).spawn().unwrap();
    drop(command);
    std::thread::sleep(Duration::from_millis(100));
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(read == text);
}

/// A small file system of our own, if we may mount one.
#[test]
fn a_full_file_system_is_left_as_it_was() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(20_000)));
    std::fs::create_dir(place.path("small")).unwrap();
    let small = place.path("small");
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=128k", "none"])
        .arg(&small)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED: a_full_file_system_is_left_as_it_was: cannot mount a tmpfs here");
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        place.fails(
            &["cat", "a.fq.gz", "-o", "small/out.fq"],
            2,
            &["out.fq", "No space"],
        );
        let span = ["--span", "1k", "-o", "small/out.thw"];
        place.fails(
            &[&["index", "a.fq.gz"], &span[..]].concat(),
            2,
            &["out.thw"],
        );
        assert!(crate::support::names_in(&small).is_empty());
    });
    assert!(
        Command::new("umount")
            .arg(&small)
            .status()
            .unwrap()
            .success()
    );
    outcome.unwrap();
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(50_000)));
    place.write("a.fq", fastq(50_000));
    place.write("b.fq.gz", gzip(&fastq(50_000)));
    place.ok(&["index", "-q", "--span", "300k", "b.fq.gz"]);
    for input in ["a.fq.gz", "a.fq", "b.fq.gz"] {
        for threads in ["1", "2", "6"] {
            let ended = place.leave(&["cat", "-t", threads, input]);
            assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""));
        }
    }
    let ended = place.shell("set -o pipefail; $THALWEG completions bash | true");
    assert_eq!(ended.code, Some(0));
}

#[test]
fn a_reader_of_one_of_several_outputs_is_missed() {
    let place = Place::new();
    place.write("a.fq", fastq(50_000));
    let options = "qc a.fq --no_report -A -Q -L --quiet --stdout";
    let options: Vec<&str> = options.split(' ').collect();
    let ended = place.leave(&options);
    assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""));
    let ended = place.leave(&[&options[..], &["--failed_out", "failed.fq"]].concat());
    ended.expect_failure(2, &["the pipe was closed"]);
    // Of pairs, the second mates are for somebody else.
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.thk"]);
    let filter = [
        "kmers",
        "filter-reads",
        "a.thk",
        "--mates",
        "a.fq",
        "b.fq",
        "-o-",
    ];
    place.write("b.fq", fastq(50_000));
    let ended = place.leave(&[&filter[..], &["-q"]].concat());
    assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""));
    let ended = place.leave(&[&filter[..], &["-q", "-O", "second.fq"]].concat());
    ended.expect_failure(2, &["the pipe was closed"]);
    assert!(!place.path("second.fq").exists());
    // Behind another name nobody sees how the reader ended.
    nix::unistd::mkfifo(&place.path("p"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let script = "head -c 100 p > first & $THALWEG qc a.fq -o p --no_report --quiet";
    let ended = place.shell(script);
    ended.expect_failure(2, &["p: the pipe was closed"]);
    let ended = place.shell("head -c 100 p > first & $THALWEG cat a.fq -o p");
    ended.expect_failure(2, &["p: the pipe was closed"]);
    let ended = place.shell("set -o pipefail; $THALWEG cat a.fq -o /dev/stdout | head -c 100");
    assert_eq!((ended.code, &ended.stderr[..]), (Some(0), ""));
}

/// Nobody hears that the first file is whole; the last one is looked at nevertheless.
#[test]
fn faults_are_told_when_nobody_reads_what_is_whole() {
    let place = Place::new();
    let whole = gzip(&fastq(5000));
    place.write("cut.fq.gz", &whole[..whole.len() - 9]);
    place.write("a.fq.gz", whole);
    place.ok(&["count", "-q", "-k21", "a.fq.gz", "-o", "a.thk"]);
    let database = place.read("a.thk");
    place.write("cut.thk", &database[..database.len() - 9]);
    for (command, file) in [("verify", "fq.gz"), ("kmers verify", "thk")] {
        // It waits until there is no reader any more.
        let files = format!("a.{file} a.{file} cut.{file}");
        let script = format!(
            "set -o pipefail; (read line < gate; $THALWEG {command} {files}) | (exec <&-; echo > gate)"
        );
        let _ = std::fs::remove_file(place.path("gate"));
        nix::unistd::mkfifo(&place.path("gate"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        place
            .shell(&script)
            .expect_failure(1, &[&format!("cut.{file}")]);
    }
}

#[test]
fn an_unwritable_directory_is_reported() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(100)));
    place.fails(
        &["cat", "a.fq.gz", "-o", "none/out.fq"],
        2,
        &["none/out.fq", "No such file"],
    );
    place.fails(&["index", "a.fq.gz", "-o", "none/out.thw"], 2, &["out.thw"]);
    place.fails(&["cat", "a.fq.gz", "-o", "."], 2, &["directory"]);
    // /proc refuses new files even to root.
    place.fails(
        &["cat", "a.fq.gz", "-o", "/proc/out.fq"],
        2,
        &["/proc/out.fq"],
    );
    place.fails(
        &["index", "a.fq.gz", "-o", "/proc/out.thw"],
        2,
        &["/proc/out.thw"],
    );
}

/// Ctrl-C and SIGTERM leave nothing, and end the process as signals do.
#[test]
fn signals_leave_nothing() {
    for signal in ["INT", "TERM"] {
        if signal == "INT" && interrupts_are_ignored() {
            eprintln!("SIGINT is ignored here, as in jobs behind an &: not tried");
            continue;
        }
        let place = Place::new();
        let pipe = place.path("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&pipe)
                .status()
                .unwrap()
                .success()
        );
        let mut child = place
            .command(&["cat", "pipe", "-o", "out.fq"])
            .spawn()
            .unwrap();
        // It has what we write, and waits for more.
        let mut writer = OpenOptions::new().write(true).open(&pipe).unwrap();
        std::io::Write::write_all(&mut writer, &fastq(20_000)).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        send(signal, child.id());
        assert_eq!(child.wait().unwrap().code(), None);
        assert_eq!(place.names(), ["pipe".to_owned()].into());
    }
}

#[test]
fn signals_remove_named_pipes() {
    let place = Place::new();
    place.write("a.fq", fastq(100));
    let mut child = place
        .command(&["cat", "--parts", "3", "--pipes", "a.fq"])
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while place.names().len() < 4 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(50));
    send("TERM", child.id());
    assert_eq!(child.wait().unwrap().code(), None);
    assert_eq!(place.names(), ["a.fq".to_owned()].into());
}

/// Whether programs that are started from here ignore SIGINT.
fn interrupts_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = u64::from_str_radix(line.unwrap().trim(), 16).unwrap();
    // SIGINT is signal 2.
    mask & 0b10 != 0
}

fn send(signal: &str, process: u32) {
    let process = process.to_string();
    let sent = Command::new("kill").args(["-s", signal, &process]).status();
    assert!(sent.unwrap().success());
}

/// `--threads 1` is the main thread alone, while it reads and while it writes. Who writes a file has another one, which only waits
/// for signals.
#[test]
fn one_thread_is_one_thread() {
    let place = Place::new();
    let pipe = place.path("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    for (command, threads) in [
        (&["cat", "-t", "1", "pipe", "-o", "out.fq"][..], 2),
        (&["stats", "-t1", "pipe"], 1),
    ] {
        let mut child = place
            .command(command)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut writer = OpenOptions::new().write(true).open(&pipe).unwrap();
        std::io::Write::write_all(&mut writer, &fastq(20_000)).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let status = format!("/proc/{}/status", child.id());
        let mut text = String::new();
        File::open(status)
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        assert!(text.contains(&format!("Threads:\t{threads}\n")), "{text}");
        drop(writer);
        assert!(child.wait().unwrap().success());
    }
}

/// A folder that is not there, or that nobody may write to, is no reason to read all of the reads before: they are damaged at
/// their end, and that is not what is told.
#[test]
fn outputs_without_a_place_are_known_before_the_reads_are_read() {
    let place = Place::new();
    place.write("good.fq", fastq(2000));
    place.write("bad.fq", [&fastq(2000)[..], b"no record\n"].concat());
    place.write("bad.fq.gz", gzip(&place.read("bad.fq")));
    place.write(
        "nodes.dmp",
        "1\t|\t1\t|\tno rank\t|\n2\t|\t1\t|\tspecies\t|\n",
    );
    place.write(
        "names.dmp",
        "1\t|\troot\t|\t\t|\tscientific name\t|\n2\t|\tbug\t|\t\t|\tscientific name\t|\n",
    );
    place.write("taxa", "good.fq\t2\nbad.fq\t2\n");
    place.ok(&["count", "-q", "-k21", "good.fq", "-o", "a.thk"]);
    let build = "taxa build --taxonomy . --taxa taxa";
    let words: Vec<&str> = build.split(' ').collect();
    place.ok(&[&words[..], &["-q", "good.fq", "-o", "a.tht"]].concat());
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("fastqc")).unwrap();
    let before = place.names();
    let mut folders = vec!["no"];
    // Of the system: nobody may, not even root.
    folders.extend(std::path::Path::new("/sys").is_dir().then_some("/sys"));
    for folder in folders {
        for line in [
            "count -k21 bad.fq -o DIR/x.thk",
            "count -k21 bad.fq -o DIR/x.jf",
            "count -k21 bad.fq -o DIR/x.kmc",
            "count -k21 bad.fq --histo DIR/x",
            "count -k21 bad.fq -o x.thk --histo DIR/x",
            "count -k21 bad.fq -o x.thk --trace DIR/x.jsonl",
            "kmers query a.thk -s bad.fq -o DIR/x",
            "kmers filter-reads a.thk bad.fq -o DIR/x",
            "cat bad.fq --records 0.. -o DIR/x",
            "cat bad.fq --sample 10 -o DIR/x.fq",
            "cat bad.fq --parts 3 -o DIR/x_{}.fq",
            "cat bad.fq --parts 3 -o DIR/x",
            "cat bad.fq --records-per-part 3 -o DIR/x",
            "cat bad.fq --join -o DIR/x",
            "cat bad.fq -o DIR/x.bam",
            "index bad.fq.gz -o DIR/x.thw",
            "qc bad.fq -j j -h h -o DIR/x",
            "qc bad.fq -j DIR/x -h h",
            "qc bad.fq -j j -h DIR/x",
            "qc bad.fq --no_report --failed_out DIR/x",
            "qc bad.fq --no_report --trace DIR/x.jsonl",
            "qc bad.fq --no_report --fastqc DIR",
            "classify a.tht bad.fq -o DIR/x",
            "classify a.tht bad.fq -o l --report DIR/x",
            "classify a.tht bad.fq -o l --presence DIR/x",
            "classify a.tht bad.fq -o l --html DIR/x",
            "classify a.tht bad.fq -o l --krona DIR/x",
            "classify a.tht bad.fq -o l --trace DIR/x.jsonl",
            "classify a.tht bad.fq -o l --classified-out DIR/x",
            "taxa build --taxonomy . --taxa taxa bad.fq -o DIR/x.tht",
        ] {
            let line = line.replace("DIR", folder);
            let words: Vec<&str> = line.split(' ').collect();
            let ended = place.fails(&words, 2, &[folder]);
            assert!(
                !ended.stderr.contains("no record"),
                "{line}: {}",
                ended.stderr
            );
        }
        let ended = place.shell(&format!("./fastqc -o {folder} bad.fq"));
        ended.expect_failure(2, &[folder]);
        assert!(!ended.stderr.contains("no record"), "{}", ended.stderr);
        assert_eq!(place.names(), before);
    }
}
