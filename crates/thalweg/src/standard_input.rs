//! The standard input, where a job reads something else than sequences from it.

use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::path::Path;

use crate::Fault;

/// What errors call it.
pub(crate) const STANDARD_INPUT: &str = "standard input";

/// The standard input, of which reading fails if it is not open: the standard library's own handle is at its end then.
pub(crate) fn open() -> Result<BufReader<File>, Fault> {
    let input = io::stdin().as_fd().try_clone_to_owned();
    Ok(BufReader::new(input.map_err(unreadable)?.into()))
}

/// What the system said about it.
pub(crate) fn unreadable(error: io::Error) -> Fault {
    Fault::io(Path::new(STANDARD_INPUT), error)
}
