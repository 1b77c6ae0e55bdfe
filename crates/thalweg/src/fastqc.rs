//! FastQC's reports: all of `thalweg_fastqc`, and the job that reads files for them.
//!
//! - [`FastqcJob`]: reads to the findings of a report for each file in step.
//! - [`HandOver`]: batches, counted by any thread in any order, to ledgers in the order of the reads, and back to any thread:
//!   for jobs that do more with the reads. [`Desk`] is what a thread counts with, or, where reads are
//!   changed, [`BothDesks`].
//! - [`ReportFiles`]: a report's page and archive, which appear when both are whole.

mod both_desks;
mod desk;
mod hand_over;
mod job;
mod report_files;

pub use both_desks::{BothCounts, BothDesks, Sides};
pub use desk::{Desk, KeptReads};
pub use hand_over::{HandOver, ReportEntry};
pub use job::FastqcJob;
pub use report_files::{Extract, ReportFiles, report_name};
pub use thalweg_fastqc::*;

use crate::{Message, MessageKind};

/// A warning that the qualities of the report called `name` may not count from where FastQC's rule has them, if there is a
/// doubt.
pub fn doubt_encoding(findings: &Findings, name: &str) -> impl Iterator<Item = Message> + use<> {
    let doubt = findings.doubted_encoding().into_iter();
    let name = name.to_owned();
    doubt.map(move |doubt| Message {
        kind: MessageKind::Warning,
        text: format!("{name}: {doubt}"),
    })
}
