//! `thalweg taxa build` and `thalweg taxa add`

use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::json;
use thalweg::taxa::build::{BuildOptions, Estimate, Strains};
use thalweg::taxa::database::{Database, Header};
use thalweg::taxa::library::Inputs;
use thalweg::taxa::sequences::{Sources, Table};
use thalweg::taxa::{
    BuildJob, KrakenLibrary, Made, Origin, Taxonomy, read_accessions, read_table, read_taxonomy,
};
use thalweg::write::is_stream;
use thalweg::{Budget, Control};

use super::genomes;
use super::merge::log_of;
use super::place;
use crate::input;
use crate::jobs::count::{for_counting, temporary_directory};
use crate::options::Common;
use crate::options::quantity::{Shard, bytes, counted, thousands};
use crate::options::taxa::{AddArguments, BuildArguments, StrainsKept, TaxaOf};
use crate::output::{refuse_compressed, refuse_input};
use crate::process::exit::Failure;
use crate::process::hearing::heard;

/// Names that a warning tells, at most.
const NAMED: usize = 5;

pub(crate) fn run(arguments: &BuildArguments) -> Result<(), Failure> {
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
    arguments.taxa_of.check(&libraries)?;
    let bases = expected_bases(&files);
    options = options.with_expected_bases(bases);
    let budget = budget(common)?;
    if let (Some(bases), false) = (bases, common.quiet) {
        tell_estimate(&Estimate::new(&options, bases, &budget)?, files.len());
    }
    let genomes = Genomes::read(files, &libraries, &arguments.taxa_of, None)?;
    genomes.build(&[], options, budget, &arguments.output, common, start, log)
}

/// `thalweg taxa add`
pub(crate) fn add(arguments: &AddArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let common = &arguments.common;
    let tmp = temporary_directory(arguments.tmp.as_deref())?;
    arguments.taxa_of.check_files()?;
    check_output(&arguments.output)?;
    let database = place::before_others(&arguments.database, &arguments.files)?;
    refuse_input(&arguments.output, std::slice::from_ref(&database))?;
    let databases = [Database::open(&database)?];
    let options = BuildOptions::of_databases(&databases)?.with_temporary_directory(tmp);
    let Named { files, libraries } = Named::new(&arguments.files, &arguments.output)?;
    let known = Some(databases[0].taxonomy());
    let genomes = Genomes::read(files, &libraries, &arguments.taxa_of, known)?;
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
        check_there(&files)?;
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

impl TaxaOf {
    /// Where the taxonomy is.
    fn taxonomy(&self, libraries: &[KrakenLibrary]) -> Option<PathBuf> {
        let of_library = || Some(libraries.first()?.taxonomy());
        self.taxonomy.clone().or_else(of_library)
    }

    /// That there is a taxonomy, and all that is named: told before anything is read.
    fn check(&self, libraries: &[KrakenLibrary]) -> Result<(), Failure> {
        if self.taxonomy(libraries).is_none() {
            return Err(Failure::usage(
                "which taxonomy? None is named, and no file is a folder of kraken2-build",
                "--taxonomy names a directory with nodes.dmp and names.dmp, or a table of lineages",
            ));
        }
        self.check_files()
    }

    fn check_files(&self) -> Result<(), Failure> {
        let tables = self.taxa.iter().chain(&self.map).chain(&self.accessions);
        check_there(self.taxonomy.iter().chain(tables))
    }
}

/// That files are there, told before anything is read.
fn check_there<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<(), Failure> {
    for path in paths {
        if path != Path::new("-") {
            std::fs::metadata(path).map_err(|error| Failure::io(path, error))?;
        }
    }
    Ok(())
}

impl<'a> Genomes<'a> {
    /// `known` is the taxonomy of a database, for where none is named.
    fn read(
        files: Vec<PathBuf>,
        libraries: &[KrakenLibrary],
        taxa_of: &'a TaxaOf,
        known: Option<&Taxonomy>,
    ) -> Result<Self, Failure> {
        let control = Control::default();
        let origin = match (taxa_of.taxonomy(libraries), known) {
            (None, Some(known)) => Origin {
                taxonomy: known.clone(),
                members: Table::new(),
                map: None,
            },
            (path, _) => read_taxonomy(&path.unwrap_or_default(), &control)?,
        };
        let mut sources = Sources::new();
        sources.table = origin.members;
        for table in &taxa_of.taxa {
            read_table(table, &mut sources.table, &control)?;
        }
        for map in origin.map.iter().chain(&taxa_of.map) {
            read_table(map, &mut sources.map, &control)?;
        }
        for library in libraries {
            library.read_taxids(&files, &mut sources, &control)?;
        }
        if !taxa_of.accessions.is_empty() {
            read_accessions(&files, &taxa_of.accessions, &mut sources, &control)?;
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
        let first = self.files.first().cloned().unwrap_or_default();
        let job = BuildJob {
            files: self.files,
            taxonomy: &self.taxonomy,
            sources: &self.sources,
            onto,
            options,
            budget,
            skips_unmapped: self.taxa_of.skip_unmapped,
        };
        let made = heard(common, &first, |control| job.run(output, control, log))?;
        if !common.quiet {
            warn(&made);
            summarize(&made, !onto.is_empty(), start);
        }
        Ok(())
    }
}

/// Threads and memory of a build.
pub(crate) fn budget(common: &Common) -> Result<Budget, Failure> {
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
pub(crate) fn check_output(output: &Path) -> Result<(), Failure> {
    refuse_compressed(output)?;
    if is_stream(output) {
        return Err(Failure::usage(
            format!("{}: a database of taxa goes to a file", output.display()),
            "name one, in a directory that is there",
        ));
    }
    if output.is_dir() {
        return Err(Failure::io(output, std::io::ErrorKind::IsADirectory.into()));
    }
    // Told now, and not when all genomes are read.
    match output.parent() {
        Some(directory) if directory != Path::new("") => {
            let is_directory =
                std::fs::metadata(directory).and_then(|found| match found.is_dir() {
                    true => Ok(()),
                    false => Err(std::io::ErrorKind::NotADirectory.into()),
                });
            is_directory.map_err(|error| Failure::io(directory, error))
        }
        _ => Ok(()),
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
        "thalweg: {} of genomes, about {}: a database of {} or less, {} of memory, {} of temporary files",
        counted(files as u64, "file"),
        counted(estimate.bases, "base"),
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
    if let Some(unmapped) = inputs.unmapped() {
        tell!("warning: left out: {unmapped}");
    }
    if !inputs.files_without.is_empty() {
        let files = inputs.files_without.iter().take(NAMED);
        let names = Vec::from_iter(files.map(|&file| inputs.files[file].to_string_lossy()));
        tell!(
            "warning: files without a sequence: {}",
            some(
                names.iter().map(|name| &**name).collect(),
                inputs.files_without.len()
            )
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
        let names = made.known.iter().take(NAMED).map(|known| &*known.name);
        tell!(
            "warning: in the database already, by name, length and taxon, and counted once: {}",
            some(names.collect(), made.known.len())
        );
    }
    if !inputs.repeated.is_empty() {
        let names = inputs.repeated.iter().take(NAMED).map(|(_, name)| &**name);
        tell!(
            "warning: given twice, and counted once: {}",
            some(names.collect(), inputs.repeated.len())
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

fn summarize(made: &Made, is_added: bool, start: Instant) {
    let (header, sequences) = (&made.header, &made.inputs.sequences);
    let added = match is_added {
        true => {
            let bases = sequences.iter().map(|sequence| sequence.letters);
            let bases = bases.fold(0, u64::saturating_add);
            format!(
                "{} of {} added: ",
                counted(sequences.len() as u64, "sequence"),
                counted(bases, "base")
            )
        }
        false => String::new(),
    };
    let part = match header.making.part {
        Some(part) => format!("part {} of {}: ", part.number, part.of),
        None => String::new(),
    };
    tell!(
        "thalweg: {added}{part}{} of {} in {}, in {} of taxa; {}; {:.1} s",
        counted(header.kmers, "distinct k-mer"),
        counted(header.bases, "base"),
        counted(header.sequences, "sequence"),
        counted(header.sets.into(), "set"),
        size(header),
        start.elapsed().as_secs_f64(),
    );
}

/// Bytes of a database, and of each of its k-mers.
pub(crate) fn size(header: &Header) -> String {
    let all = bytes(header.file_bytes);
    match header.kmers {
        0 => all,
        kmers => format!(
            "{all}, {:.2} bytes for each k-mer",
            header.file_bytes as f64 / kmers as f64
        ),
    }
}
