//! Names of outputs that say another format than what would be written.

use crate::support::{Place, bgzf, fastq};

#[test]
fn names_of_other_formats_are_refused() {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    place.write("b.fq.gz", bgzf(&fastq(300)));
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.thk"]);
    for (command, names) in [
        (
            &["count", "-k21", "a.fq", "-o"][..],
            &[
                "x.csv",
                "x.json",
                "x.fq",
                "x.fastq.gz",
                "x.tht",
                "x.thw",
                "x.html",
            ][..],
        ),
        (
            &["qc", "a.fq", "-o"],
            &["x.fasta", "x.fa.gz", "x.csv", "x.tsv", "x.json", "x.thk"],
        ),
        (&["qc", "a.fq", "-o", "o.fq", "-j"], &["x.html", "x.fq"]),
        (
            &["cat", "a.fq", "-o"],
            &["x.fa", "x.fasta.zst", "x.csv", "x.json.gz", "x.thk"],
        ),
        (
            &["cat", "--records", "0..5", "a.fq", "-o"],
            &["x.fa", "x.csv"],
        ),
        (&["cat", "--fasta", "a.fq", "-o"], &["x.fq", "x.json"]),
        (
            &["kmers", "filter-reads", "a.thk", "a.fq", "-o"],
            &["x.fa", "x.csv", "x.thk"],
        ),
        (
            &["kmers", "dump", "a.thk", "-o"],
            &["x.csv", "x.fq", "x.jf", "x.json"],
        ),
        (&["kmers", "merge", "a.thk", "-o"], &["x.csv", "x.fq"]),
        (&["kmers", "histo", "a.thk", "-o"], &["x.json", "x.fq"]),
        (
            &["kmers", "query", "a.thk", "-s", "a.fq", "-o"],
            &["x.csv", "x.fa"],
        ),
        (&["index", "b.fq.gz", "-o"], &["x.mim", "x.gzi", "x.fq"]),
    ] {
        for name in names {
            place.fails(&[command, &[*name]].concat(), 2, &[name]);
        }
    }
}

#[test]
fn names_that_say_nothing_are_accepted() {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    let thk = |name: &str| place.read(name).starts_with(&place.read("a.thk")[..4]);
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.thk"]);
    for name in ["x", "x.dat", "x.db"] {
        place.ok(&["count", "-q", "-k21", "a.fq", "-o", name]);
        assert!(thk(name), "{name}");
        place.ok(&["qc", "--quiet", "a.fq", "-o", name]);
        place.ok(&["cat", "a.fq", "-o", name]);
        assert!(place.read(name) == fastq(300), "{name}");
    }
    // Who says a format has it, whatever the name.
    place.ok(&[
        "count", "-q", "-k21", "a.fq", "--format", "tsv", "-o", "x.csv",
    ]);
    assert!(place.read("x.csv").contains(&b'\t'));
    for name in ["/dev/null", "/dev/stdout", "-"] {
        let ended = place.ok(&["count", "-q", "-k21", "a.fq", "-o", name]);
        assert_eq!(ended.stdout.is_empty(), name == "/dev/null");
    }
    // Text that is no reads is copied under any name.
    place.write("t.csv", "a,b\n1,2\n");
    place.ok(&["cat", "t.csv", "-o", "u.csv"]);
    assert_eq!(place.read("u.csv"), place.read("t.csv"));
}

/// `script` of util-linux has a terminal for a command.
#[test]
fn a_database_is_not_written_to_a_terminal() {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    if place.shell("script -qec true /dev/null").code != Some(0) {
        eprintln!("SKIPPED: databases to a terminal: there is no script here");
        return;
    }
    let run = |words: &str| {
        place.shell(&format!(
            "script -qec \"$THALWEG count -q -k21 a.fq {words}\" /dev/null"
        ))
    };
    for words in ["-o -", "-o /dev/stdout", "--format jf -o -"] {
        let ended = run(words);
        assert_eq!(ended.code, Some(2), "{words}: {}", ended.text());
        assert!(ended.text().contains("is a terminal"), "{}", ended.text());
    }
    assert_eq!(run("--format tsv -o -").code, Some(0));
}
