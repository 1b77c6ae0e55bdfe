//! How the records of one set of files are shared out.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use thalweg_flow::Claims;
use thalweg_gzip::index::Index;
use thalweg_gzip::{Decoder, Goal, LANES, Start};

use crate::batch::{BufferPool, take_buffers};
use crate::feed::{Bytes, Feed, Seam};
use crate::file::InputFile;
use crate::indexing::{ByProduct, PartRecorder, SaveIndex, finish_parts};
use crate::members::{Members, SMALL_MEMBER, first_member};
use crate::open::{OpenedFile, sequential};
use crate::raw::RawStream;
use crate::task::Task;
use crate::{Compression, Error, ErrorKind, Format};

/// Bytes of a plain file that are claimed at a time: long enough that the end
/// of a part (one short read more) costs nothing, short enough to be even.
const PLAIN_PART: u64 = 8 << 20;

/// Compressed bytes of a BGZF file that are claimed at a time.
const BGZF_PART: u64 = 2 << 20;

/// Compressed bytes of a file of other small members that are claimed at a time.
const MEMBERS_PART: u64 = 4 << 20;

/// One set of files: one file, or several in step.
pub(crate) struct Section {
    pub(crate) files: Vec<SectionFile>,
    pub(crate) plan: Plan,
    /// Ticket of its first piece of work; known when the section before it has
    /// no more to claim.
    first_ticket: OnceLock<u64>,
    /// All bytes are wanted, and no records.
    text: bool,
    /// Keep the index that falls out.
    save: Option<SaveIndex>,
    /// The index that fell out, if it is not written beside the file.
    index: Mutex<Option<Index>>,
    /// Pieces of work that have been claimed and are not finished.
    pub(crate) in_flight: AtomicU64,
}

pub(crate) struct SectionFile {
    pub(crate) file: Arc<InputFile>,
    pub(crate) format: Format,
    pub(crate) index: Option<Arc<Index>>,
}

pub(crate) enum Plan {
    /// Chunks of indexed files.
    Indexed { claims: Claims, runs: Vec<Run> },
    /// Parts of one file whose first record is found by inspection.
    Parts {
        claims: Claims,
        parts: Vec<Range<u64>>,
        /// How the first member of a part is found, of a compressed file.
        members: Option<Members>,
        seams: Mutex<Vec<Option<Seam>>>,
        recorded: Mutex<Vec<PartRecorder>>,
    },
    /// One worker at a time decodes, the others parse.
    Sequential(Mutex<Sequential>),
}

/// Consecutive records that are claimed as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) first: u64,
    pub(crate) records: u64,
    /// The chunk to begin with, if not the last one before the first record.
    pub(crate) first_chunk: Option<usize>,
    /// The last chunk of the first file to be verified with them.
    pub(crate) last_chunk: usize,
    /// Where the last record ends in the first file, if the index says so.
    pub(crate) end: Option<u64>,
}

impl Run {
    /// The same records of a mate. Its chunks up to the one that the next run
    /// starts with are verified with them; behind the last record, all.
    fn of_mate(self, index: &Index) -> Self {
        let end = self.first + self.records;
        let next = match end == index.record_count {
            true => index.chunks(),
            false => index
                .checkpoints
                .partition_point(|checkpoint| checkpoint.record_rank <= end)
                .saturating_sub(1),
        };
        Self {
            last_chunk: next.saturating_sub(1),
            end: None,
            ..self
        }
    }
}

pub(crate) struct Sequential {
    pub(crate) task: Option<Task>,
    pub(crate) tickets: u64,
}

/// Which records of a section are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    /// These ranks.
    Ranks(Range<u64>),
    /// Part `number` of `of` equal ones.
    Shard { number: u64, of: u64 },
}

/// What is wanted of a section.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) selection: Selection,
    /// Records that stay together: 2 for interleaved pairs.
    pub(crate) group: usize,
    /// All bytes are wanted, and no records.
    pub(crate) text: bool,
    /// Bytes on disk of a part found by inspection, if not the usual.
    pub(crate) part_size: Option<u64>,
    pub(crate) threads: usize,
    /// Keep the index that falls out.
    pub(crate) save: Option<SaveIndex>,
}

impl Section {
    pub(crate) fn new(
        opened: Vec<OpenedFile>,
        request: &Request,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        let files: Vec<SectionFile> = opened
            .iter()
            .map(|opened| SectionFile {
                file: Arc::clone(&opened.file),
                format: opened.format,
                index: opened.index.clone(),
            })
            .collect();
        let plan = match request.text {
            true => Plan::for_text(opened, &files, request, pool)?,
            false => Plan::new(opened, &files, request, pool)?,
        };
        Ok(Self {
            files,
            plan,
            text: request.text,
            save: request.save.clone(),
            index: Mutex::new(None),
            first_ticket: OnceLock::new(),
            in_flight: AtomicU64::new(0),
        })
    }

    /// Set the first ticket; all workers that come here say the same.
    pub(crate) fn begin(&self, first_ticket: u64) {
        let _ = self.first_ticket.set(first_ticket);
    }

    /// The ticket of piece of work number `claim` of this section.
    pub(crate) fn ticket(&self, claim: u64) -> u64 {
        self.first_ticket.get().copied().unwrap_or(0) + claim
    }

    /// Tickets that the section uses. Final once a claim has failed.
    pub(crate) fn tickets(&self) -> u64 {
        match &self.plan {
            Plan::Indexed { claims, .. } | Plan::Parts { claims, .. } => claims.len(),
            Plan::Sequential(state) => {
                state.lock().unwrap_or_else(PoisonError::into_inner).tickets
            }
        }
    }

    /// How many tasks one worker should have under way, when `threads` share
    /// what is left: as many as keep the kernel's lanes full, but not so many
    /// that another worker has none.
    pub(crate) fn tasks_wanted(&self, threads: usize) -> usize {
        match &self.plan {
            Plan::Indexed { claims, .. } | Plan::Parts { claims, .. } => {
                let most = (LANES / self.files.len()).max(1);
                let active = claims.left() + self.in_flight.load(Ordering::Relaxed);
                let share = active.div_ceil(threads as u64);
                (share as usize).clamp(1, most)
            }
            Plan::Sequential(_) => 1,
        }
    }

    /// Begin piece of work number `claim`.
    pub(crate) fn task(
        &self,
        claim: u64,
        group: usize,
        pool: &Arc<BufferPool>,
    ) -> Result<Task, Error> {
        let number = claim as usize;
        let mut feeds = match &self.plan {
            Plan::Indexed { runs, .. } => {
                let run = runs[number];
                let mut feeds = Vec::with_capacity(self.files.len());
                for (mate, file) in self.files.iter().enumerate() {
                    let Some(index) = &file.index else {
                        unreachable!("the plan was made from indexes");
                    };
                    let run = match mate {
                        0 => run,
                        _ => run.of_mate(index),
                    };
                    feeds.push(Feed::ranked(&file.file, index, file.format, pool, run)?);
                }
                feeds
            }
            Plan::Parts { parts, members, .. } => {
                vec![self.part(parts[number].clone(), *members, pool)?]
            }
            Plan::Sequential(_) => unreachable!("sequential sections have one task of their own"),
        };
        if self.text {
            feeds = feeds.into_iter().map(Feed::into_text).collect();
        }
        Ok(Task::new(self.ticket(claim), feeds, group))
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
        let mut feed = Feed::inspected(file, *format, bytes, pool, start, text_start);
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
                    *self.index.lock().unwrap_or_else(PoisonError::into_inner) = index;
                    continue;
                }
                Err(recorder) => recorder.downcast::<PartRecorder>(),
            };
            if let (Ok(part), Plan::Parts { recorded, .. }) = (recorder, &self.plan) {
                let claim = (task.ticket - self.ticket(0)) as usize;
                recorded.lock().unwrap_or_else(PoisonError::into_inner)[claim] = *part;
            }
        }
        Ok(())
    }

    /// The index that fell out, if it was not to be written beside the file.
    pub(crate) fn take_index(&self) -> Option<Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// The last part is done, and all fit together.
    fn keep_index_of_parts(&self) -> Result<(), Error> {
        let Plan::Parts { recorded, members: Some(members), .. } = &self.plan else {
            return Ok(());
        };
        let Some(save) = self.save.as_ref().filter(|_| !self.text) else {
            return Ok(());
        };
        let recorded = recorded.lock().unwrap_or_else(PoisonError::into_inner);
        let SectionFile { file, format, .. } = &self.files[0];
        let is_bgzf = *members == Members::Bgzf;
        let index = finish_parts(file, *format, is_bgzf, &recorded, save)?;
        *self.index.lock().unwrap_or_else(PoisonError::into_inner) = index;
        Ok(())
    }

    /// Take note of what a part turned out to be, and check that all fit when
    /// the last one is done.
    pub(crate) fn close_part(&self, claim: u64, seam: Seam, whole: bool) -> Result<(), Error> {
        let Plan::Parts { seams, .. } = &self.plan else {
            return Ok(());
        };
        let mut seams = seams.lock().unwrap_or_else(PoisonError::into_inner);
        seams[claim as usize] = Some(seam);
        if seams.iter().any(Option::is_none) {
            return Ok(());
        }
        let broken = |offset| {
            Error::new(ErrorKind::BrokenSeam)
                .in_file(self.files[0].file.path())
                .at_text_offset(offset)
        };
        let mut start = 0;
        let mut disk = match whole {
            true => 0,
            // A shard begins where its first part with a member does.
            false => {
                let mut parts = seams.iter().flatten();
                let first = parts.find(|seam| seam.disk_end > seam.disk_start);
                first.map_or(0, |seam| seam.disk_start)
            }
        };
        let mut expected = None;
        for seam in seams.iter().flatten().filter(|seam| seam.disk_end > seam.disk_start) {
            if seam.disk_start != disk {
                return Err(broken(start));
            }
            if let Some((first, end)) = seam.records {
                if expected.is_some_and(|expected| expected != start + first) {
                    return Err(broken(start + first));
                }
                expected = Some(start + end);
            }
            if let (Some(expected), Some(end)) = (expected, seam.passed_over)
                && start + end > expected
            {
                return Err(broken(expected));
            }
            start += seam.length;
            disk = seam.disk_end;
        }
        match self.files[0].file.size() {
            Some(size) if whole && size != disk => Err(broken(start)),
            _ => self.keep_index_of_parts(),
        }
    }

    /// Whether bytes are wanted, and no records.
    pub(crate) fn text(&self) -> bool {
        self.text
    }

    /// Whether errors here lack the rank of the record.
    pub(crate) fn is_inspected(&self) -> bool {
        matches!(self.plan, Plan::Parts { .. })
    }
}

impl Plan {
    fn new(
        opened: Vec<OpenedFile>,
        files: &[SectionFile],
        request: &Request,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        if files.iter().all(|file| file.index.is_some()) {
            return Self::indexed(files, request);
        }
        let all_or_shard = !matches!(request.selection, Selection::Ranks(_));
        if let ([only], true, 1) = (opened.as_slice(), all_or_shard, request.group)
            && only.format != Format::FastqMultiline
            && let Some(bounds) = bounds(only, request)?
        {
            return Ok(Self::parts(&bounds, members(only)?));
        }
        Self::sequential(opened, request, pool)
    }

    /// A plan for the bytes of one file as they are.
    fn for_text(
        opened: Vec<OpenedFile>,
        files: &[SectionFile],
        request: &Request,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        if let Some(index) = &files[0].index {
            let chunks = index.chunks();
            let run = |chunk| Run {
                first: rank_of(index, chunk),
                records: 0,
                first_chunk: Some(chunk),
                last_chunk: chunk,
                end: None,
            };
            return Ok(Self::Indexed {
                claims: Claims::new(chunks as u64),
                runs: (0..chunks).map(run).collect(),
            });
        }
        if let Some(bounds) = bounds(&opened[0], request)? {
            return Ok(Self::parts(&bounds, members(&opened[0])?));
        }
        let mut feeds = Vec::with_capacity(opened.len());
        for opened in opened {
            let OpenedFile { file, format, bytes, .. } = opened;
            let feed = match recorded_feed(&file, format, request, pool)? {
                Some(feed) => feed,
                None => Feed::whole(file, format, bytes, Arc::clone(pool)),
            };
            feeds.push(feed.into_text());
        }
        Ok(Self::Sequential(Mutex::new(Sequential {
            task: Some(Task::new(0, feeds, 1)),
            tickets: 0,
        })))
    }

    fn indexed(files: &[SectionFile], request: &Request) -> Result<Self, Error> {
        let Request { selection, group, threads, .. } = request;
        let (group, threads) = (*group, *threads);
        let indexes: Vec<_> = files.iter().filter_map(|file| file.index.as_ref()).collect();
        for (file, index) in files.iter().zip(&indexes).skip(1) {
            if index.record_count != indexes[0].record_count {
                let first_is_shorter = indexes[0].record_count < index.record_count;
                let (shorter, longer) = match first_is_shorter {
                    true => (&files[0], file),
                    false => (file, &files[0]),
                };
                return Err(Error::new(ErrorKind::UnequalFiles {
                    shorter: shorter.file.path().to_owned(),
                    longer: longer.file.path().to_owned(),
                })
                .in_file(longer.file.path())
                .at_record(Some(indexes[0].record_count.min(index.record_count))));
            }
        }
        let records = indexes[0].record_count;
        let path = files[0].file.path();
        if records % group as u64 != 0 {
            return Err(Error::new(ErrorKind::OddInterleaved).in_file(path));
        }
        let units = records / group as u64;
        let wanted = match selection {
            Selection::All => 0..records,
            Selection::Ranks(ranks) => {
                let end = if ranks.end == u64::MAX { records } else { ranks.end };
                if end > records || ranks.start > end {
                    return Err(Error::new(ErrorKind::OutOfRange { records }).in_file(path));
                }
                ranks.start..end
            }
            Selection::Shard { number, of } => {
                let bound = |number| {
                    let unit = u128::from(units) * u128::from(number) / u128::from(*of);
                    unit as u64 * group as u64
                };
                bound(*number)..bound(number + 1)
            }
        };
        // Of several files in step, each run makes the others decode from their
        // last checkpoint before it: longer runs waste less.
        let chunks = indexes[0].chunks();
        let chunks_per_run = match files.len() {
            1 => 1,
            _ => chunks.div_ceil(threads * 4).max(1),
        };
        let runs = runs(indexes[0], &wanted, group as u64, chunks_per_run);
        Ok(Self::Indexed {
            claims: Claims::new(runs.len() as u64),
            runs,
        })
    }

    fn parts(bounds: &[u64], members: Option<Members>) -> Self {
        let parts: Vec<_> = bounds.windows(2).map(|pair| pair[0]..pair[1]).collect();
        Self::Parts {
            claims: Claims::new(parts.len() as u64),
            seams: Mutex::new(vec![None; parts.len()]),
            recorded: Mutex::new(parts.iter().map(|_| PartRecorder::default()).collect()),
            members,
            parts,
        }
    }

    fn sequential(
        opened: Vec<OpenedFile>,
        request: &Request,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        let mut feeds = Vec::with_capacity(opened.len());
        for opened in opened {
            let OpenedFile { file, format, bytes, .. } = opened;
            if let Some(feed) = recorded_feed(&file, format, request, pool)? {
                feeds.push(feed);
                continue;
            }
            let pool = Arc::clone(pool);
            feeds.push(match &request.selection {
                Selection::All => Feed::whole(file, format, bytes, pool),
                Selection::Ranks(ranks) => {
                    let records = ranks.end.saturating_sub(ranks.start);
                    Feed::slice(file, format, bytes, pool, ranks.start, records)
                }
                Selection::Shard { .. } => {
                    return Err(Error::new(ErrorKind::NoIndex).in_file(file.path()));
                }
            });
        }
        let task = Some(Task::new(0, feeds, request.group));
        Ok(Self::Sequential(Mutex::new(Sequential {
            task,
            tickets: 0,
        })))
    }
}

/// A feed of a whole gzip file from which an index falls out, if one is wanted.
fn recorded_feed(
    file: &Arc<InputFile>,
    format: Format,
    request: &Request,
    pool: &Arc<BufferPool>,
) -> Result<Option<Feed>, Error> {
    let possible = file.compression() == Compression::Gzip && file.regular().is_some();
    let Some(save) = request.save.as_ref().filter(|_| possible) else {
        return Ok(None);
    };
    // Blocks that were passed when the format was found out cannot be noted.
    let bytes = sequential(file, pool)?;
    let mut feed = Feed::whole(Arc::clone(file), format, bytes, Arc::clone(pool));
    feed.record_with(Box::new(ByProduct::new(format, save)));
    Ok(Some(feed))
}

/// Runs of `chunks_per_run` chunks that cover the records `wanted`, cut at
/// multiples of `group`.
fn runs(index: &Index, wanted: &Range<u64>, group: u64, chunks_per_run: usize) -> Vec<Run> {
    let checkpoints = &index.checkpoints;
    let mut runs: Vec<Run> = Vec::new();
    let mut chunk = 0;
    while chunk < checkpoints.len() {
        let next = (chunk + chunks_per_run).min(checkpoints.len());
        let rank = |chunk: usize| {
            rank_of(index, chunk).next_multiple_of(group)
                .clamp(wanted.start, wanted.end)
        };
        let (first, end) = (rank(chunk), rank(next));
        let everything = *wanted == (0..index.record_count);
        if end > first || (everything && runs.is_empty()) {
            runs.push(Run {
                first,
                records: end - first,
                first_chunk: None,
                last_chunk: if everything { next - 1 } else { 0 },
                end: record_offset(index, next).filter(|_| end == rank_of(index, next)),
            });
        } else if let (true, Some(run)) = (everything, runs.last_mut()) {
            // Chunks in which no record starts belong to the long record before.
            run.last_chunk = next - 1;
            run.end = record_offset(index, next);
        }
        chunk = next;
    }
    runs
}

/// Rank of the first record that starts in `chunk`; behind the last chunk, the
/// number of records.
fn rank_of(index: &Index, chunk: usize) -> u64 {
    let checkpoint = index.checkpoints.get(chunk);
    checkpoint.map_or(index.record_count, |checkpoint| checkpoint.record_rank)
}

/// Where that record starts; `None` behind the last chunk, where blank lines
/// may follow the last record.
fn record_offset(index: &Index, chunk: usize) -> Option<u64> {
    index.checkpoints.get(chunk).map(|checkpoint| checkpoint.record_offset)
}

/// Bounds of parts that can be read on their own without an index, if any.
fn bounds(opened: &OpenedFile, request: &Request) -> Result<Option<Vec<u64>>, Error> {
    let Some(size) = opened.file.size() else {
        return Ok(None);
    };
    let usual = match (opened.file.compression(), members(opened)?) {
        (Compression::None, _) => PLAIN_PART,
        (Compression::Gzip, Some(Members::Bgzf)) => BGZF_PART,
        (Compression::Gzip, Some(Members::Any)) => MEMBERS_PART,
        _ => return Ok(None),
    };
    let part = request.part_size.unwrap_or(usual);
    let (start, end) = match request.selection {
        Selection::Shard { number, of } => {
            let bound = |number| (u128::from(size) * u128::from(number) / u128::from(of)) as u64;
            (bound(number), bound(number + 1))
        }
        _ => (0, size),
    };
    let mut bounds: Vec<u64> = (start..end.max(start + 1)).step_by(part as usize).collect();
    bounds.push(end);
    Ok(Some(bounds))
}

/// How members of a gzip file can be found; `None` if it has one large one.
pub(crate) fn members(opened: &OpenedFile) -> Result<Option<Members>, Error> {
    let (Some(open), Some(size)) = (opened.file.regular(), opened.file.size()) else {
        return Ok(None);
    };
    if opened.file.compression() != Compression::Gzip {
        return Ok(None);
    }
    if opened.is_bgzf {
        return Ok(Some(Members::Bgzf));
    }
    let second = first_member(open, size, 1..size.min(SMALL_MEMBER), Members::Any)
        .map_err(|error| Error::io(opened.file.path(), error))?;
    Ok(second.map(|_| Members::Any))
}
