//! A directory of shards where a database stands.

use crate::support::{Place, fastq};

/// What a manifest says of a shard, taken from its header as docs/formats/kmers.md has it.
fn entry(place: &Place, file: &str, first: u32, end: u32) -> String {
    let bytes = place.read(file);
    let name = file.rsplit('/').next().unwrap();
    let checksum = u32::from_le_bytes(bytes[124..128].try_into().unwrap());
    format!(
        r#"{{"file": "{name}", "first_partition": {first}, "end_partition": {end}, "size": {}, "checksum": {checksum}}}"#,
        bytes.len()
    )
}

/// A database `a.thk`, and the set `set` of the same.
fn place() -> Place {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    place.write("none.fq", "");
    std::fs::create_dir(place.path("set")).unwrap();
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "a.thk"]);
    place.ok(&["count", "-q", "-k21", "a.fq", "-o", "set/0.thk"]);
    place.ok(&["count", "-q", "-k21", "none.fq", "-o", "set/1.thk"]);
    let bytes = place.read("a.thk");
    let partitions = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
    let shards = [
        entry(&place, "set/0.thk", 0, partitions),
        entry(&place, "set/1.thk", partitions, partitions),
    ];
    let manifest = format!(
        r#"{{"kind": "thalweg k-mer set", "version": 1, "shards": [{}], "provenance": {{}}}}"#,
        shards.join(", ")
    );
    place.write("set/manifest.json", manifest);
    place
}

#[test]
fn every_command_takes_a_set_for_a_database() {
    let place = place();
    let kmer = String::from_utf8(place.ok(&["kmers", "dump", "a.thk"]).stdout).unwrap();
    let kmer = kmer.split('\t').next().unwrap();
    for arguments in [
        &["dump", "DATABASE"][..],
        &["histo", "DATABASE"],
        &["query", "DATABASE", kmer],
        &["query", "DATABASE", "-s", "a.fq"],
        &["filter-reads", "-q", "DATABASE", "a.fq"],
        &[
            "merge", "DATABASE", "a.thk", "-q", "-o", "-", "--format", "tsv",
        ],
        &[
            "intersect",
            "DATABASE",
            "a.thk",
            "-q",
            "-o",
            "-",
            "--format",
            "tsv",
        ],
        &["merge", "DATABASE", "-q", "-o", "-", "--format", "tsv"],
    ] {
        let run = |database: &str| {
            let of = |argument: &&str| argument.replace("DATABASE", database);
            let words: Vec<String> = arguments.iter().map(of).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let ended = place.ok(&[&["kmers"], &words[..]].concat());
            assert!(!ended.stdout.is_empty(), "{words:?}");
            ended.stdout
        };
        assert!(run("set") == run("a.thk"), "{arguments:?}");
    }
    let verified = place.ok(&["kmers", "verify", "set"]);
    assert!(
        String::from_utf8(verified.stdout)
            .unwrap()
            .starts_with("set: OK")
    );
    place.ok(&["kmers", "info", "set"]);
    place.ok(&["kmers", "stats", "set"]);
    // To our own format, partitions are copied.
    place.ok(&["kmers", "merge", "-q", "set", "-o", "copy.thk"]);
    let dumped = place.ok(&["kmers", "dump", "copy.thk"]).stdout;
    assert!(dumped == place.ok(&["kmers", "dump", "a.thk"]).stdout);
    place.ok(&["kmers", "verify", "copy.thk"]);
    // Nothing is written over what is read.
    let refused = place.run(&["kmers", "merge", "set", "-o", "set/0.thk"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.contains("is an input file too"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_set_that_is_not_whole_is_told() {
    let place = place();
    place.ok(&["count", "-q", "-k21", "none.fq", "-o", "set/0.thk"]);
    let ended = place.run(&["kmers", "histo", "set"]);
    assert_eq!(ended.code, Some(1));
    assert!(
        ended.stderr.contains("0.thk is another file"),
        "{}",
        ended.stderr
    );
    std::fs::remove_file(place.path("set/manifest.json")).unwrap();
    let ended = place.run(&["kmers", "histo", "set"]);
    assert_eq!(ended.code, Some(2));
    assert!(ended.stderr.contains("directory"), "{}", ended.stderr);
    for words in ["has no manifest.json", "did not finish: run it again"] {
        assert!(ended.stderr.contains(words), "{}", ended.stderr);
    }
    // Nothing speaks of a set.
    std::fs::create_dir(place.path("other")).unwrap();
    place.fails(&["kmers", "histo", "other"], 2, &["name a file in it"]);
}
