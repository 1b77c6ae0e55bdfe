//! Files whose checksums are right and whose content is not.

use crate::support::{open_fully, summary};
use proptest::prelude::*;
use thalweg_gzip::index::{Checkpoint, EncodedWindow, Index, IndexBuilder};

/// Flags for records, gzip, FASTQ, then compressed size, output size and record count of 100 each.
const FILE_SECTION: [u8; 6] = [4, 0, 1, 100, 100, 100];

/// The tag and payload of a section.
type Section = (u8, Vec<u8>);

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn forged_sections_with_good_checksums_never_panic(
        sections in prop::collection::vec((0_u8..6, prop::collection::vec(any::<u8>(), 0..80)), 0..5),
        windows in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let _ = open_fully(forge(&windows, &sections));
    }

    #[test]
    fn forged_tables_behind_a_good_head_never_panic(
        table in prop::collection::vec(any::<u8>(), 0..100),
        lengths in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let _ = open_fully(forge(&[], &[(1, FILE_SECTION.to_vec()), (3, table), (4, lengths)]));
    }

    #[test]
    fn random_bytes_never_panic(
        magic in prop::sample::select(vec![&b""[..], b"\x8bTHW\r\n\x1a\n\x01\0\0\0", b"MIMINDEX\0\0\0\0\0\0\0\0"]),
        bytes in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        prop_assert!(open_fully([magic, &bytes].concat()).is_err() || magic.is_empty());
    }
}

/// A file whose checksums are all right, whatever its sections hold.
fn forge(windows: &[u8], sections: &[Section]) -> Vec<u8> {
    let mut bytes = b"\x8bTHW\r\n\x1a\n\x01\0\0\0".to_vec();
    let header = bytes.clone();
    bytes.extend(windows);
    let body = (bytes.len() as u64).to_le_bytes();
    for (tag, payload) in sections {
        assert!(payload.len() < 128);
        let section = [&[*tag, payload.len() as u8], &payload[..]].concat();
        bytes.extend(&section);
        bytes.extend(crc32fast::hash(&section).to_le_bytes());
    }
    bytes.extend(body);
    bytes.extend(crc32fast::hash(&[&header[..], &body].concat()).to_le_bytes());
    bytes.extend(b"WHT\x8b");
    bytes
}

#[test]
fn forged_sizes_are_refused_before_anything_is_allocated() {
    let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    let good = vec![(1, FILE_SECTION.to_vec()), (3, vec![1, 1, 2, 0, 0, 0])];
    let index = Index::from_bytes(forge(&[], &good)).unwrap();
    assert_eq!((index.chunks(), index.checkpoints[0].bit_offset), (1, 8));

    let cases: [(&str, Vec<Section>); 8] = [
        ("no sections", vec![]),
        ("no table", vec![(1, FILE_SECTION.to_vec())]),
        (
            "table twice",
            vec![(1, FILE_SECTION.to_vec()), good[1].clone(), good[1].clone()],
        ),
        (
            "unknown section",
            vec![good[0].clone(), good[1].clone(), (5, vec![])],
        ),
        (
            "huge count",
            vec![good[0].clone(), (3, [&[0], &huge[..]].concat())],
        ),
        (
            "huge file",
            vec![
                (1, [&[4, 0, 1], &huge[..], &huge[..], &huge[..]].concat()),
                good[1].clone(),
            ],
        ),
        (
            "huge window",
            vec![good[0].clone(), good[1].clone(), (4, huge.to_vec())],
        ),
        (
            "windows outside",
            vec![good[0].clone(), good[1].clone(), (4, vec![5, 0, 0, 0, 0])],
        ),
    ];
    for (name, sections) in cases {
        assert!(Index::from_bytes(forge(&[], &sections)).is_err(), "{name}");
    }
    let skipped = [good[0].clone(), good[1].clone(), (0x85, vec![1, 2, 3])];
    assert_eq!(
        Index::from_bytes(forge(&[], &skipped)).unwrap().chunks(),
        1,
        "an optional section is skipped"
    );
}

#[test]
fn the_rules_hold_for_pushed_checkpoints_too() {
    let first = Checkpoint {
        bit_offset: 80,
        output_offset: 0,
        record_rank: 0,
        record_offset: 0,
        crc32: None,
    };
    let second = Checkpoint {
        bit_offset: 90,
        output_offset: 10,
        record_rank: 2,
        record_offset: 12,
        crc32: None,
    };
    let with = |change: fn(&mut Checkpoint)| {
        let mut checkpoint = second;
        change(&mut checkpoint);
        checkpoint
    };
    let broken = [
        vec![],
        vec![second],
        vec![first, first],
        vec![first, with(|c| c.bit_offset = u64::MAX)],
        vec![first, with(|c| c.output_offset = u64::MAX)],
        vec![first, with(|c| c.record_rank = 1 << 35)],
        vec![first, with(|c| c.record_offset = 9)],
        vec![first, with(|c| c.record_rank = 0)],
        vec![
            first,
            second,
            with(|c| {
                c.bit_offset = 91;
                c.output_offset = 9;
            }),
        ],
        vec![
            first,
            second,
            with(|c| {
                c.bit_offset = 91;
                c.record_rank = 1;
            }),
        ],
    ];
    for checkpoints in broken {
        let mut builder = IndexBuilder::new();
        for checkpoint in &checkpoints {
            builder.push_encoded(*checkpoint, EncodedWindow::default());
        }
        assert!(
            builder.finish(summary(true, None)).is_err(),
            "{checkpoints:?}"
        );
    }
}
