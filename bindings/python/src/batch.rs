//! Batches of records: sequences of them for Python, record batches for Arrow.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;

use crate::arrow;
use crate::columns::{self, Column, ROWS, Rows, Table};
use crate::fault::TableFault;
use crate::grouping::Grouping;
use crate::record::{Groups, Record};
use crate::stream::Stream;

/// Groups of a batch as it was read: `first` and those behind it.
#[derive(Clone)]
pub(crate) struct Span {
    pub(crate) groups: Groups,
    pub(crate) first: usize,
    pub(crate) length: usize,
}

impl Span {
    fn rows(&self) -> Rows<'_> {
        let Groups { batch, grouping } = &self.groups;
        Rows::new(batch, *grouping, self.first..self.first + self.length)
    }
}

/// Consecutive records, as a sequence; of mates, of tuples of them. Also a record batch for all who know Arrow's PyCapsule
/// interface.
///
/// The records are views of it. As long as one of them is kept, so is the text of some hundred kilobytes around it.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct Batch {
    spans: Vec<Span>,
    /// Where each of the spans ends.
    ends: Vec<usize>,
    columns: Arc<[Column]>,
    has_mates: bool,
}

impl Batch {
    fn new(spans: Vec<Span>, columns: Arc<[Column]>, has_mates: bool) -> Self {
        let ends = spans.iter().scan(0, |end, span| {
            *end += span.length;
            Some(*end)
        });
        Self {
            ends: ends.collect(),
            spans,
            columns,
            has_mates,
        }
    }

    fn length(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn get<'py>(&self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyAny>> {
        let span = self.ends.partition_point(|end| *end <= index);
        let Some(Span {
            groups,
            first,
            length,
        }) = self.spans.get(span)
        else {
            return Err(PyIndexError::new_err("no such record in this batch"));
        };
        let group = first + index - (self.ends[span] - length);
        match self.has_mates {
            true => Ok(groups.tuple(py, group)?.into_any()),
            false => Ok(Bound::new(py, groups.record(group, 0))?.into_any()),
        }
    }
}

#[pymethods]
impl Batch {
    /// The names of the columns that it has as a table.
    #[getter]
    fn columns(&self) -> Vec<Cow<'static, str>> {
        columns::names(&self.columns)
    }

    fn __len__(&self) -> usize {
        self.length()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Bound<'py, PyAny>> {
        let length = self.length();
        let place = match index {
            0.. => Some(index as usize),
            _ => length.checked_sub(index.unsigned_abs()),
        };
        self.get(py, place.unwrap_or(length))
    }

    fn __iter__(slf: Py<Self>) -> Items {
        Items {
            batch: slf,
            next: 0,
        }
    }

    fn __repr__(&self) -> String {
        let kind = if self.has_mates { "pairs" } else { "records" };
        format!("<thalweg.Batch of {} {kind}>", self.length())
    }

    /// The columns as a record batch of Arrow's C interface: a pair of capsules, of a schema and an array.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let _ = requested_schema;
        let table = py.detach(|| {
            let mut table = Table::new(&self.columns);
            for span in &self.spans {
                table.add(&span.rows())?;
            }
            Ok(table)
        });
        let table = table.map_err(|error: TableFault| error.into_python(py))?;
        arrow::batch_capsules(py, &self.columns, Arc::new(table))
    }

    /// What columns that has.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrow::schema_capsule(py, &self.columns)
    }
}

/// What is in a batch, one after the other.
#[pyclass(module = "thalweg._thalweg")]
pub(crate) struct Items {
    batch: Py<Batch>,
    next: usize,
}

#[pymethods]
impl Items {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let batch = self.batch.get();
        if self.next == batch.length() {
            return Ok(None);
        }
        self.next += 1;
        batch.get(py, self.next - 1).map(Some)
    }
}

/// Batches in the order of the input. Its threads end with it.
#[pyclass(module = "thalweg._thalweg")]
pub(crate) struct BatchIterator {
    stream: Stream,
    grouping: Grouping,
    columns: Arc<[Column]>,
    /// How many records a batch has; as they come if `None`.
    records: Option<usize>,
    /// What the last batch had no room for.
    rest: Option<Span>,
    /// Bytes of a table of the last one.
    bytes: usize,
}

impl BatchIterator {
    pub(crate) fn new(
        stream: Stream,
        grouping: Grouping,
        columns: Arc<[Column]>,
        records: Option<usize>,
    ) -> Self {
        Self {
            stream,
            grouping,
            columns,
            records,
            rest: None,
            bytes: 0,
        }
    }

    pub(crate) fn columns(&self) -> &Arc<[Column]> {
        &self.columns
    }

    /// Of the next batch, at most `wanted` groups.
    fn next_span(&mut self, py: Python<'_>, wanted: usize) -> PyResult<Option<Span>> {
        let span = match self.rest.take() {
            Some(rest) => rest,
            None => {
                let Some(batch) = self.stream.next(py)? else {
                    return Ok(None);
                };
                let groups = Groups::new(Arc::new(batch), self.grouping);
                Span {
                    first: 0,
                    length: groups.len(),
                    groups,
                }
            }
        };
        let length = span.length.min(wanted);
        if length < span.length {
            self.rest = Some(Span {
                groups: span.groups.clone(),
                first: span.first + length,
                length: span.length - length,
            });
        }
        Ok(Some(Span { length, ..span }))
    }

    /// The next record batch: the same as of `__next__`, without holding what was read of all of it. A fault is the end.
    pub(crate) fn next_table(&mut self, py: Python<'_>) -> PyResult<Option<Table>> {
        let mut wanted = self.records.unwrap_or(usize::MAX);
        let mut table = Table::new(&self.columns);
        while wanted > 0
            && let Some(span) = self.next_span(py, wanted)?
        {
            wanted -= span.length;
            let is_first = table.rows() == 0;
            let outcome = py.detach(|| {
                if is_first {
                    let width = span.groups.width();
                    let rows = self.records.unwrap_or(span.length).min(ROWS) * width;
                    table.reserve(rows, self.bytes + self.bytes / 64);
                }
                table.add(&span.rows())
            });
            if let Err(fault) = outcome {
                // What follows is not given either: rows would be missing between.
                self.close(py);
                return Err(fault.into_python(py));
            }
            if self.records.is_none() && table.rows() > 0 {
                break;
            }
        }
        self.bytes = table.longest();
        Ok((table.rows() > 0).then_some(table))
    }
}

#[pymethods]
impl BatchIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Batch>> {
        let mut wanted = self.records.unwrap_or(usize::MAX);
        let mut spans: Vec<Span> = Vec::new();
        while wanted > 0
            && let Some(span) = self.next_span(py, wanted)?
        {
            wanted -= span.length;
            if span.length > 0 {
                spans.push(span);
            }
            if self.records.is_none() && !spans.is_empty() {
                break;
            }
        }
        let Some(first) = spans.first() else {
            return Ok(None);
        };
        let has_mates = first.groups.width() > 1;
        Ok(Some(Batch::new(
            spans,
            Arc::clone(&self.columns),
            has_mates,
        )))
    }

    /// Stop, and let go of threads and files.
    fn close(&mut self, py: Python<'_>) {
        self.rest = None;
        py.detach(|| self.stream.close());
    }
}

/// As [`Record`]s are views of a batch, so that both can be kept by Python for as long as it likes.
const _: fn() = || {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Record>();
    is_shared::<Batch>();
};
