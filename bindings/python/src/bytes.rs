//! The uncompressed bytes of files, for all who read files.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors;
use crate::parameters::{budget, index_use};
use crate::stream::Stream;
use crate::waiting;

/// The uncompressed bytes of a file in order. `thalweg.open_raw` makes a file object of it.
#[pyclass(module = "thalweg._thalweg")]
pub(crate) struct ByteStream {
    stream: Stream,
    at_hand: Option<thalweg::Batch>,
    /// Bytes of it that were taken.
    taken: usize,
}

#[pymethods]
impl ByteStream {
    #[new]
    #[pyo3(signature = (path, *, threads=0, index="auto"))]
    fn new(py: Python<'_>, path: PathBuf, threads: i128, index: &str) -> PyResult<Self> {
        let cancel = std::sync::Arc::default();
        let waits = !path.is_file();
        let options = thalweg::ReaderOptions::new()
            .file(path)
            .index(index_use(index)?)
            .budget(budget(threads)?)
            .as_text(true);
        let opened = match waits {
            true => waiting::beside(py, &cancel, || thalweg::Reads::open(options))?,
            false => py.detach(|| thalweg::Reads::open(options)),
        };
        let reads = opened.map_err(|error| errors::of_reads(py, &error))?;
        Ok(Self {
            stream: Stream::new(reads, waits),
            at_hand: None,
            taken: 0,
        })
    }

    /// The next bytes.
    ///
    /// Parameters
    /// ----------
    /// most : int
    ///     Not more than so many.
    ///
    /// Returns
    /// -------
    /// bytes
    ///     None at the end of the file only.
    fn read<'py>(&mut self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyBytes>> {
        loop {
            let text = match &self.at_hand {
                Some(batch) => &batch.blocks()[0].text()[self.taken..],
                None => &[],
            };
            if !text.is_empty() {
                let length = text.len().min(most);
                self.taken += length;
                return Ok(PyBytes::new(py, &text[..length]));
            }
            self.taken = 0;
            self.at_hand = self.stream.next(py)?;
            if self.at_hand.is_none() {
                return Ok(PyBytes::new(py, &[]));
            }
        }
    }

    /// Stop, and let go of threads and files.
    fn close(&mut self, py: Python<'_>) {
        self.at_hand = None;
        self.taken = 0;
        py.detach(|| self.stream.close());
    }
}
