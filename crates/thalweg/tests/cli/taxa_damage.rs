//! Databases of taxa that are damaged, or written to while they are used

use std::fs::File;
use std::io::Write;
use std::ops::Range;
use std::process::{Child, Stdio};

use crate::support::{Ended, Place};
use crate::taxa_world::{World, built, reads};

const DIRECTORY: usize = 6;
const RECORDS: usize = 7;

/// Bytes of a section, by its place in the table.
fn section(bytes: &[u8], entry: usize) -> Range<usize> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let at = 128 + 32 * entry;
    number(at + 8)..number(at + 8) + number(at + 16)
}

/// Few reads, so that the database is mapped, unless it is asked for otherwise.
fn with_few_reads() -> World {
    let world = built();
    world.place.write("few.fq", reads(&world, 60));
    world
}

#[test]
fn a_damaged_database_labels_nothing() {
    let world = with_few_reads();
    let place = &world.place;
    place.ok(&["classify", "ref.tht", "few.fq", "-o", "whole.tsv"]);
    let whole = place.read("ref.tht");
    let (directory, records) = (section(&whole, DIRECTORY), section(&whole, RECORDS));
    let mut zeroed = whole.clone();
    zeroed[directory].fill(0);
    place.write("directory.tht", zeroed);
    let mut zeroed = whole.clone();
    zeroed[records.clone()].fill(0);
    place.write("records.tht", zeroed);
    let mut swapped = whole.clone();
    for page in (records.start..records.end - 2 * 4096).step_by(2 * 4096) {
        let (one, other) = swapped[page..].split_at_mut(4096);
        one.swap_with_slice(&mut other[..4096]);
    }
    place.write("swapped.tht", swapped);
    for (name, section) in [
        ("directory.tht", "DIRC"),
        ("records.tht", "RECS"),
        ("swapped.tht", "RECS"),
    ] {
        let start = format!(
            "{name}: the database is damaged: section {section}: the checksum of the page at byte "
        );
        let words = [&start[..], "thalweg taxa verify"];
        let classify = ["classify", name, "few.fq", "-o", "x.tsv"];
        for more in [
            &[][..],
            &["--sweep"],
            &["--preload"],
            &["--rule", "lca", "-t3", "--report", "x.kreport"],
            &[
                "--presence",
                "x.presence",
                "--taxon",
                "12",
                "--taxon-out",
                "x.fq",
            ],
        ] {
            place.fails(&[&classify[..], more].concat(), 1, &words);
        }
        place.fails(&["taxa", "dump", name, "-o", "x.txt"], 1, &words);
        place.fails(&["taxa", "verify", name], 1, &words[..1]);
        let add = [
            "taxa",
            "add",
            name,
            "genomes/c.fasta",
            "--taxonomy",
            "taxdump",
        ];
        let taxa = ["--taxa", "taxa.tsv", "-o", "x.tht"];
        place.fails(&[&add[..], &taxa].concat(), 1, &words);
        place.fails(&["taxa", "merge", name, "-o", "x.tht"], 1, &words);
        // To the standard output no label goes either.
        let ended = place.run(&["classify", name, "few.fq"]);
        assert_eq!((ended.code, ended.text()), (Some(1), String::new()));
    }
}

#[test]
fn damage_is_no_other_label() {
    let world = with_few_reads();
    let place = &world.place;
    let classify = ["classify", "x.tht", "few.fq", "-q", "-o", "-"];
    let whole = place.read("ref.tht");
    place.write("x.tht", &whole);
    let labels = place.ok(&classify).stdout;
    let mut refused = 0;
    for step in 0..60 {
        let at = (whole.len() - 1) * step / 59;
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (step % 8);
        place.write("x.tht", bytes);
        let ended = place.run(&classify);
        match ended.code {
            Some(0) => assert!(ended.stdout == labels, "{at}"),
            code => assert!(
                code == Some(1) && ended.stdout.is_empty(),
                "{at}: {}",
                ended.stderr
            ),
        }
        refused += u32::from(ended.code == Some(1));
    }
    assert!(refused > 20, "{refused}");
}

/// A job that has opened the database, read some reads, and waits for more before it looks any up.
struct Waiting(Child);

impl Waiting {
    fn new(place: &Place, text: &[u8]) -> Self {
        let mut command = place.command(&["classify", "--sweep", "ref.tht", "-", "-o", "x.tsv"]);
        let piped = command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        // More than the pipe holds: when this is done, it reads.
        let stdin = child.stdin.as_mut().unwrap();
        stdin.write_all(text).unwrap();
        Self(child)
    }

    /// Ends its input, and waits for its end.
    fn end(mut self) -> Ended {
        drop(self.0.stdin.take());
        let output = self.0.wait_with_output().unwrap();
        Ended {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

#[test]
fn a_database_that_is_replaced_meanwhile_ends_the_job() {
    let world = built();
    let place = &world.place;
    let text = reads(&world, 3000);
    assert!(text.len() > 1 << 19);
    let whole = place.read("ref.tht");
    let records = section(&whole, RECORDS);
    // By other bytes, and by the same ones.
    let mut other = whole.clone();
    other[records].reverse();
    for (bytes, message) in [
        (&other, "ref.tht: the database is damaged: section RECS: "),
        (
            &whole,
            "ref.tht: the database changed while it was used: its time of change",
        ),
    ] {
        place.write("ref.tht", &whole);
        let waiting = Waiting::new(place, &text);
        let mut file = File::options()
            .write(true)
            .open(place.path("ref.tht"))
            .unwrap();
        file.write_all(bytes).unwrap();
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        file.set_modified(later).unwrap();
        let ended = waiting.end();
        ended.expect_failure(1, &[message]);
        assert!(!place.path("x.tsv").exists());
    }
    // A new file that took its name is another one.
    place.write("ref.tht", &whole);
    let waiting = Waiting::new(place, &text);
    place.write("other.tht", "no database");
    std::fs::rename(place.path("other.tht"), place.path("ref.tht")).unwrap();
    let ended = waiting.end();
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
#[cfg(target_os = "linux")]
fn a_database_that_is_truncated_meanwhile_ends_the_job() {
    let world = built();
    let place = &world.place;
    let waiting = Waiting::new(place, &reads(&world, 3000));
    let before = place.names();
    let file = File::options()
        .write(true)
        .open(place.path("ref.tht"))
        .unwrap();
    file.set_len(4096).unwrap();
    let ended = waiting.end();
    ended.expect_failure(2, &["ref.tht: could not be read: it was truncated"]);
    assert_eq!(place.names(), before);
}

#[test]
fn an_empty_database_has_no_bytes() {
    let world = with_few_reads();
    let place = &world.place;
    place.write("empty.tht", "");
    for command in [
        &["taxa", "info", "empty.tht"][..],
        &["taxa", "verify", "empty.tht"],
        &["classify", "empty.tht", "few.fq"],
    ] {
        let words = [
            "empty.tht: the database is damaged: it has 0 bytes",
            "build it again",
        ];
        let ended = place.fails(command, 1, &words);
        // Whoever runs it is not told to.
        let is_verify = command.contains(&"verify");
        assert_eq!(
            ended.stderr.contains("taxa verify"),
            !is_verify,
            "{}",
            ended.stderr
        );
    }
}
