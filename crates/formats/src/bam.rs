//! BAM: reads, aligned or not, in binary records (SAM specification, section 4.2).
//!
//! ```text
//! file    "BAM\1" | u32 length of the text | text | u32 references | for each: u32 length, name, u32 bases | records
//! record  see layout.rs
//! ```
//! As text, a record is what `samtools fastq` prints of it: as it came off the sequencer, so records on the reverse strand
//! are turned back, and of a read that is there several times the primary record alone.

mod header;
mod layout;
mod letters;
mod number;
mod record;
mod tag_text;
mod tags;
mod write;

use std::sync::{Mutex, PoisonError};

pub use record::{BamRecord, Flags};
pub use tags::{BamTag, BamTags};
pub use write::{BamMate, BamWriteError, BamWriter};

use crate::{
    BinaryFormat, Format, FormatError, FormatErrorKind, HeaderReader, RawRecords, Rendered, Search,
};
use header::Header;
use layout::Look;

/// BAM with the usual options: [`BamOptions::new`].
pub static BAM: Bam = Bam::new(BamOptions::new());

/// Records in a row that make one be believed.
const IN_A_ROW: usize = 3;

/// BAM, and how its records become FASTQ.
#[derive(Clone, Debug)]
pub struct Bam {
    options: BamOptions,
}

impl Bam {
    /// With these options, for as long as the process lives, as what reads by it may. Whoever asks for the same options gets the
    /// same once more, so that a program takes memory for each different choice, and not for each job.
    pub fn shared(options: &BamOptions) -> &'static Self {
        static ALL: Mutex<Vec<&'static Bam>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.iter().find(|bam| bam.options == *options);
        known.copied().unwrap_or_else(|| {
            let bam: &'static Self = Box::leak(Box::new(Self::new(options.clone())));
            all.push(bam);
            bam
        })
    }
}

/// How records become FASTQ, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BamOptions {
    /// Records with one of these flags are passed over. With other ones than [`new`](Self::new) gives, records have
    /// other ranks than in an index that was made with those.
    pub hidden: u16,
    /// Whether `/1` or `/2` is added to names, where the flags say that a record is the first or the second of a pair.
    pub with_mate: bool,
    /// Which tags follow the name, each behind a tab, as SAM has them.
    pub tags: TagChoice,
    /// The letter for each quality of a record that has none.
    pub missing_quality: u8,
    /// Whether qualities are those of the tag `OQ`, before they were recalibrated, where a record has it.
    pub original_qualities: bool,
}

/// Which tags are wanted; always in the order of the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagChoice {
    /// None.
    None,
    /// Those of these names.
    These(Vec<[u8; 2]>),
    /// All.
    All,
}

impl TagChoice {
    fn has(&self, name: [u8; 2]) -> bool {
        match self {
            Self::None => false,
            Self::These(names) => names.contains(&name),
            Self::All => true,
        }
    }
}

impl BamOptions {
    /// Those of `samtools fastq FILE`: neither secondary nor supplementary records, `/1` and `/2`, no tags, and `B` for a
    /// quality that is missing.
    pub const fn new() -> Self {
        Self {
            hidden: Flags::SECONDARY | Flags::SUPPLEMENTARY,
            with_mate: true,
            tags: TagChoice::None,
            missing_quality: b'B',
            original_qualities: false,
        }
    }
}

impl Default for BamOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl Bam {
    /// BAM whose records become FASTQ so.
    pub const fn new(options: BamOptions) -> Self {
        Self { options }
    }

    /// Append the header line of `record`, without its `@`.
    fn head(&self, record: BamRecord<'_>, line: &mut Vec<u8>) -> Result<(), &'static str> {
        line.extend_from_slice(record.name());
        if self.options.with_mate {
            line.extend_from_slice(match record.flags().mate() {
                Some(1) => b"/1",
                Some(_) => b"/2",
                None => b"",
            });
        }
        if self.options.tags == TagChoice::None {
            return Ok(());
        }
        for tag in record.tags() {
            let tag = tag?;
            if self.options.tags.has(tag.name()) {
                line.push(b'\t');
                tag.write(line)?;
            }
        }
        Ok(())
    }

    /// Append the line of qualities.
    fn qualities(&self, record: BamRecord<'_>, line: &mut Vec<u8>) -> Result<(), &'static str> {
        if self.options.original_qualities
            && let Some(tag) = record.tag(*b"OQ")?
            && let Some(original) = tag.text()
        {
            if original.len() != record.bases() {
                return Err("its tag OQ has not as many qualities as there are bases");
            }
            if !original.iter().all(u8::is_ascii_graphic) {
                return Err("its tag OQ has what is not a quality");
            }
            match record.flags().is_reverse() {
                true => line.extend(original.iter().rev()),
                false => line.extend_from_slice(original),
            }
            return Ok(());
        }
        record.write_qualities(self.options.missing_quality, line)
    }
}

/// Whether a record starts at `data`; `None` if more of them must be known.
fn is_record(mut data: &[u8], at_end: bool) -> Option<bool> {
    for _ in 0..IN_A_ROW {
        match layout::look(data) {
            Look::Record(length) => data = &data[length..],
            Look::Part if !at_end => return None,
            Look::Part | Look::No(_) => return Some(false),
        }
        if data.is_empty() && at_end {
            break;
        }
    }
    Some(true)
}

impl BinaryFormat for Bam {
    fn name(&self) -> &'static str {
        "BAM"
    }

    fn text_format(&self) -> Format {
        Format::Fastq
    }

    fn sniff(&self, prefix: &[u8]) -> bool {
        prefix.starts_with(header::MAGIC)
    }

    fn header(&self) -> Box<dyn HeaderReader> {
        Box::new(Header::default())
    }

    fn scan(
        &self,
        data: &[u8],
        from: usize,
        at_end: bool,
        limit: usize,
        ends: &mut Vec<u32>,
    ) -> Result<usize, FormatError> {
        let before = ends.len();
        let mut start = from;
        for _ in 0..limit {
            if start == data.len() {
                break;
            }
            let kind = match layout::look(&data[start..]) {
                Look::Record(length) => {
                    let record = BamRecord::new(&data[start..start + length]);
                    if !record.flags().has(self.options.hidden) {
                        ends.extend([start, start + length - 1].map(|place| place as u32));
                    }
                    start += length;
                    continue;
                }
                Look::Part if !at_end => break,
                Look::Part => FormatErrorKind::Truncated,
                Look::No(why) => FormatErrorKind::Malformed(why),
            };
            let record = (ends.len() - before) / 2;
            return Err(FormatError::new(kind, record, start, data));
        }
        Ok(start)
    }

    fn find(&self, data: &[u8], from: usize, at_end: bool) -> Search {
        for start in from..data.len() {
            match is_record(&data[start..], at_end) {
                Some(true) => return Search::Found(start),
                Some(false) => {}
                None => return Search::NeedMore(start),
            }
        }
        match at_end {
            true => Search::NoneLeft,
            false => Search::NeedMore(data.len()),
        }
    }

    fn are_turned(&self, first: &[u8], second: &[u8]) -> bool {
        [first, second].map(|record| self.mate(record)) == [Some(2), Some(1)]
    }

    fn mate(&self, record: &[u8]) -> Option<u8> {
        BamRecord::new(record).flags().mate()
    }

    fn render(&self, records: RawRecords<'_>, text: &mut Rendered) -> Result<(), FormatError> {
        for (number, bytes) in records.enumerate() {
            let record = BamRecord::new(bytes);
            let mut fault = None;
            text.line(|line| {
                line.push(b'@');
                fault = self.head(record, line).err();
            });
            text.line(|line| record.write_sequence(line));
            text.line(|line| line.push(b'+'));
            text.line(|line| fault = fault.or(self.qualities(record, line).err()));
            if let Some(why) = fault {
                let offset = bytes.as_ptr().addr() - records.data().as_ptr().addr();
                let kind = FormatErrorKind::Malformed(why);
                return Err(FormatError::new(kind, number, offset, records.data()));
            }
        }
        Ok(())
    }
}
