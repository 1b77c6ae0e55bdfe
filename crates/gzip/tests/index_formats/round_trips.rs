//! What was written is read, and says where records are.

use crate::support::{assert_same, build, bytes_of, metadata, small, steps, summary, text};
use proptest::prelude::*;
use thalweg_gzip::index::{
    Checkpoint, Index, IndexBuilder, IndexError, IndexWriter, Origin, Summary, WINDOW_SIZE,
};

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_index_survives_its_own_format(steps in steps(), has_records: bool, metadata in metadata()) {
        let index = build(&steps, has_records, metadata);
        let read = Index::from_bytes(bytes_of(&index)).unwrap();
        prop_assert_eq!(read.origin, Origin::Thw);
        assert_same(&index, &read);
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
