//! KMC's databases of two files, both versions: see [`thalweg_fuzz::databases::check`] for what is asserted.
//!
//! The first byte of the input says what the rest is: both files, one behind the other, with the length of the first
//! in two bytes; or the damage to be done to one of some good databases, first that to the first file.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::{damage, databases};
use thalweg_kmers::database::DatabaseFormat;

static GOOD: LazyLock<Vec<[Vec<u8>; 2]>> = LazyLock::new(|| {
    let mut databases = Vec::new();
    for (k, canonical, records) in [(5, true, 40), (31, true, 100), (40, false, 50), (255, true, 8), (21, true, 0)] {
        let files = databases::write(DatabaseFormat::Kmc, k, canonical, records);
        let [prefixes, suffixes] = <[Vec<u8>; 2]>::try_from(files).expect("two files");
        databases.push([newer(&prefixes), suffixes.clone()]);
        databases.push([prefixes, suffixes]);
    }
    // Records without a byte: the prefix is the k-mer, and every count is 1.
    databases.push(without_counts(4));
    for [prefixes, suffixes] in &databases {
        databases::check_good(&[("x.kmc_pre", prefixes), ("x.kmc_suf", suffixes)]);
    }
    databases
});

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let Some((length, rest)) = rest.split_first_chunk() else {
        return;
    };
    let (first, second) = rest.split_at(rest.len().min(u16::from_le_bytes(*length).into()));
    let mut files = [first.to_vec(), second.to_vec()];
    if let Some(good) = GOOD.get(usize::from(choice)) {
        files = good.clone();
        damage::apply(first, &mut files[0]);
        damage::apply(second, &mut files[1]);
    }
    databases::check(&[("x.kmc_pre", &files[0]), ("x.kmc_suf", &files[1])]);
});

/// `.kmc_pre` of version 0x200 with one bin, from one of version 0.
fn newer(old: &[u8]) -> Vec<u8> {
    let header = old.len() - 72;
    let (table, fields) = old.split_at(header);
    let signature = 1u32;
    let mut file = table.to_vec();
    file.extend_from_slice(&fields[24..32]); // behind the last entry: the number of all k-mers
    file.extend_from_slice(&[0; 4 * 5]); // the bin of each of the 4^1 signatures, and of none
    let start = file.len();
    file.extend_from_slice(&fields[..16]);
    file.extend_from_slice(&signature.to_le_bytes());
    file.extend_from_slice(&fields[16..36]);
    file.resize(start + 64, 0);
    file.extend_from_slice(&0x200u32.to_le_bytes());
    file.extend_from_slice(&68u32.to_le_bytes());
    file.extend_from_slice(b"KMCP");
    file
}

/// Version 0 with prefixes as long as the k-mers, all of which occur once.
fn without_counts(k: u32) -> [Vec<u8>; 2] {
    let kmers = 1u64 << (2 * k);
    let mut file = b"KMCP".to_vec();
    file.extend((0..kmers).flat_map(u64::to_le_bytes));
    let fields = [k, 0, 0, k, 1, u32::MAX, kmers as u32, 0, 1, 0];
    file.extend(fields.into_iter().flat_map(u32::to_le_bytes));
    file.extend_from_slice(&[0; 24]); // the last four of these are the version
    file.extend_from_slice(&64u32.to_le_bytes());
    file.extend_from_slice(b"KMCP");
    [file, b"KMCSKMCS".to_vec()]
}
