//! Names of files that hold control characters, in what is printed.

use serde_json::Value;

use crate::support::{Place, fastq};
use crate::taxa_world::built;

/// What moves the cursor, what breaks columns, and what breaks lines.
const BEFORE: &str = "\x1b[2J\u{9b}a\tb\nc\rd";
const SHOWN: &str = r"\x1b[2J\x9ba\x09b\x0ac\x0dd";

fn name(ending: &str) -> String {
    format!("{BEFORE}{ending}")
}

/// So many lines of text that names the file once in each of `named` lines.
fn check(place: &Place, words: &[&str], lines: usize, named: usize) {
    let text = place.run(words).text();
    let is_raw = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    assert!(!text.contains(is_raw), "{words:?}: {text:?}");
    assert_eq!(text.lines().count(), lines, "{words:?}: {text:?}");
    let found = text.lines().filter(|line| line.contains(SHOWN)).count();
    assert_eq!(found, named, "{words:?}: {text:?}");
}

#[test]
fn tables_have_a_line_for_each_file() {
    let place = Place::new();
    let reads = &*name(".fq");
    place.write(reads, fastq(3));
    for layout in [&["--tsv"][..], &[], &["--seqkit"], &["--seqkit=all"]] {
        check(&place, &[&["stats"], layout, &[reads]].concat(), 2, 1);
    }
    let tsv = place.ok(&["stats", "--tsv", reads]).text();
    let columns: Vec<usize> = tsv.lines().map(|line| line.split('\t').count()).collect();
    assert_eq!(columns[0], columns[1]);
    check(&place, &["info", reads], 7, 1);
    check(&place, &["verify", reads], 1, 1);
    check(&place, &["verify", "--faults", reads], 1, 1);
    // To other programs a name is what it is.
    for words in [
        &["stats", "--json", reads][..],
        &["verify", "--json", reads],
    ] {
        let json: Value = serde_json::from_str(&place.ok(words).text()).unwrap();
        assert_eq!(json["files"][0]["file"], reads);
    }
    // A fault of a record, whose name is no better.
    place.write(reads, "@r\x1b[31m\nACGT\n+\nIIII\n@r\x1b[31m\nAC\n+\nII\n");
    check(&place, &["verify", "--faults", reads], 2, 2);
}

#[test]
fn tables_of_fastqc_are_whole() {
    let place = Place::new();
    let reads = &*name(".fq");
    place.write(reads, fastq(3));
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("fastqc")).unwrap();
    std::fs::create_dir(place.path("out")).unwrap();
    let ended = place.shell("./fastqc --extract -o out ./*.fq");
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.text().contains(SHOWN), "{}", ended.text());
    let folder = std::fs::read_dir(place.path("out")).unwrap();
    let mut folders = folder.map(|entry| entry.unwrap().path());
    let folder = folders.find(|path| path.is_dir()).unwrap();
    for (file, columns) in [("summary.txt", 3), ("fastqc_data.txt", 2)] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let is_raw = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
        assert!(!text.contains(is_raw), "{file}");
        let line = text.lines().find(|line| line.contains(".fq")).unwrap();
        assert_eq!(line.split('\t').count(), columns, "{line}");
    }
}

#[test]
fn databases_of_any_name_are_described_in_as_many_lines() {
    let place = Place::new();
    place.write(&name(".fq"), fastq(30));
    place.write("a.fq", fastq(30));
    let (reads, database) = (&*name(".fq"), &*name(".thk"));
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.thk"]);
    place.ok(&["count", "-q", "-k21", reads, "-o", database]);
    let lines = |job: &str| place.ok(&["kmers", job, "a.thk"]).text().lines().count();
    // The command that made it is told, too.
    check(&place, &["kmers", "info", database], lines("info"), 2);
    check(&place, &["kmers", "stats", database], lines("stats"), 1);
    check(&place, &["kmers", "verify", database], 1, 1);
}

#[test]
fn databases_of_taxa_likewise() {
    let place = &built().place;
    let database = &*name(".tht");
    std::fs::copy(place.path("ref.tht"), place.path(database)).unwrap();
    let lines = place
        .ok(&["taxa", "info", "ref.tht"])
        .text()
        .lines()
        .count();
    check(place, &["taxa", "info", database], lines, 1);
    check(place, &["taxa", "verify", database], 1, 1);
}
