//! Pipes of one writer, and pipes that nothing comes from.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use crate::support::{Ended, Place, bgzf, fastq_with, gzip};

/// Reads of one pipe: more than a pipe holds (64 KiB) many times, also compressed.
const COUNT: usize = 6000;

/// Bytes that a writer in step writes at a time, of any format: not as records begin.
const STEP: usize = 5000;

/// How one writer serves several pipes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Order {
    /// It opens all, and writes a little to each in turn.
    InStep,
    /// It opens one when it is done with the one before, the last one first.
    OneByOne,
}

/// Run the command while one writer serves these pipes with these contents.
fn serve(place: &Place, order: Order, pipes: &[(&str, Vec<u8>)], arguments: &[&str]) -> Ended {
    let paths: Vec<PathBuf> = pipes.iter().map(|(name, _)| place.path(name)).collect();
    for path in &paths {
        let _ = std::fs::remove_file(path);
        mkfifo(path, Mode::S_IRWXU).unwrap();
    }
    let texts: Vec<Vec<u8>> = pipes.iter().map(|(_, text)| text.clone()).collect();
    let writer = std::thread::spawn(move || {
        let open = |path: &PathBuf| OpenOptions::new().write(true).open(path).unwrap();
        // Where the command fails, nobody reads the rest.
        if order == Order::OneByOne {
            for (path, text) in paths.iter().zip(&texts).rev() {
                let _ = open(path).write_all(text);
            }
            return;
        }
        let mut files: Vec<_> = paths.iter().map(open).collect();
        let most = texts.iter().map(Vec::len).max().unwrap_or(0);
        for start in (0..most).step_by(STEP) {
            for (file, text) in files.iter_mut().zip(&texts) {
                let part = text.get(start..text.len().min(start + STEP));
                let _ = file.write_all(part.unwrap_or_default());
            }
        }
    });
    let ended = place.run(arguments);
    if ended.code == Some(0) {
        writer.join().unwrap();
    }
    ended
}

#[test]
fn where_order_does_not_matter_pipes_of_one_writer_are_read_as_data_come() {
    let place = Place::new();
    let texts = ["/1", "/2"].map(|end| fastq_with(COUNT, end));
    place.write("1.fq", &texts[0]);
    place.write("2.fq", &texts[1]);
    place.ok(&["count", "-q", "-k", "21", "1.fq", "2.fq", "-o", "x.thk"]);
    let want = place.ok(&["kmers", "stats", "x.thk"]).stdout;
    let rows = place.ok(&["stats", "--tsv", "1.fq", "2.fq"]).text();
    let rows = rows.replace("1.fq", "p1").replace("2.fq", "p2");
    type Compress = fn(&[u8]) -> Vec<u8>;
    let formats: [Compress; 4] = [<[u8]>::to_vec, gzip, bgzf, |text| {
        zstd::encode_all(text, 1).unwrap()
    }];
    for order in [Order::InStep, Order::OneByOne] {
        for (format, threads) in formats.iter().zip(["1", "2", "4", "1"]) {
            std::fs::remove_file(place.path("x.thk")).unwrap();
            let pipes = [("p1", format(&texts[0])), ("p2", format(&texts[1]))];
            let count = [
                "count", "-q", "-t", threads, "-k", "21", "p1", "p2", "-o", "x.thk",
            ];
            let ended = serve(&place, order, &pipes, &count);
            assert_eq!(ended.code, Some(0), "{order:?}: {}", ended.stderr);
            assert_eq!(place.ok(&["kmers", "stats", "x.thk"]).stdout, want);
            let stats = ["stats", "-t", threads, "--tsv", "p1", "p2"];
            let ended = serve(&place, order, &pipes, &stats);
            assert_eq!(ended.code, Some(0), "{order:?}: {}", ended.stderr);
            assert_eq!(ended.text(), rows, "{order:?}");
        }
    }
}

#[test]
fn files_among_pipes_keep_their_rows_and_formats() {
    let place = Place::new();
    let text = fastq_with(COUNT, "");
    place.write("a.fq", &text[..0]);
    place.write("b.fa", ">x\nACGT\n");
    let fasta = format!(">long\n{}\n", "ACGTTGCA".repeat(60_000)).into_bytes();
    let pipes = [
        ("p1", gzip(&fasta)),
        ("p2", text.clone()),
        ("p3", Vec::new()),
    ];
    for order in [Order::InStep, Order::OneByOne] {
        for threads in ["1", "3"] {
            let files = ["a.fq", "p1", "b.fa", "p2", "p3"];
            let stats = [&["stats", "-t", threads, "--tsv"], &files[..]].concat();
            let ended = serve(&place, order, &pipes, &stats);
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
            let rows = ended.text();
            let cells: Vec<Vec<&str>> = rows
                .lines()
                .skip(1)
                .map(|row| row.split('\t').collect())
                .collect();
            let of = |column: usize| cells.iter().map(|row| row[column]).collect::<Vec<_>>();
            assert_eq!(of(0), files);
            assert_eq!(of(1), ["FASTQ", "FASTA", "FASTA", "FASTQ", "FASTQ"]);
            assert_eq!(of(2), ["0", "1", "1", "6000", "0"]);
            assert_eq!(of(3), ["0", "480000", "4", "600000", "0"]);
        }
    }
}

#[test]
fn faults_of_pipes_are_told() {
    let place = Place::new();
    let text = fastq_with(COUNT, "");
    let mut bad = text.clone();
    bad.extend_from_slice(b"@bad\nACGT\n+\nII\n");
    for order in [Order::InStep, Order::OneByOne] {
        for threads in ["1", "3"] {
            for (bad, words) in [
                (bad.clone(), ["p2", "record 6001"]),
                (gzip(&text)[..100_000].to_vec(), ["p2", "end too early"]),
                (b"no sequence".to_vec(), ["p2", "'@' or '>'"]),
            ] {
                let pipes = [("p1", text.clone()), ("p2", bad)];
                for arguments in [
                    &["stats", "-t", threads, "p1", "p2"][..],
                    &[
                        "count", "-t", threads, "-k", "21", "p1", "p2", "-o", "x.thk",
                    ],
                ] {
                    let ended = serve(&place, order, &pipes, arguments);
                    ended.expect_failure(1, &words);
                    assert!(!place.names().contains("x.thk"));
                }
            }
        }
    }
}

/// What a run says before it is ended after `seconds`.
fn said(place: &Place, seconds: u64, script: &str) -> String {
    let start = Instant::now();
    let ended = place.shell(&format!("T=\"timeout {seconds} $THALWEG\"; {script}"));
    assert!(start.elapsed() < Duration::from_secs(seconds + 20));
    ended.stderr
}

#[test]
fn a_pipe_that_nothing_comes_from_is_told() {
    let place = Place::new();
    place.write("a.fq", fastq_with(100, ""));
    place.shell("mkfifo p1 p2");
    let waits = |name: &str| format!("thalweg: waiting for data from {name}:");
    std::thread::scope(|scope| {
        let check = |script: &'static str, name: &'static str, times: usize| {
            scope.spawn({
                let place = &place;
                let waits = waits(name);
                move || {
                    let stderr = said(place, 9, script);
                    assert_eq!(stderr.matches(&waits).count(), times, "{script}: {stderr}");
                    assert_eq!(
                        stderr.matches("waiting").count(),
                        times,
                        "{script}: {stderr}"
                    );
                }
            });
        };
        // No writer, of one pipe and of two; with -q, nothing is said.
        check("mkfifo a; $T stats a", "a", 1);
        check("mkfifo b; $T cat b a.fq", "b", 1);
        check("mkfifo c; $T count -k 5 c <(cat a.fq) -o c.thk", "c", 1);
        check("mkfifo d; $T stats -q d", "d", 0);
        // One of two is never written to, though it is open.
        check(
            "mkfifo e f; (exec 3>e 4>f; cat a.fq >&3; sleep 20) >/dev/null 2>&1 & $T cat --mates e f; kill $!",
            "f",
            1,
        );
        check(
            "mkfifo g h; (exec 3>g 4>h; cat a.fq >&3; sleep 20) >/dev/null 2>&1 & $T qc --no_report g h -o o1 -O o2; kill $!",
            "h",
            1,
        );
        // Who reads one stream alone may have a slow writer.
        check("sleep 7 | $T stats -", "the standard input", 0);
        check("$T stats <(sleep 7)", "/dev", 0);
    });
}
