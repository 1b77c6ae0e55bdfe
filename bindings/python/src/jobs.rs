//! Jobs of the library on whole files: statistics, indexes, and whether files are what they were.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use thalweg::index::{Index as IndexData, IndexSettings};
use thalweg::stats::{FileStatistics, StatsSettings};
use thalweg::verify::VerifySettings;
use thalweg::{Checkpoints, DEFAULT_SPAN, IndexOptions, VerifyReport};

use crate::open::Paths;
use crate::parameters::{budget, index_use, number};
use crate::waiting;

/// Count reads, bases and lengths of files; each file for itself.
///
/// Parameters
/// ----------
/// paths : str, os.PathLike or list of them
/// quality : bool, default False
///     Also sum up qualities, which takes a little longer.
/// threads : int, default 0
///     0 for as many as there are cores.
/// index : {'auto', 'never', 'require'}
///
/// Returns
/// -------
/// dict
///     What ``thalweg stats --json`` prints: ``{'files': [{'file': ..., 'reads': ..., 'bases': ..., ...}, ...]}``.
///     ``mean_quality`` is the mean of all Phred values.
///
/// Raises
/// ------
/// Error
///     Of the first file that has a fault.
#[pyfunction]
#[pyo3(signature = (paths, *, quality=false, threads=0, index="auto"))]
pub(crate) fn stats<'py>(
    py: Python<'py>,
    paths: Paths,
    quality: bool,
    threads: i128,
    index: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let mut settings = StatsSettings::new(paths.0);
    settings.qualities = quality;
    settings.indexes.using = index_use(index)?;
    settings.budget = budget(threads)?;
    let counted = waiting::job(py, move |control| settings.run(control))?;
    let files = PyList::empty(py);
    for file in counted {
        files.append(of_file(py, &file)?)?;
    }
    let all = PyDict::new(py);
    all.set_item("files", files)?;
    Ok(all)
}

/// The names, and their order, are those of `thalweg stats --json`.
fn of_file<'py>(py: Python<'py>, counted: &FileStatistics) -> PyResult<Bound<'py, PyDict>> {
    /// Letters with a field each; both cases count.
    const LETTERS: [u8; 5] = *b"ACGTN";

    let FileStatistics {
        path,
        format,
        statistics,
        first_record: _,
    } = counted;
    let percent = |share: Option<f64>| share.map(|share| share * 100.0);
    let letters = statistics.letters();
    let both_cases =
        |letter: u8| letters.count(letter) + letters.count(letter.to_ascii_lowercase());
    let exact = PyDict::new(py);
    for (letter, count) in letters.iter() {
        let name = match letter.is_ascii_graphic() {
            true => char::from(letter).to_string(),
            false => format!("0x{letter:02x}"),
        };
        exact.set_item(name, count)?;
    }
    let file = PyDict::new(py);
    file.set_item("file", path.as_os_str())?;
    file.set_item("format", format.to_ascii_lowercase())?;
    file.set_item("reads", statistics.reads())?;
    file.set_item("bases", statistics.bases())?;
    for letter in LETTERS {
        file.set_item(char::from(letter).to_string(), both_cases(letter))?;
    }
    let named: u64 = LETTERS.into_iter().map(both_cases).sum();
    file.set_item("other", letters.total() - named)?;
    file.set_item("letters", exact)?;
    file.set_item("min_length", statistics.shortest())?;
    file.set_item("mean_length", statistics.mean_length())?;
    file.set_item("max_length", statistics.longest())?;
    file.set_item("n50", statistics.n50())?;
    file.set_item("l50", statistics.l50())?;
    file.set_item("gc_percent", percent(statistics.gc()))?;
    if statistics.qualities().is_some() {
        file.set_item("q20_percent", percent(statistics.q20()))?;
        file.set_item("q30_percent", percent(statistics.q30()))?;
        file.set_item("mean_quality", statistics.mean_quality())?;
        let of_mean_error = statistics.quality_of_mean_error();
        file.set_item("quality_of_mean_error", of_mean_error)?;
    }
    Ok(file)
}

/// The index of a gzip file, with which all cores decode their own part of it.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct Index {
    path: PathBuf,
    index: IndexData,
}

#[pymethods]
impl Index {
    /// Where it lies.
    #[getter]
    fn path(&self) -> OsString {
        self.path.clone().into_os_string()
    }

    /// Number of records of the file; `None` if the index does not say.
    #[getter]
    fn records(&self) -> Option<u64> {
        self.index.has_records.then_some(self.index.record_count)
    }

    /// Bytes of the file.
    #[getter]
    fn compressed_size(&self) -> u64 {
        self.index.identity.compressed_size
    }

    /// Bytes of what it holds.
    #[getter]
    fn uncompressed_size(&self) -> u64 {
        self.index.output_size
    }

    /// Number of places where decoding can begin.
    #[getter]
    fn checkpoints(&self) -> usize {
        self.index.chunks()
    }

    /// BLAKE3 of the file, as 64 hexadecimal digits; `None` if the index does not say.
    #[getter]
    fn blake3(&self) -> Option<String> {
        self.index.identity.blake3.as_ref().map(hexadecimal)
    }

    fn __repr__(&self) -> String {
        let (path, records) = (self.path.display(), self.index.record_count);
        format!("<thalweg.Index {path}, {records} records>")
    }
}

fn hexadecimal(bytes: &[u8; 32]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Make the index of a gzip file, once for all later reading, or open the one that is there.
///
/// Parameters
/// ----------
/// path : str or os.PathLike
///     A gzip file of FASTQ or FASTA.
/// output : str or os.PathLike, optional
///     Where the index goes; beside the file, with ``.thw`` behind its name, if left out.
/// force : bool, default False
///     Make it anew where there is one.
/// span : int, optional
///     Uncompressed bytes between places where decoding can begin.
/// threads : int, default 0
///     0 for as many as there are cores.
///
/// Returns
/// -------
/// Index
///
/// Raises
/// ------
/// OSError
///     If the file cannot be read, or the index not be written.
/// Error
///     If the file is no gzip file of reads or is damaged, or there is an index of another file.
#[pyfunction]
#[pyo3(signature = (path, *, output=None, force=false, span=None, threads=0))]
pub(crate) fn index(
    py: Python<'_>,
    path: PathBuf,
    output: Option<PathBuf>,
    force: bool,
    span: Option<i128>,
    threads: i128,
) -> PyResult<Index> {
    let mut settings = IndexSettings::new([path]);
    settings.output = output;
    settings.force = force;
    settings.options = IndexOptions {
        checkpoints: Checkpoints::Span(match span {
            None => DEFAULT_SPAN,
            Some(span) => number("span", span)?,
        }),
        budget: budget(threads)?,
        ..IndexOptions::default()
    };
    let made = waiting::job(py, move |control| {
        settings.index(&settings.files[0], control)
    })?;
    Ok(Index {
        path: made.path,
        index: made.index,
    })
}

/// Verify a file: against its index if there is one, and with `full` all its data.
///
/// Parameters
/// ----------
/// path : str or os.PathLike
/// full : bool, default True
///     Decode everything, and check every checksum, record and letter.
/// index : {'auto', 'never', 'require'}
/// threads : int, default 0
///     0 for as many as there are cores.
///
/// Returns
/// -------
/// dict
///     What was verified; `None` where something could not be: ``indexed``, ``blake3``, ``hash_matches``, ``chunks``,
///     ``members``, ``records``.
///
/// Raises
/// ------
/// Error
///     The first thing that is wrong.
#[pyfunction]
#[pyo3(signature = (path, *, full=true, index="auto", threads=0))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    path: PathBuf,
    full: bool,
    index: &str,
    threads: i128,
) -> PyResult<Bound<'py, PyDict>> {
    let mut settings = VerifySettings::new([path]);
    settings.full = full;
    settings.indexes.using = index_use(index)?;
    settings.threads = budget(threads)?.threads();
    let verified = waiting::job(py, move |control| settings.verify(0, control))?;
    let VerifyReport {
        indexed,
        blake3,
        hash_matches,
        chunks,
        members,
        records,
        ..
    } = verified;
    let report = PyDict::new(py);
    report.set_item("indexed", indexed)?;
    report.set_item("blake3", blake3.as_ref().map(hexadecimal))?;
    report.set_item("hash_matches", hash_matches)?;
    report.set_item("chunks", chunks)?;
    report.set_item("members", members)?;
    report.set_item("records", records)?;
    Ok(report)
}
