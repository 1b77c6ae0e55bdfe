//! `--files-from`: names of inputs in a file.

use crate::support::{Place, fastq_with, gzip};

fn place() -> Place {
    let place = Place::new();
    for name in ["a.fq", "b c.fq", "d.fq"] {
        place.write(name, fastq_with(50, name));
    }
    place.write("e.fq.gz", gzip(&fastq_with(50, "e")));
    place.write("list", "b c.fq\r\n\nd.fq");
    place
}

#[test]
fn files_of_a_list_come_behind_those_that_are_named() {
    let place = place();
    let named = ["a.fq", "b c.fq", "d.fq"];
    for command in [
        &["cat", "-q"][..],
        &["stats", "--tsv"],
        &["info", "--json"],
        &["verify"],
    ] {
        let expected = place.run(&[command, &named].concat());
        let ended = place.run(&[command, &["a.fq", "--files-from", "list"]].concat());
        assert!(
            ended.stdout == expected.stdout,
            "{command:?}: {}",
            ended.stderr
        );
        assert_eq!(ended.code, expected.code);
        let listed = place.run(&[command, &named[1..]].concat());
        let ended = place.run(&[command, &["--files-from=list"]].concat());
        assert!(
            ended.stdout == listed.stdout,
            "{command:?}: {}",
            ended.stderr
        );
    }
    // Several lists, and one that find has written.
    place.write("nul", b"d.fq\0a.fq\0");
    let ended = place.ok(&["cat", "-q", "--files-from=list", "--files-from=nul"]);
    let expected = place.ok(&["cat", "-q", "b c.fq", "d.fq", "d.fq", "a.fq"]);
    assert!(ended.stdout == expected.stdout);
}

#[test]
fn counts_filters_and_indexes_take_lists() {
    let place = place();
    place.ok(&[
        "count",
        "-q",
        "-k21",
        "--files-from=list",
        "-o",
        "listed.thk",
    ]);
    place.ok(&["count", "-q", "-k21", "b c.fq", "d.fq", "-o", "named.thk"]);
    let dump = |name| place.ok(&["kmers", "dump", "-q", name]).stdout;
    assert!(dump("listed.thk") == dump("named.thk"));
    let filter = |files: &[&str]| {
        let filter = ["kmers", "filter-reads", "-q", "named.thk"];
        place.ok(&[&filter[..], files].concat()).stdout
    };
    assert!(filter(&["--files-from=list"]) == filter(&["b c.fq", "d.fq"]));
    place.write("gz", "e.fq.gz\n");
    place.ok(&["index", "-q", "--files-from=gz"]);
    assert!(place.path("e.fq.gz.thw").exists());
}

#[test]
fn the_standard_input_may_be_a_list() {
    let place = place();
    let ended = place.feed(&["cat", "-q", "--files-from=-"], b"a.fq\nd.fq\n");
    assert!(ended.stdout == place.ok(&["cat", "-q", "a.fq", "d.fq"]).stdout);
    let ended = place.feed(&["cat", "-q", "-", "--files-from=-"], b"a.fq\n");
    ended.expect_failure(2, &["standard input"]);
}

#[test]
fn lists_that_are_none_are_refused() {
    let place = place();
    place.write("empty", "\n\n");
    place.write("wrong", "a.fq\nmissing.fq\n");
    for (list, words) in [
        ("empty", &["empty: names no file"][..]),
        ("no-list", &["no-list: "]),
        ("wrong", &["missing.fq: "]),
    ] {
        for command in [&["cat"][..], &["count", "-k21", "-o", "x.thk"]] {
            place.fails(&[command, &["--files-from", list]].concat(), 2, words);
        }
    }
    assert!(!place.path("x.thk").exists());
    // Neither files nor a list.
    assert_eq!(place.run(&["cat"]).code, Some(2));
}
