//! FASTQ and FASTA records, shared out between cores.
//!
//! In the order in which data meet them:
//!
//! - `file`, `given`, [`KeptStreams`], `compression`, [`FileKind`], `open`: what a file, or a reader of the caller's, is, told from its content; `index_places`: where its
//!   index lies.
//! - [`portions`]: which portion of each file a shard of several has.
//! - `request`, `plan`, `section`: how the records of a file, or of several in
//!   step, are shared out: by the chunks of an index, by parts found by
//!   inspection (`members`) or by name (`cutter`), or in order (`sequential`).
//! - `bytes`, `chunk`, `raw` (and [`thalweg_gzip::Decoder`]): uncompressed bytes.
//! - [`FileText`]: the same of one file, for who wants no records.
//! - [`thalweg_formats`]: where records start and end; views of them; other formats, which a caller may give
//!   ([`ReaderOptions::format`]).
//! - `feed`, `task`: the records of one piece of work; [`RecordPiece`]s of one that is long.
//! - [`Reader`], [`Worker`], [`Batch`]: what a program sees.
//! - [`ClaimTable`], [`SharedReader`]: the same work, given out from outside, to several processes.
//! - [`Statistics`]: counts over records.
//! - [`build_index`]: one pass over a file, for all later ones; [`verify`]: whether
//!   the file is still the one that was indexed, and whole.
//!
//! No thread is started here: [`Worker`]s are driven by threads of the caller,
//! usually those of `thalweg_flow`.
#![forbid(unsafe_code)]

mod abreast;
mod batch;
mod behind_member;
mod bgzf_end;
mod bytes;
mod checks;
mod chunk;
mod claims;
mod codec_limits;
mod compression;
mod cutter;
mod error;
mod feed;
mod file;
mod first_mates;
mod foreign_letters;
mod given;
mod index_check;
mod index_places;
mod indexing;
mod kept;
mod legs;
mod listener;
mod member_checks;
mod members;
mod open;
mod piece;
mod pipes;
mod plan;
mod portions;
mod raw;
mod reader;
mod request;
mod runs;
mod seam;
mod section;
mod section_file;
mod sequential;
mod statistics;
mod task;
mod text;
mod verify;
mod waiting;

pub use batch::{Batch, Block};
pub use bgzf_end::{bgzf_end_error, lacks_bgzf_end};
pub use claims::{ClaimReport, ClaimSource, ClaimTable, ClaimedFile, SharedReader, SharedWorker};
pub use compression::Compression;
pub use error::{Error, ErrorKind};
pub use foreign_letters::ForeignLetters;
pub use index_places::{find_index, index_path, index_path_in, index_path_of};
pub use indexing::{
    Checkpoints, DEFAULT_SPAN, IndexOptions, build_index, build_index_unless, hash_file,
};
pub use kept::KeptStreams;
pub use listener::Listener;
pub use member_checks::CommonChecks;
pub use open::IndexUse;
pub use piece::RecordPiece;
pub use portions::{Portion, portions};
pub use reader::{FilePlan, Reader, ReaderOptions, Worker};
pub use seam::Seam;
pub use statistics::Statistics;
pub use text::FileText;
pub use thalweg_files::Location;
pub use thalweg_formats::{
    BinaryFormat, Boundary, Fields, FileKind, Format, FormatError, FormatErrorKind, HeaderReader,
    HeaderStep, RawRecords, Record, Records, Rendered, Scanner, Search, Span, find_record,
    same_template, sniff,
};
pub use verify::{VerifyOptions, VerifyReport, verify, verify_unless};

/// Is told bytes on disk that are done, and in all; what it was told by ends with its error.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) -> Result<(), Error> + Sync);
