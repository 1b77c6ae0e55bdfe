//! Every core its own record-aligned share of sequencing reads.
//!
//! thalweg reads FASTQ, FASTA and BAM, plain or compressed with gzip, BGZF, zstd,
//! bzip2 or xz, from files, pipes and the standard input. With a small index
//! beside an unmodified `.gz` file (made once, by `thalweg index` or
//! [`build_index`]) all cores decode their own part of it; without one, reading
//! is as parallel as the file allows.
//!
//! ```no_run
//! let bases = thalweg::open(["sample.fastq.gz"])?
//!     .workers(8)
//!     .fold(|| 0, |sum, batch| {
//!         *sum += batch.records().map(|record| record.length() as u64).sum::<u64>();
//!     }, |sum, other| *sum += other)?;
//! println!("{bases} bases");
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! Principal types:
//!
//! - [`open`], [`open_mates`], [`open_reader`] and [`Reads`]: what is read. [`ReaderOptions`] has all choices.
//! - [`Workers`]: how batches come: [`fold`](Workers::fold) in parallel,
//!   [`map_in_order`](Workers::map_in_order) in parallel with results in input
//!   order, or as an iterator of batches in input order.
//! - [`Batch`] and [`Record`]: views of records that copy nothing. [`OwnedRecord`]: a record to keep.
//! - [`byte_stream`]: the uncompressed bytes of a file, for parsers of others.
//! - [`filter_reads`], [`filter_pairs`]: the reads that a function wants, to a file, in order.
//! - [`Statistics`]: counts over records.
//! - [`formats`]: where records start and end in bytes; formats of one's own.
//! - [`flow`], [`sharing`]: what the reader is built of, for who builds another.
//!
//! # Jobs
//! What the command does, as plain settings with their defaults, and a `run` that prints nothing. Each is told a
//! [`Control`]: who hears how far it is and what it says, and a flag that stops it. A [`Fault`] says why it did not
//! succeed, and what to do.
//!
//! - [`info`]: what files are, and how they would be read; [`index`]: indexes of gzip files; [`verify`](mod@verify): whether
//!   files are what they were, and whole.
//! - [`stats`]: reads, bases, letters and lengths of files.
//! - [`copy`]: files behind one another, or records of some ranks; [`repack`]: records chosen by name, motif or at random, and
//!   packed anew.
//! - [`clean`]: reads that are judged, trimmed and filtered, and reports on them. [`fastqc`]: FastQC's.
//! - [`count`]: k-mers of files; [`databases`]: what their databases are for, from spectra and look-ups to sums and reads that one
//!   has k-mers of.
//! - [`taxa`]: databases of the k-mers of genomes; [`classify`]: which organisms reads are of.
//! - [`trace`]: what jobs saw and decided, as records for other programs; such a file as lines, sums or a table.
//! - [`inputs`], [`notes`]: what all of them ask and say of their files.
//!
//! # Features
//! The command is the feature `cli`, which is on unless a library's manifest says `default-features = false`, and brings
//! in all others:
//!
//! - `qc`: modules [`qc`], steps that judge and change reads, and [`clean`], which takes files through them; with it come
//!   `fastqc`, `kmers` and `trace`.
//! - `fastqc`: module [`fastqc`], FastQC's report.
//! - `kmers`: modules [`kmers`], [`count`] and [`databases`].
//! - `taxa`: modules [`taxa`] and [`classify`], labels of reads and their databases; with it comes `trace`.
//! - `trace`: module [`trace`], what jobs saw and decided.
//! - `zstd`, `bzip2`, `xz`: files of these formats. Without its feature such a file is an error that names it.
//!
//! Reading and writing FASTQ, FASTA, BAM, gzip and BGZF, and indexes, are always there. A C compiler is needed in any
//! case, for libdeflate and BLAKE3; `zstd` and `xz` compile large libraries in C besides.
//!
//! # Order and errors
//! The records are the same for every number of threads, and in the same order
//! wherever there is an order. Everything that is wrong with the input (cut off
//! or damaged files, mates that do not match, an index of another file) ends in
//! an [`Error`] that names file, record and byte. BGZF that was truncated between
//! two blocks lacks its last one: of BAM that is an error, of text see [`lacks_bgzf_end`].
#![forbid(unsafe_code)]

mod batches;
mod byte_stream;
#[cfg(feature = "taxa")]
pub mod classify;
#[cfg(feature = "qc")]
pub mod clean;
mod control;
pub mod copy;
#[cfg(feature = "kmers")]
pub mod count;
#[cfg(feature = "kmers")]
pub mod databases;
#[cfg(feature = "fastqc")]
pub mod fastqc;
mod fault;
pub mod hints;
pub mod index;
pub mod info;
pub mod inputs;
#[cfg(any(feature = "kmers", feature = "taxa"))]
mod memory;
pub mod notes;
mod output_file;
mod reads;
pub mod repack;
pub mod sharing;
mod source;
#[cfg(any(feature = "kmers", feature = "trace"))]
mod standard_input;
pub mod stats;
#[cfg(feature = "kmers")]
mod stoppable;
#[cfg(feature = "taxa")]
pub mod taxa;
mod templates;
#[cfg(feature = "trace")]
pub mod trace;
mod turns;
pub mod verify;
mod workers;

pub use batches::Batches;
pub use byte_stream::{ByteStream, byte_stream};
pub use control::{Control, Message, MessageKind};
pub use fault::{Fault, Outcomes};
pub use output_file::{Compressors, OutputFile};
pub use reads::{Reads, open, open_mates, open_reader};
pub use repack::{filter_pairs, filter_reads};
pub use sharing::Shard;
pub use source::Source;
pub use templates::{BatchOfTemplates, SortedReads, TemplateJoiner};
pub use thalweg_files as files;
pub use thalweg_flow as flow;
pub use thalweg_flow::Budget;
pub use thalweg_formats as formats;
pub use thalweg_formats::{OwnedRecord, reverse_complement};
pub use thalweg_gzip::active_kernel;
#[cfg(feature = "kmers")]
pub use thalweg_kmers as kmers;
#[cfg(feature = "qc")]
pub use thalweg_qc as qc;
pub use thalweg_reads::{
    Batch, Block, Checkpoints, Compression, DEFAULT_SPAN, Error, ErrorKind, FileKind, FilePlan,
    FileText, ForeignLetters, Format, FormatError, FormatErrorKind, IndexOptions, IndexUse,
    KeptStreams, Listener, Location, ReaderOptions, Record, RecordPiece, Records, Statistics,
    VerifyOptions, VerifyReport, bgzf_end_error, build_index, build_index_unless, find_index,
    hash_file, index_path, index_path_in, lacks_bgzf_end, same_template, verify, verify_unless,
};
pub use thalweg_write as write;
pub use workers::Workers;
