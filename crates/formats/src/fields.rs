//! Where the fields of records lie, as numbers.

use std::ops::Range;

use crate::lines::trim;
use crate::{Format, Records};

/// Where the fields of a record lie in its buffer, in bytes from the buffer's start, each without its line end.
///
/// A field on several lines has the ends of all lines but the last inside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fields {
    /// The header line, without `@` or `>`.
    pub head: Span,
    /// The header up to the first space or tab.
    pub name: Span,
    /// The sequence.
    pub sequence: Span,
    /// The qualities, of formats that have some.
    pub quality: Option<Span>,
}

/// A stretch of a buffer: from its first byte to the one behind its last.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// Its first byte.
    pub start: u32,
    /// The byte behind its last.
    pub end: u32,
}

impl Span {
    /// Its bytes in `buffer`.
    ///
    /// # Panics
    /// If it reaches beyond.
    #[inline]
    pub fn of(self, buffer: &[u8]) -> &[u8] {
        &buffer[Range::from(self)]
    }

    /// Its length.
    #[inline]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it has no bytes.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl From<Span> for Range<usize> {
    #[inline]
    fn from(span: Span) -> Self {
        span.start as usize..span.end as usize
    }
}

impl<'a> Records<'a> {
    /// Where the fields of the records that are left lie in the data that [`Records::new`] was given: the same as the
    /// views of records show, for who keeps numbers.
    ///
    /// Most is known already: the headers are looked through for the end of the name.
    pub fn fields(self) -> impl ExactSizeIterator<Item = Fields> + use<'a> {
        let (data, format) = (self.data(), self.format());
        let mut start = self.start();
        let groups = self.ends().chunks_exact(format.ends_per_record());
        groups.map(move |ends| {
            let fields = Fields::of(data, format, start, ends);
            start = ends[ends.len() - 1] as usize + 1;
            fields
        })
    }
}

impl Fields {
    /// Of the record at `start` with these `ends`.
    #[inline]
    fn of(data: &[u8], format: Format, start: usize, ends: &[u32]) -> Self {
        let span = |from: usize, to: u32| {
            // An empty sequence may have no line at all: then it ends where the header does.
            let from = from.min(to as usize);
            span(from, trim(&data[from..to as usize]).len())
        };
        let head = span(start + 1, ends[0]);
        let line = span(ends[0] as usize + 1, ends[1]);
        let (sequence, quality) = match format {
            Format::Fasta => (without_blank_lines(data, line), None),
            _ => (line, Some(span(ends[2] as usize + 1, ends[3]))),
        };
        let name = crate::name::id(head.of(data)).len();
        Self {
            head,
            name: self::span(head.start as usize, name),
            sequence,
            quality,
        }
    }
}

fn span(start: usize, length: usize) -> Span {
    Span {
        start: start as u32,
        end: (start + length) as u32,
    }
}

/// Blank lines after a sequence are no lines of it.
fn without_blank_lines(data: &[u8], field: Span) -> Span {
    let blank = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let last = field.of(data).iter().rposition(|byte| !blank(byte));
    span(field.start as usize, last.map_or(0, |last| last + 1))
}
