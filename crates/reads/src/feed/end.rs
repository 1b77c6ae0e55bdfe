//! Where a feed ends, and what must be true there.

use thalweg_formats::FileFormat;
use thalweg_gzip::Event;

use super::{Extent, Feed, TAIL};
use crate::bytes::Bytes;
use crate::chunk::goal;
use crate::{Error, ErrorKind};

impl Feed {
    pub(super) fn is_complete(&self, event: Event) -> bool {
        if self.text {
            return match self.extent {
                Extent::Ranked { last_chunk, .. } => {
                    event == Event::ChunkEnd && self.chunk == last_chunk
                }
                Extent::Whole | Extent::UpTo(_) => event == Event::End,
                Extent::Inspected { .. } => event == Event::ChunkEnd,
            };
        }
        let all = match self.extent {
            Extent::Whole => event == Event::End,
            Extent::UpTo(end) => {
                event == Event::Full && self.bytes.output() == self.seam.length + end.skip
            }
            Extent::Ranked { records, .. } => {
                self.skip_records == 0
                    && self.given + self.available() as u64 == records
                    && !self.is_before_end()
            }
            Extent::Inspected { .. } => {
                event == Event::End
                    || (self.seeking && self.part_done && !self.may_begin_in_part())
                    || (!self.seeking && self.confirmed && self.scanned_to() > self.seam.length)
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

    /// Whether the data not yet looked through may have the start of a record that is
    /// this part's: at most at the first byte of the next part.
    pub(super) fn may_begin_in_part(&self) -> bool {
        let data = self.bytes.data();
        let start = self.bytes.output() - data.len() as u64;
        let left = self.seam.length.saturating_sub(start);
        let left = usize::try_from(left).map_or(data.len(), |left| left.min(data.len()));
        self.format.may_begin_in(&data[..left])
    }

    pub(super) fn finish(&mut self) {
        self.finished = true;
        if self.text {
            if matches!(self.extent, Extent::Inspected { .. }) {
                self.close_seam();
            }
            return;
        }
        let first = self.seam.records.map(|(first, _)| first);
        let data_start = self.bytes.output() - self.bytes.data().len() as u64;
        let (any, end) = match self.format {
            FileFormat::Text(_) => {
                let any = self.given > 0 || !self.ends.is_empty();
                (any, data_start + self.end_of(self.available()) as u64)
            }
            // A header belongs to the part, and so do records that the format passes over.
            FileFormat::Binary(_) => (true, data_start + self.scanned as u64),
        };
        self.seam.records = first.filter(|_| any).map(|first| (first, end));
    }

    /// At the end of a part found by inspection.
    pub(super) fn close_seam(&mut self) {
        self.seam.length = self.bytes.output();
        if let Some(recorder) = &mut self.recorder {
            recorder.part_end(self.seam.length);
        }
        self.seam.disk_end = match &self.bytes {
            Bytes::Gzip(decoder) => decoder.position() / 8,
            Bytes::Raw(_) => self.seam.disk_start + self.seam.length,
        };
    }

    /// The records of an indexed part, or of one that was cut, must end where the next ones begin, and
    /// nothing but blank lines may follow the last.
    pub(super) fn check_end(&self) -> Result<(), Error> {
        if self.bytes.event() == Some(Event::End) {
            self.file.check_end_of_stream(self.format)?;
        }
        if let Extent::UpTo(_) = self.extent
            && self.scanned_to() != self.bytes.output()
        {
            return Err(self.broken_seam());
        }
        let (Some(index), false) = (&self.index, self.text) else {
            return Ok(());
        };
        let end = self.text_start.unwrap_or(0) + self.scanned_to();
        let fits = match self.expected_end {
            Some(expected) => end == expected,
            None if self.rank.map(|rank| rank + self.available() as u64)
                == Some(index.record_count) =>
            {
                !self.is_followed && self.format.may_follow(&self.bytes.data()[self.scanned..])
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

    /// The chunk is verified: of the last one of all, the members that no decoder saw whole are checked.
    pub(super) fn note_members(&mut self) -> Result<(), Error> {
        let (Some(checks), Bytes::Gzip(decoder)) = (&self.member_checks, &mut self.bytes) else {
            return Ok(());
        };
        // Those behind the part are others' to verify.
        if !self.part_done && checks.note(self.chunk, decoder.take_members()) {
            checks.check(&self.file)?;
        }
        Ok(())
    }

    /// The chunk is verified; go on if its last record reaches beyond it.
    pub(super) fn pass_chunk_end(&mut self) -> Result<(), Error> {
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
            (_, Extent::UpTo(end)) => {
                self.part_done = true;
                self.close_seam();
                // The next part begins in this block: there must be one just here.
                if self.seam.disk_end != end.disk {
                    return Err(self.broken_seam());
                }
                self.bytes.go_on();
                self.bytes.set_limit(self.seam.length + end.skip);
            }
            _ => {
                self.part_done = true;
                self.close_seam();
                self.bytes.go_on();
            }
        }
        if self.in_tail() {
            self.tail = TAIL;
            self.limit_tail();
        }
        Ok(())
    }

    /// Keep nothing of what comes behind the last wanted record, all of which have been cut, up to its chunk's checksum.
    pub(super) fn pass_over_rest(&mut self) {
        let (Extent::Ranked { records, .. }, Some(index)) = (self.extent, &self.index) else {
            return;
        };
        if self.text || self.given < records || self.is_before_end() {
            return;
        }
        if self.rank == Some(index.record_count) {
            // Nothing but blank lines may follow.
            self.is_followed |= !self.format.may_follow(&self.bytes.data()[self.scanned..]);
        }
        let rest = self.bytes.data().len();
        self.passed_over += (rest - self.scanned) as u64;
        self.bytes.skip(rest);
        self.scanned = 0;
    }

    fn broken_seam(&self) -> Error {
        Error::new(ErrorKind::BrokenSeam).in_file(self.file.path())
    }

    /// Whether "all that follow" were asked for, and the first of them is there;
    /// or at most so many.
    pub(super) fn is_open_ended(&self) -> bool {
        let Extent::Ranked { records, .. } = self.extent else {
            return false;
        };
        let is_open = records > u64::MAX / 2 && self.skip_records == 0;
        self.index.is_none() && (is_open || self.at_most)
    }

    /// The file ended although records are missing.
    pub(super) fn end_early(&mut self) -> Result<(), Error> {
        if let Extent::UpTo(_) = self.extent {
            return Err(self.broken_seam());
        }
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
}
