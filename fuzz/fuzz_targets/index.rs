//! The index: `.thw`, `.mim` and `.gzi` from arbitrary bytes.
//!
//! Asserts of whatever is accepted: every window can be asked for and is a window or a named error; chunks
//! cover the text in order; every record is found in the chunk whose ranks hold it. The fuzzer's memory limit
//! asserts that sizes are bounded before anything is allocated.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg_gzip::index::{Index, Origin, WINDOW_SIZE};

/// Checkpoints whose windows are decoded: each costs some 0.05 ms.
const WINDOWS: usize = 16;

fuzz_target!(|data: &[u8]| {
    let Ok(mut index) = Index::from_bytes(data.to_vec()) else {
        return;
    };
    // A .gzi does not say how long the file and its text are: whoever opens the file does.
    if index.origin == Origin::Gzi && index.set_sizes(i64::MAX as u64, i64::MAX as u64).is_err() {
        return;
    }
    let mut window = Box::new([0; WINDOW_SIZE]);
    for checkpoint in (0..index.chunks()).take(WINDOWS) {
        if let Ok(length) = index.window(checkpoint, &mut window) {
            assert!(length <= WINDOW_SIZE);
            assert!(length as u64 <= index.checkpoints[checkpoint].output_offset);
        }
    }
    assert!(index.window(index.chunks(), &mut window).is_err());

    let mut end = 0;
    for (chunk, checkpoint) in index.checkpoints.iter().enumerate() {
        assert!(checkpoint.output_offset >= end || chunk == 0);
        end = index.chunk_end(chunk);
        assert!(end >= checkpoint.output_offset);
        let holder = index.chunk_of_record(checkpoint.record_rank);
        if let Some(holder) = holder {
            assert!(index.checkpoints[holder].record_rank <= checkpoint.record_rank);
            assert!(holder >= chunk, "the last chunk of this rank holds its record");
        }
    }
    assert_eq!(index.chunk_of_record(index.record_count), None);
});
