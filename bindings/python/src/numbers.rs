//! Numbers of 64 bits: arrays of numpy, where that is there.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView};

/// As `numpy.ndarray` of ``uint64``; without numpy as a `memoryview` of them.
pub(crate) fn array<'py>(py: Python<'py>, numbers: &[u64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = numbers
        .iter()
        .flat_map(|number| number.to_ne_bytes())
        .collect();
    let bytes = PyByteArray::new(py, &bytes);
    match py.import("numpy") {
        Ok(numpy) => numpy.call_method1("frombuffer", (bytes, "uint64")),
        Err(error) if error.is_instance_of::<PyImportError>(py) => {
            PyMemoryView::from(bytes.as_any())?.call_method1("cast", ("Q",))
        }
        Err(error) => Err(error),
    }
}

/// What lies in an array of ``uint64``; `None` if it is none.
pub(crate) fn from_array(py: Python<'_>, object: &Bound<'_, PyAny>) -> Option<Vec<u64>> {
    let buffer = PyBuffer::<u64>::get(object).ok()?;
    buffer.to_vec(py).ok()
}
