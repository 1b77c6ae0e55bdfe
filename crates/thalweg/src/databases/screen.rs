//! Whether reads have enough k-mers of a database: one type for every job that asks.

use std::path::PathBuf;

use thalweg_formats::Record;
use thalweg_kmers::Kmer;
use thalweg_kmers::database::{self, Database, Lookup, Screener, Threshold};
use thalweg_kmers::kmer::{Alphabet, KmerTask, dispatch};

use super::lookups::is_loaded;
use crate::Control;
use crate::count::available;

/// The k-mers of a database that reads are judged by, whatever their k: in memory, or in the file where that is quicker.
///
/// In memory they take what [`bytes_for`](thalweg_kmers::database::KmerScreen::bytes_for) says.
pub struct Screen {
    judges: Box<dyn Judges>,
    k: usize,
    is_canonical: bool,
    is_in_memory: bool,
}

impl Screen {
    /// For all reads of `files`: the k-mers of a database whose counts are at least and at most these. It is loaded by so many threads, if
    /// it is (as [`Lookups::for_files`](super::Lookups::for_files) has it).
    ///
    /// # Errors
    /// If the database cannot be read; if the job was cancelled.
    pub fn for_files(
        database: &Database,
        files: &[PathBuf],
        counts: (u64, u64),
        threads: usize,
        addresses: Option<u64>,
        control: &Control,
    ) -> thalweg_kmers::Result<Self> {
        let bytes = available(addresses);
        Self::within(database, files, counts, threads, bytes, control)
    }

    /// The same, where it may take so many bytes of memory. What [cannot be searched](Database::is_searchable) is loaded
    /// whatever it takes.
    ///
    /// # Errors
    /// If the database cannot be read; if the job was cancelled.
    pub fn within(
        database: &Database,
        files: &[PathBuf],
        counts: (u64, u64),
        threads: usize,
        bytes: u64,
        control: &Control,
    ) -> thalweg_kmers::Result<Self> {
        let task = Open {
            database,
            files,
            counts,
            threads,
            bytes,
            control,
        };
        dispatch(database.header().k, task)?
    }

    /// What [`within`](Self::within) takes of so many bytes: nothing if k-mers are looked up in the file. It may be more where all
    /// must be loaded; where the file does not say how many k-mers it has, it is what there may be at most.
    ///
    /// # Errors
    /// If the database has k-mers that are not supported.
    pub fn bytes_within(
        database: &Database,
        files: &[PathBuf],
        bytes: u64,
    ) -> thalweg_kmers::Result<u64> {
        let task = Bytes {
            database,
            files,
            bytes,
        };
        dispatch(database.header().k, task)
    }

    /// All k-mers of sequences, each of which stands for both strands. They are put in order by so many threads.
    ///
    /// # Errors
    /// If there are no k-mers of so many bases, or threads cannot be started.
    pub fn of_sequences<'a>(
        sequences: impl IntoIterator<Item = &'a [u8]>,
        k: usize,
        threads: usize,
    ) -> thalweg_kmers::Result<Self> {
        let sequences = sequences.into_iter().collect();
        let task = OfSequences {
            sequences,
            k,
            threads,
        };
        dispatch(k, task)?
    }

    /// Bases of a k-mer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Whether k-mers are in memory, and not looked up in a file.
    pub fn is_in_memory(&self) -> bool {
        self.is_in_memory
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
            .field("k", &self.k)
            .field("is_canonical", &self.is_canonical)
            .field("is_in_memory", &self.is_in_memory)
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
    bytes: u64,
    control: &'a Control<'a>,
}

impl KmerTask for Open<'_> {
    type Output = thalweg_kmers::Result<Screen>;

    fn run<K: Kmer>(self) -> Self::Output {
        let (database, threads) = (self.database, self.threads);
        if let 0 = bytes_within::<K>(database, self.files, self.bytes) {
            return Ok(Screen {
                k: database.header().k,
                is_canonical: database.lookup::<K>()?.is_canonical(),
                is_in_memory: false,
                judges: Box::new(InFile {
                    database: database.clone(),
                    counts: self.counts,
                    kmers: std::marker::PhantomData::<K>,
                }),
            });
        }
        let (least, most) = self.counts;
        let watch = |_| self.control.check_kmers();
        let screen =
            database::KmerScreen::<K>::open_unless(database, least..=most, threads, &watch)?;
        Ok(Screen::in_memory(screen))
    }
}

struct Bytes<'a> {
    database: &'a Database,
    files: &'a [PathBuf],
    bytes: u64,
}

impl KmerTask for Bytes<'_> {
    type Output = u64;

    fn run<K: Kmer>(self) -> u64 {
        bytes_within::<K>(self.database, self.files, self.bytes)
    }
}

/// What of so many bytes the k-mers of a database take for `files`.
fn bytes_within<K: Kmer>(database: &Database, files: &[PathBuf], bytes: u64) -> u64 {
    let header = database.header();
    let distinct = header.distinct.unwrap_or_else(|| {
        // Of text, a line or more for each k-mer: it, its count, what is between them, and the end. While it is not known how many
        // come, there is room for twice as many as have come.
        let length = |file| std::fs::metadata(file).map_or(0, |data| data.len());
        let files = database::files_of(database.path()).into_iter();
        2 * files.map(length).sum::<u64>() / (header.k as u64 + 3)
    });
    let needed = database::KmerScreen::<K>::bytes_for(distinct);
    match !database.is_searchable() || is_loaded(distinct, files, needed, bytes) {
        true => needed,
        false => 0,
    }
}

struct OfSequences<'a> {
    sequences: Vec<&'a [u8]>,
    k: usize,
    threads: usize,
}

impl KmerTask for OfSequences<'_> {
    type Output = thalweg_kmers::Result<Screen>;

    fn run<K: Kmer>(self) -> Self::Output {
        let screen = database::KmerScreen::<K>::of_sequences(self.sequences, self.k, self.threads)?;
        Ok(Screen::in_memory(screen))
    }
}

impl Screen {
    fn in_memory<K: Kmer>(screen: database::KmerScreen<K>) -> Self {
        Self {
            k: screen.k(),
            is_canonical: screen.is_canonical(),
            is_in_memory: true,
            judges: Box::new(InMemory(screen)),
        }
    }
}

struct InMemory<K>(database::KmerScreen<K>);

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
