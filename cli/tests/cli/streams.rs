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
    let mut shell = Command::new("bash");
    shell
        .current_dir(place.path("."))
        .env("THALWEG", env!("CARGO_BIN_EXE_thalweg"))
        .args([
            "-c",
            "$THALWEG stats --tsv --mates <(cat r1.gz) <(gzip -dc r2.gz)",
        ]);
    let ended = ended(shell);
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
