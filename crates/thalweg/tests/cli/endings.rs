//! Names of outputs that say another format than that of the output.

use crate::support::{Place, bgzf, fastq};
use crate::taxa_world::{built, reads};

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
            &["count", "-k21", "a.fq", "--histo"],
            &["x.csv", "x.json", "x.fq", "x.thk", "x.html"],
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
fn names_of_other_formats_are_refused_by_classify() {
    let world = built();
    let place = &world.place;
    place.write("a.fq", reads(&world, 10));
    place.write("a.fa", ">a\nACGT\n");
    place.write("sheet.tsv", "one\ta.fq\n");
    let database = |words: &[&'static str]| [&["classify", "-q", "ref.tht"], words].concat();
    let with_reads = |words: &[&'static str]| database(&[&["a.fq"], words].concat());
    let to_labels = |words: &[&'static str]| with_reads(&[&["-o", "l.tsv"], words].concat());
    let not_fastq = &["x.csv", "x.json", "x.fa", "x.fasta.gz", "x.thk"][..];
    let not_text = &["x.csv", "x.fq", "x.json", "x.html"][..];
    let names_of_mates = &["x#.csv", "x#.fa"][..];
    for (command, names) in [
        (to_labels(&["--classified-out"]), not_fastq),
        (to_labels(&["--unclassified-out"]), not_fastq),
        (
            to_labels(&["--interleaved", "--unclassified-out"]),
            names_of_mates,
        ),
        (to_labels(&["--taxon", "11", "--taxon-out"]), not_fastq),
        (to_labels(&["--taxon", "11", "--other-out"]), not_fastq),
        (to_labels(&["--report"]), not_text),
        (to_labels(&["--presence"]), not_text),
        (to_labels(&["--krona"]), not_text),
        (to_labels(&["--cami-profile"]), not_text),
        (to_labels(&["--cami-binning"]), not_text),
        (to_labels(&["--html"]), &["x.json", "x.tsv"]),
        (with_reads(&["-o"]), not_text),
        (
            database(&["a.fa", "-o", "l.tsv", "--unclassified-out"]),
            &["x.fq", "x.csv"],
        ),
        (vec!["taxa", "dump", "ref.tht", "-o"], not_text),
    ] {
        for name in names {
            place.fails(&[&command[..], &[*name]].concat(), 2, &[name]);
        }
    }
    // Before any sample is labelled, as far as that can be known.
    let sheet = database(&[
        "--samples",
        "sheet.tsv",
        "--out-dir",
        "out",
        "--unclassified-out",
    ]);
    place.fails(&[&sheet[..], &["u.csv"]].concat(), 2, &["one.u.csv"]);
    let ended = place.run(&[&sheet[..], &["u.fa"]].concat());
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("one.u.fa"), "{}", ended.stderr);
    assert!(!place.path("out/one.u.fa").exists());
    for name in ["x.fq", "x.fastq.gz", "x.txt", "x.dat", "x", "/dev/null"] {
        place.ok(&[&to_labels(&["--unclassified-out"])[..], &[name]].concat());
    }
    // kraken2 writes what it has under any name.
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_thalweg"), place.path("kraken2")).unwrap();
    let line = "./kraken2 --db ref.tht a.fq --output l.csv --report r.json --unclassified-out u.fa --classified-out c.csv";
    let ended = place.shell(line);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for name in ["u.fa", "c.csv"] {
        assert!(place.read(name).starts_with(b"@"), "{name}");
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
    let device = run("-o /dev/tty");
    let told = "/dev/tty is a terminal, and the output is binary";
    assert_eq!(device.code, Some(2), "{}", device.text());
    assert!(device.text().contains(told), "{}", device.text());
    assert_eq!(run("--format tsv -o -").code, Some(0));
}

#[test]
fn compressed_reads_are_not_written_to_a_terminal() {
    let place = Place::new();
    place.write("a.fq", fastq(3));
    if place.shell("script -qec true /dev/null").code != Some(0) {
        eprintln!("SKIPPED: compressed reads to a terminal: there is no script here");
        return;
    }
    let run = |words: &str| {
        place.shell(&format!(
            "script -qec \"$THALWEG qc a.fq --quiet --no_report {words}\" /dev/null"
        ))
    };
    for words in [
        "-o - --output_format gzip",
        "--stdout --output_format zstd",
        "-o /dev/stdout --output_format bgzf",
        "-o /dev/tty --output_format bgzf",
        "-o o.fq --failed_out - --output_format gzip",
    ] {
        let ended = run(words);
        assert_eq!(ended.code, Some(2), "{words}: {}", ended.text());
        let told = "is a terminal, and the output is binary";
        assert!(ended.text().contains(told), "{words}: {}", ended.text());
        assert!(ended.text().contains("--output_format"), "{}", ended.text());
        assert!(!place.path("o.fq").exists());
    }
    for words in ["-o -", "-o - --output_format plain", "--stdout | cat"] {
        let ended = run(words);
        assert_eq!(ended.code, Some(0), "{words}: {}", ended.text());
    }
    let piped = place.ok(&[
        "qc",
        "a.fq",
        "--quiet",
        "--no_report",
        "-o",
        "-",
        "--output_format",
        "gzip",
    ]);
    assert!(piped.stdout.starts_with(b"\x1f\x8b"));
}
