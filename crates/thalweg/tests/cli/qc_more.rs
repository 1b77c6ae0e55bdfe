//! What `thalweg qc` does and fastp does not: adapters at the 5' end, polyA; and split output.

use std::process::{Command, Stdio};

use crate::support::{Place, gzip};

/// A primer of each mate.
const PRIMERS: [&str; 2] = ["ACGTTGCATTRGGCATTCAG", "GGTTCAACGGATCCTYTTGAC"];

const ADAPTERS: [&str; 2] = [
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACCGATGTATCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAA",
];

/// Numbers without a pattern.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }

    fn bases(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| char::from(b"ACGT"[self.below(4)]))
            .collect()
    }
}

fn reverse_complement(bases: &str) -> String {
    let other = |base| match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        _ => 'A',
    };
    bases.chars().rev().map(other).collect()
}

/// A record of at most `length` bases.
fn record(number: usize, bases: &str, length: usize) -> String {
    let bases = &bases[..bases.len().min(length)];
    let qualities = "I".repeat(bases.len());
    format!("@r{number}\n{bases}\n+\n{qualities}\n")
}

/// Names and bases.
fn reads(text: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(text).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    lines
        .chunks(4)
        .map(|lines| (lines[0].to_owned(), lines[1].to_owned()))
        .collect()
}

fn json(place: &Place) -> serde_json::Value {
    serde_json::from_slice(&place.report("json")).unwrap()
}

/// Amplicons that begin with the primers, some of them shorter than the reads; and what is left
/// without primers and adapters.
fn amplicons(place: &Place, count: usize) -> [Vec<String>; 2] {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let primers = PRIMERS.map(|primer| primer.replace('R', "G").replace('Y', "C"));
    let mut texts = [String::new(), String::new()];
    let mut inserts = [Vec::new(), Vec::new()];
    for number in 0..count {
        let size = 35 + random.below(150);
        let insert = random.bases(size);
        let end = reverse_complement(&primers[1]);
        let fragment = format!("{}{insert}{end}", primers[0]);
        let strands = [fragment.clone(), reverse_complement(&fragment)];
        let cleans = [insert.clone(), reverse_complement(&insert)];
        for mate in 0..2 {
            let read = format!("{}{}", strands[mate], ADAPTERS[mate]);
            texts[mate].push_str(&record(number, &read, 120));
            let clean = &cleans[mate];
            // The end of a longer insert is the other primer, which only its own read can tell.
            let visible = strands[mate].len().min(120) - primers[mate].len();
            inserts[mate].push(clean[..clean.len().min(visible)].to_owned());
        }
    }
    place.write("r1.fq", &texts[0]);
    place.write("r2.fq", &texts[1]);
    inserts
}

#[test]
fn primers_are_cut_from_both_ends_of_amplicons() {
    let place = Place::new();
    let inserts = amplicons(&place, 2000);
    let outputs = ["-o", "o1.fq", "-O", "o2.fq"];
    let primers = [
        "--adapter_sequence_5p",
        PRIMERS[0],
        "--adapter_sequence_5p_r2",
        PRIMERS[1],
    ];
    let line = [&["qc", "r1.fq", "r2.fq"], &outputs[..], &primers].concat();
    let ended = place.ok(&line);
    assert!(
        ended
            .stderr
            .contains("adapters at the 5' end cut from 4,000 reads"),
        "{}",
        ended.stderr
    );
    for (mate, name) in ["o1.fq", "o2.fq"].into_iter().enumerate() {
        let found = reads(&place.read(name));
        assert_eq!(found.len(), 2000);
        for ((name, found), insert) in found.iter().zip(&inserts[mate]) {
            assert_eq!(found, insert, "{name}");
        }
    }
    let section = &json(&place)["adapter_cutting_5p"];
    assert_eq!(section["adapter_trimmed_reads"], 4000);
    assert_eq!(section["adapter_trimmed_bases"], 2000 * (20 + 21));
    assert_eq!(section["read1_adapter_counts"][PRIMERS[0]], 2000);
    assert_eq!(section["read2_adapter_counts"][PRIMERS[1]], 2000);
    let wanted = ["o1.fq", "o2.fq"].map(|name| place.read(name));

    // A list for both mates does the same, on any number of threads.
    let list = format!(">first\n{}\n>second\n{}\n", PRIMERS[0], PRIMERS[1]);
    place.write("primers.fa", list);
    for threads in ["1", "3"] {
        let list = ["--adapter_fasta_5p", "primers.fa", "-w", threads];
        place.ok(&[&["qc", "r1.fq", "r2.fq"], &outputs[..], &list].concat());
        assert!(["o1.fq", "o2.fq"].map(|name| place.read(name)) == wanted);
    }
    // Where nothing else is cut, the adapters at the 5' end still are.
    place.ok(&[&line[..], &["-A"]].concat());
    assert_eq!(reads(&place.read("o1.fq"))[0].1.len(), 100);
    assert!(json(&place)["adapter_cutting"].is_null());
}

#[test]
fn adapters_at_the_front_that_cannot_be_are_usage_errors() {
    let place = Place::new();
    amplicons(&place, 10);
    place.write("short.fa", ">a\nACGT\n");
    place.write("no.fa", "ACGTACGT\n");
    let front = "--adapter_sequence_5p";
    for (arguments, words) in [
        (
            &[front, "ACGT"][..],
            &["adapter_sequence_5p", "at least 5"][..],
        ),
        (
            &[front, "^ACGTNNNN"],
            &["adapter_sequence_5p", "at least 5"],
        ),
        (
            &[front, "ACGTACGTX"],
            &["adapter_sequence_5p", "'X' is not a base"],
        ),
        (
            &[front, "ACGT^ACGT"],
            &["adapter_sequence_5p", "'^' is not a base"],
        ),
        (&["--adapter_sequence_5p_r2", "ACGTACGT"], &["paired"]),
        (
            &["--adapter_fasta_5p", "short.fa"],
            &["adapter_fasta_5p", "at least 5"],
        ),
        (
            &["--adapter_fasta_5p", "no.fa"],
            &["no.fa", "does not begin with '>'"],
        ),
        (&["--adapter_fasta_5p", "none.fa"], &["none.fa"]),
        (
            &["--trim_poly_a", "--poly_a_min_len", "0"],
            &["poly_a_min_len"],
        ),
        // fastp knows none of these.
        (
            &["--fastp-compat", front, "ACGTACGT"],
            &["adapter_sequence_5p", "--fastp-compat"],
        ),
        (
            &["--fastp-compat", "--adapter_fasta_5p", "short.fa"],
            &["adapter_fasta_5p"],
        ),
        (
            &["--fastp-compat=0.23", "--trim_poly_a"],
            &["trim_poly_a", "--fastp-compat"],
        ),
        (&["--fastp-compat", "--dust"], &["dust", "--fastp-compat"]),
    ] {
        let before = place.names();
        let ended = place.run(&[&["qc", "r1.fq", "-o", "o.fq"], arguments].concat());
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.stderr);
        for word in words {
            assert!(
                ended.stderr.contains(word),
                "{arguments:?}: {}",
                ended.stderr
            );
        }
        assert_eq!(place.names(), before, "{arguments:?}");
    }
}

#[test]
fn tails_of_a_are_cut_from_both_strands() {
    let place = Place::new();
    let mut random = Random(77);
    let (mut first, mut second) = (String::new(), String::new());
    let mut inserts = Vec::new();
    for number in 0..1000 {
        let size = 30 + random.below(40);
        // So that neither end of it is like a tail: nine A would be needed to make up for these.
        let insert = format!("CGCG{}CGCG", random.bases(size));
        let tail = "A".repeat(10 + random.below(20));
        let fragment = format!("{insert}{tail}");
        for (mate, text) in [&mut first, &mut second].into_iter().enumerate() {
            let strand = match mate {
                0 => fragment.clone(),
                _ => reverse_complement(&fragment),
            };
            text.push_str(&record(number, &format!("{strand}{}", ADAPTERS[mate]), 110));
        }
        inserts.push(insert);
    }
    place.write("r1.fq", first);
    place.write("r2.fq", second);
    let ended = place.ok(&[
        "qc",
        "r1.fq",
        "r2.fq",
        "-o",
        "o1.fq",
        "-O",
        "o2.fq",
        "--trim_poly_a",
        "-x",
    ]);
    assert!(
        ended.stderr.contains("polyA tails cut from 2,000 reads"),
        "{}",
        ended.stderr
    );
    let (first, second) = (reads(&place.read("o1.fq")), reads(&place.read("o2.fq")));
    assert_eq!((first.len(), second.len()), (1000, 1000));
    for (((name, first), (_, second)), insert) in first.iter().zip(&second).zip(&inserts) {
        assert_eq!(first, insert, "{name}");
        assert_eq!(&reverse_complement(second), insert, "{name}");
    }
    let json = json(&place);
    assert_eq!(json["polya_trimming"]["polya_trimmed_reads"]["read1"], 1000);
    assert_eq!(json["polya_trimming"]["polya_trimmed_reads"]["read2"], 1000);
    // What polyA took is not counted once more.
    assert_eq!(json["polyx_trimming"]["polyx_trimmed_reads"]["A"], 0);

    // Single reads: the tail stands before the adapter; the least length is kept to.
    let least = ["--trim_poly_a", "--poly_a_min_len"];
    let single = ["qc", "r1.fq", "-o", "o.fq", "-a", ADAPTERS[0]];
    place.ok(&[&single[..], &least, &["20"]].concat());
    let long = reads(&place.read("o.fq")).into_iter().zip(&inserts);
    for ((name, found), insert) in long {
        let tail = found
            .strip_prefix(insert.as_str())
            .unwrap_or_else(|| panic!("{name}"));
        assert!(
            tail.len() < 20 && tail.bytes().all(|base| base == b'A'),
            "{name}: {tail}"
        );
    }
}

#[test]
fn qualities_that_do_not_count_from_64_are_doubted() {
    let place = Place::new();
    let read = |quality: &str| format!("@r\nACGTTGCATTAGGCATTCAGGATC\n+\n{}\n", quality.repeat(24));
    // The first two count from 33.
    for (quality, is_doubted) in [("%", true), ("5", true), ("B", false), ("h", false)] {
        place.write("r.fq", read(quality));
        let ended = place.ok(&["qc", "r.fq", "-o", "o.fq", "--phred64"]);
        assert_eq!(
            ended.stderr.contains("is --phred64 right"),
            is_doubted,
            "{quality}"
        );
    }
}

#[test]
fn adapters_of_a_list_that_are_too_short_are_named() {
    let place = Place::new();
    place.write(
        "r.fq",
        record(1, "ACGTTGCATTAGGCATTCAGGATCCAGTACCATGA", 100),
    );
    place.write("list.fa", ">a\nGATC\n>b\nCCAGTACCATGA\n");
    let ended = place.ok(&["qc", "r.fq", "-o", "o.fq", "--adapter_fasta", "list.fa"]);
    assert!(
        ended.stderr.contains("list.fa: 1 of 2 sequences"),
        "{}",
        ended.stderr
    );
    assert_eq!(reads(&place.read("o.fq"))[0].1, "ACGTTGCATTAGGCATTCAGGAT");
}

#[test]
fn what_a_list_cuts_from_single_reads_is_reported() {
    let place = Place::new();
    let texts = [
        "ACGTTGCATTAGGCATTCAGGATCCAGTACCATGA",
        "TTAGGCATTCAGGACGTTGCATTAGCA",
    ];
    let text: String = (0..)
        .zip(texts)
        .map(|(number, bases)| record(number, bases, 100))
        .collect();
    place.write("r.fq", text);
    place.write("list.fa", ">b\nCCAGTACCATGA\n");
    let line = ["qc", "r.fq", "-o", "o.fq", "--adapter_fasta", "list.fa"];
    let ended = place.ok(&line);
    assert!(
        ended.stderr.contains("adapters cut from 1 read"),
        "{}",
        ended.stderr
    );
    let section = &json(&place)["adapter_cutting"];
    assert_eq!(section["adapter_trimmed_reads"], 1);
    assert_eq!(section["adapter_trimmed_bases"], 12);
    assert_eq!(section["read1_adapter_sequence"], "unspecified");
    assert_eq!(section["read1_adapter_counts"]["CCAGTACCATGA"], 1);
    // Nothing is cut, or nothing is said as fastp says nothing.
    for more in [&["-A"][..], &["--fastp-compat"], &["--fastp-compat=0.23"]] {
        place.ok(&[&line[..], more].concat());
        assert!(json(&place)["adapter_cutting"].is_null(), "{more:?}");
    }
}

#[test]
fn lists_without_an_adapter_are_usage_errors() {
    let place = Place::new();
    place.write(
        "r.fq",
        record(1, "ACGTTGCATTAGGCATTCAGGATCCAGTACCATGA", 100),
    );
    for text in ["", "\n\n", ">a\n", ">a\n>b\n\n"] {
        place.write("list.fa", text);
        for option in ["--adapter_fasta", "--adapter_fasta_5p"] {
            let line = ["qc", "r.fq", "-o", "o.fq", option, "list.fa"];
            place.fails(&line, 2, &["list.fa", "no adapter"]);
        }
    }
    // fastp takes it.
    place.ok(&[
        "qc",
        "r.fq",
        "-o",
        "o.fq",
        "--adapter_fasta",
        "list.fa",
        "--fastp-compat",
    ]);
}

/// Tails of G are cut where the name has the serial number of an instrument that calls G where there is no signal, and not where it begins like one;
/// the summary and both reports say that, and why.
#[test]
fn tails_of_g_are_cut_by_serial_numbers_and_reported() {
    let place = Place::new();
    let mut random = Random(11);
    let mut write = |name: &str| {
        let mut text = String::new();
        for number in 0..200 {
            let mut bases = random.bases(69).replace('G', "T") + "C";
            bases.push_str(&"G".repeat(30));
            let qualities = "I".repeat(100);
            text += &format!("@{name}{number}\n{bases}\n+\n{qualities}\n");
        }
        place.write("in.fq", text);
    };
    let reports = ["-o", "o.fq", "-j", "j.json", "-h", "h.html"];
    let run = |more: &[&str]| {
        let ended = place.ok(&[&["qc", "in.fq"][..], &reports, more].concat());
        let lengths = reads(&place.read("o.fq")).into_iter();
        let lengths: Vec<usize> = lengths.map(|(_, bases)| bases.len()).collect();
        let json: serde_json::Value = serde_json::from_slice(&place.read("j.json")).unwrap();
        let html = String::from_utf8(place.read("h.html")).unwrap();
        let is_cut = lengths.iter().all(|&length| length == 70);
        assert!(is_cut || lengths.iter().all(|&length| length == 100));
        assert_eq!(
            html.contains("Poly-G tails cut"),
            json["polyg_trimming"].is_object()
        );
        (is_cut, ended.stderr, json["polyg_trimming"].clone())
    };
    let of_instrument = |serial: &str| {
        serde_json::json!({
            "cause": "two-colour instrument",
            "instrument": serial,
            "total_polyg_trimmed_reads": 200,
            "total_polyg_trimmed_bases": 6000,
        })
    };
    for serial in [
        "A01225", "LH00123", "VH00123", "VL00870", "NS500211", "NB501788", "MN00123",
    ] {
        write(&format!("{serial}:404:H5NYTDSX3:2:1468:1000:"));
        let (is_cut, said, told) = run(&[]);
        assert!(is_cut, "{serial}");
        let line = format!(
            "polyG tails cut from 200 reads (6,000 bases): instrument {serial} calls G where there is no signal; -G keeps these tails"
        );
        assert!(said.contains(&line), "{said}");
        assert_eq!(told, of_instrument(serial));
        let (is_cut, said, told) = run(&["-G"]);
        assert!(
            !is_cut && !said.contains("polyG") && told.is_null(),
            "{said}"
        );
    }
    for name in [
        "AV240405:run1:2345:1:10102:7:",
        "Amplicon12_",
        "NS_",
        "M01378:492:F:1:1101:7:",
    ] {
        write(name);
        let (is_cut, said, told) = run(&[]);
        assert!(
            !is_cut && !said.contains("polyG") && told.is_null(),
            "{name}: {said}"
        );
        let (is_cut, said, told) = run(&["-g"]);
        assert!(is_cut, "{name}");
        assert!(
            said.contains("polyG tails cut from 200 reads (6,000 bases): enabled by -g"),
            "{said}"
        );
        assert_eq!(told["cause"], "--trim_poly_g");
        assert_eq!(told["instrument"], serde_json::Value::Null);
        // fastp goes by the begin, and its report has no such section.
        let (is_cut, _, told) = run(&["--fastp-compat"]);
        assert_eq!(is_cut, !name.starts_with('M'), "{name}");
        assert!(told.is_null());
    }
}

/// What Cutadapt does, if there is one that knows polyA (4.4 and later; `THALWEG_CUTADAPT`
/// names one that is not in PATH).
#[test]
fn cutadapt_cuts_the_same() {
    let cutadapt = std::env::var_os("THALWEG_CUTADAPT").unwrap_or("cutadapt".into());
    let help = Command::new(&cutadapt).arg("--help").output();
    let knows_poly_a =
        |help: &std::process::Output| String::from_utf8_lossy(&help.stdout).contains("--poly-a");
    if !help.as_ref().is_ok_and(knows_poly_a) {
        println!("skipped: no cutadapt from 4.4 on");
        return;
    }
    let place = Place::new();
    let mut random = Random(4711);
    let mut texts = [String::new(), String::new()];
    for number in 0..5000 {
        let front = random.below(30);
        let before = random.bases(front);
        let lacking = random
            .below(2 * PRIMERS[0].len())
            .saturating_sub(PRIMERS[0].len());
        let primer = PRIMERS[0].replace('R', "A");
        let size = random.below(120);
        let insert = random.bases(size);
        let tail = "A".repeat(random.below(30));
        let before = if lacking == 0 { &before[..] } else { "" };
        let mut fragment = format!("C{before}{}{insert}{tail}", &primer[lacking..]).into_bytes();
        if number % 3 == 0 {
            fragment.remove(0);
        }
        for base in &mut fragment {
            if random.below(40) == 0 {
                *base = b"ACGTN"[random.below(5)];
            }
        }
        let fragment = String::from_utf8(fragment).unwrap();
        let strands = [fragment.clone(), reverse_complement(&fragment)];
        for (text, strand) in texts.iter_mut().zip(&strands) {
            text.push_str(&record(number, &format!("{strand}G"), 150));
        }
    }
    place.write("r1.fq", &texts[0]);
    place.write("r2.fq", &texts[1]);
    let anchored = format!("^{}", PRIMERS[0]);
    let primer = |option, sequence| vec![option, sequence];
    let ours = |sequence| primer("--adapter_sequence_5p", sequence);
    let theirs = |sequence| primer("-g", sequence);
    for (theirs, ours) in [
        (theirs(PRIMERS[0]), ours(PRIMERS[0])),
        (theirs(&anchored), ours(&anchored)),
        (
            [theirs(&anchored), theirs("TTGACNNACGTGA")].concat(),
            [ours(&anchored), ours("TTGACNNACGTGA")].concat(),
        ),
        (
            vec!["--poly-a"],
            vec!["--trim_poly_a", "--poly_a_min_len", "3"],
        ),
    ] {
        // -m 1: a read of nothing is written by neither.
        let line = "--quiet --no-indels -e 0.125 -O 5 -m 1 --pair-filter any";
        let status = Command::new(&cutadapt)
            .current_dir(place.path(""))
            .args(line.split(' '))
            .args("-o c1.fq -p c2.fq".split(' '))
            .args(&theirs)
            .args(["r1.fq", "r2.fq"])
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        let line = "qc r1.fq r2.fq -o o1.fq -O o2.fq -A -Q -L -G --no_report";
        let line: Vec<&str> = line.split(' ').chain(ours.iter().copied()).collect();
        place.ok(&line);
        for mate in ["1", "2"] {
            let theirs = reads(&place.read(&format!("c{mate}.fq")));
            let ours = reads(&place.read(&format!("o{mate}.fq")));
            assert_eq!(ours.len(), theirs.len(), "{line:?}");
            let different = ours
                .iter()
                .zip(&theirs)
                .filter(|(ours, theirs)| ours != theirs);
            let different: Vec<_> = different.take(3).collect();
            assert!(different.is_empty(), "{line:?}: {different:#?}");
        }
    }
}

/// Adapters at the 3' end that resemble themselves some bases on are met too early by whoever takes the first place.
#[test]
fn cutadapt_finds_adapters_of_repeats_at_the_same_places() {
    let cutadapt = std::env::var_os("THALWEG_CUTADAPT").unwrap_or("cutadapt".into());
    if Command::new(&cutadapt).arg("--version").output().is_err() {
        println!("SKIPPED: cutadapt_finds_adapters_of_repeats_at_the_same_places: no cutadapt");
        return;
    }
    let place = Place::new();
    let mut random = Random(1147);
    let mut adapters: Vec<String> = ["A", "AT", "ACG", "ATCA", "AAAT"]
        .map(|unit| unit.repeat(24 / unit.len()))
        .into();
    adapters.push("A".repeat(10));
    adapters.push(format!("AAAAAAA{}", random.bases(12)));
    adapters.push("AGATCGGAAGAGCACACGTCTGAACTCCAGTCA".to_owned());
    for adapter in adapters {
        let mut text = String::new();
        for number in 0..2000 {
            let (size, kept) = (random.below(80), random.below(2 * adapter.len()));
            // Where the read begins, we let an adapter lack its first letters: let none be there.
            let insert = format!("GGCCGTGGCC{}", random.bases(size));
            let behind = match kept.checked_sub(adapter.len()) {
                Some(bases) => random.bases(bases),
                None => String::new(),
            };
            let adapter = &adapter[..adapter.len().min(kept)];
            let mut bases = format!("{insert}{adapter}{behind}").into_bytes();
            for base in bases.iter_mut().skip(10) {
                if random.below(40) == 0 {
                    *base = b"ACGTN"[random.below(5)];
                }
            }
            let qualities = "I".repeat(bases.len());
            let bases = String::from_utf8(bases).unwrap();
            text.push_str(&format!("@r{number}\n{bases}\n+\n{qualities}\n"));
        }
        place.write("r.fq", text);
        let line = "--quiet --no-indels -e 0.125 -O 5 -o c.fq -a";
        let status = Command::new(&cutadapt)
            .current_dir(place.path(""))
            .args(line.split(' '))
            .args([&adapter[..], "r.fq"])
            .stdin(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        let line = "qc r.fq -o o.fq -Q -L -G --no_report -a";
        place.ok(&line.split(' ').chain([&adapter[..]]).collect::<Vec<_>>());
        let (theirs, ours) = (reads(&place.read("c.fq")), reads(&place.read("o.fq")));
        assert_eq!(ours.len(), 2000);
        let different = ours
            .iter()
            .zip(&theirs)
            .filter(|(ours, theirs)| ours != theirs);
        let different: Vec<_> = different.take(3).collect();
        assert!(different.is_empty(), "{adapter}: {different:#?}");
    }
}

#[test]
fn split_output_is_dealt_whatever_is_known_of_the_input() {
    let place = Place::new();
    amplicons(&place, 9500);
    for mate in ["r1", "r2"] {
        let text = place.read(&format!("{mate}.fq"));
        place.write(&format!("{mate}.fq.gz"), gzip(&text));
        place.ok(&["index", "-q", "--span", "100k", &format!("{mate}.fq.gz")]);
    }
    let options = ["-A", "--no_report", "-s", "4", "--reads_to_process", "9000"];
    let outputs = ["-o", "whole1.fq", "-O", "whole2.fq"];
    place.ok(&[
        &["qc", "r1.fq", "r2.fq"],
        &outputs[..],
        &options[..2],
        &options[4..],
    ]
    .concat());
    for ending in [".fq", ".fq.gz"] {
        let inputs = ["r1", "r2"].map(|name| format!("{name}{ending}"));
        let line = ["qc", &inputs[0], &inputs[1], "-o", "o1.fq", "-O", "o2.fq"];
        place.ok(&[&line[..], &options].concat());
        for mate in ["1", "2"] {
            let whole = reads(&place.read(&format!("whole{mate}.fq")));
            let mut files = vec![Vec::new(); 4];
            for (number, thousand) in whole.chunks(1000).enumerate() {
                files[number % 4].extend_from_slice(thousand);
            }
            for (number, wanted) in (1..).zip(files) {
                let found = reads(&place.read(&format!("000{number}.o{mate}.fq")));
                assert!(
                    found.len() >= 2000 && found == wanted,
                    "{ending} {mate} {number}"
                );
            }
        }
    }
    // Exactly as many lines as said, and no file more than there is for.
    let before = place.names().len();
    place.ok(&[
        "qc",
        "r1.fq",
        "-o",
        "s.fq",
        "-A",
        "-Q",
        "--no_report",
        "-S",
        "8000",
        "-d",
        "0",
    ]);
    let sizes: Vec<usize> = (1..=5)
        .map(|number| reads(&place.read(&format!("{number}.s.fq"))).len())
        .collect();
    assert_eq!(sizes, [2000, 2000, 2000, 2000, 1500]);
    assert_eq!(place.names().len(), before + 5);
}

/// Reads of a microsatellite, whose neighbours all differ: `-y` keeps them. Pairs go where one mate has them.
#[test]
fn dust_finds_repeats_that_neighbours_do_not_tell() {
    let place = Place::new();
    let mut random = Random(31);
    let (mut first, mut second) = (String::new(), String::new());
    for number in 0..40 {
        let good = random.bases(100);
        let bases = match number % 4 {
            0 => "ACAG".repeat(25),
            _ => good,
        };
        first += &record(number, &bases, 100);
        second += &record(number, &random.bases(100), 100);
    }
    place.write("1.fq", &first);
    place.write("2.fq", &second);
    let kept = |files: &[&str], arguments: &[&str]| {
        let usual = ["-A", "-o", "o.fq", "-j", "fastp.json", "-h", "h.html"];
        place.ok(&[&["qc"], files, &usual[..], arguments].concat());
        (reads(&place.read("o.fq")).len(), json(&place))
    };
    assert_eq!(kept(&["1.fq"], &["-y"]).0, 40);
    let (some, report) = kept(&["1.fq"], &["--dust"]);
    assert_eq!(some, 30);
    assert_eq!(report["filtering_result"]["low_complexity_reads"], 10);
    assert_eq!(kept(&["1.fq"], &["--dust=100"]).0, 40);
    let (some, report) = kept(&["1.fq", "2.fq"], &["-O", "p.fq", "--dust"]);
    assert_eq!((some, reads(&place.read("p.fq")).len()), (30, 30));
    assert_eq!(report["filtering_result"]["low_complexity_reads"], 20);
    let refused = place.run(&["qc", "1.fq", "-o", "o.fq", "--dust=101"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}
