//! `thalweg count`: the same reads make the same database, however they come.

use serde_json::Value;

use crate::support::{Place, gzip};

/// Reads of a small genome, `reads` of them, of `length` bases.
fn text(reads: usize, length: usize) -> Vec<u8> {
    let mut state = 5_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let genome: Vec<u8> = (0..8000).map(|_| b"ACGT"[random() % 4]).collect();
    let mut text = Vec::new();
    for number in 0..reads {
        let start = random() % (genome.len() - length);
        let mut read = genome[start..start + length].to_vec();
        read[random() % length] = b"ACGTN"[random() % 5];
        text.extend_from_slice(format!("@{number}\n").as_bytes());
        text.extend_from_slice(&read);
        text.extend_from_slice(b"\n+\n");
        text.resize(text.len() + length, b'I');
        text.push(b'\n');
    }
    text
}

/// Ways in which reads may come, and what a count may have for them.
fn ways(place: &Place, text: &[u8]) -> Vec<(Vec<&'static str>, bool)> {
    place.write("a.fq", text);
    place.write("a.fq.gz", gzip(text));
    vec![
        (vec!["a.fq", "-t", "1"], false),
        (vec!["a.fq", "-t", "3"], false),
        (vec!["a.fq.gz", "-t", "2"], false),
        (vec!["-", "-t", "2", "--memory", "2G"], true),
        (vec!["-", "-t", "3", "--memory", "60M"], true),
        (vec!["a.fq", "-t", "2", "--memory", "36Mi"], false),
    ]
}

fn partitions(place: &Place, name: &str) -> Value {
    let json = place.ok(&["kmers", "info", "--json", name]).text();
    let json: Value = serde_json::from_str(&json).unwrap();
    json["databases"][0]["partitions"].clone()
}

/// Of all ways the bytes are the same without provenance, and the dump is the same with it, of about as many bytes.
fn check(k: &str, text: &[u8], expected: Value) {
    let place = Place::new();
    let (mut bytes, mut dumps, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for (words, is_fed) in ways(&place, text) {
        for option in [&["--no-provenance"][..], &[]] {
            let count = ["count", "-q", "-k", k, "-L", "2", "-o", "x.thk"];
            let words = [&count[..], option, &words].concat();
            let ended = match is_fed {
                true => place.feed(&words, text),
                false => place.run(&words),
            };
            assert_eq!(ended.code, Some(0), "{words:?}: {}", ended.stderr);
            place.ok(&["kmers", "verify", "x.thk"]);
            assert_eq!(partitions(&place, "x.thk"), expected, "{words:?}");
            let file = place.read("x.thk");
            if option.is_empty() {
                sizes.push(file.len() as i64);
                dumps.push(place.ok(&["kmers", "dump", "--file-order", "x.thk"]).stdout);
            } else {
                bytes.push(file);
            }
        }
    }
    assert!(dumps[0].len() > 1000);
    for way in 1..bytes.len() {
        assert!(bytes[way] == bytes[0], "k = {k}: bytes of way {way}");
        assert!(dumps[way] == dumps[0], "k = {k}: dump of way {way}");
        // The command is told.
        assert!((sizes[way] - sizes[0]).abs() < 100, "{sizes:?}");
    }
}

#[test]
fn few_reads_have_few_partitions_however_they_come() {
    let text = text(3000, 150);
    check("31", &text, 64.into());
    check("55", &text, 64.into());
    // Each k-mer has a counter.
    check("9", &text, Value::Null);
}

/// So many are guessed of none of the ways: too few of the compressed file, too many of the pipe.
#[test]
fn many_reads_have_as_many_partitions_of_each_kind_of_input() {
    check("21", &text(6000, 2000), 128.into());
}
