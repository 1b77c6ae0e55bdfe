//! Standard input, named pipes, process substitution.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;

use crate::support::{Place, bgzf, ended, fastq, gzip};

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(text, 3).unwrap()
}

#[test]
fn the_standard_input_may_be_any_format() {
    let place = Place::new();
    let text = fastq(20_000);
    for input in [text.clone(), gzip(&text), bgzf(&text), zstd(&text)] {
        for threads in ["1", "3"] {
            let ended = place.feed(&["cat", "-t", threads, "-"], &input);
            assert_eq!((ended.code, &*ended.stderr), (Some(0), ""));
            assert!(ended.stdout == text);
            let ended = place.feed(&["stats", "--tsv", "-t", threads, "-"], &input);
            assert!(
                ended.text().contains("\n-\tFASTQ\t20000\t2000000\t"),
                "{}",
                ended.text()
            );
        }
    }
    assert_eq!(place.feed(&["cat", "-"], b"").code, Some(0));
}

#[test]
fn named_pipes_are_opened_once() {
    let place = Place::new();
    let text = fastq(20_000);
    let pipe = place.path("pipe");
    for input in [gzip(&text), text.clone()] {
        for command in ["cat", "stats"] {
            let _ = std::fs::remove_file(&pipe);
            assert!(
                Command::new("mkfifo")
                    .arg(&pipe)
                    .status()
                    .unwrap()
                    .success()
            );
            let writer = std::thread::spawn({
                let (pipe, input) = (pipe.clone(), input.clone());
                move || {
                    let mut pipe = OpenOptions::new().write(true).open(pipe).unwrap();
                    pipe.write_all(&input).unwrap();
                }
            });
            let ended = place.ok(&[command, "--index", "save", "pipe"]);
            writer.join().unwrap();
            assert!(command == "stats" || ended.stdout == text);
        }
    }
}

#[test]
fn process_substitution_works() {
    let place = Place::new();
    let (first, second) = (fastq(3000), fastq(3000));
    place.write("r1.gz", gzip(&first));
    place.write("r2.gz", gzip(&second));
    let ended = place.shell("$THALWEG stats --tsv --mates <(cat r1.gz) <(gzip -dc r2.gz)");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.text().matches("\tFASTQ\t3000\t300000\t").count(), 2);
}

#[test]
fn streams_cannot_be_shared_out() {
    let place = Place::new();
    for choice in ["--shard=1/2", "--parts=2"] {
        let ended = place.feed(&["cat", choice, "-"], &gzip(&fastq(100)));
        ended.expect_failure(2, &["-: "]);
    }
    let ended = place.feed(&["cat", "--index", "require", "-"], &gzip(&fastq(100)));
    ended.expect_failure(2, &["index"]);
}

#[test]
fn records_of_streams_are_those_of_these_ranks() {
    let place = Place::new();
    let text = fastq(2000);
    let ended = place.feed(&["cat", "--records", "10..20", "-"], &gzip(&text));
    assert!(ended.stdout == crate::support::records(&text, 10, 20));
}

/// A record with a fault, in a stream that has no end.
#[test]
fn a_fault_is_told_though_the_producer_goes_on() {
    let place = Place::new();
    let fault = "printf '@r\\nACGT\\n+\\nIII\\n'";
    let mut shell = Command::new("timeout");
    shell
        .args(["100", "sh", "-c"])
        .arg(format!("({fault}; exec yes) | gzip -1 | \"$0\" stats -"))
        .arg(env!("CARGO_BIN_EXE_thalweg"))
        .current_dir(place.path("."));
    // The qualities go on in the next line, as they may.
    let words = ["-: expected a header line", "record 2,"];
    ended(shell).expect_failure(1, &words);
}

/// The names of first records are looked at before mates are read: more of a file with a fault gives no more of them.
#[test]
fn a_writer_at_another_pipe_is_not_waited_for_after_a_fault() {
    let place = Place::new();
    let text = fastq(20_000);
    let pipes = ["r1", "r2"].map(|name| place.path(name));
    let made = Command::new("mkfifo").args(&pipes).status().unwrap();
    assert!(made.success());
    std::thread::scope(|scope| {
        let pipes = &pipes;
        scope.spawn(move || {
            let open = |path| OpenOptions::new().write(true).open(path).unwrap();
            let mut writers = pipes.each_ref().map(open);
            writers[0].write_all(b"@r\nACGT\n+\nIII\n").unwrap();
            writers[0].write_all(&text[..6000]).unwrap();
            // More than a pipe holds, while the other one stays open.
            let _ = writers[1].write_all(&text);
        });
        let words = ["r1: expected as many qualities as bases", "record 1,"];
        place.fails(&["stats", "--mates", "r1", "r2"], 1, &words);
    });
}

/// One writer fills pipes in turn: what is read on at one of them, it cannot write to the other.
#[test]
fn a_fault_in_one_of_several_pipes_is_told_at_once() {
    use flate2::{Compression, write::GzEncoder};
    let place = Place::new();
    let text = fastq(20_000);
    let pipes = ["r1", "r2"].map(|name| place.path(name));
    let made = Command::new("mkfifo").args(&pipes).status().unwrap();
    assert!(made.success());
    std::thread::scope(|scope| {
        let pipes = &pipes;
        scope.spawn(move || {
            let open = |path| OpenOptions::new().write(true).open(path).unwrap();
            let mut writers = pipes
                .each_ref()
                .map(|path| GzEncoder::new(open(path), Compression::fast()));
            let _ = writers[0].write_all(b"@r\nACGT\n+\nIII\n");
            for part in text.chunks(1000) {
                for writer in &mut writers {
                    if writer.write_all(part).is_err() {
                        return;
                    }
                }
            }
        });
        let words = ["r1: expected as many qualities as bases", "record 1,"];
        place.fails(&["stats", "--mates", "r1", "r2"], 1, &words);
    });
}
