//! The module `thalweg._thalweg`: sequencing reads for Python. Package `thalweg`, in `python/`, is what users import.
//!
//! - `errors`: what went wrong, as exceptions.
//! - `waiting`: work beside the interpreter, which goes on to hear signals.
//! - `description`: what is to be read, without handles; `stamp`: whether files are still what they were.
//! - `source`: the same as `Reads` and `Mates`, for which `opened` keeps handles; `selection`: columns of them;
//!   `open`: what a user begins with.
//! - `parameters`: values that many functions take.
//! - `stream`: an iteration under way, with threads of its own.
//! - `record`, `batch`, `view`: what an iteration gives; `grouping`: which records belong together.
//! - `columns`, `table`, `arrow`: the same as tables; `fault`: why records are none.
//! - `bytes`: the text of files, for all who read files.
//! - `jobs`: statistics, indexes, verifying; `count`: k-mers and databases; `numbers`: arrays of them;
//!   `classify`: labels; `clean`: reads that are trimmed and filtered.
// Allowed again in `view` and in `arrow`, where other code is handed addresses.
#![deny(unsafe_code)]

mod arrow;
mod batch;
mod bytes;
mod classify;
mod clean;
mod columns;
mod count;
mod description;
mod errors;
mod fault;
mod grouping;
mod jobs;
mod numbers;
mod open;
mod opened;
mod parameters;
mod record;
mod selection;
mod source;
mod stamp;
mod stream;
mod table;
mod view;
mod waiting;

use pyo3::prelude::*;

/// Made of Rust: see package `thalweg`.
// Nobody has run it in an interpreter without a global lock: one that loads it takes the lock again.
#[pymodule(gil_used = true)]
mod _thalweg {
    /// The version of package and command.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "that is its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use crate::batch::{Batch, BatchIterator, Items};
    #[pymodule_export]
    use crate::bytes::ByteStream;
    #[pymodule_export]
    use crate::classify::classify;
    #[pymodule_export]
    use crate::clean::{Cleaned, qc};
    #[pymodule_export]
    use crate::count::{Database, KmerBatches, KmerIterator, count, open_database};
    #[pymodule_export]
    use crate::jobs::{Index, index, stats, verify};
    #[pymodule_export]
    use crate::open::{open, open_mates, restore, select};
    #[pymodule_export]
    use crate::record::{PairIterator, Record, RecordIterator, restore_record};
    #[pymodule_export]
    use crate::selection::Selection;
    #[pymodule_export]
    use crate::source::{Mates, Reads, Source};
    #[pymodule_export]
    use crate::table::{TableIterator, TableRows};
    #[pymodule_export]
    use crate::view::View;
}
