//! What files were when they were opened: one that is another by now is noticed, in other processes, too.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use pyo3::prelude::*;
use thalweg::Location;

use crate::errors;

/// Bytes, and when they were written last, in nanoseconds since 1970; `None` of what is no regular file.
pub(crate) type Stamp = Option<(u64, i64)>;

/// Those of all files, in their order.
pub(crate) fn of_all(sets: &[Vec<PathBuf>]) -> Vec<Stamp> {
    sets.iter().flatten().map(|path| of_file(path)).collect()
}

fn of_file(path: &Path) -> Stamp {
    let known = path.metadata().ok().filter(|known| known.is_file())?;
    let written = known.modified().ok();
    let since = written.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let nanoseconds = since.and_then(|since| i64::try_from(since.as_nanos()).ok());
    Some((known.len(), nanoseconds.unwrap_or(0)))
}

/// Whether files are what they were.
///
/// # Errors
/// `DataError` with the first that is not. One that is not there is told by whoever opens it.
pub(crate) fn check(py: Python<'_>, sets: &[Vec<PathBuf>], stamps: &[Stamp]) -> PyResult<()> {
    for (path, stamp) in sets.iter().flatten().zip(stamps) {
        let (Some(was), Some(is)) = (stamp, of_file(path)) else {
            continue;
        };
        if *was != is {
            let location = Location::of_file(path);
            let message = format!("{}changed since it was opened", location.head());
            let hint = Some("open it anew, and make its parts anew");
            return Err(errors::of_thalweg(
                py,
                "DataError",
                &message,
                "Changed",
                &location,
                hint,
            ));
        }
    }
    Ok(())
}
