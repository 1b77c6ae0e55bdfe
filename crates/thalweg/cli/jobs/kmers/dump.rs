//! `thalweg kmers dump`

use std::path::Path;

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Database, SortOptions};
use thalweg::kmers::kmer::{KmerTask, dispatch};

use super::failure::{Fault, TMP_HINT};
use super::open_database;
use super::output::TextOutput;
use super::target::inner_extension;
use crate::jobs::count::temporary_directory;
use crate::options::kmers::{DumpArguments, DumpFormat, Sorting};
use crate::output::{Output, refuse_text_over, refuse_unwritten};
use crate::process::exit::Failure;
use crate::process::threads::threads;
use thalweg::kmers::database::Separator;

pub(crate) fn run(arguments: &DumpArguments) -> Result<(), Fault> {
    arguments.limits.check()?;
    if let Some(path) = &arguments.output {
        refuse_unwritten(path)?;
    }
    let database = open_database(&arguments.database)?;
    let output = match &arguments.output {
        Some(path) => {
            refuse_text_over(path, &arguments.database, &[])?;
            refuse_database_name(path)?;
            Output::create(path)?
        }
        None => {
            refuse_text_over(Path::new("-"), &arguments.database, &[])?;
            Output::stdout()?
        }
    };
    let name = arguments.output.as_deref();
    let extension = name.and_then(|path| inner_extension(path));
    let separator = match (arguments.format, extension) {
        _ if arguments.column => Separator::Blank,
        (Some(DumpFormat::Fasta), _) | (None, Some("fa" | "fasta" | "fna")) => Separator::Fasta,
        _ => Separator::Tab,
    };
    let sorting = match arguments.file_order {
        true => None,
        false => Some(sort_options(&arguments.sorting)?),
    };
    let dump = Dump {
        output: TextOutput::new(output, database.header().k, separator),
        database: &database,
        sorting,
        kept: (arguments.limits.min, arguments.limits.max),
        threads: threads(arguments.threads),
    };
    dispatch(database.header().k, dump)?.map_err(|fault| fault.of_temporary_files(TMP_HINT))
}

/// A dump is text: under the name of a database, it would be none.
fn refuse_database_name(path: &Path) -> Result<(), Failure> {
    match inner_extension(path) {
        Some(name @ ("thk" | "jf" | "kmc" | "kmc_pre" | "kmc_suf")) => Err(Failure::usage(
            format!("{}: a dump is text, not a .{name}", path.display()),
            "`thalweg kmers merge DATABASE -o FILE` writes a database of another format",
        )),
        _ => Ok(()),
    }
}

/// All records of a database as text.
pub(crate) struct Dump<'a> {
    pub(crate) database: &'a Database,
    /// `None` for the order of the file.
    pub(crate) sorting: Option<SortOptions>,
    pub(crate) kept: (u64, u64),
    pub(crate) output: TextOutput,
    pub(crate) threads: usize,
}

impl KmerTask for Dump<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(mut self) -> Self::Output {
        let records = match &self.sorting {
            Some(options) => self.database.sorted::<K>(options)?,
            None => self.database.records::<K>()?,
        };
        self.output.extend(records, self.kept, self.threads)?;
        self.output.finish()?;
        Ok(())
    }
}

/// What sorting may use.
pub(crate) fn sort_options(sorting: &Sorting) -> Result<SortOptions, Failure> {
    let usual = SortOptions::default();
    let memory = sorting
        .memory
        .map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    Ok(SortOptions {
        memory: memory.unwrap_or(usual.memory),
        directory: temporary_directory(sorting.tmp.as_deref())?,
    })
}
