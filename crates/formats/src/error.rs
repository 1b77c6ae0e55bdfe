//! What is wrong with a record, and where.

use crate::lines::LineEnd;

/// A fault in sequence data, with its place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{kind}; found {found}")]
#[non_exhaustive]
pub struct FormatError {
    /// What is wrong.
    pub kind: FormatErrorKind,
    /// The record, counted from 0 at the first that the failing call would have appended.
    pub record: usize,
    /// The byte, in the data that were given, where the offending line starts; where the record
    /// starts if the data end inside it.
    pub offset: usize,
    /// The start of that line, escaped, in quotes.
    pub found: String,
}

/// What can be wrong with a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatErrorKind {
    /// The data start with neither `@` nor `>`.
    #[error("neither FASTQ nor FASTA: expected '@' or '>' as the first byte")]
    NotSequenceData,
    /// A FASTQ record starts with another byte than `@`.
    #[error("expected a header line that starts with '@'")]
    MissingAt,
    /// A FASTA record starts with another byte than `>`.
    #[error("expected a header line that starts with '>'")]
    MissingGreater,
    /// There is no line with `+` after the sequence of a FASTQ record.
    #[error("expected a line that starts with '+' after the sequence")]
    MissingPlus,
    /// A FASTQ record has not as many qualities as bases.
    #[error("expected as many qualities as bases: {sequence} bases, {quality} qualities")]
    LengthsDiffer {
        /// Bases.
        sequence: u64,
        /// Quality values.
        quality: u64,
    },
    /// A sequence has a blank, a control byte or one beyond ASCII, or begins with `@` or `+` (FASTQ).
    #[error("the sequence has a byte that is not a letter, {byte:#04x}")]
    StrayBase {
        /// The first such byte.
        byte: u8,
        /// Its place in the line, from 0.
        place: usize,
    },
    /// A line ends with a carriage return and no newline: what is behind it would be taken for the same line.
    #[error("a line that ends with a carriage return alone")]
    LoneReturn,
    /// A sequence of FASTA has a line that begins with `@` or `+`, as if FASTQ had been appended.
    #[error("a line of FASTQ in the sequence of a FASTA record")]
    FastqInFasta,
    /// A quality is none.
    #[error("the qualities have a byte outside of '!' to '~', {byte:#04x}")]
    StrayQuality {
        /// The first such byte.
        byte: u8,
        /// Its place in the line, from 0.
        place: usize,
    },
    /// A record of a format that is no text breaks its rules.
    #[error("a record is damaged: {0}")]
    Malformed(&'static str),
    /// The header of a file of such a format breaks its rules.
    #[error("the header is damaged: {0}")]
    MalformedHeader(&'static str),
    /// The data end inside a record.
    #[error("the data end inside a record")]
    Truncated,
    /// A record of 4 GiB or more, for which positions have no room.
    #[error("a record is longer than 4 GiB")]
    TooLong,
}

/// Bytes of a line that an error shows: enough for the name of a read.
const SHOWN: usize = 40;

impl FormatError {
    /// A fault whose line starts at `data[offset]`, of the record `record`.
    #[cold]
    pub fn new(kind: FormatErrorKind, record: usize, offset: usize, data: &[u8]) -> Self {
        let rest = data.get(offset..).unwrap_or_default();
        let end = match (kind, LineEnd::find(rest, 0)) {
            // What is behind it may not be there yet.
            (FormatErrorKind::LoneReturn, LineEnd::LoneReturn(end)) => Some(end + 1),
            _ => memchr::memchr(b'\n', rest),
        };
        let line = &rest[..end.unwrap_or(rest.len())];
        let shown = &line[..line.len().min(SHOWN)];
        let found = if rest.is_empty() {
            "the end of the data".to_owned()
        } else {
            let more = if line.len() > SHOWN { "..." } else { "" };
            format!("\"{}\"{more}", shown.escape_ascii())
        };
        FormatError {
            kind,
            record,
            offset,
            found,
        }
    }

    /// The same fault in data that begin so many bytes before those that were given.
    pub(crate) fn behind(self, bytes: usize) -> Self {
        let offset = self.offset + bytes;
        self.at(offset)
    }

    /// The same fault at another place.
    pub fn at(self, offset: usize) -> Self {
        Self { offset, ..self }
    }
}
