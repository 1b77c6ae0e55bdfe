//! Where the bytes of two files meet, or the records of two mates: the second must not go on with the last record of the first.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_formats::Format;
use thalweg_reads::{Block, ReaderOptions};

use super::last_lines::{GoesOn, LastLines};
use crate::repack::last_is_open;
use crate::{Batch, Control, Fault, Reads};

/// Puts files one after the other: where one lacks its last line end, the next must not continue its last record.
#[derive(Default)]
pub(super) struct Joiner {
    /// The file of the last text, and its end so far.
    last: Option<(PathBuf, Ending)>,
}

/// How a text begins and ends; `None` for one that is empty.
pub(super) struct Seam {
    path: PathBuf,
    /// Whether it is the first of its file.
    is_first: bool,
    ending: Ending,
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
            ending: Ending::of(last),
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
    /// If the end of the file before must be looked at, and cannot be; if the job was cancelled.
    pub(super) fn lacks_line_end(
        &mut self,
        next: Option<Seam>,
        control: &Control,
    ) -> Result<bool, Fault> {
        let Some(next) = next else { return Ok(false) };
        let Some((path, ending)) = self.last.take() else {
            self.last = Some((next.path, next.ending));
            return Ok(false);
        };
        if path == next.path && !next.is_first {
            self.last = Some((path, ending.followed_by(next.ending)));
            return Ok(false);
        }
        self.last = Some((next.path, next.ending));
        is_open(&path, ending, control)
    }

    /// Whether a line end belongs behind the last file, if it `is_followed` by another elsewhere.
    ///
    /// # Errors
    /// As [`lacks_line_end`](Self::lacks_line_end).
    pub(super) fn is_open(
        &self,
        is_followed: impl Fn(&Path) -> bool,
        control: &Control,
    ) -> Result<bool, Fault> {
        match &self.last {
            Some((path, ending)) if is_followed(path) => is_open(path, *ending, control),
            _ => Ok(false),
        }
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
