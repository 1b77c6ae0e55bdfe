//! Where a database goes, and in which format, as the user names them.

use std::path::Path;

use clap::ValueEnum;
use thalweg::kmers::database::Format;
use thalweg::write;

use crate::output::{refuse_compressed, refuse_unwritten};
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
    /// Lines of k-mer, tab, count
    Tsv,
    /// The count as name of each k-mer, as `jellyfish dump` prints it
    Fasta,
}

impl OutputFormat {
    /// As the library names it.
    pub(crate) fn to_library(self) -> Format {
        match self {
            Self::Thk => Format::Thk,
            Self::Jf => Format::Jellyfish,
            Self::Kmc => Format::Kmc,
            Self::Tsv => Format::Tsv,
            Self::Fasta => Format::Fasta,
        }
    }

    /// What the end of a name says; our own format if it says nothing.
    fn of_name(path: &Path) -> Self {
        match inner_extension(path) {
            Some("jf") => Self::Jf,
            Some("kmc" | "kmc_pre" | "kmc_suf") => Self::Kmc,
            Some("tsv" | "txt") => Self::Tsv,
            Some("fa" | "fasta" | "fna") => Self::Fasta,
            _ => Self::Thk,
        }
    }
}

/// The ending of a name, or the one before it where that only says how the file is compressed.
pub(crate) fn inner_extension(path: &Path) -> Option<&str> {
    let inner = match write::Format::of_name(path) {
        write::Format::Plain => path.extension()?,
        _ => Path::new(path.file_stem()?).extension()?,
    };
    inner.to_str()
}

/// The format asked for, or else the one that the name of a database tells; names that promise what is not written are refused.
pub(crate) fn format_of(path: &Path, asked: Option<OutputFormat>) -> Result<Format, Failure> {
    refuse_unwritten(path)?;
    if asked.is_none() && path.extension().is_some_and(|name| name == "kff") {
        return Err(Failure::usage(
            format!("{}: KFF is not written", path.display()),
            "name a file in .thk, .jf, .kmc, .tsv or .fasta",
        ));
    }
    let format = asked.unwrap_or_else(|| OutputFormat::of_name(path));
    if !matches!(format, OutputFormat::Tsv | OutputFormat::Fasta) {
        // Whoever opens a database reads it here and there.
        refuse_compressed(path)?;
    }
    Ok(format.to_library())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.jf", OutputFormat::Jf),
            ("a.kmc_pre", OutputFormat::Kmc),
            ("a.tsv", OutputFormat::Tsv),
            ("a.fa", OutputFormat::Fasta),
            ("a.fa.gz", OutputFormat::Fasta),
            ("a.tsv.zst", OutputFormat::Tsv),
            ("a.gz", OutputFormat::Thk),
            ("a.thk", OutputFormat::Thk),
            ("a", OutputFormat::Thk),
            ("jf", OutputFormat::Thk),
        ] {
            assert_eq!(OutputFormat::of_name(Path::new(name)), format, "{name}");
        }
    }
}
