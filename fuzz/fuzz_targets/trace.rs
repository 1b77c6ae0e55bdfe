//! Traces in all formats. Besides that nothing panics: what is read is written again, and read from that, as the same values; and
//! a trace that ends well tells so, others tell an error with a message.
//!
//! The first byte of the input says what the rest is: a file, or the damage to be done to one of some good ones. Frames have checksums,
//! which damage hardly ever passes, so most good files are MessagePack and JSON as they are.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::damage;
use thalweg_trace::{TracedCandidate, Cut, TraceEncoder, TraceFormat, TraceHeader, TracedKmer, Label, TracedRead, TraceReader, TraceTable, TraceTally, Value};

/// A trace of each format, and of each kind of record.
static GOOD: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let read = |rank| {
        Value::Read(TracedRead {
            rank,
            mate: 2,
            name: format!("r{rank}").into_bytes().into(),
            length_before: 150,
            cuts: vec![Cut { step: "poly_g".into(), front: 0, tail: rank }].into(),
            verdict: "failed_too_short".into(),
            outcome: "failed".into(),
            ..TracedRead::default()
        })
    };
    let kmer = Value::Kmer(TracedKmer { kmer: "ACGTACG".into(), count: 70_000 });
    let label = Value::Label(Label {
        name: b"\xff".as_slice().into(),
        lengths: vec![150, 148].into(),
        score: 0.5,
        candidates: vec![TracedCandidate { taxid: 562, score: 0.5, kmers: 7 }].into(),
        ..Label::default()
    });
    let values = [read(0), read(1 << 40), kmer, label];
    let formats = [TraceFormat::MessagePack, TraceFormat::JsonLines, TraceFormat::Lz4, TraceFormat::Zstd];
    let files: Vec<_> = formats.map(|format| write(format, &values)).into();
    for file in &files {
        assert!(check(file) == Some(values.len()));
    }
    files
});

fn write(format: TraceFormat, values: &[Value<'_>]) -> Vec<u8> {
    let mut encoder = TraceEncoder::new(format).expect("memory");
    let mut bytes = encoder.header(&TraceHeader::new("fuzz", ["fuzz"], ["a"])).expect("a small header");
    values.iter().for_each(|value| encoder.push(value));
    let written = encoder.take_batch(&mut bytes).expect("small values");
    bytes.extend(encoder.end(written).expect("memory"));
    bytes
}

fn read(bytes: &[u8]) -> (Vec<Value<'static>>, bool) {
    let mut values = Vec::new();
    let Ok(mut reader) = TraceReader::new(bytes, "x") else {
        return (values, false);
    };
    loop {
        match reader.next_value() {
            Ok(Some(value)) => values.push(value),
            Ok(None) => return (values, true),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                return (values, false);
            }
        }
    }
}

/// How many values a trace has, if it is whole.
fn check(bytes: &[u8]) -> Option<usize> {
    let (values, is_whole) = read(bytes);
    let again = write(TraceFormat::MessagePack, &values);
    // Scores that are no numbers equal nothing: bytes are compared.
    let (back, is_back) = read(&again);
    assert!(is_back && write(TraceFormat::MessagePack, &back) == again);
    let (mut tally, mut text) = (TraceTally::new(), Vec::new());
    for value in &values {
        tally.add(value);
        let table = TraceTable::of(value.kind()).expect("a kind of records");
        assert!(table.write(value, &mut text));
        assert_eq!(text.iter().filter(|&&byte| byte == b'\n').count(), 1);
        text.clear();
    }
    is_whole.then_some(values.len())
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let mut file = rest.to_vec();
    if let Some(good) = GOOD.get(usize::from(choice)) {
        file = good.clone();
        damage::apply(rest, &mut file);
    }
    check(&file);
});
