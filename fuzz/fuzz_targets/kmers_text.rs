//! Dumps, lines of k-mer and count and FASTA with counts as names: see [`thalweg_fuzz::databases::check`] for
//! what is asserted.
//!
//! Arbitrary bytes; the format is told from them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::databases;

fuzz_target!(|input: &[u8]| {
    databases::check(&[("x.txt", input)]);
});
