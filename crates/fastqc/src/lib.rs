//! FastQC's report of sequencing reads, byte for byte, whatever the number of threads.
//!
//! In the order in which reads meet them:
//!
//! - [`Settings`]: what is looked for, and from which values on a module warns or fails: [`Limits`]; lists of [`Named`]
//!   sequences, a user's own read by [`parse_list`].
//! - [`Tally`]: counts of one worker, which do not depend on the order of the reads, and [`Notes`] of what does.
//! - [`Ledger`]: takes the notes of all batches in the order of the reads, and tells how things [stood](Standing) before them.
//! - [`Samples`]: what is looked at when that is known, again by any worker, in reads that were [`Kept`].
//! - [`Findings`]: all of it together. [`Report`]: tables and verdicts of it, and the texts that other programs read;
//!   [`page`]: the page for people; [`archive`]: both and the pictures, as one file.
//!
//! Nothing here reads, writes, or starts a thread. Memory does not grow with the number of reads, and hardly with their
//! length: from position 66,000 on, a thousand positions are counted as one.
//!
//! ```
//! use std::sync::Arc;
//! use thalweg_fastqc::{Findings, KeptCopies, Ledger, Notes, Report, Samples, Settings, Tally};
//!
//! let settings = Arc::new(Settings::default());
//! let (mut tally, mut ledger) = (Tally::new(&settings), Ledger::new(&settings));
//! let (mut notes, mut kept) = (Notes::new(), KeptCopies::default());
//! for (head, bases, qualities) in [("a", "ACGT", "IIII"), ("b", "ACGN", "III#")] {
//!     let (bases, qualities) = (bases.as_bytes(), qualities.as_bytes());
//!     notes.push(&tally.add(bases, qualities));
//!     kept.push(head.as_bytes(), bases, qualities);
//! }
//! let standing = ledger.enter(&notes, &kept);
//! let mut samples = Samples::new(&settings);
//! samples.add(&notes, &standing, &kept);
//!
//! let findings = Findings::new(&settings, [tally], ledger, [samples]);
//! let report = Report::new(&findings, "two.fastq");
//! assert!(report.data().contains("\nTotal Sequences\t2\n"));
//! assert!(report.summary().starts_with("PASS\tBasic Statistics\ttwo.fastq\n"));
//! ```
#![forbid(unsafe_code)]

mod adapters;
mod archive;
mod binomial;
mod contaminants;
mod error;
mod figures;
mod findings;
mod gc_model;
mod groups;
mod java;
mod kept;
mod keys;
mod kmers;
mod ledger;
mod limits;
mod list;
mod modules;
mod notes;
mod page;
mod positions;
mod report;
mod samples;
mod settings;
mod tally;
mod tiles;
mod verdict;

pub use archive::{ReportFile, archive, files};
pub use error::ListError;
pub use findings::Findings;
pub use groups::Grouping;
pub use kept::{Kept, KeptCopies};
pub use ledger::{Ledger, Standing};
pub use limits::{Limit, Limits};
pub use list::{Named, parse_list};
pub use notes::{Note, Notes};
pub use page::page;
pub use report::{Figure, Module, Report, VERSION};
pub use samples::Samples;
pub use settings::Settings;
pub use tally::Tally;
pub use verdict::Verdict;

/// The lists that are used unless a user gives others.
pub mod usual {
    pub use crate::adapters::usual as adapters;
    pub use crate::contaminants::usual as contaminants;
}
