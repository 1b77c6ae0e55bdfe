//! `thalweg cat --join`

use std::process::Command;

use crate::support::{Place, bgzf, fastq, fastq_with, gzip, gzip_at};

/// Three lanes, gzip of any kind, with indexes.
fn lanes() -> (Place, Vec<u8>) {
    let place = Place::new();
    let texts = [
        fastq_with(7000, "a"),
        fastq_with(100, "b"),
        fastq_with(5000, "c"),
    ];
    place.write("1.fq.gz", gzip(&texts[0]));
    place.write("2.fq.gz", bgzf(&texts[1]));
    // Of several members.
    let members: Vec<u8> = texts[2]
        .chunks(400_000)
        .flat_map(|part| gzip_at(1, part))
        .collect();
    place.write("3.fq.gz", members);
    for lane in ["1.fq.gz", "2.fq.gz", "3.fq.gz"] {
        place.ok(&["index", "-q", "--span", "200k", lane]);
    }
    (place, texts.concat())
}

const LANES: [&str; 3] = ["1.fq.gz", "2.fq.gz", "3.fq.gz"];

#[test]
fn lanes_are_joined_with_their_indexes() {
    let (place, text) = lanes();
    let bytes = LANES.map(|lane| place.read(lane)).concat();
    let ended = place.ok(&[&["cat", "--join", "-o", "all.fq.gz"], &LANES[..]].concat());
    assert!(ended.stderr.contains("12,100 reads"), "{}", ended.stderr);
    assert!(place.read("all.fq.gz") == bytes);
    let told = place.ok(&["verify", "--full", "all.fq.gz"]);
    assert_eq!(told.code, Some(0));
    // The index is that of the whole: by it, any records are found.
    for threads in ["1", "4"] {
        let all = place.ok(&[
            "cat",
            "--index",
            "require",
            "-t",
            threads,
            "--records",
            "..",
            "all.fq.gz",
        ]);
        assert!(all.stdout == text);
    }
    for (ranks, first, end) in [
        ("6990..7110", 6990, 7110),
        ("0..1", 0, 1),
        ("12099..", 12_099, 12_100),
        ("7099..7101", 7099, 7101),
    ] {
        let some = place.ok(&["cat", "--index", "require", "--records", ranks, "all.fq.gz"]);
        assert!(
            some.stdout == crate::support::records(&text, first, end),
            "{ranks}"
        );
    }
    let stats = |file: &str| {
        let told = place.ok(&["stats", "--tsv", file]).text();
        told.lines()
            .last()
            .unwrap()
            .split('\t')
            .skip(2)
            .collect::<Vec<_>>()
            .join(" ")
    };
    place.write("plain.fq", &text);
    assert_eq!(stats("all.fq.gz"), stats("plain.fq"));
    // It says the same as an index that is made of the whole, but for where chunks begin.
    let info = |index: &str| place.ok(&["info", "--json", index]).text();
    place.ok(&["index", "-q", "-o", "made.thw", "all.fq.gz"]);
    let number = |json: &str, key: &str| {
        let at = json
            .find(&format!("\"{key}\""))
            .unwrap_or_else(|| panic!("{key} in {json}"));
        json[at..]
            .split([':', ',', '\n'])
            .nth(1)
            .unwrap()
            .trim()
            .to_owned()
    };
    let (joined, made) = (info("all.fq.gz.thw"), info("made.thw"));
    for key in [
        "records",
        "compressed_size",
        "uncompressed_size",
        "fingerprint",
        "container",
    ] {
        assert_eq!(number(&joined, key), number(&made, key));
    }
    // What was joined is joined again, and what gzip reads is the same.
    place.ok(&[
        "cat",
        "--join",
        "-q",
        "-o",
        "twice.fq.gz",
        "all.fq.gz",
        "2.fq.gz",
    ]);
    place.ok(&["verify", "--full", "twice.fq.gz"]);
    let output = Command::new("gzip")
        .args(["-dc", "twice.fq.gz"])
        .current_dir(place.path(""))
        .output()
        .unwrap();
    assert!(output.stdout == [text, fastq_with(100, "b")].concat());
}

/// A joined index is believed no more than any other.
#[test]
fn damage_of_what_was_joined_is_found() {
    let (place, _) = lanes();
    place.ok(&[&["cat", "--join", "-o", "all.fq.gz"], &LANES[..]].concat());
    let mut bytes = place.read("all.fq.gz");
    let middle = place.read("1.fq.gz").len() + 3000;
    bytes[middle] ^= 0x10;
    place.write("all.fq.gz", bytes);
    place.fails(
        &["cat", "--index", "require", "--records", "..", "all.fq.gz"],
        1,
        &["all.fq.gz"],
    );
}

#[test]
fn files_without_an_index_are_joined_as_cat_does() {
    let (place, text) = lanes();
    std::fs::remove_file(place.path("2.fq.gz.thw")).unwrap();
    let join = [&["cat", "--join"], &LANES[..]].concat();
    let bytes = LANES.map(|lane| place.read(lane)).concat();
    assert!(place.ok(&join).stdout == bytes);
    let to = |options: &[&'static str]| [&join[..], &["-o", "all.fq.gz"], options].concat();
    let ended = place.ok(&to(&[]));
    assert!(
        ended.stderr.contains("2.fq.gz has no index"),
        "{}",
        ended.stderr
    );
    assert!(place.read("all.fq.gz") == bytes && !place.path("all.fq.gz.thw").exists());
    place.fails(&to(&["--index", "require"]), 2, &["2.fq.gz", "index"]);
    place.ok(&to(&["--index-output"]));
    assert!(place.path("all.fq.gz.thw").exists());
    place.ok(&["verify", "--full", "all.fq.gz"]);
    // An index that is there is of another file then.
    place.write("all.fq.gz.thw", place.read("1.fq.gz.thw"));
    let ended = place.ok(&to(&["-q"]));
    assert!(
        ended
            .stderr
            .contains("all.fq.gz.thw: is the index of another file"),
        "{}",
        ended.stderr
    );
    place.ok(&to(&["--index", "save"]));
    assert!(place.path("2.fq.gz.thw").exists());
    assert!(
        place
            .ok(&["cat", "--index", "require", "--records", "..", "all.fq.gz"])
            .stdout
            == text
    );
    // Elsewhere than beside the files.
    std::fs::remove_file(place.path("all.fq.gz.thw")).unwrap();
    place.ok(&to(&["--index-dir", "indexes"]));
    let read = [
        "cat",
        "--index",
        "require",
        "--index-dir",
        "indexes",
        "--records",
        "..",
        "all.fq.gz",
    ];
    assert!(place.ok(&read).stdout == text);
    assert!(!place.path("all.fq.gz.thw").exists());
    // Blocks of BGZF with others behind them, without any index.
    place.ok(&[
        "cat", "--join", "--index", "never", "-o", "x.fq.gz", "2.fq.gz", "1.fq.gz",
    ]);
    for threads in ["1", "3"] {
        let read = place.ok(&["cat", "--records", "..", "-t", threads, "x.fq.gz"]);
        assert!(read.stdout == [fastq_with(100, "b"), fastq_with(7000, "a")].concat());
    }
    // One that lacks its last block may have been cut off.
    let cut = place.read("2.fq.gz");
    let last = cut.len() - bgzf(b"").len();
    place.write("4.fq.gz", &cut[..last]);
    let ended = place.ok(&["cat", "--join", "-q", "-o", "x.fq.gz", "4.fq.gz", "1.fq.gz"]);
    assert!(
        ended.stderr.contains("4.fq.gz: no BGZF end-of-file block"),
        "{}",
        ended.stderr
    );
    // Without compression, too.
    place.write("a.fq", fastq(10));
    place.write("b.fq", fastq_with(10, "b"));
    place.ok(&["cat", "--join", "a.fq", "b.fq", "-o", "c.fq"]);
    assert!(place.read("c.fq") == [fastq(10), fastq_with(10, "b")].concat());
}

#[test]
fn what_is_no_file_together_is_refused() {
    let (place, _) = lanes();
    place.write("a.fq", fastq(10));
    place.write("a.fa.gz", gzip(b">a\nACGT\n"));
    place.write("plain.fq.gz", fastq(10));
    place.write("empty.fq.gz", "");
    place.write("none.fq.gz", gzip(b""));
    let mut open = fastq(2000);
    open.pop();
    place.write("open.fq.gz", gzip(&open));
    place.ok(&["index", "-q", "--span", "100k", "open.fq.gz"]);
    place.write("open.fq", &open);
    // An index of another file.
    place.write("other.fq.gz", gzip(&fastq(20)));
    place.write("other.fq.gz.thw", place.read("1.fq.gz.thw"));
    // Of a file that was cut off afterwards.
    let cut = place.read("3.fq.gz");
    place.write("cut.fq.gz", &cut[..cut.len() - 100]);
    place.write("cut.fq.gz.thw", place.read("3.fq.gz.thw"));
    let before = place.names();
    for (files, code, words) in [
        (
            &["1.fq.gz", "a.fq"][..],
            2,
            &["a.fq", "--join cannot change the compression"][..],
        ),
        (
            &["1.fq.gz", "plain.fq.gz"],
            2,
            &["1.fq.gz is gzip", "plain.fq.gz is plain"],
        ),
        (&["1.fq.gz", "a.fa.gz"], 2, &["FASTQ", "FASTA"]),
        (&["1.fq.gz", "empty.fq.gz"], 1, &["empty.fq.gz", "0 bytes"]),
        (
            &["open.fq.gz", "1.fq.gz"],
            2,
            &["open.fq.gz", "last line has no end"],
        ),
        (&["other.fq.gz", "1.fq.gz"], 1, &["other.fq.gz"]),
        (&["1.fq.gz", "cut.fq.gz"], 1, &["cut.fq.gz"]),
        (&["1.fq.gz", "nobody.fq.gz"], 2, &["nobody.fq.gz"]),
        (&["1.fq.gz", "all.fq.gz"], 2, &["all.fq.gz"]),
    ] {
        place.fails(
            &[&["cat", "--join", "-o", "all.fq.gz"], files].concat(),
            code,
            words,
        );
        assert_eq!(place.names(), before, "{files:?}");
    }
    place.fails(
        &["cat", "--join", "-o", "x.fq", "open.fq", "a.fq"],
        2,
        &["open.fq", "no end"],
    );
    place.fails(
        &["cat", "--join", "-o", "1.fq.gz", "1.fq.gz", "2.fq.gz"],
        2,
        &["1.fq.gz", "input"],
    );
    place.fails(
        &["cat", "--join", "-o", "x.fq", "1.fq.gz"],
        2,
        &["x.fq", "--join cannot change the compression"],
    );
    for option in [
        &["--sample", "3"][..],
        &["--fasta"],
        &["--records", "0..3"],
        &["--mates"],
        &["-z", "4"],
    ] {
        let join = ["cat", "--join", "1.fq.gz", "2.fq.gz"];
        place.refuses(&[&join, option].concat(), &["--join"]);
    }
    let ended = place.feed(&["cat", "--join", "-", "1.fq.gz"], &place.read("2.fq.gz"));
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    // The last one may be open, and one without reads is one all the same.
    place.ok(&[
        "cat",
        "--join",
        "-o",
        "y.fq.gz",
        "1.fq.gz",
        "none.fq.gz",
        "open.fq.gz",
    ]);
    assert_eq!(
        place
            .ok(&["cat", "--records", "..", "y.fq.gz"])
            .stdout
            .len(),
        fastq_with(7000, "a").len() + open.len()
    );
    let ended = place.shell("ulimit -f 100; $THALWEG cat --join -o z.fq.gz 1.fq.gz 2.fq.gz");
    ended.expect_failure(2, &["z.fq.gz", "large"]);
    assert!(!place.path("z.fq.gz").exists());
    place.fails(
        &["cat", "--join", "-o", "/dev/full", "1.fq.gz"],
        2,
        &["/dev/full"],
    );
}

/// Where the last line of a file lacks its end, also an empty one of qualities, what follows would go on with it.
#[test]
fn records_that_would_go_on_are_refused() {
    let place = Place::new();
    place.write("next.fq", "@n\nACGT\n+\nIIII\n");
    place.write("next.fq.gz", gzip(b"@n\nACGT\n+\nIIII\n"));
    place.write("next.fq.bgz", bgzf(b"@n\nACGT\n+\nIIII\n"));
    for (text, is_whole) in [
        ("@a\nACGT\n+\nIIII\n", true),
        ("@a\nACGT\n+\nIIII", false),
        ("@a\n\n+\n\n", true),
        ("@a\n\n+\n", false),
        ("@a\r\n\r\n+\r\n", false),
        ("@b\nA\n+\n+\n", true),
        ("@w\nAC\nGT\n+\nII\nII\n@x\n+\n", false),
        ("@w\nAC\nGT\n+\nII\nII\n@x\nAC\nG\n+\n@I\n+\n", true),
    ] {
        place.write("a.fq", text);
        place.write("a.fq.gz", gzip(text.as_bytes()));
        place.ok(&["index", "-q", "-f", "a.fq.gz"]);
        place.write("a.fq.bgz", bgzf(text.as_bytes()));
        for ending in ["", ".gz", ".bgz"] {
            let [first, next, out] =
                ["a.fq", "next.fq", "out.fq"].map(|name| name.to_owned() + ending);
            let ended = place.run(&["cat", "-q", "--join", &first, &next, "-o", &out]);
            match is_whole {
                true => {
                    assert_eq!(ended.code, Some(0), "{text:?}{ending}: {}", ended.stderr);
                    assert!(place.read(&out) == [place.read(&first), place.read(&next)].concat());
                    std::fs::remove_file(place.path(&out)).unwrap();
                }
                false => {
                    assert_eq!(ended.code, Some(2), "{text:?}{ending}");
                    assert!(ended.stderr.contains(&first), "{}", ended.stderr);
                    assert!(!place.path(&out).exists(), "{text:?}{ending}");
                }
            }
        }
    }
}

/// Larger than what is read whole to look at its end.
fn large() -> Vec<u8> {
    gzip_at(0, &fastq_with(20_000, "n"))
}

#[test]
fn an_output_has_its_name_only_with_its_index() {
    let place = Place::new();
    let whole = large();
    assert!(whole.len() > 2 << 20);
    place.write("n.fq.gz", &whole);
    place.write("cut.fq.gz", &whole[..whole.len() - 1000]);
    place.write("all.fq.gz", "old");
    let before = place.names();
    for files in [["n.fq.gz", "cut.fq.gz"], ["cut.fq.gz", "n.fq.gz"]] {
        let join = ["cat", "--join", "--index-output", "-o", "all.fq.gz"];
        let ended = place.run(&[&join[..], &files].concat());
        ended.expect_failure(1, &["cut.fq.gz", "record ", "byte ", "incomplete"]);
        assert!(!ended.stderr.contains("all.fq.gz"), "{}", ended.stderr);
        assert_eq!(place.names(), before);
        assert_eq!(place.read("all.fq.gz"), b"old");
    }
    place.write("none.fq.gz", gzip(b""));
    for (index, directory) in [
        (&[][..], &[][..]),
        (&["--index-dir", "ix"], &["--index-dir", "ix"]),
    ] {
        let join = ["cat", "--join", "--index-output", "-o", "all.fq.gz"];
        let files = ["n.fq.gz", "none.fq.gz", "n.fq.gz"];
        let ended = place.ok(&[&join[..], &files, index].concat());
        assert!(ended.stderr.contains("40,000 reads"), "{}", ended.stderr);
        assert!(!ended.stderr.contains("unchecked"), "{}", ended.stderr);
        let read = [
            "cat",
            "--index",
            "require",
            "--records",
            "19999..20001",
            "all.fq.gz",
        ];
        let ended = place.ok(&[&read[..], directory].concat());
        let text = fastq_with(20_000, "n").repeat(2);
        assert!(ended.stdout == crate::support::records(&text, 19_999, 20_001));
        let _ = std::fs::remove_file(place.path("all.fq.gz.thw"));
    }
    // An index that cannot have its name keeps the output from its own.
    place.write("all.fq.gz", "old");
    place.write("ix2", "no directory");
    let join = [
        "cat",
        "--join",
        "--index-output",
        "--index-dir",
        "ix2",
        "-o",
        "all.fq.gz",
    ];
    place.fails(&[&join[..], &["n.fq.gz"]].concat(), 2, &["ix2"]);
    assert_eq!(place.read("all.fq.gz"), b"old");
}

#[test]
fn the_last_file_is_looked_at_or_named() {
    let place = Place::new();
    let text = fastq(500);
    place.write("n.fq.gz", gzip(&text));
    place.write("cut.fq.gz", &gzip(&text)[..2000]);
    place.write("record.fq.gz", gzip(&text[..text.len() - 10]));
    place.write("large.fq.gz", large());
    let join = |last: &'static str| ["cat", "--join", "-o", "x.fq.gz", "n.fq.gz", last];
    for last in ["cut.fq.gz", "record.fq.gz"] {
        place.fails(&join(last), 1, &[last, "byte "]);
        assert!(!place.path("x.fq.gz").exists());
    }
    let ended = place.ok(&join("large.fq.gz"));
    let told = "note: large.fq.gz: taken as it is, unchecked";
    assert!(ended.stderr.contains(told), "{}", ended.stderr);
    assert!(!ended.stderr.contains("n.fq.gz and"), "{}", ended.stderr);
}

#[test]
fn what_cannot_be_joined_is_refused_for_what_it_is() {
    let place = Place::new();
    place.write("n.fq.gz", gzip(&fastq(50)));
    std::fs::create_dir(place.path("folder")).unwrap();
    let ended = place.feed(&["cat", "--join", "-o", "x.fq.gz", "-", "n.fq.gz"], b"");
    ended.expect_failure(
        2,
        &["standard input has no name that shows its compression"],
    );
    let join = ["cat", "--join", "-o", "x.fq.gz"];
    place.fails(
        &[&join[..], &["folder", "n.fq.gz"]].concat(),
        2,
        &["folder: is a directory"],
    );
    // NUL bytes at the end of the last file are no data; between two they would look as if some were lost.
    for padding in [4, 8, 9, 512] {
        let mut padded = gzip(&fastq(50));
        padded.resize(padded.len() + padding, 0);
        place.write("p.fq.gz", padded);
        for files in [["p.fq.gz", "n.fq.gz"], ["n.fq.gz", "p.fq.gz"]] {
            let is_last = files[1] == "p.fq.gz";
            let command = [&join[..], &files].concat();
            match is_last {
                true => drop(place.ok(&command)),
                false => {
                    drop(place.fails(&command, 2, &["p.fq.gz: NUL bytes follow its last member"]))
                }
            }
        }
        assert!(place.ok(&["cat", "x.fq.gz"]).stdout == [fastq(50), fastq(50)].concat());
    }
    // What is empty ends in such bytes, too.
    for (name, empty) in [("e.fq.gz", gzip(b"")), ("b.fq.gz", bgzf(&fastq(50)))] {
        place.write(name, empty);
        place.ok(&[&join[..], &[name, "n.fq.gz"]].concat());
    }
    let pipe = "$THALWEG cat --join -o x.fq.gz /dev/stdin n.fq.gz";
    let ended = place.shell(&format!("cat n.fq.gz | {pipe}"));
    ended.expect_failure(2, &["is a pipe or a device"]);
}
