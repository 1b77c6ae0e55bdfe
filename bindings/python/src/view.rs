//! Bytes of a batch, as memory that Python may look at.

#![allow(unsafe_code)]

use std::ffi::c_int;
use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyMemoryView;

/// Bytes of a batch, which it keeps. They cannot be changed.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct View {
    batch: Arc<thalweg::Batch>,
    block: usize,
    range: Range<usize>,
}

impl View {
    /// A memory view of `bytes`, which lie in the text of a block of `batch`; `None` if they lie elsewhere.
    pub(crate) fn of<'py>(
        py: Python<'py>,
        batch: &Arc<thalweg::Batch>,
        block: usize,
        bytes: &[u8],
    ) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        let text = batch.blocks()[block].text();
        // Addresses are compared as numbers: nothing is read by them.
        let start = (bytes.as_ptr() as usize).wrapping_sub(text.as_ptr() as usize);
        if start > text.len() || bytes.len() > text.len() - start {
            return Ok(None);
        }
        let view = View {
            batch: Arc::clone(batch),
            block,
            range: start..start + bytes.len(),
        };
        let view = Bound::new(py, view)?;
        PyMemoryView::from(view.as_any()).map(Some)
    }

    fn bytes(&self) -> &[u8] {
        &self.batch.blocks()[self.block].text()[self.range.clone()]
    }
}

#[pymethods]
impl View {
    /// # Safety
    /// As Python's `bf_getbuffer`: `view` is to be filled in.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("no view to fill in"));
        }
        let bytes = slf.get().bytes();
        let (start, length) = (bytes.as_ptr().cast_mut().cast(), bytes.len());
        // SAFETY: `view` is not null, and Python's to be filled in. The memory is as long as it says, is not moved nor
        // changed while the batch lives, and the view holds a reference to `slf`, which holds the batch. It is read-only:
        // who asks for one that can be written is refused.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(
                view,
                slf.as_ptr(),
                start,
                length as ffi::Py_ssize_t,
                1,
                flags,
            )
        };
        match filled {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}
