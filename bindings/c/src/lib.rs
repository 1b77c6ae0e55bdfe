//! Sequencing reads for C: what include/thalweg.h declares, which is made of these files.
//!
//! - `error`: what went wrong, by status and in words; and that no panic goes on into C.
//! - `pointers`: what C hands over, as Rust has it. All that is taken for granted of it stands there.
//! - `settings`: what is to be read, and how.
//! - `reader`: records, one after the other.
//! - `kmers`: databases of counted k-mers.
//! - `taxa`: which organisms reads are of.
// Allowed again where pointers of C's are taken.
#![deny(unsafe_code)]

pub mod error;
pub mod kmers;
pub mod pointers;
pub mod reader;
pub mod settings;
pub mod taxa;

use std::ffi::{CStr, c_char};

/// The version of the library, such as "0.1.0".
// SAFETY: no other item of this library has that name.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn thalweg_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!("a version with a NUL"),
        };
    VERSION.as_ptr()
}
