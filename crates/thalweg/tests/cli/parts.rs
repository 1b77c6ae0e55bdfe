//! `thalweg cat --parts`, as files and as named pipes.

use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Place, bgzf, fastq, fastq_with, gzip};

fn place_with_index(text: &[u8]) -> Place {
    let place = Place::new();
    place.write("a.fq.gz", gzip(text));
    place.ok(&["index", "-q", "--span", "200k", "a.fq.gz"]);
    place
}

#[test]
fn parts_together_are_the_file() {
    let text = fastq(20_000);
    let place = place_with_index(&text);
    place.write("b.fq", &text);
    place.write("c.fq.gz", bgzf(&text));
    for input in ["a.fq.gz", "b.fq", "c.fq.gz"] {
        place.ok(&["cat", "--parts", "4", "-o", "part_", input]);
        let names = (1..=4).map(|number| format!("part_{number:03}.fastq"));
        let parts: Vec<Vec<u8>> = names.map(|name| place.read(&name)).collect();
        assert!(parts.concat() == text, "{input}");
        // As many reads in each.
        assert!(
            parts
                .iter()
                .all(|part| part.split(|&byte| byte == b'\n').count() == 20_001)
        );
    }
    place.ok(&["cat", "--parts", "2", "-o", "x{}y", "a.fq.gz"]);
    place.ok(
        &["cat", "--parts", "1000", "-o", "many/m_", "b.fq"].map(|argument| {
            std::fs::create_dir_all(place.path("many")).unwrap();
            argument
        }),
    );
    assert!(place.path("x002y").exists());
    assert!(place.path("many/m_1000.fastq").exists());
    place.fails(
        &["cat", "--parts", "2", "-o", "-", "b.fq"],
        2,
        &["standard output"],
    );
    place.fails(
        &["cat", "--parts", "2", "-o", "none/x", "b.fq"],
        2,
        &["none/x001.fastq"],
    );
    assert_eq!(place.run(&["cat", "--pipes", "b.fq"]).code, Some(2));
}

#[test]
fn pipes_are_written_at_the_same_time() {
    let text = fastq(20_000);
    let place = place_with_index(&text);
    let arguments = ["cat", "--parts", "3", "--pipes", "-o", "pipe_{}", "a.fq.gz"];
    let child = place
        .command(&arguments)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let names = ["pipe_001", "pipe_002", "pipe_003"];
    wait_for(&place, &names);
    // A reader that wants them in the opposite order, each to its end.
    let mut open: Vec<File> = names
        .iter()
        .rev()
        .map(|name| File::open(place.path(name)).unwrap())
        .collect();
    let mut parts = Vec::new();
    for pipe in &mut open {
        let mut part = Vec::new();
        pipe.read_to_end(&mut part).unwrap();
        parts.insert(0, part);
    }
    assert!(parts.concat() == text);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(place.names().len(), 2);
}

#[test]
fn pipes_that_exist_are_used_and_stay() {
    let text = fastq(100);
    let place = place_with_index(&text);
    assert!(
        Command::new("mkfifo")
            .arg(place.path("p001"))
            .status()
            .unwrap()
            .success()
    );
    let mut child = place
        .command(&["cat", "--parts", "1", "--pipes", "-o", "p{}", "a.fq.gz"])
        .spawn()
        .unwrap();
    assert!(std::fs::read(place.path("p001")).unwrap() == text);
    assert!(child.wait().unwrap().success());
    assert!(place.path("p001").exists());
    // But nothing else is.
    std::fs::remove_file(place.path("p001")).unwrap();
    place.write("p001", "precious");
    place.fails(
        &["cat", "--parts", "1", "--pipes", "-o", "p{}", "a.fq.gz"],
        2,
        &["p001", "exists"],
    );
}

#[test]
fn a_pipe_needs_a_thread() {
    let place = place_with_index(&fastq(100));
    let arguments = ["cat", "--parts", "3", "--pipes", "-t", "2", "a.fq.gz"];
    place.fails(&arguments, 2, &["3 threads"]);
}

/// The other parts are written, but nobody can take this one for read.
#[test]
fn a_reader_that_leaves_its_part_is_told() {
    let text = fastq(60_000);
    let place = Place::new();
    place.write("a.fq", &text);
    let child = place
        .command(&["cat", "--parts", "2", "--pipes", "-o", "p{}", "a.fq"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&place, &["p001", "p002"]);
    let mut start = [0; 100];
    let mut left = File::open(place.path("p001")).unwrap();
    left.read_exact(&mut start).unwrap();
    drop(left);
    let rest = std::fs::read(place.path("p002")).unwrap();
    assert!(text.starts_with(&start) && text.ends_with(&rest) && rest.len() > text.len() / 3);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("p001: the pipe was closed"), "{told}");
    assert!(!told.contains("p002: nobody"), "{told}");
}

/// Of mates, and of pairs in one file, shards need indexes.
#[test]
fn shards_of_pairs_without_an_index_are_refused_for_what_they_are() {
    let place = place_with_index(&fastq(1000));
    place.write("a.fq", fastq(1000));
    place.write("b.fq", fastq(1000));
    let words = ["a.fq: ", "mates or interleaved reads", "indexed gzip"];
    for which in [
        &["--shard", "1/2"][..],
        &["--parts", "2", "--pipes", "-o", "p"],
    ] {
        for files in [
            &["--mates", "a.fq", "b.fq"][..],
            &["--mates", "a.fq", "a.fq.gz"],
            &["--interleaved", "a.fq"],
        ] {
            place.fails(&[&["cat"], which, files].concat(), 2, &words);
        }
    }
    let ignored = ["cat", "--index", "never", "--shard", "1/2", "a.fq.gz"];
    place.fails(&ignored, 2, &["no index", "--index never ignores"]);
}

#[test]
fn a_fault_in_one_pipe_ends_all() {
    let mut text = fastq(60_000);
    let place = Place::new();
    // In the last third; the other pipes have no reader.
    let at = text.len() - 5000;
    let line = at + text[at..].iter().position(|&byte| byte == b'\n').unwrap();
    text.remove(line);
    place.write("a.fq", &text);
    let child = place
        .command(&["cat", "--parts", "2", "--pipes", "a.fq"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for(&place, &["part_001.fastq", "part_002.fastq"]);
    let _ = std::fs::read(place.path("part_002.fastq")).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("a.fq"));
    assert_eq!(place.names(), ["a.fq".to_owned()].into());
}

/// Without an index all reads are counted first, which would find what is wrong with them.
#[test]
fn that_there_is_no_place_for_parts_is_seen_before_reads_are_counted() {
    let place = Place::new();
    place.write("cut.fq", [&fastq(1000)[..], b"@cut\nAC"].concat());
    place.fails(&["cat", "--parts", "2", "cut.fq"], 1, &["cut.fq"]);
    std::fs::create_dir(place.path("d_001.fq")).unwrap();
    let before = place.names();
    for (pattern, first) in [("none/{}.fq", "none/001.fq"), ("d_{}.fq", "d_001.fq")] {
        place.fails(
            &["cat", "--parts", "2", "cut.fq", "-o", pattern],
            2,
            &[first],
        );
    }
    assert_eq!(place.names(), before);
}

#[test]
fn mates_stay_together_in_parts() {
    let place = Place::new();
    for mate in ["1", "2"] {
        let name = format!("r{mate}.fq.gz");
        place.write(&name, gzip(&fastq_with(3000, &format!("/{mate}"))));
        place.ok(&["index", "-q", "--span", "100k", &name]);
    }
    let whole = place.ok(&["cat", "--mates", "r1.fq.gz", "r2.fq.gz"]).stdout;
    place.ok(&[
        "cat", "--mates", "--parts", "2", "r1.fq.gz", "r2.fq.gz", "-o", "part_",
    ]);
    assert!([place.read("part_001.fastq"), place.read("part_002.fastq")].concat() == whole);
}

fn wait_for(place: &Place, names: &[&str]) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !names.iter().all(|name| place.path(name).exists()) {
        assert!(Instant::now() < deadline, "{:?}", place.names());
        std::thread::sleep(Duration::from_millis(10));
    }
}
