//! A plain sequential reader against every fast path.
//!
//! `support` holds the oracle, the generated texts and the compressors; the
//! other modules hold the tests, by what they look at.

#![allow(missing_docs)]

mod support;

mod boundaries;
mod claims;
mod corruption;
mod cuts;
mod indexes;
mod kinds;
mod lanes;
mod mates;
mod pipes;
mod real;
mod selections;
mod structure;
