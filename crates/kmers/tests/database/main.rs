//! Databases of k-mers: files of every format, what other programs make of them, counts and operations.
//!
//! `support` makes random content; the other modules hold the tests, by what they look at.

#![allow(missing_docs)]

#[path = "../../../thalweg/tests/support/extent.rs"]
#[allow(dead_code)]
mod extent;
mod support;

mod count;
mod damage;
mod files;
mod operations;
mod oracles;
mod sets;
mod spectrum;
