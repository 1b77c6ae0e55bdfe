//! Whether reads have enough k-mers of a database: one type for every job that asks.

use std::path::PathBuf;

use thalweg_formats::Record;
use thalweg_kmers::Kmer;
use thalweg_kmers::database::{self, Database, Lookup, Screener, Threshold};
use thalweg_kmers::kmer::{Alphabet, KmerTask, dispatch};

use super::lookups::Lookups;

/// The k-mers of a database that reads are judged by, whatever their k: in memory, or in the file where that is quicker.
///
/// In memory they take what [`Loaded::bytes_for`](thalweg_kmers::database::Loaded::bytes_for) says, and an eighth more at most.
pub struct Screen {
    judges: Box<dyn Judges>,
    is_canonical: bool,
}

impl Screen {
    /// For all reads of `files`: the k-mers of a database whose counts are at least and at most these. It is loaded by so many threads, if
    /// it is ([`Lookups::for_files`]).
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn for_files(
        database: &Database,
        files: &[PathBuf],
        counts: (u64, u64),
        threads: usize,
        addresses: Option<u64>,
    ) -> thalweg_kmers::Result<Self> {
        let task = Open {
            database,
            files,
            counts,
            threads,
            addresses,
        };
        dispatch(database.header().k, task)?
    }

    /// Whether a k-mer stands for both strands.
    pub fn is_canonical(&self) -> bool {
        self.is_canonical
    }

    /// What judges reads, for one thread; letters of `alphabet` are bases.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn judge(&self, alphabet: Alphabet) -> thalweg_kmers::Result<Judge> {
        self.judges.judge(alphabet).map(Judge)
    }
}

impl std::fmt::Debug for Screen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Screen")
            .field("is_canonical", &self.is_canonical)
            .finish_non_exhaustive()
    }
}

/// Judges reads by a [`Screen`]. It has buffers of its own.
pub struct Judge(Box<dyn Judgement>);

impl Judge {
    /// Whether enough k-mers of the records are in the database, those of mates taken together.
    ///
    /// # Errors
    /// If the database cannot be read where it is looked into.
    #[inline]
    pub fn reaches(
        &mut self,
        records: &[Record<'_>],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool> {
        self.0.records(records, threshold)
    }

    /// The same of sequences that each lie in one slice.
    ///
    /// # Errors
    /// As [`reaches`](Self::reaches).
    #[inline]
    pub fn sequences_reach(
        &mut self,
        sequences: &[&[u8]],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool> {
        self.0.sequences(sequences, threshold)
    }
}

impl std::fmt::Debug for Judge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Judge").finish_non_exhaustive()
    }
}

/// A [`Screen`] of some type of k-mers.
trait Judges: Send + Sync {
    fn judge(&self, alphabet: Alphabet) -> thalweg_kmers::Result<Box<dyn Judgement>>;
}

/// A [`Judge`] by some type of k-mers.
trait Judgement {
    fn records(
        &mut self,
        records: &[Record<'_>],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool>;

    fn sequences(
        &mut self,
        sequences: &[&[u8]],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool>;
}

struct Open<'a> {
    database: &'a Database,
    files: &'a [PathBuf],
    counts: (u64, u64),
    threads: usize,
    addresses: Option<u64>,
}

impl KmerTask for Open<'_> {
    type Output = thalweg_kmers::Result<Screen>;

    fn run<K: Kmer>(self) -> Self::Output {
        let lookups =
            Lookups::<K>::for_files(self.database, self.files, self.threads, self.addresses)?;
        let (least, most) = self.counts;
        match lookups {
            Lookups::Loaded(loaded) => {
                let screen = database::Screen::new(loaded, least..=most, self.threads)?;
                Ok(Screen {
                    is_canonical: screen.is_canonical(),
                    judges: Box::new(InMemory(screen)),
                })
            }
            Lookups::InFile(database) => Ok(Screen {
                is_canonical: database.lookup::<K>()?.is_canonical(),
                judges: Box::new(InFile {
                    database: database.clone(),
                    counts: self.counts,
                    kmers: std::marker::PhantomData::<K>,
                }),
            }),
        }
    }
}

struct InMemory<K>(database::Screen<K>);

impl<K: Kmer> Judges for InMemory<K> {
    fn judge(&self, alphabet: Alphabet) -> thalweg_kmers::Result<Box<dyn Judgement>> {
        Ok(Box::new(self.0.screener(alphabet)))
    }
}

impl<K: Kmer> Judgement for Screener<K> {
    fn records(
        &mut self,
        records: &[Record<'_>],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool> {
        let sequences = records.iter().map(Record::sequence_lines);
        Ok(self.reaches(sequences, threshold))
    }

    fn sequences(
        &mut self,
        sequences: &[&[u8]],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool> {
        let sequences = sequences.iter().map(|sequence| [*sequence]);
        Ok(self.reaches(sequences, threshold))
    }
}

struct InFile<K> {
    database: Database,
    counts: (u64, u64),
    kmers: std::marker::PhantomData<K>,
}

impl<K: Kmer> Judges for InFile<K> {
    fn judge(&self, alphabet: Alphabet) -> thalweg_kmers::Result<Box<dyn Judgement>> {
        Ok(Box::new(OneByOne {
            lookup: self.database.lookup::<K>()?.with_alphabet(alphabet),
            counts: self.counts,
        }))
    }
}

/// Every k-mer is looked up.
struct OneByOne<K: Kmer> {
    lookup: Lookup<K>,
    counts: (u64, u64),
}

impl<K: Kmer> OneByOne<K> {
    fn reaches<'a, L>(
        &mut self,
        sequences: impl Iterator<Item = L>,
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool>
    where
        L: IntoIterator<Item = &'a [u8]>,
    {
        let (mut found, mut all) = (0, 0);
        let counts = self.counts.0..=self.counts.1;
        for lines in sequences {
            self.lookup.find_in_lines(lines, |_, count| {
                all += 1;
                found += u64::from(count.is_some_and(|count| counts.contains(&count)));
            })?;
        }
        Ok(threshold.is_reached(found, all))
    }
}

impl<K: Kmer> Judgement for OneByOne<K> {
    fn records(
        &mut self,
        records: &[Record<'_>],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool> {
        self.reaches(records.iter().map(Record::sequence_lines), threshold)
    }

    fn sequences(
        &mut self,
        sequences: &[&[u8]],
        threshold: Threshold,
    ) -> thalweg_kmers::Result<bool> {
        self.reaches(sequences.iter().map(|sequence| [*sequence]), threshold)
    }
}
