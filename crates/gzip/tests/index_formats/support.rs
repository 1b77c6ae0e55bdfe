//! Indexes to test with, and what compares and opens them.

use proptest::prelude::*;
use thalweg_formats::Format;
use thalweg_gzip::index::{
    Checkpoint, Container, Index, IndexBuilder, IndexError, IndexedFile, Summary, WINDOW_SIZE,
};

/// Windows are made from this text, which has the letters of FASTQ but no pattern.
pub(crate) fn text(length: usize) -> Vec<u8> {
    let mut state = 99_u32;
    let mut next = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length)
        .map(|at| {
            if at / 90 % 2 == 0 {
                b"ACGT"[usize::from(next() % 4)]
            } else {
                33 + next() % 41
            }
        })
        .collect()
}

pub(crate) fn summary(has_records: bool, metadata: Option<serde_json::Value>) -> Summary {
    Summary {
        identity: IndexedFile {
            compressed_size: 1 << 40,
            blake3: Some([7; 32]),
            head_tail: Some([9; 16]),
        },
        container: Container::Gzip,
        record_format: Some(Format::Fastq.into()),
        has_records,
        output_size: 1 << 42,
        record_count: if has_records { 1 << 34 } else { 0 },
        metadata,
    }
}

/// An index whose steps are given: bits, output bytes, ranks and bytes to the record, a CRC, a window's length.
pub(crate) type Step = (u32, u32, u32, u32, Option<u32>, usize);

pub(crate) fn build(
    steps: &[Step],
    has_records: bool,
    metadata: Option<serde_json::Value>,
) -> Index {
    let text = text(WINDOW_SIZE);
    let mut builder = IndexBuilder::new();
    let mut last = Checkpoint {
        bit_offset: 80,
        output_offset: 0,
        record_rank: 0,
        record_offset: 0,
        crc32: Some(5),
    };
    builder.push(last, &[], None);
    for &(bits, output, ranks, lead, crc32, window) in steps {
        let output_offset = last.record_offset.max(last.output_offset) + 1 + u64::from(output);
        last = Checkpoint {
            bit_offset: last.bit_offset + 1 + u64::from(bits),
            output_offset,
            record_rank: if has_records {
                last.record_rank + 1 + u64::from(ranks)
            } else {
                0
            },
            record_offset: if has_records {
                output_offset + u64::from(lead)
            } else {
                0
            },
            crc32,
        };
        let references = std::array::from_fn(|word| {
            0x0ff0_00f0_0000_0007_u64.rotate_left(word as u32) & bits as u64
        });
        let window = &text[..window.min(output_offset as usize)];
        builder.push(last, window, (bits % 2 == 0).then_some(&references));
    }
    builder.finish(summary(has_records, metadata)).unwrap()
}

pub(crate) fn small() -> Index {
    let steps = [
        (1000, 3000, 20, 5, Some(1), 2500),
        (2001, 30_000, 300, 0, Some(2), 400),
    ];
    build(
        &steps,
        true,
        Some(serde_json::json!({"run": "X1", "lanes": [1, 2]})),
    )
}

pub(crate) fn assert_same(left: &Index, right: &Index) {
    assert_eq!(left.summary(), right.summary());
    assert_eq!(left.checkpoints, right.checkpoints);
    assert_same_windows(left, right);
}

pub(crate) fn assert_same_windows(left: &Index, right: &Index) {
    for checkpoint in 0..left.chunks() {
        let (mut one, mut other) = ([1; WINDOW_SIZE], [2; WINDOW_SIZE]);
        let lengths = (
            left.window(checkpoint, &mut one).unwrap(),
            right.window(checkpoint, &mut other).unwrap(),
        );
        assert_eq!(lengths.0, lengths.1);
        assert!(
            one == other,
            "the windows of checkpoint {checkpoint} differ"
        );
    }
}

pub(crate) fn bytes_of(index: &Index) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.thw");
    index.write(&path).unwrap();
    std::fs::read(path).unwrap()
}

/// Opens the index and all its windows.
pub(crate) fn open_fully(bytes: Vec<u8>) -> Result<Index, IndexError> {
    let index = Index::from_bytes(bytes)?;
    let mut window = [0; WINDOW_SIZE];
    for checkpoint in 0..index.chunks() {
        index.window(checkpoint, &mut window)?;
    }
    Ok(index)
}

pub(crate) fn metadata() -> impl Strategy<Value = Option<serde_json::Value>> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<u64>().prop_map(serde_json::Value::from),
        "\\PC*".prop_map(serde_json::Value::from),
    ];
    let value = leaf.prop_recursive(3, 10, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::btree_map("[a-z]{0,5}", inner, 0..4)
                .prop_map(|map| serde_json::Value::from(serde_json::Map::from_iter(map))),
        ]
    });
    prop::option::of(value)
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let crc32 = prop::option::weighted(0.8, any::<u32>());
    let window = prop_oneof![Just(0), 0..=WINDOW_SIZE, Just(WINDOW_SIZE)];
    prop::collection::vec(
        (
            any::<u32>(),
            any::<u32>(),
            0..1_u32 << 20,
            0..1_u32 << 20,
            crc32,
            window,
        ),
        0..8,
    )
}
