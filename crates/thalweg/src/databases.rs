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
//! - [`Lookups`]: where the k-mers of whole files are looked up, in the database's file or in memory.
//! - [`kmers::database`](crate::kmers::database): the databases themselves: histograms, records in order, checks.

mod combine;
mod filter;
mod filtering;
mod lookups;
mod open;
mod part;
mod strands;

pub use combine::{Combination, CombineSettings};
pub use filter::{FilterSettings, push_record};
pub use filtering::{Filtering, Kept};
pub use lookups::Lookups;
pub use open::{open_database, open_databases};
pub use strands::say_strands;
