//! `thalweg taxa merge`

use std::time::Instant;

use thalweg::taxa::MergeJob;

use super::arguments::MergeArguments;
use super::build::{budget, check_output};
use crate::exit::Failure;
use crate::output::refuse_input;
use crate::quantity::{bytes, thousands};

pub(super) fn run(arguments: &MergeArguments) -> Result<(), Failure> {
    let start = Instant::now();
    check_output(&arguments.output)?;
    refuse_input(&arguments.output, &arguments.databases)?;
    let job = MergeJob {
        files: arguments.databases.clone(),
        budget: budget(&arguments.common)?,
    };
    let header = job.run(&arguments.output)?;
    if !arguments.common.quiet {
        tell!(
            "thalweg: {} distinct k-mers in {} sets of taxa; {}; {:.1} s",
            thousands(header.kmers),
            thousands(u64::from(header.sets)),
            bytes(header.file_bytes),
            start.elapsed().as_secs_f64(),
        );
    }
    Ok(())
}
