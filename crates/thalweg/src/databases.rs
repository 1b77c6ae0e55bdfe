//! Work on databases of k-mer counts: the jobs behind `thalweg kmers`.
//!
//! ```no_run
//! use thalweg::Control;
//! use thalweg::databases::CombineSettings;
//!
//! let merged = CombineSettings::sum(["1.thk", "2.thk"], "all.thk").run(&Control::default())?;
//! println!("{} different k-mers", merged.distinct);
//! # Ok::<(), thalweg::Fault>(())
//! ```
//!
//! - [`open_database`], [`open_databases`]: databases, and what is to be said of them at once; `strands`: what is taken for
//!   granted of those that do not say it.
//! - [`CombineSettings`]: several databases to one, or to a part of one; [`Combination`]: the same of open ones.
//! - [`FilterSettings`]: reads that a database has k-mers of; [`Filtering`]: reads past a database, to outputs in their order.
//! - [`QuerySettings`]: k-mers, or all of sequences, with their counts to a file; [`Answers`]: the same of an open database.
//!   [`find_counts`]: how often some k-mers were counted, as values.
//! - [`HistogramSettings`]: how many k-mers occur how often, as lines, JSON, a picture or a value; [`SpectrumSettings`]: what that
//!   says of genomes.
//! - [`DumpSettings`]: all k-mers as lines of text; [`Dump`], [`list_records`]: the same of open databases.
//! - [`CheckSettings`]: whether databases are whole and sound.
//! - [`JoinSettings`]: parts of a database to one, where they are.
//! - [`format_of`]: what the name of an output says; [`check_counts`]: limits that no count is within.
//! - [`Screen`]: whether single reads or pairs have enough k-mers of a database, of sequences, or of PhiX174.
//! - [`Lookups`]: where the k-mers of whole files are looked up, in the database's file or in memory.
//! - [`kmers::database`](crate::kmers::database): the databases themselves: histograms, records in order, checks.

mod answers;
mod check;
mod combine;
mod counts;
mod dump;
mod filter;
mod filtering;
mod find;
mod histogram;
mod join;
mod lookups;
mod names;
mod open;
mod part;
mod phix;
mod query;
mod screen;
mod spectrum;
mod strands;

pub use answers::Answers;
pub use check::{CheckSettings, Checked};
pub use combine::{Combination, CombineSettings};
pub use counts::check_counts;
pub use dump::{Dump, DumpSettings, list_records};
pub use filter::FilterSettings;
pub use filtering::{Filtered, Filtering};
pub use find::find_counts;
pub use histogram::{HistogramForm, HistogramSettings};
pub use join::{JoinSettings, JoinedParts};
pub use lookups::{Lack, Lookups};
pub use names::format_of;
pub use open::{open_database, open_databases};
pub use query::QuerySettings;
pub use screen::{Judge, Screen};
pub use spectrum::{Spectrum, SpectrumSettings};
pub use strands::say_strands;

#[cfg(test)]
mod tests;
