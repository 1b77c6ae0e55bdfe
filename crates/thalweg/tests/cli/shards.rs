//! `--shard` of several files.

use crate::support::{Place, bgzf, fastq_with, gzip};

/// Files of all kinds: cut by size, by an index, or not at all; the third lacks its last line end, and one is empty.
const FILES: [&str; 7] = [
    "plain.fq",
    "indexed.fq.gz",
    "open.fq",
    "whole.fq.gz",
    "empty.fq",
    "blocks.fq.gz",
    "none.fq.gz",
];

fn place() -> Place {
    let place = Place::new();
    place.write("plain.fq", fastq_with(3000, "a"));
    place.write("indexed.fq.gz", gzip(&fastq_with(9000, "b")));
    place.ok(&["index", "-q", "--span", "100k", "indexed.fq.gz"]);
    let mut open = fastq_with(1000, "c");
    open.pop();
    place.write("open.fq", open);
    place.write("whole.fq.gz", gzip(&fastq_with(2000, "d")));
    place.write("empty.fq", "");
    place.write("blocks.fq.gz", bgzf(&fastq_with(5000, "e")));
    place.write("none.fq.gz", gzip(b""));
    place.write(
        "wrapped.fa",
        ">1\nACGTTGCA\nACGATTAC\n>2\nACC\n".repeat(2000),
    );
    place
}

#[test]
fn shards_of_several_files_are_all_of_them_in_order() {
    let place = place();
    let pair = ["open.fq", "whole.fq.gz"];
    let fasta = ["wrapped.fa", "wrapped.fa"];
    for files in [&FILES[..], &pair, &fasta] {
        let all = place.ok(&[&["cat", "-q"][..], files].concat()).stdout;
        for of in [1, 2, 3, 7, 50] {
            let mut together = Vec::new();
            for number in 1..=of {
                let shard = format!("--shard={number}/{of}");
                together.extend(
                    place
                        .ok(&[&["cat", "-q", &shard][..], files].concat())
                        .stdout,
                );
            }
            assert!(together == all, "{of} shards of {files:?}");
        }
    }
}

/// A shard opens what it has something of: with two of 120 files at a time it needs no others.
#[test]
fn shards_of_more_files_than_may_be_open_are_all_of_them() {
    let place = Place::new();
    let mut names = Vec::new();
    for number in 0..120 {
        let name = format!("{number}.fq");
        place.write(&name, fastq_with(20 + number % 7, &format!("-{number}")));
        names.push(name);
    }
    let list = names.join(" ");
    let all = place.shell(&format!("cat {list}")).stdout;
    let shards = place.shell(&format!(
        "ulimit -n 40; for i in 1 2 3; do $THALWEG cat -q -t1 --shard $i/3 {list} || exit 1; done"
    ));
    assert_eq!(shards.code, Some(0), "{}", shards.stderr);
    assert!(shards.stdout == all);
}

#[test]
fn shares_of_a_count_add_up() {
    let place = place();
    let files = &FILES[..];
    let count = |more: &[&str]| {
        place.ok(&[&["count", "-q", "-k21", "-t2"], more, files].concat());
    };
    count(&["-o", "all.thk"]);
    let mut shards = Vec::new();
    for number in 1..=5 {
        let (shard, name) = (format!("--shard={number}/5"), format!("{number}.thk"));
        count(&[&shard, "-o", &name]);
        shards.push(name);
    }
    let shards: Vec<&str> = shards.iter().map(String::as_str).collect();
    place.ok(&[&["kmers", "merge", "-q", "-o", "sum.thk"], &shards[..]].concat());
    let dump = |name| {
        let text = place.ok(&["kmers", "dump", "-q", name]).text();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert!(dump("sum.thk") == dump("all.thk"));
    assert!(dump("all.thk").len() > 1000);
}

#[test]
fn a_part_without_reads_is_told_as_that() {
    let place = place();
    let count = |shard| {
        let files = ["whole.fq.gz", "none.fq.gz"];
        place.ok(&[&["count", "-k21", shard, "-o", "x.thk"][..], &files].concat())
    };
    assert!(!count("--shard=1/2").stderr.contains("no k-mer"));
    let told = count("--shard=2/2").stderr;
    assert!(
        told.contains("part 2 of 2") && told.contains("index"),
        "{told}"
    );
}

#[test]
fn what_cannot_be_shared_out_is_told() {
    let place = place();
    for command in [&["cat"][..], &["count", "-k21", "-o", "x.thk"]] {
        let run = |more: &[&str], words: &[&str]| {
            place.fails(&[command, more].concat(), 2, words);
        };
        run(
            &["--shard=1/2", "whole.fq.gz"],
            &["whole.fq.gz", "no index", "thalweg index"],
        );
        run(&["--shard=1/2", "plain.fq", "missing.fq"], &["missing.fq"]);
        run(&["--shard=2/2", "missing.fq", "plain.fq"], &["missing.fq"]);
        run(&["--shard=1/2", "plain.fq", "-"], &["-: ", "not a pipe"]);
    }
    assert!(!place.path("x.thk").exists());
}

/// Shards that are missing, doubled, or cut at other places than their neighbours make another count: `merge` says so.
#[test]
fn shards_of_a_count_are_merged_if_they_are_all_there() {
    let place = Place::new();
    place.write("a.fq", fastq_with(1000, "a"));
    place.write("b.fq.gz", bgzf(&fastq_with(8000, "b")));
    place.write("c.fq", fastq_with(500, "c"));
    let count = |shard: &str, options: &[&str], name: &str| {
        let command = ["count", "-q", "-k21", "--shard", shard, "-o", name];
        let ended = place.ok(&[&command[..], options, &["a.fq", "b.fq.gz", "c.fq"]].concat());
        assert_eq!(ended.stderr, "", "{shard}");
    };
    let merge = ["kmers", "merge", "-q", "-o", "x.thk"];
    let refused = |shards: &[&str], word: &str| {
        place.fails(&[&merge[..], shards].concat(), 2, &[word]);
        let part = [&merge[..], &["--partition", "1/2"], shards].concat();
        place.fails(&part, 2, &[word]);
        assert!(!place.path("x.thk").exists());
    };
    let number = |number: u32| format!("{number}/3");
    for (i, name) in (1..).zip(["1.thk", "2.thk", "3.thk"]) {
        count(&number(i), &[], name);
    }
    refused(&["1.thk", "3.thk"], "shard 2 of 3 is missing");
    refused(&["3.thk", "2.thk"], "shard 1 of 3 is missing");
    refused(&["1.thk"], "shard 2 of 3 is missing");
    refused(&["1.thk", "2.thk", "3.thk", "2.thk"], "both shard 2 of 3");
    let told = place.ok(&["kmers", "histo", "2.thk"]).stderr;
    assert!(told.contains("shard 2 of 3"), "{told}");
    let told = place.ok(&["kmers", "info", "2.thk"]).text();
    assert!(told.contains("2 of 3"), "{told}");

    // In stages.
    let some = ["kmers", "merge", "-q", "--some-shards", "-o"];
    place.ok(&[&some[..], &["12.thk", "1.thk", "2.thk"]].concat());
    let doubled = [&some[..], &["x.thk", "2.thk", "2.thk"]].concat();
    place.fails(&doubled, 2, &["both shard 2 of 3"]);
    place.ok(&[&some[..], &["all.thk", "12.thk", "3.thk"]].concat());
    place.ok(&[
        "count",
        "-q",
        "-k21",
        "-o",
        "whole.thk",
        "a.fq",
        "b.fq.gz",
        "c.fq",
    ]);
    let dump = |name: &str| {
        let mut lines = place.ok(&["kmers", "dump", name]).text();
        let mut lines: Vec<_> = std::mem::take(&mut lines)
            .lines()
            .map(str::to_owned)
            .collect();
        lines.sort_unstable();
        lines
    };
    let whole = dump("whole.thk");
    assert_eq!(dump("all.thk"), whole);
    place.ok(&[&merge[..], &["3.thk", "1.thk", "2.thk"]].concat());
    assert_eq!(dump("x.thk"), whole);
    std::fs::remove_file(place.path("x.thk")).unwrap();

    // An index that is made meanwhile cuts BGZF elsewhere.
    place.ok(&["index", "-q", "--span", "50k", "b.fq.gz"]);
    for (i, name) in (1..).zip(["i1.thk", "i2.thk", "i3.thk"]) {
        count(&number(i), &[], name);
    }
    refused(&["1.thk", "i2.thk", "i3.thk"], "an index has changed");
    refused(&["i1.thk", "i2.thk", "3.thk"], "an index has changed");
    place.ok(&[&merge[..], &["i1.thk", "i2.thk", "i3.thk"]].concat());
    assert_eq!(dump("x.thk"), whole);
    std::fs::remove_file(place.path("x.thk")).unwrap();
    count(&number(2), &["--index", "never"], "n2.thk");
    refused(&["i1.thk", "n2.thk", "i3.thk"], "an index has changed");
    place.ok(&[&merge[..], &["1.thk", "n2.thk", "3.thk"]].concat());
    std::fs::remove_file(place.path("x.thk")).unwrap();

    // Another file.
    place.write("c.fq", fastq_with(501, "c"));
    count(&number(3), &[], "o3.thk");
    refused(&["i1.thk", "i2.thk", "o3.thk"], "unlike inputs");
}
