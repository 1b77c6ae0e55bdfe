//! Makes a database of entries that come in order.
//!
//! ```text
//! entries of one minimizer ─┬─ up to 64: records ──────────────────────────► RECS    (records of a bucket: DIRC)
//!                           └─ more: its k-mers, to a file without a name     and a record that says so
//! at the end: the rest of DIRC, OVER from that file, all other sections, the header; then the file gets its name
//! ```

use std::io::IoSlice;
use std::path::{Path, PathBuf};

use thalweg_files::{TemporaryError, Unfinished, UnnamedFile, directory_of};
use thalweg_superkmers::Scheme;

use super::header::{
    GROUP, Making, OVERFLOW_BYTES, PAGE, SECTIONS, Section, SectionName, TaxonDatabaseHeader,
};
use super::references::ReferenceSequences;
use super::statistics::NodeStatistics;
use super::summed::{Summed, write_at};
use super::{sets, statistics, taxa};
use crate::record::{Entry, MAX_RECORD_BYTES, RecordLayout, StoredRecord};
use crate::set::{LeafSet, Species};
use crate::{Error, ErrorKind, Result, Taxonomy};

/// Records of one minimizer that are looked through; where there are more, its k-mers are searched.
pub const MOST_RECORDS: usize = 64;

/// Records that so many entries of one minimizer become.
pub(crate) fn records_of(entries: usize) -> usize {
    match entries > MOST_RECORDS {
        true => 1,
        false => entries,
    }
}

/// Where large sections begin, if they are so large: what a large page holds.
const LARGE_PAGE: u64 = 2 << 20;

/// What must be known before the first record is written.
#[derive(Clone, Copy, Debug)]
pub struct WriterPlan {
    /// Lengths of k-mers and of their minimizers; with one partition.
    pub scheme: Scheme,
    /// Bits of the number of a bucket: see [`RecordLayout::directory_bits_for`].
    pub directory_bits: u32,
    /// Bits that numbers of sets need.
    pub id_bits: u32,
}

/// What a database holds besides its records.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// Nodes that have references, and all above.
    pub taxonomy: &'a Taxonomy,
    /// Its leaves.
    pub species: &'a Species,
    /// The sequences.
    pub references: &'a ReferenceSequences,
    /// Sets by number, from 1.
    pub sets: &'a [LeafSet],
    /// Of each node.
    pub statistics: &'a [NodeStatistics],
    /// How it was made: JSON.
    pub log: &'a str,
    /// Distinct canonical k-mers.
    pub kmers: u64,
    /// Whether any set was folded.
    pub is_folded: bool,
    /// How they were chosen.
    pub making: Making,
}

/// A database under way, which has no name before it is whole. Dropped before [`finish`](Self::finish), it leaves nothing.
///
/// Memory: 8 bytes for each 65,536 buckets, the entries of one minimizer, and their k-mers if there are too many.
#[derive(Debug)]
pub struct TaxonDatabaseWriter {
    file: Unfinished,
    layout: RecordLayout,
    directory: Summed,
    records: Summed,
    /// Buckets whose first record is known.
    buckets: u64,
    /// First record of each group of buckets.
    bases: Vec<u64>,
    record_count: u64,
    entries: u64,
    greatest_set: u32,
    /// The entries of the latest minimizer.
    pending: Vec<Entry>,
    overflow: Overflow,
}

impl TaxonDatabaseWriter {
    /// An empty one that will be `path`.
    ///
    /// # Errors
    /// There are no such records, or what the system said.
    pub fn create(path: &Path, plan: &WriterPlan) -> Result<Self> {
        let scheme = plan.scheme.with_partition_bits(0).map_err(|error| {
            let what = error.to_string();
            Error::new(ErrorKind::NoDatabase { what })
        })?;
        let layout = RecordLayout::new(scheme, plan.directory_bits, plan.id_bits)
            .map_err(|what| Error::new(ErrorKind::NoDatabase { what }))?;
        let io = |source| Error::io(path, source);
        let file = Unfinished::create(path).map_err(io)?;
        let directory_bytes = TaxonDatabaseHeader::directory_bytes(&layout);
        let page = match directory_bytes < LARGE_PAGE {
            true => PAGE,
            false => LARGE_PAGE,
        };
        let records = (page + directory_bytes).next_multiple_of(page);
        Ok(Self {
            file,
            layout,
            directory: Summed::new(page),
            records: Summed::new(records),
            buckets: 0,
            bases: Vec::new(),
            record_count: 0,
            entries: 0,
            greatest_set: 0,
            pending: Vec::new(),
            overflow: Overflow::new(directory_of(path)),
        })
    }

    /// Which bits of a record are what.
    pub fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// Appends entries, which are in order and behind all before; their sets have their numbers already. How they are
    /// portioned does not matter.
    ///
    /// # Errors
    /// What the system said, or there are too many entries of few minimizers.
    ///
    /// # Panics
    /// If they are not in order, or a set is 0 or larger than its bits allow.
    pub fn push(&mut self, entries: &[Entry]) -> Result<()> {
        for entry in entries {
            if let Some(last) = self.pending.last() {
                assert!(last < entry, "entries in order");
                if last.value != entry.value {
                    self.write_pending()?;
                }
            }
            assert!((1..=self.layout.max_id()).contains(&entry.set));
            self.greatest_set = self.greatest_set.max(entry.set);
            self.pending.push(*entry);
        }
        Ok(())
    }

    /// Appends a minimizer that has more than [`MOST_RECORDS`] entries, behind all before: its k-mers as they read turned,
    /// ascending strictly, with their sets.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    ///
    /// # Panics
    /// If it is not behind all others, or a set is 0 or larger than its bits allow.
    pub(crate) fn push_overflow(&mut self, value: u64, kmers: &[(u64, u32)]) -> Result<()> {
        let is_behind = |last: &Entry| last.value < value;
        assert!(self.pending.last().is_none_or(is_behind), "in order");
        self.write_pending()?;
        for &(_, set) in kmers {
            assert!((1..=self.layout.max_id()).contains(&set));
            self.greatest_set = self.greatest_set.max(set);
        }
        let number = self.overflow.push(kmers)?;
        self.write_marker(value, number)
    }

    fn write_marker(&mut self, value: u64, number: u64) -> Result<()> {
        let (bucket, remainder) = self.layout.split(value);
        self.write_directory(bucket + 1)?;
        let Some(marker) = self.layout.marker(remainder, number) else {
            let what = "too many minimizers have more than 64 records".to_owned();
            return Err(Error::new(ErrorKind::NoDatabase { what }));
        };
        self.write_record(&marker)
    }

    /// The records of the latest minimizer.
    fn write_pending(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        let [first, ..] = pending[..] else {
            return Ok(());
        };
        if pending.len() > MOST_RECORDS {
            let kmers = overflow_kmers(&pending, &self.layout);
            let number = self.overflow.push(&kmers)?;
            self.write_marker(first.value, number)?;
        } else {
            let (bucket, remainder) = self.layout.split(first.value);
            self.write_directory(bucket + 1)?;
            for entry in &pending {
                self.entries += u64::from(entry.hi - entry.lo) + 1;
                self.write_record(&StoredRecord {
                    flanks: entry.flanks,
                    lo: entry.lo,
                    hi: entry.hi,
                    remainder,
                    id: entry.set,
                })?;
            }
        }
        self.pending = pending;
        self.pending.clear();
        Ok(())
    }

    fn write_record(&mut self, record: &StoredRecord) -> Result<()> {
        let bytes = self.layout.pack(record).to_le_bytes();
        let bytes = &bytes[..self.layout.record_bytes()];
        let written = self.records.push(self.file.file(), bytes);
        written.map_err(|source| Error::io(self.file.path(), source))?;
        self.record_count += 1;
        Ok(())
    }

    /// Says of all buckets before `end` that have no records yet that they begin here.
    fn write_directory(&mut self, end: u64) -> Result<()> {
        while self.buckets < end {
            if self.buckets.is_multiple_of(GROUP) {
                self.bases.push(self.record_count);
            }
            let base = self.bases.last().copied().unwrap_or(0);
            let Ok(first) = u32::try_from(self.record_count - base) else {
                let what = format!("more than 2^32 records in {GROUP} buckets");
                return Err(Error::new(ErrorKind::NoDatabase { what }));
            };
            let written = (self.directory).push(self.file.file(), &first.to_le_bytes());
            written.map_err(|source| Error::io(self.file.path(), source))?;
            self.buckets += 1;
        }
        Ok(())
    }

    /// Writes all else, and gives the file its name.
    ///
    /// # Errors
    /// What the system said; no file has appeared then.
    ///
    /// # Panics
    /// If an entry has a set that is not there, or nodes have no statistics.
    pub fn finish(mut self, contents: &Contents<'_>) -> Result<TaxonDatabaseHeader> {
        assert!(self.greatest_set as usize <= contents.sets.len());
        assert_eq!(contents.statistics.len(), contents.taxonomy.len());
        self.write_pending()?;
        // One behind the last bucket says where that ends.
        self.write_directory(self.layout.buckets() + 1)?;
        let path = self.file.path().to_owned();
        let io = |source| Error::io(&path, source);
        let file = self.file.file();
        (self.directory.push(file, &[0; 4])).map_err(io)?;
        for base in &self.bases {
            (self.directory.push(file, &base.to_le_bytes())).map_err(io)?;
        }
        (self.records.push(file, &[0; MAX_RECORD_BYTES])).map_err(io)?;

        let mut table = [Section::default(); SECTIONS.len()];
        let (directory, mut sums) = self.directory.finish(file).map_err(io)?;
        let (records, more_sums) = self.records.finish(file).map_err(io)?;
        sums.extend(more_sums);
        let mut end = records.offset + records.length;
        let overflow_kmers = self.overflow.kmers;
        let mut over = Summed::new(end.next_multiple_of(PAGE));
        self.overflow
            .write(|bytes| over.push(file, bytes).map_err(io))?;
        let (over, more_sums) = over.finish(file).map_err(io)?;
        sums.extend(more_sums);
        end = over.offset + over.length;
        table[SectionName::Dirc as usize] = directory;
        table[SectionName::Recs as usize] = records;
        table[SectionName::Over as usize] = over;

        let (lists, details) = sets::write(contents.sets);
        let k = self.layout.scheme().k();
        for (name, bytes) in [
            (
                SectionName::Taxa,
                taxa::write(contents.taxonomy, contents.species),
            ),
            (SectionName::Seqs, contents.references.to_bytes()),
            (SectionName::Sets, lists),
            (SectionName::Detl, details),
            (SectionName::Stat, statistics::write(contents.statistics, k)),
            (SectionName::Log, contents.log.as_bytes().to_vec()),
            (SectionName::Sums, sums),
        ] {
            let section = Section {
                offset: end.next_multiple_of(PAGE),
                length: bytes.len() as u64,
                crc: crc32fast::hash(&bytes),
            };
            write_at(file, section.offset, &bytes).map_err(io)?;
            table[name as usize] = section;
            end = section.offset + section.length;
        }
        // A last section without bytes leaves the file short of where it begins.
        file.set_len(end).map_err(io)?;
        let header = TaxonDatabaseHeader {
            layout: self.layout,
            is_folded: contents.is_folded,
            making: contents.making,
            sets: contents.sets.len() as u32,
            kmers: contents.kmers,
            entries: self.entries,
            records: self.record_count,
            overflow_kmers,
            bases: contents.references.bases(),
            sequences: contents.references.sequences.len() as u64,
            file_bytes: end,
            table,
        };
        write_at(file, 0, &header.to_bytes()).map_err(io)?;
        self.file
            .seal(true)
            .and_then(|whole| whole.name())
            .map_err(io)?;
        Ok(header)
    }
}

/// k-mers of minimizers that have too many records.
#[derive(Debug)]
struct Overflow {
    directory: PathBuf,
    /// Made when there is something for it.
    file: Option<UnnamedFile>,
    /// Number of the first k-mer of each minimizer.
    firsts: Vec<u64>,
    kmers: u64,
}

impl Overflow {
    fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            file: None,
            firsts: Vec::new(),
            kmers: 0,
        }
    }

    /// Appends the k-mers of a minimizer, and tells its number.
    fn push(&mut self, kmers: &[(u64, u32)]) -> Result<u64> {
        let number = self.firsts.len() as u64;
        self.firsts.push(self.kmers);
        self.kmers += kmers.len() as u64;
        let mut bytes = Vec::with_capacity(OVERFLOW_BYTES * kmers.len());
        for (kmer, set) in kmers {
            bytes.extend(kmer.to_le_bytes());
            bytes.extend(set.to_le_bytes());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(UnnamedFile::create(&self.directory).map_err(temporary)?),
        };
        (file.append(&mut [IoSlice::new(&bytes)])).map_err(temporary)?;
        Ok(number)
    }

    /// Writes the section.
    fn write(self, mut write: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        write(&(self.firsts.len() as u64).to_le_bytes())?;
        for first in self.firsts.iter().chain([&self.kmers]) {
            write(&first.to_le_bytes())?;
        }
        let Some(file) = self.file else {
            return Ok(());
        };
        let mut buffer = vec![0; 1 << 16];
        let mut at = 0;
        while at < file.bytes() {
            let length = (file.bytes() - at).min(buffer.len() as u64);
            let bytes = &mut buffer[..length as usize];
            file.read(bytes, at).map_err(temporary)?;
            write(bytes)?;
            at += length;
        }
        Ok(())
    }
}

/// The k-mers of all entries of a minimizer, each once, with their sets.
fn overflow_kmers(entries: &[Entry], layout: &RecordLayout) -> Vec<(u64, u32)> {
    let of_entry = |entry: &Entry| {
        let &Entry {
            value, flanks, set, ..
        } = entry;
        (entry.lo..=entry.hi).map(move |j| (layout.kmer(value, flanks, j), set))
    };
    let mut kmers = Vec::from_iter(entries.iter().flat_map(of_entry));
    kmers.sort_unstable();
    // A k-mer that has the minimizer at several places, all of which have its set.
    kmers.dedup_by_key(|(kmer, _)| *kmer);
    kmers
}

fn temporary(error: TemporaryError) -> Error {
    Error::io(&error.directory, error.source)
}
