//! Single records.

use std::borrow::Cow;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView, PyString, PyTuple};

use thalweg::Format;
use thalweg::formats::{Records, Scanner};

use crate::grouping::Grouping;
use crate::stream::Stream;
use crate::view::View;

/// A read, as a view of the batch that holds it.
///
/// Nothing is copied or decoded before it is asked for. As long as a record is kept, so is its batch of some hundred
/// kilobytes: of few among many, keep what you need of them instead. Copied or pickled, it has its own bytes and no batch.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct Record {
    held: Held,
}

/// Where the bytes of a record are.
enum Held {
    InBatch {
        batch: Arc<thalweg::Batch>,
        block: u32,
        index: u32,
    },
    /// Of a record that was pickled.
    Alone(Box<Alone>),
}

/// A record with text of its own.
struct Alone {
    text: Vec<u8>,
    format: Format,
    /// As a scanner found it in the text.
    ends: Vec<u32>,
    rank: Option<u64>,
}

impl Alone {
    /// The record of these fields; an error for what no record has.
    fn new(
        header: &[u8],
        sequence: &[u8],
        quality: Option<&[u8]>,
        rank: Option<u64>,
    ) -> PyResult<Self> {
        // A field may end with a return, so that lines must not end without.
        let (format, fields) = match quality {
            Some(quality) => (
                Format::Fastq,
                vec![
                    b"@",
                    header,
                    b"\r\n",
                    sequence,
                    b"\r\n+\r\n",
                    quality,
                    b"\r\n",
                ],
            ),
            None if sequence.is_empty() => (Format::Fasta, vec![b">", header, b"\r\n"]),
            None => (
                Format::Fasta,
                vec![b">", header, b"\r\n", sequence, b"\r\n"],
            ),
        };
        let text: Vec<u8> = fields.concat();
        let mut ends = Vec::new();
        let scanned = Scanner::new(format).scan(&text, 0, true, usize::MAX, &mut ends);
        scanned.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let of = Records::new(&text, 0, format, &ends);
        let is_same = |record: thalweg::Record<'_>| {
            record.head() == header && *record.sequence() == *sequence
        };
        if of.get(1).is_some() || !of.get(0).is_some_and(is_same) {
            return Err(PyValueError::new_err(
                "these are not the fields of one record",
            ));
        }
        Ok(Self {
            text,
            format,
            ends,
            rank,
        })
    }
}

impl Record {
    #[inline]
    fn get(&self) -> thalweg::Record<'_> {
        let record = match &self.held {
            Held::InBatch {
                batch,
                block,
                index,
            } => batch.blocks()[*block as usize]
                .records()
                .get(*index as usize),
            Held::Alone(alone) => Records::new(&alone.text, 0, alone.format, &alone.ends).get(0),
        };
        record.expect("made with the number of a record")
    }

    fn view<'py>(
        &self,
        py: Python<'py>,
        bytes: Cow<'_, [u8]>,
    ) -> PyResult<Bound<'py, PyMemoryView>> {
        if let Cow::Borrowed(bytes) = bytes
            && let Held::InBatch { batch, block, .. } = &self.held
            && let Some(view) = View::of(py, batch, *block as usize, bytes)?
        {
            return Ok(view);
        }
        PyMemoryView::from(PyBytes::new(py, &bytes).as_any())
    }
}

#[pymethods]
impl Record {
    /// The name of the read: the header up to the first space or tab, as `str`.
    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, self.get().id())
    }

    /// What follows the first space or tab of the header, as `str`; empty if nothing does.
    #[getter]
    fn description<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, self.get().description())
    }

    /// The header line without its ``@`` or ``>``, as `str`.
    #[getter]
    fn header<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, self.get().head())
    }

    /// The sequence, as `str`.
    #[getter]
    fn sequence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        text(py, &self.get().sequence())
    }

    /// The qualities as they stand in FASTQ, a letter of ``!`` to ``~`` for each base, as `str`; `None` for FASTA.
    #[getter]
    fn quality<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        let quality = self.get().quality();
        quality.map(|quality| text(py, &quality)).transpose()
    }

    /// The header line without its ``@`` or ``>``, as a read-only `memoryview` of the batch.
    #[getter]
    fn header_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.view(py, Cow::Borrowed(self.get().head()))
    }

    /// The sequence, as a read-only `memoryview` of the batch (of a copy, if it is on several lines).
    #[getter]
    fn sequence_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyMemoryView>> {
        self.view(py, self.get().sequence())
    }

    /// The qualities, likewise; `None` for FASTA.
    #[getter]
    fn quality_bytes<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyMemoryView>>> {
        let quality = self.get().quality();
        quality.map(|quality| self.view(py, quality)).transpose()
    }

    /// The rank of the record in its file, counted from 0; `None` where it is not known: of parts of files without an
    /// index.
    #[getter]
    fn rank(&self) -> Option<u64> {
        match &self.held {
            Held::InBatch {
                batch,
                block,
                index,
            } => {
                let first = batch.blocks()[*block as usize].first_rank();
                first.map(|first| first + u64::from(*index))
            }
            Held::Alone(alone) => alone.rank,
        }
    }

    /// A pickled record has its own bytes and no batch.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let record = self.get();
        let bytes = |bytes: &[u8]| PyBytes::new(py, bytes);
        let fields = (
            bytes(record.head()),
            bytes(&record.sequence()),
            record.quality().map(|quality| bytes(&quality)),
            self.rank(),
        );
        let restore = py.import("thalweg._thalweg")?.getattr("restore_record")?;
        Ok((restore, fields.into_pyobject(py)?))
    }

    /// The number of bases.
    fn __len__(&self) -> usize {
        self.get().length()
    }

    fn __repr__(&self) -> String {
        let record = self.get();
        let name = String::from_utf8_lossy(record.id());
        format!("<thalweg.Record {name}, {} bases>", record.length())
    }
}

/// A record that was pickled.
#[pyfunction]
#[pyo3(signature = (header, sequence, quality, rank))]
pub(crate) fn restore_record(
    header: &[u8],
    sequence: &[u8],
    quality: Option<&[u8]>,
    rank: Option<u64>,
) -> PyResult<Record> {
    let alone = Alone::new(header, sequence, quality, rank)?;
    let held = Held::Alone(Box::new(alone));
    Ok(Record { held })
}

/// As UTF-8; other bytes as Python has them in names of files.
#[inline]
fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match PyString::from_bytes(py, bytes) {
        Ok(text) => Ok(text),
        Err(_) => {
            let bytes = PyBytes::new(py, bytes);
            let text = bytes.call_method1("decode", ("utf-8", "surrogateescape"))?;
            Ok(text.cast_into::<PyString>()?)
        }
    }
}

/// Records that belong together, of a batch.
#[derive(Clone)]
pub(crate) struct Groups {
    pub(crate) batch: Arc<thalweg::Batch>,
    pub(crate) grouping: Grouping,
}

impl Groups {
    pub(crate) fn new(batch: Arc<thalweg::Batch>, grouping: Grouping) -> Self {
        Self { batch, grouping }
    }

    /// Records of each group.
    pub(crate) fn width(&self) -> usize {
        self.grouping.width(&self.batch)
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.grouping.groups(&self.batch)
    }

    #[inline]
    pub(crate) fn record(&self, group: usize, mate: usize) -> Record {
        let (block, index) = self.grouping.place(group, mate);
        let held = Held::InBatch {
            batch: Arc::clone(&self.batch),
            // Positions in a block are of 32 bits.
            block: block as u32,
            index: index as u32,
        };
        Record { held }
    }

    /// A group as a tuple.
    pub(crate) fn tuple<'py>(
        &self,
        py: Python<'py>,
        group: usize,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let records = (0..self.width()).map(|mate| Py::new(py, self.record(group, mate)));
        PyTuple::new(py, records.collect::<PyResult<Vec<_>>>()?)
    }
}

/// Where an iteration is.
pub(crate) struct Cursor {
    stream: Stream,
    grouping: Grouping,
    at_hand: Option<Groups>,
    next: usize,
    length: usize,
}

impl Cursor {
    pub(crate) fn new(stream: Stream, grouping: Grouping) -> Self {
        Self {
            stream,
            grouping,
            at_hand: None,
            next: 0,
            length: 0,
        }
    }

    /// The next group, and its number in its batch.
    #[inline]
    fn next(&mut self, py: Python<'_>) -> PyResult<Option<(&Groups, usize)>> {
        while self.next == self.length {
            self.at_hand = None;
            let Some(batch) = self.stream.next(py)? else {
                return Ok(None);
            };
            let groups = Groups::new(Arc::new(batch), self.grouping);
            (self.next, self.length) = (0, groups.len());
            self.at_hand = Some(groups);
        }
        let group = self.next;
        self.next += 1;
        Ok(self.at_hand.as_ref().map(|groups| (groups, group)))
    }
}

/// Records in the order of the input. Its threads end with it.
#[pyclass(module = "thalweg._thalweg")]
pub(crate) struct RecordIterator(pub(crate) Cursor);

#[pymethods]
impl RecordIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Record>> {
        let next = self.0.next(py)?;
        Ok(next.map(|(groups, group)| groups.record(group, 0)))
    }

    /// Stop, and let go of threads and files.
    fn close(&mut self, py: Python<'_>) {
        self.0.at_hand = None;
        (self.0.next, self.0.length) = (0, 0);
        py.detach(|| self.0.stream.close());
    }
}

/// Tuples of mates in the order of the input. Its threads end with it.
#[pyclass(module = "thalweg._thalweg")]
pub(crate) struct PairIterator(pub(crate) Cursor);

#[pymethods]
impl PairIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let next = self.0.next(py)?;
        next.map(|(groups, group)| groups.tuple(py, group))
            .transpose()
    }

    /// Stop, and let go of threads and files.
    fn close(&mut self, py: Python<'_>) {
        self.0.at_hand = None;
        (self.0.next, self.0.length) = (0, 0);
        py.detach(|| self.0.stream.close());
    }
}
