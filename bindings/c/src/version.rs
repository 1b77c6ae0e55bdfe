//! Which version of the library this is.

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
