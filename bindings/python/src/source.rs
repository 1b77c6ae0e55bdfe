//! `Reads` and `Mates`: what is to be read, of which every iteration begins anew.

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use thalweg::{ErrorKind, FilePlan, notes};

use crate::arrow;
use crate::batch::BatchIterator;
use crate::columns::{self, Column};
use crate::description::{Description, Part, names};
use crate::errors;
use crate::grouping::Grouping;
use crate::opened::Opened;
use crate::parameters;
use crate::record::{Cursor, PairIterator, RecordIterator};
use crate::selection::Selection;
use crate::stream::Stream;
use crate::table::{MadeTables, Tables};
use crate::waiting;

/// What `Reads` and `Mates` have in common: files to be read, as a description.
///
/// It has no open handles and no threads: every iteration and every job begins anew, so it can be pickled and given to
/// other processes.
#[pyclass(subclass, frozen, module = "thalweg._thalweg")]
pub(crate) struct Source {
    pub(crate) description: Description,
    opened: Opened,
}

impl Source {
    pub(crate) fn new(description: Description) -> Self {
        Self {
            description,
            opened: Opened::new(),
        }
    }

    /// As `Reads` or `Mates`.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        let has_mates = self.description.has_mates();
        let source = PyClassInitializer::from(self);
        Ok(match has_mates {
            true => Bound::new(py, source.add_subclass(Mates {}))?.into_any(),
            false => Bound::new(py, source.add_subclass(Reads {}))?.into_any(),
        })
    }

    /// Open it, to see whether it can be.
    pub(crate) fn check(&self, py: Python<'_>) -> PyResult<()> {
        let reads = self.open(py, &Arc::default())?;
        self.opened.keep(reads);
        Ok(())
    }

    fn open(&self, py: Python<'_>, cancel: &Arc<AtomicBool>) -> PyResult<thalweg::Reads> {
        let options = self.description.options(py, cancel)?;
        let outcome = match self.description.is_regular() {
            true => py.detach(|| thalweg::Reads::open(options)),
            false => waiting::beside(py, cancel, || thalweg::Reads::open(options))?,
        };
        outcome.map_err(|error| errors::of_reads(py, &error))
    }

    /// Open reads for an iteration.
    fn take(&self, py: Python<'_>) -> PyResult<thalweg::Reads> {
        let is_regular = self.description.is_regular();
        if self.opened.begin_reading() && !is_regular {
            let what = thalweg::Error::new(ErrorKind::Unsupported(
                "a pipe can be read once, and was: open it again",
            ));
            let path = self.description.sets.iter().flatten().next();
            let what = path.into_iter().fold(what, |what, path| what.in_file(path));
            return Err(errors::of_reads(py, &what));
        }
        let reads = match self.opened.take() {
            Some(reads) => reads,
            None => self.open(py, &Arc::default())?,
        };
        warn_of_unchecked_parts(py, &reads)?;
        Ok(reads)
    }

    pub(crate) fn stream(&self, py: Python<'_>) -> PyResult<Stream> {
        Ok(Stream::new(self.take(py)?, !self.description.is_regular()))
    }

    pub(crate) fn tables(&self, py: Python<'_>, columns: &Arc<[Column]>) -> PyResult<MadeTables> {
        let waits = !self.description.is_regular();
        let grouping = self.description.grouping();
        let reads = self.take(py)?;
        Ok(MadeTables::new(reads, waits, grouping, Arc::clone(columns)))
    }

    fn with_part(&self, part: Part) -> Self {
        Self::new(Description {
            part,
            ..self.description.clone()
        })
    }

    /// How the files are read; kept open for the next iteration.
    fn plan(&self, py: Python<'_>) -> PyResult<Vec<FilePlan>> {
        let reads = match self.opened.take() {
            Some(reads) => reads,
            None if self.opened.was_read() && !self.description.is_regular() => {
                return Ok(Vec::new());
            }
            None => self.open(py, &Arc::default())?,
        };
        let plan = reads.plan();
        self.opened.keep(reads);
        Ok(plan)
    }
}

/// Warns of parts that are read through indexes that have no checksums for them.
fn warn_of_unchecked_parts(py: Python<'_>, reads: &thalweg::Reads) -> PyResult<()> {
    let plans = reads.plan();
    let warnings = plans.iter().filter_map(notes::unchecked_part);
    waiting::warn(py, warnings.map(|warning| warning.text))
}

#[pymethods]
impl Source {
    /// The files, as they were named: for each of those that are read in step, those that follow one another.
    #[getter]
    fn paths(&self) -> Vec<Vec<OsString>> {
        names(&self.description.sets)
    }

    /// Threads; 0 for as many as there are cores.
    #[getter]
    fn threads(&self) -> usize {
        self.description.threads
    }

    /// ``'fastq'`` or ``'fasta'``; of formats that are no text, what theirs becomes. `None` of a pipe that was read.
    #[getter]
    fn format(&self, py: Python<'_>) -> PyResult<Option<String>> {
        let plan = self.plan(py)?;
        let first = plan.first();
        Ok(first.map(|file| file.format.name().to_ascii_lowercase()))
    }

    /// Whether every file has an index that is used.
    #[getter]
    fn indexed(&self, py: Python<'_>) -> PyResult<bool> {
        let plan = self.plan(py)?;
        Ok(!plan.is_empty() && plan.iter().all(|file| file.indexed))
    }

    /// How many records there are; of mates, how many pairs.
    ///
    /// With an index nothing is decoded for that. Without one the files are read, with all threads.
    ///
    /// Returns
    /// -------
    /// int
    ///
    /// Raises
    /// ------
    /// Error
    ///     As an iteration does, where the files are read.
    fn count(&self, py: Python<'_>) -> PyResult<u64> {
        if let Some(counts) = self.record_counts(py)? {
            return Ok(counts.into_iter().sum());
        }
        let shares = self.description.grouping().of_a_block() as u64;
        let cancel = Arc::default();
        let reads = match self.description.is_regular() {
            // Opened with a flag that stops it.
            true => {
                let reads = self.open(py, &cancel)?;
                warn_of_unchecked_parts(py, &reads)?;
                reads
            }
            false => self.take(py)?,
        };
        let outcome = waiting::beside(py, &cancel, || {
            reads.all_workers().fold(
                || 0,
                |sum, batch| *sum += batch.len() as u64,
                |sum, other| *sum += other,
            )
        })?;
        let records = outcome.map_err(|error| errors::of_reads(py, &error))?;
        Ok(records / shares)
    }

    /// How many records each of the files has that follow one another; of mates, how many pairs.
    ///
    /// Returns
    /// -------
    /// list of int, or None
    ///     `None` if not all have an index that says so, and of shards and selections.
    fn record_counts(&self, py: Python<'_>) -> PyResult<Option<Vec<u64>>> {
        if self.description.part != Part::All {
            return Ok(None);
        }
        let shares = self.description.grouping().of_a_block() as u64;
        let plan = self.plan(py)?;
        let known: Option<Vec<u64>> = plan.iter().map(|file| file.records).collect();
        let width = self.description.sets.first().map_or(1, Vec::len).max(1);
        Ok(known.filter(|known| !known.is_empty()).map(|known| {
            known
                .iter()
                .step_by(width)
                .map(|count| count / shares)
                .collect()
        }))
    }

    /// One of `of` parts of about equal size, which together hold every record once.
    ///
    /// Parameters
    /// ----------
    /// number : int
    ///     Which, counted from 0. The command counts from 1: its ``--shard 1/8`` is ``shard(0, 8)``.
    /// of : int
    ///     How many parts there are.
    ///
    /// Returns
    /// -------
    /// Reads or Mates
    ///     A description of that part. A part of a gzip file needs an index (`thalweg.index`).
    fn shard<'py>(&self, py: Python<'py>, number: i128, of: i128) -> PyResult<Bound<'py, PyAny>> {
        let (number, of) = (
            parameters::number("number", number)?,
            parameters::number("of", of)?,
        );
        if number >= of {
            let what = format!("{number} is not below {of}");
            return Err(errors::of_value("number", what));
        }
        self.with_part(Part::Shard { number, of }).into_python(py)
    }

    /// Only the records of some ranks.
    ///
    /// Parameters
    /// ----------
    /// start : int
    ///     The rank of the first, counted from 0.
    /// end : int, optional
    ///     The rank behind the last; all that follow, if it is left out.
    ///
    /// Returns
    /// -------
    /// Reads or Mates
    ///     A description of these records. With an index, nothing else is decoded.
    #[pyo3(signature = (start, end=None))]
    fn records<'py>(
        &self,
        py: Python<'py>,
        start: i128,
        end: Option<i128>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let start = parameters::number("start", start)?;
        let end = match end {
            None => u64::MAX,
            Some(end) => parameters::number("end", end)?,
        };
        if start > end {
            let what = format!("{end} is before the start, {start}");
            return Err(errors::of_value("end", what));
        }
        self.with_part(Part::Ranks { start, end }).into_python(py)
    }

    /// Batches of records in the order of the input: a sequence of records each, and a record batch of Arrow.
    ///
    /// Parameters
    /// ----------
    /// columns : list of str, optional
    ///     Those that a batch has as a table, as of `select`.
    /// records : int, optional
    ///     How many a batch has (pairs, of mates), but for the last. If left out, batches are as they are read: some
    ///     hundred kilobytes of text.
    ///
    /// Returns
    /// -------
    /// BatchIterator
    #[pyo3(signature = (columns=None, records=None))]
    fn batches(
        &self,
        py: Python<'_>,
        columns: Option<Vec<String>>,
        records: Option<i128>,
    ) -> PyResult<BatchIterator> {
        let columns = columns::parse(columns)?;
        let records = records.map(parameters::records).transpose()?;
        let stream = self.stream(py)?;
        Ok(BatchIterator::new(
            stream,
            self.description.grouping(),
            columns,
            records,
        ))
    }

    /// Some columns, as a table that libraries which know Arrow can read.
    ///
    /// Parameters
    /// ----------
    /// columns : list of str, optional
    ///     Of: ``name``, ``sequence``, ``quality`` (the three if left out), ``description``, ``length``,
    ///     ``mean_quality`` (the mean of Phred values), ``quality_of_mean_error`` (the Phred value of the mean error
    ///     probability), ``gc`` (share of G and C, 0 to 1), ``rank`` (in its file, from 0; null where it is not known) and
    ///     ``mate`` (0 or 1). Of BAM, tags: ``tag:RX`` is text as SAM has it, or int64 where the specification of tags has
    ///     whole numbers, as of ``tag:NM``; ``tag:qs:f``, ``tag:ch:i`` and ``tag:NM:Z`` state the type (float64, int64, utf8).
    ///     Records without that tag have null. What is not asked for is not copied.
    /// records : int, optional
    ///     Rows of a table (pairs, of mates). If left out, tables are as the threads make them that read, which is
    ///     faster: some ten thousand rows where all cores decode, and about a thousand where one after the other does.
    ///     An iteration of the selection gives batches as of `batches`: of so many records, 65536 if that is left out.
    ///     ``tables()`` gives tables as the threads make them, whatever `records` is.
    ///
    /// Returns
    /// -------
    /// Selection
    ///     For ``pyarrow.table(...)``, ``polars.DataFrame(...)``, ``duckdb.sql(...)`` and all who know Arrow's
    ///     PyCapsule interface. Mates have a row each, the first before the second. A fault is the end: tables before
    ///     the one in which it lies are given, nothing of that one, and none behind it.
    #[pyo3(signature = (columns=None, records=None))]
    fn select(
        slf: Bound<'_, Self>,
        columns: Option<Vec<String>>,
        records: Option<i128>,
    ) -> PyResult<Selection> {
        let records = records.map(parameters::records).transpose()?;
        Ok(Selection {
            columns: columns::parse(columns)?,
            records,
            source: slf.unbind(),
        })
    }

    /// All records as a stream of Arrow's C interface: columns name, sequence and quality.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        // What is asked for may be ignored: whoever asks casts.
        let _ = requested_schema;
        let tables = self.tables(py, &columns::parse(None)?)?;
        arrow::stream_capsule(py, Tables::Made(tables))
    }

    /// What columns that stream has.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        arrow::schema_capsule(py, &columns::parse(None)?)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let restore = py.import("thalweg._thalweg")?.getattr("restore")?;
        Ok((restore, self.description.state(py)?))
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.description == other.description
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.description.sets.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let Description { sets, part, .. } = &self.description;
        let kind = if self.description.has_mates() {
            "Mates"
        } else {
            "Reads"
        };
        let sets = sets.iter().map(|set| {
            let names = set.iter().map(|path| path.display().to_string());
            names.collect::<Vec<_>>().join(" with ")
        });
        let part = match part {
            Part::All => String::new(),
            Part::Shard { number, of } => format!(", shard {number} of {of}"),
            Part::Ranks { start, end } if *end == u64::MAX => format!(", records from {start}"),
            Part::Ranks { start, end } => format!(", records {start} to {end}"),
        };
        let sets = sets.collect::<Vec<_>>().join(", ");
        format!("<thalweg.{kind} of {sets}{part}>")
    }
}

/// Reads of files that follow one another: what `open` gives.
///
/// Every iteration begins anew, and gives `Record`.
#[pyclass(extends = Source, frozen, module = "thalweg._thalweg")]
pub(crate) struct Reads {}

#[pymethods]
impl Reads {
    fn __iter__(slf: PyRef<'_, Self>, py: Python<'_>) -> PyResult<RecordIterator> {
        let stream = slf.as_super().stream(py)?;
        Ok(RecordIterator(Cursor::new(stream, Grouping::InStep)))
    }
}

/// Mates, of files that are read in step, or of interleaved ones: what `open_mates` gives.
///
/// Every iteration begins anew, and gives tuples of `Record`, one of each mate. That mates have the same name, but for
/// what tells them apart, and that no file has more of them, is checked.
#[pyclass(extends = Source, frozen, module = "thalweg._thalweg")]
pub(crate) struct Mates {}

#[pymethods]
impl Mates {
    fn __iter__(slf: PyRef<'_, Self>, py: Python<'_>) -> PyResult<PairIterator> {
        let source = slf.as_super();
        let stream = source.stream(py)?;
        let grouping = source.description.grouping();
        Ok(PairIterator(Cursor::new(stream, grouping)))
    }
}
