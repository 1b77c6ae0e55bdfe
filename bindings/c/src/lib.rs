//! Sequencing reads for C: what include/thalweg.h declares, which is made of these files.
//!
//! - `error`: what went wrong, by status and in words; and that no panic goes on into C.
//! - `pointers`: what C hands over, as Rust has it. All that is taken for granted of it stands there.
//! - `settings`: what is to be read, and how.
//! - `reader`: records, one after the other.
//! - `kmers`: databases of counted k-mers.
//! - `taxa`: which organisms reads are of.
//! - `version`: of the library.
// Allowed again where pointers of C's are taken.
#![deny(unsafe_code)]

pub mod error;
pub mod kmers;
pub mod pointers;
pub mod reader;
pub mod settings;
pub mod taxa;
pub mod version;
