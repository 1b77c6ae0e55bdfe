//! `thalweg taxa merge`

use std::time::Instant;

use serde_json::{Value, json};
use thalweg::taxa::MergeJob;
use thalweg::taxa::database::Database;

use super::build::{budget, check_output, size};
use super::place;
use crate::jobs::count::temporary_directory;
use crate::options::quantity::counted;
use crate::options::taxa::MergeArguments;
use crate::output::refuse_input;
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(super) fn run(arguments: &MergeArguments) -> Result<(), Failure> {
    let start = Instant::now();
    check_output(&arguments.output)?;
    let databases = arguments.databases.iter().map(|path| place::file(path));
    let databases = databases.collect::<Result<Vec<_>, _>>()?;
    refuse_input(&arguments.output, &databases)?;
    let job = MergeJob {
        files: databases,
        budget: budget(&arguments.common)?,
        temporary_directory: temporary_directory(arguments.tmp.as_deref())?,
    };
    let first = job.files[0].clone();
    let header = heard(&arguments.common, &first, |control| {
        job.run(&arguments.output, control, log)
    })?;
    if !arguments.common.quiet {
        tell!(
            "thalweg: {} in {} of taxa; {}; {:.1} s",
            counted(header.kmers, "distinct k-mer"),
            counted(header.sets.into(), "set"),
            size(&header),
            start.elapsed().as_secs_f64(),
        );
        if header.kmers == 0 {
            tell!("warning: it has no k-mer: nor has any of what was merged");
        }
    }
    Ok(())
}

/// What is kept in the database of how it was made.
fn log(databases: &[Database]) -> String {
    json!({
        "program": concat!("thalweg ", env!("CARGO_PKG_VERSION")),
        "merged": databases.iter().map(log_of).collect::<Vec<_>>(),
    })
    .to_string()
}

/// What a database says of how it was made, if anything.
pub(super) fn log_of(database: &Database) -> Value {
    let log = database.log().ok();
    log.and_then(|log| serde_json::from_str(log).ok())
        .unwrap_or(Value::Null)
}
