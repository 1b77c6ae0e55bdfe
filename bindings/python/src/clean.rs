//! Cleaning reads.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use thalweg::clean::CleanSettings;
use thalweg::qc::{Options, UmiLocation};
use thalweg::write::Level;

use crate::count::Size;
use crate::errors;
use crate::open::Paths;
use crate::parameters::{self, index_use, number};
use crate::waiting;

/// Clean reads: trim, filter, correct and merge them, as ``thalweg qc`` does.
///
/// Parameters
/// ----------
/// in1 : str, os.PathLike or list of them
///     Single reads, or read 1 of pairs; several files are lanes of one sample.
/// in2 : str, os.PathLike or list of them, optional
///     Read 2, in as many files.
/// out1, out2 : str or os.PathLike, optional
///     Where reads go that pass, compressed as the names say. Without, nothing is written.
/// unpaired1, unpaired2, merged_out, failed_out : str or os.PathLike, optional
///     Where reads go whose mate fails, that were merged, that fail.
/// json, html : str or os.PathLike, optional
///     Where the reports go.
/// title : str, optional
///     Of the reports.
/// interleaved : bool, default False
///     Files of `in1` have pairs, one mate after the other.
/// ignore_names : bool, default False
///     Reads in the same position of both files are mates, whatever their names.
/// reads_to_process : int, default 0
///     Only so many of the first reads or pairs; 0 for all.
/// adapter_fasta, adapter_fasta_5p : str or os.PathLike, optional
///     FASTA of adapters to cut at the 3' end, and at the 5' end.
/// filter_by_index1, filter_by_index2 : str or os.PathLike, optional
///     Indexes, one in a line: reads with one of them as first, or second, index vanish.
/// compression : int, default 4
///     Of outputs, 1 to 12.
/// index : {'auto', 'never', 'require'}
///     What to do about indexes.
/// memory : int or str, optional
///     Bytes that output may hold while it waits for its turn.
/// threads : int, default 0
///     0 for as many as there are cores.
/// **steps
///     What becomes of the reads: options of ``thalweg qc`` and of fastp by their long names, with the same defaults, such
///     as ``cut_right=True``, ``length_required=50``, ``adapter_sequence='AGATCGGAAGAGC'``, ``umi=True, umi_loc='read1'``.
///     ``trim_poly_g`` is `None` (by the instrument), `True` or `False`.
///
/// Returns
/// -------
/// Cleaned
///     The report, as a dict and as text.
///
/// Raises
/// ------
/// UsageError
///     If options do not go together.
/// OSError
///     If a file cannot be read or written.
/// Error
///     If there is a fault in the reads. No output has its name then.
#[pyfunction]
#[pyo3(signature = (
    in1, in2=None, *, out1=None, out2=None, unpaired1=None, unpaired2=None, merged_out=None, failed_out=None,
    json=None, html=None, title=None, interleaved=false, ignore_names=false, reads_to_process=0, adapter_fasta=None,
    adapter_fasta_5p=None, filter_by_index1=None, filter_by_index2=None, compression=4, index="auto", memory=None, threads=0, **steps
))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub(crate) fn qc(
    py: Python<'_>,
    in1: Paths,
    in2: Option<Paths>,
    out1: Option<PathBuf>,
    out2: Option<PathBuf>,
    unpaired1: Option<PathBuf>,
    unpaired2: Option<PathBuf>,
    merged_out: Option<PathBuf>,
    failed_out: Option<PathBuf>,
    json: Option<PathBuf>,
    html: Option<PathBuf>,
    title: Option<String>,
    interleaved: bool,
    ignore_names: bool,
    reads_to_process: i128,
    adapter_fasta: Option<PathBuf>,
    adapter_fasta_5p: Option<PathBuf>,
    filter_by_index1: Option<PathBuf>,
    filter_by_index2: Option<PathBuf>,
    compression: i128,
    index: &str,
    memory: Option<Size>,
    threads: i128,
    steps: Option<&Bound<'_, PyDict>>,
) -> PyResult<Cleaned> {
    if interleaved && in2.is_some() {
        let what = "files of 'in1' then hold both mates; omit 'in2'";
        return Err(errors::of_value("interleaved", what));
    }
    let mut settings = CleanSettings::new(in1.0);
    settings.in2 = in2.map_or_else(Vec::new, |paths| paths.0);
    settings.interleaved_in = interleaved;
    settings.ignore_names = ignore_names;
    settings.reads_to_process = number("reads_to_process", reads_to_process)?;
    settings.adapter_fasta = adapter_fasta;
    settings.adapter_fasta_5p = adapter_fasta_5p;
    settings.filter_by_index1 = filter_by_index1;
    settings.filter_by_index2 = filter_by_index2;
    settings.indexes.using = index_use(index)?;
    settings.threads = NonZeroUsize::new(parameters::threads(threads)?);
    if let Some(Size(bytes)) = memory {
        settings.memory = Some(bytes);
    }
    let outputs = &mut settings.outputs;
    outputs.out1 = out1;
    outputs.out2 = out2;
    outputs.unpaired1 = unpaired1;
    outputs.unpaired2 = unpaired2;
    outputs.merged_out = merged_out;
    outputs.failed_out = failed_out;
    let level = u8::try_from(compression).ok().and_then(Level::new);
    outputs.compression = level.ok_or_else(|| {
        errors::of_value("compression", format!("{compression} is not from 1 to 12"))
    })?;
    settings.reports.json = json;
    settings.reports.html = html;
    settings.reports.report_title = title;
    for (name, value) in steps.into_iter().flatten() {
        set(&mut settings.steps, &name.extract::<String>()?, &value)?;
    }
    let cleaned = waiting::job(py, move |control| {
        let cleaned = settings.run(control)?;
        let adapters = cleaned
            .found_adapters()
            .map(|adapter| adapter.map(|letters| String::from_utf8_lossy(letters).into_owned()));
        Ok((cleaned.report().json(), cleaned.passed(), adapters))
    })?;
    let (json, passed, adapters) = cleaned;
    Ok(Cleaned {
        json: Arc::from(json),
        passed,
        adapters: adapters.into(),
    })
}

/// What became of reads: what `qc` gives.
#[pyclass(frozen, module = "thalweg._thalweg")]
pub(crate) struct Cleaned {
    json: Arc<str>,
    passed: u64,
    adapters: (Option<String>, Option<String>),
}

#[pymethods]
impl Cleaned {
    /// The report as text: JSON, as fastp writes it.
    #[getter]
    fn json<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        PyString::new(py, &self.json)
    }

    /// The same as a dict, made anew each time: ``summary``, ``filtering_result``, ``read1_before_filtering`` ...
    #[getter]
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.json(py),))
    }

    /// Reads that pass; of pairs, both mates.
    #[getter]
    fn passed(&self) -> u64 {
        self.passed
    }

    /// Adapters of read 1 and read 2 that nobody named, and that were found; `None` where none was.
    #[getter]
    fn adapters(&self) -> (Option<String>, Option<String>) {
        self.adapters.clone()
    }

    fn __repr__(&self) -> String {
        format!("<thalweg.Cleaned, {} reads pass>", self.passed)
    }
}

/// Sets what an option of this name says.
fn set(steps: &mut Options, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    macro_rules! fields {
        ($($field:ident)*; $($letters:ident)*) => {
            match name {
                $(stringify!($field) => steps.$field = of(name, value)?,)*
                $(stringify!($letters) => {
                    steps.$letters = of::<Option<String>>(name, value)?.map(String::into_bytes);
                })*
                "adapter_sequence_5p" => steps.adapter_sequence_5p = many(name, value)?,
                "adapter_sequence_5p_r2" => steps.adapter_sequence_5p_r2 = many(name, value)?,
                "umi_loc" => {
                    let place: String = of(name, value)?;
                    let place = UmiLocation::parse(&place).ok_or_else(|| {
                        errors::of_value(name, format!("'{place}' is not a place of UMIs"))
                    })?;
                    steps.umi_loc = Some(place);
                }
                _ => {
                    let what = format!("qc() got an unexpected keyword argument '{name}'");
                    return Err(PyTypeError::new_err(what));
                }
            }
        };
    }
    fields! {
        phred64 fix_mgi_id disable_adapter_trimming detect_adapter_for_pe allow_gap_overlap_trimming dimer_max_len
        trim_front1 trim_tail1 trim_front2 trim_tail2 max_len1 max_len2
        trim_poly_g poly_g_min_len trim_poly_a poly_a_min_len trim_poly_x poly_x_min_len
        cut_front cut_tail cut_right cut_window_size cut_mean_quality cut_front_window_size cut_front_mean_quality
        cut_tail_window_size cut_tail_mean_quality cut_right_window_size cut_right_mean_quality
        disable_quality_filtering qualified_quality_phred unqualified_percent_limit n_base_limit average_qual
        disable_length_filtering length_required length_limit low_complexity_filter complexity_threshold dust
        filter_by_index_threshold
        correction overlap_len_require overlap_diff_limit overlap_diff_percent_limit merge include_unmerged
        umi umi_len umi_prefix umi_skip umi_delim dedup;
        adapter_sequence adapter_sequence_r2
    }
    Ok(())
}

/// A value of the type that an option has.
fn of<T: for<'a, 'py> FromPyObject<'a, 'py, Error: Into<PyErr>>>(
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<T> {
    value.extract::<T>().map_err(|error| {
        let (py, error): (_, PyErr) = (value.py(), error.into());
        match error.is_instance_of::<PyOverflowError>(py) {
            true => errors::of_value(name, format!("{value} is out of range")),
            false => PyTypeError::new_err(format!("argument '{name}': {}", error.value(py))),
        }
    })
}

/// One sequence, or a list of them.
fn many(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<u8>>> {
    let sequences = match value.is_instance_of::<PyString>() {
        true => vec![of::<String>(name, value)?],
        false => of::<Vec<String>>(name, value)?,
    };
    Ok(sequences.into_iter().map(String::into_bytes).collect())
}
