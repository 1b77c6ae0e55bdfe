//! The layout of `.tht`, from the bytes of a file as docs/formats/taxa.md specifies them; sets come from the library's look-up.

use std::path::Path;

use thalweg_superkmers::{
    Kernel,
    kmer::Alphabet,
    sequence::{Cutter, Ties},
};
use thalweg_taxa::database::{SectionName, TaxonDatabase};
use thalweg_taxa::lookup::TaxonLookup;
use thalweg_taxa::record::{RecordLayout, Turned};

use crate::Layout;

/// Buckets of a group, which has one first record in full.
const GROUP: u64 = 1 << 16;

/// Bytes of a k-mer of a minimizer that has too many records.
const OVERFLOW: u64 = 12;

pub struct Ours<'a> {
    file: Vec<u8>,
    layout: RecordLayout,
    directory: u64,
    records: u64,
    over: u64,
    /// The sections that are read when k-mers are looked up.
    bytes: u64,
    lookup: TaxonLookup<'a>,
    cutter: Cutter,
}

impl<'a> Ours<'a> {
    pub fn new(database: &'a TaxonDatabase, path: &Path) -> Self {
        let header = database.header();
        let large = [SectionName::Dirc, SectionName::Recs, SectionName::Over];
        let section = |name| header.section(name);
        let layout = header.layout;
        Self {
            file: std::fs::read(path).expect("the database's file"),
            layout,
            directory: section(SectionName::Dirc).offset,
            records: section(SectionName::Recs).offset,
            over: section(SectionName::Over).offset,
            // With all that lies between: it counts as a file.
            bytes: large
                .map(|name| section(name).offset + section(name).length)
                .into_iter()
                .max()
                .unwrap_or(0),
            lookup: TaxonLookup::new(database, Kernel::best()),
            cutter: Cutter::new(layout.scheme(), Kernel::best(), Alphabet::Acgtu),
        }
    }
}

fn u32_at(file: &[u8], at: u64) -> u64 {
    u32::from_le_bytes(file[at as usize..][..4].try_into().expect("four bytes")).into()
}

fn u64_at(file: &[u8], at: u64) -> u64 {
    u64::from_le_bytes(file[at as usize..][..8].try_into().expect("eight bytes"))
}

impl Layout for Ours<'_> {
    fn name(&self) -> String {
        "`.tht`".to_owned()
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn look_up(&mut self, read: &[u8], sets: &mut Vec<u32>, touch: &mut dyn FnMut(u64, u64)) {
        let (file, layout) = (&self.file, self.layout);
        let (directory, records, over) = (self.directory, self.records, self.over);
        let groups = directory + 4 * (layout.buckets() + 2);
        let record_bytes = layout.record_bytes() as u64;
        self.cutter.visit(read, Ties::First, |super_kmer| {
            let turned = Turned::new(super_kmer, &layout);
            let (bucket, remainder) = layout.split(turned.value);
            let [first, end] = [bucket, bucket + 1].map(|bucket| {
                touch(directory + 4 * bucket, 4);
                touch(groups + 8 * (bucket / GROUP), 8);
                u32_at(file, directory + 4 * bucket) + u64_at(file, groups + 8 * (bucket / GROUP))
            });
            for record in first..end {
                let at = records + record * record_bytes;
                touch(at, record_bytes);
                let bits =
                    u128::from_le_bytes(file[at as usize..][..16].try_into().expect("16 bytes"));
                let record = layout.unpack(bits);
                if record.remainder > remainder {
                    break;
                }
                if record.remainder < remainder || record.lo <= record.hi {
                    continue;
                }
                // All k-mers of the super-k-mer, each by a binary search.
                let minimizers = u64_at(file, over);
                let firsts = over + 8 + 8 * layout.marked(&record);
                touch(firsts, 16);
                let kmers = over + 16 + 8 * minimizers;
                for j in layout.flank() as u8 - turned.right..=turned.left {
                    let kmer = layout.kmer(turned.value, turned.flanks, j);
                    let (mut low, mut high) = (u64_at(file, firsts), u64_at(file, firsts + 8));
                    while low < high {
                        let middle = low + (high - low) / 2;
                        let at = kmers + OVERFLOW * middle;
                        touch(at, OVERFLOW);
                        match u64_at(file, at).cmp(&kmer) {
                            std::cmp::Ordering::Less => low = middle + 1,
                            std::cmp::Ordering::Greater => high = middle,
                            std::cmp::Ordering::Equal => break,
                        }
                    }
                }
                break;
            }
        });
        let k = layout.scheme().k();
        sets.resize((read.len() + 1).saturating_sub(k), 0);
        self.lookup.clear();
        self.lookup.push([read]);
        self.lookup.look_up().expect("a sound database");
        for run in self.lookup.runs(0) {
            sets[run.start..][..run.kmers as usize].fill(run.set);
        }
    }
}
