//! One file's part of a piece of work: bytes in, whole records out.
//!
//! ```text
//! bytes (decoder or plain) ──► leave out what comes before the first record
//!                          ──► find whole records ──► cut off a block of them
//! ```
//! A feed owns the records that start in its part, and reads on past the end of
//! the part until its last record ends, so that nothing is sent between workers.

use std::sync::Arc;

use thalweg_gzip::index::Index;
use thalweg_gzip::{Decoder, Event, Goal, Start, WINDOW};

use crate::batch::{Block, BufferPool, Buffers, give_buffers, take_buffers};
use crate::file::InputFile;
use crate::indexing::Recorder;
use crate::raw::RawStream;
use crate::section::Run;
use crate::record::{Boundary, Scanner, find_record};
use crate::{Error, ErrorKind, Format, FormatError};

/// Bytes that are read at a time beyond the end of a part, for the rest of its
/// last record: a few short reads' worth; doubled each time it is not enough.
const TAIL: u64 = 16 * 1024;

/// Which records belong to a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All from the start of the file to its end.
    Whole,
    /// So many, as the index says, and at least to the end of this chunk, so
    /// that every chunk is verified by somebody. Without an index: so many,
    /// wherever they end.
    Ranked { records: u64, last_chunk: usize },
    /// Those that start after the first byte of the part (`from_start`: or at
    /// it) and not after the first byte of the next part, found by inspection.
    Inspected { from_start: bool },
}

pub(crate) enum Bytes {
    Gzip(Box<Decoder>),
    Raw(RawStream),
}

impl Bytes {
    pub(crate) fn event(&self) -> Option<Event> {
        match self {
            Bytes::Gzip(bytes) => bytes.event(),
            Bytes::Raw(bytes) => bytes.event(),
        }
    }

    pub(crate) fn data(&self) -> &[u8] {
        match self {
            Bytes::Gzip(bytes) => bytes.data(),
            Bytes::Raw(bytes) => bytes.data(),
        }
    }

    /// Uncompressed bytes since the start of the part.
    fn output(&self) -> u64 {
        match self {
            Bytes::Gzip(bytes) => bytes.output(),
            Bytes::Raw(bytes) => bytes.output(),
        }
    }

    fn take(&mut self, taken: usize, fresh: thalweg_gzip::Slab) -> thalweg_gzip::Slab {
        match self {
            Bytes::Gzip(bytes) => bytes.take(taken, fresh),
            Bytes::Raw(bytes) => bytes.take(taken, fresh),
        }
    }

    fn skip(&mut self, count: usize) {
        match self {
            Bytes::Gzip(bytes) => bytes.skip(count),
            Bytes::Raw(bytes) => bytes.skip(count),
        }
    }

    fn go_on(&mut self) {
        match self {
            Bytes::Gzip(bytes) => bytes.go_on(),
            Bytes::Raw(bytes) => bytes.go_on(),
        }
    }

    fn set_limit(&mut self, limit: u64) {
        match self {
            Bytes::Gzip(bytes) => bytes.set_limit(limit),
            Bytes::Raw(bytes) => bytes.set_limit(limit),
        }
    }

    /// Read or decode a little more, on its own.
    pub(crate) fn advance_alone(&mut self, file: &InputFile) -> Result<(), Error> {
        match self {
            Bytes::Gzip(decoder) => thalweg_gzip::advance(&mut [decoder])
                .map_err(|(_, error)| compressed_error(file, error)),
            Bytes::Raw(raw) => raw.fill().map_err(|error| raw_error(file, error)),
        }
    }
}

/// What a part without ranks turned out to hold; the parts' seams must fit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seam {
    /// Bytes on disk that were read: the next part must begin where they end.
    pub(crate) disk_start: u64,
    pub(crate) disk_end: u64,
    /// Uncompressed bytes in the part.
    pub(crate) length: u64,
    /// First and last byte (exclusive) of its records, from the part's start.
    pub(crate) records: Option<(u64, u64)>,
    /// Where text ends, from the part's start, in which no record was found.
    pub(crate) passed_over: Option<u64>,
}

/// One file's part of a piece of work.
pub(crate) struct Feed {
    file: Arc<InputFile>,
    index: Option<Arc<Index>>,
    bytes: Bytes,
    pool: Arc<BufferPool>,
    scanner: Scanner,
    format: Format,
    /// All bytes of the part are wanted, and no records.
    text: bool,
    /// Line ends of the whole records at the start of the data.
    ends: Vec<u32>,
    /// Where they end in the data.
    scanned: usize,
    extent: Extent,
    /// Uncompressed bytes to leave out before the first record.
    skip_bytes: u64,
    /// Records to leave out before the first that is wanted.
    skip_records: u64,
    /// The first record is still to be found by inspection.
    seeking: bool,
    /// The chunk that is being decoded, of an indexed file.
    chunk: usize,
    /// The whole part has been decoded and verified.
    part_done: bool,
    finished: bool,
    /// Records that blocks have taken.
    given: u64,
    /// Rank of the record after those; `None` where ranks are not known.
    rank: Option<u64>,
    /// Uncompressed offset of the part's first byte, if known.
    text_start: Option<u64>,
    /// Uncompressed offset at which the last record must end, if known.
    expected_end: Option<u64>,
    seam: Seam,
    tail: u64,
    /// Sees everything, for an index.
    recorder: Option<Box<dyn Recorder>>,
    /// Uncompressed bytes that it has seen.
    recorded: u64,
}

impl Feed {
    fn new(
        file: Arc<InputFile>,
        format: Format,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        extent: Extent,
    ) -> Self {
        Self {
            file,
            index: None,
            bytes,
            pool,
            scanner: Scanner::new(format),
            format,
            text: false,
            ends: Vec::new(),
            scanned: 0,
            extent,
            skip_bytes: 0,
            skip_records: 0,
            seeking: false,
            chunk: 0,
            part_done: false,
            finished: false,
            given: 0,
            rank: None,
            text_start: None,
            expected_end: None,
            seam: Seam::default(),
            tail: TAIL,
            recorder: None,
            recorded: 0,
        }
    }

    /// All records of `file`, from bytes that start at its start.
    pub(crate) fn whole(
        file: Arc<InputFile>,
        format: Format,
        bytes: Bytes,
        pool: Arc<BufferPool>,
    ) -> Self {
        let mut feed = Self::new(file, format, bytes, pool, Extent::Whole);
        feed.rank = Some(0);
        feed.text_start = Some(0);
        feed.part_done = true;
        feed
    }

    /// `records` records of `file` after the first `skip`, from bytes that
    /// start at its start; reading stops behind the last of them.
    pub(crate) fn slice(
        file: Arc<InputFile>,
        format: Format,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        skip: u64,
        records: u64,
    ) -> Self {
        let extent = Extent::Ranked {
            records,
            last_chunk: 0,
        };
        let mut feed = Self::new(file, format, bytes, pool, extent);
        feed.rank = Some(skip);
        feed.skip_records = skip;
        feed.text_start = Some(0);
        feed.part_done = true;
        feed
    }

    /// The records that start in a part of `file`, found by inspection.
    pub(crate) fn inspected(
        file: Arc<InputFile>,
        format: Format,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        disk_start: u64,
        text_start: Option<u64>,
    ) -> Self {
        let from_start = disk_start == 0;
        let mut feed = Self::new(file, format, bytes, pool, Extent::Inspected { from_start });
        // The first byte of a file is a record's, well-formed or not.
        feed.seeking = !from_start;
        feed.seam.records = from_start.then_some((0, 0));
        feed.seam.disk_start = disk_start;
        feed.text_start = text_start;
        feed
    }

    /// The records of `run`, of a file that has an index.
    ///
    /// # Errors
    /// If the window of the first chunk cannot be read.
    pub(crate) fn ranked(
        file: &Arc<InputFile>,
        index: &Arc<Index>,
        format: Format,
        pool: &Arc<BufferPool>,
        run: Run,
    ) -> Result<Self, Error> {
        let Run { first, records, first_chunk, last_chunk, end } = run;
        let last_before = || {
            index
                .checkpoints
                .partition_point(|checkpoint| checkpoint.record_rank <= first)
                .saturating_sub(1)
        };
        let chunk = first_chunk.unwrap_or_else(last_before);
        let checkpoint = index.checkpoints[chunk];
        let bytes = Bytes::Gzip(Box::new(open_chunk(file, index, chunk, pool)?));
        let extent = Extent::Ranked {
            records,
            last_chunk: last_chunk.max(chunk),
        };
        let mut feed = Self::new(Arc::clone(file), format, bytes, Arc::clone(pool), extent);
        feed.index = Some(Arc::clone(index));
        feed.chunk = chunk;
        feed.skip_bytes = checkpoint.record_offset - checkpoint.output_offset;
        feed.skip_records = first.saturating_sub(checkpoint.record_rank);
        feed.rank = Some(first);
        feed.text_start = Some(checkpoint.output_offset);
        feed.expected_end = end;
        Ok(feed)
    }

    /// Hand out all bytes of the part as they are, and look for no records.
    pub(crate) fn into_text(mut self) -> Self {
        self.text = true;
        self.skip_bytes = 0;
        self.skip_records = 0;
        self.seeking = false;
        self.rank = None;
        self
    }

    /// Let `recorder` see everything. Before anything is decoded.
    pub(crate) fn record_with(&mut self, recorder: Box<dyn Recorder>) {
        if let Bytes::Gzip(decoder) = &mut self.bytes {
            decoder.report_blocks();
            self.recorder = Some(recorder);
        }
    }

    /// The recorder, when the feed is finished.
    pub(crate) fn take_recorder(&mut self) -> Option<Box<dyn Recorder>> {
        self.recorder.take()
    }

    /// Show the recorder what is new.
    fn record(&mut self) {
        let (Some(recorder), Bytes::Gzip(decoder)) = (&mut self.recorder, &mut self.bytes) else {
            return;
        };
        let at_end = decoder.event() == Some(Event::End);
        let data = decoder.data();
        let new = (decoder.output() - self.recorded) as usize;
        if new > 0 || at_end {
            recorder.data(&data[data.len() - new..], at_end);
            recorder.stopped(decoder, at_end);
            self.recorded = decoder.output();
        }
    }

    /// The bytes, for whoever drives the decoders.
    pub(crate) fn bytes(&mut self) -> &mut Bytes {
        &mut self.bytes
    }

    /// Whether there is nothing to do before a block is cut: the slab is full
    /// of records, or there are no more.
    pub(crate) fn is_ready(&self) -> bool {
        self.finished || (self.bytes.event() == Some(Event::Full) && self.has_some())
    }

    /// Whether a block that is cut now would not be empty.
    pub(crate) fn has_some(&self) -> bool {
        !self.ends.is_empty() || (self.text && !self.bytes.data().is_empty())
    }

    /// Whether no records come after those that are available.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whole records that a block can be cut of.
    pub(crate) fn available(&self) -> usize {
        self.ends.len() / self.format.ends_per_record()
    }

    /// What a part found by inspection turned out to be. Only when finished.
    pub(crate) fn seam(&self) -> Seam {
        self.seam
    }

    /// Rank of the first record that is available, if ranks are known.
    pub(crate) fn next_rank(&self) -> Option<u64> {
        self.rank
    }

    pub(crate) fn file(&self) -> &Arc<InputFile> {
        &self.file
    }

    /// Find records in what has come. To be called whenever the bytes have an
    /// event, and for streams whenever something came.
    pub(crate) fn absorb(&mut self) -> Result<(), Error> {
        while !self.finished {
            self.record();
            self.skip_to_first()?;
            if self.skip_bytes == 0 && !self.seeking && !self.text {
                self.find_records()?;
            }
            let Some(event) = self.bytes.event() else {
                return Ok(());
            };
            if self.is_complete(event) {
                self.finish();
                return self.check_end();
            }
            match event {
                Event::Block => {
                    if let (Some(recorder), Bytes::Gzip(decoder)) =
                        (&mut self.recorder, &mut self.bytes)
                    {
                        recorder.block(decoder);
                    }
                    self.bytes.go_on();
                }
                Event::ChunkEnd => self.pass_chunk_end(),
                Event::End if self.is_open_ended() => {
                    self.finish();
                    return Ok(());
                }
                Event::End => self.end_early()?,
                Event::Full if self.is_ready() => return Ok(()),
                Event::Full => self.make_room(),
            }
        }
        Ok(())
    }

    /// Leave out what comes before the first record.
    fn skip_to_first(&mut self) -> Result<(), Error> {
        let length = self.bytes.data().len();
        if self.skip_bytes > 0 {
            let skipped = usize::try_from(self.skip_bytes).map_or(length, |skip| skip.min(length));
            self.bytes.skip(skipped);
            self.skip_bytes -= skipped as u64;
        } else if self.seeking {
            let Extent::Inspected { from_start } = self.extent else {
                unreachable!("only parts without ranks are inspected");
            };
            let at_end = self.bytes.event() == Some(Event::End);
            let from = usize::from(!from_start).min(length);
            let data = self.bytes.data();
            if data.is_empty() && !at_end {
                return Ok(());
            }
            match find_record(self.format, data, from, at_end) {
                Boundary::Found(first) => {
                    let start = self.bytes.output() - length as u64 + first as u64;
                    self.bytes.skip(first);
                    self.seeking = false;
                    self.seam.records = Some((start, start));
                }
                Boundary::NeedMore => {
                    // Inside a line longer than the slab nothing can start.
                    if from == 1 && memchr::memchr(b'\n', data).is_none() {
                        self.bytes.skip(length - 1);
                    }
                }
                Boundary::NoneLeft => {
                    // Blank lines may end a file; whether anything else belongs to a
                    // record of a part before this one, the seams tell.
                    let start = self.bytes.output() - length as u64;
                    let data = self.bytes.data();
                    let blank = |byte: &u8| matches!(byte, b'\r' | b'\n');
                    if let Some(last) = data.iter().rposition(|byte| !blank(byte)) {
                        self.seam.passed_over = Some(start + last as u64 + 1);
                    }
                    self.bytes.skip(length);
                    if at_end {
                        self.seeking = false;
                    }
                }
            }
        }
        Ok(())
    }

    fn find_records(&mut self) -> Result<(), Error> {
        let at_end = self.bytes.event() == Some(Event::End);
        loop {
            let available = self.available() as u64;
            let limit = match self.extent {
                Extent::Whole => usize::MAX,
                Extent::Ranked { records, .. } => {
                    let wanted = self.skip_records + (records - self.given) - available;
                    usize::try_from(wanted).unwrap_or(usize::MAX)
                }
                Extent::Inspected { .. } if !self.part_done => usize::MAX,
                // Behind the part's end: one by one, while they start in it.
                Extent::Inspected { .. } => {
                    usize::from(self.scanned_to() <= self.seam.length)
                }
            };
            if limit == 0 {
                return Ok(());
            }
            let before = self.ends.len();
            let outcome = self.scanner.scan(
                self.bytes.data(),
                self.scanned,
                at_end,
                limit,
                &mut self.ends,
            );
            match outcome {
                Ok(next) => self.scanned = next,
                Err(error) => return Err(self.format_error(error, before)),
            }
            self.drop_skipped();
            let again = self.part_done && matches!(self.extent, Extent::Inspected { .. });
            if self.ends.len() == before || !again {
                return Ok(());
            }
        }
    }

    /// Records before the first that is wanted leave at once.
    fn drop_skipped(&mut self) {
        if self.skip_records == 0 {
            return;
        }
        let width = self.format.ends_per_record();
        let dropped = usize::try_from(self.skip_records)
            .map_or(self.available(), |skip| skip.min(self.available()));
        if dropped > 0 {
            let bytes = self.end_of(dropped);
            self.bytes.skip(bytes);
            self.ends.drain(..dropped * width);
            self.shift(bytes);
            self.skip_records -= dropped as u64;
        }
    }

    /// Where the first `records` records end in the data.
    fn end_of(&self, records: usize) -> usize {
        match (records * self.format.ends_per_record()).checked_sub(1) {
            Some(last) => (self.ends[last] as usize + 1).min(self.bytes.data().len()),
            None => 0,
        }
    }

    /// The data now begin `bytes` later.
    fn shift(&mut self, bytes: usize) {
        self.scanned = self.scanned.saturating_sub(bytes);
        let bytes = bytes as u32;
        for end in &mut self.ends {
            *end -= bytes;
        }
    }

    /// Uncompressed bytes from the part's start to the end of its last whole record.
    fn scanned_to(&self) -> u64 {
        self.bytes.output() - self.bytes.data().len() as u64 + self.scanned as u64
    }

    fn is_complete(&self, event: Event) -> bool {
        if self.text {
            return match self.extent {
                Extent::Ranked { last_chunk, .. } => {
                    event == Event::ChunkEnd && self.chunk == last_chunk
                }
                Extent::Whole => event == Event::End,
                Extent::Inspected { .. } => event == Event::ChunkEnd,
            };
        }
        let all = match self.extent {
            Extent::Whole => event == Event::End,
            Extent::Ranked { records, .. } => {
                self.skip_records == 0 && self.given + self.available() as u64 == records
            }
            Extent::Inspected { .. } => {
                event == Event::End
                    || (self.seeking && self.part_done && !self.line_starts_in_part())
                    || (!self.seeking && self.scanned_to() > self.seam.length)
            }
        };
        let chunk_done = match self.extent {
            Extent::Ranked { last_chunk, .. } => {
                self.chunk == last_chunk && event == Event::ChunkEnd
            }
            _ => false,
        };
        all && (self.part_done || chunk_done)
    }

    /// Whether the data not yet looked through have the start of a line that is
    /// this part's: at most at the first byte of the next part.
    fn line_starts_in_part(&self) -> bool {
        let data = self.bytes.data();
        let start = self.bytes.output() - data.len() as u64;
        let left = self.seam.length.saturating_sub(start);
        let left = usize::try_from(left).map_or(data.len(), |left| left.min(data.len()));
        memchr::memchr(b'\n', &data[..left]).is_some()
    }

    fn finish(&mut self) {
        self.finished = true;
        if self.text {
            if matches!(self.extent, Extent::Inspected { .. }) {
                self.close_seam();
            }
            return;
        }
        let first = self.seam.records.map(|(first, _)| first);
        let any = self.given > 0 || !self.ends.is_empty();
        let data_start = self.bytes.output() - self.bytes.data().len() as u64;
        let end = data_start + self.end_of(self.available()) as u64;
        self.seam.records = first.filter(|_| any).map(|first| (first, end));
    }

    /// At the end of a part found by inspection.
    fn close_seam(&mut self) {
        self.seam.length = self.bytes.output();
        if let Some(recorder) = &mut self.recorder {
            recorder.part_end(self.seam.length);
        }
        self.seam.disk_end = match &self.bytes {
            Bytes::Gzip(decoder) => decoder.position() / 8,
            Bytes::Raw(_) => self.seam.disk_start + self.seam.length,
        };
    }

    /// The records of an indexed part must end where the next ones begin, and
    /// nothing but blank lines may follow the last.
    fn check_end(&self) -> Result<(), Error> {
        let (Some(index), false) = (&self.index, self.text) else {
            return Ok(());
        };
        let end = self.text_start.unwrap_or(0) + self.scanned_to();
        let fits = match self.expected_end {
            Some(expected) => end == expected,
            None if self.rank.map(|rank| rank + self.available() as u64) == Some(index.record_count) => {
                let rest = &self.bytes.data()[self.scanned..];
                rest.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
            }
            None => true,
        };
        if fits {
            return Ok(());
        }
        let what = "its records do not end where the index says".to_owned();
        Err(Error::new(ErrorKind::OtherFile(what))
            .in_file(self.file.path())
            .at_text_offset(end))
    }

    /// The chunk is verified; go on if its last record reaches beyond it.
    fn pass_chunk_end(&mut self) {
        match (&self.index, self.extent) {
            (Some(index), Extent::Ranked { last_chunk, .. }) => {
                if self.chunk == last_chunk {
                    self.part_done = true;
                }
                self.chunk += 1;
                if let (Bytes::Gzip(decoder), true) = (&mut self.bytes, self.chunk < index.chunks())
                {
                    let from = self.text_start.unwrap_or(0);
                    decoder.go_on_to(goal(index, self.chunk, from));
                } else {
                    self.bytes.go_on();
                }
            }
            _ => {
                self.part_done = true;
                self.close_seam();
                self.bytes.go_on();
            }
        }
        if self.in_tail() {
            self.tail = TAIL;
            self.bytes.set_limit(self.bytes.output() + self.tail);
        }
    }

    /// Whether "all that follow" were asked for, and the first of them is there.
    fn is_open_ended(&self) -> bool {
        let Extent::Ranked { records, .. } = self.extent else {
            return false;
        };
        self.index.is_none() && self.skip_records == 0 && records > u64::MAX / 2
    }

    /// The file ended although records are missing.
    fn end_early(&mut self) -> Result<(), Error> {
        let kind = match (&self.index, self.rank) {
            (None, Some(rank)) => ErrorKind::OutOfRange {
                records: rank.saturating_sub(self.skip_records) + self.available() as u64,
            },
            _ => ErrorKind::OtherFile(
                "it ends before the last record that the index knows".to_owned(),
            ),
        };
        Err(Error::new(kind).in_file(self.file.path()))
    }

    /// Whether only the rest of the last record is still to come.
    fn in_tail(&self) -> bool {
        let has_tail = self.index.is_some() || matches!(self.extent, Extent::Inspected { .. });
        self.part_done && has_tail
    }

    /// Nothing that can be cut is in the slab, and it is full or at its limit:
    /// the unfinished record moves to the front of a slab that is large enough.
    fn make_room(&mut self) {
        if self.in_tail() {
            self.tail *= 2;
            self.bytes.set_limit(self.bytes.output() + self.tail);
        }
        if self.bytes.event() != Some(Event::Full) {
            return;
        }
        let Buffers { slab, ends } = take_buffers(&self.pool);
        let slab = self.bytes.take(0, slab);
        give_buffers(&self.pool, Buffers { slab, ends });
    }

    /// Cut off the first `records` records.
    ///
    /// # Panics
    /// If there are not that many available.
    pub(crate) fn cut(&mut self, records: usize) -> Block {
        let width = self.format.ends_per_record();
        let taken = match self.text {
            true => self.bytes.data().len(),
            false => self.end_of(records),
        };
        self.record();
        if let Some(recorder) = &mut self.recorder {
            let start = self.bytes.output() - self.bytes.data().len() as u64;
            recorder.records(start, &self.ends[..records * width], width);
        }
        let Buffers { slab, mut ends } = take_buffers(&self.pool);
        let text_offset = self
            .text_start
            .map(|start| start + self.bytes.output() - self.bytes.data().len() as u64);
        let slab = self.bytes.take(taken, slab);
        ends.clear();
        ends.extend_from_slice(&self.ends[..records * width]);
        self.ends.drain(..records * width);
        self.shift(taken);
        let rank = self.rank;
        self.given += records as u64;
        self.rank = rank.map(|rank| rank + records as u64);
        if self.in_tail() && !self.finished {
            self.bytes.set_limit(self.bytes.output() + self.tail);
        }
        Block {
            file: Arc::clone(&self.file),
            buffers: Buffers { slab, ends },
            format: self.format,
            rank,
            text_offset,
        }
    }

    /// Cut off all records and give their buffers back at once.
    pub(crate) fn cut_all(&mut self, pool: &BufferPool) {
        let block = self.cut(self.available());
        give_buffers(pool, block.buffers);
    }

    fn format_error(&self, error: FormatError, known: usize) -> Error {
        let before = known / self.format.ends_per_record() + error.record;
        let record = self
            .rank
            .map(|rank| rank.saturating_sub(self.skip_records) + before as u64);
        let base = self.bytes.output() - self.bytes.data().len() as u64;
        let text = self.text_start.map(|start| start + base + error.offset as u64);
        let mut located = Error::new(ErrorKind::Format(error))
            .in_file(self.file.path())
            .at_record(record);
        if let Some(text) = text {
            located = located.at_text_offset(text);
        }
        located
    }

    /// An error of the decoder, with what is known about where.
    pub(crate) fn compressed_error(&self, error: thalweg_gzip::Error) -> Error {
        let record = self.rank.map(|rank| rank + self.available() as u64);
        compressed_error(&self.file, error).at_record(record)
    }

    /// Read once, if the bytes need no kernel.
    pub(crate) fn fill_raw(&mut self) -> Result<(), Error> {
        let Bytes::Raw(raw) = &mut self.bytes else {
            return Ok(());
        };
        match raw.fill() {
            Ok(()) => Ok(()),
            Err(error) => {
                self.find_records()?;
                let record = self.rank.map(|rank| rank + self.available() as u64);
                Err(raw_error(&self.file, error).at_record(record))
            }
        }
    }
}

pub(crate) fn compressed_error(file: &InputFile, error: thalweg_gzip::Error) -> Error {
    let offset = error.offset();
    Error::new(ErrorKind::Compressed(error))
        .in_file(file.path())
        .at_offset(offset)
}

fn raw_error(file: &InputFile, error: std::io::Error) -> Error {
    if !file.is_codec_fault(&error) {
        return Error::io(file.path(), error);
    }
    let kind = thalweg_gzip::ErrorKind::Codec(error);
    compressed_error(file, thalweg_gzip::Error::new(kind, file.offset_reached()))
}

/// A decoder at the start of chunk `chunk` of an indexed file.
pub(crate) fn open_chunk(
    file: &Arc<InputFile>,
    index: &Arc<Index>,
    chunk: usize,
    pool: &Arc<BufferPool>,
) -> Result<Decoder, Error> {
    let checkpoint = index.checkpoints[chunk];
    let mut window = Box::new([0; WINDOW]);
    let length = index
        .window(chunk, &mut window)
        .map_err(|error| Error::new(ErrorKind::Index(error)).in_file(file.path()))?;
    let offset = checkpoint.bit_offset / 8;
    let start = Start::Block {
        skip: (checkpoint.bit_offset % 8) as u8,
        window: &window[WINDOW - length.min(WINDOW)..],
    };
    let goal = goal(index, chunk, checkpoint.output_offset);
    let slab = take_buffers(pool).slab;
    Ok(Decoder::new(file.bytes_from(offset)?, offset, start, goal, slab))
}

/// The end of chunk `chunk`, for a decoder that started at uncompressed offset `from`.
fn goal(index: &Index, chunk: usize, from: u64) -> Goal {
    let crc32 = index.checkpoints[chunk].crc32;
    match index.checkpoints.get(chunk + 1) {
        Some(next) => Goal::Checkpoint {
            bit: next.bit_offset,
            length: next.output_offset - from,
            crc32,
        },
        None => Goal::EndOfIndexedFile {
            length: index.output_size - from,
            crc32,
        },
    }
}
