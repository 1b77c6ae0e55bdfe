//! What needs all k-mers of a database: its strands where it does not say them, its spectrum, and whether it is sound.

use std::ops::ControlFlow;

use super::records::{KmerRecords, WATCHED, Watch};
use super::{Database, DatabaseFormat, Order, SortOptions, Totals};
use crate::error::{Error, Result};
use crate::histogram::Histogram;
use crate::kmer::{Kmer, KmerTask, dispatch};

impl Database {
    /// Whether none of the k-mers is greater than its reverse complement. Reads until one is.
    ///
    /// # Errors
    /// As [`Database::records`].
    pub fn has_only_canonical(&self) -> Result<bool> {
        self.has_only_canonical_unless(&|_| Ok(()))
    }

    /// The same, unless `watch` has something against it.
    pub(crate) fn has_only_canonical_unless(&self, watch: Watch<'_>) -> Result<bool> {
        struct Task<'a>(&'a Database, Watch<'a>);
        impl KmerTask for Task<'_> {
            type Output = Result<bool>;
            fn run<K: Kmer>(self) -> Self::Output {
                let Self(database, watch) = self;
                let k = database.header().k;
                let mut records = database.records::<K>()?;
                let mut read = 0;
                while let Some((kmer, _)) = records.take_next()? {
                    if kmer.canonical(k) != kmer {
                        return Ok(false);
                    }
                    read += 1;
                    if read % WATCHED == 0 {
                        watch(read)?;
                    }
                }
                Ok(true)
            }
        }
        dispatch(self.header().k, Task(self, watch))?
    }

    /// The spectrum of the counts. Reads everything.
    ///
    /// Lines of a dump whose k-mers do not ascend are sorted, as [`Database::sorted`] does, since one may come twice.
    ///
    /// # Errors
    /// As [`Database::records`], [`Error::Damaged`] also if the counts of a k-mer that comes more than once add up to more than
    /// 64 bits; [`Error::Temporary`] for the file of a sort.
    pub fn histogram(&self, options: &SortOptions) -> Result<Histogram> {
        self.histogram_unless(options, &|_| Ok(()))
    }

    /// The same, unless `watch` has something against it. Where lines are sorted, it is told of all once more.
    ///
    /// # Errors
    /// As [`Database::histogram`], and those of `watch`.
    pub fn histogram_unless(&self, options: &SortOptions, watch: Watch<'_>) -> Result<Histogram> {
        struct Task<'a>(&'a Database, &'a SortOptions, Watch<'a>);
        impl KmerTask for Task<'_> {
            type Output = Result<Histogram>;
            fn run<K: Kmer>(self) -> Self::Output {
                let Self(database, options, watch) = self;
                let add = |histogram: &mut Histogram, _: K, count| {
                    histogram.add(count);
                    Ok(())
                };
                database.fold(options, watch, add)
            }
        }
        dispatch(self.header().k, Task(self, options, watch))?
    }

    /// Adds every different k-mer with its count to a sum that begins empty, in any order.
    fn fold<K: Kmer, T: Default>(
        &self,
        options: &SortOptions,
        watch: Watch<'_>,
        add: impl Fn(&mut T, K, u64) -> Result<()>,
    ) -> Result<T> {
        // All that is not sorted by k-mers checks the order that it has itself, if it has one.
        let records = match self.header().order {
            Order::Sorted => self.sorted(options)?,
            _ => self.records()?,
        };
        // In lines that anyone may have put together a k-mer may come again.
        let may_repeat = matches!(
            self.header().format,
            DatabaseFormat::Tsv | DatabaseFormat::Fasta
        );
        match fold_records(records, may_repeat, watch, &add)? {
            Some(sum) => Ok(sum),
            None => {
                let sum = (self.sorted_unless(options, watch))
                    .and_then(|records| fold_records(records, false, watch, &add))
                    .map_err(|fault| self.of_this(fault));
                Ok(sum?.unwrap_or_default())
            }
        }
    }

    /// Counts that have no sum are a fault of this file, as there is no other.
    fn of_this(&self, fault: Error) -> Error {
        match fault {
            Error::Mismatch(reason) => Error::Damaged {
                path: self.path().to_owned(),
                format: self.header().format.name(),
                reason,
            },
            other => other,
        }
    }

    /// Reads everything and checks what can be checked: checksums, order, totals, that no k-mer of a canonical
    /// database is greater than its reverse complement.
    ///
    /// A k-mer that is in two partitions, or in an unsorted file twice, is not found (that of a dump is no fault: its counts
    /// are added up); nor is a cut between two records of a file that does not [tell its end](Database::tells_its_end).
    ///
    /// # Errors
    /// [`Error::Damaged`] says what is wrong and where; otherwise as [`Database::histogram`].
    pub fn verify(&self, options: &SortOptions) -> Result<Totals> {
        self.verify_unless(options, &|_| Ok(()))
    }

    /// The same, unless `watch` has something against it.
    ///
    /// # Errors
    /// As [`Database::verify`], and those of `watch`.
    pub fn verify_unless(&self, options: &SortOptions, watch: Watch<'_>) -> Result<Totals> {
        struct Task<'a>(&'a Database, &'a SortOptions, Watch<'a>);
        impl KmerTask for Task<'_> {
            type Output = Result<Totals>;
            fn run<K: Kmer>(self) -> Self::Output {
                let Self(database, options, watch) = self;
                database.verify_as::<K>(options, watch)
            }
        }
        dispatch(self.header().k, Task(self, options, watch))?
    }

    fn verify_as<K: Kmer>(&self, options: &SortOptions, watch: Watch<'_>) -> Result<Totals> {
        let header = self.header();
        let damaged = |reason: String| {
            Err(Error::Damaged {
                path: self.path().to_owned(),
                format: header.format.name(),
                reason,
            })
        };
        let add = |totals: &mut Totals, kmer: K, count| {
            totals.add(count);
            match header.canonical == Some(true) && kmer.canonical(header.k) != kmer {
                true => Err(self.of_the_other_strand(kmer)),
                false => Ok(()),
            }
        };
        let totals = self.fold(options, watch, add)?;
        if header
            .distinct
            .is_some_and(|distinct| distinct != totals.distinct)
        {
            return damaged(format!(
                "it has {} k-mers, but says {}",
                totals.distinct,
                header.distinct.unwrap_or(0)
            ));
        }
        if self.stored_totals().is_some_and(|stored| stored != totals) {
            return damaged("its counts do not add up to the totals in its header".into());
        }
        Ok(totals)
    }
}

/// Adds all records to a sum that begins empty; `None` if they must ascend and do not.
fn fold_records<K: Kmer, T: Default>(
    records: KmerRecords<K>,
    must_ascend: bool,
    watch: Watch<'_>,
    add: impl Fn(&mut T, K, u64) -> Result<()>,
) -> Result<Option<T>> {
    let (mut sum, mut last) = (T::default(), None);
    let folded = records.each(watch, |kmer, count| {
        if must_ascend && last.replace(kmer) >= Some(kmer) {
            return Ok(ControlFlow::Break(()));
        }
        add(&mut sum, kmer, count)?;
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(match folded {
        ControlFlow::Break(()) => None,
        ControlFlow::Continue(()) => Some(sum),
    })
}
