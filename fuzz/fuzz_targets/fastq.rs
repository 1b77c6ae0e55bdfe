//! FASTQ, four lines and wrapped, LF and CRLF: see [`thalweg_fuzz::records::check`] for what is asserted.
//!
//! The first byte of the input says how large the pieces are in which the data come.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::records::check;
use thalweg_reads::{Format, sniff};

fuzz_target!(|input: &[u8]| {
    let Some((&piece, data)) = input.split_first() else {
        return;
    };
    let _ = sniff(data, true);
    let _ = sniff(data, false);
    check(Format::Fastq, data, usize::from(piece));
    check(Format::FastqMultiline, data, usize::from(piece));
});
