//! FASTA, one or many lines per sequence: see [`thalweg_fuzz::records::check`] for what is asserted.
//!
//! The first byte of the input says how large the pieces are in which the data come.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::records::check;
use thalweg_reads::Format;

fuzz_target!(|input: &[u8]| {
    let Some((&piece, data)) = input.split_first() else {
        return;
    };
    check(Format::Fasta, data, usize::from(piece));
});
