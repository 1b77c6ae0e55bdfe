//! `thalweg classify --samples`

use crate::support::{Place, gzip, names_in};
use crate::taxa_world::{World, built, reads};

/// A sample of single reads, one of pairs, and their labels and reports each by itself, in the directory `one`.
fn with_samples() -> World {
    let world = built();
    let place = &world.place;
    let text = reads(&world, 600);
    place.write("a.fq.gz", gzip(&text));
    place.write("b1.fq", &text);
    place.write("b2.fq", &text);
    std::fs::create_dir(place.path("one")).unwrap();
    for (sample, files) in [("a", &["a.fq.gz"][..]), ("b", &["b1.fq", "b2.fq"])] {
        let labels = format!("one/{sample}.labels.tsv");
        let report = format!("one/{sample}.kreport");
        let outputs = ["-o", &labels, "--report", &report, "-q"];
        place.ok(&[&["classify", "ref.tht"], files, &outputs].concat());
    }
    world
}

fn same(place: &Place, names: &[&str]) {
    for name in names {
        let [one, all] = ["one", "all"].map(|folder| place.read(&format!("{folder}/{name}")));
        assert!(one == all, "{name}");
    }
}

#[test]
fn samples_are_labelled_as_each_by_itself() {
    let world = with_samples();
    let place = &world.place;
    place.write(
        "sheet.tsv",
        "sample\tfile1\tfile2\n# a comment\na\ta.fq.gz\nb\tb1.fq\tb2.fq\n",
    );
    let run = ["classify", "ref.tht", "--samples", "sheet.tsv", "--out-dir"];
    let ended = place.ok(&[&run[..], &["all"]].concat());
    assert!(ended.stdout.is_empty());
    assert!(ended.stderr.contains("sample b"), "{}", ended.stderr);
    let four = ["a.labels.tsv", "a.kreport", "b.labels.tsv", "b.kreport"];
    assert_eq!(names_in(&place.path("all")), four.map(str::to_owned).into());
    same(place, &four);
    let outputs = [
        "deep/er",
        "-q",
        "--compress",
        "gz",
        "--taxon",
        "12",
        "--other-out",
        "clean.fq.zst",
        "--preload",
    ];
    let ended = place.ok(&[&run[..], &outputs].concat());
    assert_eq!(ended.stderr, "");
    for sample in ["a", "b"] {
        let labels = format!("deep/er/{sample}.labels.tsv.gz");
        let labels = place.ok(&["cat", "-q", &labels]).stdout;
        assert!(labels == place.read(&format!("one/{sample}.labels.tsv")));
        let reads = format!("deep/er/{sample}.clean.fq.zst");
        assert!(!place.ok(&["cat", "-q", &reads]).stdout.is_empty());
    }
}

#[test]
fn a_sample_that_fails_stops_no_other() {
    let world = with_samples();
    let place = &world.place;
    let whole = place.read("a.fq.gz");
    place.write("cut.fq.gz", &whole[..whole.len() / 2]);
    place.write("sheet.tsv", "cut\tcut.fq.gz\na\ta.fq.gz\nb\tb1.fq\tb2.fq\n");
    let run = [
        "classify",
        "-q",
        "ref.tht",
        "--out-dir",
        "all",
        "--samples",
        "sheet.tsv",
    ];
    let ended = place.run(&run);
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    for words in [
        "cut.fq.gz",
        "sample cut: failed",
        "1 of 3 samples failed: cut",
    ] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    let four = ["a.labels.tsv", "a.kreport", "b.labels.tsv", "b.kreport"];
    assert_eq!(names_in(&place.path("all")), four.map(str::to_owned).into());
    same(place, &four);
    // The worst decides.
    place.write(
        "sheet.tsv",
        "gone\tgone.fq\nb\tb1.fq\tb2.fq\ncut\tcut.fq.gz\n",
    );
    let ended = place.run(&run);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("2 of 3 samples failed: gone, cut"),
        "{}",
        ended.stderr
    );
}

/// Pairs have two files each, and single reads one; the page tells who failed.
#[test]
fn pairs_and_single_reads_are_in_one_sheet() {
    let world = with_samples();
    let place = &world.place;
    place.write(
        "sheet.tsv",
        "name\tread1\tread2\na\ta.fq.gz\nb#\tb1.fq\tb2.fq\ngone\tgone.fq\n",
    );
    let run = [
        "classify",
        "-q",
        "ref.tht",
        "--samples",
        "sheet.tsv",
        "--out-dir",
        "out#1",
        "--taxon=12",
        "--other-out=clean_#.fq",
        "--classified-out=c#.fq",
        "--html=page.html",
    ];
    let ended = place.run(&run);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("1 of 3 samples failed: gone"),
        "{}",
        ended.stderr
    );
    let names = [
        "a.c.fq",
        "a.clean.fq",
        "a.kreport",
        "a.labels.tsv",
        "b#.c_1.fq",
        "b#.c_2.fq",
        "b#.clean_1.fq",
        "b#.clean_2.fq",
        "b#.kreport",
        "b#.labels.tsv",
    ];
    assert_eq!(
        names_in(&place.path("out#1")),
        names.map(str::to_owned).into()
    );
    assert!(place.read("out#1/a.clean.fq") == place.read("out#1/b#.clean_1.fq"));
    let page = String::from_utf8(place.read("page.html")).unwrap();
    assert!(page.contains("as they failed: 1 of 3 samples: gone"));
}

#[test]
fn sheets_and_names_that_cannot_be_are_refused() {
    let world = with_samples();
    let place = &world.place;
    let fails = |sheet: &str, more: &[&str], words: &[&str]| {
        place.write("sheet.tsv", sheet);
        let run = [
            "classify",
            "ref.tht",
            "--samples",
            "sheet.tsv",
            "--out-dir",
            "all",
        ];
        place.fails(&[&run[..], more].concat(), 2, words);
    };
    fails(
        "a\ta.fq.gz\na\tb1.fq\n",
        &[],
        &["sheet.tsv: line 2", "duplicate"],
    );
    fails("../a\ta.fq.gz\n", &[], &["sheet.tsv: line 1", "slash"]);
    fails("#\n", &[], &["no sample"]);
    fails("a\ta.fq.gz\tb1.fq\tb2.fq\n", &[], &["found 4"]);
    fails("b\tb1.fq\tb2.fq\n", &["--interleaved"], &["b: two files"]);
    let out = ["--unclassified-out", "x/u.fq"];
    fails("a\ta.fq.gz\n", &out, &["--unclassified-out", "directory"]);
    // a.b.kreport is also what the sample a.b has.
    let out = ["--unclassified-out", "b.kreport"];
    fails(
        "a\ta.fq.gz\na.b\tb1.fq\n",
        &out,
        &["a.b.kreport", "same file"],
    );
    let conflicts = ["-o", "x.tsv"];
    let run = [
        "classify",
        "ref.tht",
        "--samples",
        "sheet.tsv",
        "--out-dir",
        "all",
    ];
    assert_eq!(place.run(&[&run[..], &conflicts].concat()).code, Some(2));
    assert_eq!(place.run(&run[..4]).code, Some(2));
    assert!(!place.path("all").exists());
}
