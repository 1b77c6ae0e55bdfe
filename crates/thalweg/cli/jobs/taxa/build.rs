//! `thalweg taxa build` and `thalweg taxa add`

use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::Budget;
use thalweg::files::counted;
use thalweg::taxa::build::BuildEstimate;
use thalweg::taxa::database::TaxonDatabaseHeader;
use thalweg::taxa::library::LibraryInputs;
use thalweg::taxa::{AddSettings, BuildSettings, BuiltDatabase};

use crate::input;
use crate::jobs::count::{for_counting, temporary_directory};
use crate::options::Common;
use crate::options::quantity::{bytes, thousands};
use crate::options::taxa::{AddArguments, BuildArguments};
use crate::process::exit::Failure;
use crate::process::hearing::heard;

pub(crate) fn run(arguments: &BuildArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let common = &arguments.common;
    let mut settings = BuildSettings {
        temporary_directory: temporary_directory(arguments.tmp.as_deref())?,
        ..arguments.settings()
    };
    let genomes = settings.find_genomes()?;
    settings.budget = budget(common)?;
    if let (Some(estimate), false) = (settings.estimate(&genomes)?, common.quiet) {
        tell_estimate(&estimate, genomes.files.len());
    }
    let made = heard(common, first(&genomes.files), |control| {
        settings.build(&genomes, control)
    })?;
    if !common.quiet {
        summarize(&made, false, start);
    }
    Ok(())
}

/// `thalweg taxa add`
pub(crate) fn add(arguments: &AddArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let common = &arguments.common;
    let settings = AddSettings {
        taxa: arguments.taxa_of.sources(),
        temporary_directory: temporary_directory(arguments.tmp.as_deref())?,
        budget: budget(common)?,
        ..AddSettings::new(&arguments.database, &arguments.files, &arguments.output)
    };
    let made = heard(common, first(&settings.files), |control| {
        settings.run(control)
    })?;
    if !common.quiet {
        summarize(&made, true, start);
    }
    Ok(())
}

/// What progress is drawn under the name of.
fn first(files: &[PathBuf]) -> &Path {
    files.first().map_or(Path::new(""), PathBuf::as_path)
}

/// Threads and memory of a build.
pub(crate) fn budget(common: &Common) -> Result<Budget, Failure> {
    let threads = input::budget(common).threads();
    let memory = for_counting(common.memory, threads).map_err(|error| {
        Failure::usage(
            error.to_string(),
            "increase --memory or use fewer --threads",
        )
    })?;
    Ok(Budget::new(threads).with_memory(memory))
}

fn tell_estimate(estimate: &BuildEstimate, files: usize) {
    tell!(
        "thalweg: {}, about {}; estimated: a database of at most {}, {} of memory, {} of temporary files",
        counted(files as u64, "genome file"),
        counted(estimate.bases, "base"),
        bytes(estimate.database_bytes),
        bytes(estimate.memory_bytes),
        bytes(estimate.temporary_bytes),
    );
}

fn summarize(made: &BuiltDatabase, is_added: bool, start: Instant) {
    tell_taken(&made.inputs, is_added);
    let header = &made.header;
    let part = match header.making.part {
        Some(part) => format!("part {} of {}: ", part.number, part.of),
        None => String::new(),
    };
    tell!(
        "thalweg: {part}{} from {} ({}) in {} of taxa; {}; {:.1} s",
        counted(header.kmers, "distinct k-mer"),
        counted(header.sequences, "sequence"),
        counted(header.bases, "base"),
        counted(header.sets.into(), "combination"),
        size(header),
        start.elapsed().as_secs_f64(),
    );
}

/// Tells how many files, sequences and bases are in the database that were not before.
fn tell_taken(inputs: &LibraryInputs, is_added: bool) {
    let sequences = &inputs.sequences;
    let bases = sequences.iter().map(|sequence| sequence.letters);
    let bases = bases.fold(0, u64::saturating_add);
    // They are in the order of their files.
    let with = sequences.chunk_by(|one, next| one.file == next.file);
    let (with, all) = (with.count() as u64, inputs.files.len() as u64);
    let files = if with == all {
        counted(all, "file")
    } else {
        format!("{} of {}", thousands(with), counted(all, "file"))
    };
    if sequences.is_empty() {
        tell!(
            "thalweg: no sequences {}",
            if is_added { "added" } else { "used" }
        );
        return;
    }
    tell!(
        "thalweg: {} {} ({} in total) from {files}",
        if is_added { "added" } else { "used" },
        counted(sequences.len() as u64, "sequence"),
        counted(bases, "base"),
    );
}

/// Bytes of a database, and of each of its k-mers.
pub(crate) fn size(header: &TaxonDatabaseHeader) -> String {
    let all = bytes(header.file_bytes);
    match header.kmers {
        0 => all,
        kmers => format!(
            "{all} ({:.2} bytes per k-mer)",
            header.file_bytes as f64 / kmers as f64
        ),
    }
}
