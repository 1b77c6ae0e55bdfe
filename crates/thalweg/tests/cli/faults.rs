//! `thalweg verify --faults`, `--mates` and `--interleaved`: codes and verdicts as of fq lint.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::support::{Place, bgzf, fastq_with, gzip, random};

/// A fault as it is told: code, number of the file, rank from 1, byte.
type Fault = (String, usize, u64, u64);

/// All faults by one loop over the lines of all files, as fq's rules are written down.
fn slowly(files: &[&[u8]], is_pair: bool) -> Vec<Fault> {
    let split = |text: &[u8]| -> Vec<(Vec<u8>, u64)> {
        let (mut lines, mut offset) = (Vec::new(), 0);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let bare = line.strip_suffix(b"\n").unwrap_or(line);
            let bare = bare.strip_suffix(b"\r").unwrap_or(bare);
            lines.push((bare.to_vec(), offset));
            offset += line.len() as u64;
        }
        while lines.last().is_some_and(|(line, _)| line.is_empty()) && lines.len() % 4 != 0 {
            lines.pop();
        }
        while lines.len() % 4 != 0 {
            lines.push((Vec::new(), offset));
        }
        lines
    };
    let files: Vec<_> = files.iter().map(|text| split(text)).collect();
    let cut = |name: &[u8]| -> Vec<u8> {
        let ends: &[u8] = if is_pair { b"/ " } else { b" " };
        name.split(|byte| ends.contains(byte))
            .next()
            .unwrap()
            .to_vec()
    };
    let (mut faults, mut seen) = (Vec::new(), HashMap::new());
    for record in 0..files[0].len() / 4 {
        let rank = record as u64 + 1;
        for (number, file) in files.iter().enumerate() {
            let [name, bases, plus, values] = &file[4 * record..4 * record + 4] else {
                unreachable!()
            };
            let mut put = |code: &str, offset| faults.push((code.to_owned(), number, rank, offset));
            if !plus.0.starts_with(b"+") {
                put("S001", plus.1);
            }
            if let Some(place) = bases
                .0
                .iter()
                .position(|base| !b"ACGTNacgtn".contains(base))
            {
                put("S002", bases.1 + place as u64);
            }
            if !name.0.starts_with(b"@") {
                put("S003", name.1);
            }
            if let Some(line) = [name, bases, plus, values]
                .iter()
                .find(|line| line.0.is_empty())
            {
                put("S004", line.1);
            }
            if bases.0.len() != values.0.len() {
                put("S005", values.1);
            }
            if let Some(place) = values
                .0
                .iter()
                .position(|&byte| !(b'!'..=b'~').contains(&byte))
            {
                put("S006", values.1 + place as u64);
            }
            let name = (cut(&name.0), name.1);
            if number == 0 {
                let name = name
                    .0
                    .strip_prefix(b"@")
                    .map(<[u8]>::to_vec)
                    .unwrap_or(name.0);
                if seen.insert(name, rank).is_some() {
                    put("S007", file[4 * record].1);
                }
            } else if name.0 != cut(&files[0][4 * record].0) {
                put("P001", name.1);
            }
        }
    }
    faults.sort();
    faults
}

/// What is told, as JSON has it.
fn told(json: &Value) -> Vec<Fault> {
    let report = &json["reports"][0];
    let names = report["files"].as_array().unwrap();
    let mut faults: Vec<Fault> = (report["faults"].as_array().unwrap().iter())
        .map(|fault| {
            let file = names
                .iter()
                .position(|name| *name == fault["file"])
                .unwrap();
            let number = |name: &str| fault[name].as_u64().unwrap();
            let code = fault["code"].as_str().unwrap().to_owned();
            (code, file, number("record"), number("byte"))
        })
        .collect();
    faults.sort();
    faults
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A record, and what may be wrong with it.
fn record(next: &mut impl FnMut(usize) -> usize, number: usize, mate: &str) -> String {
    let (mut name, mut bases, mut plus, mut values) = (
        format!("@r{number}{mate}"),
        "ACGTN".to_owned(),
        "+",
        "IIII!".to_owned(),
    );
    match next(60) {
        0 => name = name[1..].to_owned(),
        1 => name = format!("@r{}{mate}", next(number + 1)),
        2 => bases = "ACRT?".to_owned(),
        3 => plus = "",
        4 => plus = "r",
        5 => values.truncate(3),
        6 => values = "II I\u{7f}".to_owned(),
        7 => (bases, values) = (String::new(), String::new()),
        8 => name.clear(),
        9 => bases.push_str("acgtnn"),
        _ => {}
    }
    format!("{name}\n{bases}\n{plus}\n{values}\n")
}

#[test]
fn all_faults_are_those_of_the_plain_loop() {
    let mut next = random(49);
    for round in 0..12 {
        let place = Place::new();
        let reads = [0, 1, 7, 900, 4000][next(5)];
        let mut file = |mate: &str| -> Vec<u8> {
            let text: String = (0..reads)
                .map(|number| record(&mut next, number, mate))
                .collect();
            let text = if round % 3 == 0 {
                text.replace('\n', "\r\n")
            } else {
                text
            };
            text.into_bytes()
        };
        let (mut r1, r2) = (file("/1"), file(" 2:N:0"));
        let files = [&r1[..], &r2[..]];
        place.write("r1.fq", &r1);
        place.write("r2.fq.gz", gzip(&r2));
        let expected = slowly(&files, true);
        for threads in ["1", "3"] {
            let words = [
                "verify", "--mates", "--json", "--list", "1000000", "--memory", "1M", "-t",
                threads, "r1.fq", "r2.fq.gz",
            ];
            let ended = place.run(&words);
            assert_eq!(
                ended.code,
                Some(i32::from(!expected.is_empty())),
                "{}",
                ended.stderr
            );
            let json = json(&ended.text());
            assert_eq!(told(&json), expected);
            let mut totals: BTreeMap<&str, u64> = BTreeMap::new();
            for (code, ..) in &expected {
                *totals.entry(code).or_default() += 1;
            }
            for (code, total) in json["reports"][0]["totals"].as_object().unwrap() {
                let expected = totals.get(&**code).copied().unwrap_or(0);
                assert_eq!(total.as_u64(), Some(expected), "{code}");
            }
        }
        // One alone, which the end cuts off.
        r1.truncate(r1.len().saturating_sub(next(9)));
        place.write("cut.fq.gz", bgzf(&r1));
        let expected = slowly(&[&r1], false);
        let ended = place.run(&[
            "verify",
            "--faults",
            "--json",
            "--list",
            "1000000",
            "cut.fq.gz",
        ]);
        assert_eq!(told(&json(&ended.text())), expected, "{}", ended.stderr);
        let ended = place.feed(
            &["verify", "--faults", "--json", "--list", "1000000", "-"],
            &gzip(&r1),
        );
        assert_eq!(told(&json(&ended.text())), expected, "{}", ended.stderr);
    }
}

#[test]
fn sound_files_are_told_in_a_line() {
    let place = Place::new();
    place.write("r1.fq", fastq_with(20_000, "/1"));
    place.write("r2.fq.gz", gzip(&fastq_with(20_000, "/2")));
    place.ok(&["index", "-q", "--span", "300k", "r2.fq.gz"]);
    for memory in ["1M", "1G"] {
        for threads in ["1", "2", "5"] {
            let words = ["--memory", memory, "-t", threads, "r1.fq", "r2.fq.gz"];
            let ended = place.ok(&[&["verify", "--mates"], &words[..]].concat());
            assert_eq!(
                ended.text(),
                "r1.fq, r2.fq.gz: OK (20,000 records of each)\n"
            );
            let ended = place.ok(&[&["verify", "--faults"], &words[..]].concat());
            assert_eq!(
                ended.text(),
                "r1.fq: OK (20,000 records)\nr2.fq.gz: OK (20,000 records)\n"
            );
        }
    }
    place.write("both.fq", interleaved(500));
    let ended = place.ok(&["verify", "--interleaved", "both.fq"]);
    assert_eq!(ended.text(), "both.fq: OK (1,000 records)\n");
    // A pipe can be read once only: by lines.
    let ended = place.feed(&["verify", "--interleaved", "-"], &interleaved(500));
    assert_eq!(ended.text(), "-: OK (1,000 records)\n");
}

fn interleaved(pairs: usize) -> Vec<u8> {
    let pair = |number| format!("@r{number} 1:N\nACGT\n+\nIIII\n@r{number} 2:N\nAC\n+\nII\n");
    (0..pairs).map(pair).collect::<String>().into_bytes()
}

#[test]
fn faults_are_listed_with_their_places() {
    let place = Place::new();
    let text = "@a\nACGT\n+\nIIII\n@b\nACRT\n+\nIII\n@a x\nAC\n+\nII\n";
    place.write("a.fq", text);
    let ended = place.run(&["verify", "--faults", "a.fq"]);
    ended.expect_failure(1, &["a.fq: some records have faults"]);
    assert_eq!(
        ended.text(),
        "\
a.fq: S002: 'R' is not A, C, G, T or N (record 2, byte 20 of the uncompressed data)
a.fq: S005: the sequence has length 4, the qualities have 3 (record 2, byte 25 of the uncompressed data)
a.fq: S007: record 1 has the same name (record 3, byte 29 of the uncompressed data)
a.fq: 3 faults in 3 records (S002: 1, S005: 1, S007: 1)
"
    );
    // What is disabled is no fault, also where a reader stops at it.
    let ended = place.ok(&[
        "verify",
        "--faults",
        "--disable",
        "S002,s005",
        "--disable",
        "S007",
        "a.fq",
    ]);
    assert_eq!(ended.text(), "a.fq: OK (3 records)\n");
    place.write(
        "r.fq",
        "@a/2\nACGT\n+\nIIII\n@c/2\nACGT\n+\nIIII\n@d/2\nAC\n+\nII\n",
    );
    let ended = place.run(&[
        "verify",
        "--mates",
        "--disable",
        "S002,S005,S007",
        "a.fq",
        "r.fq",
    ]);
    ended.expect_failure(1, &["a.fq, r.fq: some records have faults"]);
    assert_eq!(
        ended.text(),
        "\
r.fq: P001: name '@c' does not match its mate '@b' (record 2, byte 17 of the uncompressed data)
r.fq: P001: name '@d' does not match its mate '@a' (record 3, byte 34 of the uncompressed data)
a.fq, r.fq: 2 faults in 3 records of each (P001: 2)
"
    );
    let many = "@a\nRRRR\n+\nIIII\n".repeat(5000);
    place.write("many.fq", many);
    let ended = place.run(&["verify", "--faults", "--list", "2", "many.fq"]);
    let text = ended.text();
    assert_eq!(text.lines().count(), 5, "{text}");
    assert!(
        text.contains("S007: record 1 has the same name (record 2, "),
        "{text}"
    );
    assert!(
        text.ends_with(
            "many.fq: 9,999 faults in 5,000 records (S002: 5,000, S007: 4,999; 9,995 not listed)\n"
        ),
        "{text}"
    );
}

/// What keeps files from being read to their ends is told beside the faults before it.
#[test]
fn damage_is_told_beside_faults() {
    let place = Place::new();
    place.write("r1.fq", fastq_with(30_000, "/1"));
    let sound = fastq_with(30_000, "/2");
    place.write("short.fq", &sound[..sound.len() / 2]);
    let cut = gzip(&sound);
    place.write("cut.fq.gz", &cut[..cut.len() / 2]);
    let mut flipped = gzip(&sound);
    let at = flipped.len() - 6;
    flipped[at] ^= 1;
    place.write("flipped.fq.gz", flipped);
    for (name, words) in [
        ("cut.fq.gz", "cut.fq.gz: "),
        ("flipped.fq.gz", "flipped.fq.gz: "),
        ("short.fq", "short.fq"),
    ] {
        let ended = place.fails(&["verify", "--mates", "r1.fq", name], 1, &[words]);
        assert!(!ended.text().contains("OK"), "{}", ended.text());
        let ended = place.fails(&["verify", "--mates", "--json", "r1.fq", name], 1, &[words]);
        let json = json(&ended.text());
        assert_eq!(json["reports"][0]["ok"], false);
    }
    let ended = place.fails(
        &["verify", "--mates", "--json", "r1.fq", "cut.fq.gz"],
        1,
        &["cut.fq.gz"],
    );
    assert!(json(&ended.text())["reports"][0]["error"].is_string());
    place.write("odd.fq", "@a\nA\n+\nI\n");
    place.fails(&["verify", "--interleaved", "odd.fq"], 1, &["odd.fq"]);
    // One at fault does not keep the next from being judged.
    place.write("good.fq", "@a\nA\n+\nI\n");
    let ended = place.fails(
        &["verify", "--faults", "cut.fq.gz", "good.fq", "none.fq"],
        2,
        &["cut.fq.gz", "none.fq"],
    );
    assert!(
        ended.text().contains("good.fq: OK (1 record)\n"),
        "{}",
        ended.text()
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::new();
    place.write("a.fa", ">a\nACGT\n");
    place.write("a.fq", "@a\nACGT\n+\nIIII\n");
    place.ok(&["cat", "-q", "a.fq", "-o", "a.bam"]);
    place.fails(
        &["verify", "--faults", "a.fa"],
        2,
        &["a.fa: faults are listed only for FASTQ, but this is FASTA"],
    );
    place.fails(
        &["verify", "--faults", "a.bam"],
        2,
        &["a.bam: faults are listed only for FASTQ, but this is BAM"],
    );
    place
        .feed(&["verify", "--faults", "-"], b">a\nACGT\n")
        .expect_failure(2, &["this is FASTA"]);
    place.write("none.fq.gz", "");
    place.fails(
        &["verify", "--faults", "none.fq.gz"],
        1,
        &["none.fq.gz: ", "it has 0 bytes"],
    );
    place.write("long.fq", format!("@a\n{}", "A".repeat(100_000)));
    place.fails(
        &["verify", "--faults", "--memory", "1M", "long.fq"],
        2,
        &["long.fq: the line at byte 3 ", "--memory"],
    );
    place.fails(&["verify", "--mates", "a.fq"], 2, &["two files"]);
    place.fails(&["verify", "--list", "3", "a.fq"], 2, &["--list"]);
    place.refuses(
        &["verify", "--faults", "--disable", "S008", "a.fq"],
        &["S001 to S007"],
    );
}

#[test]
fn json_tells_of_whole_files_too() {
    let place = Place::new();
    let text = fastq_with(3000, "");
    place.write("a.fq.gz", gzip(&text));
    place.write("cut.fq", &text[..text.len() - 50]);
    place.ok(&["index", "-q", "a.fq.gz"]);
    let ended = place.fails(&["verify", "--json", "a.fq.gz", "cut.fq"], 1, &["cut.fq"]);
    let json = json(&ended.text());
    assert_eq!(json["files"][0]["ok"], true);
    assert_eq!(json["files"][0]["hash_matches"], true);
    place.write("no index.fq", &text);
    let whole = place.ok(&["verify", "--json", "no index.fq"]).text();
    assert!(
        self::json(&whole)["files"][0]["hash_matches"].is_null(),
        "{whole}"
    );
    assert_eq!(json["files"][1]["ok"], false);
    assert!(
        json["files"][1]["error"]
            .as_str()
            .unwrap()
            .contains("cut.fq")
    );
}

/// Names find no room: said with what to do, and nothing is left.
#[test]
fn a_missing_directory_for_names_is_told() {
    let place = Place::new();
    place.write("a.fq", fastq_with(60_000, ""));
    let ended =
        place.shell("TMPDIR=/nowhere/at/all $THALWEG verify --faults --memory 1M -t 2 a.fq");
    ended.expect_failure(2, &["/nowhere/at/all", "TMPDIR"]);
}

/// One of two mates that a file lacks puts all behind it out of step: that is one fault to list, and each pair one to count.
#[test]
fn a_lost_record_is_listed_once() {
    let place = Place::new();
    let record = |number: usize, mate: usize| format!("@r{number}/{mate}\nAC\n+\nII\n");
    let file = |mate: usize, lost: &[usize]| -> String {
        let kept = (0..2000).filter(|number| !lost.contains(number));
        kept.map(|number| record(number, mate)).collect()
    };
    place.write("r1.fq", file(1, &[]));
    place.write("r2.fq.gz", gzip(file(2, &[10]).as_bytes()));
    let ended = place.run(&["verify", "--mates", "r1.fq", "r2.fq.gz"]);
    ended.expect_failure(
        1,
        &[
            "r1.fq, r2.fq.gz: some records have faults",
            "seqkit pair",
            "has 1,999 records, but r1.fq has at least 2,000",
        ],
    );
    assert_eq!(
        ended.text(),
        "\
r2.fq.gz: P001: name '@r11' does not match its mate '@r10': r2.fq.gz lacks a record, and mates are out of step from here on \
(record 11, byte 140 of the uncompressed data)
r1.fq, r2.fq.gz: 1,989 faults in 1,999 records of each (P001: 1,989; 1,988 not listed); mates are out of step from record 11 on
"
    );
    let mut next = random(50);
    for round in 0..10 {
        // Far enough from each other that some pairs between them tell where they are.
        let mut lost = Vec::new();
        for part in 0..8 {
            if next(4) > 0 {
                lost.push((20 + 240 * part + next(200), 1 + next(2)));
            }
        }
        let of = |mate| {
            lost.iter()
                .filter(|lost| lost.1 == mate)
                .map(|lost| lost.0)
                .collect::<Vec<_>>()
        };
        let files = [1, 2].map(|mate| file(mate, &of(mate)));
        place.write("r1.fq", &files[0]);
        place.write("r2.fq", &files[1]);
        let listed = if round % 2 == 0 { "1000000" } else { "100" };
        let ended = place.run(&[
            "verify", "--mates", "--json", "--list", listed, "r1.fq", "r2.fq",
        ]);
        let json = json(&ended.text());
        let report = &json["reports"][0];
        let slow = slowly_in_step(&files, &lost);
        let found: Vec<u64> = (report["faults"].as_array().unwrap().iter())
            .map(|fault| fault["record"].as_u64().unwrap())
            .collect();
        let expected: Vec<u64> = slow.iter().map(|place| place.0).collect();
        assert_eq!(found, expected, "{lost:?}");
        let [first, second] = files.each_ref().map(|text| text.as_bytes());
        let records = report["records"].as_u64().unwrap() as usize;
        let cut = |text: &[u8]| {
            text.split_inclusive(|&byte| byte == b'\n')
                .take(4 * records)
                .flatten()
                .copied()
                .collect::<Vec<u8>>()
        };
        let all = slowly(&[&cut(first), &cut(second)], true);
        assert_eq!(report["totals"]["P001"], all.len());
        match slow.first() {
            Some((record, lacks)) => {
                assert_eq!(report["out_of_step"]["record"], *record);
                assert_eq!(report["out_of_step"]["file"], format!("r{lacks}.fq"));
                assert_eq!(report["out_of_step"]["lacking"], 1);
            }
            None => assert!(report["out_of_step"].is_null()),
        }
    }
}

/// Where mates fall out of step, and which file lacks a record there: by the numbers that were left out. A pair that is out of
/// step and falls into step again has nothing to list.
fn slowly_in_step(files: &[String; 2], lost: &[(usize, usize)]) -> Vec<(u64, usize)> {
    let numbers = files.each_ref().map(|text| {
        let names = text.lines().step_by(4);
        names
            .map(|name| {
                name[2..]
                    .split('/')
                    .next()
                    .unwrap()
                    .parse::<usize>()
                    .unwrap()
            })
            .collect::<Vec<_>>()
    });
    let mut lost = lost.to_vec();
    lost.sort_unstable();
    let (mut ahead, mut places) = (0_i64, Vec::new());
    for (number, mate) in lost {
        ahead += if mate == 2 { 1 } else { -1 };
        if ahead != 0 {
            // The first pair that does not fit any more: where the lost one would be read next.
            let other = &numbers[2 - mate];
            let this = &numbers[mate - 1];
            let at_other = other.iter().position(|&other| other == number).unwrap();
            let at_this = this.iter().position(|&this| this > number).unwrap();
            places.push((at_other.max(at_this) as u64 + 1, mate));
        }
    }
    places
}

#[test]
fn a_lost_mate_among_others_is_listed_once() {
    let place = Place::new();
    let text = interleaved(500);
    let records: Vec<&[u8]> = text.split_inclusive(|&byte| byte == b'\n').collect();
    // The second mate of the third pair.
    let without = [&records[..4 * 5], &records[4 * 6..]].concat().concat();
    place.write("both.fq", without);
    let ended = place.run(&["verify", "--interleaved", "both.fq"]);
    ended.expect_failure(
        1,
        &["both.fq: some records have faults", "filtered one by one"],
    );
    assert!(!ended.stderr.contains("seqkit pair"), "{}", ended.stderr);
    let text = ended.text();
    let told = "both.fq: P001: name '@r3' does not match its mate '@r2': a record is missing, and mates are out of step from \
                here on (record 6, ";
    assert!(
        text.starts_with(told) && text.lines().count() == 2,
        "{text}"
    );
    assert!(
        text.contains("P001: 497; 496 not listed); mates are out of step from record 6 on"),
        "{text}"
    );
}

/// Files that are no mates at all, or much further apart: some lines, and the number.
#[test]
fn no_mates_are_no_flood() {
    let place = Place::new();
    place.write("r1.fq", fastq_with(3000, "/1"));
    let text = String::from_utf8(fastq_with(3000, "/2")).unwrap();
    place.write("r2.fq", text.replace("@r", "@other"));
    let ended = place.run(&["verify", "--mates", "r1.fq", "r2.fq"]);
    let words = ["r1.fq, r2.fq: some records have faults", "one sample"];
    ended.expect_failure(1, &words);
    let text = ended.text();
    assert_eq!(text.lines().count(), 12, "{text}");
    let first =
        "r1.fq, r2.fq: the names never agree: the files are not mates, or not in the same order\n";
    assert!(text.starts_with(first), "{text}");
    assert!(
        text.contains("3,000 faults in 3,000 records of each (P001: 3,000; 2,990 not listed)\n"),
        "{text}"
    );
}

#[test]
fn names_that_never_agree_are_told_first() {
    let place = Place::new();
    let file = |names: &str| -> String {
        let records = names.chars().map(|name| format!("@{name}\nA\n+\nI\n"));
        records.collect()
    };
    let told = |words: &[&str]| {
        let ended = place.run(&[&["verify"], words].concat());
        let document = place.run(&[&["verify", "--json"], words].concat());
        let report = &json(&document.text())["reports"][0];
        let never = report["names_never_agree"].as_bool().unwrap();
        assert_eq!(never, ended.text().contains("never agree"), "{words:?}");
        ended.text().lines().next().unwrap_or_default().to_owned()
    };
    for (first, second) in [("ab", "xy"), ("abc", "xyz"), ("abc", "xyzabc")] {
        place.write("1.fq", file(first));
        place.write("2.fq", file(second));
        let told = told(&["--mates", "1.fq", "2.fq"]);
        assert!(
            told.starts_with("1.fq, 2.fq: the names never agree"),
            "{told}"
        );
    }
    place.write("both.fq", file("abcd"));
    let of_one = told(&["--interleaved", "both.fq"]);
    assert!(
        of_one.starts_with("both.fq: names of adjacent records never agree"),
        "{of_one}"
    );
    // One pair that agrees, one that is alone, or a record that is missing, is another matter.
    for (first, second) in [("abc", "xbz"), ("a", "x"), ("abcdefgh", "bcdefghi")] {
        place.write("1.fq", file(first));
        place.write("2.fq", file(second));
        let told = told(&["--mates", "1.fq", "2.fq"]);
        assert!(told.contains("P001"), "{told}");
    }
}

/// Other commands stop at the first pair, and say which one lists all.
#[test]
fn others_name_the_command_that_lists_all() {
    let place = Place::new();
    place.write("1.fq", "@a\nA\n+\nI\n@b\nA\n+\nI\n");
    place.write("2.fq", "@a\nA\n+\nI\n@c\nA\n+\nI\n");
    place.write("short.fq", "@a\nA\n+\nI\n");
    for mate in ["2.fq", "short.fq"] {
        for words in [
            &["cat", "--mates", "1.fq", mate][..],
            &["stats", "--mates", "1.fq", mate],
            &[
                "qc",
                "--no_report",
                "1.fq",
                mate,
                "-o",
                "o1.fq",
                "-O",
                "o2.fq",
            ],
        ] {
            place.fails(words, 1, &["`thalweg verify --mates R1 R2`"]);
        }
    }
    let words = ["stats", "--interleaved", "2.fq"];
    place.fails(&words, 1, &["`thalweg verify --interleaved FILE`"]);
    let ended = place.run(&["verify", "--mates", "1.fq", "short.fq"]);
    ended.expect_failure(1, &["1 record, but 1.fq has"]);
    assert!(!ended.stderr.contains("thalweg verify"), "{}", ended.stderr);
    // Of FASTA it lists nothing.
    place.write("1.fa", ">a\nA\n>b\nA\n");
    place.write("2.fa", ">a\nA\n>c\nA\n");
    let ended = place.fails(
        &["stats", "--mates", "1.fa", "2.fa"],
        1,
        &["--ignore-names"],
    );
    assert!(!ended.stderr.contains("verify"), "{}", ended.stderr);
}

/// What was found before one file ends is told, also if it is nothing.
#[test]
fn unequal_files_have_a_summary() {
    let place = Place::new();
    place.write("r1.fq", fastq_with(300, "/1"));
    place.write("r2.fq", fastq_with(200, "/2"));
    let ended = place.fails(
        &["verify", "--mates", "r1.fq", "r2.fq"],
        1,
        &["r2.fq has 200 records, but r1.fq has at least 201"],
    );
    assert_eq!(
        ended.text(),
        "r1.fq, r2.fq: no faults in the first 200 records of each\n"
    );
}
