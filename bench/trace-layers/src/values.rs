//! Records of about 250 bytes: reads that were cleaned, and labels with candidates.

use thalweg_trace::{Cut, Label, TracedCandidate, TracedRead, Value};

/// Different records, more than the windows of all compressors hold; they are written over and over.
const POOL: u64 = 40_000;

/// Numbers that are the same on every machine (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) % limit
    }
}

/// The records.
pub(crate) fn pool() -> Vec<Value<'static>> {
    let mut random = Random(4711);
    (0..POOL)
        .map(|rank| {
            let place = [
                1101 + random.below(78),
                random.below(30_000),
                random.below(50_000),
            ];
            let name = format!(
                "A00123:456:HXYZKDSX3:{}:{}:{}:{}",
                rank % 4 + 1,
                place[0],
                place[1],
                place[2]
            );
            match random.below(2) {
                0 => read(rank, name, &mut random),
                _ => label(name, &mut random),
            }
        })
        .collect()
}

fn read(rank: u64, name: String, random: &mut Random) -> Value<'static> {
    let steps = [
        "quality",
        "poly_g",
        "adapter_by_overlap",
        "adapter",
        "poly_x",
        "max_length",
        "trim",
        "umi",
    ];
    let cuts = (0..4 + random.below(5)).map(|_| Cut {
        step: steps[random.below(8) as usize].into(),
        front: random.below(9),
        tail: random.below(150),
    });
    let cuts: Vec<_> = cuts.collect();
    Value::Read(TracedRead {
        rank,
        mate: rank as u8 % 2 + 1,
        name: name.into_bytes().into(),
        length_before: 150,
        length_after: random.below(151),
        start: random.below(9),
        cuts: cuts.into(),
        corrected: random.below(4),
        verdict: "failed_quality_filter".into(),
        outcome: "failed".into(),
    })
}

fn label(name: String, random: &mut Random) -> Value<'static> {
    let candidates = (0..10 + random.below(14)).map(|_| TracedCandidate {
        taxid: 500 + random.below(3_000_000) as u32,
        score: random.below(1 << 40) as f64 / (1_u64 << 40) as f64,
        kmers: random.below(240),
    });
    let candidates: Vec<_> = candidates.collect();
    Value::Label(Label {
        name: name.into_bytes().into(),
        lengths: vec![150, 148].into(),
        taxid: 500 + random.below(3_000_000) as u32,
        score: random.below(1 << 40) as f64 / (1_u64 << 40) as f64,
        reason: "direct".into(),
        kmers: 238,
        support: random.below(239),
        candidates: candidates.into(),
    })
}

/// Append a record as a trace has it.
#[inline]
pub(crate) fn write(value: &Value<'_>, into: &mut impl std::io::Write) {
    let written = match value {
        Value::Read(fields) => rmp_serde::encode::write(into, &(value.kind(), fields)),
        Value::Label(fields) => rmp_serde::encode::write(into, &(value.kind(), fields)),
        _ => Ok(()),
    };
    written.expect("a writer that takes all");
}

/// So many records, one behind the other.
pub(crate) fn encoded(values: &[Value<'_>], records: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for value in values.iter().cycle().take(records) {
        write(value, &mut bytes);
    }
    bytes
}
