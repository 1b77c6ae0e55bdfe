//! What is kept in a database of how it was made: JSON, the same wherever it is made from the same files.
//!
//! Fields are put together as text: their order must not depend on how `serde_json` was built.

use std::path::PathBuf;

use serde_json::Value;
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::library::LibraryInputs;

fn program() -> Value {
    Value::from(concat!("thalweg ", env!("CARGO_PKG_VERSION")))
}

/// Of sequences alone.
pub(super) fn log_of_inputs(inputs: &LibraryInputs) -> String {
    let name = |&place: &usize| &*inputs.sequences[place].name;
    let empty: Vec<&str> = inputs.empty.iter().map(name).collect();
    let file = |file: &PathBuf| file.to_string_lossy().into_owned();
    let files: Vec<String> = inputs.files.iter().map(file).collect();
    format!(
        r#"{{"program":{},"files":{},"unmapped":{},"empty":{},"equal":{}}}"#,
        program(),
        Value::from(files),
        inputs.tally.unmapped.len(),
        Value::from(empty),
        inputs.equal.len(),
    )
}

/// Of sequences that were added to a database.
pub(super) fn log_of_added(inputs: &LibraryInputs, to: &TaxonDatabase) -> String {
    let (added, to) = (log_of_inputs(inputs), log_of(to));
    format!(r#"{{"added":{added},"to":{to}}}"#)
}

/// Of databases.
pub(super) fn log_of_merged(databases: &[TaxonDatabase]) -> String {
    let merged: Vec<&str> = databases.iter().map(log_of).collect();
    let (program, merged) = (program(), merged.join(","));
    format!(r#"{{"program":{program},"merged":[{merged}]}}"#)
}

/// What a database says of how it was made, if anything.
fn log_of(database: &TaxonDatabase) -> &str {
    let log = database.log().unwrap_or_default();
    match serde_json::from_str::<Value>(log).is_ok() {
        true => log.trim(),
        false => "null",
    }
}
