//! What went wrong, as Python's exceptions.

use std::path::Path;

use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use thalweg::{Error, ErrorKind, Fault, Location, kmers};

/// The exception for an error of reading.
pub(crate) fn of_reads(py: Python<'_>, error: &Error) -> PyErr {
    let location = error.location();
    if let (ErrorKind::Io(cause), Some(path)) = (error.kind(), &location.path)
        && let Some(code) = cause.raw_os_error()
    {
        return of_system(py, code, path, location);
    }
    let class = match error.kind() {
        ErrorKind::UnequalFiles { .. }
        | ErrorKind::MatesDisagree { .. }
        | ErrorKind::MateAmongSingle(_)
        | ErrorKind::OddInterleaved => "MatesError",
        ErrorKind::Index(_)
        | ErrorKind::NoIndex
        | ErrorKind::NoRecordsInIndex
        | ErrorKind::UncheckedIndex
        | ErrorKind::WrongIndex(_)
        | ErrorKind::OtherFile(_) => "IndexFileError",
        ErrorKind::OutOfRange { .. } | ErrorKind::NotSeekable | ErrorKind::Unsupported(_) => {
            "UsageError"
        }
        _ if error.is_data() => "DataError",
        _ => "Error",
    };
    let kind = name_of(error.kind());
    of_thalweg(py, class, &error.to_string(), &kind, location, error.hint())
}

/// The exception for a fault of a job.
pub(crate) fn of_fault(py: Python<'_>, fault: &Fault) -> PyErr {
    let (path, source) = match fault {
        Fault::Reads(error) => return of_reads(py, error),
        Fault::Io { path, source } | Fault::Kmers(kmers::Error::Io { path, source }) => {
            (Some(path), Some(source))
        }
        _ => (None, None),
    };
    let location = path.map_or_else(Location::default, |path| Location::of_file(path));
    if let (Some(path), Some(code)) = (path, source.and_then(|source| source.raw_os_error())) {
        return of_system(py, code, path, &location);
    }
    let class = match fault {
        Fault::Usage { .. } => "UsageError",
        fault if fault.is_data() => "DataError",
        _ => "Error",
    };
    let kind = name_of(fault);
    of_thalweg(
        py,
        class,
        &fault.to_string(),
        &kind,
        &location,
        fault.hint(),
    )
}

/// What a variant is called.
fn name_of(variant: &impl std::fmt::Debug) -> String {
    let all = format!("{variant:?}");
    let name = all.split(|letter: char| !letter.is_alphanumeric()).next();
    name.unwrap_or_default().to_owned()
}

/// An exception of package `thalweg`.
pub(crate) fn of_thalweg(
    py: Python<'_>,
    class: &str,
    message: &str,
    kind: &str,
    location: &Location,
    hint: Option<&str>,
) -> PyErr {
    let make = || {
        let class = py.import("thalweg._errors")?.getattr(class)?;
        let known = PyDict::new(py);
        known.set_item("kind", kind)?;
        known.set_item("path", location.path.as_deref().map(Path::as_os_str))?;
        known.set_item("record", location.record)?;
        known.set_item("offset", location.offset)?;
        known.set_item("text_offset", location.text_offset)?;
        known.set_item("hint", hint)?;
        class.call((message,), Some(&known))
    };
    make().map_or_else(|error| error, PyErr::from_value)
}

/// `FileNotFoundError` and its like.
fn of_system(py: Python<'_>, code: i32, path: &Path, location: &Location) -> PyErr {
    let make = || {
        let words = py.import("os")?.call_method1("strerror", (code,))?;
        let error = py
            .get_type::<PyOSError>()
            .call1((code, words, path.as_os_str()))?;
        error.setattr("record", location.record)?;
        error.setattr("offset", location.offset)?;
        Ok(error)
    };
    make().map_or_else(|error: PyErr| error, PyErr::from_value)
}

/// A parameter has a value that it cannot have.
pub(crate) fn of_value(parameter: &str, what: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("argument '{parameter}': {what}"))
}

/// The process is a copy of the one whose threads do the work.
pub(crate) fn of_fork() -> PyErr {
    PyRuntimeError::new_err(
        "this was begun before the process was forked, and its threads are not there: begin it in the new process \
         (Reads and Mates can be handed over), or start processes with multiprocessing's 'spawn' or 'forkserver'",
    )
}
