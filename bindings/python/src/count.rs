//! Counts of k-mers, and databases of them.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use thalweg::Fault;
use thalweg::count::CountSettings;
use thalweg::kmers::database::{self, DatabaseFormat, KmerRecords, Lookup, SortOptions};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::kmers::{self, Kmer};

use crate::errors;
use crate::numbers;
use crate::open::Paths;
use crate::parameters::{self, budget, number};
use crate::waiting;

/// Count the k-mers of files.
///
/// Parameters
/// ----------
/// paths : str, os.PathLike or list of them
///     FASTQ or FASTA, compressed or not; all files together.
/// k : int
///     Bases of a k-mer, 1 to 255.
/// output : str or os.PathLike, optional
///     Where the database goes; if left out, it lives as long as what is returned, in the directory for temporary files.
/// format : {'thk', 'jellyfish', 'kmc', 'tsv', 'fasta'}
///     Of the database.
/// canonical : bool, default True
///     Count a k-mer and its reverse complement as one.
/// min_count, max_count : int, optional
///     Leave out k-mers that occur less, or more, often.
/// min_quality : int, default 0
///     Bases of a lower Phred quality break k-mers.
/// memory : int or str, optional
///     Bytes that the process may have in all, such as ``'2G'``; half of what is available if left out.
/// provenance : bool, default True
///     Note the command, the directory and the time in the database. Without, equal reads make equal bytes.
/// threads : int, default 0
///     0 for as many as there are cores.
///
/// Returns
/// -------
/// Database
///
/// Raises
/// ------
/// OSError
///     If a file cannot be read or written.
/// Error
///     If there is a fault in the reads.
#[pyfunction]
#[pyo3(signature = (paths, k, *, output=None, format="thk", canonical=true, min_count=1, max_count=None, min_quality=0, memory=None, provenance=true, threads=0))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn count(
    py: Python<'_>,
    paths: Paths,
    k: i128,
    output: Option<PathBuf>,
    format: &str,
    canonical: bool,
    min_count: i128,
    max_count: Option<i128>,
    min_quality: i128,
    memory: Option<Size>,
    provenance: bool,
    threads: i128,
) -> PyResult<Database> {
    let mut settings = CountSettings::new(number("k", k)?, paths.0);
    settings.format = match format {
        "thk" => DatabaseFormat::Thk,
        "jellyfish" => DatabaseFormat::Jellyfish,
        "kmc" => DatabaseFormat::Kmc,
        "tsv" => DatabaseFormat::Tsv,
        "fasta" => DatabaseFormat::Fasta,
        other => {
            let what = format!("'thk', 'jellyfish', 'kmc', 'tsv' or 'fasta', not '{other}'");
            return Err(errors::of_value("format", what));
        }
    };
    settings.forward = !canonical;
    settings.least = number("min_count", min_count)?;
    settings.most = match max_count {
        None => u64::MAX,
        Some(most) => number("max_count", most)?,
    };
    settings.provenance = provenance;
    settings.minimum_quality = number("min_quality", min_quality)?;
    settings.threads = budget(threads)?.threads();
    settings.memory = memory.map(|Size(bytes)| bytes);
    let (place, temporary) = match output {
        Some(output) => (output, None),
        None => {
            let folder = py
                .import("tempfile")?
                .getattr("TemporaryDirectory")?
                .call0()?;
            let place: PathBuf = folder.getattr("name")?.extract()?;
            (place.join("counts"), Some(Temporary(folder.unbind())))
        }
    };
    settings.output = Some(place.clone());
    waiting::job(py, move |control| settings.run(control))?;
    Database::open(py, place, temporary)
}

/// Bytes, as a number or as text with a unit.
pub(crate) struct Size(pub(crate) u64);

impl<'py> FromPyObject<'_, 'py> for Size {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Ok(text) = object.cast::<PyString>() else {
            let number = object.extract::<u64>();
            return number.map(Self).map_err(|_| {
                PyTypeError::new_err("bytes as an int, or a str such as '2G' or '512Mi'")
            });
        };
        let text = text.to_str()?;
        let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
        let unit: u64 = match text[digits.len()..].trim_end_matches('B') {
            "" => 1,
            "k" | "K" => 1000,
            "M" => 1_000_000,
            "G" => 1_000_000_000,
            "T" => 1_000_000_000_000,
            "Ki" => 1 << 10,
            "Mi" => 1 << 20,
            "Gi" => 1 << 30,
            "Ti" => 1 << 40,
            _ => 0,
        };
        let number = digits.parse::<u64>().ok().filter(|_| unit > 0);
        let bytes = number.and_then(|number| number.checked_mul(unit));
        bytes.map(Self).ok_or_else(|| {
            let what = format!("bytes such as '2G' or '512Mi', not '{text}'");
            errors::of_value("memory", what)
        })
    }
}

/// A folder of Python's that is there as long as this.
struct Temporary(Py<PyAny>);

impl Drop for Temporary {
    fn drop(&mut self) {
        // When the interpreter has ended, it has cleaned up itself.
        let _ = Python::try_attach(|py| self.0.call_method0(py, "cleanup").map(drop));
    }
}

/// Open a database of counts, of any format that thalweg, Jellyfish or KMC write.
///
/// Parameters
/// ----------
/// path : str or os.PathLike
///
/// Returns
/// -------
/// Database
#[pyfunction]
#[pyo3(signature = (path))]
pub(crate) fn open_database(py: Python<'_>, path: PathBuf) -> PyResult<Database> {
    Database::open(py, path, None)
}

/// Counted k-mers: look-ups, the spectrum, and all of them in order of the file.
///
/// A k-mer is a `str` of bases, or, up to k = 32, a number of two bits for each: A is 0, C 1, G 2 and T 3, the last base in
/// the lowest bits. Of canonical databases either strand can be looked up.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct Database {
    database: database::Database,
    search: Mutex<Box<dyn Search>>,
    temporary: Option<Temporary>,
}

impl Database {
    fn open(py: Python<'_>, path: PathBuf, temporary: Option<Temporary>) -> PyResult<Self> {
        let opened = py.detach(|| {
            let database = database::open(path)?;
            let search = dispatch(database.header().k, OpenSearch(&database))??;
            Ok((database, search))
        });
        let (database, search) = opened.map_err(|error| of_kmers(py, error))?;
        Ok(Self {
            database,
            search: Mutex::new(search),
            temporary,
        })
    }

    fn find(&self, py: Python<'_>, wanted: Wanted) -> PyResult<Vec<u64>> {
        let k = self.database.header().k;
        let found = py.detach(|| {
            let mut search = self.search.lock().unwrap_or_else(PoisonError::into_inner);
            match wanted {
                Wanted::Letters(kmers) => {
                    let find = |kmer: &String| search.find_letters(kmer.as_bytes());
                    kmers.iter().map(find).collect::<kmers::Result<Vec<_>>>()
                }
                Wanted::Numbers(kmers) => {
                    kmers.iter().map(|kmer| search.find_number(*kmer)).collect()
                }
            }
        });
        let found = found.map_err(|error| match error {
            kmers::Error::NoKmer { letters, .. } => {
                let what = format!(
                    "'{letters}' is not a k-mer: use exactly {k} letters of A, C, G, T or U"
                );
                errors::of_value("kmer", what)
            }
            error => of_kmers(py, error),
        })?;
        Ok(found.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Numbers that can be k-mers.
    fn check_numbers(&self, kmers: &[u64]) -> PyResult<()> {
        let k = self.database.header().k;
        if k > 32 {
            let what = format!("k is {k}, but numbers have room for 32 bases: use letters");
            return Err(errors::of_value("kmers", what));
        }
        let bits = 2 * k as u32;
        match kmers
            .iter()
            .find(|kmer| kmer.checked_shr(bits).unwrap_or(0) != 0)
        {
            None => Ok(()),
            Some(kmer) => {
                let what = format!("{kmer} is not a k-mer of {k} bases");
                Err(errors::of_value("kmers", what))
            }
        }
    }
}

#[pymethods]
impl Database {
    /// The file, or what the files' names have in common.
    #[getter]
    fn path(&self) -> OsString {
        self.database.path().as_os_str().to_owned()
    }

    /// Bases of a k-mer.
    #[getter]
    fn k(&self) -> usize {
        self.database.header().k
    }

    /// Whether a k-mer stands for its reverse complement, too; `None` if the file does not say.
    #[getter]
    fn canonical(&self) -> Option<bool> {
        self.database.header().canonical
    }

    /// Number of different k-mers; `None` if the file does not say.
    #[getter]
    fn distinct(&self) -> Option<u64> {
        self.database.header().distinct
    }

    /// Sum of all counts; `None` if the file does not say.
    #[getter]
    fn total(&self) -> Option<u128> {
        self.database.stored_totals().map(|totals| totals.total)
    }

    /// The count of a k-mer: 0 if it was not seen.
    fn __getitem__(&self, py: Python<'_>, kmer: &Bound<'_, PyAny>) -> PyResult<u64> {
        let wanted = if let Ok(letters) = kmer.extract::<String>() {
            Wanted::Letters(vec![letters])
        } else if let Ok(number) = kmer.extract::<u64>() {
            self.check_numbers(&[number])?;
            Wanted::Numbers(vec![number])
        } else {
            return Err(PyTypeError::new_err(
                "argument 'kmer': a str of bases, or an int of two bits for each",
            ));
        };
        let found = self.find(py, wanted)?;
        found
            .first()
            .copied()
            .ok_or_else(|| PyKeyError::new_err(()))
    }

    /// The counts of many k-mers.
    ///
    /// Parameters
    /// ----------
    /// kmers : list of str, or numpy.ndarray of uint64
    ///
    /// Returns
    /// -------
    /// numpy.ndarray of uint64
    ///     In the same order; 0 for those that were not seen. Without numpy, a `memoryview` of them.
    fn get_many<'py>(
        &self,
        py: Python<'py>,
        kmers: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let wanted = if let Some(kmers) = numbers::from_array(py, kmers) {
            self.check_numbers(&kmers)?;
            Wanted::Numbers(kmers)
        } else if let (false, Ok(kmers)) = (
            kmers.is_instance_of::<PyString>(),
            kmers.extract::<Vec<String>>(),
        ) {
            Wanted::Letters(kmers)
        } else {
            return Err(PyTypeError::new_err(
                "argument 'kmers': a list of str, or an array of uint64",
            ));
        };
        numbers::array(py, &self.find(py, wanted)?)
    }

    /// Have all k-mers in memory, 17 bytes for each of up to 32 bases: many times faster for many look-ups.
    ///
    /// Parameters
    /// ----------
    /// threads : int, default 0
    ///     0 for as many as there are cores.
    #[pyo3(signature = (*, threads=0))]
    fn load(&self, py: Python<'_>, threads: i128) -> PyResult<()> {
        let threads = budget(threads)?.threads();
        let k = self.database.header().k;
        let task = LoadSearch(self.database.clone(), threads);
        let loaded = waiting::beside(py, &Arc::default(), move || dispatch(k, task)?)?;
        let search = loaded.map_err(|error| of_kmers(py, error))?;
        // Who looks up meanwhile holds the lock: others use the interpreter until it is open.
        py.detach(|| *self.search.lock().unwrap_or_else(PoisonError::into_inner) = search);
        Ok(())
    }

    /// How many k-mers have which count.
    ///
    /// Returns
    /// -------
    /// tuple of two numpy.ndarray of uint64
    ///     The counts that there are, ascending; and for each, how many k-mers have it.
    fn histogram<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let database = self.database.clone();
        let read = move || database.histogram(&SortOptions::default());
        let histogram = waiting::beside(py, &Arc::default(), read)?;
        let histogram = histogram.map_err(|error| of_kmers(py, error))?;
        let (counts, kmers): (Vec<u64>, Vec<u64>) = histogram.iter().unzip();
        Ok((numbers::array(py, &counts)?, numbers::array(py, &kmers)?))
    }

    /// All k-mers with their counts, in the order of the file.
    ///
    /// Parameters
    /// ----------
    /// records : int, default 65536
    ///     How many come at a time.
    ///
    /// Returns
    /// -------
    /// KmerBatches
    ///     An iterator of pairs of `numpy.ndarray` of ``uint64``: k-mers as numbers, and counts. For k up to 32.
    #[pyo3(signature = (records=65536))]
    fn batches(&self, py: Python<'_>, records: i128) -> PyResult<KmerBatches> {
        let records = parameters::records(records)?;
        self.check_numbers(&[])?;
        Ok(KmerBatches {
            rows: self.rows(py)?,
            records,
        })
    }

    /// All k-mers as tuples of their letters and their count, in the order of the file.
    fn __iter__(&self, py: Python<'_>) -> PyResult<KmerIterator> {
        Ok(KmerIterator {
            rows: self.rows(py)?,
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (OsString,))> {
        if self.temporary.is_some() {
            return Err(PyTypeError::new_err(
                "a database without a name ends with its process: count with output=",
            ));
        }
        let open = py.import("thalweg._thalweg")?.getattr("open_database")?;
        Ok((open, (self.path(),)))
    }

    fn __repr__(&self) -> String {
        let (path, k) = (self.database.path().display(), self.database.header().k);
        format!("<thalweg.Database {path}, k = {k}>")
    }
}

impl Database {
    fn rows(&self, py: Python<'_>) -> PyResult<Mutex<Box<dyn Rows>>> {
        let rows = dispatch(self.database.header().k, OpenRows(&self.database));
        let rows = rows.and_then(|rows| rows);
        rows.map(Mutex::new).map_err(|error| of_kmers(py, error))
    }
}

/// k-mers and counts as arrays.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct KmerBatches {
    rows: Mutex<Box<dyn Rows>>,
    records: usize,
}

#[pymethods]
impl KmerBatches {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
        let next = py.detach(|| {
            let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
            rows.next_numbers(self.records)
        });
        let (kmers, counts) = next.map_err(|error| of_kmers(py, error))?;
        if kmers.is_empty() {
            return Ok(None);
        }
        Ok(Some((
            numbers::array(py, &kmers)?,
            numbers::array(py, &counts)?,
        )))
    }
}

/// k-mers and counts as tuples.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct KmerIterator {
    rows: Mutex<Box<dyn Rows>>,
}

#[pymethods]
impl KmerIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<(String, u64)>> {
        // The lock is open again before an exception is made, for which Python may switch to another thread.
        let next = self
            .rows
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .next_letters();
        next.map_err(|error| of_kmers(py, error))
    }
}

/// What is looked up.
enum Wanted {
    Letters(Vec<String>),
    Numbers(Vec<u64>),
}

/// Finds k-mers of any length.
trait Search: Send {
    fn find_letters(&mut self, letters: &[u8]) -> kmers::Result<Option<u64>>;
    fn find_number(&mut self, kmer: u64) -> kmers::Result<Option<u64>>;
}

impl<K: Kmer> Search for Lookup<K> {
    fn find_letters(&mut self, letters: &[u8]) -> kmers::Result<Option<u64>> {
        Lookup::find_letters(self, letters)
    }

    fn find_number(&mut self, kmer: u64) -> kmers::Result<Option<u64>> {
        self.find(K::from_words(&[kmer, 0, 0, 0, 0, 0, 0, 0]))
    }
}

struct OpenSearch<'a>(&'a database::Database);

impl KmerTask for OpenSearch<'_> {
    type Output = kmers::Result<Box<dyn Search>>;

    fn run<K: Kmer>(self) -> Self::Output {
        Ok(Box::new(self.0.lookup::<K>()?))
    }
}

struct LoadSearch(database::Database, usize);

impl KmerTask for LoadSearch {
    type Output = kmers::Result<Box<dyn Search>>;

    fn run<K: Kmer>(self) -> Self::Output {
        Ok(Box::new(self.0.load::<K>(self.1)?.lookup()))
    }
}

/// k-mers of any length in the order of a file.
trait Rows: Send {
    fn next_numbers(&mut self, most: usize) -> kmers::Result<(Vec<u64>, Vec<u64>)>;
    fn next_letters(&mut self) -> kmers::Result<Option<(String, u64)>>;
}

struct RowsOf<K: Kmer> {
    records: KmerRecords<K>,
    k: usize,
}

impl<K: Kmer> Rows for RowsOf<K> {
    fn next_numbers(&mut self, most: usize) -> kmers::Result<(Vec<u64>, Vec<u64>)> {
        let (mut kmers, mut counts) = (Vec::new(), Vec::new());
        while kmers.len() < most
            && let Some((kmer, count)) = self.records.take_next()?
        {
            kmers.push(kmer.to_words()[0]);
            counts.push(count);
        }
        Ok((kmers, counts))
    }

    fn next_letters(&mut self) -> kmers::Result<Option<(String, u64)>> {
        let next = self.records.take_next()?;
        Ok(next.map(|(kmer, count)| (kmer.to_text(self.k), count)))
    }
}

struct OpenRows<'a>(&'a database::Database);

impl KmerTask for OpenRows<'_> {
    type Output = kmers::Result<Box<dyn Rows>>;

    fn run<K: Kmer>(self) -> Self::Output {
        Ok(Box::new(RowsOf {
            records: self.0.records::<K>()?,
            k: self.0.header().k,
        }))
    }
}

fn of_kmers(py: Python<'_>, error: kmers::Error) -> PyErr {
    errors::of_fault(py, &Fault::from(error))
}
