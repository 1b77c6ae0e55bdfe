//! Reads that a database is asked about: through all threads, to outputs in the order of their files.

use std::path::{Path, PathBuf};

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Database, Lookup};
use thalweg_kmers::kmer::Alphabet;
use thalweg_write::{Level, OutputOptions, OutputPiece, Outputs};

use super::lookups::Lookups;
use super::strands::say_strands;
use crate::{Batch, Control, Fault, Reads, Source};

/// What is read, asked and written; what is kept, [`run`](Self::run) is told.
pub struct Filtering<'a> {
    /// What is asked.
    pub database: &'a Database,
    /// What `reads` were opened with.
    pub files: &'a [PathBuf],
    /// What is read.
    pub reads: Reads,
    /// Which of their letters are bases.
    pub alphabet: Alphabet,
    /// The output, or those of the first and of the second mates.
    pub paths: Vec<&'a Path>,
    /// How hard what is to be compressed is.
    pub level: Level,
    /// Bytes of addresses that the process may use, if there is a limit.
    pub addresses: Option<u64>,
    /// Who is told of it.
    pub control: &'a Control<'a>,
}

/// What becomes of a batch, or of all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filtered {
    /// Reads, or pairs, that are kept.
    pub kept: u64,
    /// All of them.
    pub read: u64,
    /// Records that each output gets.
    pub records: u64,
}

impl Filtering<'_> {
    /// Takes every batch through `keep`, which appends what is kept of it to a text for each output.
    ///
    /// # Errors
    /// If reads cannot be read, outputs not be written, or the database not be asked; if it was cancelled. Outputs are not there,
    /// then.
    pub fn run<K: Kmer>(
        self,
        keep: impl Fn(&mut Lookup<K>, &Batch, &mut [Vec<u8>]) -> thalweg_kmers::Result<Filtered> + Sync,
    ) -> Result<Filtered, Fault> {
        let threads = self.reads.threads();
        let (files, addresses) = (self.files, self.addresses);
        let lookups =
            Lookups::<K>::for_files(self.database, files, threads, addresses, self.control)?;
        let alphabet = self.alphabet;
        let canonical = lookups.lookup(alphabet)?.is_canonical();
        say_strands(self.database, canonical, self.control);
        lookups.say_lack(self.control);
        self.pass(|| lookups.lookup(alphabet), keep)
    }

    /// Takes every batch through `keep`, to which each thread brings what `asked` makes.
    pub(super) fn pass<A>(
        self,
        asked: impl Fn() -> thalweg_kmers::Result<A> + Sync,
        keep: impl Fn(&mut A, &Batch, &mut [Vec<u8>]) -> thalweg_kmers::Result<Filtered> + Sync,
    ) -> Result<Filtered, Fault> {
        let Self {
            reads,
            paths,
            level,
            control,
            ..
        } = self;
        let workers = reads.all_workers();
        let position = workers.progress();
        let options = paths
            .iter()
            .map(|path| OutputOptions::new(path).level(level));
        let outputs = Outputs::open(options.collect(), workers.ahead())?;
        let work = |source: &mut Source| -> Result<Filtered, Fault> {
            let mut asked = asked()?;
            let mut writer = outputs.writer()?;
            let mut texts = vec![Vec::new(); paths.len()];
            let mut all = Filtered::default();
            while let Some(batch) = source.next_batch()? {
                control.progress(&position);
                control.check()?;
                texts.iter_mut().for_each(Vec::clear);
                let kept = keep(&mut asked, &batch, &mut texts)?;
                let pieces = texts.iter_mut();
                let mut pieces: Vec<OutputPiece> = pieces
                    .map(|text| OutputPiece::new(text, kept.records))
                    .collect();
                writer.write(batch.place(), &mut pieces)?;
                all.add(kept);
            }
            Ok(all)
        };
        let (parts, tickets) = workers.run_into(&outputs, work, Fault::is_consequence)?;
        control.check()?;
        outputs.finish(tickets)?;
        let mut all = Filtered::default();
        parts.into_iter().for_each(|part| all.add(part));
        Ok(all)
    }
}

impl Filtered {
    fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.read += other.read;
        self.records += other.records;
    }
}
