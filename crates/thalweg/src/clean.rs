//! Cleaning reads: the job behind `thalweg qc`. It judges, trims and filters reads by the steps of [`qc`](crate::qc), writes
//! those that pass, and reports on all.
//!
//! ```no_run
//! use thalweg::Control;
//! use thalweg::clean::CleanSettings;
//!
//! let mut settings = CleanSettings::new_pairs("r1.fastq.gz", "r2.fastq.gz");
//! settings.steps.length_required = 50;
//! settings.outputs.out1 = Some("clean1.fastq.gz".into());
//! settings.outputs.out2 = Some("clean2.fastq.gz".into());
//! settings.reports.json = Some("sample.fastp.json".into());
//! let cleaned = settings.run(&Control::default())?;
//! println!("{} reads pass", cleaned.passed());
//! # Ok::<(), thalweg::Fault>(())
//! ```
//!
//! In the order in which a cleaning goes through them:
//!
//! - [`CleanSettings`]: what is asked for, with its defaults and limits; [`RemovalSettings`], [`OutputSettings`],
//!   [`ReportSettings`]. What of it
//!   concerns the steps is [`Options`](crate::qc::Options).
//! - [`CleanJob`]: settings that were checked.
//! - [`Cleaned`]: the numbers, which [make a report](Cleaned::report).
//!
//! And of the files here:
//!
//! - `reading`, `adapter_list`: from settings to the steps and to what is read; `compat`: what of them fastp ignores, and
//!   what it says of it.
//! - `explore`: what the first reads tell; `hints`: what looks like a mistake.
//! - `removal`: databases whose reads are not wanted.
//! - `outputs`, `roles`, `read_number`: what goes where.
//! - `process`, `in_order`, `packs`, `collect`, `findings`: what each thread does.
//! - `reports`, `fastqc`: what comes of it; `sample`: what it is called.

mod adapter_list;
mod cleaned;
mod collect;
mod compat;
mod explore;
mod fastqc;
mod findings;
mod hints;
mod in_order;
mod job;
mod outputs;
mod packs;
mod process;
mod read_number;
mod reading;
mod removal;
mod reports;
mod roles;
mod sample;
mod settings;
#[cfg(test)]
mod tests;

pub use cleaned::Cleaned;
pub use job::CleanJob;
pub use removal::{Contaminant, RemovalSettings};
pub use sample::sample_name;
pub use settings::{CleanSettings, OutputSettings, ReportSettings};
