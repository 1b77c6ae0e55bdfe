//! A file as memory.
#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file to be read.
///
/// # Errors
/// What the system said: not every file can be mapped.
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the mapping is only read, as bytes, which may have any value. Databases get their names when they are whole and
    // are never written again. Whoever changes one in place all the same changes what is read of it; all of it is looked at by
    // code that checks every number that it takes from there, each time, and compares the time of change at the end. Whoever shortens it ends the process by SIGBUS.
    unsafe { Mmap::map(file) }
}
