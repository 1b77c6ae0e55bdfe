//! `thalweg count`, compared with a map.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Place, ended, gzip};

/// A read: letters and qualities.
pub(crate) type Read = (Vec<u8>, Vec<u8>);

/// Reads of 80 to 130 bases of a random genome of `genome` bases, some letters of which are N or
/// in lower case; and some that are short or empty of k-mers.
pub(crate) fn reads(seed: u64, genome: usize, count: usize) -> Vec<Read> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) as usize % bound
    };
    let genome: Vec<u8> = (0..genome).map(|_| b"ACGT"[below(4)]).collect();
    let mut reads = Vec::new();
    for number in 0..count {
        let length = if number % 50 == 7 { 3 } else { 80 + below(50) };
        let start = below(genome.len() - length);
        let mut letters = genome[start..start + length].to_vec();
        for letter in &mut letters {
            match below(150) {
                0 => *letter = b'N',
                1 => *letter = letter.to_ascii_lowercase(),
                2 => *letter = b"ACGT"[below(4)],
                _ => {}
            }
        }
        if below(2) == 0 {
            letters = reverse_complement(&letters);
        }
        let qualities = letters.iter().map(|_| b"#+5:?DI"[below(7)]).collect();
        reads.push((letters, qualities));
    }
    reads.push((vec![b'A'; 300], vec![b'I'; 300]));
    reads
}

pub(crate) fn reverse_complement(letters: &[u8]) -> Vec<u8> {
    let complement = |letter: &u8| match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        b'a' => b't',
        b'c' => b'g',
        b'g' => b'c',
        b't' => b'a',
        other => *other,
    };
    letters.iter().rev().map(complement).collect()
}

pub(crate) fn to_fastq(reads: &[Read]) -> Vec<u8> {
    let mut text = Vec::new();
    for (number, (letters, qualities)) in reads.iter().enumerate() {
        writeln!(text, "@r{number}").unwrap();
        text.extend_from_slice(letters);
        text.extend_from_slice(b"\n+\n");
        text.extend_from_slice(qualities);
        text.push(b'\n');
    }
    text
}

/// Lines of 60 letters.
pub(crate) fn to_fasta(reads: &[Read]) -> Vec<u8> {
    let mut text = Vec::new();
    for (number, (letters, _)) in reads.iter().enumerate() {
        writeln!(text, ">r{number}").unwrap();
        for line in letters.chunks(60) {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
    }
    text
}

/// One line of code for each k-mer: the oracle.
pub(crate) fn count(
    reads: &[Read],
    k: usize,
    canonical: bool,
    quality: u8,
) -> BTreeMap<String, u64> {
    let strands = |(letters, _): &Read| {
        let letters = letters.to_ascii_uppercase();
        (reverse_complement(&letters), letters)
    };
    let strands: Vec<_> = reads.iter().map(strands).collect();
    let mut kmers = Vec::new();
    for ((turned, letters), (_, qualities)) in strands.iter().zip(reads) {
        let turned = turned.windows(k).rev();
        let windows = letters.windows(k).zip(turned).zip(qualities.windows(k));
        for ((window, turned), qualities) in windows {
            let is_base = |letter: &u8| b"ACGT".contains(letter);
            if !window.iter().all(is_base) || qualities.iter().any(|&byte| byte < quality) {
                continue;
            }
            kmers.push(if canonical {
                turned.min(window)
            } else {
                window
            });
        }
    }
    kmers.sort_unstable();
    let alike = kmers.chunk_by(|one, other| one == other);
    let text = |kmer: &[u8]| String::from_utf8(kmer.to_vec()).unwrap();
    alike
        .map(|alike| (text(alike[0]), alike.len() as u64))
        .collect()
}

pub(crate) fn to_tsv(counts: &BTreeMap<String, u64>) -> String {
    counts
        .iter()
        .map(|(kmer, count)| format!("{kmer}\t{count}\n"))
        .collect()
}

pub(crate) fn to_histo(counts: &BTreeMap<String, u64>) -> String {
    let mut spectrum = BTreeMap::new();
    for count in counts.values() {
        *spectrum.entry(count).or_insert(0) += 1;
    }
    spectrum
        .iter()
        .map(|(count, kmers)| format!("{count} {kmers}\n"))
        .collect()
}

#[test]
fn counts_are_those_of_a_map() {
    let place = Place::new();
    let reads = reads(1, 3000, 400);
    place.write("reads.fq", to_fastq(&reads));
    place.write("reads.fa", to_fasta(&reads));
    place.write("reads.fq.gz", gzip(&to_fastq(&reads)));
    for k in [1, 2, 5, 11, 12, 21, 31, 32, 33, 55, 64, 65, 129, 255] {
        for canonical in [true, false] {
            let expected = to_tsv(&count(&reads, k, canonical, 0));
            for input in ["reads.fq", "reads.fa", "reads.fq.gz"] {
                let k = k.to_string();
                let mut arguments = vec!["count", "-q", "-t2", "-k", &k, input, "-o", "out.tsv"];
                if !canonical {
                    arguments.push("--forward");
                }
                place.ok(&arguments);
                let found = String::from_utf8(place.read("out.tsv")).unwrap();
                assert!(
                    found == expected,
                    "k = {k}, {input}, canonical: {canonical}"
                );
            }
        }
    }
}

#[test]
fn formats_hold_the_same() {
    let place = Place::new();
    let reads = reads(2, 3000, 300);
    place.write("reads.fq", to_fastq(&reads));
    for k in [7, 31, 40] {
        let expected = to_tsv(&count(&reads, k, true, 0));
        let k = k.to_string();
        for (name, format) in [
            ("a.thk", None),
            ("a.jf", None),
            ("a.kmc", None),
            ("a.tsv", None),
            ("a.fasta", None),
            ("b.txt", Some("thk")),
            ("b.thk", Some("jf")),
        ] {
            let mut arguments = vec!["count", "-q", "-k", &k, "reads.fq", "-o", name];
            if let Some(format) = format {
                arguments.extend(["--format", format]);
            }
            place.ok(&arguments);
            let dump = place.ok(&["kmers", "dump", name]);
            assert!(dump.text() == expected, "k = {k}, {name}");
            place.ok(&["kmers", "verify", name]);
        }
    }
}

#[test]
fn threads_memory_and_order_of_files_change_no_byte() {
    let place = Place::new();
    let (first, second) = (reads(3, 200_000, 20_000), reads(4, 200_000, 20_000));
    place.write("1.fq", to_fastq(&first));
    place.write("2.fq", to_fastq(&second));
    let all = [first, second].concat();
    let expected = to_tsv(&count(&all, 31, true, 0));
    for (threads, memory, files) in [
        ("1", "1G", ["1.fq", "2.fq"]),
        ("2", "1G", ["2.fq", "1.fq"]),
        ("4", "64M", ["1.fq", "2.fq"]),
        // Too little for the reads: super-k-mers go to temporary files.
        ("1", "28Mi", ["1.fq", "2.fq"]),
        ("3", "44Mi", ["2.fq", "1.fq"]),
    ] {
        let arguments = ["count", "-q", "-k31", "-t", threads, "--memory", memory];
        let arguments = [&arguments[..], &files].concat();
        let run = |output| place.ok(&[&arguments[..], &["-o", output]].concat());
        run("out.tsv");
        assert!(
            place.read("out.tsv") == expected.as_bytes(),
            "{arguments:?}"
        );
        run("out.thk");
        let dump = place.ok(&["kmers", "dump", "out.thk"]);
        assert!(dump.text() == expected, "{arguments:?}");
    }
    assert_eq!(place.names().len(), 4, "{:?}", place.names());
}

#[test]
fn limits_leave_k_mers_out_and_the_spectrum_whole() {
    let place = Place::new();
    let reads = reads(5, 2000, 300);
    place.write("reads.fq", to_fastq(&reads));
    let counts = count(&reads, 21, true, 0);
    let ended = place.ok(&[
        "count",
        "-k21",
        "-L3",
        "-U",
        "9",
        "reads.fq",
        "-o",
        "out.tsv",
        "--histo",
        "out.histo",
    ]);
    let mut kept = counts.clone();
    kept.retain(|_, count| (3..=9).contains(count));
    assert_eq!(
        String::from_utf8(place.read("out.tsv")).unwrap(),
        to_tsv(&kept)
    );
    let histo = String::from_utf8(place.read("out.histo")).unwrap();
    assert_eq!(histo, to_histo(&counts));
    let total: u64 = counts.values().sum();
    for number in [total, counts.len() as u64, kept.len() as u64] {
        // The summary has thousands separators.
        let plain = ended.stderr.replace(',', "");
        assert!(plain.contains(&number.to_string()), "{plain}");
    }
    // The spectrum alone.
    let before = place.names();
    let alone = place.ok(&["count", "-q", "-k21", "reads.fq", "--histo", "-"]);
    assert_eq!(alone.text(), histo);
    assert_eq!(alone.stderr, "");
    assert_eq!(place.names(), before);
}

#[test]
fn bases_of_low_quality_do_not_count() {
    let place = Place::new();
    let reads = reads(6, 2000, 300);
    place.write("reads.fq", to_fastq(&reads));
    place.write("reads.fa", to_fasta(&reads));
    for quality in [11, 21] {
        let threshold = quality.to_string();
        let arguments = ["count", "-q", "-k5", "--min-quality", &threshold];
        let run = |file| place.ok(&[&arguments[..], &[file, "-o", "out.tsv"]].concat());
        run("reads.fq");
        let expected = count(&reads, 5, true, 33 + quality);
        assert_eq!(place.read("out.tsv"), to_tsv(&expected).into_bytes());
        // FASTA has no qualities.
        run("reads.fa");
        let expected = count(&reads, 5, true, 0);
        assert_eq!(place.read("out.tsv"), to_tsv(&expected).into_bytes());
    }
}

#[test]
fn databases_go_to_the_standard_output_too() {
    let place = Place::new();
    let reads = reads(7, 2000, 100);
    place.write("reads.fq", to_fastq(&reads));
    let before = place.names();
    let expected = to_tsv(&count(&reads, 31, true, 0));
    let text = place.ok(&["count", "-q", "-k31", "reads.fq", "-o-", "--format", "tsv"]);
    assert_eq!(text.text(), expected);
    for format in ["thk", "jf"] {
        let database = place.ok(&["count", "-q", "-k31", "reads.fq", "-o-", "--format", format]);
        assert_eq!(place.names(), before);
        place.write("piped", &database.stdout);
        assert_eq!(place.ok(&["kmers", "dump", "piped"]).text(), expected);
        std::fs::remove_file(place.path("piped")).unwrap();
    }
    place.fails(
        &["count", "-k31", "reads.fq", "-o-", "--format", "kmc"],
        2,
        &["two files"],
    );
}

#[test]
fn bad_input_leaves_nothing() {
    let place = Place::new();
    let text = to_fastq(&reads(8, 2000, 2000));
    place.write("good.fq", &text);
    let packed = gzip(&text);
    place.write("cut.fq.gz", &packed[..packed.len() / 2]);
    place.write("cut.fq", &text[..text.len() - 50]);
    place.write("text", "no reads\n");
    std::fs::create_dir(place.path("directory")).unwrap();
    for (arguments, code, words) in [
        (&["-k31", "missing.fq", "-o", "x.thk"][..], 2, "missing.fq"),
        (&["-k31", "cut.fq.gz", "-o", "x.thk"], 1, "cut.fq.gz"),
        (&["-k31", "cut.fq.gz", "-o", "x.jf"], 1, "cut.fq.gz"),
        (&["-k31", "cut.fq.gz", "--histo", "x"], 1, "cut.fq.gz"),
        (&["-k31", "good.fq", "cut.fq", "-o", "x.tsv"], 1, "cut.fq"),
        (&["-k31", "text", "-o", "x.thk"], 1, "text"),
        (&["-k0", "good.fq", "-o", "x.thk"], 2, "from 1 to 255"),
        (&["-k256", "good.fq", "-o", "x.thk"], 2, "from 1 to 255"),
        (&["-k31", "good.fq", "-o", "no/x.thk"], 2, "no/x.thk"),
        (&["-k31", "good.fq", "-o", "no/x.kmc"], 2, "no/x.kmc"),
        (&["-k31", "good.fq", "-o", "no/x.tsv"], 2, "no/x.tsv"),
        (&["-k31", "good.fq", "-o", "directory"], 2, "directory"),
        (&["-k31", "good.fq", "-o", "good.fq"], 2, "good.fq"),
        (
            &["-k31", "good.fq", "-o", "x", "--memory", "1000"],
            2,
            "memory",
        ),
        (
            &["-k31", "good.fq", "-o", "x", "-L5", "-U4"],
            2,
            "-L 5 is greater than -U 4",
        ),
        (&["-k31", "good.fq", "-o", "x.jf", "--tmp", "no"], 2, "no"),
    ] {
        let arguments = [&["count"], arguments].concat();
        place.fails(&arguments, code, &[words]);
    }
    // Nothing to write.
    let ended = place.run(&["count", "-k31", "good.fq"]);
    assert_eq!(ended.code, Some(2));
}

/// Whether a directory's file system has files without names.
fn has_unnamed_files(directory: &std::path::Path) -> bool {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = nix::fcntl::OFlag::O_TMPFILE.bits();
    let mut options = std::fs::OpenOptions::new();
    options
        .write(true)
        .custom_flags(flags)
        .open(directory)
        .is_ok()
}

/// An interrupted count removes what it has begun, in every format.
#[test]
fn a_signal_leaves_nothing() {
    for (name, signal) in [
        ("x.thk", "-TERM"),
        ("x.jf", "-TERM"),
        ("x.tsv", "-TERM"),
        ("x.thk", "-KILL"),
    ] {
        let place = Place::new();
        std::fs::create_dir(place.path("tmp")).unwrap();
        let text = to_fastq(&reads(9, 2000, 2000));
        let mut child = place
            .command(&["count", "-k31", "-", "-o", name, "--tmp", "tmp"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // It waits for the rest.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&text).unwrap();
        std::thread::sleep(Duration::from_millis(500));
        // What is begun before all is counted has no name, where the file system has files without.
        let is_named = place.names().len() > 1;
        assert!(!is_named || name == "x.thk" && !has_unnamed_files(&place.path(".")));
        if is_named && signal == "-KILL" {
            println!("not tested: this file system has no files without names");
        }
        let mut kill = std::process::Command::new("kill");
        kill.args([signal, &child.id().to_string()]);
        assert_eq!(ended(kill).code, Some(0));
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{name}");
            std::thread::sleep(Duration::from_millis(10));
        };
        drop(stdin);
        assert_eq!(status.code(), None, "{name} ended by itself");
        if !is_named || signal != "-KILL" {
            assert_eq!(Vec::from_iter(place.names()), ["tmp"]);
        }
        assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);
    }
}

#[test]
fn k_longer_than_every_read_is_noted() {
    let place = Place::new();
    place.write("reads.fa", ">r\nACGTTGCANACGTTGCA\n");
    let ended = place.ok(&["count", "-k", "9", "reads.fa", "-o", "x.thk"]);
    let note = "no sequence has 9 consecutive valid bases";
    assert!(ended.stderr.contains(note), "{}", ended.stderr);
    let ended = place.ok(&["count", "-k", "8", "reads.fa", "-o", "x.thk"]);
    assert!(!ended.stderr.contains("consecutive"), "{}", ended.stderr);
    place.write("none.fa", "");
    let ended = place.ok(&["count", "-k", "8", "none.fa", "-o", "x.thk"]);
    assert!(ended.stderr.contains("has no bases"), "{}", ended.stderr);
}

/// Under `nohup`, and in the background of a script, signals are ignored: the count goes on and is whole.
#[test]
fn ignored_signals_change_nothing() {
    let place = Place::new();
    let text = to_fastq(&reads(9, 2000, 2000));
    place.write("reads.fq", &text);
    place.run(&["count", "-q", "-k31", "reads.fq", "-o", "expected.tsv"]);
    let thalweg = env!("CARGO_BIN_EXE_thalweg");
    let script = format!(
        "trap '' HUP INT; (cat reads.fq; sleep 2) | {thalweg} count -q -k31 - -o x.thk & \
         p=$!; sleep 1; kill -HUP $p; kill -INT $p; wait $p"
    );
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script]).current_dir(place.path("."));
    let ended = ended(shell);
    assert_eq!(ended.code, Some(0));
    let dump = ["kmers", "dump", "x.thk", "-o", "x.tsv"];
    assert_eq!(place.run(&dump).code, Some(0));
    let sorted = |name: &str| {
        let text = std::fs::read_to_string(place.path(name)).unwrap();
        let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    assert!(sorted("x.tsv") == sorted("expected.tsv"));
}

/// Files that can only be decoded in order are decoded at the same time; the first fault of them is told.
#[test]
fn many_compressed_files_are_counted_as_one() {
    let place = Place::new();
    let set = reads(19, 50_000, 40_000);
    let mut files = Vec::new();
    for (number, some) in set.chunks(7000).enumerate() {
        let name = format!("{number}.fq.gz");
        place.write(&name, gzip(&to_fastq(some)));
        files.push(name);
    }
    let packed = zstd::encode_all(&to_fastq(&set[..9000])[..], 3).unwrap();
    files.extend(["a.zst", "b.zst"].map(|name| {
        place.write(name, &packed);
        name.to_owned()
    }));
    let all = [&set[..], &set[..9000], &set[..9000]].concat();
    let expected = to_tsv(&count(&all, 31, true, 0));
    for (threads, index) in [("1", "never"), ("3", "save"), ("2", "auto")] {
        let mut command = vec!["count", "-q", "-k31", "-t", threads, "--index", index];
        command.extend(files.iter().map(String::as_str));
        place.ok(&[&command[..], &["-o", "x.thk"]].concat());
        let dump = place.ok(&["kmers", "dump", "x.thk"]).text();
        assert!(dump == expected, "{threads} threads");
    }
    for name in files.iter().filter(|name| name.ends_with(".gz")) {
        place.ok(&["verify", "--full", name]);
    }
    for cut in ["5.fq.gz", "2.fq.gz"] {
        let whole = place.read(cut);
        place.write(cut, &whole[..whole.len() - 9]);
        let names = files.iter().map(String::as_str);
        for threads in ["1", "3"] {
            let count = [
                "count", "-k31", "--index", "never", "-t", threads, "-o", "y.thk",
            ];
            let command: Vec<_> = count.into_iter().chain(names.clone()).collect();
            place.fails(
                &command,
                1,
                &[cut, "truncated: the compressed data end too early"],
            );
        }
    }
}

/// What each compression holds is counted, whatever the name of the file is.
#[test]
fn compressed_reads_have_the_same_k_mers() {
    let place = Place::new();
    let set = reads(18, 3000, 300);
    place.write("plain", to_fastq(&set));
    let expected = to_tsv(&count(&set, 21, true, 0));
    for program in ["gzip", "zstd", "bzip2", "xz"] {
        let made = place.shell(&format!("{program} -c < plain > packed"));
        if made.code != Some(0) {
            eprintln!("SKIPPED: compressed_reads_have_the_same_k_mers: no {program}");
            continue;
        }
        assert!(place.read("packed").len() < place.read("plain").len());
        for threads in ["1", "3"] {
            place.ok(&[
                "count", "-q", "-k21", "-t", threads, "packed", "-o", "x.thk",
            ]);
            let dump = place.ok(&["kmers", "dump", "x.thk"]).text();
            assert!(dump == expected, "{program}, {threads} threads");
        }
    }
}
