//! `thalweg classify`
//!
//! - `outputs`: which files there are, and what each gets.
//! - `labelling`: one sample, from its reads to its outputs; `report`: what is told of it.
//! - `samples`: many of them, as a sheet lists them.

pub(super) mod labelling;
pub(super) mod outputs;
pub(super) mod report;
mod samples;

use std::path::{Path, PathBuf};

use thalweg::taxa::classify::{Lca, Posterior, Rule};
use thalweg::taxa::database::Database;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::Listed;
use thalweg::taxa::taxonomy::Taxid;
use thalweg::taxa::{Chosen, Form, Taxa};

use self::labelling::{Labelling, Sample};
use self::outputs::{Outputs, ReadOutput};
use self::report::ReportStyle;
use super::arguments::{ClassifyArguments, ReadArguments, RuleName};
use super::open::{Way, open};
use crate::exit::Failure;

pub(crate) fn run(arguments: &ClassifyArguments) -> Result<(), Failure> {
    let sheet = arguments.reads.samples.samples.as_deref();
    let (lanes, rows) = match sheet {
        Some(sheet) => (Vec::new(), samples::read(sheet)?),
        None => (lanes(&arguments.reads)?, Vec::new()),
    };
    if arguments.report_zero_counts && arguments.report.is_none() && sheet.is_none() {
        return Err(Failure::usage(
            "--report-zero-counts is about the report",
            "name it: --report PATH",
        ));
    }
    let inputs = lanes.iter().chain(rows.iter().map(|row| &row.files));
    let inputs: Vec<PathBuf> = inputs.flatten().cloned().collect();
    let way = match arguments.preload {
        true => Way::Preloaded,
        false => Way::For(&inputs),
    };
    let opened = open(&arguments.database, &way)?;
    let database = &*opened.database;
    let labelling = Labelling {
        database,
        path: &arguments.database,
        rule: rule(arguments, database.header().layout.scheme().k())?,
        columns: Columns {
            names: arguments.use_names,
            more: arguments.scores,
        },
        least_quality: 0,
        style: ReportStyle {
            listed: match arguments.report_zero_counts {
                true => Listed::All,
                false => Listed::WithReads,
            },
            mpa: false,
        },
        level: arguments.compression.level(),
        index: &arguments.index,
        common: &arguments.common,
    };
    let reads = read_outputs(arguments, database)?;
    if sheet.is_some() {
        return samples::run(arguments, &rows, &labelling, &reads);
    }
    let sample = Sample {
        lanes,
        interleaved: arguments.reads.interleaved,
        ignore_names: arguments.reads.ignore_names,
        outputs: Outputs {
            labels: labels(arguments.output.as_deref().unwrap_or(Path::new("-"))),
            report: arguments.report.clone(),
            reads,
        },
    };
    labelling.check(std::slice::from_ref(&sample))?;
    labelling.run(&sample)
}

/// The files, those of mates together.
fn lanes(reads: &ReadArguments) -> Result<Vec<Vec<PathBuf>>, Failure> {
    let one = |file: &PathBuf| vec![file.clone()];
    let (first, second) = match (reads.in1.is_empty(), &reads.files[..]) {
        (false, _) => (&reads.in1[..], &reads.in2[..]),
        (true, [first, second]) if !reads.single => {
            (std::slice::from_ref(first), std::slice::from_ref(second))
        }
        (true, files) => (files, &[][..]),
    };
    let is_named = !reads.in1.is_empty();
    if first.len() > 2 && !reads.single && !is_named {
        return Err(Failure::usage(
            format!(
                "{} files: two are the mates of pairs, and more can only be single reads",
                first.len()
            ),
            "say --single if they are single reads, one file after the other; lanes of pairs are named by -i and -I",
        ));
    }
    if reads.interleaved && (!second.is_empty() || first.len() > 1 && !is_named) {
        return Err(Failure::usage(
            "--interleaved goes with one file",
            "run it for each file, or name lanes by -i",
        ));
    }
    if second.is_empty() {
        return Ok(first.iter().map(one).collect());
    }
    if first.len() != second.len() {
        return Err(Failure::usage(
            format!(
                "{} files of read 1, but {} of read 2",
                first.len(),
                second.len()
            ),
            "give -i and -I as often as each other",
        ));
    }
    let pairs = first.iter().zip(second);
    Ok(pairs
        .map(|(first, second)| vec![first.clone(), second.clone()])
        .collect())
}

/// Where labels go: lines that nobody reads need not be made.
fn labels(path: &Path) -> Option<PathBuf> {
    (path != Path::new("/dev/null")).then(|| path.to_owned())
}

/// What reads go where.
fn read_outputs(
    arguments: &ClassifyArguments,
    database: &Database,
) -> Result<Vec<ReadOutput>, Failure> {
    let chosen = &arguments.chosen;
    let mut outputs = Vec::new();
    let mut add = |option, name: &Option<PathBuf>, chosen, form| {
        if let Some(name) = name {
            outputs.push(ReadOutput {
                option,
                name: name.clone(),
                chosen,
                form,
            });
        }
    };
    if !chosen.taxon.is_empty() {
        if chosen.taxon_out.is_none() && chosen.other_out.is_none() {
            return Err(Failure::usage(
                "--taxon chooses reads, and there is nowhere to write them",
                "name --taxon-out, or --other-out for all others",
            ));
        }
        let taxa = taxa(&chosen.taxon, database, &arguments.database)?;
        let others = Chosen::Except(taxa.clone());
        add(
            "--taxon-out",
            &chosen.taxon_out,
            Chosen::Of(taxa),
            Form::AsTheyCame,
        );
        add("--other-out", &chosen.other_out, others, Form::AsTheyCame);
    }
    let (classified, unclassified) = (Chosen::Classified, Chosen::Unclassified);
    add(
        "--classified-out",
        &chosen.classified_out,
        classified,
        Form::Kraken,
    );
    add(
        "--unclassified-out",
        &chosen.unclassified_out,
        unclassified,
        Form::Kraken,
    );
    Ok(outputs)
}

fn taxa(taxids: &[u32], database: &Database, path: &Path) -> Result<Taxa, Failure> {
    let taxids: Vec<Taxid> = taxids.iter().copied().map(Taxid).collect();
    Taxa::at_or_below(database.taxonomy(), &taxids).map_err(|unknown| {
        Failure::usage(
            format!(
                "--taxon {}: {} has no such taxon",
                unknown.0,
                path.display()
            ),
            "no genome of it is in there; `thalweg taxa info` tells about a database",
        )
    })
}

fn rule(arguments: &ClassifyArguments, k: usize) -> Result<Rule, Failure> {
    match (arguments.rule, arguments.confidence) {
        (RuleName::Posterior, None) => Ok(Rule::Posterior(Posterior::new(k))),
        (RuleName::Posterior, Some(_)) => Err(Failure::usage(
            "--confidence goes with --rule lca",
            "the default rule has a score of its own: --scores",
        )),
        (RuleName::Lca, confidence) => lca(confidence.unwrap_or(0.0)),
    }
}

/// The rule of kraken2.
pub(super) fn lca(confidence: f64) -> Result<Rule, Failure> {
    match Lca::with_confidence(confidence) {
        Some(lca) => Ok(Rule::Lca(lca)),
        None => Err(Failure::usage(
            format!("--confidence {confidence}: it is a share"),
            "from 0 to 1",
        )),
    }
}
