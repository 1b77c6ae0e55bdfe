//! One file's part of a piece of work: bytes in, whole records out.
//!
//! ```text
//! bytes (decoder or plain) ──► leave out what comes before the first record
//!                          ──► find whole records ──► cut off a block of them
//! ```
//! How records are found is their format's to say ([`FileFormat`]). Those that are no text become text in their block, by
//! the worker that gets it.
//!
//! A feed owns the records that start in its part, and reads on past the end of
//! the part until its last record ends, so that nothing is sent between workers.

mod begin;
mod damage;
mod end;
mod pieces;
mod records;

use std::sync::Arc;

use thalweg_formats::{FileFormat, HeaderWalk};
use thalweg_gzip::Event;
use thalweg_gzip::index::Index;

use crate::batch::{Block, BufferPool, Buffers, take_buffers};
use crate::bytes::{Bytes, compressed_error, raw_error};
use crate::cutter::Cutpoint;
use crate::file::InputFile;
use crate::indexing::Recorder;
use crate::member_checks::MemberChecks;
use crate::piece::Cut;
use crate::seam::Seam;
use crate::{Error, ErrorKind, FormatError, Scanner};
use pieces::Begun;

/// Bytes that are read at a time beyond the end of a part, for the rest of its
/// last record: a few short reads' worth; doubled each time it is not enough.
const TAIL: u64 = 16 * 1024;

/// Which records belong to a feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All from the start of the file to its end.
    Whole,
    /// So many, as the index says, and at least to the end of this chunk, unless
    /// another run verifies it and the part is done from the start. Without an
    /// index: so many, wherever they end.
    Ranked { records: u64, last_chunk: usize },
    /// Those that start after the first byte of the part (`from_start`: or at
    /// it) and not after the first byte of the next part, found by inspection.
    Inspected { from_start: bool },
    /// All of a BGZF file before this place, at which one of them ends.
    UpTo(Cutpoint),
}

/// One file's part of a piece of work.
pub(crate) struct Feed {
    file: Arc<InputFile>,
    index: Option<Arc<Index>>,
    bytes: Bytes,
    pool: Arc<BufferPool>,
    scanner: Scanner,
    format: FileFormat,
    /// The header of the file, of which nothing is given.
    header: HeaderWalk,
    /// Where a fault is met, the letters of the records before it are looked at.
    letters: bool,
    /// All bytes of the part are wanted, and no records.
    text: bool,
    /// Letters that pieces of a long sequence have in common, if it may come in pieces.
    overlap: Option<usize>,
    /// Where the unfinished record can be cut: nothing else is in the slab, and that is full.
    cut: Option<Cut>,
    /// The data begin with the rest of a record, behind its header, of which pieces were given.
    begun: Option<Begun>,
    /// Positions of the whole records at the start of the data: line ends, of text.
    ends: Vec<u32>,
    /// Where they end in the data.
    scanned: usize,
    extent: Extent,
    /// Uncompressed bytes to leave out before the first record.
    skip_bytes: u64,
    /// Records to leave out before the first that is wanted.
    skip_records: u64,
    /// Uncompressed bytes behind the last wanted record that are gone: they were decoded for a checksum.
    passed_over: u64,
    /// Whether something else than blank lines was behind the last record of all, and passed over.
    is_followed: bool,
    /// The first record is still to be found by inspection.
    seeking: bool,
    /// The chunk that is being decoded, of an indexed file, and the one that was the first.
    chunk: usize,
    first_chunk: usize,
    /// No other file is read in step.
    alone: bool,
    /// It is read as data come, and so are other pipes.
    beside_pipes: bool,
    /// Records that stay together: 2 for interleaved pairs.
    group: usize,
    /// The whole part has been decoded and verified.
    part_done: bool,
    finished: bool,
    /// Records that blocks have taken.
    given: u64,
    /// Rank of the record after those; `None` where ranks are not known.
    rank: Option<u64>,
    /// Fewer records than the extent says are fine.
    at_most: bool,
    /// Uncompressed offset of the part's first byte, if known.
    text_start: Option<u64>,
    /// Uncompressed offset at which the last record must end, if known.
    expected_end: Option<u64>,
    seam: Seam,
    tail: u64,
    /// A well-formed record, or nothing, follows the part's last one.
    confirmed: bool,
    /// Is told what chunks have of members, of an indexed file.
    member_checks: Option<Arc<MemberChecks>>,
    /// Sees everything, for an index.
    recorder: Option<Box<dyn Recorder>>,
    /// Uncompressed bytes that it has seen.
    recorded: u64,
}

impl Feed {
    fn new(
        file: Arc<InputFile>,
        format: FileFormat,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        extent: Extent,
    ) -> Self {
        let mut bytes = bytes;
        if let (FileFormat::Binary(_), Bytes::Gzip(decoder)) = (format, &mut bytes) {
            decoder.decode_whole_blocks();
        }
        Self {
            file,
            index: None,
            bytes,
            pool,
            scanner: Scanner::new(format),
            format,
            header: HeaderWalk::default(),
            letters: false,
            text: false,
            overlap: None,
            cut: None,
            begun: None,
            ends: Vec::new(),
            scanned: 0,
            extent,
            skip_bytes: 0,
            skip_records: 0,
            passed_over: 0,
            is_followed: false,
            seeking: false,
            chunk: 0,
            first_chunk: 0,
            alone: true,
            beside_pipes: false,
            group: 1,
            part_done: false,
            finished: false,
            given: 0,
            rank: None,
            at_most: false,
            text_start: None,
            expected_end: None,
            seam: Seam::default(),
            tail: TAIL,
            confirmed: false,
            member_checks: None,
            recorder: None,
            recorded: 0,
        }
    }

    /// Hand out all bytes of the part as they are, and look for no records.
    pub(crate) fn into_text(mut self) -> Self {
        self.text = true;
        self.skip_bytes = 0;
        self.skip_records = 0;
        self.seeking = false;
        self.header = HeaderWalk::default();
        self.rank = None;
        self
    }

    /// Whether somebody checks the letters of records (`yes`): where a fault is met, those before it come first.
    pub(crate) fn with_letters(mut self, yes: bool) -> Self {
        self.letters = yes;
        self
    }

    /// Other files are read in step.
    pub(crate) fn in_step(mut self) -> Self {
        self.alone = false;
        // Whoever writes several pipes may wait for us at another before a block is whole.
        if let (None, Bytes::Gzip(decoder)) = (self.file.regular(), &mut self.bytes) {
            decoder.decode_as_it_comes();
        }
        self
    }

    /// It is a pipe, and its writer may wait for us at another.
    pub(crate) fn beside_pipes(mut self) -> Self {
        self.beside_pipes = true;
        self
    }

    /// So many records stay together, and a block has whole groups.
    pub(crate) fn in_groups_of(mut self, records: usize) -> Self {
        self.group = records;
        self
    }

    /// Tell `checks` what the chunks have of members. Before anything is decoded.
    pub(crate) fn with_member_checks(mut self, checks: &Arc<MemberChecks>) -> Self {
        if let Bytes::Gzip(decoder) = &mut self.bytes {
            decoder.report_members();
            self.member_checks = Some(Arc::clone(checks));
        }
        self
    }

    /// Let `recorder` see everything. Before anything is decoded.
    pub(crate) fn record_with(&mut self, recorder: Box<dyn Recorder>) {
        if let Bytes::Gzip(decoder) = &mut self.bytes {
            decoder.report_blocks();
            self.recorder = Some(recorder);
        }
    }

    /// Whether what is left of the file is read to its end, and whoever records how it is decoded does not notice if others do that.
    pub(crate) fn can_be_in_legs(&self) -> bool {
        let is_whole = matches!(self.extent, Extent::Whole) && self.index.is_none();
        is_whole && (self.recorder.is_none() || self.bytes.output() == 0)
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
        let has_text = self.text && !self.bytes.data().is_empty();
        self.available() >= self.group || self.cut.is_some() || has_text
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

    /// Whether `fault` is one of this file.
    pub(crate) fn is_of(&self, fault: &Error) -> bool {
        fault.location().path.as_deref() == Some(self.file.path())
    }

    /// Find records in what has come. To be called whenever the bytes have an
    /// event, and for streams whenever something came.
    ///
    /// # Errors
    /// The first fault; of records that come from damaged data, the damage.
    pub(crate) fn absorb(&mut self) -> Result<(), Error> {
        self.look().map_err(|fault| self.cause_of(fault))
    }

    fn look(&mut self) -> Result<(), Error> {
        while !self.finished {
            self.record();
            self.skip_to_first()?;
            if self.is_at_records() && !self.text {
                self.find_records()?;
            }
            let Some(event) = self.bytes.event() else {
                return Ok(());
            };
            if event == Event::ChunkEnd {
                self.note_members()?;
            }
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
                Event::ChunkEnd => self.pass_chunk_end()?,
                Event::End if self.is_open_ended() => {
                    self.finish();
                    return self.file.check_end_of_stream(self.format);
                }
                Event::End => self.end_early()?,
                Event::Full if self.is_ready() => return Ok(()),
                Event::Full => self.make_room(),
            }
        }
        Ok(())
    }

    /// Whether the data begin with a record that may be wanted.
    pub(super) fn is_at_records(&self) -> bool {
        self.header.is_over() && self.skip_bytes == 0 && !self.seeking
    }

    /// Whole records that one block may have: the rest of one of which pieces were given comes alone.
    pub(crate) fn available_at_once(&self) -> usize {
        match self.begun {
            Some(_) => self.available().min(1),
            None => self.available(),
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
        if let (Some(begun), true) = (self.begun, self.ends.is_empty()) {
            return begun.start;
        }
        let to = self.bytes.output() - self.bytes.data().len() as u64 + self.scanned as u64;
        to - self.passed_over
    }

    /// Whether only the rest of the last record is still to come.
    fn in_tail(&self) -> bool {
        let has_tail = self.index.is_some() || matches!(self.extent, Extent::Inspected { .. });
        self.part_done && has_tail
    }

    /// Read no more than is missing behind the end of the part: of a mate, whose chunks begin with other records than
    /// those of the first file, that may be most of a chunk.
    fn limit_tail(&mut self) {
        let other_records = match (&self.index, self.extent) {
            (Some(index), Extent::Ranked { records, .. }) => {
                let known = self.given + self.available() as u64;
                let wanted = records.saturating_add(self.skip_records);
                let missing = wanted.saturating_sub(known + 1);
                let mean_length = index.output_size / index.record_count.max(1);
                missing.saturating_mul(mean_length)
            }
            _ => 0,
        };
        let limit = self.bytes.output().saturating_add(self.tail);
        self.bytes.set_limit(limit.saturating_add(other_records));
    }

    /// Nothing that can be cut is in the slab, and it is full or at its limit:
    /// a piece of the unfinished record can be cut off, or it moves to the front
    /// of the slab, which grows if need be.
    fn make_room(&mut self) {
        self.pass_over_rest();
        if self.in_tail() {
            // Of records that are left out, none is too long.
            if self.skip_records == 0 {
                self.tail = self.tail.saturating_mul(2);
            }
            self.limit_tail();
        }
        if self.bytes.event() == Some(Event::Full) {
            self.cut = self.find_cut();
            if self.cut.is_none() {
                self.bytes.make_room();
            }
        }
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
            recorder.records(start, &self.ends[..records * width], self.format);
        }
        let Buffers {
            slab,
            mut ends,
            rendered,
        } = take_buffers(&self.pool);
        let text_offset = self
            .text_start
            .map(|start| start + self.bytes.output() - self.bytes.data().len() as u64);
        let slab = self.bytes.take(taken, slab);
        let begun = self.begun.take_if(|_| records > 0);
        ends.clear();
        ends.extend_from_slice(&self.ends[..records * width]);
        self.ends.drain(..records * width);
        self.shift(taken);
        let rank = self.rank;
        self.given += records as u64;
        self.rank = rank.map(|rank| rank + records as u64);
        if self.in_tail() && !self.finished {
            self.limit_tail();
        }
        Block {
            file: Arc::clone(&self.file),
            buffers: Buffers {
                slab,
                ends,
                rendered,
            },
            format: self.block_format(),
            rank,
            text_offset,
            piece: begun.map(|begun| begun.piece(true)),
            has_usual_letters: false,
        }
    }

    /// The format of what a block has: bytes as they are, if those are wanted, are not rendered.
    fn block_format(&self) -> FileFormat {
        match self.text {
            true => self.format.text_format().into(),
            false => self.format,
        }
    }

    fn format_error(&self, error: FormatError, known: usize) -> Error {
        let before = known / self.format.ends_per_record() + error.record;
        let record = self
            .rank
            .map(|rank| rank.saturating_sub(self.skip_records) + before as u64);
        let base = self.bytes.output() - self.bytes.data().len() as u64;
        let text = self
            .text_start
            .map(|start| start + base + error.offset as u64);
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
        compressed_error(&self.file, error).at_record(self.rank_of_unknown())
    }

    /// The rank of the first record that is not known yet.
    fn rank_of_unknown(&self) -> Option<u64> {
        let of_first = self.rank?.saturating_sub(self.skip_records);
        Some(of_first + self.available() as u64)
    }

    /// Read once, if the bytes need no kernel.
    pub(crate) fn fill_raw(&mut self) -> Result<(), Error> {
        let Bytes::Raw(raw) = &mut self.bytes else {
            return Ok(());
        };
        match raw.fill() {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                Err(raw_error(&self.file, error))
            }
            Err(error) => {
                // What came before the fault may hold a fault of its own.
                if !self.text {
                    self.find_records()?;
                }
                Err(raw_error(&self.file, error).at_record(self.rank_of_unknown()))
            }
        }
    }
}
