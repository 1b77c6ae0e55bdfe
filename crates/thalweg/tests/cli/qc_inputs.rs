//! What `thalweg qc` reads and from where, and options of which little is said elsewhere.

use std::collections::BTreeSet;
use std::io::Read;

use crate::support::{Place, bgzf, fastq, gzip, random};

/// Options that leave reads as they are.
const AS_THEY_ARE: &str = "-A -Q -L -G --no_report";

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).unwrap()
}

fn json(place: &Place) -> serde_json::Value {
    serde_json::from_slice(&place.report("json")).unwrap()
}

/// More bases than 65,536, of which the last ones are others than those before.
#[test]
fn long_reads_are_told_apart_to_their_last_cycle() {
    let place = Place::new();
    let read = |name: &str, others: usize| {
        let bases = "AC".repeat(35_000) + &"G".repeat(others);
        format!("@{name}\n{bases}\n+\n{}\n", "5".repeat(bases.len()))
    };
    place.write("long.fq", read("a", 10) + &read("b", 20));
    place.ok(&["qc", "long.fq", "-A"]);
    let report = json(&place);
    let before = &report["read1_before_filtering"];
    assert_eq!(before["total_cycles"], 70_020);
    assert_eq!(before["total_bases"], 140_030);
    for (cycle, letter) in [(65_536, "A"), (69_999, "C"), (70_000, "G"), (70_019, "G")] {
        assert_eq!(before["content_curves"][letter][cycle], 1.0, "{cycle}");
        assert_eq!(before["quality_curves"]["mean"][cycle], 20.0, "{cycle}");
    }
    // Charts have a bounded number of points.
    assert!(place.report("html").len() < 900_000);
}

/// Every kind of input by the standard input, by a pipe that has a name, and by two of them.
#[test]
fn whatever_comes_by_a_pipe_is_known_by_its_bytes() {
    let place = Place::new();
    let text = fastq(3000);
    place.shell("mkfifo one two");
    for (kind, bytes) in [
        ("plain", text.clone()),
        ("gzip", gzip(&text)),
        ("bgzf", bgzf(&text)),
        ("zstd", zstd(&text)),
    ] {
        place.write("in", bytes);
        for line in [
            "$THALWEG qc --stdin -o o.fq < <(cat in)",
            "$THALWEG qc - -o o.fq < in",
            "(cat in > one &); $THALWEG qc one -o o.fq",
            "(cat in > one &); (cat in > two &); $THALWEG qc -i one -I two -o o.fq -O o2.fq",
            "$THALWEG qc <(cat in) <(cat in) -o o2.fq -O o.fq",
        ] {
            for threads in [1, 3] {
                let ended = place.shell(&format!("{line} {AS_THEY_ARE} -w {threads}"));
                assert_eq!(ended.code, Some(0), "{kind}, {line}: {}", ended.stderr);
                assert!(place.read("o.fq") == text, "{kind}, {line}");
            }
        }
        assert!(place.read("o2.fq") == text, "{kind}");
    }
}

#[test]
fn lanes_of_interleaved_pairs_follow_each_other() {
    let place = Place::new();
    let mut mates = [String::new(), String::new()];
    let mut inputs = String::new();
    let mut below = random(5);
    for (lane, kind) in ["fq", "fq.gz", "fq.zst"].into_iter().enumerate() {
        let mut mixed = String::new();
        for number in 0..1000 + lane {
            for (mate, text) in mates.iter_mut().enumerate() {
                let bases: String = (0..50).map(|_| char::from(b"ACGT"[below(4)])).collect();
                let read = format!(
                    "@{lane}:{number}/{}\n{bases}\n+\n{}\n",
                    mate + 1,
                    "I".repeat(50)
                );
                mixed.push_str(&read);
                text.push_str(&read);
            }
        }
        let mixed = mixed.as_bytes();
        let name = format!("lane{lane}.{kind}");
        place.write(
            &name,
            match kind {
                "fq" => mixed.to_vec(),
                "fq.gz" => gzip(mixed),
                _ => zstd(mixed),
            },
        );
        inputs.push_str(&format!(" -i {name}"));
    }
    for threads in [1, 3] {
        let line = format!(
            "$THALWEG qc --interleaved_in {inputs} {AS_THEY_ARE} -w {threads} -o o1.fq -O o2.fq"
        );
        assert_eq!(place.shell(&line).code, Some(0), "{line}");
        for (output, wanted) in ["o1.fq", "o2.fq"].into_iter().zip(&mates) {
            assert!(place.read(output) == wanted.as_bytes(), "{output}");
        }
    }
}

#[test]
fn old_names_of_cuts_are_those_of_new_ones() {
    let place = Place::new();
    let qualities = format!("{}{}{}", "#".repeat(20), "I".repeat(40), "#".repeat(20));
    place.write(
        "r.fq",
        format!("@r\n{}\n+\n{qualities}\n", "ACGT".repeat(20)),
    );
    let cut = |option: &str| {
        place.ok(&["qc", "r.fq", "-o", "o.fq", "-Q", "-L", "-A", option]);
        place.read("o.fq")
    };
    let of_old = [
        "--cut_by_quality5",
        "--cut_by_quality3",
        "--cut_by_quality_aggressive",
    ]
    .map(cut);
    assert_eq!(
        of_old,
        ["--cut_front", "--cut_tail", "--cut_right"].map(cut)
    );
    assert_eq!(BTreeSet::from(of_old).len(), 3);
}

#[test]
fn dimers_are_as_short_as_is_said() {
    const ADAPTER: &str = "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA";
    let place = Place::new();
    let read = |left: &str| {
        let bases = format!("{left}{ADAPTER}");
        format!("@r\n{bases}\n+\n{}\n", "I".repeat(bases.len()))
    };
    place.write("r.fq", read("C") + &read("CTCTC"));
    for (longest, dimers) in [(None, 1), (Some("0"), 0), (Some("4"), 1), (Some("5"), 2)] {
        let mut line = vec!["qc", "r.fq", "-a", ADAPTER];
        line.extend(
            longest
                .iter()
                .flat_map(|longest| ["--dimer_max_len", longest]),
        );
        place.ok(&line);
        let filtering = &json(&place)["filtering_result"];
        assert_eq!(filtering["adapter_dimer_reads"], dimers, "{longest:?}");
        assert_eq!(filtering["too_short_reads"], 2 - dimers, "{longest:?}");
    }
}

#[test]
fn outputs_have_the_format_and_the_numbers_that_are_asked_for() {
    let place = Place::new();
    let text = fastq(2500);
    place.write("r.fq", &text);
    let run = |options: &str| {
        let line = format!("$THALWEG qc r.fq {AS_THEY_ARE} {options}");
        assert_eq!(place.shell(&line).code, Some(0), "{line}");
    };
    let decode = |kind: &str, bytes: &[u8]| {
        let mut decoded = Vec::new();
        match kind {
            "plain" => decoded.extend_from_slice(bytes),
            "zstd" => decoded = zstd::decode_all(bytes).unwrap(),
            _ => {
                let mut members = flate2::read::MultiGzDecoder::new(bytes);
                members.read_to_end(&mut decoded).unwrap();
            }
        }
        decoded
    };
    for kind in ["plain", "gzip", "bgzf", "zstd"] {
        run(&format!("-o o.fq.gz --output_format {kind}"));
        let bytes = place.read("o.fq.gz");
        // Of gzip, only blocks of BGZF tell their size.
        assert_eq!(bytes[12..16] == *b"BC\x02\0", kind == "bgzf", "{kind}");
        assert!(decode(kind, &bytes) == text, "{kind}");
    }
    for (digits, names) in [
        ("", ["0001", "0002", "0003"]),
        ("-d 2", ["01", "02", "03"]),
        ("--split_prefix_digits 0", ["1", "2", "3"]),
    ] {
        run(&format!("-s 3 {digits} -o s.fq"));
        let files = names.map(|number| place.read(&format!("{number}.s.fq")));
        assert!(files.concat() == text, "{digits}");
    }
}

/// As MGI's instruments write them, of two generations.
#[test]
fn names_of_mgi_get_a_blank_before_the_mate() {
    let place = Place::new();
    let names = [
        "E100030471QC960L1C001R00300000038",
        "V350076942L4C006R1021234567",
    ];
    let read = |end: &str| {
        let read = |name| {
            format!(
                "@{name}{end}\n{}\n+\n{}\n",
                "ACGT".repeat(10),
                "I".repeat(40)
            )
        };
        names.map(read).concat()
    };
    place.write("1.fq", read("/1"));
    place.write("2.fq", read("/2"));
    for mode in ["", "--fastp-compat=0.23", "--fastp-compat"] {
        for (option, ends) in [("", ["/1", "/2"]), ("--fix_mgi_id", [" /1", " /2"])] {
            let line = format!(
                "$THALWEG qc -i 1.fq -I 2.fq {option} {mode} {AS_THEY_ARE} -o o1.fq -O o2.fq"
            );
            assert_eq!(place.shell(&line).code, Some(0), "{line}");
            for (output, end) in ["o1.fq", "o2.fq"].into_iter().zip(ends) {
                assert!(place.read(output) == read(end).as_bytes(), "{line}");
            }
        }
    }
}
