//! Where the records are in the bytes that came.

use thalweg_formats::{FileFormat, Rendered, Search, letters};
use thalweg_gzip::Event;

use super::{Extent, Feed};
use crate::{Error, ErrorKind, FormatError, Records};

impl Feed {
    /// Leave out what comes before the first record.
    pub(super) fn skip_to_first(&mut self) -> Result<(), Error> {
        if !self.header.is_over() {
            self.pass_header()?;
        }
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
            match self.format.find_first(data, from, at_end) {
                Search::Found(first) => {
                    let start = self.bytes.output() - length as u64 + first as u64;
                    self.bytes.skip(first);
                    self.seeking = false;
                    self.seam.records = Some((start, start));
                }
                // A part in the middle of a long record is not kept, but for the byte before the first that may be one's.
                Search::NeedMore(first) => self.pass_over(first.saturating_sub(1)),
                Search::NoneLeft => {
                    self.pass_over(length);
                    if at_end {
                        self.seeking = false;
                    }
                }
            }
        }
        Ok(())
    }

    /// Leave out what the data have of the header.
    fn pass_header(&mut self) -> Result<(), Error> {
        let at_end = self.bytes.event() == Some(Event::End);
        let passed = self.header.pass(self.bytes.data(), at_end);
        let passed = passed.map_err(|error| self.format_error(error, 0))?;
        self.bytes.skip(passed);
        Ok(())
    }

    /// Leave out the first `length` bytes, in which no record starts. Blank lines may end a file; whether anything else
    /// belongs to a record of a part before this one, the seams tell.
    fn pass_over(&mut self, length: usize) {
        let data = self.bytes.data();
        let start = self.bytes.output() - data.len() as u64;
        let passed = self.format.trim_end(&data[..length]);
        if passed > 0 {
            self.seam.passed_over = Some(start + passed as u64);
        }
        self.bytes.skip(length);
    }

    pub(super) fn find_records(&mut self) -> Result<(), Error> {
        let at_end = self.bytes.event() == Some(Event::End);
        loop {
            let available = self.available() as u64;
            let limit = match self.extent {
                Extent::Whole | Extent::UpTo(_) => usize::MAX,
                Extent::Ranked { records, .. } => {
                    let wanted = self.skip_records + (records - self.given) - available;
                    usize::try_from(wanted).unwrap_or(usize::MAX)
                }
                Extent::Inspected { .. } if !self.part_done => usize::MAX,
                // Behind the part's end: one by one, while they start in it.
                Extent::Inspected { .. } => usize::from(self.scanned_to() <= self.seam.length),
            };
            if limit == 0 && self.is_before_end() {
                return self.pass_over_to_end(at_end);
            }
            if limit == 0 {
                return self.confirm(at_end);
            }
            let (before, scanned) = (self.ends.len(), self.scanned);
            let outcome = self.scanner.scan(
                self.bytes.data(),
                self.scanned,
                at_end,
                limit,
                &mut self.ends,
            );
            // A format may have passed over some of those that were looked at.
            let is_new = match outcome {
                Ok(next) => {
                    self.scanned = next;
                    let found = (self.ends.len() - before) / self.format.ends_per_record();
                    if found < limit {
                        self.check_length(before)?;
                    }
                    next != scanned
                }
                Err(error) => {
                    self.check_letters()?;
                    return Err(self.format_error(error, before));
                }
            };
            // Moves what was scanned, and may leave nothing of it.
            self.drop_skipped();
            let again = match self.extent {
                Extent::Inspected { .. } => self.part_done,
                Extent::Ranked { .. } => matches!(self.format, FileFormat::Binary(_)),
                Extent::Whole | Extent::UpTo(_) => false,
            };
            if !is_new || !again {
                return Ok(());
            }
        }
    }

    /// Make sure that what is there of the unfinished record is not too long, of a file whose records may be read whole only
    /// as far as a limit.
    fn check_length(&self, known: usize) -> Result<(), Error> {
        let Some(most) = self.file.longest_record() else {
            return Ok(());
        };
        let unfinished = (self.bytes.data().len() - self.scanned) as u64;
        if unfinished <= most || self.overlap.is_some() {
            return Ok(());
        }
        let before = (self.ends.len().max(known) / self.format.ends_per_record()) as u64;
        let rank = self.rank.map(|rank| rank + before);
        Err(Error::new(ErrorKind::LongRecord { most })
            .in_file(self.file.path())
            .at_record(rank))
    }

    /// Whether all wanted records of an indexed part have been found, and it ends later: a format may pass over some.
    pub(super) fn is_before_end(&self) -> bool {
        let (Extent::Ranked { records, .. }, FileFormat::Binary(_)) = (self.extent, self.format)
        else {
            return false;
        };
        let has_all = self.skip_records == 0 && self.given + self.available() as u64 == records;
        let end = self.text_start.unwrap_or(0) + self.scanned_to();
        has_all && self.expected_end.is_some_and(|expected| end < expected)
    }

    /// Look at what follows the last wanted record, as far as where the index says that the next one begins.
    fn pass_over_to_end(&mut self, at_end: bool) -> Result<(), Error> {
        let known = self.ends.len();
        while self.is_before_end() {
            let data = self.bytes.data();
            let outcome = (self.scanner).scan(data, self.scanned, at_end, 1, &mut self.ends);
            let next = outcome.map_err(|error| self.format_error(error, known))?;
            if self.ends.len() > known {
                // A record that the index does not know.
                self.ends.truncate(known);
                return self.check_end();
            }
            if next == self.scanned {
                return Ok(());
            }
            self.scanned = next;
        }
        Ok(())
    }

    /// Check the letters of the records that have been found, if somebody would do so when he has them.
    pub(super) fn check_letters(&self) -> Result<(), Error> {
        if !self.letters || self.skip_records > 0 {
            return Ok(());
        }
        let data = self.bytes.data();
        let checked = match self.format {
            FileFormat::Text(format) => {
                letters::check(data, Records::new(data, 0, format, &self.ends)).map(drop)
            }
            binary @ FileFormat::Binary(_) => check_rendered(binary, data, &self.ends),
        };
        checked.map_err(|error| self.format_error(error, 0))
    }

    /// Make sure that a record, or nothing, follows the last one of a part found
    /// by inspection: the next part would pass over a malformed one.
    pub(super) fn confirm(&mut self, at_end: bool) -> Result<(), Error> {
        let data = self.bytes.data();
        if self.confirmed || !matches!(self.extent, Extent::Inspected { .. }) {
            return Ok(());
        }
        match self.format.find_first(data, self.scanned, at_end) {
            Search::Found(next) if next == self.scanned => self.confirmed = true,
            Search::NeedMore(_) => {}
            Search::Found(_) | Search::NoneLeft => {
                let mut ends = Vec::new();
                let outcome = self
                    .scanner
                    .clone()
                    .scan(data, self.scanned, at_end, 1, &mut ends);
                match outcome {
                    Ok(next) => {
                        self.confirmed =
                            !ends.is_empty() || next == data.len() || next > self.scanned;
                    }
                    Err(error) => return Err(self.format_error(error, self.ends.len())),
                }
            }
        }
        Ok(())
    }

    /// Records before the first that is wanted leave at once.
    pub(super) fn drop_skipped(&mut self) {
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
}

/// Render records that nobody has yet, and check the letters of their text; the fault stands where its record does.
#[cold]
fn check_rendered(format: FileFormat, data: &[u8], ends: &[u32]) -> Result<(), FormatError> {
    let mut rendered = Rendered::default();
    format.render(data, ends, &mut rendered)?;
    let (text, lines) = (rendered.text(), rendered.ends());
    let records = Records::new(text, 0, format.text_format(), lines);
    let at_record = |error: FormatError| {
        let offset = ends[error.record * format.ends_per_record()] as usize;
        error.at(offset)
    };
    letters::check(text, records).map(drop).map_err(at_record)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use thalweg_gzip::{Slab, WINDOW};

    use super::*;
    use crate::Format;
    use crate::batch::{BufferPool, SLAB};
    use crate::bytes::Bytes;
    use crate::file::{Handle, InputFile};
    use crate::raw::RawStream;

    /// A part that begins in a FASTA record, of `lines` lines more, which `end` follows; and the most data that it held.
    fn largest_of_part(lines: usize, length: u64, end: &str) -> (Feed, usize) {
        let text = "ACGTTGCAGT\n".repeat(lines) + end;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, &text).unwrap();
        let file = Arc::new(InputFile::new(Handle::open(&path).unwrap()).unwrap());
        let source = Box::new(Cursor::new(text.into_bytes()));
        let bytes = Bytes::Raw(RawStream::new(source, Some(length), Slab::new(SLAB)));
        let pool = Arc::new(BufferPool::new(1));
        let mut feed = Feed::inspected(file, Format::Fasta.into(), bytes, pool, 1, None);
        let mut most = 0;
        while !feed.is_ready() {
            feed.fill_raw().unwrap();
            most = most.max(feed.bytes.data().len());
            if feed.bytes.event().is_some() {
                feed.absorb().unwrap();
            }
        }
        (feed, most)
    }

    #[test]
    fn a_part_inside_of_a_long_record_is_not_kept() {
        let lines = 4 * SLAB / 11;
        let length = 11 * lines as u64;
        // The part ends in the middle of a line, with one, and before one that would be its own.
        for length in [length / 2, length - 1, length] {
            let (feed, most) = largest_of_part(lines, length, "ACGT\n>b\nA\n");
            assert!(most <= SLAB + WINDOW, "{most}");
            assert_eq!(feed.available(), 0);
            assert!(feed.seam().records.is_none());
            assert!(feed.seam().passed_over >= Some(length - 2));
        }
        // The line that begins with the next part is this one's.
        let (feed, most) = largest_of_part(lines, length, ">b\nA\n");
        assert!(most <= SLAB + WINDOW, "{most}");
        assert_eq!(feed.available(), 1);
        assert_eq!(feed.seam().records, Some((length, length + 5)));
    }
}
