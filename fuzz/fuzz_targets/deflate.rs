//! The compressor: any text, through both levels and back by zlib-rs.
//!
//! The first byte of the input says into how many texts the rest is cut: a compressor is used for one after the
//! other, and must not remember any.
//! Asserts: each stream gives its text back and ends where it should, is no longer than stored blocks would be, and
//! is the same as that of a new compressor, and as that of one which does without AVX-512.
#![no_main]

use flate2::{Decompress, FlushDecompress, Status};
use libfuzzer_sys::fuzz_target;
use thalweg_deflate::{Compressor, Level};

/// Text in a stored block, and what it costs there, as the crate promises.
const BLOCK: usize = 0xff00;
const STORED: usize = 5;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, data)) = input.split_first() else {
        return;
    };
    let length = data.len().div_ceil(usize::from(choice % 4) + 1).max(1);
    for level in [Level::Fast, Level::Small] {
        let mut compressor = Compressor::new(level);
        for text in data.chunks(length) {
            let mut stream = Vec::new();
            compressor.compress(text, &mut stream);
            assert!(stream.len() <= text.len() + STORED * text.len().div_ceil(BLOCK));

            // A byte of room more: a stream that gives too much is seen.
            let mut back = Vec::with_capacity(text.len() + 1);
            let mut decoder = Decompress::new(false);
            let status = decoder.decompress_vec(&stream, &mut back, FlushDecompress::Finish);
            assert!(matches!(status, Ok(Status::StreamEnd)), "{status:?}");
            assert!(back == text && decoder.total_in() == stream.len() as u64);

            for mut other in [Compressor::new(level), Compressor::without_coder(level)] {
                let mut again = Vec::new();
                other.compress(text, &mut again);
                assert!(stream == again, "it remembers the text before, or depends on the machine");
            }
        }
    }
});
