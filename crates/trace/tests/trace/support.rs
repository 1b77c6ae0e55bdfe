//! Values, and files of them.

use proptest::prelude::*;
use thalweg_trace::{
    Cut, Error, Label, Text, TraceEncoder, TraceFormat, TraceHeader, TraceReader, TracedCandidate,
    TracedKmer, TracedRead, Value,
};

pub(crate) const FORMATS: &[TraceFormat] = &[
    TraceFormat::Lz4,
    #[cfg(feature = "zstd")]
    TraceFormat::Zstd,
    TraceFormat::MessagePack,
    TraceFormat::JsonLines,
];

/// One value of each kind and with each field, as version 1 has them.
pub(crate) fn examples() -> Vec<Value<'static>> {
    let cut = |step: &'static str, front, tail| Cut {
        step: step.into(),
        front,
        tail,
    };
    vec![
        Value::Read(TracedRead {
            rank: 0,
            mate: 1,
            name: "SRR1.1".into(),
            length_before: 150,
            length_after: 120,
            start: 3,
            cuts: vec![cut("quality", 3, 7), cut("adapter", 0, 20)].into(),
            corrected: 2,
            verdict: "passed".into(),
            outcome: "kept".into(),
        }),
        Value::Read(TracedRead {
            rank: u64::MAX,
            mate: 2,
            name: (&b"\xff\xfe/2"[..]).into(),
            length_before: 70_000,
            verdict: "failed_too_short".into(),
            outcome: "failed".into(),
            ..TracedRead::default()
        }),
        Value::Kmer(TracedKmer {
            kmer: "ACGTACGTACGTACGTACGTACGTACGTACG".into(),
            count: 4_294_967_296,
        }),
        Value::Label(Label {
            name: "read/3".into(),
            lengths: vec![150, 148].into(),
            taxid: 562,
            score: 0.1 + 0.2,
            reason: "shared".into(),
            kmers: 238,
            support: 200,
            candidates: vec![
                TracedCandidate {
                    taxid: 562,
                    score: 0.75,
                    kmers: 200,
                },
                TracedCandidate {
                    taxid: 4_294_967_295,
                    score: -1.0e-300,
                    kmers: 1,
                },
            ]
            .into(),
        }),
        Value::Label(Label::default()),
    ]
}

pub(crate) fn header() -> TraceHeader<'static> {
    let inputs = [Text::from("a.fq.gz"), Text::from(&b"\xe9.fq"[..])];
    let command = ["qc", "a.fq.gz", "-o", "b.fq"].map(Text::from);
    TraceHeader {
        inputs: inputs.into(),
        ..TraceHeader::new("thalweg 0.1.0", command, [])
    }
}

/// A whole trace, with so many values in each batch.
pub(crate) fn trace(format: TraceFormat, values: &[Value<'_>], in_batch: usize) -> Vec<u8> {
    let mut encoder = TraceEncoder::new(format).unwrap();
    let mut bytes = encoder.header(&header()).unwrap();
    let mut written = 0;
    for batch in values.chunks(in_batch.max(1)) {
        batch.iter().for_each(|value| encoder.push(value));
        written += encoder.take_batch(&mut bytes).unwrap();
    }
    assert_eq!(written, values.len() as u64);
    bytes.extend(encoder.end(written).unwrap());
    bytes
}

/// All values of a trace, as far as the first error.
pub(crate) fn read(bytes: &[u8]) -> (Vec<Value<'static>>, Result<(), Error>) {
    let mut values = Vec::new();
    let mut reader = match TraceReader::new(bytes, "x") {
        Ok(reader) => reader,
        Err(error) => return (values, Err(error)),
    };
    loop {
        match reader.next_value() {
            Ok(Some(value)) => values.push(value),
            Ok(None) => return (values, Ok(())),
            Err(error) => return (values, Err(error)),
        }
    }
}

fn name() -> impl Strategy<Value = Text<'static>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..40).prop_map(Text::from),
        "[ -~]{0,300}".prop_map(|text| Text::from(text.into_bytes())),
    ]
}

/// Sizes at which MessagePack changes its notation come often.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![
        any::<u64>(),
        (0..64_u32, 0..3_u64).prop_map(|(bits, less)| (1_u64 << bits).wrapping_sub(less)),
    ]
}

fn score() -> impl Strategy<Value = f64> {
    prop_oneof![
        (0.0..=1.0_f64),
        any::<f64>().prop_filter("JSON has numbers only", |score| score.is_finite()),
    ]
}

/// Any value of a record.
pub(crate) fn value() -> impl Strategy<Value = Value<'static>> {
    let cuts = prop::collection::vec(("[a-z_]{1,12}", number(), number()), 0..20);
    let cuts = cuts.prop_map(|cuts| {
        let cut = |(step, front, tail): (String, _, _)| Cut {
            step: step.into(),
            front,
            tail,
        };
        cuts.into_iter().map(cut).collect::<Vec<_>>()
    });
    let numbers = [number(), number(), number(), number(), number()].map(|number| number.boxed());
    let read = (numbers, any::<u8>(), name(), cuts, "[a-z_]{0,20}");
    let read = read.prop_map(|(numbers, mate, name, cuts, word)| {
        let [rank, length_before, length_after, start, corrected] = numbers;
        Value::Read(TracedRead {
            rank,
            mate,
            name,
            length_before,
            length_after,
            start,
            cuts: cuts.into(),
            corrected,
            verdict: word.clone().into(),
            outcome: word.into(),
        })
    });
    let kmer = (name(), number()).prop_map(|(kmer, count)| Value::Kmer(TracedKmer { kmer, count }));
    let candidate =
        (any::<u32>(), score(), number()).prop_map(|(taxid, score, kmers)| TracedCandidate {
            taxid,
            score,
            kmers,
        });
    let candidates = prop::collection::vec(candidate, 0..30);
    let lengths = prop::collection::vec(number(), 0..3);
    let label = (name(), lengths, any::<u32>(), score(), number(), candidates);
    let label = label.prop_map(|(name, lengths, taxid, score, kmers, candidates)| {
        Value::Label(Label {
            name,
            lengths: lengths.into(),
            taxid,
            score,
            reason: "direct".into(),
            kmers,
            support: kmers / 2,
            candidates: candidates.into(),
        })
    });
    prop_oneof![read, kmer, label]
}
