//! Which reads have enough k-mers of a database: decisions, where counts do not matter.
//!
//! ```text
//! read ──► minimizers of its windows ──► filter: may the database have a k-mer with that minimizer?
//!            no stretch of windows passes, or too few do:        the read does not reach the threshold
//!            else k-mers of these stretches ──► all k-mers:      until the threshold is reached, or cannot be
//! ```
//! Neighbouring k-mers share minimizers, so a read that has nothing to do with the database is asked for few of them, in a
//! filter that a core's cache holds where its k-mers do not fit. Whatever passes is looked up, so that decisions are those of looking
//! up every k-mer.
//!
//! All k-mers are a table with counts, or `sorted` without, where the file has them so. `screener` judges reads by the `filter`, and
//! has k-mers looked up (`look_up`) as far as a `threshold` asks for.

mod filter;
mod look_up;
mod screener;
mod sorted;
mod threshold;

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use thalweg_flow::{Claims, run};
use thalweg_superkmers::Kernel;
use thalweg_superkmers::minimizer::single::telling_length;

use self::filter::{Filling, Filter};
use self::sorted::Sorted;
use super::loaded::Loaded;
use super::records::{SharedWatch, Watch};
use super::{Database, DatabaseFormat, Header, KmerRecords, SequenceKmers};
use crate::error::{Error, Result, of_threads};
use crate::kmer::{Alphabet, Kmer};

pub use self::screener::Screener;
pub use self::threshold::Threshold;

/// Buckets of the table whose minimizers a thread finds at a time.
const BUCKETS: usize = 1 << 14;

/// All k-mers of a database whose counts are within limits, for any number of threads that judge reads by them.
///
/// What it takes besides its k-mers is an eighth of a table of them at most, and less for longer k-mers: a sixtieth with 31 bases.
pub struct KmerScreen<K> {
    k: usize,
    canonical: bool,
    /// Bases of the minimizers that choose the partition of a k-mer, and the number of partitions; `None` if they do not.
    rule: Option<(u8, u32)>,
    kmers: All<K>,
    /// Bases of the minimizers that the filter has.
    m: usize,
    filter: Option<Arc<Filter>>,
}

/// Where all k-mers are.
enum All<K> {
    Table(Loaded<K>, RangeInclusive<u64>),
    Sorted(Arc<Sorted<K>>),
}

impl<K: Kmer> KmerScreen<K> {
    /// Of the k-mers of a database, those with these counts. They are loaded by so many threads: nine bytes for each of up to 32 bases
    /// where `thalweg count` has written them, else as [`Database::load`] does.
    ///
    /// # Errors
    /// If the database cannot be read, or threads not be started.
    pub fn open(database: &Database, counts: RangeInclusive<u64>, threads: usize) -> Result<Self> {
        Self::open_unless(database, counts, threads, &|_| Ok(()))
    }

    /// The same, unless `watch` has something against it.
    ///
    /// # Errors
    /// As [`open`](Self::open), and those of `watch`.
    pub fn open_unless(
        database: &Database,
        counts: RangeInclusive<u64>,
        threads: usize,
        watch: Watch<'_>,
    ) -> Result<Self> {
        let header = database.header();
        header.check_type::<K>()?;
        if let (Some(canonical), Some(partitions)) = (header.canonical, database.partitions::<K>()?)
            && let Some((rule, distinct)) = partitions.by_minimizer()
        {
            let (k, m) = (header.k, telling_length(header.k));
            let filling = Filling::new(distinct.iter().sum(), k, m);
            let records = |partition| partitions.records(partition, distinct.len());
            let filter = filling.as_ref();
            let shared = SharedWatch::new(watch)?;
            let sorted = Sorted::new(
                (k, m),
                &counts,
                threads,
                &distinct,
                records,
                filter,
                &shared,
            )?;
            if let Some(sorted) = sorted {
                return Ok(Self {
                    k,
                    canonical,
                    rule: Some(rule),
                    kmers: All::Sorted(Arc::new(sorted)),
                    m,
                    filter: filling.and_then(Filling::finish).map(Arc::new),
                });
            }
        }
        Self::new(database.load_unless(threads, watch)?, counts, threads)
    }

    /// Of the k-mers of `loaded`, those with these counts. Their minimizers are found on so many threads.
    ///
    /// # Errors
    /// If threads cannot be started.
    pub fn new(loaded: Loaded<K>, counts: RangeInclusive<u64>, threads: usize) -> Result<Self> {
        let (k, kernel) = (loaded.k, Kernel::best());
        let m = telling_length(k);
        let table = &*loaded.table;
        let mut filter = None;
        if let Some(filling) = Filling::new(table.len() as u64, k, m) {
            let buckets = table.buckets();
            let claims = Claims::new(buckets.div_ceil(BUCKETS) as u64);
            let fill = |_, stop: &thalweg_flow::Stop| -> Result<()> {
                let (mut kmers, mut classes) = (Vec::new(), Vec::new());
                while let Some(claim) = claims.claim().filter(|_| !stop.is_stopped()) {
                    let first = claim as usize * BUCKETS;
                    kmers.clear();
                    table.list(first..buckets.min(first + BUCKETS), &counts, &mut kmers);
                    kernel.classes(&kmers, k, m, &mut classes);
                    filling.add_all(&classes);
                }
                Ok(())
            };
            run(threads, fill).map_err(of_threads::<Error>)?;
            filter = filling.finish().map(Arc::new);
        }
        Ok(Self {
            k,
            canonical: loaded.is_canonical(),
            rule: loaded.rule,
            kmers: All::Table(loaded, counts),
            m,
            filter,
        })
    }

    /// Of all k-mers of sequences, each of which stands for both strands. Windows with another letter than A, C, G and T, or U for
    /// T, have none. A few bytes are taken for each letter meanwhile.
    ///
    /// # Errors
    /// If k is 0 or more than `K` holds, or threads cannot be started.
    pub fn of_sequences<'a>(
        sequences: impl IntoIterator<Item = &'a [u8]>,
        k: usize,
        threads: usize,
    ) -> Result<Self> {
        if !(1..=K::MAX_K).contains(&k) {
            return Err(Error::BadK { k, max: K::MAX_K });
        }
        let mut kmers = Vec::new();
        for sequence in sequences {
            let found = SequenceKmers::<K>::new(sequence, k).with_alphabet(Alphabet::Acgtu);
            kmers.extend(found.map(|(_, kmer)| kmer.canonical(k)));
        }
        kmers.sort_unstable();
        kmers.dedup();
        let header = Header {
            canonical: Some(true),
            distinct: Some(kmers.len() as u64),
            ..Header::new(DatabaseFormat::Thk, k)
        };
        let records = kmers.into_iter().map(|kmer| (kmer, 1)).collect();
        let watch = SharedWatch::new(&|_| Ok(()))?;
        let loaded = Loaded::new(&header, KmerRecords::from_vec(records), &watch)?;
        Self::new(loaded, 1..=u64::MAX, threads)
    }

    /// What so many k-mers take at most, those of the file they come from and more.
    pub fn bytes_for(distinct: u64) -> u64 {
        let loaded = Loaded::<K>::bytes_for(distinct);
        loaded.saturating_add(loaded / 8)
    }

    /// Bases of a k-mer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Whether a k-mer stands for both strands.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// What judges reads, for one thread; letters of `alphabet` are bases.
    pub fn screener(&self, alphabet: Alphabet) -> Screener<K> {
        Screener::new(self.clone(), alphabet)
    }
}

impl<K> Clone for KmerScreen<K> {
    fn clone(&self) -> Self {
        Self {
            kmers: self.kmers.clone(),
            filter: self.filter.clone(),
            ..*self
        }
    }
}

impl<K> Clone for All<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Sorted(sorted) => Self::Sorted(Arc::clone(sorted)),
            Self::Table(loaded, counts) => {
                let table = Arc::clone(&loaded.table);
                Self::Table(Loaded { table, ..*loaded }, counts.clone())
            }
        }
    }
}

impl<K: Kmer> fmt::Debug for KmerScreen<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KmerScreen")
            .field("k", &self.k)
            .field("canonical", &self.canonical)
            .field("is_sorted", &matches!(self.kmers, All::Sorted(_)))
            .field("is_filtered", &self.filter.is_some())
            .finish()
    }
}

#[cfg(test)]
mod tests;
