//! How the records of a section are shared out: the choice between the plans.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use thalweg_flow::Claims;
use thalweg_formats::FileFormat;
use thalweg_gzip::index::Index;

use crate::batch::BufferPool;
use crate::bytes::sequential;
use crate::cutter::{Cutter, Framing};
use crate::feed::Feed;
use crate::file::InputFile;
use crate::indexing::{ByProduct, PartRecorder};
use crate::members::{Members, members};
use crate::open::OpenedFile;
use crate::pipes::Pipes;
use crate::request::{Request, Selection};
use crate::runs::{Run, runs};
use crate::seam::Seam;
use crate::section_file::SectionFile;
use crate::sequential::Sequential;
use crate::task::Task;
use crate::{Compression, Error, ErrorKind, Format};

/// Bytes of a plain file that are claimed at a time: long enough that the end
/// of a part (one short read more) costs nothing, short enough to be even.
const PLAIN_PART: u64 = 8 << 20;

/// Bytes of the first of several plain files that are claimed at a time. Ordered output may hold a part
/// of each file for every piece under way.
const IN_STEP_PART: u64 = 2 << 20;

/// The same of BGZF files, on disk. Around each cut a few blocks of each file are decoded twice: with 512 KiB they
/// would be twice as large a share.
const IN_STEP_BGZF_PART: u64 = 1 << 20;

/// Compressed bytes of a BGZF file that are claimed at a time.
const BGZF_PART: u64 = 2 << 20;

/// Compressed bytes of a file of other small members that are claimed at a time.
const MEMBERS_PART: u64 = 4 << 20;

/// The most chunks of files in step that are claimed as one. At worst, where runs begin nowhere near a chunk of
/// a further file, half a chunk of it is decoded twice for each run: of two files, a sixteenth of all. More only if that
/// file's chunks are longer than those of the first.
const MATES_RUN: usize = 4;

/// Runs of files in step, at least, before they become longer than a chunk: four for each of 16 threads.
const RUNS: usize = 64;

/// How the records of a section are shared out.
pub(crate) enum Plan {
    /// Runs of records of indexed files; their chunks, if all bytes are wanted, and no records.
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
    /// Parts of files in step that begin with records of the same name, or of an interleaved one that begin
    /// with a pair.
    InStep(Mutex<Cutter>),
    /// One worker at a time decodes, the others take what is decoded.
    Sequential(Sequential),
    /// The same, of several pipes as data come.
    Pipes(Box<Pipes>),
}

impl Plan {
    pub(crate) fn new(
        opened: Vec<OpenedFile>,
        files: &[SectionFile],
        request: &Request,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        if files.iter().all(|file| file.index.is_some()) {
            return Self::indexed(files, request);
        }
        let all_or_portion = matches!(request.selection, Selection::All | Selection::Portion(_));
        if let (Some(only), true) = (alone(&opened, request.group), all_or_portion)
            && let Some(bounds) = bounds(only, request)?
        {
            return Ok(Self::parts(&bounds, members(only)?));
        }
        if request.names_agree
            && request.selection == Selection::All
            && (files.len() > 1 || request.group == 2)
            && let Some(cutter) = cutter(&opened, request)?
        {
            return Ok(Self::InStep(Mutex::new(cutter)));
        }
        Self::sequential(opened, request, pool)
    }

    /// A plan for the bytes of one file as they are.
    pub(crate) fn for_text(
        opened: Vec<OpenedFile>,
        files: &[SectionFile],
        request: &Request,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        if let Some(index) = &files[0].index {
            return Ok(Self::Indexed {
                claims: Claims::new(index.chunks() as u64),
                runs: Vec::new(),
            });
        }
        if let Some(bounds) = bounds(&opened[0], request)? {
            return Ok(Self::parts(&bounds, members(&opened[0])?));
        }
        let mut feeds = Vec::with_capacity(opened.len());
        for opened in opened {
            let OpenedFile {
                file,
                format,
                bytes,
                ..
            } = opened;
            let feed = match recorded_feed(&file, format, request, pool)? {
                Some(feed) => feed,
                None => Feed::whole(file, format, bytes, Arc::clone(pool)),
            };
            feeds.push(feed.into_text());
        }
        Ok(Self::Sequential(Sequential::new(
            Task::new(0, feeds, 1),
            None,
        )))
    }

    fn indexed(files: &[SectionFile], request: &Request) -> Result<Self, Error> {
        let Request {
            selection, group, ..
        } = request;
        let group = *group;
        let indexes: Vec<&Index> = files
            .iter()
            .filter_map(|file| file.index.as_deref())
            .collect();
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
                    longer_has: Some(indexes[0].record_count.max(index.record_count)),
                })
                .in_file(shorter.file.path())
                .at_record(Some(indexes[0].record_count.min(index.record_count))));
            }
        }
        let records = indexes[0].record_count;
        let path = files[0].file.path();
        if !records.is_multiple_of(group as u64) {
            return Err(Error::new(ErrorKind::OddInterleaved).in_file(path));
        }
        let units = records / group as u64;
        let wanted = match selection {
            Selection::All => 0..records,
            Selection::Ranks(ranks) => {
                let end = if ranks.end == u64::MAX {
                    records
                } else {
                    ranks.end
                };
                if end > records || ranks.start > end {
                    return Err(Error::new(ErrorKind::OutOfRange { records }).in_file(path));
                }
                ranks.start..end
            }
            Selection::First(most) => 0..records.min(*most),
            Selection::Portion(portion) => {
                let Range { start, end } = portion.of_units(units);
                start * group as u64..end * group as u64
            }
        };
        // Of several files in step, each run makes some decode from a checkpoint
        // before it: longer runs waste less, but ordered output holds them until
        // it is their turn.
        let chunks = indexes[0].chunks();
        let chunks_per_run = match files.len() {
            1 => 1,
            // Not by the number of threads: batches end with runs, and must be the same for all of them.
            _ => chunks.div_ceil(RUNS).clamp(1, MATES_RUN),
        };
        let runs = runs(&indexes, &wanted, group as u64, chunks_per_run);
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
        let mates = opened.len();
        let mut feeds = Vec::with_capacity(mates);
        for opened in opened {
            let OpenedFile {
                file,
                format,
                bytes,
                ..
            } = opened;
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
                Selection::First(most) => Feed::first(file, format, bytes, pool, *most),
                Selection::Portion(_) if mates > 1 || request.group > 1 => {
                    let what = "shards and parts of mates or interleaved reads need indexes: all files must be indexed gzip";
                    return Err(Error::new(ErrorKind::Unsupported(what)).in_file(file.path()));
                }
                Selection::Portion(_)
                    if file.compression() != Compression::Gzip || file.regular().is_none() =>
                {
                    let what = "shards and parts need a plain or gzip file that is not a pipe: this one can only be read in order";
                    return Err(Error::new(ErrorKind::Unsupported(what)).in_file(file.path()));
                }
                Selection::Portion(_) => {
                    return Err(Error::new(ErrorKind::NoIndex).in_file(file.path()));
                }
            });
        }
        let as_wanted = |feed: Feed| {
            let feed = feed.with_letters(request.check_letters);
            feed.in_pieces(request.overlap)
        };
        let feeds = feeds.into_iter().map(as_wanted).collect();
        let task = Task::new(0, feeds, request.group);
        let wanted = match request.selection {
            Selection::First(most) => Some(most),
            _ => None,
        };
        Ok(Self::Sequential(Sequential::new(task, wanted)))
    }
}

/// Cuts files in step or an interleaved one, if all are FASTQ of four lines, and all plain or all BGZF.
fn cutter(opened: &[OpenedFile], request: &Request) -> Result<Option<Cutter>, Error> {
    if opened.iter().any(|file| file.format != Format::Fastq) {
        return Ok(None);
    }
    let is_plain = |file: &OpenedFile| file.file.compression() == Compression::None;
    let is_bgzf = |file: &OpenedFile| file.is_bgzf && file.file.regular().is_some();
    let framing = if opened.iter().all(is_plain) {
        Framing::Plain
    } else if opened.iter().all(is_bgzf) && request.save.is_none() {
        // An index falls out of what is read in order only.
        Framing::Bgzf
    } else {
        return Ok(None);
    };
    let usual = match (framing, opened.len()) {
        (Framing::Plain, 1) => PLAIN_PART,
        (Framing::Bgzf, 1) => BGZF_PART,
        (Framing::Plain, _) => IN_STEP_PART,
        (Framing::Bgzf, _) => IN_STEP_BGZF_PART,
    };
    let files = opened.iter().map(|file| Arc::clone(&file.file)).collect();
    let part = request.part_size.unwrap_or(usual);
    let Some(mut cutter) = Cutter::new(files, framing, part, request.names.clone()) else {
        return Ok(None);
    };
    // What was read in order is so still if it would be one part; plain files in step were one always.
    let in_parts = framing == Framing::Plain && opened.len() > 1 || cutter.can_cut()?;
    Ok(in_parts.then_some(cutter))
}

/// A feed of a whole gzip file from which an index falls out, if one is wanted.
fn recorded_feed(
    file: &Arc<InputFile>,
    format: FileFormat,
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

/// Whether a portion of these files can be read without the rest.
pub(crate) fn can_be_parted(opened: &[OpenedFile], group: usize) -> Result<bool, Error> {
    let are_indexed = opened.iter().all(|file| file.index.is_some());
    let has_parts = match alone(opened, group) {
        Some(only) => usual_part(only)?.is_some(),
        None => false,
    };
    Ok(are_indexed || has_parts)
}

/// The only file, if its records stand alone and can be found by inspection.
fn alone(opened: &[OpenedFile], group: usize) -> Option<&OpenedFile> {
    match (opened, group) {
        ([only], 1) => Some(only).filter(|only| only.format.has_boundaries()),
        _ => None,
    }
}

/// Bytes on disk of a part that can be read on its own without an index, of a file that has such parts.
fn usual_part(opened: &OpenedFile) -> Result<Option<u64>, Error> {
    if opened.file.size().is_none() {
        return Ok(None);
    }
    Ok(match (opened.file.compression(), members(opened)?) {
        (Compression::None, _) => Some(PLAIN_PART),
        (Compression::Gzip, Some(Members::Bgzf)) => Some(BGZF_PART),
        (Compression::Gzip, Some(Members::Any)) => Some(MEMBERS_PART),
        _ => None,
    })
}

/// Bounds of parts that can be read on their own without an index, if any.
fn bounds(opened: &OpenedFile, request: &Request) -> Result<Option<Vec<u64>>, Error> {
    let (Some(size), Some(usual)) = (opened.file.size(), usual_part(opened)?) else {
        return Ok(None);
    };
    let part = request.part_size.unwrap_or(usual);
    let Range { start, end } = match request.selection {
        Selection::Portion(portion) => portion.of_units(size),
        _ => 0..size,
    };
    let mut bounds: Vec<u64> = (start..end.max(start + 1)).step_by(part as usize).collect();
    bounds.push(end);
    Ok(Some(bounds))
}
