//! Values of parameters that many functions have: an error names the parameter.

use pyo3::prelude::*;
use thalweg::{Budget, IndexUse};

use crate::errors;

/// A number of the type that is needed, of one that Python has given.
///
/// Functions take numbers as `i128`, which has room for all of 64 bits and for a sign: what PyO3 says of others, as of
/// -1 where a `usize` is taken, names no parameter.
pub(crate) fn number<T: TryFrom<i128>>(parameter: &str, given: i128) -> PyResult<T> {
    T::try_from(given).map_err(|_| match given {
        ..0 => errors::of_value(parameter, format!("{given} is below 0")),
        _ => errors::of_value(parameter, format!("{given} is too large")),
    })
}

/// So many threads, checked; 0 for all cores.
pub(crate) fn threads(threads: i128) -> PyResult<usize> {
    let threads = number("threads", threads)?;
    match threads {
        0..=Budget::MOST_THREADS => Ok(threads),
        _ => Err(errors::of_value(
            "threads",
            format!("{threads} is above {}", Budget::MOST_THREADS),
        )),
    }
}

/// The same as a budget.
pub(crate) fn budget(threads: i128) -> PyResult<Budget> {
    Ok(match self::threads(threads)? {
        0 => Budget::all_cores(),
        threads => Budget::new(threads),
    })
}

/// Records of a batch: one at least.
pub(crate) fn records(records: i128) -> PyResult<usize> {
    match number("records", records)? {
        0 => Err(errors::of_value("records", "at least 1")),
        records => Ok(records),
    }
}

/// What a user says about indexes.
pub(crate) fn index_use(index: &str) -> PyResult<IndexUse> {
    match index {
        "auto" => Ok(IndexUse::Auto),
        "never" => Ok(IndexUse::Never),
        "require" => Ok(IndexUse::Require),
        other => Err(errors::of_value(
            "index",
            format!("'auto', 'never' or 'require', not '{other}'"),
        )),
    }
}
