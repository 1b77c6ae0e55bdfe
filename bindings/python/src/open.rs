//! What a user begins with.

use std::path::PathBuf;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::description::{Description, Part};
use crate::errors;
use crate::parameters::{self, index_use};
use crate::source::Source;
use crate::stamp::{self, Stamp};

/// A file, or several that follow one another.
pub(crate) struct Paths(pub(crate) Vec<PathBuf>);

impl<'py> FromPyObject<'_, 'py> for Paths {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(path) = object.extract::<PathBuf>() {
            return Ok(Self(vec![path]));
        }
        let wrong = || {
            let kind = object.get_type().name().map(|name| name.to_string());
            PyTypeError::new_err(format!(
                "a str, an os.PathLike or a list of them, not {}",
                kind.unwrap_or_default()
            ))
        };
        if object.is_instance_of::<PyBytes>() {
            return Err(wrong());
        }
        let items = object.try_iter().map_err(|_| wrong())?;
        let paths = items.map(|item| item?.extract::<PathBuf>().map_err(|_| wrong()));
        paths.collect::<PyResult<_>>().map(Self)
    }
}

/// Open files of reads, to be read with all cores.
///
/// FASTQ, FASTA or BAM, plain or compressed with gzip, BGZF, zstd, bzip2 or xz: what a file is, is told from its content.
/// An index beside a gzip file is used.
///
/// Parameters
/// ----------
/// paths : str, os.PathLike or list of them
///     A file, or several that follow one another; ``'-'`` is the standard input.
/// threads : int, default 0
///     How many threads decode, while an iteration or a job is under way; 0 for as many as there are cores.
/// index : {'auto', 'never', 'require'}
///     What to do about indexes.
/// interleaved : bool, default False
///     Records 2i and 2i + 1 are mates: then this gives `Mates`.
/// check_end : bool, default True
///     Whether BAM must end with the end-of-file block of BGZF, which a writer that was killed leaves out.
///
/// Returns
/// -------
/// Reads
///     Or `Mates`, of interleaved files.
///
/// Raises
/// ------
/// OSError
///     If a file cannot be opened.
/// Error
///     If it holds no reads, or has an index of another file.
///
/// Examples
/// --------
/// >>> for read in thalweg.open("reads.fastq.gz"):  # doctest: +SKIP
/// ...     print(read.name, len(read))
#[pyfunction]
#[pyo3(signature = (paths, *, threads=0, index="auto", interleaved=false, check_end=true))]
pub(crate) fn open<'py>(
    py: Python<'py>,
    paths: Paths,
    threads: i128,
    index: &str,
    interleaved: bool,
    check_end: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if paths.0.is_empty() {
        return Err(errors::of_value("paths", "no file"));
    }
    open_description(
        py,
        Description {
            sets: paths.0.into_iter().map(|path| vec![path]).collect(),
            interleaved,
            check_names: true,
            check_end,
            threads: parameters::threads(threads)?,
            index: index.to_owned(),
            part: Part::All,
            stamps: Vec::new(),
        },
    )
}

/// Open files that are read in step: paired ends, or reads with their index reads.
///
/// Parameters
/// ----------
/// *paths : str, os.PathLike or list of them
///     A file for each mate; a list for each, if several follow one another.
/// threads : int, default 0
///     How many threads decode, while an iteration or a job is under way; 0 for as many as there are cores.
/// index : {'auto', 'never', 'require'}
///     What to do about indexes.
/// check_names : bool, default True
///     Whether mates must have the same name, but for what tells them apart.
/// check_end : bool, default True
///     Whether BAM must end with the end-of-file block of BGZF.
///
/// Returns
/// -------
/// Mates
///
/// Raises
/// ------
/// OSError
///     If a file cannot be opened.
/// MatesError
///     If indexes tell that the files have different numbers of records. Without, iterations raise it.
/// Error
///     If a file holds no reads, or has an index of another file.
#[pyfunction]
#[pyo3(signature = (*paths, threads=0, index="auto", check_names=true, check_end=true))]
pub(crate) fn open_mates<'py>(
    py: Python<'py>,
    paths: &Bound<'py, PyTuple>,
    threads: i128,
    index: &str,
    check_names: bool,
    check_end: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let of_mates = paths.iter().map(|paths| paths.extract::<Paths>());
    let of_mates = of_mates
        .collect::<PyResult<Vec<Paths>>>()
        .map_err(|error| PyTypeError::new_err(format!("argument 'paths': {}", error.value(py))))?;
    let lanes = of_mates.first().map_or(0, |paths| paths.0.len());
    if of_mates.len() < 2 || lanes == 0 {
        let what = "two files or more, one for each mate (open has interleaved=True)";
        return Err(errors::of_value("paths", what));
    }
    if of_mates.iter().any(|paths| paths.0.len() != lanes) {
        return Err(errors::of_value("paths", "as many files for each mate"));
    }
    let of_lane = |lane: usize| {
        let files = of_mates.iter().map(|paths| paths.0[lane].clone());
        files.collect::<Vec<PathBuf>>()
    };
    open_description(
        py,
        Description {
            sets: (0..lanes).map(of_lane).collect(),
            interleaved: false,
            check_names,
            check_end,
            threads: parameters::threads(threads)?,
            index: index.to_owned(),
            part: Part::All,
            stamps: Vec::new(),
        },
    )
}

fn open_description(py: Python<'_>, mut description: Description) -> PyResult<Bound<'_, PyAny>> {
    index_use(&description.index)?;
    description.stamps = stamp::of_all(&description.sets);
    let source = Source::new(description);
    source.check(py)?;
    source.into_python(py)
}

/// What was pickled.
#[pyfunction]
#[pyo3(signature = (sets, interleaved, check_names, check_end, threads, index, part, stamps))]
#[expect(clippy::too_many_arguments, reason = "what a description has")]
pub(crate) fn restore<'py>(
    py: Python<'py>,
    sets: Vec<Vec<PathBuf>>,
    interleaved: bool,
    check_names: bool,
    check_end: bool,
    threads: i128,
    index: String,
    part: Option<(String, u64, u64)>,
    stamps: Vec<Stamp>,
) -> PyResult<Bound<'py, PyAny>> {
    let description = Description {
        sets,
        interleaved,
        check_names,
        check_end,
        threads: parameters::threads(threads)?,
        index,
        part: Part::of_state(part)?,
        stamps,
    };
    Source::new(description).into_python(py)
}

/// As ``source.select(columns, records)``.
#[pyfunction]
#[pyo3(signature = (source, columns, records))]
pub(crate) fn select(
    source: &Bound<'_, Source>,
    columns: Vec<String>,
    records: Option<i128>,
) -> PyResult<Py<PyAny>> {
    source
        .call_method1("select", (columns, records))
        .map(Bound::unbind)
}
