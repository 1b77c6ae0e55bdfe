//! The reader: what to open, and workers that share its records out.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use thalweg_flow::{Budget, Gate, Pool};
use thalweg_gzip::index::Index;

use crate::batch::{Batch, BufferPool, SLAB};
use crate::feed::Feed;
use crate::file::Handle;
use crate::indexing::{IndexOptions, SaveIndex};
use crate::open::{IndexUse, OpenedFile, sequential};
use crate::section::{Plan, Request, Section, Selection};
use crate::task::{self, Task};
use crate::{Error, ErrorKind, Format};

/// What to read and how. The defaults suit one file, or several that follow
/// each other as one stream.
///
/// ```no_run
/// use thalweg_reads::ReaderOptions;
///
/// let reader = ReaderOptions::new()
///     .mates(["r1.fastq.gz", "r2.fastq.gz"])
///     .open()?;
/// # Ok::<(), thalweg_reads::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReaderOptions {
    lanes: Vec<Vec<PathBuf>>,
    interleaved: bool,
    check_names: bool,
    index: IndexUse,
    selection: Selection,
    budget: Budget,
    intervals: bool,
    part_size: Option<u64>,
    text: bool,
    save: Option<SaveIndex>,
}

impl Default for ReaderOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl ReaderOptions {
    /// Nothing to read yet; all cores.
    pub fn new() -> Self {
        Self {
            lanes: Vec::new(),
            interleaved: false,
            check_names: true,
            index: IndexUse::Auto,
            selection: Selection::All,
            budget: Budget::all_cores(),
            intervals: false,
            part_size: None,
            text: false,
            save: None,
        }
    }

    /// Add a file; it follows those added before as one stream. `-` is the
    /// standard input.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.lanes.push(vec![path.as_ref().to_owned()]);
        self
    }

    /// Add several files that are read in step: record `i` of each belongs
    /// together. All sets added must have as many files.
    pub fn mates<P: AsRef<Path>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        let set = paths.into_iter().map(|path| path.as_ref().to_owned());
        self.lanes.push(set.collect());
        self
    }

    /// Records 2i and 2i + 1 belong together: batches never part them.
    pub fn interleaved(mut self, yes: bool) -> Self {
        self.interleaved = yes;
        self
    }

    /// Whether mates must carry the same name (they must, by default).
    pub fn check_names(mut self, yes: bool) -> Self {
        self.check_names = yes;
        self
    }

    /// What to do about indexes.
    pub fn index(mut self, index: IndexUse) -> Self {
        self.index = index;
        self
    }

    /// Only the records of these ranks, counted from 0; `u64::MAX` as the end
    /// means all that follow. One set of files only.
    pub fn records(mut self, ranks: Range<u64>) -> Self {
        self.selection = Selection::Ranks(ranks);
        self
    }

    /// Only part `number` (from 0) of `of` parts of about equal size, which
    /// together hold every record once. Needs an index, or a plain or BGZF file.
    ///
    /// # Panics
    /// If `number` is not below `of`.
    pub fn shard(mut self, number: u64, of: u64) -> Self {
        assert!(number < of, "shard {number} of {of}");
        self.selection = Selection::Shard { number, of };
        self
    }

    /// All uncompressed bytes as they are, and no records: batches without
    /// records, whose blocks in order are the files. What is in the files need
    /// not be sequencing reads.
    pub fn as_text(mut self, yes: bool) -> Self {
        self.text = yes;
        self
    }

    /// When a gzip file without an index is read whole, write the index that
    /// falls out beside it, as `options` say.
    pub fn save_indexes(self, options: IndexOptions) -> Self {
        self.save_index(SaveIndex {
            options,
            write: true,
        })
    }

    pub(crate) fn save_index(mut self, save: SaveIndex) -> Self {
        self.save = Some(save);
        self
    }

    /// How many threads and how much memory.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Give each worker one contiguous part of the chunks, decided beforehand,
    /// instead of the next chunk that nobody has. For programs whose workers
    /// write a file each.
    pub fn contiguous_intervals(mut self, yes: bool) -> Self {
        self.intervals = yes;
        self
    }

    /// Bytes on disk of the parts of plain and BGZF files that are found by
    /// inspection, for tests of boundaries.
    #[doc(hidden)]
    pub fn part_size(mut self, bytes: u64) -> Self {
        self.part_size = Some(bytes.max(1));
        self
    }

    /// Open the files and plan the work.
    ///
    /// # Errors
    /// If a file cannot be opened, is not sequence data, or has an index that
    /// cannot be used; if mates have different numbers of records, as far as
    /// indexes tell; if the selection is out of range or not possible.
    pub fn open(self) -> Result<Reader, Error> {
        self.check()?;
        let pool = self.pool();
        let mut sets = Vec::with_capacity(self.lanes.len());
        for set in &self.lanes {
            let opened = Handle::open_set(set)?
                .into_iter()
                .map(|handle| OpenedFile::new(handle, &self.index, self.text, &pool));
            sets.push(opened.collect::<Result<Vec<_>, _>>()?);
        }
        self.open_files(sets)
    }

    fn pool(&self) -> Arc<BufferPool> {
        // What is in flight comes back to the pool; it never has more than that.
        let keep = (self.budget.memory() / SLAB as u64).max(8) as usize;
        Arc::new(Pool::new(keep))
    }

    fn check(&self) -> Result<(), Error> {
        let unsupported = |what| Err(Error::new(ErrorKind::Unsupported(what)));
        let all = self.selection == Selection::All;
        let mates = self.lanes.first().map_or(1, Vec::len);
        if mates == 0 || self.lanes.iter().any(|set| set.len() != mates) {
            return unsupported("every set of mates must have as many files");
        }
        if !all && self.lanes.len() > 1 {
            return unsupported(
                "records or shards of several files at once: name one file or one set of mates",
            );
        }
        if let Selection::Ranks(Range { start, end }) = self.selection
            && start > end
        {
            return unsupported("a range of records that ends before it begins");
        }
        if self.text && (mates > 1 || !all) {
            return unsupported("text is read whole, one file after the other");
        }
        if self.interleaved && mates > 1 {
            return unsupported("interleaved input is one file, not several in step");
        }
        Ok(())
    }

    /// Plan how to read files that are open already.
    pub(crate) fn open_files(self, sets: Vec<Vec<OpenedFile>>) -> Result<Reader, Error> {
        let pool = self.pool();
        let all = self.selection == Selection::All;
        let request = Request {
            selection: self.selection,
            group: if self.interleaved { 2 } else { 1 },
            text: self.text,
            part_size: self.part_size,
            threads: self.budget.threads(),
            // Of a part of a file no index falls out.
            save: self.save.filter(|_| all),
        };
        let mut sections = Vec::with_capacity(sets.len());
        for set in sets {
            sections.push(Section::new(set, &request, &pool)?);
        }
        if let Some(first) = sections.first() {
            first.begin(0);
        }
        Ok(Reader {
            sections,
            group: request.group,
            check_names: self.check_names,
            interleaved: self.interleaved,
            budget: self.budget,
            intervals: self.intervals,
            whole: request.selection == Selection::All,
            pool,
        })
    }
}

/// Open files and a plan of who reads what; share it between threads, and let
/// each take a [`Worker`].
pub struct Reader {
    sections: Vec<Section>,
    group: usize,
    check_names: bool,
    interleaved: bool,
    budget: Budget,
    intervals: bool,
    whole: bool,
    pool: Arc<BufferPool>,
}

/// How one file is read, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePlan {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// FASTQ or FASTA.
    pub format: Format,
    /// "plain", "gzip", …
    pub compression: &'static str,
    /// Whether an index is used.
    pub indexed: bool,
    /// In how many independent pieces; `None` where it is decoded in order.
    pub pieces: Option<u64>,
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

    /// Number of files in step.
    pub fn mates(&self) -> usize {
        self.sections.first().map_or(1, |section| section.files.len())
    }

    /// Format of the first file.
    pub fn format(&self) -> Format {
        self.sections
            .first()
            .map_or(Format::Fastq, |section| section.files[0].format)
    }

    /// How each file is read.
    pub fn plan(&self) -> Vec<FilePlan> {
        let mut plans = Vec::new();
        for section in &self.sections {
            let pieces = match &section.plan {
                Plan::Indexed { claims, .. } | Plan::Parts { claims, .. } => Some(claims.len()),
                Plan::Sequential(_) => None,
            };
            plans.extend(section.files.iter().map(|file| FilePlan {
                path: file.file.path().to_owned(),
                format: file.format,
                compression: file.file.compression().name(),
                indexed: file.index.is_some(),
                pieces,
            }));
        }
        plans
    }

    /// Bytes on disk read so far, and bytes in all if that is known.
    pub fn progress(&self) -> (u64, Option<u64>) {
        let files = || self.sections.iter().flat_map(|section| &section.files);
        let read = files().map(|file| file.file.offset_reached()).sum();
        let total = files().map(|file| file.file.size()).sum();
        (read, total)
    }

    /// Uncompressed bytes that one piece of work can hold back while it waits
    /// for its turn, for ordered output: the largest chunk.
    pub fn largest_piece(&self) -> u64 {
        let mut largest = 1 << 20;
        for section in &self.sections {
            match &section.plan {
                Plan::Indexed { .. } => {
                    for index in section.files.iter().filter_map(|file| file.index.as_ref()) {
                        let chunk = |chunk| {
                            index.chunk_end(chunk) - index.checkpoints[chunk].output_offset
                        };
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
                Plan::Sequential(_) => {}
            }
        }
        largest
    }

    /// A worker, number `number` of as many as the budget has threads. With a
    /// gate, it begins no piece of work that lies too far ahead.
    pub fn worker(self: &Arc<Self>, number: usize, gate: Option<Arc<Gate>>) -> Worker {
        Worker {
            reader: Arc::clone(self),
            number,
            section: 0,
            tasks: Vec::new(),
            pending: None,
            taken: 0,
            gate,
            failed: false,
        }
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
    /// [`ErrorKind::Changed`].
    pub fn check_unchanged(&self) -> Result<(), Error> {
        let mut files = self.sections.iter().flat_map(|section| &section.files);
        files.try_for_each(|file| file.file.check_unchanged())
    }

    fn check_mates(&self, batch: &Batch) -> Result<(), Error> {
        if !self.check_names {
            return Ok(());
        }
        if self.interleaved {
            batch.check_interleaved_names()
        } else {
            batch.check_names()
        }
    }

    /// Find the first fault of a section's file by reading it in order: the
    /// same message for every number of threads, with the record's rank.
    fn diagnose(&self, section: &Section, error: Error) -> Error {
        if let (true, Err(changed)) = (error.is_data(), self.check_unchanged()) {
            return changed;
        }
        if section.text() || !section.is_inspected() || !error.is_data() {
            return error;
        }
        let file = &section.files[0];
        let found = sequential(&file.file, &self.pool).and_then(|bytes| {
            let pool = Arc::clone(&self.pool);
            let mut feed = Feed::whole(Arc::clone(&file.file), file.format, bytes, pool);
            while !feed.is_finished() {
                task::drive(&mut [&mut feed])?;
                feed.cut_all(&self.pool);
            }
            Ok(())
        });
        found.err().unwrap_or(error)
    }
}

/// One thread's way through the records.
pub struct Worker {
    reader: Arc<Reader>,
    number: usize,
    section: usize,
    tasks: Vec<Task>,
    /// A piece of work that is claimed and waits at the gate.
    pending: Option<u64>,
    /// Claims taken from a contiguous interval.
    taken: u64,
    gate: Option<Arc<Gate>>,
    failed: bool,
}

impl Worker {
    /// The next batch for this worker; `None` when there are no more.
    ///
    /// The batches of all workers together hold every record once. After an
    /// error the worker has no more batches.
    ///
    /// # Errors
    /// The first fault that this worker meets. [`ErrorKind::Stopped`] if the
    /// gate was closed.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, Error> {
        if self.failed {
            return Ok(None);
        }
        let reader = Arc::clone(&self.reader);
        let outcome = self.step(&reader);
        self.failed = outcome.is_err();
        outcome.map_err(|error| match reader.sections.get(self.section) {
            Some(section) => reader.diagnose(section, error),
            None => error,
        })
    }

    fn step(&mut self, reader: &Reader) -> Result<Option<Batch>, Error> {
        while let Some(section) = reader.sections.get(self.section) {
            let batch = match &section.plan {
                Plan::Sequential(_) => self.next_sequential(reader, section)?,
                _ => self.next_parallel(reader, section)?,
            };
            if let Some(batch) = batch {
                reader.check_mates(&batch)?;
                return Ok(Some(batch));
            }
            for file in &section.files {
                file.file.check_unchanged()?;
            }
            let next_ticket = section.ticket(section.tickets());
            self.section += 1;
            self.taken = 0;
            if let Some(next) = reader.sections.get(self.section) {
                next.begin(next_ticket);
            }
        }
        Ok(None)
    }

    fn next_parallel(
        &mut self,
        reader: &Reader,
        section: &Section,
    ) -> Result<Option<Batch>, Error> {
        loop {
            self.begin_tasks(reader, section)?;
            if self.tasks.is_empty() {
                return Ok(None);
            }
            if let Some(position) = self.tasks.iter().position(Task::is_ready) {
                let batch = self.tasks[position].cut(&reader.pool)?;
                if self.tasks[position].is_finished() {
                    self.finish_task(section, position, reader)?;
                }
                return Ok(Some(batch));
            }
            task::work(&mut self.tasks)?;
        }
    }

    fn finish_task(
        &mut self,
        section: &Section,
        position: usize,
        reader: &Reader,
    ) -> Result<(), Error> {
        let mut task = self.tasks.swap_remove(position);
        section.keep_index(&mut task)?;
        section
            .in_flight
            .fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
        let claim = task.ticket - section.ticket(0);
        section.close_part(claim, task.feeds[0].seam(), reader.whole)
    }

    /// Claim work until this worker has its share.
    fn begin_tasks(&mut self, reader: &Reader, section: &Section) -> Result<(), Error> {
        loop {
            if self.pending.is_none() {
                let threads = reader.budget.threads();
                if self.tasks.len() >= section.tasks_wanted(threads) {
                    return Ok(());
                }
                self.pending = self.claim(reader, section);
            }
            let Some(claim) = self.pending else {
                return Ok(());
            };
            if let Some(gate) = &self.gate {
                let ticket = section.ticket(claim);
                let stopped = |_| Error::new(ErrorKind::Stopped);
                if self.tasks.is_empty() {
                    gate.wait(ticket).map_err(stopped)?;
                } else if !gate.admits(ticket).map_err(stopped)? {
                    return Ok(());
                }
            }
            self.pending = None;
            self.tasks.push(section.task(claim, reader.group, &reader.pool)?);
        }
    }

    fn claim(&mut self, reader: &Reader, section: &Section) -> Option<u64> {
        let (Plan::Indexed { claims, .. } | Plan::Parts { claims, .. }) = &section.plan else {
            return None;
        };
        let claim = if reader.intervals {
            let threads = reader.budget.threads() as u64;
            let bound = |worker: u64| claims.len() * worker / threads;
            let next = bound(self.number as u64) + self.taken;
            self.taken += 1;
            Some(next).filter(|next| *next < bound(self.number as u64 + 1))
        } else {
            claims.claim()
        };
        if claim.is_some() {
            section
                .in_flight
                .fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
        claim
    }

    /// Decode the next batch while the other workers have a go at theirs.
    fn next_sequential(
        &mut self,
        reader: &Reader,
        section: &Section,
    ) -> Result<Option<Batch>, Error> {
        let Plan::Sequential(state) = &section.plan else {
            return Ok(None);
        };
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = section.ticket(state.tickets);
        let Some(task) = &mut state.task else {
            return Ok(None);
        };
        // Tickets before this one are with workers that do not need the lock.
        if let Some(gate) = &self.gate {
            gate.wait(ticket).map_err(|_| Error::new(ErrorKind::Stopped))?;
        }
        let outcome = task.next_in_step(&reader.pool);
        match outcome {
            Ok(mut batch) => {
                if task.is_finished() {
                    section.keep_index(task)?;
                    state.task = None;
                }
                batch.place.ticket = ticket;
                batch.place.piece = 0;
                batch.place.last = true;
                state.tickets += 1;
                Ok(Some(batch))
            }
            Err(error) => {
                // Nobody can go on behind a fault.
                state.task = None;
                Err(error)
            }
        }
    }
}
