//! `thalweg index`

use crate::support::{Place, bgzf, fastq, gzip};

const COUNT: usize = 20_000;

#[test]
fn the_index_lies_beside_the_file() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(COUNT)));
    place.write("b.fq.gz", bgzf(&fastq(COUNT)));
    let ended = place.ok(&["index", "--span", "1M", "a.fq.gz", "b.fq.gz"]);
    assert_eq!(ended.stdout, b"");
    for name in ["a", "b"] {
        let wanted = format!("{name}.fq.gz: 20,000 records");
        assert!(ended.stderr.contains(&wanted), "{}", ended.stderr);
    }
    let names = ["a.fq.gz", "a.fq.gz.thw", "b.fq.gz", "b.fq.gz.thw"];
    assert_eq!(place.names(), names.map(str::to_owned).into());
    assert_eq!(place.ok(&["index", "-q", "--force", "a.fq.gz"]).stderr, "");
}

#[test]
fn an_index_is_not_overwritten() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(COUNT)));
    place.ok(&["index", "a.fq.gz"]);
    let ended = place.ok(&["index", "a.fq.gz"]);
    assert!(ended.stderr.contains("up to date"));
    let before = place.read("a.fq.gz.thw");
    // Of an older version of the file.
    place.write("a.fq.gz", gzip(&fastq(COUNT + 1)));
    place.fails(
        &["index", "a.fq.gz"],
        2,
        &["a.fq.gz.thw", "exists", "--force"],
    );
    assert!(place.read("a.fq.gz.thw") == before);
    place.ok(&["index", "--force", "a.fq.gz"]);
    assert!(place.read("a.fq.gz.thw") != before);
    // Something else altogether.
    place.write("a.fq.gz.thw", "my thesis");
    place.fails(
        &["index", "a.fq.gz"],
        2,
        &["a.fq.gz.thw", "exists", "--force"],
    );
    assert_eq!(place.read("a.fq.gz.thw"), b"my thesis");
}

#[test]
fn an_input_is_never_the_output() {
    let place = Place::new();
    let data = gzip(&fastq(COUNT));
    place.write("a.fq.gz", &data);
    place.fails(
        &["index", "--force", "-o", "a.fq.gz", "a.fq.gz"],
        2,
        &["a.fq.gz"],
    );
    place.fails(&["cat", "-o", "a.fq.gz", "a.fq.gz"], 2, &["a.fq.gz"]);
    assert!(place.read("a.fq.gz") == data);
    place.write("b.fq.gz", &data);
    place.fails(&["index", "-o", "x", "a.fq.gz", "b.fq.gz"], 2, &["-o"]);
}

#[test]
fn metadata_is_kept() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(10)));
    place.write("run.json", r#"{"run": "A17", "lanes": [1, 2]}"#);
    place.ok(&["index", "--metadata", "@run.json", "a.fq.gz"]);
    let info = place.ok(&["info", "--json", "a.fq.gz.thw"]).text();
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!(info["files"][0]["index"]["metadata"]["lanes"][1], 2);
    place.fails(
        &["index", "--metadata", "{}", "a.fq.gz"],
        2,
        &["metadata", "--force"],
    );
    place.fails(
        &["index", "--metadata", "{", "--force", "a.fq.gz"],
        2,
        &["--metadata", "JSON"],
    );
    place.fails(
        &["index", "--metadata", "@none", "--force", "a.fq.gz"],
        2,
        &["none"],
    );
}

#[test]
fn checkpoints_can_be_bounded() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(60_000)));
    let count = |arguments: &[&str]| {
        place.ok(&[&["index", "--force", "a.fq.gz"], arguments].concat());
        let info = place.ok(&["info", "--json", "a.fq.gz.thw"]).text();
        let info: serde_json::Value = serde_json::from_str(&info).unwrap();
        info["files"][0]["index"]["checkpoints"].as_u64().unwrap()
    };
    assert_eq!(count(&["--checkpoints", "1"]), 1);
    assert!((5..=10).contains(&count(&["--checkpoints", "10"])));
    assert!((2..=16).contains(&count(&["--checkpoints", "auto", "--for-threads", "1"])));
    assert!(count(&["--span", "100k"]) > 50);
    for wrong in [
        &["--checkpoints", "0"][..],
        &["--checkpoints", "few"],
        &["--span", "0"],
    ] {
        assert_eq!(
            place.run(&[&["index", "a.fq.gz"], wrong].concat()).code,
            Some(2)
        );
    }
}

#[test]
fn mim_and_gzi_are_written() {
    let place = Place::new();
    let text = fastq(COUNT);
    place.write("a.fq.gz", gzip(&text));
    place.write("b.fq.gz", bgzf(&text));
    place.ok(&["index", "--format", "mim", "--span", "500k", "a.fq.gz"]);
    let ended = place.ok(&["cat", "--index-file", "a.fq.gz.mim", "-t", "3", "a.fq.gz"]);
    assert!(ended.stdout == text);
    let ended = place.ok(&["index", "--format", "mim", "a.fq.gz"]);
    assert!(ended.stderr.contains("up to date"));
    place.ok(&["index", "--format", "gzi", "b.fq.gz"]);
    // A count, and a pair for each block but the first.
    let blocks = text.len().div_ceil(20_000);
    assert_eq!(place.read("b.fq.gz.gzi").len(), 8 + 16 * (blocks - 1));
    place.fails(
        &["index", "--format", "gzi", "a.fq.gz"],
        2,
        &["a.fq.gz", "BGZF"],
    );
}

#[test]
fn what_needs_no_index_says_so() {
    let place = Place::new();
    place.write("a.fq", fastq(10));
    place.fails(&["index", "a.fq"], 2, &["a.fq", "plain"]);
    place.fails(&["index", "none.fq.gz"], 2, &["none.fq.gz"]);
    place.fails(&["index", "."], 2, &["directory"]);
}

#[test]
fn force_replaces_only_indexes() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(COUNT)));
    place.write("other.gz", b"\x1f\x8b other data");
    let forced = ["index", "--force", "-o", "other.gz", "a.fq.gz"];
    place.fails(&forced, 2, &["other.gz", "is not an index"]);
    assert_eq!(place.read("other.gz"), b"\x1f\x8b other data");
    nix::unistd::mkfifo(&place.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let forced = ["index", "--force", "-o", "pipe", "a.fq.gz"];
    place.fails(&forced, 2, &["pipe", "not a regular file"]);
    // A damaged one is replaced, and a link to it stays a link.
    place.write("real.thw", b"\x8bTHW\r\n\x1a\n, and then it broke");
    std::os::unix::fs::symlink("real.thw", place.path("a.fq.gz.thw")).unwrap();
    place.ok(&["index", "--force", "a.fq.gz"]);
    assert!(place.path("a.fq.gz.thw").is_symlink());
    // So does a link to an index that is not there yet.
    std::fs::remove_file(place.path("real.thw")).unwrap();
    place.ok(&["index", "a.fq.gz"]);
    assert!(place.path("a.fq.gz.thw").is_symlink() && place.path("real.thw").is_file());
    place.ok(&["verify", "a.fq.gz"]);
}

#[test]
fn one_bad_file_does_not_stop_the_others() {
    let place = Place::new();
    let whole = gzip(&fastq(COUNT));
    place.write("bad.fq.gz", &whole[..whole.len() / 2]);
    place.write("good.fq.gz", &whole);
    let ended = place.run(&["index", "bad.fq.gz", "none", "good.fq.gz"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.contains("bad.fq.gz") && ended.stderr.contains("none"));
    let names = ["bad.fq.gz", "good.fq.gz", "good.fq.gz.thw"];
    assert_eq!(place.names(), names.map(str::to_owned).into());
}

#[test]
fn a_file_cut_between_blocks_is_told() {
    let place = Place::new();
    let whole = bgzf(&fastq(COUNT));
    place.write("cut.fq.gz", &whole[..whole.len() - 28]);
    // Some programs write text without it: only who verifies wants to know that nothing is missing.
    place.fails(
        &["verify", "cut.fq.gz"],
        1,
        &["truncated", "--no-eof-check"],
    );
    place.fails(&["verify", "--faults", "cut.fq.gz"], 1, &["truncated"]);
    for command in [
        &["index"][..],
        &["verify", "--no-eof-check"],
        &["cat"],
        &["stats"],
    ] {
        let ended = place.ok(&[command, &["cut.fq.gz"]].concat());
        assert!(
            ended.stderr.contains("no BGZF end-of-file block"),
            "{command:?}: {}",
            ended.stderr
        );
    }
    place.fails(&["verify", "cut.fq.gz"], 1, &["truncated"]);
    place.write("whole.fq.gz", &whole);
    let ended = place.ok(&["cat", "whole.fq.gz"]);
    assert_eq!(ended.stderr, "");
    // Of a pipe it is known when it has ended.
    for arguments in [
        &["cat", "-"][..],
        &["stats", "-"],
        &["verify", "--no-eof-check", "-"],
        &["qc", "-", "-o", "o.fq", "-w", "3"],
        &["count", "-k", "21", "-", "-o", "o.thk"],
        &["kmers", "filter-reads", "o.thk", "-", "-o", "f.fq"],
    ] {
        for (length, is_cut) in [(whole.len() - 28, true), (whole.len(), false)] {
            let ended = place.feed(arguments, &whole[..length]);
            assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
            let is_told = ended.stderr.contains("-: no BGZF end-of-file block");
            assert_eq!(is_told, is_cut, "{arguments:?}: {}", ended.stderr);
        }
    }
}
