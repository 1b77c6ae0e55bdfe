//! The same reads from a file and from a pipe are cleaned alike: the first of them are looked at wherever they come from.

use std::io::Read;

use crate::extent::one_of;
use crate::support::{Place, bgzf, gzip, random};

const ADAPTERS: [&str; 2] = [
    "AGATCGGAAGAGCACACGTCTGAACTCCAGTCACCGATGTATCTCGTATGCCGTCTTCTGCTTG",
    "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAA",
];

/// A frequent sequence, which half of the reads begin with.
const FREQUENT: &str = "GATTACAGATTACAGGCATTAGCCATTAGCAAGGTTACGGATCCA";

fn xz(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    liblzma::read::XzEncoder::new(text, 1)
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

/// Pairs, every third of which ends in adapters.
fn pairs(count: usize) -> [Vec<u8>; 2] {
    let mut below = random(9);
    let mut texts = [Vec::new(), Vec::new()];
    for number in 0..count {
        for (mate, text) in texts.iter_mut().enumerate() {
            let mut bases: String = match number % 2 {
                0 => FREQUENT.to_owned(),
                _ => String::new(),
            };
            while bases.len() < 100 {
                if number % 3 == 0 && bases.len() == 70 {
                    bases += &ADAPTERS[mate][..30];
                } else {
                    bases.push(char::from(b"ACGT"[below(4)]));
                }
            }
            let record = format!("@r{number}/{}\n{bases}\n+\n{}\n", mate + 1, "I".repeat(100));
            text.extend_from_slice(record.as_bytes());
        }
    }
    texts
}

/// What is told of the reads, but for the command line.
fn told(place: &Place) -> serde_json::Value {
    let mut report: serde_json::Value = serde_json::from_slice(&place.read("j")).unwrap();
    report.as_object_mut().unwrap().remove("command");
    report
}

/// Runs a script, and returns what is in the outputs and in the report.
fn cleaned(place: &Place, line: &str, outputs: &[&str]) -> (Vec<Vec<u8>>, serde_json::Value) {
    let ended = place.shell(&format!("{line} -j j -h h"));
    assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
    assert!(!ended.stderr.contains("twice"), "{line}: {}", ended.stderr);
    let outputs = outputs.iter().map(|name| place.read(name)).collect();
    (outputs, told(place))
}

#[test]
fn single_reads_are_cleaned_alike_wherever_they_come_from() {
    let place = Place::new();
    let [text, _] = pairs(15_000);
    place.write("in.fq", &text);
    place.write("in.gz", gzip(&text));
    place.write("in.bgzf", bgzf(&text));
    place.write("in.zst", zstd::encode_all(&text[..], 1).unwrap());
    place.write("in.xz", xz(&text));
    place.shell("mkfifo pipe; mkdir tmp");
    let file = "$THALWEG qc in.fq -o o.fq -p --overrepresentation_sampling 3";
    let expected = cleaned(&place, &format!("{file} -w 1"), &["o.fq"]);
    let (_, report) = &expected;
    let adapters = &report["adapter_cutting"];
    assert!(adapters["adapter_trimmed_reads"].as_u64() >= Some(5000));
    assert_eq!(adapters["read1_adapter_sequence"], &ADAPTERS[0][..33]);
    let frequent = &report["read1_before_filtering"]["overrepresented_sequences"];
    assert!(frequent.as_object().is_some_and(|found| !found.is_empty()));
    let ways = ["-w 1", "-w 3", "-w 2 --memory 1M --tmp tmp --quiet"];
    let kinds = ["fq", "gz", "bgzf", "zst", "xz"];
    for (turn, kind) in kinds.into_iter().enumerate() {
        let inputs = [
            format!("in.{kind}"),
            format!("- < in.{kind}"),
            format!("--stdin < <(cat in.{kind})"),
            format!("<(cat in.{kind})"),
            // A writer that stops now and then.
            format!("<(head -c 100000 in.{kind}; sleep 0.2; tail -c +100001 in.{kind})"),
        ];
        for (number, input) in inputs.into_iter().enumerate() {
            for more in one_of(turn + number, &ways) {
                let options = "-o o.fq -p --overrepresentation_sampling 3";
                let line = format!("$THALWEG qc {options} {more} {input}");
                assert!(cleaned(&place, &line, &["o.fq"]) == expected, "{line}");
            }
        }
    }
    let named = "(cat in.gz > pipe &); $THALWEG qc pipe -o o.fq -p --overrepresentation_sampling 3";
    assert!(cleaned(&place, named, &["o.fq"]) == expected);
    assert!(
        std::fs::read_dir(place.path("tmp"))
            .unwrap()
            .next()
            .is_none()
    );

    // Of lanes, the first is looked at.
    let lanes = |second: &str| format!("$THALWEG qc -i {second} -i in.gz -o o.fq -p");
    let expected = cleaned(&place, &lanes("in.fq"), &["o.fq"]);
    assert!(cleaned(&place, &lanes("<(cat in.bgzf)"), &["o.fq"]) == expected);
    assert!(
        cleaned(
            &place,
            "$THALWEG qc -i <(cat in.gz) -i <(cat in.fq) -o o.fq -p",
            &["o.fq"]
        ) == expected
    );

    // A limit of reads ends in the middle of what is kept.
    let few = "-o o.fq --reads_to_process 11000";
    let expected = cleaned(&place, &format!("$THALWEG qc in.fq {few}"), &["o.fq"]);
    let piped = format!("$THALWEG qc <(cat in.gz) {few}");
    assert!(cleaned(&place, &piped, &["o.fq"]) == expected);
}

#[test]
fn pairs_are_cleaned_alike_wherever_they_come_from() {
    let place = Place::new();
    let [first, second] = pairs(15_000);
    let both = first
        .split_inclusive(|&byte| byte == b'\n')
        .zip(second.split_inclusive(|&byte| byte == b'\n'));
    let (mut mixed, mut turn) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (number, (left, right)) in both.enumerate() {
        turn[0].extend_from_slice(left);
        turn[1].extend_from_slice(right);
        if number % 4 == 3 {
            turn.iter_mut().for_each(|record| mixed.append(record));
        }
    }
    for (name, text) in [("1.fq", &first), ("2.fq", &second), ("mixed.fq", &mixed)] {
        place.write(name, text);
        place.write(&format!("{name}.gz"), gzip(text));
    }
    let tail = "-o o1.fq -O o2.fq --detect_adapter_for_pe -p";
    let outputs = ["o1.fq", "o2.fq"];
    let line = format!("$THALWEG qc 1.fq 2.fq {tail}");
    let expected = cleaned(&place, &line, &outputs);
    let adapters = &expected.1["adapter_cutting"];
    assert_eq!(adapters["read2_adapter_sequence"], &ADAPTERS[1][..33]);
    let ways = ["-w 1", "-w 3", "-w 2 --memory 1M"];
    let inputs = [
        "1.fq.gz 2.fq",
        "<(cat 1.fq) <(cat 2.fq)",
        "<(cat 1.fq.gz) <(cat 2.fq.gz)",
        "1.fq <(cat 2.fq.gz)",
        "<(cat 1.fq) 2.fq.gz",
        "--interleaved_in mixed.fq",
        "--interleaved_in - < mixed.fq.gz",
        "--interleaved_in <(cat mixed.fq)",
    ];
    for (turn, input) in inputs.into_iter().enumerate() {
        for more in one_of(turn, &ways) {
            let line = format!("$THALWEG qc {tail} {more} {input}");
            assert!(cleaned(&place, &line, &outputs) == expected, "{line}");
        }
    }
    // One writer of both pipes, which puts some lines into either in turn.
    place.shell("mkfifo p1 p2");
    let writer = "(exec 3> p1 4> p2; \
                  awk '{ pipe = NR % 8 && NR % 8 < 5 ? \"/dev/fd/3\" : \"/dev/fd/4\"; print > pipe } \
                  NR % 4 == 0 { fflush(pipe) }' mixed.fq) &";
    let line = format!("{writer} $THALWEG qc p1 p2 {tail} --memory 1M");
    assert!(cleaned(&place, &line, &outputs) == expected);
}

/// What is kept needs a place; nothing is written without it, and it is no fault of the data.
#[test]
fn first_reads_that_cannot_be_kept_are_an_error_of_the_system() {
    let place = Place::new();
    let [text, _] = pairs(15_000);
    place.write("in.fq", &text);
    let before = place.names();
    let ended = place.shell("TMPDIR=/nowhere/at/all $THALWEG qc - -o o.fq --memory 1M < in.fq");
    ended.expect_failure(2, &["/nowhere/at/all", "temporary files"]);
    assert_eq!(place.names(), before);
    place.fails(
        &["qc", "in.fq", "-o", "o.fq", "--tmp", "nowhere"],
        2,
        &["nowhere"],
    );
    // Where nothing is to be found out, nothing is kept.
    let named = "TMPDIR=/nowhere/at/all $THALWEG qc - -o o.fq --memory 1M -a AGATCGGAAGAGC < in.fq";
    assert_eq!(place.shell(named).code, Some(0));
}

/// A fault behind the first reads is told as of a file, with its rank.
#[test]
fn faults_of_streams_are_told_as_of_files() {
    let place = Place::new();
    let [text, _] = pairs(15_000);
    let at = text
        .windows(8)
        .position(|part| part == b"@r12000/")
        .unwrap();
    let mut damaged = text.clone();
    damaged[at] = b'X';
    place.write("in.fq", &damaged);
    for input in ["in.fq", "- < in.fq", "<(gzip -c in.fq)"] {
        let ended = place.shell(&format!("$THALWEG qc {input} -o o.fq"));
        ended.expect_failure(1, &["record 12001"]);
        assert!(!place.names().contains("o.fq"), "{input}");
    }
}
