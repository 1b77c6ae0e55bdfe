//! What a user can ask of a database that is built.

use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_taxa::build::{BuildEstimate, BuildOptions, Strains};
use thalweg_taxa::database::{TaxonDatabase, TaxonDatabaseHeader};
use thalweg_taxa::record;
use thalweg_write::{OutputContents, check_contents, check_not_input, check_plain, is_stream};

use super::genomes::Genomes;
use super::log::{log_of_added, log_of_inputs, log_of_merged};
use super::{
    BuildJob, BuiltDatabase, Fault, MergeJob, TaxonSources, doubts, find_database,
    find_database_before,
};
use crate::sharing::Shard;
use crate::{Compression, Control, inputs};

/// Genomes to a database: the job behind `thalweg taxa build`. All fields can be set; [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::taxa::BuildSettings;
///
/// let mut settings = BuildSettings::new(["genomes/"], "ref.tht");
/// settings.taxa.taxonomy = Some("taxdump/".into());
/// let made = settings.run(&Control::default())?;
/// println!("{} k-mers", made.header.kmers);
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct BuildSettings {
    /// FASTA or FASTQ, compressed or not; directories, of which all FASTA in and below them is taken; or folders that
    /// kraken2-build has filled.
    pub files: Vec<PathBuf>,
    /// Where the database goes: no pipe, and nothing that a name says is compressed.
    pub output: PathBuf,
    /// Bases of a k-mer, in [`K`](Self::K).
    pub k: usize,
    /// Whether k-mers of low complexity are left out. So by default.
    pub masking: bool,
    /// What is told of a k-mer that many strains of a species have; by default the species alone.
    pub strains: Strains,
    /// The part that is built, if not all is.
    pub part: Option<Shard>,
    /// What says of which taxa the genomes are.
    pub taxa: TaxonSources,
    /// Where temporary files go, which have no names; the system's directory for them by default.
    pub temporary_directory: PathBuf,
    /// Threads, and the memory that building may take; all cores by default.
    pub budget: Budget,
}

impl BuildSettings {
    /// Bases that a k-mer can have.
    pub const K: RangeInclusive<usize> = record::K;

    /// Bases that it has unless told otherwise.
    pub const USUAL_K: usize = 31;

    /// All k-mers of the genomes in `files` that are of no low complexity, to `output`.
    pub fn new<P: Into<PathBuf>>(
        files: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            output: output.into(),
            k: Self::USUAL_K,
            masking: true,
            strains: Strains::default(),
            part: None,
            taxa: TaxonSources::default(),
            temporary_directory: std::env::temp_dir(),
            budget: Budget::all_cores(),
        }
    }

    /// Build.
    ///
    /// # Errors
    /// Those of [`find_genomes`](Self::find_genomes) and [`build`](Self::build).
    pub fn run(&self, control: &Control) -> Result<BuiltDatabase, Fault> {
        self.build(&self.find_genomes()?, control)
    }

    /// The files that are read: that all is there, and goes together, is looked at before.
    ///
    /// # Errors
    /// [`Fault::Usage`], and what the system says of files that are named.
    pub fn find_genomes(&self) -> Result<Genomes, Fault> {
        self.options(None)?;
        check_output(&self.output)?;
        let genomes = find_genomes(&self.files, &self.output)?;
        self.taxa.check(&genomes)?;
        Ok(genomes)
    }

    /// What the build of these genomes will take, if all files tell their size.
    ///
    /// # Errors
    /// If the budget does not do.
    pub fn estimate(&self, genomes: &Genomes) -> Result<Option<BuildEstimate>, Fault> {
        let Some(bases) = expected_bases(&genomes.files) else {
            return Ok(None);
        };
        let options = self.options(Some(bases))?;
        Ok(Some(BuildEstimate::new(&options, bases, &self.budget)?))
    }

    /// Build of genomes that were [found](Self::find_genomes) before. What looks like a mistake in them is said to `control`.
    ///
    /// # Errors
    /// If a file cannot be read or written, sequences are of no taxon, all are, or none has a k-mer; if memory does not suffice;
    /// if it was cancelled. No database is there, then.
    pub fn build(&self, genomes: &Genomes, control: &Control) -> Result<BuiltDatabase, Fault> {
        let known = self.taxa.read(genomes, None, control)?;
        let job = BuildJob {
            files: genomes.files.clone(),
            taxonomy: &known.taxonomy,
            sources: &known.sources,
            onto: &[],
            options: self.options(expected_bases(&genomes.files))?,
            budget: self.budget,
            skips_unmapped: self.taxa.skip_unmapped,
        };
        let made = job.run(&self.output, control, log_of_inputs)?;
        doubts::of(&made, &self.taxa).for_each(|doubt| control.tell(doubt));
        Ok(made)
    }

    fn options(&self, bases: Option<u64>) -> Result<BuildOptions, Fault> {
        let mut options = BuildOptions::new(self.k)?
            .with_masking(self.masking)
            .with_strains(self.strains)
            .with_expected_bases(bases)
            .with_temporary_directory(&self.temporary_directory);
        if let Some(Shard { number, of }) = self.part {
            let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
            options = options.with_part(small(number), small(of))?;
        }
        Ok(options)
    }
}

/// A database, and genomes that are added to it: the job behind `thalweg taxa add`. k, masking and what is told of strains are
/// the database's. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct AddSettings {
    /// The database, or a directory with one.
    pub database: PathBuf,
    /// New genomes, as for [`BuildSettings`].
    pub files: Vec<PathBuf>,
    /// Where the new database goes.
    pub output: PathBuf,
    /// What says of which taxa the new genomes are; the taxonomy may be that of the database.
    pub taxa: TaxonSources,
    /// Where temporary files go, which have no names; the system's directory for them by default.
    pub temporary_directory: PathBuf,
    /// Threads, and the memory that building may take; all cores by default.
    pub budget: Budget,
}

impl AddSettings {
    /// `files` and the database, to `output`.
    pub fn new<P: Into<PathBuf>>(
        database: impl Into<PathBuf>,
        files: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            database: database.into(),
            files: files.into_iter().map(Into::into).collect(),
            output: output.into(),
            taxa: TaxonSources::default(),
            temporary_directory: std::env::temp_dir(),
            budget: Budget::all_cores(),
        }
    }

    /// Build. What looks like a mistake in the genomes is said to `control`.
    ///
    /// # Errors
    /// As [`BuildSettings::run`]; if the database cannot be read.
    pub fn run(&self, control: &Control) -> Result<BuiltDatabase, Fault> {
        self.taxa.check_files()?;
        check_output(&self.output)?;
        let database = find_database_before(&self.database, &self.files)?;
        check_not_input(&self.output, std::slice::from_ref(&database))?;
        let databases = [TaxonDatabase::open(&database)?];
        let options = BuildOptions::of_databases(&databases)?
            .with_temporary_directory(&self.temporary_directory);
        let genomes = find_genomes(&self.files, &self.output)?;
        let known = Some(databases[0].taxonomy());
        let known = self.taxa.read(&genomes, known, control)?;
        let before = options.expected_bases();
        let bases = expected_bases(&genomes.files).and_then(|bases| before?.checked_add(bases));
        let job = BuildJob {
            files: genomes.files,
            taxonomy: &known.taxonomy,
            sources: &known.sources,
            onto: &databases,
            options: options.with_expected_bases(bases),
            budget: self.budget,
            skips_unmapped: self.taxa.skip_unmapped,
        };
        let log = |inputs: &_| log_of_added(inputs, &databases[0]);
        let made = job.run(&self.output, control, log)?;
        doubts::of(&made, &self.taxa).for_each(|doubt| control.tell(doubt));
        Ok(made)
    }
}

/// Databases to one: the job behind `thalweg taxa merge`. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct MergeSettings {
    /// All parts of a database, or whole databases; of a directory, the only one in it.
    pub databases: Vec<PathBuf>,
    /// Where the database goes.
    pub output: PathBuf,
    /// Where temporary files go, which have no names; the system's directory for them by default.
    pub temporary_directory: PathBuf,
    /// Threads, and the memory that merging may take; all cores by default.
    pub budget: Budget,
}

impl MergeSettings {
    /// `databases`, to `output`.
    pub fn new<P: Into<PathBuf>>(
        databases: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            databases: databases.into_iter().map(Into::into).collect(),
            output: output.into(),
            temporary_directory: std::env::temp_dir(),
            budget: Budget::all_cores(),
        }
    }

    /// Merge.
    ///
    /// # Errors
    /// If a file cannot be read or written, or databases do not go together; if memory does not suffice; if it was cancelled. No
    /// database is there, then.
    pub fn run(&self, control: &Control) -> Result<TaxonDatabaseHeader, Fault> {
        check_output(&self.output)?;
        let files = self.databases.iter().map(|path| find_database(path));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        check_not_input(&self.output, &files)?;
        let job = MergeJob {
            files,
            budget: self.budget,
            temporary_directory: self.temporary_directory.clone(),
        };
        job.run(&self.output, control, log_of_merged)
    }
}

/// Genomes, none of which the output replaces.
fn find_genomes(named: &[PathBuf], output: &Path) -> Result<Genomes, Fault> {
    let genomes = Genomes::find(named)?;
    check_not_input(output, &genomes.files)?;
    Ok(genomes)
}

/// That a database can go there: it is written in several places at a time, and is no stream.
fn check_output(output: &Path) -> Result<(), Fault> {
    check_plain(output)?;
    check_contents(output, &[OutputContents::Taxa])?;
    if is_stream(output) {
        return Err(Fault::usage(
            format!(
                "{}: a taxon database must be written to a file",
                output.display()
            ),
            "use the name of a file in an existing directory",
        ));
    }
    if output.is_dir() {
        return Err(Fault::io(output, io::ErrorKind::IsADirectory.into()));
    }
    // Told now, and not when all genomes are read.
    match output.parent() {
        Some(directory) if directory != Path::new("") => {
            let is_directory =
                std::fs::metadata(directory).and_then(|found| match found.is_dir() {
                    true => Ok(()),
                    false => Err(io::ErrorKind::NotADirectory.into()),
                });
            is_directory.map_err(|error| Fault::io(directory, error))
        }
        _ => Ok(()),
    }
}

/// About how many bases there are, if all files tell their size: nearly all of FASTA is.
fn expected_bases(files: &[PathBuf]) -> Option<u64> {
    let bases = |file: &PathBuf| {
        let metadata = std::fs::metadata(file).ok()?;
        let size = metadata.is_file().then_some(metadata.len())?;
        Some(inputs::text_bytes(
            size,
            Compression::of_name(file).is_some(),
        ))
    };
    files.iter().map(bases).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two genomes, with their taxonomy as a table of lineages.
    fn settings(directory: &Path) -> BuildSettings {
        let path = |name: &str| directory.join(name);
        std::fs::create_dir(path("genomes")).unwrap();
        let genomes = [
            ("a", "ACGGTCATGCGTTAGCATTGACCAGTTACAGGATTTC"),
            ("b", "TTACGGTCATGCGTTAGCATTGACCAGTTACACCAAA"),
        ];
        for (name, letters) in genomes {
            let text = format!(">{name}1\n{letters}\n");
            std::fs::write(path(&format!("genomes/{name}.fa")), text).unwrap();
        }
        let lineages =
            "a\td__B;p__C;c__D;o__E;f__F;g__G;s__G a\nb\td__B;p__C;c__D;o__E;f__F;g__G;s__G b\n";
        std::fs::write(path("lineages.tsv"), lineages).unwrap();
        let mut settings = BuildSettings::new([path("genomes")], path("ref.tht"));
        settings.taxa.taxonomy = Some(path("lineages.tsv"));
        settings.budget = Budget::new(2).with_memory(1 << 28);
        settings
    }

    #[test]
    fn a_library_builds_adds_and_merges_as_the_command_does() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let settings = settings(directory.path());
        let genomes = settings.find_genomes().unwrap();
        assert_eq!(genomes.files, [path("genomes/a.fa"), path("genomes/b.fa")]);
        assert!(settings.estimate(&genomes).unwrap().unwrap().bases > 70);
        let made = settings.run(&Control::default()).unwrap();
        assert_eq!((made.header.kmers, made.header.sequences), (14, 2));

        // One genome, and the other added to it.
        let one = BuildSettings {
            files: vec![path("genomes/a.fa")],
            output: path("a.tht"),
            ..settings.clone()
        };
        one.run(&Control::default()).unwrap();
        let mut add = AddSettings::new(path("a.tht"), [path("genomes/b.fa")], path("ab.tht"));
        add.taxa = settings.taxa.clone();
        add.budget = settings.budget;
        let added = add.run(&Control::default()).unwrap();
        assert_eq!((added.header.kmers, added.header.sequences), (14, 2));

        // Parts, put together, are the same file.
        let parts: Vec<PathBuf> = (1..=3)
            .map(|number| {
                let part = BuildSettings {
                    part: Some(Shard { number, of: 3 }),
                    output: path(&format!("part{number}.tht")),
                    ..settings.clone()
                };
                part.run(&Control::default()).unwrap();
                part.output
            })
            .collect();
        let mut merge = MergeSettings::new(parts, path("merged.tht"));
        merge.budget = settings.budget;
        merge.run(&Control::default()).unwrap();
        assert!(
            std::fs::read(path("merged.tht")).unwrap() == std::fs::read(path("ref.tht")).unwrap()
        );
    }

    #[test]
    fn what_cannot_be_built_is_told_before_anything_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let sound = settings(directory.path());
        let told = |settings: BuildSettings| settings.find_genomes().unwrap_err().to_string();
        let bad_k = BuildSettings {
            k: 15,
            ..sound.clone()
        };
        assert!(told(bad_k).contains("16 to 31"));
        let no_taxonomy = BuildSettings {
            taxa: TaxonSources::default(),
            ..sound.clone()
        };
        assert!(told(no_taxonomy).contains("no taxonomy given"));
        let compressed = BuildSettings {
            output: "ref.tht.gz".into(),
            ..sound.clone()
        };
        assert!(told(compressed).contains("ref.tht.gz"));
        let genome = directory.path().join("genome");
        std::fs::copy(directory.path().join("genomes/a.fa"), &genome).unwrap();
        let over_input = BuildSettings {
            files: vec![genome.clone()],
            output: genome,
            ..sound
        };
        assert!(told(over_input).contains("is an input file too"));
    }
}
