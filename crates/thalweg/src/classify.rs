//! Labelling reads: the job behind `thalweg classify`. Databases for it are made by the jobs of [`taxa`](crate::taxa).
//!
//! - [`ClassifyJob`]: reads to labels, and to files by their labels.
//! - [`Stream`]: what goes where, of which reads ([`Chosen`], [`Taxa`]), and in which form.
//! - [`Collect`]: what else looks at each call.
//! - [`Populating`]: that the database is in memory soon; `rounds`: reads in the order of a database.

mod collect;
mod job;
mod populate;
mod rounds;
mod streams;

pub use collect::{Called, Collect};
pub use job::{Classified, ClassifyJob};
pub use populate::Populating;
pub use streams::{Chosen, Form, ReadStream, Stream, Taxa};
