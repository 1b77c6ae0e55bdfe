//! Formats of sequencing reads: FASTQ, FASTQ on many lines, FASTA, and formats that are no text.
//!
//! In the order in which bytes meet them:
//!
//! - [`Mark`], [`FileKind`], [`sniff`]: what data are, told from their first bytes.
//! - `fastq`, `fastq_multiline`, `fasta`: a file for each format, with the same verbs: *sniff* tells it, *scan* finds the
//!   ends of whole records in data that grow, *find* the first record in data that start anywhere, *view* shows a record.
//! - [`BinaryFormat`]: the same verbs of a format whose records are no lines of text, and some more: its header is passed
//!   over ([`HeaderWalk`]), and records are *rendered* as text. Other crates may implement it.
//! - [`bam`]: BAM, as such a format.
//! - [`Scanner`], [`FileFormat`]: these verbs for any format, chosen once for a slab of data.
//! - [`Records`], [`Record`]: views of the text of what was found; nothing is copied. [`Fields`]: the same as numbers.
//! - [`OwnedRecord`]: a record with bytes of its own; [`reverse_complement`]: the other strand.
//! - [`RawRecords`]: the bytes of records that are no text, for views of their format's own.
//! - [`letters`], [`has_foreign_letters`], [`is_colour_space`]: what may stand in sequences and qualities.
//! - [`name`], [`MateNames`]: what names say of mates.
//! - [`lines`]: how lines end.
//!
//! Bytes in, positions and views out: no files, no threads, no decompression.
#![forbid(unsafe_code)]

pub mod bam;
mod binary;
mod colour_space;
mod error;
mod fasta;
mod fastq;
mod fastq_multiline;
mod fields;
mod file_format;
mod file_kind;
mod foreign_letters;
mod format;
mod header;
pub mod letters;
pub mod lines;
mod mark;
mod mates;
pub mod name;
mod owned;
mod raw_records;
mod record;
mod rendered;
mod scanner;

pub use binary::{BINARY_FORMATS, BinaryFormat, HeaderReader, HeaderStep, Search};
pub use colour_space::is_colour_space;
pub use error::{FormatError, FormatErrorKind};
pub use fields::{Fields, Span};
pub use file_format::FileFormat;
pub use file_kind::FileKind;
pub use foreign_letters::{has_foreign_letters, is_foreign_letter};
pub use format::{Format, sniff};
pub use header::HeaderWalk;
pub use mark::Mark;
pub use mates::{MateNames, may_be_mates};
pub use name::same_template;
pub use owned::{OwnedRecord, reverse_complement};
pub use raw_records::RawRecords;
pub use record::{Record, Records};
pub use rendered::Rendered;
pub use scanner::{Boundary, Scanner, find_record};
