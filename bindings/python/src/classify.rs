//! Which organisms reads are of.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use thalweg::classify::{ClassifyJob, Loading, Stream, open_database};
use thalweg::taxa::classify::{Lca, Posterior, Rule};
use thalweg::taxa::database::TaxonDatabase;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::{CallTally, Listed};
use thalweg::write::{
    OutputContents, OutputOptions, Outputs, check_contents, check_not_input, check_written,
};
use thalweg::{Fault, Reads, notes};

use crate::errors;
use crate::source::Source;
use crate::waiting;

/// Label reads by organism.
///
/// Parameters
/// ----------
/// database : str or os.PathLike
///     What ``thalweg taxa build`` made.
/// reads : Reads or Mates
///     Mates have one label for each pair.
/// output : str or os.PathLike, optional
///     Where a line for each read or pair goes, as kraken2 writes them; compressed if the name says so.
/// rule : {'posterior', 'lca'}
///     How reads are called: by the posterior of species, or by lowest common ancestors as kraken2 does.
/// confidence : float, default 0
///     For ``'lca'``: the share of k-mers that must speak for a taxon.
/// preload : bool, default False
///     Read the whole database into memory first, and check it. Otherwise it is mapped, unless it is small, and is checked as it
///     is used. Nobody may write to the file meanwhile: a change raises ``Error``, but the system ends a process whose file was
///     truncated (SIGBUS).
///
/// Returns
/// -------
/// dict
///     ``reads`` and ``classified``: how many reads or pairs. ``taxa``: for each taxon with reads a dict of ``taxid``,
///     ``name``, ``rank``, ``reads`` (of it and all below) and ``direct`` (of itself); parents come first. ``report``: the
///     text of kraken2's report.
///
/// Raises
/// ------
/// Error
///     If there is a fault in the reads or the database.
#[pyfunction]
#[pyo3(signature = (database, reads, *, output=None, rule="posterior", confidence=0.0, preload=false))]
pub(crate) fn classify<'py>(
    py: Python<'py>,
    database: PathBuf,
    reads: &Bound<'py, Source>,
    output: Option<PathBuf>,
    rule: &str,
    confidence: f64,
    preload: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let lca = match rule {
        "posterior" => None,
        "lca" => Some(Lca::with_confidence(confidence).ok_or_else(|| {
            errors::of_value("confidence", format!("{confidence} is not from 0 to 1"))
        })?),
        other => {
            let what = format!("'posterior' or 'lca', not '{other}'");
            return Err(errors::of_value("rule", what));
        }
    };
    let description = reads.get().description.clone();
    // The job looks itself whether it is to stop.
    let options = description
        .options(py, &Arc::default())?
        .check_letters(true);
    let inputs: Vec<PathBuf> = description.sets.concat();
    let interleaved = description.interleaved;
    let (database, tally) = waiting::job(py, move |control| {
        let loading = if preload {
            Loading::Preloaded
        } else {
            Loading::For(&inputs)
        };
        let loaded = open_database(&database, loading, control)?;
        let database = Arc::clone(&loaded.database);
        if let Some(output) = &output {
            check_not_input(output, &inputs)?;
            check_written(output)?;
            check_contents(output, &[OutputContents::Tabs, OutputContents::Text])?;
        }
        let opened = Reads::open(options)?;
        let plans = opened.plan();
        let warnings = plans.iter().filter_map(notes::unchecked_part);
        warnings.for_each(|warning| control.tell(warning));
        let workers = opened.all_workers();
        // As other programs do; what a power failure may take can be made again.
        let outputs = output
            .iter()
            .map(|path| OutputOptions::new(path).sync(false));
        let outputs = Outputs::open(outputs.collect(), workers.ahead())?;
        let job = ClassifyJob {
            control,
            database: &database,
            is_large: loaded.is_large,
            sweep: None,
            rule: match lca {
                Some(lca) => Rule::Lca(lca),
                None => Rule::Posterior(Posterior::new(database.header().layout.scheme().k())),
            },
            columns: Columns {
                names: false,
                more: false,
            },
            interleaved,
            least_quality: 0,
            streams: output.iter().map(|_| Stream::Labels).collect(),
        };
        let done = job.run(workers, &outputs, || ())?;
        outputs.finish(done.tickets)?;
        Ok((database, done.tally))
    })?;
    told(py, &database, &tally)
}

fn told<'py>(
    py: Python<'py>,
    database: &TaxonDatabase,
    tally: &CallTally,
) -> PyResult<Bound<'py, PyDict>> {
    let taxonomy = database.taxonomy();
    let taxa = PyList::empty(py);
    for (node, reads) in taxonomy.nodes().zip(tally.clades(taxonomy)) {
        if reads == 0 {
            continue;
        }
        let taxon = PyDict::new(py);
        taxon.set_item("taxid", taxonomy.taxid(node).0)?;
        taxon.set_item("name", taxonomy.name(node))?;
        taxon.set_item("rank", taxonomy.rank(node))?;
        taxon.set_item("reads", reads)?;
        taxon.set_item("direct", tally.direct(node))?;
        taxa.append(taxon)?;
    }
    let mut report = Vec::new();
    let written = tally.write(taxonomy, Listed::WithReads, &mut report, "report".as_ref());
    written.map_err(|error| errors::of_fault(py, &Fault::from(error)))?;
    let all = PyDict::new(py);
    all.set_item("reads", tally.reads())?;
    all.set_item("classified", tally.classified())?;
    all.set_item("taxa", taxa)?;
    all.set_item("report", String::from_utf8_lossy(&report))?;
    Ok(all)
}
