//! Formats of sequencing reads: FASTQ, FASTQ on many lines, and FASTA.
//!
//! In the order in which bytes meet them:
//!
//! - [`FileKind`], [`sniff`]: what data are, told from their first bytes.
//! - `fastq`, `fastq_multiline`, `fasta`: a file for each format, with the same verbs: *scan* finds the ends of
//!   whole records in data that grow, *find* the first record in data that start anywhere.
//! - [`Scanner`], [`find_record`]: these verbs for any [`Format`].
//! - [`Records`], [`Record`]: views of what was found; nothing is copied.
//! - [`letters`], [`has_foreign_letters`]: what may stand in sequences and qualities.
//! - [`name`], [`MateNames`]: what names say of mates.
//! - [`lines`]: how lines end.
//!
//! Bytes in, positions and views out: no files, no threads, no decompression.
#![forbid(unsafe_code)]

mod error;
mod fasta;
mod fastq;
mod fastq_multiline;
mod file_kind;
mod foreign_letters;
mod format;
pub mod letters;
pub mod lines;
mod mates;
pub mod name;
mod record;
mod scanner;

pub use error::{FormatError, FormatErrorKind};
pub use file_kind::FileKind;
pub use foreign_letters::{has_foreign_letters, is_foreign_letter};
pub use format::{Format, sniff};
pub use mates::{MateNames, may_be_mates};
pub use name::same_template;
pub use record::{Record, Records};
pub use scanner::{Boundary, Scanner, find_record};
