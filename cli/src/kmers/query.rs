//! `thalweg kmers query`

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, Database, Lookup};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::{ReaderOptions, Reads};

use super::arguments::QueryArguments;
use super::failure::Fault;
use super::lookups::Lookups;
use super::output::TextOutput;
use super::strands::tell_strands;
use crate::exit::Failure;
use crate::input::warn_of_missing_end;
use crate::output::{Output, refuse_compressed, refuse_text_over};
use crate::threads::threads;
use thalweg::kmers::database::Separator;

pub(crate) fn run(arguments: &QueryArguments) -> Result<(), Fault> {
    if arguments.kmers.is_empty() && arguments.sequence.is_empty() && !arguments.interactive {
        return Err(Failure::usage(
            "no k-mer to look up",
            "name some, or - for the standard input, or --sequence FILE",
        )
        .into());
    }
    let database = database::open(&arguments.database)?;
    let output = match &arguments.output {
        Some(path) => {
            refuse_text_over(path, &arguments.database, &arguments.sequence)?;
            refuse_compressed(path)?;
            Output::create(path)?
        }
        None => Output::stdout()?,
    };
    let query = Query {
        database: &database,
        arguments,
        output,
    };
    dispatch(database.header().k, query)?
}

struct Query<'a> {
    database: &'a Database,
    arguments: &'a QueryArguments,
    output: Output,
}

impl KmerTask for Query<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let files = &self.arguments.sequence;
        let lookup = match files.is_empty() {
            true => self.database.lookup::<K>()?,
            false => {
                let threads = threads(self.arguments.threads);
                Lookups::for_files(self.database, files, threads)?.lookup()?
            }
        };
        let k = self.database.header().k;
        if !self.arguments.notes.quiet {
            tell_strands(self.database, lookup.is_canonical());
        }
        if self.arguments.interactive {
            return interact(lookup, usize::MAX);
        }
        let mut answers = Answers {
            output: TextOutput::new(self.output, k, Separator::Tab),
            lookup,
            k,
        };
        for word in &self.arguments.kmers {
            if word != "-" {
                answers.answer(word.as_bytes())?;
                continue;
            }
            for (number, line) in std::io::stdin().lock().lines().enumerate() {
                let line = line.map_err(|error| Failure::io(Path::new("standard input"), error))?;
                let letters = line.trim().as_bytes();
                if !letters.is_empty() {
                    let answered = answers.answer(letters);
                    answered.map_err(|fault| fault.of_line(number + 1))?;
                }
            }
        }
        answers.answer_sequences(&self.arguments.sequence)?;
        answers.output.finish()?;
        Ok(())
    }
}

/// Looks k-mers up and prints them with their counts.
pub(super) struct Answers<K: Kmer> {
    pub(super) lookup: Lookup<K>,
    pub(super) output: TextOutput,
    pub(super) k: usize,
}

impl<K: Kmer> Answers<K> {
    /// One k-mer.
    pub(super) fn answer(&mut self, letters: &[u8]) -> Result<(), Fault> {
        let count = self.lookup.find_letters(letters)?.unwrap_or(0);
        // It was one: else it would not have been looked up.
        if let Some(kmer) = K::from_letters(letters) {
            let stored = match self.lookup.is_canonical() {
                true => kmer.canonical(self.k),
                false => kmer,
            };
            self.output.push(stored, count)?;
        }
        Ok(())
    }

    /// Every k-mer of every sequence, in their order.
    pub(super) fn answer_sequences(&mut self, files: &[PathBuf]) -> Result<(), Fault> {
        if files.is_empty() {
            return Ok(());
        }
        let options = files.iter().fold(ReaderOptions::new(), ReaderOptions::file);
        for batch in Reads::open(
            options
                .check_letters(true)
                .long_sequences_in_pieces(self.k.saturating_sub(1))
                .on_missing_end(warn_of_missing_end),
        )?
        .workers(1)
        {
            for record in batch?.records() {
                let (lookup, output) = (&mut self.lookup, &mut self.output);
                let mut written = Ok(());
                lookup.find_in_lines(record.sequence_lines(), |kmer, count| {
                    if written.is_ok() {
                        written = output.push(kmer, count.unwrap_or(0));
                    }
                })?;
                written?;
            }
        }
        Ok(())
    }
}

/// A count for each line as soon as it has come; what is no k-mer is told, and does not end it.
///
/// Of longer lines the first `longest` letters are looked up.
pub(super) fn interact<K: Kmer>(mut lookup: Lookup<K>, longest: usize) -> Result<(), Fault> {
    let mut stdout = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::io(Path::new("standard input"), error))?;
        let letters = line.trim().as_bytes();
        match lookup.find_letters(&letters[..letters.len().min(longest)]) {
            Ok(count) => writeln!(stdout, "{}", count.unwrap_or(0))
                .and_then(|()| stdout.flush())
                .map_err(|error| Failure::io(Path::new("standard output"), error))?,
            Err(thalweg::kmers::Error::NoKmer { .. }) => tell!("Invalid mer '{}'", line.trim()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
