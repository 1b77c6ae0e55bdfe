//! Where the bytes of two files meet, or the records of two mates: the second must not go on with the last record of the first.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_formats::{Format, FormatError, FormatErrorKind};
use thalweg_reads::{Block, Error, ErrorKind, IndexUse, ReaderOptions};

use super::last_lines::{GoesOn, LastLines};
use super::last_record::LastRecord;
use crate::repack::last_is_open;
use crate::{Batch, Control, Fault, Reads, inputs};

/// Puts files one after the other: where one lacks its last line end, the next must not continue its last record.
#[derive(Default)]
pub(super) struct Joiner {
    /// The last file as far as it was seen.
    last: Option<Seam>,
    /// Whether there was one before it.
    has_followed: bool,
}

/// How a text begins and ends; `None` for one that is empty.
pub(super) struct Seam {
    path: PathBuf,
    /// Whether it is the first of its file.
    is_first: bool,
    has_qualities: bool,
    /// Bytes of it.
    bytes: u64,
    ending: Ending,
    /// Of FASTQ that is text, its last record.
    record: Option<LastRecord>,
}

/// The end of a text.
#[derive(Clone, Copy)]
enum Ending {
    /// Of whole records, the last of which lacks the end of its last line, or does not.
    Records(bool),
    /// Of what may be a part of a record of FASTQ.
    Text(LastLines),
    /// The same of wrapped FASTQ.
    Wrapped(LastLines),
}

impl Seam {
    pub(super) fn of(batch: &Batch) -> Option<Self> {
        let first = batch.blocks().first();
        let last = batch.blocks().last();
        let (first, last) = (first?, last?);
        if last.as_bytes().is_empty() {
            return None;
        }
        Some(Self {
            path: last.path().to_owned(),
            is_first: first.text_offset() == Some(0),
            has_qualities: last.format().has_qualities(),
            bytes: (batch.blocks().iter())
                .map(|block| block.as_bytes().len() as u64)
                .sum(),
            ending: Ending::of(last),
            record: match last.records().len() {
                0 if last.format().has_qualities() => Some(LastRecord::of(last.as_bytes())),
                _ => None,
            },
        })
    }
}

impl Ending {
    fn of(block: &Block) -> Self {
        let (records, text) = (block.records(), block.as_bytes());
        match (records.len(), block.format()) {
            (0, Format::Fastq) => Self::Text(LastLines::of(text)),
            (0, Format::FastqMultiline) => Self::Wrapped(LastLines::of(text)),
            (0, _) => Self::Records(text.last() != Some(&b'\n')),
            (count, _) => {
                let last = records.get(count - 1);
                Self::Records(last.is_some_and(|last| last.lacks_line_end()))
            }
        }
    }

    fn followed_by(self, next: Self) -> Self {
        match (self, next) {
            (Self::Text(before), Self::Text(next)) => Self::Text(before.followed_by(next)),
            (Self::Wrapped(before), Self::Wrapped(next)) => Self::Wrapped(before.followed_by(next)),
            (_, next) => next,
        }
    }

    fn goes_on(self) -> GoesOn {
        match self {
            Self::Records(true) => GoesOn::Yes,
            Self::Records(false) => GoesOn::No,
            Self::Text(lines) => lines.goes_on(),
            Self::Wrapped(lines) => lines.goes_on_wrapped(),
        }
    }
}

impl Joiner {
    /// Whether a line end belongs before the text that is next.
    ///
    /// # Errors
    /// If the file before ends inside a record, or has another format; if its end must be looked at, and cannot be; if the job
    /// was cancelled.
    pub(super) fn lacks_line_end(
        &mut self,
        next: Option<Seam>,
        control: &Control,
    ) -> Result<bool, Fault> {
        let Some(next) = next else { return Ok(false) };
        let Some(last) = self.last.take() else {
            self.last = Some(next);
            return Ok(false);
        };
        if last.path == next.path && !next.is_first {
            self.last = Some(last.followed_by(next));
            return Ok(false);
        }
        if last.has_qualities != next.has_qualities {
            return Err(inputs::two_formats(&last.path, &next.path, FORMATS_HINT));
        }
        last.check_whole(control)?;
        let open = is_open(&last.path, last.ending, control);
        self.last = Some(next);
        self.has_followed = true;
        open
    }

    /// Whether a line end belongs behind the last file, if it `is_followed` by another elsewhere. One that follows another here
    /// must end behind a whole record, too.
    ///
    /// # Errors
    /// As [`lacks_line_end`](Self::lacks_line_end).
    pub(super) fn is_open(
        &self,
        is_followed: impl Fn(&Path) -> bool,
        control: &Control,
    ) -> Result<bool, Fault> {
        let Some(last) = &self.last else {
            return Ok(false);
        };
        if self.has_followed {
            last.check_whole(control)?;
        }
        match is_followed(&last.path) {
            true => is_open(&last.path, last.ending, control),
            false => Ok(false),
        }
    }
}

/// What to do with files of two formats.
pub(super) const FORMATS_HINT: &str = "write both as FASTA, with --fasta";

impl Seam {
    fn followed_by(self, next: Self) -> Self {
        Self {
            path: self.path,
            is_first: self.is_first,
            has_qualities: next.has_qualities,
            bytes: self.bytes + next.bytes,
            ending: self.ending.followed_by(next.ending),
            record: match (self.record, next.record) {
                (Some(before), Some(next)) => Some(before.followed_by(next)),
                (_, next) => next,
            },
        }
    }

    /// Refuse a text that ends inside a record: what follows would be taken for the rest of it.
    fn check_whole(&self, control: &Control) -> Result<(), Fault> {
        match &self.record {
            Some(record) if !record.is_whole() => self.find_cut(record, control),
            _ => Ok(()),
        }
    }

    /// The last lines are not those of a record of four lines: whoever reads all records knows why, and where. Of what can be
    /// read only once, nothing more is known, but that wrapped lines and empty ones may be so.
    #[cold]
    fn find_cut(&self, record: &LastRecord, control: &Control) -> Result<(), Fault> {
        if self.path.is_file() {
            let options = ReaderOptions::new().index(IndexUse::Never);
            let reads = Reads::open(options.file(&self.path).budget(Budget::new(1)))?;
            return Ok(last_is_open(reads, control).map(drop)?);
        }
        if matches!(self.ending, Ending::Wrapped(_)) || record.ends_empty() {
            return Ok(());
        }
        let error = FormatError::new(FormatErrorKind::Truncated, 0, 0, b"");
        let error = Error::new(ErrorKind::Format(error)).in_file(&self.path);
        Err(error.at_text_offset(self.bytes).into())
    }
}

fn is_open(path: &Path, ending: Ending, control: &Control) -> Result<bool, Fault> {
    match ending.goes_on() {
        GoesOn::Yes => Ok(true),
        GoesOn::No => Ok(false),
        GoesOn::Perhaps => last_record_is_open(path, control),
    }
}

/// Reads a file once more, to see whether its last record lacks the end of its last line.
#[cold]
fn last_record_is_open(path: &Path, control: &Control) -> Result<bool, Fault> {
    if !path.is_file() {
        return Err(Fault::usage(
            format!(
                "{}: can be read only once, and whether its last line is of qualities, or stands before them, must be known \
                 before another file follows",
                path.display()
            ),
            "write it to a file",
        ));
    }
    let reads = Reads::open(ReaderOptions::new().file(path).budget(Budget::new(1)))?;
    Ok(last_is_open(reads, control)?.unwrap_or(false))
}

/// Records of mates, one behind the other.
pub struct Interleaved {
    /// Their text.
    pub text: Vec<u8>,
    /// Whether the last one lacks the end of its last line.
    is_open: bool,
}

impl Interleaved {
    /// Record 0 of each file, record 1 of each, …
    pub fn of(batch: &Batch) -> Self {
        let sizes = batch
            .blocks()
            .iter()
            .map(|block| block.as_bytes().len() + 1);
        let mut text = Vec::with_capacity(sizes.sum());
        let mut files: Vec<_> = (0..batch.blocks().len())
            .map(|mate| batch.mates(mate))
            .collect();
        let mut is_open = false;
        for _ in 0..batch.len() {
            for record in files.iter_mut().filter_map(Iterator::next) {
                // Only the last record of a file may lack its line end.
                if std::mem::replace(&mut is_open, record.lacks_line_end()) {
                    text.push(b'\n');
                }
                text.extend_from_slice(record.as_bytes());
            }
        }
        Self { text, is_open }
    }
}

/// Joins interleaved batches: where files lack their last line end, it belongs between them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interleaver {
    is_open: bool,
}

impl Interleaver {
    /// Whether a line end belongs before what is next.
    pub fn lacks_line_end(&mut self, next: &Interleaved) -> bool {
        match next.text.is_empty() {
            true => false,
            false => std::mem::replace(&mut self.is_open, next.is_open),
        }
    }
}
