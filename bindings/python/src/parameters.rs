//! Values of parameters that many functions have: an error names the parameter.

use pyo3::prelude::*;
use thalweg::{Budget, IndexUse};

use crate::errors;

/// So many threads; 0 for all cores.
pub(crate) fn budget(threads: usize) -> PyResult<Budget> {
    match threads {
        0 => Ok(Budget::all_cores()),
        1..=Budget::MOST_THREADS => Ok(Budget::new(threads)),
        _ => Err(errors::of_value(
            "threads",
            format!("{threads} is above {}", Budget::MOST_THREADS),
        )),
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
