//! Outputs and whole files, from outside.
//!
//! `support` makes batches and has a slow reader of all formats; the other modules hold the tests, by what they
//! look at.

mod support;

mod failures;
mod order;
mod pipes;
mod tools;
mod whole_file;
