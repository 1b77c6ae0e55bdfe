//! Whole records in data that grow, and the first record in data that start anywhere.

use crate::{
    BinaryFormat, FileFormat, Format, FormatError, FormatErrorKind, Search, fasta, fastq,
    fastq_multiline,
};

/// Finds whole records in data that start at a record.
///
/// It remembers how much of an unfinished record it has seen, so that a read of a gigabyte that
/// arrives in small pieces is looked at once. What it remembers belongs to the record at which the
/// last call stopped: the next call continues with that record (its data may have moved in
/// memory), or [`reset`](Scanner::reset) comes first.
///
/// ```
/// use thalweg_formats::{Format, Records, Scanner};
///
/// let data = b"@a\nACGT\n+\nIIII\n@b\nAC\n+";
/// let mut ends = Vec::new();
/// let next = Scanner::new(Format::Fastq).scan(data, 0, false, usize::MAX, &mut ends)?;
/// // The first record is whole; the second starts at 15 and needs more data.
/// assert_eq!(next, 15);
/// let mut records = Records::new(data, 0, Format::Fastq, &ends);
/// assert_eq!(records.next().unwrap().id(), b"a");
/// assert!(records.next().is_none());
/// # Ok::<(), thalweg_formats::FormatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scanner {
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Fastq(fastq::Scan),
    FastqMultiline(fastq_multiline::Scan),
    Fasta(fasta::Scan),
    /// Keeps nothing.
    Binary(&'static dyn BinaryFormat),
}

impl Scanner {
    /// A scanner for data of the given format.
    pub fn new(format: impl Into<FileFormat>) -> Self {
        let state = match format.into() {
            FileFormat::Text(Format::Fastq) => State::Fastq(fastq::Scan::default()),
            FileFormat::Text(Format::FastqMultiline) => {
                State::FastqMultiline(fastq_multiline::Scan::default())
            }
            FileFormat::Text(Format::Fasta) => State::Fasta(fasta::Scan::default()),
            FileFormat::Binary(format) => State::Binary(format),
        };
        Scanner { state }
    }

    /// The format it was made for.
    pub fn format(&self) -> FileFormat {
        match self.state {
            State::Fastq(_) => Format::Fastq.into(),
            State::FastqMultiline(_) => Format::FastqMultiline.into(),
            State::Fasta(_) => Format::Fasta.into(),
            State::Binary(format) => FileFormat::Binary(format),
        }
    }

    /// Forget the unfinished record: what comes next is other data.
    pub fn reset(&mut self) {
        *self = Scanner::new(self.format());
    }

    /// Find the whole records of `data[from..]`, at most `limit` of them (`usize::MAX`: all).
    ///
    /// `from` is where a record starts. For each record, positions in `data` are appended to
    /// `ends`: of the `\n` that ends the header, the (last) sequence line and, for FASTQ, the `+`
    /// line and the (last) quality line. A missing last `\n` counts as one after the data if
    /// `at_end` says that nothing follows. A FASTA record without sequence has the same position
    /// twice. A FASTA record is whole when the next one starts, or at the end. Of formats that are no text,
    /// [`BinaryFormat::scan`] says what they are.
    ///
    /// Returns where the next record starts. At the end of the data that is `data.len()`: blank
    /// lines after the last record are passed over (64 KiB of them at most if they come before
    /// `at_end` is known; blank lines inside FASTA belong to the record before them). A return value below `data.len()` without an error means that `limit` is
    /// reached, or that more data are needed.
    ///
    /// Time is linear in the bytes that are new since the last call. At most 32 KiB beyond the
    /// last record that `limit` allows are looked at.
    ///
    /// # Errors
    ///
    /// The first fault: a header without `@` or `>`, a missing `+`, unequal lengths of sequence and
    /// quality, a sequence of FASTQ that begins with `@` or `+`, or data that end inside a record. The whole records before it are in `ends`.
    /// [`FormatErrorKind::TooLong`] if positions do not fit 32 bits.
    ///
    /// # Panics
    ///
    /// If `from` is beyond `data`.
    pub fn scan(
        &mut self,
        data: &[u8],
        from: usize,
        at_end: bool,
        limit: usize,
        ends: &mut Vec<u32>,
    ) -> Result<usize, FormatError> {
        assert!(from <= data.len(), "from is beyond the data");
        if from > MOST {
            return Err(FormatError::new(FormatErrorKind::TooLong, 0, from, data));
        }
        let first = ends.len();
        let shown = &data[..data.len().min(MOST)];
        let all = shown.len() == data.len();
        let next = match &mut self.state {
            State::Fastq(scan) => scan.scan(shown, from, at_end && all, limit, ends),
            State::FastqMultiline(scan) => scan.scan(shown, from, at_end && all, limit, ends),
            State::Fasta(scan) => scan.scan(shown, from, at_end && all, limit, ends),
            State::Binary(format) => format.scan(shown, from, at_end && all, limit, ends),
        }?;
        if !all && ends.len() == first && next == from && limit > 0 {
            return Err(FormatError::new(FormatErrorKind::TooLong, 0, from, shown));
        }
        Ok(next)
    }
}

/// Bytes that positions of 32 bits can tell apart.
const MOST: usize = u32::MAX as usize;

/// Where a record starts, as far as inspection tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Boundary {
    /// Here.
    Found(usize),
    /// The data end too early: ask again with more.
    NeedMore,
    /// No record starts here or later in the file.
    NoneLeft,
}

/// Find the first record that starts at `from` or later, in data that start anywhere in a file.
///
/// `data[from - 1]` tells whether a line starts at `from`; with `from` = 0, one does. `at_end` says
/// that the file ends with the data.
///
/// FASTQ: the first line that starts with `@`, whose next but one starts with `+`, and whose
/// sequence and quality have equal lengths. In well-formed data nothing else looks like that: a
/// sequence cannot start with `@`; a `+` line starts with `+`; and if a quality line starts with
/// `@`, the line after it is a header, and the next but one a sequence, which cannot start with `+`
/// (an empty one starts with nothing). FASTA: a `>` at the start of a line. Records of
/// [`Format::FastqMultiline`] cannot be told by inspection: always [`Boundary::NoneLeft`], so that
/// whoever reads from the start keeps the whole file.
///
/// Where sequence and quality of a record differ in length, that record is passed over: the reader
/// of the part before it meets it, and reports it.
///
/// # Panics
///
/// If `from` is beyond `data`.
pub fn find_record(format: Format, data: &[u8], from: usize, at_end: bool) -> Boundary {
    match FileFormat::from(format).find_first(data, from, at_end) {
        Search::Found(start) => Boundary::Found(start),
        Search::NeedMore(_) => Boundary::NeedMore,
        Search::NoneLeft => Boundary::NoneLeft,
    }
}
