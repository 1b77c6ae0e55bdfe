//! Labelling reads: the job behind `thalweg classify`. Databases for it are made by the jobs of [`taxa`](crate::taxa).
//!
//! - [`ClassifySettings`]: what is asked of all samples, with its defaults; a [`SampleSettings`] in, [`Labelled`] out. Of these
//!   a [`SamplesPage`] can be made.
//! - [`open_database`]: a database on its way into memory; [`taxa_of_names`]: taxa that a user names.
//! - [`check_sample_name`]: which names samples may have.
//! - [`SampleOutputs`], [`ReadsOutput`], [`TextOutput`], [`ReportStyle`]: what is written for a sample.
//! - [`ClassifyJob`]: open reads to labels, and to files by their labels, of outputs that the caller has opened.
//! - [`Stream`]: what goes where, of which reads ([`Chosen`], [`Taxa`]), and in which form.
//! - [`Collect`]: what else looks at each call.
//! - [`Populating`]: that the database is in memory soon; `rounds`: reads in the order of a database.

mod chosen;
mod collect;
mod job;
mod labelling;
mod open;
mod outputs;
mod page;
mod populate;
mod report;
mod rounds;
mod sample_name;
mod streams;

pub use chosen::taxa_of_names;
pub use collect::{Called, Collect};
pub use job::{Classified, ClassifyJob};
pub use labelling::{ClassifySettings, Labelled, SampleSettings};
pub use open::{LoadedDatabase, Loading, open_database};
pub use outputs::{OfSingles, ReadsOutput, SampleOutputs};
pub use page::SamplesPage;
pub use populate::Populating;
pub use report::{ReportStyle, SampleText, TextOutput};
pub use sample_name::check_sample_name;
pub use streams::{Chosen, Form, ReadStream, Stream, Taxa};
