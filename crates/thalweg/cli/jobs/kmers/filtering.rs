//! Reads that a database is asked about: through all threads, to outputs in the order of their files.

use std::path::{Path, PathBuf};

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Database, Lookup};
use thalweg::kmers::kmer::Alphabet;
use thalweg::write::{Level, OutputOptions, Outputs, Piece};
use thalweg::{Batch, Reads};

use super::failure::Fault;
use super::lookups::Lookups;
use super::strands::tell_strands;
use crate::input;
use crate::options::Common;
use crate::process::progress::Progress;

/// What is read, asked and written; what is kept, [`run`](Self::run) is told.
pub(crate) struct Filtering<'a> {
    pub(crate) database: &'a Database,
    /// What `reads` were opened with.
    pub(crate) files: &'a [PathBuf],
    pub(crate) reads: Reads,
    /// Which of their letters are bases.
    pub(crate) alphabet: Alphabet,
    /// The output, or those of the first and of the second mates.
    pub(crate) paths: Vec<&'a Path>,
    pub(crate) level: Level,
    pub(crate) common: &'a Common,
}

/// What becomes of a batch, or of all of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Kept {
    /// Reads, or pairs, that are kept.
    pub(crate) kept: u64,
    /// All of them.
    pub(crate) read: u64,
    /// Records that each output gets.
    pub(crate) records: u64,
}

impl Filtering<'_> {
    /// Takes every batch through `keep`, which appends what is kept of it to a text for each output.
    pub(crate) fn run<K: Kmer>(
        self,
        keep: impl Fn(&mut Lookup<K>, &Batch, &mut [Vec<u8>]) -> thalweg::kmers::Result<Kept> + Sync,
    ) -> Result<Kept, Fault> {
        let Self {
            database,
            files,
            reads,
            alphabet,
            paths,
            level,
            common,
        } = self;
        let threads = input::budget(common).threads();
        let lookups = Lookups::<K>::for_files(database, files, threads)?;
        if !common.quiet {
            tell_strands(database, lookups.lookup(alphabet)?.is_canonical());
        }
        let workers = reads.all_workers();
        let progress = Progress::start(common, &files[0], workers.progress());
        let options = paths
            .iter()
            .map(|path| OutputOptions::new(path).level(level));
        let outputs = Outputs::open(options.collect(), workers.ahead())?;
        let work = |source: &mut thalweg::Source| -> Result<Kept, Fault> {
            let mut lookup = lookups.lookup(alphabet)?;
            let mut writer = outputs.writer()?;
            let mut texts = vec![Vec::new(); paths.len()];
            let mut all = Kept::default();
            while let Some(batch) = source.next_batch()? {
                texts.iter_mut().for_each(Vec::clear);
                let kept = keep(&mut lookup, &batch, &mut texts)?;
                let pieces = texts.iter_mut();
                let mut pieces: Vec<Piece> =
                    pieces.map(|text| Piece::new(text, kept.records)).collect();
                writer.write(batch.place(), &mut pieces)?;
                all.add(kept);
            }
            Ok(all)
        };
        let outcome = workers.run_into(&outputs, work, Fault::is_consequence);
        let (parts, tickets) = outcome.map_err(|fault| fault.of_outputs(&paths))?;
        let finished = outputs.finish(tickets).map_err(Fault::from);
        finished.map_err(|fault| fault.of_outputs(&paths))?;
        drop(progress);
        let mut all = Kept::default();
        parts.into_iter().for_each(|part| all.add(part));
        Ok(all)
    }
}

impl Kept {
    fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.read += other.read;
        self.records += other.records;
    }
}
