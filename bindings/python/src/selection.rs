//! Columns of what is to be read.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrow;
use crate::batch::BatchIterator;
use crate::columns::{self, Column};
use crate::source::Source;
use crate::table::{TableIterator, Tables};

/// Columns of reads, for all who know Arrow's PyCapsule interface; every use begins anew. It can be pickled.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct Selection {
    pub(crate) source: Py<Source>,
    pub(crate) columns: Arc<[Column]>,
    /// Of a table; as the threads make them if `None`, which is faster. Batches of an iteration have [`columns::ROWS`] then.
    pub(crate) records: Option<usize>,
}

#[pymethods]
impl Selection {
    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<Cow<'static, str>> {
        columns::names(&self.columns)
    }

    /// What Arrow calls their types: ``'utf8'``, ``'int64'``, ...
    #[getter]
    fn types(&self) -> Vec<&'static str> {
        let of_column = |column: &Column| column.values().type_name();
        self.columns.iter().map(of_column).collect()
    }

    fn __iter__(&self, py: Python<'_>) -> PyResult<BatchIterator> {
        let source = self.source.get();
        Ok(BatchIterator::new(
            source.stream(py)?,
            source.description.grouping(),
            Arc::clone(&self.columns),
            Some(self.records.unwrap_or(columns::ROWS)),
        ))
    }

    /// The rows as record batches alone, as the threads make them that read.
    ///
    /// Returns
    /// -------
    /// TableIterator
    ///     Of `TableRows`.
    fn tables(&self, py: Python<'_>) -> PyResult<TableIterator> {
        let tables = self.source.get().tables(py, &self.columns)?;
        Ok(TableIterator::new(tables))
    }

    /// All rows as a stream of Arrow's C interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = requested_schema;
        let tables = match self.records {
            None => Tables::Made(self.source.get().tables(py, &self.columns)?),
            Some(_) => Tables::Exact(self.__iter__(py)?),
        };
        arrow::stream_capsule(py, tables)
    }

    /// What columns there are.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrow::schema_capsule(py, &self.columns)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let select = py.import("thalweg._thalweg")?.getattr("select")?;
        let state = (self.source.bind(py), self.columns(), self.records);
        Ok((select, state.into_pyobject(py)?))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let source = self.source.bind(py).repr()?;
        Ok(format!("<{} of {source}>", self.columns().join(", ")))
    }
}
