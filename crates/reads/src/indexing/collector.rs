//! From decoded pieces, in order, to checkpoints in an index.

use std::collections::VecDeque;
use std::path::Path;

use thalweg_formats::FileFormat;
use thalweg_gzip::index::{
    Checkpoint, Index, IndexBuilder, IndexError, IndexWriter, References, Summary,
};

use super::finder::{RecordAt, RecordFinder};
use crate::FormatError;

/// A place where a chunk may start, as the decoder saw it.
pub(crate) struct Mark {
    pub(crate) bit_offset: u64,
    pub(crate) output_offset: u64,
    /// At most 32 KiB before it; none where a member starts.
    pub(crate) window: Vec<u8>,
}

/// Where the finished checkpoints go.
enum Sink {
    File(IndexWriter),
    Memory(IndexBuilder),
}

/// A mark of which not everything is known yet.
struct Pending {
    mark: Mark,
    record: Option<RecordAt>,
    references: Option<Box<References>>,
    references_known: bool,
}

/// Takes decoded data in order, and what the decoder noted about them.
pub(crate) struct Collector {
    finder: RecordFinder,
    crc: crc32fast::Hasher,
    /// Uncompressed bytes seen.
    output: u64,
    /// Marks whose place has not been reached by the data.
    ahead: VecDeque<Mark>,
    /// Marks whose chunk has begun; the last one's is still growing.
    pending: VecDeque<Pending>,
    /// CRC32 of the chunks of `pending` that are complete.
    finished_crcs: VecDeque<u32>,
    resolved: Vec<RecordAt>,
    sink: Sink,
    /// Keep at most twice as many checkpoints.
    wanted: Option<usize>,
}

/// What went wrong while collecting.
pub(crate) enum CollectError {
    /// A malformed record, its rank, and its offset in the uncompressed data.
    Format(FormatError, u64, u64),
    Index(IndexError),
}

impl From<IndexError> for CollectError {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

impl Collector {
    /// Windows go to the file as they come.
    pub(crate) fn to_file(format: FileFormat, path: &Path) -> Result<Self, IndexError> {
        Ok(Self::new(
            format,
            Sink::File(IndexWriter::create(path)?),
            None,
        ))
    }

    /// Everything stays in memory; with `wanted`, every second checkpoint is
    /// dropped whenever there are more than twice as many.
    pub(crate) fn in_memory(format: FileFormat, wanted: Option<usize>) -> Self {
        Self::new(format, Sink::Memory(IndexBuilder::new()), wanted)
    }

    fn new(format: FileFormat, sink: Sink, wanted: Option<usize>) -> Self {
        Self {
            finder: RecordFinder::new(format),
            crc: crc32fast::Hasher::new(),
            output: 0,
            ahead: VecDeque::new(),
            pending: VecDeque::new(),
            finished_crcs: VecDeque::new(),
            resolved: Vec::new(),
            sink,
            wanted,
        }
    }

    /// A chunk starts here. Before the data that follow it.
    pub(crate) fn mark(&mut self, mark: Mark) {
        self.ahead.push_back(mark);
    }

    /// Which bytes of the window of the oldest mark without them are needed;
    /// `None` if all must be kept. One call for each mark, in order.
    pub(crate) fn references(&mut self, references: Option<Box<References>>) {
        let unknown = self.pending.iter_mut().find(|mark| !mark.references_known);
        if let Some(pending) = unknown {
            pending.references = references;
            pending.references_known = true;
        }
    }

    /// The next uncompressed bytes.
    pub(crate) fn data(&mut self, bytes: &[u8], at_end: bool) -> Result<(), CollectError> {
        let mut rest = bytes;
        while let Some(mark) = self.ahead.front() {
            let before = (mark.output_offset - self.output) as usize;
            if before > rest.len() || (before == rest.len() && !at_end) {
                break;
            }
            self.sum(&rest[..before]);
            rest = &rest[before..];
            if !self.pending.is_empty() {
                let crc = std::mem::take(&mut self.crc);
                self.finished_crcs.push_back(crc.finalize());
            }
            self.crc = crc32fast::Hasher::new();
            if let Some(mark) = self.ahead.pop_front() {
                self.pending.push_back(Pending {
                    // A window that is empty needs no references.
                    references_known: mark.window.is_empty(),
                    references: None,
                    record: None,
                    mark,
                });
            }
        }
        self.sum(rest);
        let mut places = self
            .pending
            .iter()
            .filter(|pending| pending.record.is_none())
            .map(|pending| pending.mark.output_offset);
        self.resolved.clear();
        self.finder
            .data(bytes, at_end, &mut places, &mut self.resolved)
            .map_err(|(error, rank, offset)| CollectError::Format(error, rank, offset))?;
        let unresolved = self.pending.iter_mut().filter(|mark| mark.record.is_none());
        for (pending, record) in unresolved.zip(&self.resolved) {
            pending.record = Some(*record);
        }
        self.flush(false)
    }

    fn sum(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
        self.output += bytes.len() as u64;
    }

    /// Hand on the checkpoints of which all is known.
    fn flush(&mut self, at_end: bool) -> Result<(), CollectError> {
        while let Some(pending) = self.pending.front() {
            let known = pending.record.is_some() && (pending.references_known || at_end);
            let (true, Some(&crc)) = (known, self.finished_crcs.front()) else {
                return Ok(());
            };
            self.finished_crcs.pop_front();
            let Some(Pending {
                mark,
                record: Some(record),
                references,
                ..
            }) = self.pending.pop_front()
            else {
                return Ok(());
            };
            let checkpoint = Checkpoint {
                bit_offset: mark.bit_offset,
                output_offset: mark.output_offset,
                record_rank: record.rank,
                record_offset: record.offset,
                crc32: Some(crc),
            };
            match &mut self.sink {
                Sink::File(writer) => {
                    writer.push(checkpoint, &mark.window, references.as_deref())?
                }
                Sink::Memory(builder) => {
                    builder.push(checkpoint, &mark.window, references.as_deref());
                    let next = self.pending.front().map(|next| next.mark.output_offset);
                    if self
                        .wanted
                        .is_some_and(|wanted| builder.len() >= 2 * wanted)
                        && let Some(end) = next
                    {
                        builder.thin(end);
                    }
                }
            }
        }
        Ok(())
    }

    /// Records and uncompressed bytes in all. After the last piece of data.
    pub(crate) fn totals(&self) -> (u64, u64) {
        (self.finder.records(), self.output)
    }

    /// Complete the index. The data must have ended with `at_end`.
    pub(crate) fn finish(mut self, summary: Summary) -> Result<Option<Index>, CollectError> {
        if !self.pending.is_empty() {
            let crc = std::mem::take(&mut self.crc);
            self.finished_crcs.push_back(crc.finalize());
        }
        self.flush(true)?;
        match self.sink {
            Sink::File(writer) => {
                writer.finish(&summary)?;
                Ok(None)
            }
            Sink::Memory(builder) => Ok(Some(builder.finish(summary)?)),
        }
    }
}
