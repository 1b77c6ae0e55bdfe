//! The index formats from outside: round trips, damage, forgery, and files of other programs.

use std::path::Path;

use proptest::prelude::*;
use thalweg_gzip::index::{
    Checkpoint, Container, EncodedWindow, Identity, Index, IndexBuilder, IndexError, IndexWriter,
    Origin, RecordFormat, Summary, WINDOW_SIZE, gzi,
};

/// Windows are made from this text, which has the letters of FASTQ but no pattern.
fn text(length: usize) -> Vec<u8> {
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

fn summary(has_records: bool, metadata: Option<serde_json::Value>) -> Summary {
    Summary {
        identity: Identity {
            compressed_size: 1 << 40,
            blake3: Some([7; 32]),
            head_tail: Some([9; 16]),
        },
        container: Container::Gzip,
        record_format: RecordFormat::Fastq,
        has_records,
        output_size: 1 << 42,
        record_count: if has_records { 1 << 34 } else { 0 },
        metadata,
    }
}

/// An index whose steps are given: bits, output bytes, ranks and bytes to the record, a CRC, a window's length.
type Step = (u32, u32, u32, u32, Option<u32>, usize);

fn build(steps: &[Step], has_records: bool, metadata: Option<serde_json::Value>) -> Index {
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

fn small() -> Index {
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

fn assert_same(left: &Index, right: &Index) {
    assert_eq!(left.summary(), right.summary());
    assert_eq!(left.checkpoints, right.checkpoints);
    assert_same_windows(left, right);
}

fn assert_same_windows(left: &Index, right: &Index) {
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

fn bytes_of(index: &Index) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.thw");
    index.write(&path).unwrap();
    std::fs::read(path).unwrap()
}

/// Opens the index and all its windows.
fn open_fully(bytes: Vec<u8>) -> Result<Index, IndexError> {
    let index = Index::from_bytes(bytes)?;
    let mut window = [0; WINDOW_SIZE];
    for checkpoint in 0..index.chunks() {
        index.window(checkpoint, &mut window)?;
    }
    Ok(index)
}

fn metadata() -> impl Strategy<Value = Option<serde_json::Value>> {
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

fn steps() -> impl Strategy<Value = Vec<Step>> {
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_index_survives_its_own_format(steps in steps(), has_records: bool, metadata in metadata()) {
        let index = build(&steps, has_records, metadata);
        let read = Index::from_bytes(bytes_of(&index)).unwrap();
        prop_assert_eq!(read.origin, Origin::Thw);
        assert_same(&index, &read);
    }

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

#[test]
fn every_damaged_byte_is_noticed() {
    let bytes = bytes_of(&small());
    open_fully(bytes.clone()).unwrap();
    for at in 0..bytes.len() {
        for flip in [1, 0x10, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= flip;
            assert!(
                open_fully(damaged).is_err(),
                "byte {at} of {} changed by {flip:#x}",
                bytes.len()
            );
        }
    }
}

#[test]
fn every_truncation_and_every_addition_is_noticed() {
    let bytes = bytes_of(&small());
    for length in 0..bytes.len() {
        assert!(
            Index::from_bytes(bytes[..length].to_vec()).is_err(),
            "cut to {length} bytes"
        );
    }
    assert!(Index::from_bytes([&bytes[..], b"\0"].concat()).is_err());
}

#[test]
fn a_newer_version_is_named() {
    let mut bytes = bytes_of(&small());
    bytes[8] = 2;
    let error = Index::from_bytes(bytes).unwrap_err();
    assert!(
        matches!(
            error,
            IndexError::TooNew {
                format: "thw",
                found: 2,
                supported: 1
            }
        ),
        "{error}"
    );
}

#[test]
fn errors_name_section_and_offset() {
    let bytes = bytes_of(&small());
    let body =
        u64::from_le_bytes(bytes[bytes.len() - 16..bytes.len() - 8].try_into().unwrap()) as usize;
    let mut damaged = bytes;
    damaged[body + 4] ^= 1;
    match Index::from_bytes(damaged).unwrap_err() {
        IndexError::Damaged {
            section, offset, ..
        } => assert_eq!((section, offset), ("file", body as u64)),
        other => panic!("{other}"),
    }
}

/// Flags for records, gzip, FASTQ, then compressed size, output size and record count of 100 each.
const FILE_SECTION: [u8; 6] = [4, 0, 1, 100, 100, 100];

/// The tag and payload of a section.
type Section = (u8, Vec<u8>);

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
    let broken = [
        vec![],
        vec![second],
        vec![first, first],
        vec![
            first,
            Checkpoint {
                bit_offset: u64::MAX,
                ..second
            },
        ],
        vec![
            first,
            Checkpoint {
                output_offset: u64::MAX,
                ..second
            },
        ],
        vec![
            first,
            Checkpoint {
                record_rank: 1 << 35,
                ..second
            },
        ],
        vec![
            first,
            Checkpoint {
                record_offset: 9,
                ..second
            },
        ],
        vec![
            first,
            Checkpoint {
                record_rank: 0,
                ..second
            },
        ],
        vec![
            first,
            second,
            Checkpoint {
                bit_offset: 91,
                output_offset: 9,
                ..second
            },
        ],
        vec![
            first,
            second,
            Checkpoint {
                bit_offset: 91,
                record_rank: 1,
                ..second
            },
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

#[test]
fn records_are_found_in_the_chunk_in_which_they_start() {
    let at = |bit_offset, output_offset, record_rank, record_offset| Checkpoint {
        bit_offset,
        output_offset,
        record_rank,
        record_offset,
        crc32: None,
    };
    let mut builder = IndexBuilder::new();
    // Record 4 runs through all of chunk 1, in which no record starts.
    for checkpoint in [
        at(1, 0, 0, 0),
        at(2, 50, 5, 150),
        at(3, 100, 5, 150),
        at(4, 160, 6, 170),
    ] {
        builder.push(checkpoint, &[], None);
    }
    let summary = Summary {
        output_size: 200,
        record_count: 8,
        ..summary(true, None)
    };
    let index = builder.finish(summary).unwrap();
    let chunks: Vec<_> = (0..9).map(|rank| index.chunk_of_record(rank)).collect();
    assert_eq!(
        chunks,
        [0, 0, 0, 0, 0, 2, 3, 3]
            .map(Some)
            .into_iter()
            .chain([None])
            .collect::<Vec<_>>()
    );
    assert_eq!(
        [0, 1, 2, 3].map(|chunk| index.chunk_end(chunk)),
        [50, 100, 160, 200]
    );
    assert!(matches!(
        index.window(4, &mut [0; WINDOW_SIZE]),
        Err(IndexError::NoSuchCheckpoint { .. })
    ));
}

#[test]
fn an_empty_file_has_an_index() {
    let summary = Summary {
        output_size: 0,
        record_count: 0,
        ..summary(true, None)
    };
    let index = IndexBuilder::new().finish(summary).unwrap();
    let read = Index::from_bytes(bytes_of(&index)).unwrap();
    assert_eq!((read.chunks(), read.chunk_of_record(0)), (0, None));
}

#[test]
fn a_bgzf_index_is_small() {
    // As for 607 MB of 150 bp reads at the default span; mim's index of them has 475 bytes and no checksums.
    let mut steps = Vec::new();
    for chunk in 0..19_u32 {
        let jitter = chunk * 7919 % 64;
        let bits = 9_600_000 * 8 + jitter * 8000 - 1;
        steps.push((
            bits,
            32_000_000 + 1000 * jitter,
            92_000 + jitter,
            17 * jitter / 4,
            Some(!0 - jitter),
            0,
        ));
    }
    let size = bytes_of(&build(&steps, true, None)).len();
    assert!(size <= 475, "{size} bytes");
}

#[test]
fn a_writer_leaves_nothing_behind_however_it_ends() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reads.fastq.gz.thw");
    let index = small();
    let names = || std::fs::read_dir(directory.path()).unwrap().count();

    let mut writer = IndexWriter::create(&path).unwrap();
    writer.push(index.checkpoints[0], &text(100), None).unwrap();
    // Nothing that a killed process could leave.
    assert_eq!((names(), path.exists()), (0, false));
    drop(writer);
    assert_eq!(names(), 0);

    let mut writer = IndexWriter::create(&path).unwrap();
    for (number, checkpoint) in index.checkpoints.iter().enumerate() {
        let mut window = [0; WINDOW_SIZE];
        let length = index.window(number, &mut window).unwrap();
        writer
            .push(*checkpoint, &window[WINDOW_SIZE - length..], None)
            .unwrap();
    }
    writer.finish(&index.summary()).unwrap();
    assert_eq!(names(), 1);
    assert_same(&index, &Index::open(&path).unwrap());
    assert!(IndexWriter::create(&directory.path().join("missing/index.thw")).is_err());
}

/// What mim-index 0.1.1 writes for 130,000 reads in BGZF at its default span.
const REAL_MIM: &str = concat!(
    "4d494d494e444558000000000000000084a4c4bf51220fcf3ce14b91455550930405ecddfd402bc9f92d11e0e2f85888",
    "03000000150ec10200000000d0fb0100000000001000000000000000a16d757365725f6d65746164617461f600000000",
    "000000001f8b08000000000000ff6366800021284d10ac3eb103ca127dc9882ce19e00e1da8841c483f3b92002a27c07",
    "9990155ef88d2a0e000ec001aa83000000",
);

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

#[test]
fn files_that_are_no_index_are_refused() {
    for bytes in [
        &b""[..],
        b"@read\nACGT\n+\nIIII\n",
        b"\x1f\x8b\x08\x04",
        b"MIMINDEX",
        b"MIMINDEY",
    ] {
        assert!(Index::from_bytes(bytes.to_vec()).is_err());
    }
    let error = Index::open(Path::new("/nonexistent/reads.thw")).unwrap_err();
    assert!(
        error.to_string().contains("/nonexistent/reads.thw"),
        "{error}"
    );
    assert!(Index::open(&std::env::temp_dir()).is_err());
}
