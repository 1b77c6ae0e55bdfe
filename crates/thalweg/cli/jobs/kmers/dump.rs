//! `thalweg kmers dump`

use std::path::PathBuf;

use thalweg::databases::DumpSettings;
use thalweg::kmers::database::{Separator, SortOptions};

use super::failure::{Fault, TMP_HINT};
use crate::jobs::count::temporary_directory;
use crate::options::kmers::{DumpArguments, DumpFormat, Sorting};
use crate::process::exit::Failure;
use crate::process::hearing::heard_unless;
use crate::process::threads::threads;

pub(crate) fn run(arguments: &DumpArguments) -> Result<(), Fault> {
    let settings = settings(arguments)?;
    let outcome = heard_unless(arguments.notes.quiet, |control| settings.run(control));
    outcome.map_err(|fault| Fault::from(fault).of_temporary_files(TMP_HINT))?;
    Ok(())
}

/// What the user has said, as the library takes it.
fn settings(arguments: &DumpArguments) -> Result<DumpSettings, Fault> {
    arguments.limits.check()?;
    let separator = match arguments.format {
        _ if arguments.column => Some(Separator::Blank),
        Some(DumpFormat::Tsv) => Some(Separator::Tab),
        Some(DumpFormat::Fasta) => Some(Separator::Fasta),
        None => None,
    };
    let output = arguments.output.clone().unwrap_or(PathBuf::from("-"));
    Ok(DumpSettings {
        separator,
        file_order: arguments.file_order,
        kept: (arguments.limits.min, arguments.limits.max),
        sorting: match arguments.file_order {
            true => SortOptions::default(),
            false => sort_options(&arguments.sorting)?,
        },
        threads: threads(arguments.threads),
        ..DumpSettings::new(&arguments.database, output)
    })
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
