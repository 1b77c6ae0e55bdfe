//! `thalweg classify`

use std::path::Path;
use std::time::Instant;

use thalweg::taxa::ClassifyJob;
use thalweg::taxa::classify::{Lca, Posterior, Rule};
use thalweg::taxa::database::Database;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::{Listed, Tally};

use super::arguments::{ClassifyArguments, RuleName};
use crate::arguments::Pairing;
use crate::exit::Failure;
use crate::identity::is_same;
use crate::output::{Output, refuse_input, refuse_unwritten};
use crate::progress::Progress;
use crate::{indexes, input};

pub(crate) fn run(arguments: &ClassifyArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let common = &arguments.common;
    let pairing = pairing(arguments)?;
    check_outputs(arguments)?;
    indexes::check(&arguments.files, &arguments.index)?;
    let database = match arguments.preload {
        true => Database::preload(&arguments.database)?,
        false => Database::open(&arguments.database)?,
    };
    let rule = rule(arguments, database.header().layout.scheme().k())?;
    let options = input::options(&arguments.files, &pairing, &arguments.index, common)?;
    let reads = input::open(options.check_letters(true), common)?;
    if !common.quiet {
        input::warn_of_repeats(&reads.plan());
    }
    let mut output = match &arguments.output {
        Some(path) => Output::create_at(path, arguments.compression.level())?,
        None => Output::stdout()?,
    };
    let report = arguments
        .report
        .as_deref()
        .map(Output::create)
        .transpose()?;
    let job = ClassifyJob {
        database: &database,
        rule,
        columns: Columns {
            names: arguments.use_names,
            more: arguments.scores,
        },
        interleaved: arguments.interleaved,
    };
    let workers = reads.all_workers();
    let tally = {
        let _progress = Progress::start(common, &arguments.files[0], workers.progress());
        job.run(workers, |lines| output.write(lines))?
    };
    output.finish()?;
    if let Some(report) = report {
        write_report(report, arguments, &tally, &database)?;
    }
    if !common.quiet {
        for line in tally.closing_lines(start.elapsed()).lines() {
            tell!("{line}");
        }
    }
    Ok(())
}

fn pairing(arguments: &ClassifyArguments) -> Result<Pairing, Failure> {
    let files = arguments.files.len();
    if files > 2 && !arguments.single {
        return Err(Failure::usage(
            format!("{files} files: two are the mates of pairs, and more can only be single reads"),
            "say --single if they are single reads, one file after the other",
        ));
    }
    if arguments.interleaved && files > 1 {
        return Err(Failure::usage(
            "--interleaved goes with one file",
            "run it for each file",
        ));
    }
    Ok(Pairing {
        mates: files == 2 && !arguments.single,
        interleaved: arguments.interleaved,
        ignore_names: arguments.ignore_names,
    })
}

fn check_outputs(arguments: &ClassifyArguments) -> Result<(), Failure> {
    let outputs = arguments.output.iter().chain(&arguments.report);
    for path in outputs {
        refuse_unwritten(path)?;
        refuse_input(path, &arguments.files)?;
        refuse_input(path, std::slice::from_ref(&arguments.database))?;
    }
    let labels = arguments.output.as_deref().unwrap_or(Path::new("-"));
    match &arguments.report {
        Some(report) if is_same(report, labels) => Err(Failure::usage(
            format!("{} is both the labels and the report", report.display()),
            "give them two names",
        )),
        _ => Ok(()),
    }
}

fn rule(arguments: &ClassifyArguments, k: usize) -> Result<Rule, Failure> {
    match (arguments.rule, arguments.confidence) {
        (RuleName::Posterior, None) => Ok(Rule::Posterior(Posterior::new(k))),
        (RuleName::Posterior, Some(_)) => Err(Failure::usage(
            "--confidence goes with --rule lca",
            "the default rule has a score of its own: --scores",
        )),
        (RuleName::Lca, confidence) => {
            let share = confidence.unwrap_or(0.0);
            let lca = Lca::with_confidence(share).ok_or_else(|| {
                Failure::usage(
                    format!("--confidence {share}: it is a share"),
                    "from 0 to 1",
                )
            })?;
            Ok(Rule::Lca(lca))
        }
    }
}

fn write_report(
    mut report: Output,
    arguments: &ClassifyArguments,
    tally: &Tally,
    database: &Database,
) -> Result<(), Failure> {
    let listed = match arguments.report_zero_counts {
        true => Listed::All,
        false => Listed::WithReads,
    };
    let mut text = Vec::new();
    let path = arguments.report.as_deref().unwrap_or(Path::new(""));
    tally.write(database.taxonomy(), listed, &mut text, path)?;
    report.write(&text)?;
    report.finish()
}
