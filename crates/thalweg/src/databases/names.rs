//! Names of outputs: what they say of a format, and which must not be written to.

use std::path::{Path, PathBuf};

use thalweg_kmers::database::{DatabaseFormat, Separator, files_of};
use thalweg_write::{
    self as write, OutputContents, check_contents, check_not_input, check_written, is_stream,
};

use crate::Fault;

/// The format of a database that is asked for, or else the one that its name tells: our own if that says nothing.
///
/// ```
/// use std::path::Path;
/// use thalweg::databases::format_of;
/// use thalweg::kmers::database::DatabaseFormat;
///
/// assert_eq!(format_of(Path::new("counts.tsv.gz"), None)?, DatabaseFormat::Tsv);
/// assert!(format_of(Path::new("counts.jf.gz"), None).is_err());
/// # Ok::<(), thalweg::Fault>(())
/// ```
///
/// # Errors
/// If the name promises what is not written: another format, or a compression.
pub fn format_of(path: &Path, asked: Option<DatabaseFormat>) -> Result<DatabaseFormat, Fault> {
    check_written(path)?;
    let format = match (asked, OutputContents::of_name(path)) {
        (Some(asked), _) => asked,
        _ if is_stream(path) => DatabaseFormat::Thk,
        (None, None | Some(OutputContents::Thk)) => DatabaseFormat::Thk,
        (None, Some(OutputContents::Jellyfish)) => DatabaseFormat::Jellyfish,
        (None, Some(OutputContents::Kmc)) => DatabaseFormat::Kmc,
        (None, Some(OutputContents::Tabs | OutputContents::Text)) => DatabaseFormat::Tsv,
        (None, Some(OutputContents::Fasta)) => DatabaseFormat::Fasta,
        (None, Some(other)) => {
            return Err(Fault::usage(
                format!(
                    "{}: a database cannot be written as {}",
                    path.display(),
                    other.name()
                ),
                "end the name in .thk, .jf, .kmc, .tsv or .fasta, or use --format",
            ));
        }
    };
    // Whoever opens a database reads it here and there.
    let is_packed = write::OutputFormat::of_name(path) != write::OutputFormat::Plain;
    if is_packed && !matches!(format, DatabaseFormat::Tsv | DatabaseFormat::Fasta) {
        let path = path.to_owned();
        return Err(write::Error::NotWritten { path }.into());
    }
    Ok(format)
}

/// How lines of a dump look by the name of the output: FASTA or lines of k-mer, tab, count.
///
/// # Errors
/// If the name says something else.
pub(super) fn separator_of(path: &Path) -> Result<Separator, Fault> {
    check_contents(
        path,
        &[
            OutputContents::Tabs,
            OutputContents::Text,
            OutputContents::Fasta,
        ],
    )?;
    Ok(match OutputContents::of_name(path) {
        Some(OutputContents::Fasta) => Separator::Fasta,
        _ => Separator::Tab,
    })
}

/// Refuses the name of a database for text: under it, it would be none.
///
/// # Errors
/// [`Fault::Usage`].
pub(super) fn check_text_name(path: &Path) -> Result<(), Fault> {
    match OutputContents::of_name(path) {
        Some(said @ (OutputContents::Thk | OutputContents::Jellyfish | OutputContents::Kmc)) => {
            Err(Fault::usage(
                format!("{}: a dump is text, not {}", path.display(), said.name()),
                "`thalweg kmers merge DATABASE -o FILE` writes a database of another format",
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses to write text over the database that it is about, or over `files`, which are read as well.
///
/// # Errors
/// [`write::Error::IsInput`].
pub(super) fn check_text_not_over(
    output: &Path,
    database: &Path,
    files: &[PathBuf],
) -> Result<(), Fault> {
    check_not_input(output, &files_of(database))?;
    Ok(check_not_input(output, files)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.jf", DatabaseFormat::Jellyfish),
            ("a.kmc_pre", DatabaseFormat::Kmc),
            ("a.tsv", DatabaseFormat::Tsv),
            ("a.fa", DatabaseFormat::Fasta),
            ("a.fa.gz", DatabaseFormat::Fasta),
            ("a.tsv.zst", DatabaseFormat::Tsv),
            ("a.thk", DatabaseFormat::Thk),
            ("a", DatabaseFormat::Thk),
            ("a.dat", DatabaseFormat::Thk),
            ("a.txt", DatabaseFormat::Tsv),
            ("jf", DatabaseFormat::Thk),
            ("-", DatabaseFormat::Thk),
        ] {
            assert_eq!(format_of(Path::new(name), None).unwrap(), format, "{name}");
        }
    }

    #[test]
    fn names_that_promise_what_is_not_written_are_refused() {
        for (name, asked) in [
            ("a.gz", None),
            ("a.kff", None),
            ("a.csv", None),
            ("a.json", None),
            ("a.fq.gz", None),
            ("a.bai", None),
            ("a.thk.gz", None),
            ("a.tsv.xz", Some(DatabaseFormat::Tsv)),
            ("a.gz", Some(DatabaseFormat::Kmc)),
        ] {
            assert!(format_of(Path::new(name), asked).is_err(), "{name}");
        }
        assert!(format_of(Path::new("a.kff"), Some(DatabaseFormat::Thk)).is_ok());
    }
}
