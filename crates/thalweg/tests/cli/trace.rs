//! `thalweg trace`, and what `--trace` of all jobs has in common.

use thalweg::trace::{TraceEncoder, TraceFormat, TraceHeader, TraceReader, Value};

use crate::support::{Place, fastq, gzip};

/// All values of a trace, which must be whole.
pub(crate) fn values(place: &Place, name: &str) -> Vec<Value<'static>> {
    let mut reader = TraceReader::open(place.path(name)).unwrap();
    let mut values = Vec::new();
    while let Some(value) = reader.next_value().unwrap() {
        values.push(value);
    }
    values
}

/// A place with a trace of cleaned reads.
fn with_trace() -> Place {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    let clean = "qc a.fq -o c.fq --no_report -q 20 -u 30 -3 --trace t.msgpack.lz4";
    place.ok(&clean.split(' ').collect::<Vec<_>>());
    place
}

#[test]
fn values_are_shown() {
    let place = with_trace();
    let shown = place.ok(&["trace", "show", "t.msgpack.lz4"]).text();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 301);
    assert!(lines[0].starts_with(r#"{"kind":"header","version":1,"program":"thalweg "#));
    assert!(lines[0].contains(r#""command":["qc","a.fq","-o","c.fq""#));
    assert!(lines[0].contains(r#""inputs":["a.fq"]"#));
    assert!(
        lines[7].starts_with(r#"{"kind":"read","rank":6,"mate":1,"name":"r6","length_before":100"#)
    );
    let some = |arguments: &[&str]| {
        let all = [&["trace", "show", "t.msgpack.lz4"], arguments].concat();
        place.ok(&all).text()
    };
    assert_eq!(some(&["--name", "r6"]), format!("{}\n", lines[7]));
    assert_eq!(some(&["--kind", "header"]), format!("{}\n", lines[0]));
    assert_eq!(
        some(&["--kind", "read", "-n", "2"]),
        format!("{}\n{}\n", lines[1], lines[2])
    );
    assert_eq!(some(&["--kind", "label"]), "");
    let bytes = place.read("t.msgpack.lz4");
    assert_eq!(place.feed(&["trace", "show", "-"], &bytes).text(), shown);
    // Lines behind those that are read would be read, too.
    place.write("t.jsonl", &shown);
    let ended = place.shell("$THALWEG trace show t.jsonl >> t.jsonl");
    ended.expect_failure(2, &["standard output", "input"]);
    assert_eq!(place.read("t.jsonl"), shown.as_bytes());
}

#[test]
fn values_are_counted() {
    let place = with_trace();
    let counted = place.ok(&["trace", "count", "t.msgpack.lz4"]).text();
    let number = |what: &str| {
        let line = counted.lines().find_map(|line| line.strip_prefix(what));
        line.map_or(0, |number| number.trim().parse::<usize>().unwrap())
    };
    assert_eq!(number("read\tall\t"), 300);
    let kept = place
        .read("c.fq")
        .iter()
        .filter(|&&byte| byte == b'\n')
        .count()
        / 4;
    assert_eq!(number("read\tverdict passed\t"), kept);
    assert_eq!(number("read\toutcome kept\t"), kept);
    assert!(kept > 0 && kept < 300 && number("read\tcut quality\t") > 0);
}

/// Each format becomes each other one, and a table.
#[test]
fn traces_are_converted() {
    let place = with_trace();
    let wanted = values(&place, "t.msgpack.lz4");
    let mut last = "t.msgpack.lz4".to_owned();
    for name in [
        "a.jsonl",
        "a.msgpack",
        "a.msgpack.zst",
        "b.msgpack.lz4",
        "a.txt",
        "b.txt",
        "c.txt",
    ] {
        let mut arguments = vec!["trace", "convert", &last, "-o", name];
        match name {
            "a.txt" => arguments.extend(["--to", "zst"]),
            "b.txt" => arguments.extend(["--to", "msgpack.lz4"]),
            "c.txt" => arguments.extend(["--to", "msgpack.zst"]),
            _ => {}
        }
        place.ok(&arguments);
        assert!(values(&place, name) == wanted, "{name}");
        last = name.to_owned();
    }
    let shown = place.ok(&["trace", "show", "t.msgpack.lz4"]).text();
    let lines = place.ok(&["trace", "convert", &last]).text();
    // The end is a value of the file, and no record.
    assert_eq!(
        lines,
        format!("{shown}{{\"kind\":\"end\",\"values\":301}}\n")
    );
    place.ok(&["trace", "convert", &last, "-o", "a.tsv"]);
    let table = String::from_utf8(place.read("a.tsv")).unwrap();
    let mut rows = table
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    assert_eq!(head[..3], ["rank", "mate", "name"]);
    for (row, value) in rows.zip(&wanted) {
        let Value::Read(read) = value else {
            panic!("{value:?}");
        };
        let cuts: Vec<String> = (read.cuts.iter())
            .map(|cut| format!("{}:{}:{}", cut.step, cut.front, cut.tail))
            .collect();
        let of = |name: &str| row[head.iter().position(|column| *column == name).unwrap()];
        assert_eq!(of("name"), read.name.to_string());
        assert_eq!(of("length_after"), read.length_after.to_string());
        assert_eq!(of("cuts"), cuts.join(","));
        assert_eq!(of("verdict"), read.verdict);
    }
    place.ok(&["trace", "convert", &last, "-o", "b.tsv.gz"]);
    assert_eq!(place.ok(&["cat", "--raw", "b.tsv.gz"]).text(), table);
    place.ok(&["trace", "convert", "--kind", "label", &last, "-o", "c.tsv"]);
    assert_eq!(
        place
            .read("c.tsv")
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count(),
        1
    );
}

/// What was cut ends with an error that says so; nothing appears of it, but what is whole can be seen.
#[test]
fn a_trace_that_was_cut_is_told() {
    let place = with_trace();
    let bytes = place.read("t.msgpack.lz4");
    let shown = place.ok(&["trace", "show", "t.msgpack.lz4"]).text();
    // Between the frames of records and of the end, and in the middle of each.
    let end = bytes.len()
        - TraceEncoder::new(TraceFormat::Lz4)
            .unwrap()
            .end(300)
            .unwrap()
            .len();
    for length in [end, end + 3, bytes.len() - 1, end / 2] {
        place.write("cut.lz4", &bytes[..length]);
        let words = ["cut.lz4", "truncated", "byte"];
        place.fails(&["trace", "count", "cut.lz4"], 1, &words);
        place.fails(&["trace", "convert", "cut.lz4", "-o", "x.jsonl"], 1, &words);
        let ended = place.run(&["trace", "show", "cut.lz4"]);
        ended.expect_failure(1, &words);
        assert!(shown.starts_with(&ended.text()));
        if length >= end {
            assert_eq!(ended.text(), shown);
        }
    }
    let mut changed = bytes.clone();
    changed[bytes.len() / 2] ^= 1;
    place.write("changed.lz4", changed);
    place.fails(
        &["trace", "count", "changed.lz4"],
        1,
        &["changed.lz4", "is damaged"],
    );
    place.fails(
        &["trace", "count", "a.fq"],
        1,
        &["a.fq", "is not a trace", "--trace"],
    );
    place.fails(&["trace", "count", "nothing"], 2, &["nothing"]);
    place.fails(
        &["trace", "convert", "t.msgpack.lz4", "-o", "x.csv"],
        2,
        &["x.csv", "--to"],
    );
    place.fails(
        &["trace", "convert", "t.msgpack.lz4", "-o", "t.msgpack.lz4"],
        2,
        &["input"],
    );
}

/// Kinds of a later version are left out, with one warning.
#[test]
fn unknown_kinds_are_told_once() {
    let place = Place::new();
    let mut encoder = TraceEncoder::new(TraceFormat::JsonLines).unwrap();
    let mut text = encoder
        .header(&TraceHeader::new("later 9", ["x"], []))
        .unwrap();
    for _ in 0..3 {
        text.extend_from_slice(b"{\"kind\":\"gap\",\"at\":7}\n{\"kind\":\"kmer\",\"kmer\":\"ACG\",\"count\":3,\"new\":1}\n");
    }
    text.extend(encoder.end(6).unwrap());
    place.write("later.jsonl", text);
    let ended = place.ok(&["trace", "count", "later.jsonl"]);
    assert_eq!(ended.text(), "kmer\tall\t3\nkmer\tcounts\t9\n");
    assert_eq!(
        ended.stderr.matches("warning").count(),
        1,
        "{}",
        ended.stderr
    );
    assert!(ended.stderr.contains("such as gap"), "{}", ended.stderr);
}

/// Names that tell nothing, inputs, and other outputs are refused before anything is read; no trace appears of a job that failed.
#[test]
fn traces_appear_when_they_are_whole() {
    let place = Place::new();
    place.write("a.fq", fastq(300));
    place.write("cut.fq", &fastq(300)[..20_000]);
    let fails = |arguments: &str, code, words: &[&str]| {
        place.fails(&arguments.split(' ').collect::<Vec<_>>(), code, words);
    };
    fails(
        "qc a.fq -o c.fq --no_report --trace t.tsv",
        2,
        &["t.tsv", ".msgpack.lz4"],
    );
    for name in ["t.jsonl.zst", "t.jsonl.gz", "t.jsonl.lz4"] {
        let arguments = format!("qc a.fq -o c.fq --no_report --trace {name}");
        fails(&arguments, 2, &[name, ".msgpack.lz4"]);
        assert!(!place.path(name).exists());
    }
    fails("qc a.fq -o t.lz4.fq --no_report --trace a.fq", 2, &["a.fq"]);
    fails(
        "qc a.fq -o c.jsonl --no_report --trace c.jsonl",
        2,
        &["-o and --trace"],
    );
    fails(
        "qc cut.fq -o c.fq --no_report --trace t.jsonl",
        1,
        &["cut.fq"],
    );
    let alone = "count -k 5 a.fq --histo h --trace t.jsonl";
    let ended = place.run(&alone.split(' ').collect::<Vec<_>>());
    assert!(ended.code == Some(2) && ended.stderr.contains("--output"));
    fails(
        "count -k 5 a.fq -o - --format tsv --trace t.jsonl",
        2,
        &["--trace", "counts.thk"],
    );
    fails(
        "count -k 5 a.fq -o t.tsv.gz --trace t.jsonl",
        2,
        &["--trace", "counts.thk"],
    );
    fails(
        "count -k 5 a.fq -o t.jsonl --trace t.jsonl",
        2,
        &["t.jsonl"],
    );
    fails("count -k 5 cut.fq -o t.thk --trace t.jsonl", 1, &["cut.fq"]);
    place.write("t.jsonl", "older");
    fails(
        "qc cut.fq -o c.fq --no_report --trace t.jsonl",
        1,
        &["cut.fq"],
    );
    assert_eq!(place.read("t.jsonl"), b"older");
    // To a pipe it goes as MessagePack.
    let piped = place.shell("$THALWEG qc a.fq -o c.fq --no_report -q 20 --trace >($THALWEG trace count - > counted) && sleep 1");
    assert_eq!(piped.code, Some(0), "{}", piped.stderr);
    assert!(
        String::from_utf8(place.read("counted"))
            .unwrap()
            .contains("read\tall\t300\n")
    );
}

/// Of k-mers the trace has what a dump has, from every format of a database.
#[test]
fn kmers_are_those_of_the_dump() {
    let place = Place::new();
    place.write("a.fq.gz", gzip(&fastq(300)));
    place.ok(&["count", "-q", "-k21", "a.fq.gz", "-o", "a.thk"]);
    let dump = place.ok(&["kmers", "dump", "a.thk"]).text();
    let mut before = (String::new(), Vec::new());
    for (threads, database) in [
        ("1", "b.thk"),
        ("4", "b.thk"),
        ("1", "b.jf"),
        ("2", "b.jf"),
        ("4", "b.kmc"),
        ("1", "b.tsv"),
        ("3", "b.tsv"),
    ] {
        place.ok(&[
            "count",
            "-q",
            "-k21",
            "-t",
            threads,
            "a.fq.gz",
            "-o",
            database,
            "--trace",
            "b.msgpack.lz4",
        ]);
        let text: String = (values(&place, "b.msgpack.lz4").iter())
            .map(|value| match value {
                Value::Kmer(kmer) => format!("{}\t{}\n", kmer.kmer, kmer.count),
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(text == dump, "{database}");
        // All but the header, which has the command line, are the same bytes, of a database of the same format.
        let bytes = frames(&place.read("b.msgpack.lz4"))[1..].concat();
        assert!(before.0 != database || before.1 == bytes, "{database}");
        before = (database.to_owned(), bytes);
    }
    place.ok(&[
        "count", "-q", "-k21", "-L", "2", "a.fq.gz", "-o", "c.thk", "--trace", "c.jsonl",
    ]);
    assert!(values(&place, "c.jsonl").len() < dump.lines().count());
}

/// The frames of a file: each begins with the magic number, which is not met in these otherwise.
pub(crate) fn frames(bytes: &[u8]) -> Vec<&[u8]> {
    let magic = [0x04, 0x22, 0x4d, 0x18];
    let starts = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(&magic));
    let mut starts: Vec<usize> = starts.collect();
    starts.push(bytes.len());
    starts
        .windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}
