//! Traces of jobs: all of `thalweg_trace`, and what turns what each job has into values.
//!
//! - [`TraceSettings`], [`TraceOutput`]: where a trace goes, and what it begins and ends with.
//! - [`ReadTracer`], [`Followed`]: reads that are cleaned, of `qc`.
//! - [`KmerTrace`]: k-mers of a database that was counted.
//! - labels are written by [`ClassifyJob`](crate::classify::ClassifyJob), to a [`Stream::Trace`](crate::classify::Stream::Trace).
//!
//! Values are in the order of the input. Behind the header, which has the command line, bytes are the same for every number of
//! threads: there is a frame for each batch, and batches do not depend on threads.

#[cfg(feature = "kmers")]
mod kmers;
#[cfg(feature = "taxa")]
mod labels;
mod output;
#[cfg(feature = "qc")]
mod reads;

#[cfg(feature = "kmers")]
pub use kmers::KmerTrace;
#[cfg(feature = "taxa")]
pub(crate) use labels::LabelTracer;
pub use output::{TraceOutput, TraceSettings};
#[cfg(feature = "qc")]
pub use reads::{Followed, ReadTracer};
pub use thalweg_trace::*;
