//! `thalweg kmers join`

use thalweg::count::provenance;
use thalweg::kmers::database::Database;
use thalweg::kmers::database::set::{MANIFEST, Manifest};

use super::failure::Fault;
use super::open_databases;
use crate::options::kmers::JoinArguments;
use crate::options::quantity::thousands;
use crate::output::Output;

pub(crate) fn run(arguments: &JoinArguments) -> Result<(), Fault> {
    let parts: Vec<Database> = open_databases(&arguments.parts)?;
    let (manifest, directory) = Manifest::of_parts(&parts, provenance())?;
    let path = directory.join(MANIFEST);
    if path.exists() {
        // What is of something else is not replaced.
        Manifest::read(&directory)?;
    }
    let mut output = Output::create_plain(&path)?;
    output.write(manifest.to_json().as_bytes())?;
    output.finish()?;
    if !arguments.notes.quiet {
        let totals = parts.iter().filter_map(Database::stored_totals);
        let distinct: u64 = totals.map(|totals| totals.distinct).sum();
        let name = match directory.as_os_str().is_empty() {
            true => ".".into(),
            false => directory,
        };
        tell!(
            "thalweg: {} is a database of {} distinct k-mers in {} parts",
            name.display(),
            thousands(distinct),
            parts.len()
        );
    }
    Ok(())
}
