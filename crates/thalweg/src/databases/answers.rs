//! k-mers looked up in an open database, one by one or all of whole files.

use std::borrow::Cow;
use std::io::BufRead;
use std::sync::{Mutex, PoisonError};

use thalweg_flow::Pool;
use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Database, Formatted, Formatter, Lookup};
use thalweg_reads::{Batch, ReaderOptions};

use super::lookups::Lookups;
use super::query::QuerySettings;
use crate::count::{OutputFile, Packed, TextFile};
use crate::inputs::{self, MissingEnds};
use crate::{Budget, Control, Fault, MessageKind, notes, standard_input};

/// What a thread reads at a time, at most: of BGZF, the text of two megabytes; parts of plain files and chunks of usual indexes
/// have eight.
const PIECE: u64 = 12 << 20;

/// Looks k-mers up in an open database, and writes them with their counts: what [`QuerySettings`] ask for, in the order that the
/// caller wants.
pub struct Answers<'a, K: Kmer> {
    settings: &'a QuerySettings,
    control: &'a Control<'a>,
    lookups: Lookups<'a, K>,
    /// For what is asked one by one.
    lookup: Lookup<K>,
    text: TextFile,
    k: usize,
}

impl<'a, K: Kmer> Answers<'a, K> {
    /// Of `database`, which is loaded if that pays for all k-mers of the settings' sequences. Their other inputs and outputs
    /// are the caller's affair.
    ///
    /// # Errors
    /// If the database cannot be read; if the job was cancelled.
    pub fn new(
        settings: &'a QuerySettings,
        database: &'a Database,
        output: OutputFile,
        control: &'a Control<'a>,
    ) -> Result<Self, Fault> {
        let (files, threads) = (&settings.sequences[..], settings.threads);
        let lookups = match files.is_empty() {
            true => Lookups::in_file(database),
            false => Lookups::for_files(database, files, threads, settings.addresses, control)?,
        };
        let k = database.header().k;
        Ok(Self {
            lookup: lookup(&lookups, settings)?,
            lookups,
            text: TextFile::new(output, k, settings.separator),
            k,
            settings,
            control,
        })
    }

    /// Whether k-mers are made canonical before they are looked up.
    pub fn is_canonical(&self) -> bool {
        self.lookup.is_canonical()
    }

    /// Answers one k-mer.
    ///
    /// # Errors
    /// If it is none; if the database cannot be read, or the answer not be written; if the job was cancelled.
    pub fn answer(&mut self, letters: &[u8]) -> Result<(), Fault> {
        self.control.check()?;
        let count = self.lookup.find_letters(letters)?.unwrap_or(0);
        // It was one: else it would not have been looked up.
        if let Some(kmer) = self.lookup.kmer(letters) {
            let stored = match self.lookup.is_canonical() {
                true => kmer.canonical(self.k),
                false => kmer,
            };
            self.text.push(stored, count)?;
        }
        Ok(())
    }

    /// Answers every k-mer of every sequence, in their order.
    ///
    /// # Errors
    /// If files or the database cannot be read, or answers not be written; if the job was cancelled.
    pub fn answer_sequences(&mut self) -> Result<(), Fault> {
        let (settings, control) = (self.settings, self.control);
        if settings.sequences.is_empty() {
            return Ok(());
        }
        self.lookups.say_lack(control);
        let ends = MissingEnds::default();
        let reads = inputs::open(self.reading().on_missing_end(ends.note()), control)?;
        notes::colour_space(&reads.plan()).for_each(|note| control.tell(note));
        let formatter = self.text.formatter().clone();
        let idle = Mutex::new(Vec::new());
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = Pool::new(settings.threads + 1);
        let packer = self.text.packer();
        let workers = reads.all_workers();
        let position = workers.progress();
        let work = |batch: Batch| -> Result<Packed, Fault> {
            control.progress(&position);
            control.check()?;
            let idle = lock().pop();
            let mut asked = match idle {
                Some(lookup) => lookup,
                None => lookup(&self.lookups, settings)?,
            };
            let mut packed = texts.take(Packed::default);
            answer_batch(&mut asked, &batch, &formatter, &mut packed.text)?;
            lock().push(asked);
            packer.pack(&mut packed)?;
            Ok(packed)
        };
        let text = &mut self.text;
        let write = |mut packed: Packed| {
            text.append_packed(&packed)?;
            packed.clear();
            texts.give(packed);
            Ok(())
        };
        let outcome = workers.map_in_order(work, write);
        ends.say(control);
        outcome
    }

    /// How sequences are read.
    fn reading(&self) -> ReaderOptions {
        let settings = self.settings;
        // Bytes of answers to a byte of sequences, nearly: a line for every base, with few digits.
        let growth = self.k as u64 + 4;
        let usual = (Budget::DEFAULT_MEMORY / growth).max(settings.threads as u64 * PIECE);
        let memory = settings.memory.map_or(usual, |memory| memory / growth);
        let budget = Budget::new(settings.threads).with_memory(memory);
        let files = settings.sequences.iter();
        let reading = files.fold(ReaderOptions::new(), ReaderOptions::file);
        let reading = inputs::tell_of_waits(reading, settings.on_wait.as_ref());
        (settings.indexes)
            .choose(reading, budget)
            .check_letters(true)
            .check_end(settings.check_end)
            .long_sequences_in_pieces(self.k.saturating_sub(1))
            .budget(budget)
    }

    /// A count for each line as soon as it has come, and nothing else; what is no k-mer is said, and does not end it. Letters
    /// are looked up as `read` has them. How many were answered.
    ///
    /// # Errors
    /// If lines or the database cannot be read, or answers not be written; if the job was cancelled.
    pub fn converse(
        mut self,
        lines: impl BufRead,
        read: impl Fn(&[u8]) -> Cow<'_, [u8]>,
    ) -> Result<u64, Fault> {
        let (mut output, totals) = self.text.into_output()?;
        let mut answered = totals.distinct;
        for line in lines.split(b'\n') {
            self.control.check()?;
            let line = line.map_err(standard_input::unreadable)?;
            let letters = line.trim_ascii();
            match self.lookup.find_letters(&read(letters)) {
                Ok(count) => {
                    output.write(format!("{}\n", count.unwrap_or(0)).as_bytes())?;
                    answered += 1;
                }
                Err(thalweg_kmers::Error::NoKmer { .. }) => {
                    let text = format!("Invalid mer '{}'", String::from_utf8_lossy(letters));
                    self.control.say(MessageKind::Line, text);
                }
                Err(error) => return Err(error.into()),
            }
        }
        self.control.check()?;
        output.finish()?;
        Ok(answered)
    }

    /// Ends the answers, whose file gets its name; how many there are.
    ///
    /// # Errors
    /// If they cannot be written; if the job was cancelled.
    pub fn finish(self) -> Result<u64, Fault> {
        self.control.check()?;
        Ok(self.text.finish()?.distinct)
    }
}

/// One thread's.
fn lookup<K: Kmer>(lookups: &Lookups<'_, K>, settings: &QuerySettings) -> Result<Lookup<K>, Fault> {
    let lookup = lookups.lookup(settings.alphabet)?;
    Ok(match settings.canonical {
        Some(are_canonical) => lookup.with_canonical(are_canonical),
        None => lookup,
    })
}

/// Text of all k-mers of some records.
fn answer_batch<K: Kmer>(
    lookup: &mut Lookup<K>,
    batch: &Batch,
    formatter: &Formatter,
    text: &mut Formatted,
) -> thalweg_kmers::Result<()> {
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
