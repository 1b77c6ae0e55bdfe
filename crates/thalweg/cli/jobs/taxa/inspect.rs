//! `thalweg taxa info`, `verify` and `dump`.

use std::path::Path;

use serde_json::json;
use thalweg::Control;
use thalweg::files::{counted, one_line};
use thalweg::taxa::database::{TaxonDatabase, VERSION};
use thalweg::taxa::{dump_database, find_database, verify_database};

use super::build::size;
use crate::options::quantity::thousands;
use crate::options::taxa::{DumpArguments, InfoArguments, VerifyArguments};
use crate::output::Printer;
use crate::process::exit::Failure;

pub(super) fn info(arguments: &InfoArguments) -> Result<(), Failure> {
    let mut printer = Printer::new()?;
    for path in &arguments.databases {
        let path = find_database(path)?;
        let database = TaxonDatabase::open_or_part(&path)?;
        let text = match arguments.json {
            true => json(&path, &database)?,
            false => lines(&path, &database)?,
        };
        printer.print(&text)?;
    }
    Ok(())
}

pub(super) fn verify(arguments: &VerifyArguments) -> Result<(), Failure> {
    let mut printer = Printer::new()?;
    let mut worst = 0;
    for path in &arguments.databases {
        match verify_database(path, &Control::default()).map_err(Failure::from) {
            Ok(database) => printer.print(&format!(
                "{}: OK ({}, {})\n",
                one_line(database.path()),
                counted(database.header().kmers, "k-mer"),
                counted(database.header().sets.into(), "set"),
            ))?,
            Err(failure) => {
                // This command need not be named here.
                failure.print_as(|hint| match hint.split_once("; `thalweg taxa verify`") {
                    Some((hint, _)) => hint.to_owned(),
                    None => hint.to_owned(),
                });
                worst = worst.max(failure.code());
            }
        }
    }

    match worst {
        0 => Ok(()),
        code => Err(Failure::Reported(code)),
    }
}

pub(super) fn dump(arguments: &DumpArguments) -> Result<(), Failure> {
    let output = arguments.output.as_deref().unwrap_or(Path::new("-"));
    Ok(dump_database(
        &arguments.database,
        output,
        &Control::default(),
    )?)
}

fn lines(path: &Path, database: &TaxonDatabase) -> Result<String, Failure> {
    let (header, taxonomy) = (database.header(), database.taxonomy());
    let strains = match (header.is_folded, header.making.tells_all_strains) {
        (true, _) => {
            "folded: for k-mers shared by many strains of a species, only the species is stored"
        }
        (false, false) => {
            "all (no k-mer is shared by so many strains that only its species would be stored)"
        }
        (false, true) => "all",
    };
    let part = match header.making.part {
        Some(part) => format!("part {} of {} of a ", part.number, part.of),
        None => String::new(),
    };
    let complexity = match header.making.is_masked {
        true => "k-mers of low complexity are left out",
        false => "all k-mers",
    };
    Ok(format!(
        "{}: {part}taxon database, version {VERSION}\n\
         \x20 k-mers      {} distinct, k = {}, minimizers of {} bases\n\
         \x20 records     {} ({} each)\n\
         \x20 taxon sets  {} combinations of taxa\n\
         \x20 taxa        {}, {} with sequences, {} species\n\
         \x20 strains     {strains}\n\
         \x20 masking     {complexity}\n\
         \x20 sequences   {}, {}\n\
         \x20 size        {}\n",
        one_line(path),
        thousands(header.kmers),
        header.layout.scheme().k(),
        header.layout.scheme().m(),
        thousands(header.records),
        counted(header.layout.record_bytes() as u64, "byte"),
        thousands(u64::from(header.sets)),
        counted(taxonomy.len() as u64, "node"),
        thousands(database.species().leaf_nodes().len() as u64),
        thousands(database.species().nodes().len() as u64),
        thousands(header.sequences),
        counted(header.bases, "base"),
        size(header),
    ))
}

fn json(path: &Path, database: &TaxonDatabase) -> Result<String, Failure> {
    let (header, taxonomy) = (database.header(), database.taxonomy());
    let log: serde_json::Value = serde_json::from_str(database.log()?).unwrap_or_default();
    let value = json!({
        "path": path.to_string_lossy(),
        "k": header.layout.scheme().k(),
        "m": header.layout.scheme().m(),
        "kmers": header.kmers,
        "records": header.records,
        "record_bytes": header.layout.record_bytes(),
        "sets": header.sets,
        "nodes": taxonomy.len(),
        "leaves": database.species().leaf_nodes().len(),
        "species": database.species().nodes().len(),
        "is_folded": header.is_folded,
        "is_masked": header.making.is_masked,
        "part": header.making.part.map(|part| part.number),
        "parts": header.making.part.map(|part| part.of),
        "sequences": header.sequences,
        "bases": header.bases,
        "size": header.file_bytes,
        "log": log,
    });
    Ok(format!("{value}\n"))
}
