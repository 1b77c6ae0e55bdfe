//! `thalweg kmers merge`, `intersect`, `subtract` and `diff`

use std::path::PathBuf;

use thalweg::databases::CombineSettings;
use thalweg::kmers::set_operations::{Combine, Operation};
use thalweg::write::is_stream;

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use super::target::format_of;
use crate::options::kmers::{
    CombinedCount, MergeArguments, ResultArguments, SubtractArguments, UnionArguments,
};
use crate::options::quantity::thousands;
use crate::process::hearing::heard_unless;
use crate::process::threads::threads;

pub(crate) fn merge(arguments: &UnionArguments) -> Result<(), Fault> {
    let merge = &arguments.merge;
    let operation = Operation::Union(combined(merge.count));
    let settings = settings(&merge.databases, &merge.result, operation)?;
    let settings = CombineSettings {
        partition: arguments.partition,
        some_shards: arguments.some_shards,
        ..settings
    };
    run(&settings, merge.result.quiet)
}

pub(crate) fn intersect(arguments: &MergeArguments) -> Result<(), Fault> {
    let operation = Operation::Intersection(combined(arguments.count));
    let settings = settings(&arguments.databases, &arguments.result, operation)?;
    run(&settings, arguments.result.quiet)
}

pub(crate) fn subtract(arguments: &SubtractArguments) -> Result<(), Fault> {
    let operation = Operation::Subtraction;
    let settings = settings(&arguments.databases, &arguments.result, operation)?;
    run(&settings, arguments.result.quiet)
}

pub(crate) fn diff(arguments: &SubtractArguments) -> Result<(), Fault> {
    let operation = Operation::Difference;
    let settings = settings(&arguments.databases, &arguments.result, operation)?;
    run(&settings, arguments.result.quiet)
}

fn combined(count: CombinedCount) -> Combine {
    match count {
        CombinedCount::Sum => Combine::Sum,
        CombinedCount::Min => Combine::Minimum,
        CombinedCount::Max => Combine::Maximum,
        CombinedCount::First => Combine::First,
    }
}

/// What the user has said, as the library takes it.
fn settings(
    databases: &[PathBuf],
    result: &ResultArguments,
    operation: Operation,
) -> Result<CombineSettings, Fault> {
    result.limits.check()?;
    let format = format_of(&result.output, result.format)?;
    Ok(CombineSettings {
        operation,
        format,
        kept: (result.limits.min, result.limits.max),
        saturate: result.saturate,
        some_shards: true,
        sorting: sort_options(&result.sorting)?,
        threads: threads(result.threads),
        ..CombineSettings::sum(databases, &result.output)
    })
}

fn run(settings: &CombineSettings, quiet: bool) -> Result<(), Fault> {
    let totals = heard_unless(quiet, |control| settings.run(control));
    let totals = totals.map_err(|fault| Fault::from(fault).of_temporary_files(TMP_HINT))?;
    if !quiet {
        let to = match is_stream(&settings.output) {
            true => String::new(),
            false => format!(" to {}", settings.output.display()),
        };
        tell!(
            "thalweg: wrote {} distinct k-mers (total count {}){to}",
            thousands(totals.distinct),
            thousands(totals.total),
        );
    }
    Ok(())
}
