//! `thalweg kmers filter-reads`

use std::path::PathBuf;

use thalweg::Listener;
use thalweg::databases::FilterSettings;

use super::failure::Fault;
use crate::input::{self, indexes};
use crate::options::kmers::FilterArguments;
use crate::options::quantity::thousands;
use crate::process::exit::Failure;
use crate::process::hearing::heard;
use crate::process::limits::addresses;

pub(crate) fn run(arguments: &FilterArguments) -> Result<(), Fault> {
    let settings = settings(arguments);
    settings.check()?;
    if arguments.out2.is_some() && arguments.output.is_none() {
        let wrong = "-O (second mates) requires -o (first mates)";
        return Err(Failure::usage(wrong, "give both: -o r1.fq.gz -O r2.fq.gz").into());
    }
    indexes::check(&arguments.files, &arguments.index)?;
    let common = &arguments.common;
    input::tell_of_terminal(&arguments.files, common);
    let outcome = heard(common, &arguments.files[0], |control| settings.run(control));
    let all = outcome.map_err(|fault| Fault::from(fault).of_outputs(&settings.outputs()))?;
    if common.quiet {
        return Ok(());
    }
    if arguments.mates && arguments.output.is_some() && arguments.out2.is_none() {
        tell!(
            "thalweg: note: each second mate follows its first; -O writes second mates to a file of their own"
        );
    }
    let what = match settings.is_paired() {
        true => "pairs",
        false => "reads",
    };
    tell!(
        "thalweg: kept {} of {} {what}",
        thousands(all.kept),
        thousands(all.read)
    );
    Ok(())
}

/// What the user has said, as the library takes it.
fn settings(arguments: &FilterArguments) -> FilterSettings {
    let common = &arguments.common;
    let output = arguments.output.clone().unwrap_or(PathBuf::from("-"));
    FilterSettings {
        second_output: arguments.out2.clone(),
        mates: arguments.mates,
        interleaved: arguments.interleaved,
        ignore_names: arguments.ignore_names,
        kept: (arguments.limits.min, arguments.limits.max),
        fraction: arguments.fraction,
        both: arguments.both,
        invert: arguments.invert,
        level: arguments.compression.level(),
        indexes: indexes::to_library(&arguments.index),
        budget: input::budget(common),
        addresses: addresses(),
        check_end: arguments.end.is_wanted(),
        on_wait: (!common.quiet).then(|| Listener::new(input::tell_of_wait)),
        ..FilterSettings::new(&arguments.database, &arguments.files, output)
    }
}
