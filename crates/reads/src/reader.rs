//! The reader: what to open, and workers that share its records out.

mod opening;
mod options;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError};

use thalweg_flow::{Budget, Gate};
use thalweg_gzip::index::Index;
use thalweg_gzip::{WINDOW, Workbench};

pub use options::ReaderOptions;
pub use worker::Worker;

use crate::abreast::Abreast;
use crate::batch::{Batch, Block, BufferPool, SLAB};
use crate::claims::OutsideClaims;
use crate::pipes::Pipes;
use crate::plan::Plan;
use crate::runs::Run;
use crate::section::Section;
use crate::task::Task;
use crate::{Error, ErrorKind, Format};

/// Open files and a plan of who reads what; share it between threads, and let
/// each take a [`Worker`].
pub struct Reader {
    sections: Vec<Section>,
    /// Files that are decoded at the same time, once workers want batches in any order.
    abreast: OnceLock<Vec<Abreast>>,
    group: usize,
    check_names: bool,
    check_letters: bool,
    check_headers: bool,
    interleaved: bool,
    /// Interleaved because records say that they are of pairs.
    by_flags: bool,
    budget: Budget,
    intervals: bool,
    pool: Arc<BufferPool>,
    /// Records that workers have given so far, mates as one.
    given: Arc<AtomicU64>,
    /// Set by who wants no more.
    cancel: Option<Arc<AtomicBool>>,
}

/// How one file is read, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// FASTQ or FASTA: the format of the records' text.
    pub format: Format,
    /// What the format of the file is called: "FASTQ", "FASTA", or one that is no text, such as "BAM".
    pub format_name: &'static str,
    /// "plain", "gzip", …; "unread" if it is a pipe that is read as data come: its format is not known either.
    pub compression: &'static str,
    /// Whether an index is used.
    pub indexed: bool,
    /// Where that lies.
    pub index: Option<PathBuf>,
    /// True if a part of the file is read through an index that has no checksum for it: a wrong one gives wrong reads unnoticed.
    pub is_unchecked: bool,
    /// In how many independent pieces; `None` where it is decoded in order, or cut while it is read.
    pub pieces: Option<u64>,
    /// Whether it is cut into parts while it is read, where its records' names and the other files' are the same.
    pub cut_by_name: bool,
    /// Number of records, if an index says so.
    pub records: Option<u64>,
    /// The first record's name and what follows it, without the marker; up to
    /// 1 KiB. Empty without records.
    pub first_head: Vec<u8>,
    /// Whether that is the name of the mate of the first file's first record; of the first file, and of one that is read
    /// alone, it is.
    pub is_named_as_mate: bool,
    /// True if any of its first records is in [colour space](thalweg_formats::is_colour_space); not known of what is read as
    /// data come.
    pub is_colour_space: bool,
}

impl FilePlan {
    /// Of one that is read as data come, nothing is known before.
    fn of_pipe(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            format: Format::Fastq,
            format_name: Format::Fastq.name(),
            compression: "unread",
            indexed: false,
            index: None,
            is_unchecked: false,
            pieces: None,
            cut_by_name: false,
            records: None,
            first_head: Vec::new(),
            is_named_as_mate: true,
            is_colour_space: false,
        }
    }
}

impl Reader {
    /// Threads and memory that it was opened with.
    pub fn budget(&self) -> Budget {
        self.budget
    }

    /// The same files, to be read by as many workers as `budget` has threads.
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Bytes of buffers that may lie ready of what one worker at a time decodes: half a slab for each worker.
    ///
    /// Two that parse slower than one decodes then hardly wait, and what lies ready is still in the cache: a slab each
    /// took longer. One worker decodes nothing ahead, two nothing of mates, whose batches have two slabs.
    fn ahead(&self) -> u64 {
        (self.budget.threads() / 2 * (SLAB + WINDOW)) as u64
    }

    /// Number of files in step.
    pub fn mates(&self) -> usize {
        self.sections
            .first()
            .map_or(1, |section| section.files.len().max(1))
    }

    /// Returns whether records 2i and 2i + 1 of a file belong together: it was opened as interleaved, or [its records say
    /// so](ReaderOptions::pairs_by_flags).
    pub fn is_interleaved(&self) -> bool {
        self.interleaved
    }

    /// Format of the first file; FASTQ if that is not known yet.
    pub fn format(&self) -> Format {
        self.sections
            .first()
            .and_then(|section| section.files.first())
            .map_or(Format::Fastq, |file| file.format.text_format())
    }

    /// How each file is read.
    pub fn plan(&self) -> Vec<FilePlan> {
        let mut plans = Vec::new();
        for section in &self.sections {
            let pieces = match &section.plan {
                Plan::Indexed { claims, .. } | Plan::Parts { claims, .. } => Some(claims.len()),
                Plan::InStep(_) | Plan::Sequential(_) => None,
                Plan::Pipes(pipes) => {
                    plans.extend(pipes.paths().iter().map(|path| FilePlan::of_pipe(path)));
                    continue;
                }
            };
            let first = &section.files[0].first_head;
            let agrees = |number: usize, head: &[u8]| {
                number == 0 || section.names.agree(number - 1, first, head)
            };
            let files = section.files.iter().enumerate();
            plans.extend(files.map(|(number, file)| FilePlan {
                path: file.file.path().to_owned(),
                format: file.format.text_format(),
                format_name: file.format.name(),
                compression: file.file.compression().name(),
                indexed: file.index.is_some(),
                index: file.index_path.clone(),
                is_unchecked: section.is_unchecked(number),
                pieces,
                cut_by_name: matches!(section.plan, Plan::InStep(_)),
                records: file.index.as_ref().map(|index| index.record_count),
                first_head: file.first_head.clone(),
                is_named_as_mate: agrees(number, &file.first_head),
                is_colour_space: file.is_colour_space,
            }));
        }
        plans
    }

    /// Bytes on disk read so far, and bytes in all if that is known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        let files = || self.sections.iter().flat_map(|section| &section.files);
        let read: u64 = files().map(|file| file.file.offset_reached()).sum();
        let total = files().map(|file| file.file.size()).sum();
        let mut pipes = self.sections.iter().filter_map(Section::pipes).peekable();
        match pipes.peek() {
            Some(_) => (read + pipes.map(Pipes::bytes_read).sum::<u64>(), None),
            None => (read, total),
        }
    }

    /// How many records of each file workers have given so far; files that follow one another add up.
    pub fn records_given(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let given = Arc::clone(&self.given);
        move || given.load(Ordering::Relaxed)
    }

    /// Uncompressed bytes that one piece of work can hold back while it waits
    /// for its turn, for ordered output: the largest run of chunks, of all files in step.
    pub fn largest_piece(&self) -> u64 {
        let mut largest = 1 << 20;
        for section in &self.sections {
            match &section.plan {
                Plan::Indexed { runs, .. } => {
                    let indexes = || section.files.iter().filter_map(|file| file.index.as_ref());
                    let of_run = |run: &Run| indexes().map(|index| run.bytes(index)).sum();
                    largest = runs.iter().map(of_run).fold(largest, u64::max);
                    // Of text, each is a chunk.
                    for index in indexes().filter(|_| runs.is_empty()) {
                        let chunk =
                            |chunk| index.chunk_end(chunk) - index.checkpoints[chunk].output_offset;
                        largest = (0..index.chunks()).map(chunk).fold(largest, u64::max);
                    }
                }
                Plan::Parts { parts, .. } => {
                    let longest = parts.iter().map(|part| part.end - part.start).max();
                    // BGZF seldom shrinks reads by more than a factor of 6.
                    let factor = match section.files[0].file.compression() {
                        crate::Compression::None => 1,
                        _ => 6,
                    };
                    largest = largest.max(longest.unwrap_or(0) * factor);
                }
                Plan::InStep(cutter) => {
                    let cutter = cutter.lock().unwrap_or_else(PoisonError::into_inner);
                    largest = largest.max(cutter.part());
                }
                Plan::Sequential(_) | Plan::Pipes(_) => {}
            }
        }
        largest
    }

    /// Whether nothing more is wanted.
    fn is_cancelled(&self) -> bool {
        let flag = self.cancel.as_ref();
        flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// A worker, number `number` of as many as the budget has threads. With a
    /// gate, it begins no piece of work that lies too far ahead.
    pub fn worker(self: &Arc<Self>, number: usize, gate: Option<Arc<Gate>>) -> Worker {
        Worker::new(Arc::clone(self), number, gate, false)
    }

    /// A worker whose batches may come in any order, if all workers are such: they decode several files at the same time,
    /// where each can only be decoded in order.
    pub fn worker_in_any_order(self: &Arc<Self>, number: usize) -> Worker {
        Worker::new(Arc::clone(self), number, None, true)
    }

    /// A worker that reads what `claims` gives, of a reader of one section.
    pub(crate) fn worker_of_claims(self: &Arc<Self>, claims: OutsideClaims) -> Worker {
        Worker::new(Arc::clone(self), 0, None, true).of_claims(claims)
    }

    /// The section of a reader of one set of files.
    pub(crate) fn only_section(&self) -> Result<&Section, Error> {
        match self.sections.as_slice() {
            [only] => Ok(only),
            _ => Err(Error::new(ErrorKind::NotSeekable)),
        }
    }

    /// Whether the first section has claims.
    pub(crate) fn is_divided(&self) -> bool {
        let plan = self.sections.first().map(|section| &section.plan);
        matches!(plan, Some(Plan::Indexed { .. } | Plan::Parts { .. }))
    }

    /// Those that are decoded at the same time as the file of this section, which is the first of them: where batches may come
    /// in any order, or have come so.
    pub(crate) fn abreast_from(&self, section: usize, any_order: bool) -> Option<&Abreast> {
        let all = match any_order {
            true => self.abreast.get_or_init(|| Abreast::of(&self.sections)),
            // Their own sections have nothing left of them.
            false => self.abreast.get()?,
        };
        all.iter()
            .find(|abreast| abreast.sections().start == section)
    }

    /// Pieces of work in all. Final when all workers are done.
    pub fn tickets(&self) -> u64 {
        self.sections.iter().map(Section::tickets).sum()
    }

    /// The index that fell out, if it was not to be written beside the file.
    pub(crate) fn take_index(&self) -> Option<Index> {
        self.sections.first().and_then(Section::take_index)
    }

    /// Check that no file changed while it was read. Workers do so when they
    /// come to the end; whoever stops early may ask.
    ///
    /// # Errors
    /// [`ErrorKind::Changed`](crate::ErrorKind::Changed).
    pub fn check_unchanged(&self) -> Result<(), Error> {
        let mut files = self.sections.iter().flat_map(|section| &section.files);
        files.try_for_each(|file| file.file.check_unchanged())
    }

    /// Render what is no text, and check what is to be checked of every batch; of several faults, the one of the first record is given.
    fn check(&self, section: &Section, batch: &mut Batch) -> Result<(), Error> {
        batch.render()?;
        let mates = if self.by_flags {
            batch.check_mates()
        } else if let Some(first_mates) = (section.files.first()).and_then(|file| file.first_mates)
        {
            batch.check_single(first_mates)
        } else {
            Ok(())
        };
        let names = match (self.check_names, self.interleaved) {
            (false, _) => Ok(()),
            (true, true) => batch.check_interleaved_names(&section.names),
            (true, false) => batch.check_names(&section.names),
        };
        let check_headers = self.check_headers;
        let check = |block: &mut Block| {
            let headers = match check_headers {
                true => block.check_headers(),
                false => Ok(()),
            };
            headers.and_then(|()| block.check_letters())
        };
        let lengths: Vec<_> = batch.blocks.iter().map(Block::check_lengths).collect();
        let blocks = batch.blocks.iter_mut().filter(|_| self.check_letters);
        let faults = blocks.map(check).chain(lengths).chain([names, mates]);
        let first = faults
            .filter_map(Result::err)
            .min_by_key(|fault| fault.location().record);
        first.map_or(Ok(()), Err)
    }

    /// Find the first fault of a section's file by reading it in order: the
    /// same message for every number of threads, with the record's rank.
    fn diagnose(&self, section: &Section, error: Error) -> Error {
        if let (true, Err(changed)) = (error.is_data(), self.check_unchanged()) {
            return changed;
        }
        let is_of_records = matches!(error.kind(), ErrorKind::LongRecord { .. });
        if !(error.is_data() || is_of_records) || !section.can_be_diagnosed(&error) {
            return error;
        }
        match self.read_in_order(section) {
            Err(fault) => fault,
            Ok(()) if matches!(section.plan, Plan::InStep(_)) => {
                Error::new(ErrorKind::NameComesAgain).in_file(section.files[0].file.path())
            }
            Ok(()) => error,
        }
    }

    /// Read the records of a section once, for their faults.
    fn read_in_order(&self, section: &Section) -> Result<(), Error> {
        let mut task = Task::new(0, section.in_order(&self.pool)?, self.group);
        let mut workbench = Workbench::new();
        while !task.is_finished() {
            let mut batch = task.next_in_step(&mut workbench, &self.pool)?;
            self.check(section, &mut batch)
                .map_err(|fault| task.cause_of(fault))?;
        }
        Ok(())
    }
}
