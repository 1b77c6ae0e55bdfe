//! Records as they lie in a buffer; nothing is copied.

use std::borrow::Cow;
use std::io::{self, Write};
use std::iter::FusedIterator;

use crate::lines::{Lines, line, trim};
use crate::{Format, OwnedRecord, fasta, fastq, fastq_multiline, name, reverse_complement};

/// A record, as a view of the buffer that holds it; equal to others of its format with the same bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    format: Format,
    bytes: &'a [u8],
    head: &'a [u8],
    sequence: &'a [u8],
    quality: Option<&'a [u8]>,
}

impl<'a> Record<'a> {
    /// The header line, without its `@` or `>` and without its end.
    #[doc(alias = "header")]
    #[inline]
    pub fn head(&self) -> &'a [u8] {
        self.head
    }

    /// The header up to the first space or tab: the name of the read.
    #[doc(alias = "name")]
    #[inline]
    pub fn id(&self) -> &'a [u8] {
        name::id(self.head)
    }

    /// What follows the first space or tab of the header; empty if there is none.
    #[doc(alias = "comment")]
    #[inline]
    pub fn description(&self) -> &'a [u8] {
        self.head.get(self.id().len() + 1..).unwrap_or_default()
    }

    /// The sequence: borrowed if it is on one line, else joined into a new buffer.
    #[doc(alias = "seq")]
    #[doc(alias = "bases")]
    #[inline]
    pub fn sequence(&self) -> Cow<'a, [u8]> {
        self.join(self.sequence)
    }

    /// The lines of the sequence, without their ends. An empty sequence has no lines.
    #[inline]
    pub fn sequence_lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        lines(self.sequence)
    }

    /// The sequence as it stands, with the ends of all lines but the last.
    #[inline]
    pub fn raw_sequence(&self) -> &'a [u8] {
        self.sequence
    }

    /// The number of bases. Linear in the sequence if it is wrapped or may be.
    #[doc(alias = "len")]
    #[inline]
    pub fn length(&self) -> usize {
        match self.is_always_on_one_line() {
            true => self.sequence.len(),
            false => lines(self.sequence).map(<[u8]>::len).sum(),
        }
    }

    /// The quality bytes (FASTQ), as many as there are bases: borrowed if on one line.
    #[doc(alias = "qual")]
    #[inline]
    pub fn quality(&self) -> Option<Cow<'a, [u8]>> {
        self.quality.map(|quality| self.join(quality))
    }

    /// The lines of the quality, without their ends; none for FASTA.
    #[inline]
    pub fn quality_lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        lines(self.quality.unwrap_or_default())
    }

    /// Whether this record has qualities, as those of FASTQ have, though they may be empty.
    #[inline]
    pub fn has_qualities(&self) -> bool {
        self.quality.is_some()
    }

    /// The same record with bytes of its own, which outlive the batch.
    #[doc(alias = "to_owned")]
    pub fn into_owned(self) -> OwnedRecord {
        OwnedRecord::from(self)
    }

    /// The bases of the other strand, as [`reverse_complement`] has them.
    #[doc(alias = "revcomp")]
    pub fn reverse_complement(&self) -> Vec<u8> {
        reverse_complement(&self.sequence())
    }

    /// Write the record as it stands, with all its line ends: the last record of a file may lack one. Buffering is the
    /// caller's.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write_to(&self, output: &mut (impl Write + ?Sized)) -> io::Result<()> {
        output.write_all(self.bytes)?;
        match self.lacks_line_end() {
            true => output.write_all(b"\n"),
            false => Ok(()),
        }
    }

    /// The same, behind what is in memory.
    #[inline]
    pub fn append_to(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(self.bytes);
        if self.lacks_line_end() {
            text.push(b'\n');
        }
    }

    /// Whether it ends with its file, without the end of its last line. That line may be an empty one, of qualities: what
    /// follows without a line end between would be taken for them.
    #[inline]
    pub fn lacks_line_end(&self) -> bool {
        let has_empty_quality = self.quality.is_some_and(<[u8]>::is_empty);
        !self.bytes.ends_with(b"\n") || has_empty_quality && self.ends_with_plus_line()
    }

    /// Whether its last line is the one with `+`. Nothing but an empty line may stand behind that where there are no bases.
    #[cold]
    fn ends_with_plus_line(&self) -> bool {
        let lines = self.bytes.strip_suffix(b"\n").unwrap_or(self.bytes);
        let start = memchr::memrchr(b'\n', lines).map_or(0, |end| end + 1);
        lines[start..].starts_with(b"+")
    }

    /// The whole record as it stands, with its last line end if there is one.
    #[inline]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Whether sequence and quality are on one line each, without a line end inside. Linear in the sequence, unless the
    /// format says so.
    #[inline]
    pub fn is_on_one_line(&self) -> bool {
        let is_one = |field: &[u8]| memchr::memchr(b'\n', field).is_none();
        self.is_always_on_one_line() || is_one(self.sequence) && self.quality.is_none_or(is_one)
    }

    /// The same because the format says so: nobody need look.
    #[inline]
    fn is_always_on_one_line(&self) -> bool {
        self.format == Format::Fastq
    }

    #[inline]
    fn join(&self, field: &'a [u8]) -> Cow<'a, [u8]> {
        match self.is_always_on_one_line() {
            true => Cow::Borrowed(field),
            false => join(field),
        }
    }
}

/// The lines of a field, without their ends.
#[inline]
fn lines(field: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(field).filter(|field| !field.is_empty());
    std::iter::from_fn(move || {
        let field = rest?;
        match memchr::memchr(b'\n', field) {
            Some(end) => {
                rest = Some(&field[end + 1..]);
                Some(trim(&field[..end]))
            }
            None => {
                // The field ends without a line end, which was taken off before.
                rest = None;
                Some(field)
            }
        }
    })
}

fn join(field: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\n', field).is_none() {
        return Cow::Borrowed(field);
    }
    let mut joined = Vec::with_capacity(field.len());
    lines(field).for_each(|line| joined.extend_from_slice(line));
    Cow::Owned(joined)
}

/// The records of a buffer, in order.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    data: &'a [u8],
    start: usize,
    format: Format,
    ends: &'a [u32],
}

impl<'a> Records<'a> {
    /// The records that [`Scanner::scan`](crate::Scanner::scan) found in `data`.
    ///
    /// `start` is where the first one starts; `ends` are the positions that the scanner appended
    /// for them, [`Format::ends_per_record`] for each. Costs nothing.
    ///
    /// # Panics
    ///
    /// If the number of positions is not a multiple of that. Positions that no scanner found in
    /// these data make later calls panic or give other slices of `data`.
    #[inline]
    pub fn new(data: &'a [u8], start: usize, format: Format, ends: &'a [u32]) -> Self {
        assert!(
            ends.len().is_multiple_of(format.ends_per_record()),
            "positions of part of a record"
        );
        Records {
            data,
            start,
            format,
            ends,
        }
    }

    /// The data that hold them.
    #[inline]
    pub(crate) fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Where the first of those that are left starts in the data.
    #[inline]
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// The positions of those that are left.
    #[inline]
    pub(crate) fn ends(&self) -> &'a [u32] {
        self.ends
    }

    /// Whether each sequence, and each line of qualities, is on one line: so they have no line end inside. Linear in the
    /// sequences, unless the format says so.
    pub fn are_on_one_line(mut self) -> bool {
        self.format == Format::Fastq || self.all(|record| record.is_on_one_line())
    }

    /// The format of the records.
    #[inline]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The bytes of all records that are left, in one piece.
    #[inline]
    pub fn as_bytes(&self) -> &'a [u8] {
        match self.ends.last() {
            Some(&end) => &self.data[self.start..self.data.len().min(end as usize + 1)],
            None => &[],
        }
    }

    /// The record `index` of those that are left, counted from 0; `None` beyond the last.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Record<'a>> {
        let width = self.format.ends_per_record();
        let first = index.checked_mul(width)?;
        let ends = self.ends.get(first..first.checked_add(width)?)?;
        let start = match first.checked_sub(1) {
            Some(before) => self.ends[before] as usize + 1,
            None => self.start,
        };
        Some(self.record(start, ends))
    }

    /// The first `count` records (all, if there are fewer), and the others.
    #[inline]
    pub fn split_at(&self, count: usize) -> (Records<'a>, Records<'a>) {
        let middle = count
            .saturating_mul(self.format.ends_per_record())
            .min(self.ends.len());
        let (before, after) = self.ends.split_at(middle);
        let start = before.last().map_or(self.start, |&end| end as usize + 1);
        (
            Records {
                ends: before,
                ..*self
            },
            Records {
                start: start.min(self.data.len()),
                ends: after,
                ..*self
            },
        )
    }

    /// The header lines, without `@` or `>`, for who needs nothing else.
    #[inline]
    pub fn heads(self) -> impl Iterator<Item = &'a [u8]> {
        let mut start = self.start;
        let ends = self.ends.chunks_exact(self.format.ends_per_record());
        ends.map(move |ends| {
            let head = line(self.data, start + 1, ends[0]);
            start = ends[ends.len() - 1] as usize + 1;
            head
        })
    }

    /// The sequences of [`Format::Fastq`] (of no other format), for kernels that take many lines.
    #[inline(always)]
    pub fn one_line_sequences(self) -> impl Iterator<Item = &'a [u8]> {
        debug_assert_eq!(self.format, Format::Fastq);
        self.ends
            .as_chunks::<4>()
            .0
            .iter()
            .map(move |ends| trim(&self.data[ends[0] as usize + 1..ends[1] as usize]))
    }

    /// The qualities of [`Format::Fastq`], likewise.
    #[inline(always)]
    pub fn one_line_qualities(self) -> impl Iterator<Item = &'a [u8]> {
        debug_assert_eq!(self.format, Format::Fastq);
        self.ends
            .as_chunks::<4>()
            .0
            .iter()
            .map(move |ends| trim(&self.data[ends[2] as usize + 1..ends[3] as usize]))
    }

    // What is not asked of a record costs nothing only where this is seen.
    #[inline(always)]
    fn record(&self, start: usize, ends: &[u32]) -> Record<'a> {
        let last = ends[ends.len() - 1] as usize;
        let Lines {
            head,
            sequence,
            quality,
        } = match self.format {
            Format::Fastq => fastq::view(self.data, start, ends),
            Format::FastqMultiline => fastq_multiline::view(self.data, start, ends),
            Format::Fasta => fasta::view(self.data, start, ends),
        };
        Record {
            format: self.format,
            bytes: &self.data[start..self.data.len().min(last + 1)],
            head,
            sequence,
            quality,
        }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    // See `record`.
    #[inline(always)]
    fn next(&mut self) -> Option<Record<'a>> {
        let (ends, rest) = self.ends.split_at_checked(self.format.ends_per_record())?;
        let record = self.record(self.start, ends);
        self.start = ends[ends.len() - 1] as usize + 1;
        self.ends = rest;
        Some(record)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let length = self.ends.len() / self.format.ends_per_record();
        (length, Some(length))
    }
}

impl ExactSizeIterator for Records<'_> {}
impl FusedIterator for Records<'_> {}
