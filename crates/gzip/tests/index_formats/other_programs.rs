//! Indexes of mim and of bgzip.

use crate::support::{
    assert_same, assert_same_windows, build, bytes_of, metadata, open_fully, small, steps,
};
use proptest::prelude::*;
use thalweg_gzip::index::{Checkpoint, Index, IndexError, Origin, gzi};

/// What mim-index 0.1.1 writes for 130,000 reads in BGZF at its default span.
const REAL_MIM: &str = concat!(
    "4d494d494e444558000000000000000084a4c4bf51220fcf3ce14b91455550930405ecddfd402bc9f92d11e0e2f85888",
    "03000000150ec10200000000d0fb0100000000001000000000000000a16d757365725f6d65746164617461f600000000",
    "000000001f8b08000000000000ff6366800021284d10ac3eb103ca127dc9882ce19e00e1da8841c483f3b92002a27c07",
    "9990155ef88d2a0e000ec001aa83000000",
);

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_index_with_records_survives_mim(steps in steps(), metadata in metadata()) {
        let index = build(&steps, true, metadata);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.mim");
        index.write_mim(&path).unwrap();
        let read = Index::open(&path).unwrap();
        prop_assert_eq!(read.origin, Origin::Mim);
        prop_assert_eq!(&read.metadata, &index.metadata);
        prop_assert_eq!((read.output_size, read.record_count), (index.output_size, index.record_count));
        prop_assert_eq!(read.identity.blake3, index.identity.blake3);
        prop_assert_eq!(read.identity.compressed_size, index.identity.compressed_size);
        let expected: Vec<_> = index.checkpoints.iter().map(|old| Checkpoint { crc32: None, ..*old }).collect();
        prop_assert_eq!(&read.checkpoints, &expected);
        assert_same_windows(&index, &read);
    }
}

#[test]
fn a_file_of_the_real_mim_is_read() {
    let bytes: Vec<u8> = (0..REAL_MIM.len() / 2)
        .map(|at| u8::from_str_radix(&REAL_MIM[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    let index = Index::from_bytes(bytes.clone()).unwrap();
    assert_eq!(
        (
            index.output_size,
            index.record_count,
            index.identity.compressed_size
        ),
        (46_206_485, 130_000, 17_461_075)
    );
    assert_eq!(
        (index.chunks(), index.metadata.clone(), index.origin),
        (2, None, Origin::Mim)
    );
    let second = index.checkpoints[1];
    assert_eq!(
        (second.bit_offset, second.output_offset),
        (12_109_995 * 8, 32_052_480)
    );
    assert_eq!(
        (second.record_rank, second.record_offset),
        (90_183, 32_052_796)
    );
    for length in 0..bytes.len() {
        assert!(
            Index::from_bytes(bytes[..length].to_vec()).is_err(),
            "cut to {length} bytes"
        );
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        let _ = open_fully(damaged);
    }
}

#[test]
fn mim_needs_records_and_a_hash() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.mim");
    assert!(matches!(
        build(&[], false, None).write_mim(&path),
        Err(IndexError::NotRepresentable { .. })
    ));
    let mut index = small();
    index.identity.blake3 = None;
    assert!(matches!(
        index.write_mim(&path),
        Err(IndexError::NotRepresentable { .. })
    ));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn gzi_round_trip() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reads.fastq.gz.gzi");
    let blocks = [
        (0, 0),
        (18_000, 65_280),
        (36_500, 130_560),
        (36_528, 130_560),
    ];
    for blocks in [&blocks[..], &blocks[..1], &blocks[1..]] {
        gzi::write(&path, blocks).unwrap();
        let read = gzi::read(&path).unwrap();
        assert_eq!(read[0], (0, 0));
        assert!(read == blocks || read[1..] == *blocks);
    }
    let mut index = Index::open(&path).unwrap();
    assert_eq!(
        (index.origin, index.has_records, index.chunks()),
        (Origin::Gzi, false, 4)
    );
    assert_eq!(index.checkpoints[1].bit_offset, 18_018 * 8);
    assert!(index.set_sizes(36_500, 130_560).is_err());
    index.set_sizes(36_556, 130_560).unwrap();
    assert_same(&index, &Index::from_bytes(bytes_of(&index)).unwrap());
    assert!(gzi::write(&path, &[(5, 5), (5, 6)]).is_err());
}

#[test]
fn impossible_gzi_counts_are_refused() {
    for (count, pairs) in [(1, 0), (u64::MAX, 1), (1 << 60, 1), (2, 1), (0, 1)] {
        let bytes = [count.to_le_bytes().to_vec(), vec![1; pairs * 16]].concat();
        assert!(
            matches!(Index::from_bytes(bytes), Err(IndexError::NotAnIndex)),
            "{count} with {pairs}"
        );
    }
    let decreasing = [2_u64, 50, 60, 40, 70]
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect();
    assert!(matches!(
        Index::from_bytes(decreasing),
        Err(IndexError::Damaged { section: "gzi", .. })
    ));
}
