//! Streams of sorted k-mers combined: merge, intersect, subtract, diff.
//!
//! ```text
//! combine(streams): all streams are read in step (two by comparing, more by a heap of their next k-mers)
//!     for each k-mer that any stream has, the smallest first:
//!         counts = those of the streams that have it
//!         the operation says whether the k-mer is kept, and with which count
//! ```
//!
//! Memory is one batch for each stream. [`combine_partitions`] takes databases whose partitions have the same k-mers,
//! and combines each partition by itself, on all threads. [`combine`] takes any databases, and makes one stream: what is
//! sorted is streamed as it is, the partitions of `.thk` files are merged while they are read, and everything else
//! (Jellyfish's hash order, KMC's bins, TSV, FASTA) is sorted externally first, in the directory and, all together, in the
//! memory that [`SortOptions`] name.
//!
//! ```
//! use thalweg_kmers::database::KmerRecords;
//! use thalweg_kmers::set_operations::{Combine, Operation, combine_records};
//!
//! let a = KmerRecords::from_vec(vec![(0b00u64, 5), (0b01, 1)]);
//! let b = KmerRecords::from_vec(vec![(0b01u64, 2), (0b11, 3)]);
//! let merged = combine_records(vec![a, b], 1, Operation::Union(Combine::Sum))?;
//! let merged: Vec<_> = merged.collect::<Result<_, _>>()?;
//! assert_eq!(merged, [(0b00, 5), (0b01, 3), (0b11, 3)]);
//! # Ok::<(), thalweg_kmers::Error>(())
//! ```

mod pair;
mod partitions;
mod range;

pub use self::partitions::{
    combine_partitions, combine_some_partitions, common_partitions, copy_partitions,
};
pub use self::range::hand_on_range;

use self::pair::Pair;
use crate::database::{
    BATCH, Database, KmerRecords, Merge, RecordSource, SortOptions, Watch, sum_counts,
};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// What the count of a k-mer becomes that several databases have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Combine {
    /// The sum; more than 2^64 - 1 is an error.
    Sum,
    /// The smallest.
    Minimum,
    /// The largest.
    Maximum,
    /// That of the first of them that has it.
    First,
}

/// Which k-mers are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Those that any database has.
    Union(Combine),
    /// Those that all have.
    Intersection(Combine),
    /// Those that the first has and no other, with their counts.
    Subtraction,
    /// Those of the first, with their counts less those of all others, where something is left.
    Difference,
}

impl Operation {
    /// The count that the k-mer is kept with. `group` names the streams that have it, the least number first.
    fn apply<K: Kmer>(
        self,
        group: &[(usize, u64)],
        streams: usize,
        kmer: K,
        k: usize,
    ) -> Result<Option<u64>> {
        let counts = || group.iter().map(|part| part.1);
        let combined = |combine: Combine| match combine {
            Combine::Sum => sum_counts(counts(), kmer, k).map(Some),
            Combine::Minimum => Ok(counts().min()),
            Combine::Maximum => Ok(counts().max()),
            Combine::First => Ok(counts().next()),
        };
        match self {
            Operation::Union(combine) => combined(combine),
            Operation::Intersection(combine) if group.len() == streams => combined(combine),
            Operation::Intersection(_) => Ok(None),
            Operation::Subtraction => Ok((group.len() == 1 && group[0].0 == 0).then(|| group[0].1)),
            Operation::Difference if group[0].0 == 0 => {
                let others = group[1..].iter().map(|part| part.1);
                let left = others.fold(group[0].1, u64::saturating_sub);
                Ok((left > 0).then_some(left))
            }
            Operation::Difference => Ok(None),
        }
    }
}

/// Checks that k-mers of these databases mean the same, and returns k and strandedness.
///
/// A database that does not say whether it is canonical goes with any; `None` if none of them says.
///
/// # Errors
/// [`Error::Mismatch`] names the databases that do not fit together, [`Error::BadOption`] if there are none.
pub fn check(databases: &[Database]) -> Result<(usize, Option<bool>)> {
    let Some(first) = databases.first() else {
        return Err(Error::BadOption("no database to combine".into()));
    };
    let k = first.header().k;
    if let Some(other) = databases.iter().find(|other| other.header().k != k) {
        return Err(Error::Mismatch(format!(
            "incompatible databases: {} has k = {k}, {} has k = {}",
            first.path().display(),
            other.path().display(),
            other.header().k
        )));
    }
    let said = |wanted: bool| {
        databases
            .iter()
            .find(|database| database.header().canonical == Some(wanted))
    };
    match (said(true), said(false)) {
        (Some(canonical), Some(forward)) => Err(Error::Mismatch(format!(
            "incompatible databases: {} is canonical, {} is not",
            canonical.path().display(),
            forward.path().display()
        ))),
        (canonical, forward) => Ok((k, (canonical.or(forward)).map(|_| canonical.is_some()))),
    }
}

/// Whether k-mers of these databases stand for both strands: as the databases say, or else as their k-mers show.
///
/// Those that do not say are read until a k-mer is greater than its reverse complement, unless another says that its
/// k-mers stand for one strand each.
///
/// # Errors
/// Those of [`check`] and of reading; [`Error::Mismatch`] where one database says that it is canonical and another has
/// k-mers that are not.
pub fn are_canonical(databases: &[Database]) -> Result<bool> {
    are_canonical_unless(databases, &|_| Ok(()))
}

/// The same, unless `watch` has something against it.
///
/// # Errors
/// As [`are_canonical`], and those of `watch`.
pub fn are_canonical_unless(databases: &[Database], watch: Watch<'_>) -> Result<bool> {
    let (_, said) = check(databases)?;
    if said == Some(false) {
        return Ok(false);
    }
    let canonical = |database: &&Database| database.header().canonical == Some(true);
    let unsaid = databases.iter().filter(|database| !canonical(database));
    for database in unsaid {
        if database.has_only_canonical_unless(watch)? {
            continue;
        }
        return match databases.iter().find(canonical) {
            None => Ok(false),
            Some(canonical) => Err(Error::Mismatch(format!(
                "incompatible databases: {} is canonical, but {} has k-mers that are greater than \
                 their reverse complements",
                canonical.path().display(),
                database.path().display()
            ))),
        };
    }
    Ok(true)
}

/// The result of an operation on databases, k-mers ascending.
///
/// # Errors
/// Those of [`check`] and of [`Database::sorted`]; later ones come from the stream.
pub fn combine<K: Kmer>(
    databases: &[Database],
    operation: Operation,
    options: &SortOptions,
) -> Result<KmerRecords<K>> {
    combine_unless(databases, operation, options, &|_| Ok(()))
}

/// The same, unless `watch` has something against it while databases are sorted.
///
/// # Errors
/// As [`combine`], and those of `watch`.
pub fn combine_unless<K: Kmer>(
    databases: &[Database],
    operation: Operation,
    options: &SortOptions,
    watch: Watch<'_>,
) -> Result<KmerRecords<K>> {
    let (k, _) = check(databases)?;
    combine_records(sorted_unless(databases, options, watch)?, k, operation)
}

/// The records of each database, k-mers ascending; those that must be sorted share the memory.
///
/// # Errors
/// Those of [`Database::sorted`].
pub fn sorted<K: Kmer>(
    databases: &[Database],
    options: &SortOptions,
) -> Result<Vec<KmerRecords<K>>> {
    sorted_unless(databases, options, &|_| Ok(()))
}

/// The same, unless `watch` has something against it.
///
/// # Errors
/// As [`sorted`], and those of `watch`.
pub fn sorted_unless<K: Kmer>(
    databases: &[Database],
    options: &SortOptions,
    watch: Watch<'_>,
) -> Result<Vec<KmerRecords<K>>> {
    let unsorted = databases.iter().filter(|database| database.needs_sorting());
    let options = SortOptions {
        memory: options.memory / unsorted.count().max(1),
        directory: options.directory.clone(),
    };
    let sorted = (databases.iter()).map(|database| database.sorted_unless(&options, watch));
    sorted.collect()
}

/// The result of an operation on streams of ascending k-mers of length `k`.
///
/// # Errors
/// Those of the streams. The result's stream has [`Error::Mismatch`] where a stream is not sorted, and where a sum
/// exceeds 64 bits.
pub fn combine_records<K: Kmer>(
    streams: Vec<KmerRecords<K>>,
    k: usize,
    operation: Operation,
) -> Result<KmerRecords<K>> {
    Ok(match <[KmerRecords<K>; 2]>::try_from(streams) {
        Ok(two) => KmerRecords::new(Pair::new(two, operation, k)),
        Err(streams) => KmerRecords::new(Combined::new(streams, k, operation)?),
    })
}

/// Any number of streams.
struct Combined<K: Kmer> {
    merge: Merge<K>,
    group: Vec<(usize, u64)>,
    streams: usize,
    operation: Operation,
    k: usize,
}

impl<K: Kmer> Combined<K> {
    fn new(streams: Vec<KmerRecords<K>>, k: usize, operation: Operation) -> Result<Self> {
        Ok(Combined {
            streams: streams.len(),
            merge: Merge::new(streams, k)?,
            group: Vec::new(),
            operation,
            k,
        })
    }
}

impl<K: Kmer> RecordSource<K> for Combined<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        while batch.len() < BATCH
            && let Some(kmer) = self.merge.next_group(&mut self.group)?
        {
            let count = (self.operation).apply(&self.group, self.streams, kmer, self.k)?;
            batch.extend(count.map(|count| (kmer, count)));
        }
        Ok(())
    }
}

/// How much sets of k-mers have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Similarity {
    /// k-mers that all have, of those that any has; 1 if nobody has any.
    pub jaccard: f64,
    /// Sum of the smallest counts, of the sum of the largest; 1 if nobody has any.
    pub weighted_jaccard: f64,
}

/// The similarity of streams of ascending k-mers of length `k`. Reads them all.
///
/// # Errors
/// As [`combine_records`].
pub fn similarity<K: Kmer>(streams: Vec<KmerRecords<K>>, k: usize) -> Result<Similarity> {
    let all = streams.len();
    let mut merge = Merge::new(streams, k)?;
    let mut group = Vec::new();
    let (mut common, mut any, mut smallest, mut largest) = (0u64, 0u64, 0u128, 0u128);
    while merge.next_group(&mut group)?.is_some() {
        any += 1;
        common += u64::from(group.len() == all);
        if group.len() == all {
            smallest += group
                .iter()
                .map(|part| u128::from(part.1))
                .min()
                .unwrap_or(0);
        }
        largest += group
            .iter()
            .map(|part| u128::from(part.1))
            .max()
            .unwrap_or(0);
    }
    Ok(Similarity {
        jaccard: if any == 0 {
            1.0
        } else {
            common as f64 / any as f64
        },
        weighted_jaccard: if largest == 0 {
            1.0
        } else {
            smallest as f64 / largest as f64
        },
    })
}
