//! k-mers looked up, one by one or all of whole files, and printed with their counts.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use thalweg::databases::Lookups;
use thalweg::flow::Pool;
use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Database, Formatted, Formatter, Lookup};
use thalweg::kmers::kmer::Alphabet;
use thalweg::{Batch, Budget, ReaderOptions, Reads};

use super::failure::Fault;
use super::output::{Packed, TextOutput};
use crate::input::{telling, warn_if_cut_or_empty, warn_of_missing_end};
use crate::options::IndexDirectory;
use crate::process::hearing::always_heard;
use crate::process::limits::addresses;
use crate::process::threads::map_in_order;

/// What a thread reads at a time, at most: of BGZF, the text of two megabytes; parts of plain files and chunks of usual indexes
/// have eight.
const PIECE: u64 = 12 << 20;

/// Looks k-mers up and prints them with their counts.
pub(crate) struct Answers<'a, K: Kmer> {
    lookups: Lookups<'a, K>,
    /// For what is asked one by one.
    pub(crate) lookup: Lookup<K>,
    pub(crate) output: TextOutput,
    k: usize,
    alphabet: Alphabet,
}

impl<'a, K: Kmer> Answers<'a, K> {
    /// Of a database that all k-mers of `files` are looked up in, which is loaded for that by so many threads if it pays.
    ///
    /// What is asked has letters of `alphabet`. `are_canonical` says whether k-mers are made canonical before they are looked up; by `None`, the database does.
    pub(crate) fn new(
        database: &'a Database,
        files: &[PathBuf],
        threads: usize,
        alphabet: Alphabet,
        are_canonical: Option<bool>,
        output: TextOutput,
    ) -> thalweg::kmers::Result<Self> {
        let lookups = match files.is_empty() {
            true => Lookups::in_file(database),
            false => Lookups::for_files(database, files, threads, addresses())?,
        };
        let mut lookup = lookups.lookup(alphabet)?;
        if let Some(are_canonical) = are_canonical {
            lookup = lookup.with_canonical(are_canonical);
        }
        Ok(Self {
            lookups,
            lookup,
            output,
            k: database.header().k,
            alphabet,
        })
    }

    /// Answers one k-mer.
    pub(crate) fn answer(&mut self, letters: &[u8]) -> Result<(), Fault> {
        let count = self.lookup.find_letters(letters)?.unwrap_or(0);
        // It was one: else it would not have been looked up.
        if let Some(kmer) = self.lookup.kmer(letters) {
            let stored = match self.lookup.is_canonical() {
                true => kmer.canonical(self.k),
                false => kmer,
            };
            self.output.push(stored, count)?;
        }
        Ok(())
    }

    /// Answers every k-mer of every sequence, in their order, with so many threads. Answers that wait for their turn are within
    /// `memory`, or those of one piece of what is read; if nothing is said, of a piece for each thread. Unless `quiet`, it is
    /// told which pipe is waited for.
    pub(crate) fn answer_sequences(
        &mut self,
        files: &[PathBuf],
        threads: usize,
        memory: Option<u64>,
        quiet: bool,
    ) -> Result<(), Fault> {
        if files.is_empty() {
            return Ok(());
        }
        if !quiet {
            always_heard(|control| self.lookups.say_lack(control));
        }
        let of_answers = |memory: u64| memory / self.growth();
        let usual = of_answers(Budget::DEFAULT_MEMORY).max(threads as u64 * PIECE);
        let budget = Budget::new(threads).with_memory(memory.map_or(usual, of_answers));
        let options = files.iter().fold(ReaderOptions::new(), ReaderOptions::file);
        let options = telling(options, quiet);
        let reads = Reads::open(
            options
                .index_directory(IndexDirectory::of_environment())
                .check_letters(true)
                .long_sequences_in_pieces(self.k.saturating_sub(1))
                .on_missing_end(warn_of_missing_end)
                .budget(budget),
        )?;
        files.iter().for_each(|file| warn_if_cut_or_empty(file));
        let formatter = self.output.formatter().clone();
        let are_canonical = self.lookup.is_canonical();
        let idle = Mutex::new(Vec::new());
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = Pool::new(threads + 1);
        let packer = self.output.packer();
        let work = |batch: Batch| -> Result<Packed, Fault> {
            let lookup = lock().pop();
            let mut lookup = match lookup {
                Some(lookup) => lookup,
                None => (self.lookups.lookup(self.alphabet)?).with_canonical(are_canonical),
            };
            let mut packed = texts.take(Packed::default);
            answer_batch(&mut lookup, &batch, &formatter, &mut packed.text)?;
            lock().push(lookup);
            packer.pack(&mut packed)?;
            Ok(packed)
        };
        let output = &mut self.output;
        let write = |mut packed: Packed| {
            output.append_packed(&packed)?;
            packed.clear();
            texts.give(packed);
            Ok(())
        };
        map_in_order(reads.all_workers(), work, write, Fault::is_consequence)
    }

    /// Bytes of answers to a byte of sequences, nearly: a line for every base, with few digits.
    fn growth(&self) -> u64 {
        self.k as u64 + 4
    }
}

/// Text of all k-mers of some records.
fn answer_batch<K: Kmer>(
    lookup: &mut Lookup<K>,
    batch: &Batch,
    formatter: &Formatter,
    text: &mut Formatted,
) -> thalweg::kmers::Result<()> {
    for record in batch.records() {
        let mut written = Ok(());
        lookup.find_in_lines(record.sequence_lines(), |kmer, count| {
            if written.is_ok() {
                written = formatter.push(kmer, count.unwrap_or(0), text);
            }
        })?;
        written?;
    }
    Ok(())
}
