//! How the records of one set of files are shared out.

use std::io::Read;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use thalweg_formats::{FileFormat, MateNames};
use thalweg_gzip::index::{Container, Index};
use thalweg_gzip::{Decoder, Goal, LANES, Start};

use crate::batch::{BufferPool, take_buffers};
use crate::bytes::{Bytes, sequential};
use crate::cutter::Cutter;
use crate::feed::Feed;
use crate::indexing::{ByProduct, PartRecorder, SaveIndex, finish_parts};
use crate::member_checks::MemberChecks;
use crate::members::{Members, first_member};
use crate::open::OpenedFile;
use crate::pipes::Pipes;
use crate::plan::Plan;
use crate::raw::RawStream;
use crate::request::{Request, Selection};
use crate::runs::{Run, Stretch};
use crate::seam::{self, Seam};
use crate::section_file::SectionFile;
use crate::task::Task;
use crate::{Compression, Error, ErrorKind};

/// One set of files: one file, or several in step.
pub(crate) struct Section {
    /// Its number among all inputs; files in step have one. Of pipes, that of the first.
    pub(crate) set: usize,
    /// None of pipes that are read as data come.
    pub(crate) files: Vec<SectionFile>,
    pub(crate) plan: Plan,
    /// All records of the files are wanted.
    whole: bool,
    /// No records come before those that are wanted.
    from_start: bool,
    /// What tells mates by their names.
    pub(crate) names: MateNames,
    /// Ticket of its first piece of work; known when the section before it has
    /// no more to claim.
    first_ticket: OnceLock<u64>,
    /// All bytes are wanted, and no records.
    text: bool,
    /// The letters of records are checked.
    check_letters: bool,
    /// Letters that pieces of long sequences have in common, if they may come in pieces.
    overlap: Option<usize>,
    /// Of each file that is read by its index, what its chunks have of members.
    member_checks: Vec<Arc<MemberChecks>>,
    /// For each file, true if a part of it is read through an index that has no checksum for it.
    unchecked: Vec<bool>,
    /// Keep the index that falls out.
    save: Option<SaveIndex>,
    /// The index that fell out, if it is not written beside the file.
    index: Mutex<Option<Index>>,
    /// Pieces of work that have been claimed and are not finished.
    pub(crate) in_flight: AtomicU64,
}

impl Section {
    pub(crate) fn new(
        set: usize,
        opened: Vec<OpenedFile>,
        request: &Request,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        let files: Vec<SectionFile> = opened.iter().map(SectionFile::from).collect();
        let plan = match request.text {
            true => Plan::for_text(opened, &files, request, pool)?,
            false => Plan::new(opened, &files, request, pool)?,
        };
        let member_checks = match &plan {
            Plan::Indexed { runs, .. } => member_checks(&files, runs, request),
            _ => Vec::new(),
        };
        let unchecked = match &plan {
            Plan::Indexed { runs, .. } if request.together.is_none() => files
                .iter()
                .map(|file| is_unchecked(file, runs, request))
                .collect(),
            _ => vec![false; files.len()],
        };
        let section = Self::with_plan(set, files, plan, request);
        Ok(Self {
            member_checks,
            unchecked,
            ..section
        })
    }

    /// Pipes, the first of which has number `set` among all inputs.
    pub(crate) fn of_pipes(set: usize, pipes: Pipes, request: &Request) -> Self {
        Self::with_plan(set, Vec::new(), Plan::Pipes(Box::new(pipes)), request)
    }

    fn with_plan(set: usize, files: Vec<SectionFile>, plan: Plan, request: &Request) -> Self {
        Self {
            set,
            files,
            plan,
            member_checks: Vec::new(),
            unchecked: Vec::new(),
            whole: request.selection == Selection::All,
            from_start: request.selection.is_from_start(),
            names: request.names.clone(),
            text: request.text,
            check_letters: request.check_letters,
            overlap: request.overlap,
            save: request.save.clone(),
            index: Mutex::new(None),
            first_ticket: OnceLock::new(),
            in_flight: AtomicU64::new(0),
        }
    }

    /// Set the first ticket of the first section of all.
    pub(crate) fn begin(&self) {
        let _ = self.first_ticket.set(0);
    }

    /// Begin where `before`, of which nothing is left to claim, has ended; all workers that come here say the same.
    pub(crate) fn begin_behind(&self, before: &Section) {
        let first_ticket = before.ticket(before.tickets());
        let _ = self.first_ticket.set(first_ticket);
        if let (Plan::Sequential(before), Plan::Sequential(state)) = (&before.plan, &self.plan)
            && let Some(left) = before.left()
        {
            state.limit(left);
        }
    }

    /// Whether it is one regular file that can only be decoded in order, and all of whose records are wanted: several such
    /// files can be decoded at the same time. The writer of several pipes may not go on with one before another is read.
    pub(crate) fn goes_abreast(&self) -> bool {
        let is_one = self.files.len() == 1 && self.files[0].file.regular().is_some();
        let is_whole = matches!(&self.plan, Plan::Sequential(state) if state.wanted().is_none() && state.is_unbegun());
        is_one && is_whole && !self.text
    }

    /// The pipes that are read as data come.
    pub(crate) fn pipes(&self) -> Option<&Pipes> {
        match &self.plan {
            Plan::Pipes(pipes) => Some(pipes),
            _ => None,
        }
    }

    /// Whether its first file is gzip.
    pub(crate) fn is_gzip(&self) -> bool {
        self.files[0].file.compression() == Compression::Gzip
    }

    /// The task of a section that is decoded in order, before anything of it has been: nothing is left of it here then.
    pub(crate) fn take_sequential(&self) -> Option<Task> {
        match &self.plan {
            Plan::Sequential(state) => state.take(),
            _ => None,
        }
    }

    /// Returns whether a part of this file, of those in step, is read through an index that has no checksum for it.
    pub(crate) fn is_unchecked(&self, file: usize) -> bool {
        self.unchecked.get(file).is_some_and(|&unchecked| unchecked)
    }

    /// A fault of the data of a file that is read through an index, which is noted: the index may be what is wrong.
    pub(crate) fn through_index(&self, error: Error) -> Error {
        let path = error.location().path.as_deref();
        let is_of_file = self.files.iter().any(|file| Some(file.file.path()) == path);
        match is_of_file && error.is_data() && matches!(self.plan, Plan::Indexed { .. }) {
            true => error.through_index(),
            false => error,
        }
    }

    /// Records that will have been given of each file, if indexes tell.
    pub(crate) fn given_by_index(&self) -> Option<u64> {
        match &self.plan {
            Plan::Indexed { runs, .. } => Some(runs.iter().map(|run| run.records).sum()),
            _ => None,
        }
    }

    /// The ticket of piece of work number `claim` of this section.
    pub(crate) fn ticket(&self, claim: u64) -> u64 {
        self.first_ticket.get().copied().unwrap_or(0) + claim
    }

    /// Tickets that the section uses. Final once a claim has failed.
    pub(crate) fn tickets(&self) -> u64 {
        match &self.plan {
            Plan::Indexed { claims, .. } | Plan::Parts { claims, .. } => claims.len(),
            Plan::InStep(cutter) => lock(cutter).number(),
            Plan::Sequential(state) => state.tickets(),
            Plan::Pipes(pipes) => pipes.tickets(),
        }
    }

    /// How many tasks one worker should have under way, when `threads` share
    /// what is left: as many as keep the kernel's lanes full, but not so many
    /// that another worker has none.
    ///
    /// As many for ordered output, although what the later ones give waits in
    /// memory: that is faster than fewer at once, or as fast.
    /// `left` claims are left, if they are given out from outside.
    pub(crate) fn tasks_wanted(&self, threads: usize, left: Option<u64>) -> usize {
        match &self.plan {
            // Nothing of them runs in lanes, and each may hold a long record.
            Plan::Parts { members: None, .. } => 1,
            // Nor of what is decoded block by block.
            Plan::Indexed { .. } | Plan::Parts { .. } if self.is_of_whole_blocks() => 1,
            Plan::Indexed { claims, .. } | Plan::Parts { claims, .. } => {
                let most = (LANES / self.files.len()).max(1);
                let left = left.unwrap_or_else(|| claims.left());
                let active = left.saturating_add(self.in_flight.load(Ordering::Relaxed));
                let share = active.div_ceil(threads as u64);
                (share as usize).clamp(1, most)
            }
            Plan::InStep(_) | Plan::Sequential(_) | Plan::Pipes(_) => 1,
        }
    }

    /// Whether blocks of BGZF are decoded as a whole each.
    fn is_of_whole_blocks(&self) -> bool {
        let is_whole = |file: &SectionFile| {
            let is_binary = matches!(file.format, FileFormat::Binary(_));
            let index = file.index.as_ref();
            is_binary && index.is_none_or(|index| index.container == Container::Bgzf)
        };
        self.save.is_none() && self.files.iter().all(is_whole)
    }

    /// Begin piece of work number `claim`.
    pub(crate) fn task(
        &self,
        claim: u64,
        group: usize,
        pool: &Arc<BufferPool>,
    ) -> Result<Task, Error> {
        let number = claim as usize;
        let mut feeds: Vec<Feed> = match &self.plan {
            Plan::Indexed { runs, .. } => {
                let feeds = self.indexed(pool, &|index| match self.text {
                    true => Stretch::of_chunk(index, number),
                    false => runs[number].of_file(index),
                })?;
                let checks = feeds.into_iter().zip(&self.member_checks);
                checks
                    .map(|(feed, checks)| feed.with_member_checks(checks))
                    .collect()
            }
            Plan::Parts { parts, members, .. } => {
                vec![self.part(parts[number].clone(), *members, pool)?]
            }
            Plan::InStep(_) | Plan::Sequential(_) | Plan::Pipes(_) => {
                unreachable!("workers make the tasks of these sections otherwise")
            }
        };
        if self.text {
            feeds = feeds.into_iter().map(Feed::into_text).collect();
        }
        Ok(Task::new(self.ticket(claim), feeds, group))
    }

    /// Feeds of all records of the section in order, with what indexes say.
    pub(crate) fn in_order(&self, pool: &Arc<BufferPool>) -> Result<Vec<Feed>, Error> {
        if let Plan::Indexed { runs, .. } = &self.plan
            && let Some(all) = Run::joined(runs)
            && (self.can_verify_chunks() || !self.has_all(all))
        {
            return self.indexed(pool, &|index| all.of_file(index));
        }
        let wanted = match &self.plan {
            Plan::Sequential(state) => state.wanted(),
            _ => None,
        };
        let mut feeds = Vec::with_capacity(self.files.len());
        for SectionFile { file, format, .. } in &self.files {
            let bytes = sequential(file, pool)?;
            let (file, pool) = (Arc::clone(file), Arc::clone(pool));
            let feed = match wanted {
                Some(records) => Feed::first(file, *format, bytes, pool, records),
                None => Feed::whole(file, *format, bytes, pool),
            };
            let feed = feed.with_letters(self.check_letters);
            feeds.push(feed.in_pieces(self.overlap));
        }
        Ok(feeds)
    }

    /// Whether indexes have a checksum for every chunk. Those of other programs have none: only whole members have, then.
    fn can_verify_chunks(&self) -> bool {
        let mut indexes = self.files.iter().filter_map(|file| file.index.as_ref());
        indexes.all(|index| index.checkpoints.iter().all(|one| one.crc32.is_some()))
    }

    /// Whether a run has all records of the files.
    fn has_all(&self, run: Run) -> bool {
        let indexes = self.files.iter().filter_map(|file| file.index.as_ref());
        let mut counts = indexes.map(|index| index.record_count);
        run.first == 0 && counts.all(|count| count == run.records)
    }

    /// A feed of each file, which has an index, of what is `wanted` of it.
    fn indexed(
        &self,
        pool: &Arc<BufferPool>,
        wanted: &dyn Fn(&Index) -> Stretch,
    ) -> Result<Vec<Feed>, Error> {
        let mut feeds = Vec::with_capacity(self.files.len());
        for section_file in &self.files {
            let SectionFile { file, format, .. } = section_file;
            let Some(index) = &section_file.index else {
                unreachable!("the plan was made from indexes");
            };
            let feed = Feed::ranked(file, index, *format, pool, wanted(index))?;
            let feed = feed.with_letters(self.check_letters);
            feeds.push(feed.in_pieces(self.overlap));
        }
        Ok(feeds)
    }

    /// Begin the next part of files in step.
    ///
    /// # Errors
    /// What reading gave.
    pub(crate) fn next_cut(
        &self,
        cutter: &Mutex<Cutter>,
        group: usize,
        pool: &Arc<BufferPool>,
    ) -> Result<Option<Task>, Error> {
        let Some(cut) = lock(cutter).next()? else {
            return Ok(None);
        };
        let mut feeds = Vec::with_capacity(self.files.len());
        for (SectionFile { file, format, .. }, range) in self.files.iter().zip(cut.ranges) {
            let slab = take_buffers(pool).slab;
            let (format, owned_pool) = (*format, Arc::clone(pool));
            let Range { start, end } = range;
            let source = file.bytes_from(start.disk)?;
            let file = Arc::clone(file);
            feeds.push(if file.compression() == Compression::None {
                let source = Box::new(source.take(end.disk - start.disk));
                let bytes = Bytes::Raw(RawStream::new(source, None, slab));
                Feed::bounded(file, format, bytes, owned_pool, start.disk)
            } else {
                let end = Some(end).filter(|end| Some(end.disk) != file.size());
                let goal = match end {
                    Some(end) if end.disk > start.disk => Goal::MemberFrom(end.disk),
                    // All within one block, or all that follow.
                    _ => Goal::EndOfFile,
                };
                let decoder = Decoder::new(source, start.disk, Start::Member, goal, slab);
                let bytes = Bytes::Gzip(Box::new(decoder));
                Feed::between(file, format, bytes, owned_pool, start, end)
            });
        }
        Ok(Some(Task::new(self.ticket(cut.number), feeds, group)))
    }

    fn part(
        &self,
        part: Range<u64>,
        members: Option<Members>,
        pool: &Arc<BufferPool>,
    ) -> Result<Feed, Error> {
        let SectionFile { file, format, .. } = &self.files[0];
        let slab = take_buffers(pool).slab;
        let (start, bytes, text_start) = match (members, file.regular()) {
            (Some(members), Some(open)) => {
                let size = file.size().unwrap_or(part.end);
                let start = first_member(open, size, part.clone(), members)
                    .map_err(|error| Error::io(file.path(), error))?;
                // A part in which no member starts is read with the one before it.
                let begin = start.unwrap_or(size);
                let end = if start.is_some() { part.end } else { size };
                let source = file.bytes_from(begin)?;
                let goal = Goal::MemberFrom(end);
                let decoder = Decoder::new(source, begin, Start::Member, goal, slab);
                let bytes = Bytes::Gzip(Box::new(decoder));
                (begin, bytes, (begin == 0).then_some(0))
            }
            _ => {
                let source = file.bytes_from(part.start)?;
                let length = part.end - part.start;
                let raw = RawStream::new(source, Some(length), slab);
                (part.start, Bytes::Raw(raw), Some(part.start))
            }
        };
        let (file, pool) = (Arc::clone(file), Arc::clone(pool));
        let mut feed =
            Feed::inspected(file, *format, bytes, pool, start, text_start).in_pieces(self.overlap);
        if self.save.is_some() && !self.text {
            feed.record_with(Box::new(PartRecorder::default()));
        }
        Ok(feed)
    }

    /// Keep the index that fell out of a task that is finished.
    pub(crate) fn keep_index(&self, task: &mut Task) -> Result<(), Error> {
        let Some(save) = &self.save else {
            return Ok(());
        };
        for (feed, section_file) in task.feeds.iter_mut().zip(&self.files) {
            let Some(recorder) = feed.take_recorder() else {
                continue;
            };
            let SectionFile { file, format, .. } = section_file;
            let recorder = match recorder.into_any().downcast::<ByProduct>() {
                Ok(whole) => {
                    let index = whole.finish(file, *format, save)?;
                    *lock(&self.index) = index;
                    continue;
                }
                Err(recorder) => recorder.downcast::<PartRecorder>(),
            };
            if let (Ok(part), Plan::Parts { recorded, .. }) = (recorder, &self.plan) {
                let claim = (task.ticket - self.ticket(0)) as usize;
                lock(recorded)[claim] = *part;
            }
        }
        Ok(())
    }

    /// The index that fell out, if it was not to be written beside the file.
    pub(crate) fn take_index(&self) -> Option<Index> {
        lock(&self.index).take()
    }

    /// The last part is done, and all fit together.
    fn keep_index_of_parts(&self) -> Result<(), Error> {
        let Plan::Parts {
            recorded,
            members: Some(members),
            ..
        } = &self.plan
        else {
            return Ok(());
        };
        let Some(save) = self.save.as_ref().filter(|_| !self.text) else {
            return Ok(());
        };
        let recorded = lock(recorded);
        let SectionFile { file, format, .. } = &self.files[0];
        let is_bgzf = *members == Members::Bgzf;
        let index = finish_parts(file, *format, is_bgzf, &recorded, save)?;
        *lock(&self.index) = index;
        Ok(())
    }

    /// Take note of what a part turned out to be, and check that all fit when
    /// the last one is done.
    pub(crate) fn close_part(&self, claim: u64, seam: Seam) -> Result<(), Error> {
        let Plan::Parts { seams, .. } = &self.plan else {
            return Ok(());
        };
        let mut seams = lock(seams);
        seams[claim as usize] = Some(seam);
        if seams.iter().any(Option::is_none) {
            return Ok(());
        }
        let size = self.files[0].file.size().filter(|_| self.whole);
        seam::check(seams.iter().flatten(), size).map_err(|offset| {
            Error::new(ErrorKind::BrokenSeam)
                .in_file(self.files[0].file.path())
                .at_text_offset(offset)
        })?;
        self.keep_index_of_parts()
    }

    /// Wait until what was decoded in order has been checked or has a fault, and tell whether it has one.
    pub(crate) fn wait_for_fault(&self) -> bool {
        match &self.plan {
            Plan::Sequential(state) => state.checks().wait_for_fault(),
            Plan::Pipes(pipes) => pipes.checks().wait_for_fault(),
            _ => false,
        }
    }

    /// Whether reading its records once more, in order, tells more than `error` of the data. If not all
    /// are wanted from the start, a fault may be found that nobody asked for; not with an index.
    pub(crate) fn can_be_diagnosed(&self, error: &Error) -> bool {
        let mut files = self.files.iter();
        let can_be_read_again = !self.text && files.all(|file| file.file.regular().is_some());
        let may_tell_more = match &self.plan {
            // Errors here lack the rank of the record.
            Plan::Parts { .. } | Plan::InStep(_) => true,
            // They may be the trace of damage, and another worker may have met an earlier one.
            // Of files in step, a chunk may belong to two runs: one meets its damage as such, the other as a trace.
            Plan::Indexed { .. } => error.may_be_trace() || self.files.len() > 1,
            Plan::Sequential(_) => self.from_start && error.may_be_trace(),
            Plan::Pipes(_) => false,
        };
        can_be_read_again && may_tell_more
    }
}

/// Returns whether only a part of a file is read, in these runs or as text, through an index that has no checksum for it.
fn is_unchecked(file: &SectionFile, runs: &[Run], request: &Request) -> bool {
    let Some(index) = file.index.as_deref() else {
        return false;
    };
    let read: usize = runs.iter().map(|run| run.of_file(index).chunks()).sum();
    !request.text && read < index.chunks() && index.lacks_checksums()
}

/// For each of `files`, all of which have an index, that are read in these runs, or chunk by chunk as text.
fn member_checks(files: &[SectionFile], runs: &[Run], request: &Request) -> Vec<Arc<MemberChecks>> {
    let wanted = |index: &Index| match request.text {
        true => index.chunks(),
        false => runs.iter().map(|run| run.of_file(index).chunks()).sum(),
    };
    let indexed = files
        .iter()
        .filter_map(|SectionFile { file, index, .. }| Some((file, index.as_deref()?)));
    let checks = indexed
        .enumerate()
        .map(|(number, (file, index))| match &request.together {
            Some(common) => common.of_file(number, file, index),
            None => Arc::new(MemberChecks::new(index, wanted(index))),
        });
    checks.collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
