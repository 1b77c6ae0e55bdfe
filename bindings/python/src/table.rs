//! Tables: rows of columns, which the threads that read make.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::prelude::*;

use crate::arrow;
use crate::batch::BatchIterator;
use crate::columns::{self, Column, Rows, Shelf, Table};
use crate::fault::TableFault;
use crate::grouping::Grouping;
use crate::stream::Stream;

/// Bytes of the longest column of text, from which on a table is given: enough for who takes it, and few enough that what was
/// written last is still in a cache.
const ENOUGH: usize = 2 << 20;

/// Some rows of a table, as a record batch for all who know Arrow's PyCapsule interface.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct TableRows {
    table: Arc<Table>,
    columns: Arc<[Column]>,
}

#[pymethods]
impl TableRows {
    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<Cow<'static, str>> {
        columns::names(&self.columns)
    }

    fn __len__(&self) -> usize {
        self.table.rows()
    }

    /// A pair of capsules, of a schema and an array.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let _ = requested_schema;
        arrow::batch_capsules(py, &self.columns, Arc::clone(&self.table))
    }

    /// What columns there are.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrow::schema_capsule(py, &self.columns)
    }

    fn __repr__(&self) -> String {
        format!("<thalweg.TableRows, {}>", self.table.rows())
    }
}

/// Rows in the order of the input, as the threads make them that read. Its threads end with it.
#[pyclass(module = "thalweg._thalweg")]
pub(crate) struct TableIterator(MadeTables);

impl TableIterator {
    pub(crate) fn new(tables: MadeTables) -> Self {
        Self(tables)
    }
}

#[pymethods]
impl TableIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<TableRows>> {
        let next = self.0.next(py)?;
        Ok(next.map(|table| TableRows {
            table,
            columns: Arc::clone(&self.0.columns),
        }))
    }

    /// Stop, and let go of threads and files.
    fn close(&mut self, py: Python<'_>) {
        py.detach(|| self.0.stream.close());
    }
}

/// Tables that the threads make which read.
pub(crate) struct MadeTables {
    stream: Stream<Result<Table, TableFault>>,
    columns: Arc<[Column]>,
}

impl MadeTables {
    /// Of open reads. `waits`: not all of them are regular files.
    pub(crate) fn new(
        reads: thalweg::Reads,
        waits: bool,
        grouping: Grouping,
        columns: Arc<[Column]>,
    ) -> Self {
        // Each thread has one in the making, two on the way, and the consumer has some.
        let shelf = Arc::new(Shelf::new(columns.len() * (3 * reads.threads() + 2)));
        let of = Arc::clone(&columns);
        let add = move |made: &mut Option<Result<Table, TableFault>>, batch: thalweg::Batch| {
            if batch.is_empty() {
                return false;
            }
            let mut table = match made.take() {
                Some(Ok(table)) => table,
                _ => Table::of_shelf(&of, &shelf),
            };
            let outcome = table.add(&Rows::all(&batch, grouping));
            let made = made.insert(outcome.map(|()| table));
            // A fault goes on at once.
            made.as_ref()
                .map_or(true, |table| table.longest() >= ENOUGH)
        };
        Self {
            stream: Stream::made(reads, waits, add),
            columns,
        }
    }

    fn next(&mut self, py: Python<'_>) -> PyResult<Option<Arc<Table>>> {
        match self.stream.next(py)? {
            None => Ok(None),
            Some(Ok(table)) => Ok(Some(Arc::new(table))),
            Some(Err(fault)) => {
                py.detach(|| self.stream.close());
                Err(fault.into_python(py))
            }
        }
    }
}

/// Tables of all records, for whoever takes them in one go.
pub(crate) enum Tables {
    /// As they are made.
    Made(MadeTables),
    /// Of so many records each.
    Exact(BatchIterator),
}

impl Tables {
    pub(crate) fn columns(&self) -> &Arc<[Column]> {
        match self {
            Self::Made(tables) => &tables.columns,
            Self::Exact(batches) => batches.columns(),
        }
    }

    pub(crate) fn next(&mut self, py: Python<'_>) -> PyResult<Option<Arc<Table>>> {
        match self {
            Self::Made(tables) => tables.next(py),
            Self::Exact(batches) => Ok(batches.next_table(py)?.map(Arc::new)),
        }
    }
}
