//! Batches of reads to files, pipes and standard output: in input order, in parallel.
//!
//! Workers make batches in any order and at any speed; the output has them in the
//! order of their [`Place`](thalweg_flow::Place)s, whatever the number of threads.
//! No thread does nothing but write, and nobody waits for another's batch:
//!
//! ```text
//!   worker: text of a batch, a piece for each output
//!     │  write(place, pieces)
//!     │                          split outputs only
//!     ├──────────────► counted ──► divided: which records go to which file
//!     ▼                               │  (all before it were divided)
//!   pressed ◄─────────────────────────┘
//!     │  compressed by the worker; its size is known
//!     ▼
//!   parked ───────────► placed: the end of its predecessor is known, so its offset
//!     (leaves its         │     and its own end are, too; all that wait behind it
//!      batch, goes on)    ▼     are placed at once, before a byte is written
//!                       written
//!                         │  file: pwrite, several workers at once
//!                         │  pipe: whoever finds it idle, one piece after another
//!                         ▼
//!                       finished: the gate lets another ticket begin
//! ```
//!
//! A worker that cannot place its batch yet parks it and makes the next one: the
//! reader gives a worker several tickets at a time and in no order, so that to wait
//! for one's predecessor could be to wait for oneself. What is ready (to compress,
//! to write, to save) is a task, and every worker that comes by takes on tasks until
//! none is left.
//!
//! **Memory.** The waiting room holds what its capacity says, `ahead` tickets: the
//! [gate](Outputs::gate) lets a ticket begin when fewer than so many before it are
//! unfinished. Behind a slow reader of a pipe, workers wait at the gate. The lowest
//! unfinished ticket may always begin, so a capacity of 1 works (one batch at a time).
//!
//! **Files** have no name, or a temporary one in the same directory, until
//! [`Outputs::finish`] has made all of them safe. However the process ends before,
//! no final name appears, and an older file stays. (A temporary name is for
//! [`thalweg_files::remove_unfinished`] to remove, if the process is told to end.)
//!
//! **Failure.** The first failure closes the outputs: it is returned once, with path
//! and offset, and everybody else gets [`Error::Stopped`]. Who gets that should end as
//! if it were done: it may be noted before the failure that it follows from, and
//! would pass for the cause. A worker that fails for other reasons calls
//! [`Outputs::close`].
//!
//! **Tried:** to gather pieces and write up to multiples of 64 KiB, with which Linux has half the work in its page cache:
//! all of cleaning reads took as long as before (`docs/design/cleaning.md`).
//!
//! **Several pipes** are served together, a little at a time, because a tool that
//! reads mates from two of them in step wants it so.
//!
//! ```
//! use thalweg_flow::{Claims, run_or};
//! use thalweg_write::{OutputOptions, Outputs, OutputPiece, ordinal};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("out.fq.gz");
//! let outputs = Outputs::open(vec![OutputOptions::new(&path)], 8)?;
//! let claims = Claims::new(100);
//! run_or(
//!     4,
//!     |_, _| {
//!         let mut writer = outputs.writer()?;
//!         let mut text = Vec::new();
//!         while let Some(batch) = claims.claim() {
//!             outputs.begin(batch)?;
//!             text.extend_from_slice(format!("@read{batch}\nACGT\n+\nFFFF\n").as_bytes());
//!             match writer.write(ordinal(batch), &mut [OutputPiece::new(&mut text, 1)]) {
//!                 Err(error) if error.is_consequence() => break,
//!                 outcome => outcome?,
//!             }
//!         }
//!         Ok::<_, thalweg_write::Error>(())
//!     },
//!     || outputs.close(),
//! )
//! .map_err(|failure| format!("{failure:?}"))?;
//! let files = outputs.finish(100)?;
//! assert_eq!(files[0][0].records, 100);
//! assert!(path.exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Principal types, in the order in which a batch meets them: [`OutputOptions`],
//! [`OutputFormat`], [`Level`] and [`Split`] say what an output is to be; [`Outputs`] are
//! all of them; a [`Writer`] is one worker's way there, an [`OutputPiece`] what a batch
//! contributes; [`Written`] is what came out. A [`WholeFile`] is for one thread that
//! has a file to write: the same care, no batches; a [`Compressor`] lets other threads
//! compress for it.
#![forbid(unsafe_code)]

mod contents;
mod divider;
mod error;
mod format;
mod identity;
mod level;
mod names;
mod options;
mod split;

mod outputs;
mod writer;

mod press;

mod line;
mod room;
mod stream;

mod pipes;
mod sink;

mod compressor;
mod whole_file;

pub use compressor::Compressor;
pub use contents::{OutputContents, check_contents};
pub use error::Error;
pub use format::OutputFormat;
pub use identity::{find_shared, is_same};
pub use level::Level;
pub use names::{check_not_input, check_plain, check_written};
pub use options::OutputOptions;
pub use outputs::{Outputs, SealedOutputs, ordinal};
pub use press::PressError;
pub use split::Split;
pub use stream::Written;
pub use thalweg_files::{directory_of, is_standard_output, is_stream, resolve};
pub use whole_file::{CopyError, SealedFile, WholeFile};
pub use writer::{OutputPiece, Writer};
