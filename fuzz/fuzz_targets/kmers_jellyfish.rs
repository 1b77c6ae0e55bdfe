//! Jellyfish's databases, binary and text: see [`thalweg_fuzz::databases::check`] for what is asserted.
//!
//! The first byte of the input says what the rest is: a file, or the damage to be done to one of some good ones.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::{damage, databases};
use thalweg_kmers::database::DatabaseFormat;

/// Good files; k-mers of one word, two and eight, with a matrix that is written out and one that is not.
static GOOD: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut files = Vec::new();
    for format in [DatabaseFormat::Jellyfish, DatabaseFormat::JellyfishText] {
        for (k, canonical, records) in [(5, true, 40), (31, true, 100), (40, false, 50), (255, true, 8), (21, true, 0)] {
            files.extend(databases::write(format, k, canonical, records));
        }
    }
    for file in &files {
        databases::check_good(&[("x.jf", file)]);
    }
    files
});

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let mut file = rest.to_vec();
    if let Some(good) = GOOD.get(usize::from(choice)) {
        file = good.clone();
        damage::apply(rest, &mut file);
    }
    databases::check(&[("x.jf", &file)]);
});
