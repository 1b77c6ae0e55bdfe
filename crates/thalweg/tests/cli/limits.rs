//! `thalweg count` where there is little: memory, room for temporary files, and time (an end by a signal).

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use thalweg::kmers::database::Description;
use thalweg::kmers::database::thk::{Partitioning, ThkWriter};

use crate::count::{reads, to_fastq};
use crate::extent::{is_all, some_of};
use crate::kmers::Program;
use crate::support::{Place, bgzf, ended, fastq, gzip, names_in, random, records, thousands};

/// FASTA of so many records of the same random `bases`, in lines of 80.
fn fasta_of_long_sequences(records: usize, bases: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(records * (bases + bases / 80 + 8));
    for record in 0..records {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        text.extend_from_slice(format!(">{record}").as_bytes());
        for base in 0..bases {
            if base % 80 == 0 {
                text.push(b'\n');
            }
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push(b"ACGT"[(state >> 33) as usize % 4]);
        }
        text.push(b'\n');
    }
    text
}

/// FASTA of reads of 150 random bases: nearly all k-mers are different, as in a metagenome that was read once.
fn fasta_of_different_k_mers(reads: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut text = Vec::with_capacity(reads * 153);
    for _ in 0..reads {
        text.extend_from_slice(b">r\n");
        for _ in 0..150 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push(b"ACGT"[(state >> 33) as usize % 4]);
        }
        text.push(b'\n');
    }
    text
}

/// Bytes of memory that a command has had at most when it begins to write to its standard output: databases go
/// there when all of their work is done. `None` where the system does not tell.
fn peak(place: &Place, arguments: &[&str]) -> Option<u64> {
    let mut child = place
        .command(arguments)
        // scripts/test.sh has the allocator keep what it need not.
        .env_remove("MALLOC_MMAP_THRESHOLD_")
        .env_remove("MALLOC_TRIM_THRESHOLD_")
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0];
    let begun = stdout.read(&mut first).unwrap();
    // It cannot end before its output was read: that is larger than a pipe.
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id()));
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert!(child.wait().unwrap().success(), "{arguments:?}");
    assert_eq!(begun, 1);
    let status = status.ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().unwrap();
    Some(kibibytes << 10)
}

/// (k, threads, mebibytes, format), each within its limit.
type Limit = (&'static str, &'static str, u64, &'static str);

/// Bytes by which the program that is built for tests is larger in memory than one to install, whose pages are fewer; how many
/// of them the system keeps there varies from run to run.
const OF_TESTS: u64 = 1 << 19;

/// The peak of a count of 8 million 31-mers, 14 MB of super-k-mers; twice as many of each in a long run.
fn peak_of_count(place: &Place, (k, threads, mebibytes, format): Limit) -> Option<u64> {
    if !place.path("reads.fa").exists() {
        let reads = if is_all() { 150_000 } else { 70_000 };
        place.write("reads.fa", fasta_of_different_k_mers(reads));
    }
    let memory = format!("{mebibytes}Mi");
    let arguments = ["count", "-q", "-k", k, "-t", threads, "--memory", &memory];
    let output = ["--tmp", ".", "-o-", "--format", format, "reads.fa"];
    peak(place, &[&arguments[..], &output].concat())
}

/// That the limits hold.
fn check_limits(place: &Place, limits: impl IntoIterator<Item = Limit>) {
    for limit in limits {
        let Some(peak) = peak_of_count(place, limit) else {
            eprintln!("SKIPPED: limits of memory: no /proc/PID/status here");
            return;
        };
        let (k, threads, mebibytes, format) = limit;
        assert!(
            peak <= (mebibytes << 20) + OF_TESTS,
            "k = {k}, {threads} threads, {format}: {peak} bytes of {mebibytes} MiB"
        );
    }
    assert_eq!(names_in(&place.path(".")).len(), 1);
}

// Two tests, as they take longest of all here, and run side by side.

#[test]
fn memory_is_a_limit_of_the_process() {
    let place = Place::new();
    let enough = peak_of_count(&place, ("31", "2", 1 << 10, "thk"));
    let is_felt = enough.is_none_or(|bytes| bytes > 40 << 20);
    assert!(is_felt, "{enough:?} bytes: no limit would be felt");
    // The least: 20 MiB, and 8 MiB for each thread.
    let limits = [
        ("31", "1", 28, "thk"),
        ("31", "4", 54, "thk"),
        ("55", "2", 40, "thk"),
    ];
    check_limits(&place, limits);
    if is_all() {
        check_limits(&place, [("31", "2", 36, "thk")]);
    }
    place.fails(
        &[
            "count", "-k31", "-t2", "--memory", "32Mi", "reads.fa", "-ox.thk",
        ],
        2,
        &["33554432 bytes (32Mi)", "37748736 (36Mi)", "--memory"],
    );
}

#[test]
fn memory_is_a_limit_of_sorting_for_jellyfish() {
    check_limits(
        &Place::new(),
        some_of(
            2,
            [
                ("31", "2", 36, "jf"),
                ("31", "2", 40, "jf"),
                ("127", "2", 40, "jf"),
            ],
        ),
    );
}

/// Where several databases must be sorted, that is of all of them together.
#[test]
fn memory_of_sorting_is_shared() {
    let place = Place::new();
    let mut random = random(5);
    let names = ["a.tsv", "b.tsv", "c.tsv", "d.tsv", "e.tsv", "f.tsv"];
    for name in names {
        let kmer = |_| String::from_iter((0..31).map(|_| b"ACGT"[random(4)] as char)) + "\t1\n";
        place.write(name, String::from_iter((0..200_000).map(kmer)));
    }
    let merge = [
        "kmers",
        "merge",
        "-q",
        "-t1",
        "-o-",
        "--format=tsv",
        "--memory=6Mi",
    ];
    let [one, all] = [&names[..1], &names].map(|names| peak(&place, &[&merge, names].concat()));
    // Of each there are three megabytes, and a merge has a few buffers more.
    let is_shared = one.zip(all).is_none_or(|(one, all)| all < one + (6 << 20));
    assert!(is_shared, "{one:?} and {all:?}");
}

/// Reads that end with an adapter: many k-mers have the same minimizer.
#[test]
fn memory_is_a_limit_of_what_ends_alike() {
    let adapter = b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTG";
    let place = Place::new();
    let mut text = fasta_of_different_k_mers(100_000);
    for read in text.chunks_mut(154) {
        read[153 - adapter.len()..153].copy_from_slice(adapter);
    }
    place.write("reads.fa", text);
    let arguments = [
        "count", "-q", "-k101", "-t2", "--memory", "100Mi", "-o-", "reads.fa",
    ];
    let peak = peak(&place, &arguments);
    assert!(peak.is_none_or(|bytes| bytes <= 100 << 20), "{peak:?}");
}

/// Reads that begin with 75 times A: half of their k-mers begin alike, with more bases than tell the range of a k-mer in the order
/// of such files.
#[test]
fn memory_is_a_limit_of_sorting_what_begins_alike() {
    let place = Place::new();
    let mut text = fasta_of_different_k_mers(30_000);
    for read in text.chunks_mut(154) {
        read[3..78].fill(b'A');
    }
    place.write("reads.fa", text);
    for (k, format) in [("101", "jf"), ("55", "tsv")] {
        let arguments = [
            "count", "-q", "-k", k, "-t2", "--memory", "36Mi", "--tmp", ".",
        ];
        let output = ["-o-", "--format", format, "reads.fa"];
        let peak = peak(&place, &[&arguments[..], &output].concat());
        assert!(
            peak.is_none_or(|bytes| bytes <= 36 << 20),
            "k = {k}, {format}: {peak:?}"
        );
    }
}

/// A sequence on many lines is taken in pieces, however long it is, and counts as if it were not.
#[test]
fn long_sequences_are_within_the_limit() {
    let place = Place::new();
    // Several parts of a file each.
    let bases = if is_all() { 20_000_000 } else { 13_000_000 };
    place.write("long.fa", fasta_of_long_sequences(2, bases));
    let gzip = "gzip -1 -c long.fa > long.fa.gz && cp long.fa.gz indexed.fa.gz";
    assert_eq!(place.shell(gzip).code, Some(0));
    place.ok(&["index", "indexed.fa.gz"]);
    for (file, threads) in [
        ("long.fa", "1"),
        ("long.fa", "4"),
        ("long.fa.gz", "2"),
        ("indexed.fa.gz", "4"),
    ] {
        let count = ["count", "-q", "-k31", "-t", threads, "--memory", "52Mi"];
        let output = ["--tmp", ".", "-o-", "--format", "thk", file];
        let Some(peak) = peak(&place, &[&count[..], &output].concat()) else {
            eprintln!("SKIPPED: long sequences: no /proc/PID/status here");
            return;
        };
        assert!(peak <= 52 << 20, "{file}, {threads} threads: {peak} bytes");
        let ended = place.ok(&["count", "-k31", "-t", threads, "--histo", "-", file]);
        // All of either sequence, and each once.
        let histogram = format!("2 {}\n", bases - 30);
        assert_eq!(ended.text(), histogram, "{file}, {threads} threads");
        let all = format!("of {} bases", thousands(2 * bases));
        assert!(ended.stderr.contains(&all), "{}", ended.stderr);
    }
}

/// A file of 16,384 partitions, more than a count makes, and small ones: in order, they are not read far ahead.
#[test]
fn a_database_of_many_partitions_takes_little_memory() {
    const PARTITIONS: u64 = 1 << 14;
    let place = Place::new();
    let partitioning = Partitioning::unknown(PARTITIONS as u32);
    let description = Description::new(31, false);
    let writer =
        ThkWriter::<u64>::create(&place.path("a.thk"), &description, partitioning).unwrap();
    let mut encoder = writer.encoder();
    for partition in 0..PARTITIONS {
        encoder.begin(partition as u32).unwrap();
        for i in 0..50 {
            encoder.push(i << 40 | partition << 10 | i, 1).unwrap();
        }
        encoder.end().unwrap();
    }
    writer.finish().unwrap();
    let peak = peak(&place, &["kmers", "dump", "a.thk"]);
    // 16 MiB of what is read ahead, 16 MiB of what was read, 6 MiB of the file; 256 MiB were read ahead once.
    assert!(peak.is_none_or(|bytes| bytes < 80 << 20), "{peak:?}");
}

/// Where no file may have more than a megabyte: temporary files, our own format and others.
#[test]
fn files_that_may_not_grow_are_told_and_removed() {
    let place = Place::new();
    place.write("reads.fa", fasta_of_different_k_mers(40_000));
    std::fs::create_dir(place.path("tmp")).unwrap();
    let before = place.names();
    for (arguments, word) in [
        // What does not fit into memory.
        (&["--memory", "28Mi", "-t1", "--histo", "x"][..], "tmp"),
        (&["-o", "x.thk"], "x.thk"),
        (&["-o", "x.tsv"], "tmp"),
        (&["-o", "x.jf"], "tmp"),
        (&["-o", "-"], "tmp"),
    ] {
        let mut command = Command::new("sh");
        command
            .current_dir(place.path("."))
            // 512 bytes each, or 1024 for some shells.
            .args(["-c", "ulimit -c 0; ulimit -f 1024; exec \"$0\" \"$@\""])
            .arg(env!("CARGO_BIN_EXE_thalweg"))
            .args(["count", "-k31", "--tmp", "tmp", "reads.fa"])
            .args(arguments);
        let ended = ended(command);
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        ended.expect_failure(2, &[word, "File too large"]);
        let of_temporary_files = "error: tmp: temporary files: File too large (os error 27)\n";
        if word == "tmp" {
            ended.expect_failure(2, &[of_temporary_files, "with --tmp"]);
        }
        assert_eq!(place.names(), before, "{arguments:?}");
        assert!(names_in(&place.path("tmp")).is_empty(), "{arguments:?}");
    }
}

/// Names as temporary files have them, in their directory: of inputs and outputs they are told.
#[test]
fn what_only_looks_like_a_temporary_file_is_told_by_its_name() {
    let place = Place::new();
    let ours = Program::ours(&place);
    place.write("reads.fa", fasta_of_different_k_mers(10_000));
    place.write("commands", "cat reads.fa\n");
    std::fs::create_dir(place.path("tmp")).unwrap();
    let before = place.names();
    let count = ["count", "-m31", "-s1M", "--text"];
    let thalweg = env!("CARGO_BIN_EXE_thalweg");
    let jellyfish = ours.0.to_str().unwrap();
    for (program, arguments, code, told) in [
        (
            jellyfish,
            &["dump", "tmp/thalweg-x"][..],
            1,
            "tmp/thalweg-x: No such file",
        ),
        (jellyfish, &["dump", "tmp"], 1, "tmp: is a directory"),
        (
            thalweg,
            &["count", "-k31", "reads.fa", "--histo", "tmp"],
            2,
            "tmp: is a directory",
        ),
        (
            thalweg,
            &[
                "count",
                "-k31",
                "reads.fa",
                "--tmp=tmp",
                "-otmp/thalweg-x.tsv",
            ],
            2,
            "tmp/thalweg-x.tsv: File too large",
        ),
        (
            jellyfish,
            &[&count[..], &["-o", "tmp/thalweg-x", "reads.fa"]].concat(),
            1,
            "tmp/thalweg-x: File too large",
        ),
        // Under a random name until the commands have ended.
        (
            jellyfish,
            &[&count[..], &["-o", "x.jf", "-g", "commands"]].concat(),
            1,
            "error: x.jf: File too large",
        ),
    ] {
        let mut command = Command::new("sh");
        command
            .current_dir(place.path("."))
            .env("TMPDIR", "tmp")
            // 19 or 39 MB: between the temporary file of these k-mers and their text.
            .args([
                "-c",
                "ulimit -c 0; ulimit -f 38000; exec \"$0\" \"$@\"",
                program,
            ])
            .args(arguments);
        let ended = ended(command);
        ended.expect_failure(code, &[told]);
        let words = ["temporary", "TMPDIR", "--tmp"];
        let is_taken = words.iter().any(|word| ended.stderr.contains(word));
        assert!(!is_taken, "{arguments:?}: {}", ended.stderr);
        assert_eq!(place.names(), before, "{arguments:?}");
        assert!(names_in(&place.path("tmp")).is_empty(), "{arguments:?}");
    }
}

/// A small file system of our own for temporary files, if we may mount one.
#[test]
fn a_full_temporary_directory_is_told_and_left_empty() {
    let place = Place::new();
    place.write("reads.fa", fasta_of_different_k_mers(40_000));
    let small = place.path("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=512k", "none"])
        .arg(&small)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        eprintln!(
            "SKIPPED: a_full_temporary_directory_is_told_and_left_empty: cannot mount a tmpfs here"
        );
        return;
    }
    let outcome = std::panic::catch_unwind(|| {
        for arguments in [
            &["--memory", "28Mi", "-t1", "-o", "x.thk"][..],
            &["--memory", "44Mi", "-t3", "--histo", "x"],
            &["-o", "x.jf"],
            &["-o", "x.kmc"],
        ] {
            let count = ["count", "-k31", "--tmp", "small", "reads.fa"];
            place.fails(
                &[&count[..], arguments].concat(),
                2,
                &["error: small: temporary files: No space left", "--tmp"],
            );
            assert!(names_in(&small).is_empty(), "{arguments:?}");
        }
    });
    let unmounted = Command::new("umount").arg(&small).status().unwrap();
    assert!(unmounted.success());
    outcome.unwrap();
}

/// Whether this process ignores a signal, and hence those that it starts, too: as shells have it for what runs in the
/// background.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_none_or(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Interrupted after some of it has gone to a temporary file.
#[test]
fn an_end_while_spilling_leaves_nothing() {
    let place = Place::new();
    std::fs::create_dir(place.path("tmp")).unwrap();
    let text = to_fastq(&reads(9, 400_000, 30_000));
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(number) {
            continue;
        }
        let mut child = place
            .command(&["count", "-k31", "-", "-ox.jf", "--tmp", "tmp", "-t1"])
            .args(["--memory", "28Mi"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(&text).unwrap();
        // It has read all but what the pipe and its buffers hold, and waits for more.
        let mut kill = Command::new("kill");
        kill.args(["-s", signal, &child.id().to_string()]);
        assert_eq!(ended(kill).code, Some(0));
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "{signal}");
            std::thread::sleep(Duration::from_millis(10));
        };
        drop(stdin);
        assert_eq!(status.signal(), Some(number), "{signal}");
        assert_eq!(place.names().len(), 1, "{:?}", place.names());
        assert!(names_in(&place.path("tmp")).is_empty(), "{signal}");
    }
}

/// At whatever moment of its first hundredth of a second.
#[test]
fn an_end_at_the_beginning_leaves_nothing() {
    let place = Place::new();
    let text = to_fastq(&reads(9, 3000, 3000));
    place.write("reads.fq", &text[..]);
    place.ok(&["count", "-q", "-k31", "reads.fq", "-o", "a.thk"]);
    place.ok(&["kmers", "dump", "a.thk", "-o", "a.tsv"]);
    let before = place.names();
    let mut ended_early = 0;
    for turn in 0..60u32 {
        let output = ["x.kmc", "x.jf", "x.thk"][turn as usize % 3];
        let signal = ["TERM", "USR1", "XCPU", "QUIT"][turn as usize % 4];
        let mut child = place
            .command(&["kmers", "merge", "-q", "a.thk", "a.tsv", "-o", output])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(150 * u64::from(turn)));
        let mut kill = Command::new("kill");
        kill.args(["-s", signal, &child.id().to_string()]);
        ended(kill);
        if child.wait().unwrap().code().is_none() {
            ended_early += 1;
        }
        let mut left = place.names();
        // What was whole before the signal came.
        left.retain(|name| !name.starts_with("x."));
        assert_eq!(left, before, "{signal} after {turn} steps");
    }
    assert!(ended_early > 0);
}

/// The usual limit is for other programs; where there is no other, it is told.
#[test]
fn many_files_are_read_as_one_stream() {
    let place = Place::new();
    let names: Vec<String> = (0..90).map(|number| format!("{number}.fa")).collect();
    for name in &names {
        place.write(name, ">a\nACGTACGTAAATTTCCCGGG\n");
    }
    let count = format!("$THALWEG count -q -k 11 {} -o o.tsv", names.join(" "));
    let ended = place.shell(&format!("ulimit -Sn 64; {count}"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(!place.read("o.tsv").is_empty());
    place.ok(&["count", "-q", "-k", "11", "0.fa", "-o", "o.thk"]);
    let filter = format!("$THALWEG kmers filter-reads o.thk {}", names.join(" "));
    let ended = place.shell(&format!("ulimit -Sn 64; {filter}"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let ended = place.shell(&format!("ulimit -n 64; {filter}"));
    ended.expect_failure(2, &[".fa: Too many open files", "ulimit -n"]);
}

/// Nobody holds more of a read than is allowed, and for every number of threads it is the same read that is told.
#[test]
fn reads_that_are_too_long_are_refused_where_there_is_a_limit() {
    let place = Place::new();
    let read = |name: &str, length: usize| {
        format!(
            "@{name}\n{}\n+\n{}\n",
            "A".repeat(length),
            "I".repeat(length)
        )
    };
    let long = 3_000_000;
    let mut text: String = (0..3000)
        .map(|number| read(&format!("r{number}"), 100))
        .collect();
    text += &read("long", long);
    text += &(0..3000)
        .map(|number| read(&format!("s{number}"), 100))
        .collect::<String>();
    place.write("a.fq", &text);
    place.write("a.fq.gz", gzip(text.as_bytes()));
    place.ok(&["index", "-q", "a.fq.gz", "-o", "a.thw"]);
    let indexed = ["--index-file", "a.thw"];
    let record = 2 * long + 9;
    for (file, index) in [("a.fq", &[][..]), ("a.fq.gz", &[]), ("a.fq.gz", &indexed)] {
        for command in [
            &["stats"][..],
            &["count", "-k21", "--histo", "h", "-q"],
            &["qc", "-A", "-o", "o.fq", "--no_report"],
        ] {
            for threads in ["1", "3"] {
                let words = [command, &["--threads", threads, file], index].concat();
                let [little, enough] =
                    [record / 2, record].map(|bytes| format!("{}k", bytes.div_ceil(1000)));
                let limit = |size| [&words[..], &["--max-record", size]].concat();
                let said = [
                    "the record exceeds the limit",
                    "--max-record",
                    "record 3001",
                ];
                place.fails(&limit(&little), 2, &said);
                assert!(!place.path("o.fq").exists());
                place.ok(&limit(&enough));
                place.ok(&words);
                let _ = std::fs::remove_file(place.path("o.fq"));
            }
        }
        let from_pipe = format!("cat {file} | $THALWEG stats - --max-record 1M");
        place
            .shell(&from_pipe)
            .expect_failure(2, &["the record exceeds the limit"]);
    }
}

/// Split outputs have temporary names. One read is longer than all memory that there is.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn refused_memory_leaves_no_file() {
    let place = Place::new();
    let long_read = "(printf '@r\\n'; head -c 600000000 /dev/zero | tr '\\0' A)";
    let ended = place.shell(&format!(
        "ulimit -c 0; ulimit -v 400000; {long_read} | $THALWEG qc --stdin --thread 2 --split 2 -o o.fq -j j -h h"
    ));
    ended.expect_failure(2, &["out of memory"]);
    assert_eq!(place.names().len(), 0, "{:?}", place.names());
}

/// Batch systems set such a limit. The C library would reserve 64 MiB of addresses for each thread.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn few_addresses_are_enough_or_it_is_told() {
    let place = Place::new();
    place.write("reads.fq", to_fastq(&reads(5, 200_000, 30_000)));
    let count = "$THALWEG count -q -k 31 --threads 2 reads.fq -o o.thk --histo o.txt";
    let ended = place.shell(count);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let expected = place.read("o.txt");
    for kibibytes in [150_000, 100_000, 60_000, 40_000] {
        place.shell("rm -f o.*");
        let ended = place.shell(&format!("ulimit -c 0; ulimit -v {kibibytes}; {count}"));
        match ended.code {
            Some(0) => assert!(place.read("o.txt") == expected),
            _ if kibibytes < 150_000 => {
                ended.expect_failure(2, &["memory"]);
                assert_eq!(place.names().len(), 1, "{:?}", place.names());
            }
            code => panic!("{code:?}: {}", ended.stderr),
        }
    }
}

/// The hard limit is below the number of files, which are plain, gzip and BGZF, one with an index.
#[test]
fn more_files_than_may_be_open_are_read_some_at_a_time() {
    let place = Place::new();
    let text = fastq(1500);
    let mut names = Vec::new();
    for number in 0..150 {
        let part = records(&text, 10 * number, 10 * number + 10);
        let name = format!("f{number:03}");
        match number % 3 {
            0 => place.write(&name, part),
            1 => place.write(&name, gzip(part)),
            _ => place.write(&name, bgzf(part)),
        };
        names.push(name);
    }
    place.ok(&["index", "-q", "f001"]);
    place.write("all.fq", &text);
    place.write("list", names.join("\n"));
    place.shell("ln -s \"$THALWEG\" jellyfish; ln -s \"$THALWEG\" kmc; ln -s \"$THALWEG\" kmc_dump; mkdir tmp");
    place.ok(&["count", "-q", "-k", "21", "all.fq", "-o", "all.thk"]);
    place.shell("$THALWEG kmers dump all.thk | sort >want");
    let want = place.read("want");
    for threads in ["1", "3"] {
        let limited = |script: &str| {
            let ended = place.shell(&format!("ulimit -n 40; T={threads}; {script}"));
            assert_eq!(ended.code, Some(0), "{script}: {}", ended.stderr);
            assert_eq!(ended.stderr, "", "{script}");
            ended.stdout
        };
        limited(
            "$THALWEG count -q -t $T -k 21 f??? -o x.thk && $THALWEG kmers dump x.thk | sort >got",
        );
        assert_eq!(place.read("got"), want);
        limited(
            "./jellyfish count -t $T -C -m 21 -s 1M f??? -o x.jf && $THALWEG kmers dump x.jf | sort >got",
        );
        assert_eq!(place.read("got"), want);
        let summary =
            limited("./kmc -t$T -k21 -ci1 @list x tmp && $THALWEG kmers dump x | sort >got");
        assert_eq!(place.read("got"), want);
        let summary = String::from_utf8_lossy(&summary).into_owned();
        let reads = summary
            .lines()
            .find(|line| line.contains("Total no. of reads"));
        assert!(
            reads.is_some_and(|line| line.ends_with(" 1500")),
            "{summary}"
        );
        assert_eq!(limited("$THALWEG cat -t $T f???"), text);
        let rows = limited("$THALWEG stats -t $T --tsv f???");
        assert_eq!(
            String::from_utf8(rows).unwrap().matches("\t10\t").count(),
            150
        );
        limited("$THALWEG verify -q -t $T f??? >/dev/null");
        limited("$THALWEG info -t $T f??? >/dev/null");
        // What is wrong with a file is told as with one alone.
        place.write("f140", "@r\nACGT\n+\nIII\n");
        let script = format!("ulimit -n 40; $THALWEG count -t {threads} -k 21 f??? -o bad.thk");
        place
            .shell(&script)
            .expect_failure(1, &["f140", "record 1"]);
        std::fs::remove_file(place.path("f140")).unwrap();
        let script = format!("ulimit -n 40; $THALWEG cat -t {threads} f0?? f140 f1??");
        let ended = place.shell(&script);
        ended.expect_failure(2, &["f140", "No such file"]);
        assert!(ended.stdout.is_empty());
        place.write("f140", gzip(records(&text, 1400, 1410)));
    }
}

/// A line that never ends is refused before it is held as a whole.
#[test]
fn a_line_at_fault_is_no_larger_than_the_limit_allows() {
    let place = Place::new();
    let mut text = b"@a\n".to_vec();
    text.resize(400 << 20, b'A');
    place.write("long.fq", text);
    for file in ["long.fq", "<(cat long.fq)"] {
        let script =
            format!("ulimit -v 450000; exec $THALWEG verify --faults --memory 100M -t 2 {file}");
        let ended = place.shell(&script);
        ended.expect_failure(2, &["the line at byte 3 ", "--memory"]);
    }
}
