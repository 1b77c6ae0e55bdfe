//! `thalweg taxa build`

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use thalweg::Budget;
use thalweg::taxa::build::{BuildOptions, Estimate, Strains};
use thalweg::taxa::library::Inputs;
use thalweg::taxa::sequences::Sources;
use thalweg::taxa::{BuildJob, Made, read_accessions, read_table, read_taxonomy};
use thalweg::write::is_stream;

use super::arguments::{BuildArguments, StrainsKept};
use super::genomes;
use crate::arguments::Common;
use crate::count::{for_counting, temporary_directory};
use crate::exit::Failure;
use crate::input;
use crate::output::{refuse_compressed, refuse_input};
use crate::quantity::{Shard, bytes, thousands};

/// Names that a warning tells, at most.
const NAMED: usize = 5;

pub(super) fn run(arguments: &BuildArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let common = &arguments.common;
    let tmp = temporary_directory(arguments.tmp.as_deref())?;
    let mut options = BuildOptions::new(arguments.k.into())?
        .with_masking(!arguments.no_masking)
        .with_temporary_directory(tmp);
    if arguments.strains == StrainsKept::All {
        options = options.with_strains(Strains::All);
    }
    if let Some(Shard { number, of }) = arguments.partition {
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        options = options.with_part(small(number), small(of))?;
    }
    check_output(&arguments.output)?;
    let files = genomes::files(&arguments.files)?;
    input::check_stdin(&files)?;
    refuse_input(&arguments.output, &files)?;
    let bases = expected_bases(&files);
    options = options.with_expected_bases(bases);
    let budget = budget(common)?;
    if let (Some(bases), false) = (bases, common.quiet) {
        tell_estimate(&Estimate::new(&options, bases, &budget)?, files.len());
    }
    let origin = read_taxonomy(&arguments.taxonomy)?;
    let mut sources = Sources::new();
    sources.table = origin.members;
    for table in &arguments.taxa {
        read_table(table, &mut sources.table)?;
    }
    for map in origin.map.iter().chain(&arguments.map) {
        read_table(map, &mut sources.map)?;
    }
    if !arguments.accessions.is_empty() {
        read_accessions(&files, &arguments.accessions, &mut sources)?;
    }
    let job = BuildJob {
        files,
        taxonomy: &origin.taxonomy,
        sources: &sources,
        options,
        budget,
        skips_unmapped: arguments.skip_unmapped,
    };
    let made = job.run(&arguments.output, log)?;
    if !common.quiet {
        warn(&made.inputs);
        summarize(&made, start);
    }
    Ok(())
}

/// Threads and memory of a build.
pub(super) fn budget(common: &Common) -> Result<Budget, Failure> {
    let threads = input::budget(common).threads();
    let memory = for_counting(common.memory, threads).map_err(|error| {
        Failure::usage(
            error.to_string(),
            "let it have more, or take fewer --threads",
        )
    })?;
    Ok(Budget::new(threads).with_memory(memory))
}

/// That a database can go there: it is written in several places at a time, and is no stream.
pub(super) fn check_output(output: &Path) -> Result<(), Failure> {
    refuse_compressed(output)?;
    if is_stream(output) {
        return Err(Failure::usage(
            format!("{}: a database of taxa goes to a file", output.display()),
            "name one, in a directory that is there",
        ));
    }
    match output.is_dir() {
        true => Err(Failure::io(output, std::io::ErrorKind::IsADirectory.into())),
        false => Ok(()),
    }
}

/// About how many bases there are, if all files tell their size: nearly all of FASTA is, and compression makes a quarter of
/// it.
fn expected_bases(files: &[PathBuf]) -> Option<u64> {
    let bases = |file: &PathBuf| {
        let metadata = std::fs::metadata(file).ok()?;
        let size = metadata.is_file().then_some(metadata.len())?;
        Some(match thalweg::Compression::of_name(file) {
            Some(_) => size.saturating_mul(4),
            None => size,
        })
    };
    files.iter().map(bases).sum()
}

fn tell_estimate(estimate: &Estimate, files: usize) {
    tell!(
        "thalweg: {} of genomes, about {} bases: a database of {} or less, {} of memory, {} of temporary files",
        match files {
            1 => "one file".to_owned(),
            _ => format!("{} files", thousands(files as u64)),
        },
        thousands(estimate.bases),
        bytes(estimate.database_bytes),
        bytes(estimate.memory_bytes),
        bytes(estimate.temporary_bytes),
    );
}

/// What is kept in the database of how it was made: the same wherever it is made from the same files.
fn log(inputs: &Inputs) -> String {
    let names = |places: &[usize]| -> Vec<String> {
        let name = |&place: &usize| inputs.sequences[place].name.to_string();
        places.iter().map(name).collect()
    };
    let files: Vec<_> = (inputs.files.iter())
        .map(|file| file.to_string_lossy().into_owned())
        .collect();
    json!({
        "program": concat!("thalweg ", env!("CARGO_PKG_VERSION")),
        "files": files,
        "unmapped": inputs.tally.unmapped.len(),
        "empty": names(&inputs.empty),
        "equal": inputs.equal.len(),
    })
    .to_string()
}

/// What is worth knowing of the inputs.
fn warn(inputs: &Inputs) {
    let some = |names: Vec<&str>, all: usize| {
        let more = all.saturating_sub(names.len());
        match more {
            0 => names.join(", "),
            _ => format!("{}, and {} more", names.join(", "), thousands(more as u64)),
        }
    };
    let name = |place: usize| &*inputs.sequences[place].name;
    if !inputs.tally.unmapped.is_empty() {
        tell!(
            "warning: {} sequences are of no known taxon, and left out",
            thousands(inputs.tally.unmapped.len() as u64)
        );
    }
    if !inputs.empty.is_empty() {
        let names = inputs
            .empty
            .iter()
            .take(NAMED)
            .map(|&place| name(place))
            .collect();
        tell!(
            "warning: without letters: {}",
            some(names, inputs.empty.len())
        );
    }
    if !inputs.equal.is_empty() {
        let names = inputs
            .equal
            .iter()
            .take(NAMED)
            .map(|&(place, _)| name(place))
            .collect();
        tell!(
            "warning: the same letters as sequences before them: {}",
            some(names, inputs.equal.len())
        );
    }
}

fn summarize(made: &Made, start: Instant) {
    let (header, totals) = (&made.header, &made.totals);
    let per_kmer = match totals.kmers {
        0 => String::new(),
        kmers => format!(
            ", {:.2} bytes for each",
            header.file_bytes as f64 / kmers as f64
        ),
    };
    tell!(
        "thalweg: {} distinct k-mers of {} bases in {} sequences, in {} sets of taxa; {}{per_kmer}; {:.1} s",
        thousands(totals.kmers),
        thousands(totals.bases),
        thousands(totals.sequences),
        thousands(u64::from(header.sets)),
        bytes(header.file_bytes),
        start.elapsed().as_secs_f64(),
    );
    if totals.kmers == 0 {
        tell!(
            "warning: no k-mer: no sequence has {} bases together",
            header.layout.scheme().k()
        );
    }
}
