//! Formats whose records are no lines of text.
//!
//! ```text
//! file    header ............ | record | record | record | ...
//! slab    skipped, however     scan: where each begins and ends
//!         long it is           render: all of a slab at once, to the lines of FASTQ or FASTA
//! block   text of the records, as of a file of text; and the records as they were, for who asks
//! ```
//! Who works on records sees text, whichever format they come from. What text does not show, such as tags, a view of
//! the format's own takes from the bytes of a record ([`RawRecords`](crate::RawRecords)).

use std::fmt::Debug;

use crate::bam::BAM;
use crate::{Format, FormatError, RawRecords, Rendered};

/// A format whose records are no lines of text, and how to read it.
///
/// All verbs are called for many records at a time, so that it may be used as a trait object. They look at the bytes
/// that they are given, which may end anywhere, and keep no state: only a header's reader does.
pub trait BinaryFormat: Debug + Send + Sync {
    /// What it is called, in messages.
    fn name(&self) -> &'static str;

    /// The format of the text that [`render`](Self::render) makes: [`Format::Fastq`], or [`Format::Fasta`] without
    /// qualities. Each field is on one line.
    fn text_format(&self) -> Format;

    /// Whether data that begin with `prefix` are of this format. There may be no more than a few KiB of them.
    fn sniff(&self, prefix: &[u8]) -> bool;

    /// A reader of the header at the start of a file. It may say [`HeaderStep::End`] at once.
    fn header(&self) -> Box<dyn HeaderReader>;

    /// Find the whole records of `data[from..]`, where a record starts, and look at `limit` of them at the most.
    ///
    /// For each, two positions in `data` are appended to `ends`: of its first byte and of its last one. A record
    /// that nobody is to see may be passed over, and nothing appended; it counts for `limit`.
    ///
    /// Returns where the next record starts: at `data.len()`, or below it if `limit` is reached or more data are
    /// needed. Behind a record that is not whole yet, it is called again with the same start and more data; so it
    /// should see at its beginning how long a record is. `data` is shorter than `u32::MAX`.
    ///
    /// # Errors
    /// The first record at fault; `at_end`, also data that end inside a record. Records before it are in `ends`; as the
    /// error's record, they are counted from the first that this call has appended.
    fn scan(
        &self,
        data: &[u8],
        from: usize,
        at_end: bool,
        limit: usize,
        ends: &mut Vec<u32>,
    ) -> Result<usize, FormatError>;

    /// Find the first record that starts at `from` or later, in data that start anywhere in a file, the header included.
    ///
    /// No byte marks a record. So several in a row should be found before one is believed, or all that follow if the
    /// data end behind fewer (`at_end`). A wrong guess is noticed, as records must end where others were found to begin.
    /// While it asks for more of a record that may be one, all from there on is held: absurd lengths are none.
    fn find(&self, data: &[u8], from: usize, at_end: bool) -> Search;

    /// Whether `second` is the first of a pair, and `first`, which stands before it, the second; of two records that belong
    /// together where a file has pairs behind one another.
    fn are_turned(&self, _first: &[u8], _second: &[u8]) -> bool {
        false
    }

    /// Returns which of a pair a record is, 1 or 2; `None` if it is of no pair, or the format does not say.
    fn mate(&self, _record: &[u8]) -> Option<u8> {
        None
    }

    /// Append each of `records` to `text`, in their order, as lines of [`text_format`](Self::text_format).
    ///
    /// # Errors
    /// The first record that cannot be rendered, counted from the first of `records`.
    fn render(&self, records: RawRecords<'_>, text: &mut Rendered) -> Result<(), FormatError>;
}

/// Passes over the header of one file.
pub trait HeaderReader: Debug + Send {
    /// What is next, as `data` say, which begin where the last step led to. `at_end`: no more follow.
    ///
    /// # Errors
    /// A header at fault; its offset counts from the start of `data`.
    fn step(&mut self, data: &[u8], at_end: bool) -> Result<HeaderStep, FormatError>;
}

/// A step through a header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeaderStep {
    /// So many bytes belong to it and are of no use, and may be more than there are: ask again behind them.
    Skip(u64),
    /// The data end too early: ask again with more that begin at the same place.
    NeedMore,
    /// The first record starts here.
    End,
}

/// Where a record starts, as far as inspection tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// Here.
    Found(usize),
    /// The data end too early: ask again with more. None starts before this place.
    NeedMore(usize),
    /// No record starts here or later in the file.
    NoneLeft,
}

/// The formats of this kind that are known here.
pub const BINARY_FORMATS: &[&dyn BinaryFormat] = &[&BAM];
