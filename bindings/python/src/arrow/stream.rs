//! Record batches one after the other, as they are read.

use std::ffi::{CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::layout::{ArrowArray, ArrowArrayStream, ArrowSchema};
use super::{array, schema};
use crate::table::Tables;

/// Codes of the system that the interface asks for: the data cannot be read; it was interrupted; there is no interpreter.
const EIO: c_int = 5;
const EINTR: c_int = 4;
const ECANCELED: c_int = 125;

struct Private {
    tables: Tables,
    last_error: Option<CString>,
}

/// All batches of an iteration.
pub(super) fn of_tables(tables: Tables) -> ArrowArrayStream {
    let private = Box::new(Private {
        tables,
        last_error: None,
    });
    ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(private).cast(),
    }
}

/// # Safety
/// `stream` is one that [`of_tables`] made, which was not released; `schema` is memory for one.
unsafe extern "C" fn get_schema(stream: *mut ArrowArrayStream, schema: *mut ArrowSchema) -> c_int {
    // SAFETY: the caller's promise. Nothing is read of what `schema` held.
    unsafe {
        let private = &*(*stream).private_data.cast::<Private>();
        ptr::write(schema, schema::of_columns(private.tables.columns()));
    }
    0
}

/// # Safety
/// `stream` is one that [`of_tables`] made, which was not released, and nobody else uses; `array` is memory for one.
unsafe extern "C" fn get_next(stream: *mut ArrowArrayStream, array: *mut ArrowArray) -> c_int {
    // SAFETY: the caller's promise.
    let private = unsafe { &mut *(*stream).private_data.cast::<Private>() };
    // A panic must not go on into code that is not Rust's.
    let outcome = catch_unwind(AssertUnwindSafe(|| private.next()));
    let (next, code) = match outcome {
        Ok(Ok(next)) => (next, 0),
        Ok(Err((code, message))) => (private.fail(message), code),
        Err(_) => (private.fail("internal error, please report it".into()), EIO),
    };
    // SAFETY: the caller's promise. Nothing is read of what `array` held.
    unsafe { ptr::write(array, next) };
    code
}

impl Private {
    fn next(&mut self) -> Result<ArrowArray, (c_int, String)> {
        let tables = &mut self.tables;
        let next = Python::try_attach(|py| {
            tables.next(py).map_err(|error| {
                let is_interrupt = error.is_instance_of::<PyKeyboardInterrupt>(py);
                if is_interrupt {
                    hear_again(py);
                }
                let code = if is_interrupt { EINTR } else { EIO };
                (code, message(py, &error))
            })
        });
        match next {
            Some(Ok(Some(table))) => Ok(array::of_table(table)),
            Some(Ok(None)) => Ok(ArrowArray::released()),
            Some(Err(failure)) => Err(failure),
            None => Err((ECANCELED, "the interpreter has ended".to_owned())),
        }
    }

    fn fail(&mut self, message: String) -> ArrowArray {
        self.last_error = CString::new(message.replace('\0', " ")).ok();
        ArrowArray::released()
    }
}

/// Whoever called knows nothing of Python's exceptions: it is raised again when the interpreter goes on.
fn hear_again(py: Python<'_>) {
    let raise = || {
        let signal = py.import("signal")?.getattr("SIGINT")?;
        py.import("_thread")?
            .call_method1("interrupt_main", (signal,))
    };
    // There is nobody to tell that it could not be.
    let _ = raise();
}

/// What an exception says, with the hint that it has.
fn message(py: Python<'_>, error: &PyErr) -> String {
    let value = error.value(py);
    let text = value.to_string();
    match value
        .getattr("hint")
        .and_then(|hint| hint.extract::<String>())
    {
        Ok(hint) => format!("{text} (hint: {hint})"),
        Err(_) => text,
    }
}

/// # Safety
/// `stream` is one that [`of_tables`] made, which was not released.
unsafe extern "C" fn get_last_error(stream: *mut ArrowArrayStream) -> *const c_char {
    // SAFETY: the caller's promise.
    let private = unsafe { &*(*stream).private_data.cast::<Private>() };
    let message = private.last_error.as_ref();
    message.map_or(ptr::null(), |message| message.as_ptr())
}

/// # Safety
/// `stream` is one that [`of_tables`] made, which was not released.
unsafe extern "C" fn release(stream: *mut ArrowArrayStream) {
    // SAFETY: the caller's promise. `private_data` is the box that it was made of, which nobody else frees.
    let private = unsafe {
        let stream = &mut *stream;
        debug_assert!(stream.release.is_some(), "released twice");
        stream.release = None;
        Box::from_raw(stream.private_data.cast::<Private>())
    };
    // To stop the threads is Rust's code, too.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(private)));
}
