//! What jobs saw and decided, as a stream of typed records that other programs read.
//!
//! ```text
//! each worker:  Value ──► Encoder (MessagePack, one buffer) ──► a frame for each batch ──► whoever writes in order
//! a reader:     bytes ──► frames, checked ──► one value after the other ──► Value
//! ```
//! The buffer stands before the compressor: a value of some hundred bytes that is given to a compressor by itself costs
//! more than all that is done to it.
//!
//! In the order in which a trace meets them:
//!
//! - [`TraceFormat`]: how a trace lies on disk, told from its name, or from its first bytes.
//! - [`Value`]: what a trace has: a [`TraceHeader`], records ([`TracedRead`], [`TracedKmer`], [`Label`]), and an [`End`] with their number.
//! - [`TraceEncoder`]: values to the bytes of a batch, by one worker.
//! - [`TraceReader`]: bytes to values, as far as the end, which it tells from a cut.
//! - [`TraceTally`]: how many values there are of what; [`TraceTable`]: values as lines of text.
//!
//! Nothing here starts a thread, or knows the jobs: each of them turns what it has into values.
//!
//! ```
//! use thalweg_trace::{TraceEncoder, TraceFormat, TraceHeader, TracedKmer, TraceReader, Value};
//!
//! let mut encoder = TraceEncoder::new(TraceFormat::Lz4)?;
//! let mut file = encoder.header(&TraceHeader::new("example 1.0", ["example"], ["reads.fq"]))?;
//! encoder.push(&Value::Kmer(TracedKmer { kmer: "ACGTA".into(), count: 3 }));
//! let written = encoder.take_batch(&mut file)?;
//! file.extend(encoder.end(written)?);
//!
//! let mut reader = TraceReader::new(&file[..], "example.msgpack.lz4")?;
//! assert_eq!(reader.header().inputs[0].to_string(), "reads.fq");
//! while let Some(value) = reader.next_value()? {
//!     if let Value::Kmer(kmer) = value {
//!         assert_eq!((kmer.kmer.as_bytes(), kmer.count), (&b"ACGTA"[..], 3));
//!     }
//! }
//! # Ok::<(), thalweg_trace::Error>(())
//! ```
#![forbid(unsafe_code)]

mod error;
mod format;
mod text;
mod value;

mod encoder;
mod lz4;

mod decode;
mod reader;
mod source;
mod walk;

mod table;
mod tally;

pub use encoder::TraceEncoder;
pub use error::{Error, ErrorKind};
pub use format::TraceFormat;
pub use reader::TraceReader;
pub use table::TraceTable;
pub use tally::TraceTally;
pub use text::Text;
pub use value::{
    Cut, End, Label, MOST_BYTES, TraceHeader, TracedCandidate, TracedKmer, TracedRead, VERSION,
    Value,
};
