//! What needs all k-mers of a database: its strands where it does not say them, its spectrum, and whether it is sound.

use super::records::Records;
use super::{Database, Format, Order, SortOptions, Totals};
use crate::error::{Error, Result};
use crate::histogram::Histogram;
use crate::kmer::{Kmer, KmerTask, dispatch};

impl Database {
    /// Whether none of the k-mers is greater than its reverse complement. Reads until one is.
    ///
    /// # Errors
    /// As [`Database::records`].
    pub fn has_only_canonical(&self) -> Result<bool> {
        struct Task<'a>(&'a Database);
        impl KmerTask for Task<'_> {
            type Output = Result<bool>;
            fn run<K: Kmer>(self) -> Self::Output {
                let k = self.0.header().k;
                let mut records = self.0.records::<K>()?;
                while let Some((kmer, _)) = records.take_next()? {
                    if kmer.canonical(k) != kmer {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
        dispatch(self.header().k, Task(self))?
    }

    /// The spectrum of the counts. Reads everything.
    ///
    /// Lines of a dump whose k-mers do not ascend are sorted, as [`Database::sorted`] does, since one may come twice.
    ///
    /// # Errors
    /// As [`Database::records`], [`Error::Damaged`] also if the counts of a k-mer that comes more than once add up to more than
    /// 64 bits; [`Error::Temporary`] for the file of a sort.
    pub fn histogram(&self, options: &SortOptions) -> Result<Histogram> {
        struct Task<'a>(&'a Database, &'a SortOptions);
        impl KmerTask for Task<'_> {
            type Output = Result<Histogram>;
            fn run<K: Kmer>(self) -> Self::Output {
                let Self(database, options) = self;
                database.fold(options, |histogram: &mut Histogram, _: K, count| {
                    histogram.add(count);
                    Ok(())
                })
            }
        }
        dispatch(self.header().k, Task(self, options))?
    }

    /// Adds every different k-mer with its count to a sum that begins empty, in any order.
    fn fold<K: Kmer, T: Default>(
        &self,
        options: &SortOptions,
        add: impl Fn(&mut T, K, u64) -> Result<()>,
    ) -> Result<T> {
        // All that is not sorted by k-mers checks the order that it has itself, if it has one.
        let records = match self.header().order {
            Order::Sorted => self.sorted(options)?,
            _ => self.records()?,
        };
        // In lines that anyone may have put together a k-mer may come again.
        let may_repeat = matches!(self.header().format, Format::Tsv | Format::Fasta);
        match fold_records(records, may_repeat, &add)? {
            Some(sum) => Ok(sum),
            None => {
                let sum = (self.sorted(options))
                    .and_then(|records| fold_records(records, false, &add))
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
        struct Task<'a>(&'a Database, &'a SortOptions);
        impl KmerTask for Task<'_> {
            type Output = Result<Totals>;
            fn run<K: Kmer>(self) -> Self::Output {
                self.0.verify_as::<K>(self.1)
            }
        }
        dispatch(self.header().k, Task(self, options))?
    }

    fn verify_as<K: Kmer>(&self, options: &SortOptions) -> Result<Totals> {
        let header = self.header();
        let damaged = |reason: String| {
            Err(Error::Damaged {
                path: self.path().to_owned(),
                format: header.format.name(),
                reason,
            })
        };
        let totals = self.fold(options, |totals: &mut Totals, kmer: K, count| {
            totals.add(count);
            match header.canonical == Some(true) && kmer.canonical(header.k) != kmer {
                true => Err(self.of_the_other_strand(kmer)),
                false => Ok(()),
            }
        })?;
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
    mut records: Records<K>,
    must_ascend: bool,
    add: impl Fn(&mut T, K, u64) -> Result<()>,
) -> Result<Option<T>> {
    let (mut sum, mut last) = (T::default(), None);
    while let Some((kmer, count)) = records.take_next()? {
        if must_ascend && last.replace(kmer) >= Some(kmer) {
            return Ok(None);
        }
        add(&mut sum, kmer, count)?;
    }
    Ok(Some(sum))
}
