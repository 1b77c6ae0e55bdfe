//! Our own databases, `.thk`: see [`thalweg_fuzz::databases::check`] for what is asserted.
//!
//! The first byte of the input says what the rest is: a file, or the damage to be done to one of some good ones; and
//! whether the checksums are set right afterwards (docs/formats/kmers.md says where they are), so that what lies
//! behind them is reached.
#![no_main]

use std::sync::LazyLock;

use flate2::Crc;
use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::{damage, databases};
use thalweg_kmers::database::{Description, DatabaseFormat, thk};
use thalweg_kmers::kmer::{Kmer, KmerTask, dispatch};

/// Of the first byte: checksums stay as they are.
const AS_THEY_ARE: u8 = 0x80;

/// Sorted throughout, and in partitions by no rule that is known and by one that does not hold; k-mers of one word,
/// two, four and eight.
static GOOD: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut files = Vec::new();
    for (k, canonical, records) in
        [(5, true, 40), (31, true, 100), (40, false, 50), (100, true, 20), (255, true, 8), (12, false, 3000), (21, true, 0)]
    {
        files.extend(databases::write(DatabaseFormat::Thk, k, canonical, records));
        let mut partitioned = dispatch(k, Partitioned(k, canonical, records)).expect("a good k");
        files.push(partitioned.clone());
        // By minimizers of three bases.
        partitioned[104..106].copy_from_slice(&[2, 3]);
        set_checksums(&mut partitioned);
        files.push(partitioned);
    }
    for file in &files {
        databases::check_good(&[("x.thk", file)]);
    }
    files
});

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let mut file = rest.to_vec();
    if let Some(good) = GOOD.get(usize::from(choice & !AS_THEY_ARE)) {
        file = good.clone();
        damage::apply(rest, &mut file);
    }
    if choice & AS_THEY_ARE == 0 {
        set_checksums(&mut file);
    }
    databases::check(&[("x.thk", &file)]);
});

/// A database of eight partitions.
struct Partitioned(usize, bool, usize);

impl KmerTask for Partitioned {
    type Output = Vec<u8>;

    fn run<K: Kmer>(self) -> Vec<u8> {
        const PARTITIONS: usize = 8;
        let Partitioned(k, canonical, records) = self;
        let folder = tempfile::tempdir().expect("a temporary directory");
        let path = folder.path().join("x.thk");
        let (description, rule) = (Description::new(k, canonical), thk::Partitioning::unknown(PARTITIONS as u32));
        let writer = thk::ThkWriter::<K>::create(&path, &description, rule).expect("a temporary file");
        let content = databases::content::<K>(k, canonical, records);
        let mut encoder = writer.encoder();
        for partition in 0..PARTITIONS {
            encoder.begin(partition as u32).expect("not begun before");
            for (&kmer, &count) in content.iter().filter(|(kmer, _)| kmer.mix() as usize % PARTITIONS == partition) {
                encoder.push(kmer, count).expect("room for a small file");
            }
            encoder.end().expect("room for a small file");
        }
        drop(encoder);
        writer.finish().expect("a good database is written");
        std::fs::read(path).expect("what was written")
    }
}

fn set_checksums(file: &mut [u8]) {
    const HEADER: usize = 128;
    if file.len() < HEADER {
        return;
    }
    let word = |file: &[u8], at: usize| {
        let bytes = file.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| usize::try_from(u64::from_le_bytes(*bytes)).unwrap_or(usize::MAX))
    };
    let (k, partitions) = (usize::from(file[10]), word(file, 12) & 0xffff_ffff);
    let (index, blocks, metadata) = (word(file, 80), word(file, 88), word(file, 96));
    let index = index.min(file.len());
    let entries = index.saturating_add(8 * partitions);
    let entry_bytes = 16 + k.div_ceil(4);
    for number in 0..blocks.min(file.len()) {
        let entry = entries.saturating_add(number * entry_bytes);
        if entry.saturating_add(entry_bytes) > file.len() {
            break;
        }
        let (offset, length) = (word(file, entry), word(file, entry + 8) & 0xffff_ffff);
        if length >= 4 && offset.checked_add(length).is_some_and(|end| end <= index) {
            let end = offset + length - 4;
            put_crc(file, offset, end, end);
        }
    }
    let metadata = file.len().saturating_sub(metadata).max(index);
    put_crc(file, index, metadata, 108);
    put_crc(file, metadata, file.len(), 112);
    put_crc(file, 0, HEADER - 4, HEADER - 4);
}

fn put_crc(file: &mut [u8], start: usize, end: usize, place: usize) {
    let mut crc = Crc::new();
    crc.update(&file[start..end]);
    file[place..place + 4].copy_from_slice(&crc.sum().to_le_bytes());
}
