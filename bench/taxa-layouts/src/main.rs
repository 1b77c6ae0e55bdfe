//! Replays the look-ups of read pairs over layouts of a database of taxa, and counts bytes, pages and faults.
//!
//! ```text
//! taxa-layouts DB.tht R1.fastq R2.fastq PAIRS
//! ```
//! All k-mers of the database and their sets are put into each layout; all k-mers of the pairs are looked up in each, and
//! the sets that are found must be the same. A layout tells which bytes of its file a look-up reads; of these we count the
//! different pages of 4 KiB of each pair, and the faults of an exact LRU of a quarter of the layout's own pages, which is empty
//! at the start.

mod hash_table;
mod lmat;
mod lru;
mod ours;

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

use thalweg_superkmers::{Kmer, kmer::Alphabet};
use thalweg_taxa::database::TaxonDatabase;

use lru::Lru;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// Somewhere to look k-mers up.
trait Layout {
    fn name(&self) -> String;

    /// Bytes of its file.
    fn bytes(&self) -> u64;

    /// Appends the set of each k-mer of a read, 0 if it has none, and calls `touch` with what of the file was read for
    /// that: the first byte and how many.
    fn look_up(&mut self, read: &[u8], sets: &mut Vec<u32>, touch: &mut dyn FnMut(u64, u64));
}

struct Counted {
    name: String,
    bytes: u64,
    /// Look-ups that found a set, and a sum that depends on where which was found.
    found: u64,
    sum: u64,
    pages: u64,
    faults: u64,
}

fn main() {
    let arguments = Vec::from_iter(std::env::args().skip(1));
    let [database, one, other, pairs] = &arguments[..] else {
        eprintln!("usage: taxa-layouts DB.tht R1.fastq R2.fastq PAIRS");
        std::process::exit(2);
    };
    let database = TaxonDatabase::preload(Path::new(database)).expect("a database");
    let pairs = pairs.parse().expect("a number of pairs");
    let pairs = Vec::from_iter(reads(one).zip(reads(other)).take(pairs));
    let header = database.header();
    let k = header.layout.scheme().k();
    println!(
        "{} k-mers of {k} bases, {} pairs of reads",
        header.kmers,
        pairs.len()
    );

    let mut kmers = Vec::with_capacity(header.kmers as usize);
    (database.each_kmer(|kmer, set| {
        kmers.push((kmer, set));
        Ok(())
    }))
    .expect("a sound database");
    let mut counted = vec![replay(
        &mut ours::Ours::new(&database, Path::new(&arguments[0])),
        &pairs,
    )];
    counted.push(replay(&mut hash_table::HashTable::new(k, &kmers), &pairs));
    kmers.sort_unstable();
    // As many k-mers of a prefix as in a database of 1e10 with 27 bits, and more bits, which cost more bytes.
    for bits in [20, 24, 27] {
        counted.push(replay(&mut lmat::Lmat::new(k, bits, &kmers), &pairs));
    }
    tell(&counted, header.kmers, pairs.len() as u64);
}

/// The sequences of a plain FASTQ file of four lines a record.
fn reads(path: &str) -> impl Iterator<Item = Vec<u8>> + use<> {
    let file = File::open(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let lines = BufReader::new(file)
        .split(b'\n')
        .map(|line| line.expect("lines"));
    lines.skip(1).step_by(4)
}

fn replay(layout: &mut dyn Layout, pairs: &[(Vec<u8>, Vec<u8>)]) -> Counted {
    let start = Instant::now();
    let all_pages = layout.bytes().div_ceil(PAGE);
    let mut lru = Lru::new(all_pages as usize, all_pages as usize / 4);
    let mut counted = Counted {
        name: layout.name(),
        bytes: layout.bytes(),
        found: 0,
        sum: 0,
        pages: 0,
        faults: 0,
    };
    let (mut sets, mut of_pair) = (Vec::new(), BTreeSet::new());
    for (one, other) in pairs {
        of_pair.clear();
        for read in [one, other] {
            sets.clear();
            layout.look_up(read, &mut sets, &mut |first, bytes| {
                for page in first / PAGE..=(first + bytes - 1) / PAGE {
                    of_pair.insert(page);
                    counted.faults += u64::from(lru.touch(page as usize));
                }
            });
            for (place, &set) in sets.iter().enumerate() {
                counted.found += u64::from(set != 0);
                counted.sum = (counted.sum.rotate_left(7) ^ u64::from(set) ^ (place as u64) << 32)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
        }
        counted.pages += of_pair.len() as u64;
    }
    eprintln!("{}: {:.1} s", counted.name, start.elapsed().as_secs_f64());
    counted
}

fn tell(counted: &[Counted], kmers: u64, pairs: u64) {
    println!(
        "\n| layout | bytes | bytes / k-mer | times ours | pages / pair | times ours | faults / pair | times ours |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let per = |number: u64, of: u64| number as f64 / of as f64;
    let ours = &counted[0];
    for layout in counted {
        println!(
            "| {} | {} | {:.2} | {:.2} | {:.1} | {:.2} | {:.2} | {:.2} |",
            layout.name,
            layout.bytes,
            per(layout.bytes, kmers),
            per(layout.bytes, ours.bytes),
            per(layout.pages, pairs),
            per(layout.pages, ours.pages),
            per(layout.faults, pairs),
            per(layout.faults, ours.faults),
        );
    }
    println!("\n{} k-mers of the pairs were found.", ours.found);
    for layout in counted {
        assert_eq!(
            (layout.found, layout.sum),
            (ours.found, ours.sum),
            "{} finds other sets",
            layout.name
        );
    }
}

/// The canonical k-mers of a read, and `None` where one has a letter that is no base.
fn kmers_of(read: &[u8], k: usize) -> impl Iterator<Item = Option<u64>> {
    let kmer = move |letters| u64::from_letters_of(Alphabet::Acgtu, letters);
    read.windows(k)
        .map(move |letters| kmer(letters).map(|kmer| kmer.canonical(k)))
}
