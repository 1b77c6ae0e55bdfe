//! `thalweg taxa build` and `thalweg taxa add`

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use thalweg::Budget;
use thalweg::taxa::build::{BuildOptions, Estimate, Strains};
use thalweg::taxa::database::Database;
use thalweg::taxa::library::Inputs;
use thalweg::taxa::sequences::Sources;
use thalweg::taxa::{
    BuildJob, KrakenLibrary, Made, Taxonomy, read_accessions, read_table, read_taxonomy,
};
use thalweg::write::is_stream;

use super::arguments::{AddArguments, BuildArguments, StrainsKept, TaxaOf};
use super::genomes;
use super::merge::log_of;
use super::place;
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
    let Named { files, libraries } = Named::new(&arguments.files, &arguments.output)?;
    let bases = expected_bases(&files);
    options = options.with_expected_bases(bases);
    let budget = budget(common)?;
    if let (Some(bases), false) = (bases, common.quiet) {
        tell_estimate(&Estimate::new(&options, bases, &budget)?, files.len());
    }
    let genomes = Genomes::read(files, &libraries, &arguments.taxa_of)?;
    genomes.build(&[], options, budget, &arguments.output, common, start, log)
}

/// `thalweg taxa add`
pub(super) fn add(arguments: &AddArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let common = &arguments.common;
    let tmp = temporary_directory(arguments.tmp.as_deref())?;
    let database = place::before_others(&arguments.database, &arguments.files)?;
    refuse_input(&arguments.output, std::slice::from_ref(&database))?;
    let databases = [Database::open(&database)?];
    let options = BuildOptions::of_databases(&databases)?.with_temporary_directory(tmp);
    let Named { files, libraries } = Named::new(&arguments.files, &arguments.output)?;
    let genomes = Genomes::read(files, &libraries, &arguments.taxa_of)?;
    let before = options.expected_bases();
    let bases = expected_bases(&genomes.files).and_then(|bases| before?.checked_add(bases));
    let options = options.with_expected_bases(bases);
    let log = |inputs: &Inputs| {
        let log: serde_json::Value = serde_json::from_str(&log(inputs)).unwrap_or_default();
        json!({"added": log, "to": log_of(&databases[0])}).to_string()
    };
    let (budget, output) = (budget(common)?, &arguments.output);
    genomes.build(&databases, options, budget, output, common, start, log)
}

/// The files of genomes.
struct Named {
    files: Vec<PathBuf>,
    /// Libraries of kraken2 that some of them are of.
    libraries: Vec<KrakenLibrary>,
}

impl Named {
    /// None of which the output replaces.
    fn new(named: &[PathBuf], output: &Path) -> Result<Self, Failure> {
        check_output(output)?;
        let mut libraries = Vec::new();
        let sequences = |path: &PathBuf| match KrakenLibrary::find(path) {
            Some(library) => {
                let sequences = library.sequences();
                libraries.push(library);
                sequences
            }
            None => path.clone(),
        };
        let named = Vec::from_iter(named.iter().map(sequences));
        let files = genomes::files(&named)?;
        input::check_stdin(&files)?;
        refuse_input(output, &files)?;
        Ok(Self { files, libraries })
    }
}

/// Genomes and what says of which taxa they are.
struct Genomes<'a> {
    files: Vec<PathBuf>,
    taxonomy: Taxonomy,
    sources: Sources,
    taxa_of: &'a TaxaOf,
}

impl<'a> Genomes<'a> {
    fn read(
        files: Vec<PathBuf>,
        libraries: &[KrakenLibrary],
        taxa_of: &'a TaxaOf,
    ) -> Result<Self, Failure> {
        let of_library = || Some(libraries.first()?.taxonomy());
        let Some(taxonomy) = taxa_of.taxonomy.clone().or_else(of_library) else {
            return Err(Failure::usage(
                "which taxonomy?",
                "--taxonomy names a directory with nodes.dmp and names.dmp, or a table of lineages",
            ));
        };
        let origin = read_taxonomy(&taxonomy)?;
        let mut sources = Sources::new();
        sources.table = origin.members;
        for table in &taxa_of.taxa {
            read_table(table, &mut sources.table)?;
        }
        for map in origin.map.iter().chain(&taxa_of.map) {
            read_table(map, &mut sources.map)?;
        }
        for library in libraries {
            library.read_taxids(&files, &mut sources)?;
        }
        if !taxa_of.accessions.is_empty() {
            read_accessions(&files, &taxa_of.accessions, &mut sources)?;
        }
        Ok(Self {
            files,
            taxonomy: origin.taxonomy,
            sources,
            taxa_of,
        })
    }

    #[expect(clippy::too_many_arguments, reason = "all that a build has")]
    fn build(
        self,
        onto: &[Database],
        options: BuildOptions,
        budget: Budget,
        output: &Path,
        common: &Common,
        start: Instant,
        log: impl FnOnce(&Inputs) -> String,
    ) -> Result<(), Failure> {
        let job = BuildJob {
            files: self.files,
            taxonomy: &self.taxonomy,
            sources: &self.sources,
            onto,
            options,
            budget,
            skips_unmapped: self.taxa_of.skip_unmapped,
        };
        let made = job.run(output, log)?;
        if !common.quiet {
            warn(&made);
            summarize(&made, start);
        }
        Ok(())
    }
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
fn warn(made: &Made) {
    let inputs = &made.inputs;
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
    if !made.known.is_empty() {
        let names = made.known.iter().take(NAMED).map(|&place| name(place));
        tell!(
            "warning: in the database already, by name and length: {}",
            some(names.collect(), made.known.len())
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
