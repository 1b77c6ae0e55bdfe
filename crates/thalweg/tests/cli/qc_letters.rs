//! `thalweg qc` of reads in lower case, with U for T, or with `.` for N: what is done is what is done to the same reads in usual
//! letters, and what is written are the letters that came.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::qc::{place_of_pairs, records};
use crate::qc_compat::has_fastp;
use crate::support::{Place, random};

/// How letters are changed, and changed back.
type Change = fn(u8) -> u8;

fn lower(base: u8) -> u8 {
    base.to_ascii_lowercase()
}

fn upper(base: u8) -> u8 {
    base.to_ascii_uppercase()
}

fn rna(base: u8) -> u8 {
    if base == b'T' { b'U' } else { base }
}

fn dna(base: u8) -> u8 {
    if base == b'U' { b'T' } else { base }
}

fn dots(base: u8) -> u8 {
    if base == b'N' { b'.' } else { base }
}

fn no_dots(base: u8) -> u8 {
    if base == b'.' { b'N' } else { base }
}

/// The lines of bases, changed.
fn with_bases(text: &[u8], mut change: impl FnMut(u8) -> u8) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n').enumerate();
    lines
        .flat_map(|(number, line)| match number % 4 {
            1 => line.iter().map(|&base| change(base)).collect(),
            _ => line.to_vec(),
        })
        .collect()
}

/// Pairs with errors of bad quality, some N, and mates that fail alone.
fn pairs() -> Place {
    let place = place_of_pairs(3000);
    let mut below = random(77);
    for (name, bad) in [("r1.fq", 3), ("r2.fq", 11)] {
        let text = String::from_utf8(place.read(name)).unwrap();
        let mut changed = String::new();
        for (number, record) in text.lines().collect::<Vec<_>>().chunks(4).enumerate() {
            let mut bases = record[1].as_bytes().to_vec();
            let mut qualities = record[3].as_bytes().to_vec();
            if number * 4 % 20 + 3 == bad {
                qualities.fill(b'#');
            }
            for _ in 0..below(4) {
                let at = below(bases.len());
                bases[at] = b"ACGTN"[below(5)];
                qualities[at] = b'#';
            }
            if number % 13 == 0 {
                bases[..6].fill(b'N');
            }
            let [bases, qualities] =
                [bases, qualities].map(|text| String::from_utf8(text).unwrap());
            changed += &format!("{}\n{bases}\n+\n{qualities}\n", record[0]);
        }
        place.write(name, changed);
    }
    place.write(
        "list.fa",
        ">one\nAGATCGGAAGAGCACACGTC\n>two\nAAAAAAAAAAAAAAA\n",
    );
    place
}

const OUTPUTS: [&str; 7] = ["o1.fq", "o2.fq", "u1.fq", "u2.fq", "m.fq", "f.fq", "v.fq"];

/// What a command line writes, and its reports without the command line itself.
fn run(place: &Place, line: &str) -> ([Vec<u8>; 7], Value, String) {
    for name in OUTPUTS {
        place.write(name, "");
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let reports = ["qc", "-j", "fastp.json", "-h", "fastp.html"];
    let said = place.ok(&[&reports, &words[..]].concat()).stderr;
    let mut json: Value = serde_json::from_slice(&place.read("fastp.json")).unwrap();
    json.as_object_mut().unwrap().remove("command").unwrap();
    (OUTPUTS.map(|name| place.read(name)), json, said)
}

#[test]
fn other_letters_are_treated_as_usual_ones_and_written_as_they_came() {
    let place = pairs();
    let mates = ["r1.fq", "r2.fq"].map(|name| place.read(name));
    let mut below = random(5);
    let changes: [(&str, Change, Change, &[u8]); 3] = [
        ("lower case", lower, upper, b"ACGTN"),
        ("U", rna, dna, b"T"),
        // A good N of the mate corrects, too.
        (".", dots, no_dots, b""),
    ];
    let single = "-o o1.fq --failed_out f.fq";
    let paired = "-o o1.fq -O o2.fq --unpaired1 u1.fq --unpaired2 u2.fq --failed_out f.fq";
    let runs = [
        (
            1,
            single,
            "-D -p -P 1 -x -y -3 -5 -g -a AGATCGGAAGAGCACACGTC",
        ),
        (
            1,
            single,
            "--adapter_fasta list.fa --trim_poly_a --adapter_sequence_5p ACNGTACG -n 2",
        ),
        (2, paired, ""),
        (2, paired, "-c -D -p -P 1 --overlapped_out v.fq"),
        (2, paired, "-U --umi_loc per_read --umi_len 6 -r -x -n 1"),
        (
            2,
            paired,
            "--trim_poly_a --adapter_sequence_5p_r2 ACNGTA --detect_adapter_for_pe -y -Y 60",
        ),
        (2, paired, "-m --merged_out m.fq -D"),
        (
            2,
            "--failed_out f.fq",
            "-m --merged_out m.fq --include_unmerged -l 120 -w 2",
        ),
    ];
    for (mates_read, outputs, options) in runs {
        let inputs = |names: [&str; 2]| names[..mates_read].join(" ");
        let line = format!("{outputs} {options}");
        let (wanted, wanted_json, wanted_said) =
            run(&place, &format!("{} {line}", inputs(["r1.fq", "r2.fq"])));
        assert!(records(&wanted[0]) + records(&wanted[4]) > 300, "{line}");
        for (what, change, back, never) in changes {
            for (name, text) in ["x1.fq", "x2.fq"].iter().zip(&mates) {
                place.write(name, with_bases(text, change));
            }
            let (found, json, said) =
                run(&place, &format!("{} {line}", inputs(["x1.fq", "x2.fq"])));
            for (name, (found, wanted)) in OUTPUTS.iter().zip(found.iter().zip(&wanted)) {
                assert!(with_bases(found, back) == *wanted, "{what}: {line}: {name}");
                let bases = found.split(|byte| *byte == b'\n').skip(1).step_by(4);
                for read in bases {
                    let read = String::from_utf8_lossy(read);
                    assert!(
                        !read.bytes().any(|base| never.contains(&base)),
                        "{what}: {line}: {name}: {read}"
                    );
                }
            }
            assert_eq!(json, wanted_json, "{what}: {line}");
            let counts = |said: &str| {
                said.lines()
                    .filter(|line| !line.contains("note:"))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(counts(&said), counts(&wanted_said), "{what}: {line}");
        }
        // Some letters so and some so, as where repeats are masked.
        for (name, text) in ["x1.fq", "x2.fq"].iter().zip(&mates) {
            place.write(
                name,
                with_bases(text, |base| if below(3) == 0 { lower(base) } else { base }),
            );
        }
        let (found, json, _) = run(&place, &format!("{} {line}", inputs(["x1.fq", "x2.fq"])));
        for (name, (found, wanted)) in OUTPUTS.iter().zip(found.iter().zip(&wanted)) {
            assert!(with_bases(found, upper) == *wanted, "mixed: {line}: {name}");
        }
        assert_eq!(json, wanted_json, "mixed: {line}");
    }
}

/// What is not cut is written letter by letter, with the line ends and comments that reads of usual letters have.
#[test]
fn a_record_of_other_letters_that_stays_is_the_record_that_came() {
    let place = Place::new();
    let text = "@a b\nacgtnACGT.ugcatcagtcagtca\n+\nIIIIIIIIIIIIIIIIIIIIIIIII\n\
                @c\nACGUACGUAGCUAGCUAGCAUC\n+c\nIIIIIIIIIIIIIIIIIIIIII\n\
                @d\nRYKMacgtagctagctacgtagct-\n+\nIIIIIIIIIIIIIIIIIIIIIIIII\n";
    place.write("r.fq", text);
    place.ok(&["qc", "r.fq", "-o", "o.fq"]);
    assert_eq!(String::from_utf8(place.read("o.fq")).unwrap(), text);
    // Dots are N, of which so many are too many.
    place.write(
        "n.fq",
        "@a\nACGT......ACGTACGTACGT\n+\nIIIIIIIIIIIIIIIIIIIIII\n",
    );
    let said = place.ok(&["qc", "n.fq", "-o", "o.fq"]).stderr;
    assert!(said.contains("1 too many N"), "{said}");
}

#[test]
fn adapters_of_single_reads_are_detected_in_other_letters() {
    let place = place_of_pairs(12_000);
    let text = place.read("r1.fq");
    let (wanted, wanted_json, wanted_said) = run(&place, "r1.fq -o o1.fq");
    let adapter = "adapter found in read 1: AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";
    assert!(wanted_said.contains(adapter), "{wanted_said}");
    for (change, back) in [(lower as Change, upper as Change), (rna, dna)] {
        place.write("x.fq", with_bases(&text, change));
        let (found, json, _) = run(&place, "x.fq -o o1.fq");
        assert!(with_bases(&found[0], back) == wanted[0]);
        assert_eq!(json, wanted_json);
    }
    // Adapters may be given as they are spelled in RNA.
    let rna = "-o o1.fq -a AGAUCGGAAGAGCACACGUCUGAACUCCAGUCA";
    assert!(run(&place, &format!("r1.fq {rna}")).0[0] == wanted[0]);
    place.fails(
        &[
            "qc",
            "--fastp-compat",
            "r1.fq",
            "-o",
            "p.fq",
            "-a",
            "AGAUCGG",
        ],
        2,
        &["A, C, G and T"],
    );
}

/// To fastp these are letters of their own.
#[test]
fn fastp_takes_letters_as_they_are() {
    if !has_fastp() {
        return;
    }
    let place = pairs();
    let outputs = ["-o", "o1.fq", "-O", "o2.fq", "-w", "1"];
    for change in [lower as Change, rna, dots] {
        for name in ["r1.fq", "r2.fq"] {
            let text = place.read(name);
            place.write(&name.replace('r', "x"), with_bases(&text, change));
        }
        let line = [&["-i", "x1.fq", "-I", "x2.fq"], &outputs[..]].concat();
        let ended = Command::new("fastp")
            .args(&line)
            .current_dir(place.path("."))
            .stderr(Stdio::null())
            .status();
        assert!(ended.unwrap().success());
        let wanted = ["o1.fq", "o2.fq"].map(|name| place.read(name));
        place.ok(&[&["qc", "--fastp-compat=0.23"], &line[..]].concat());
        let found = ["o1.fq", "o2.fq"].map(|name| place.read(name));
        assert!(found == wanted);
    }
}
