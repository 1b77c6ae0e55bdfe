//! The fault of a file as whoever reads it tells it.

use std::path::Path;
use std::sync::Arc;

use thalweg_flow::Budget;

use crate::open::IndexUse;
use crate::{Error, ErrorKind, ReaderOptions};

/// What to tell where the pass for an index found a faulty record: what reading the file tells, which goes on to the
/// checksum of what the record comes from.
pub(super) fn as_reading_tells(path: &Path, error: Error) -> Error {
    if !matches!(error.kind(), ErrorKind::Format(_)) {
        return error;
    }
    let read = || {
        let options = ReaderOptions::new().file(path).index(IndexUse::Never);
        let reader = Arc::new(options.budget(Budget::new(1)).open()?);
        let mut worker = reader.worker(0, None);
        while worker.next_batch()?.is_some() {}
        Ok(())
    };
    read().err().unwrap_or(error)
}
