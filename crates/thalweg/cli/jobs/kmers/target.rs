//! Where a database goes, and in which format, as the user names them.

use std::path::Path;

use clap::ValueEnum;
use thalweg::databases;
use thalweg::kmers::database::DatabaseFormat;

use crate::output::refuse_terminal;
use crate::process::exit::Failure;

/// The formats that are written, as the user names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// thalweg's own: smallest, checksummed, searched without loading
    Thk,
    /// Jellyfish's binary/sorted
    Jf,
    /// KMC's, as kmc_tools writes it: two files, NAME.kmc_pre and NAME.kmc_suf
    Kmc,
    /// Tab-separated: k-mer, count
    Tsv,
    /// FASTA with counts as sequence names, as from `jellyfish dump`
    Fasta,
}

impl OutputFormat {
    /// As the library names it.
    fn to_library(self) -> DatabaseFormat {
        match self {
            Self::Thk => DatabaseFormat::Thk,
            Self::Jf => DatabaseFormat::Jellyfish,
            Self::Kmc => DatabaseFormat::Kmc,
            Self::Tsv => DatabaseFormat::Tsv,
            Self::Fasta => DatabaseFormat::Fasta,
        }
    }
}

/// The format asked for, or else the one that the name of a database tells; names that promise what is not written are refused.
pub(crate) fn format_of(
    path: &Path,
    asked: Option<OutputFormat>,
) -> Result<DatabaseFormat, Failure> {
    let asked = asked.map(OutputFormat::to_library);
    let format = databases::format_of(path, asked)?;
    if !matches!(format, DatabaseFormat::Tsv | DatabaseFormat::Fasta) {
        refuse_terminal(
            path,
            "name a file (-o counts.thk), write to a pipe, or choose a text format (--format tsv)",
        )?;
    }
    Ok(format)
}
