//! The format of a file: of text, or of another kind.

use crate::lines::is_blank;
use crate::{
    BinaryFormat, Format, FormatError, FormatErrorKind, HeaderWalk, RawRecords, Rendered, Search,
    fasta, fastq, fastq_multiline,
};

/// How records lie in the bytes of a file.
///
/// Its verbs are for a slab of bytes each: what is chosen here is chosen once for many records.
#[derive(Clone, Copy, Debug)]
pub enum FileFormat {
    /// As lines of text.
    Text(Format),
    /// Otherwise; they become lines of text when they are rendered.
    Binary(&'static dyn BinaryFormat),
}

impl From<Format> for FileFormat {
    #[inline]
    fn from(format: Format) -> Self {
        Self::Text(format)
    }
}

/// Those that are no text are the same if they are called the same, however their records are rendered.
impl PartialEq for FileFormat {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(format), Self::Text(other)) => format == other,
            (Self::Binary(format), Self::Binary(other)) => format.name() == other.name(),
            _ => false,
        }
    }
}

impl Eq for FileFormat {}

impl PartialEq<Format> for FileFormat {
    fn eq(&self, other: &Format) -> bool {
        matches!(self, Self::Text(format) if format == other)
    }
}

impl FileFormat {
    /// The format of the records' text, rendered if need be.
    #[inline]
    pub fn text_format(self) -> Format {
        match self {
            Self::Text(format) => format,
            Self::Binary(format) => format.text_format(),
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text(format) => format.name(),
            Self::Binary(format) => format.name(),
        }
    }

    /// Whether [`find_first`](Self::find_first) finds records: else a file is read from its start.
    pub fn has_boundaries(self) -> bool {
        self != Format::FastqMultiline
    }

    /// Positions that a [`Scanner`](crate::Scanner) appends for each record. The next record starts behind the last of them.
    #[inline]
    pub fn ends_per_record(self) -> usize {
        match self {
            Self::Text(format) => format.ends_per_record(),
            Self::Binary(_) => 2,
        }
    }

    /// Where record `record` of those that `ends` are of starts in the data, which begin with the first or what is passed over
    /// before it.
    #[inline]
    pub fn start_of(self, ends: &[u32], record: usize) -> usize {
        match self {
            Self::Text(format) => match (record * format.ends_per_record()).checked_sub(1) {
                Some(before) => ends[before] as usize + 1,
                None => 0,
            },
            Self::Binary(_) => ends[2 * record] as usize,
        }
    }

    /// The way through the header of a file; it is over at once for text.
    pub fn header(self) -> HeaderWalk {
        match self {
            Self::Text(_) => HeaderWalk::default(),
            Self::Binary(format) => HeaderWalk::new(format.header()),
        }
    }

    /// Find the first record that starts at `from` or later: [`find_record`](crate::find_record) of any format, which also says what of the
    /// data need not be kept.
    ///
    /// # Panics
    /// If `from` is beyond `data`.
    pub fn find_first(self, data: &[u8], from: usize, at_end: bool) -> Search {
        assert!(from <= data.len(), "from is beyond the data");
        match self {
            Self::Text(Format::Fastq) => fastq::find(data, from, at_end),
            Self::Text(Format::FastqMultiline) => fastq_multiline::find(),
            Self::Text(Format::Fasta) => fasta::find(data, from, at_end),
            Self::Binary(format) => format.find(data, from, at_end),
        }
    }

    /// Whether a record may start in `data` behind its first byte, of data that start anywhere.
    pub fn may_begin_in(self, data: &[u8]) -> bool {
        match self {
            Self::Text(_) => memchr::memchr(b'\n', data).is_some(),
            Self::Binary(_) => !data.is_empty(),
        }
    }

    /// Where what may stand behind the last record begins: for text, the blank lines at the end of `data`.
    pub fn trim_end(self, data: &[u8]) -> usize {
        let blank = |byte: &u8| matches!(byte, b'\r' | b'\n');
        match self {
            Self::Text(_) => data
                .iter()
                .rposition(|byte| !blank(byte))
                .map_or(0, |last| last + 1),
            Self::Binary(_) => data.len(),
        }
    }

    /// Whether `rest` may stand behind the last record.
    pub fn may_follow(self, rest: &[u8]) -> bool {
        match self {
            Self::Text(_) => is_blank(rest),
            Self::Binary(_) => rest.is_empty(),
        }
    }

    /// Make text of records that are none, in place of what `rendered` has. `ends` are what a scanner gave for `data`.
    ///
    /// # Errors
    /// Those of the format; [`FormatErrorKind::TooLong`] if positions of the text do not fit 32 bits.
    ///
    /// # Panics
    /// If the format does not render all records.
    pub fn render(
        self,
        data: &[u8],
        ends: &[u32],
        rendered: &mut Rendered,
    ) -> Result<(), FormatError> {
        rendered.clear();
        let Self::Binary(format) = self else {
            return Ok(());
        };
        let records = RawRecords::new(data, ends);
        format.render(records, rendered)?;
        let lines = records.len() * format.text_format().ends_per_record();
        assert_eq!(rendered.ends().len(), lines, "lines of {}", format.name());
        match u32::try_from(rendered.text().len()) {
            Ok(_) => Ok(()),
            Err(_) => Err(FormatError::new(FormatErrorKind::TooLong, 0, 0, data)),
        }
    }
}
