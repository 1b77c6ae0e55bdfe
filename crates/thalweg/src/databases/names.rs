//! Names of outputs: what they say of a format, and which must not be written to.

use std::path::{Path, PathBuf};

use thalweg_kmers::database::{DatabaseFormat, Separator, files_of};
use thalweg_write::{self as write, check_not_input, check_written};

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
    if asked.is_none() && path.extension().is_some_and(|name| name == "kff") {
        return Err(Fault::usage(
            format!("{}: KFF is not written", path.display()),
            "name a file in .thk, .jf, .kmc, .tsv or .fasta",
        ));
    }
    let format = asked.unwrap_or_else(|| match inner_extension(path) {
        Some("jf") => DatabaseFormat::Jellyfish,
        Some("kmc" | "kmc_pre" | "kmc_suf") => DatabaseFormat::Kmc,
        Some("tsv" | "txt") => DatabaseFormat::Tsv,
        Some("fa" | "fasta" | "fna") => DatabaseFormat::Fasta,
        _ => DatabaseFormat::Thk,
    });
    // Whoever opens a database reads it here and there.
    let is_packed = write::OutputFormat::of_name(path) != write::OutputFormat::Plain;
    if is_packed && !matches!(format, DatabaseFormat::Tsv | DatabaseFormat::Fasta) {
        let path = path.to_owned();
        return Err(write::Error::NotWritten { path }.into());
    }
    Ok(format)
}

/// How lines of a dump look by the name of the output: FASTA or lines of k-mer, tab, count.
pub(super) fn separator_of(path: &Path) -> Separator {
    match inner_extension(path) {
        Some("fa" | "fasta" | "fna") => Separator::Fasta,
        _ => Separator::Tab,
    }
}

/// Refuses the name of a database for text: under it, it would be none.
///
/// # Errors
/// [`Fault::Usage`].
pub(super) fn check_text_name(path: &Path) -> Result<(), Fault> {
    match inner_extension(path) {
        Some(name @ ("thk" | "jf" | "kmc" | "kmc_pre" | "kmc_suf")) => Err(Fault::usage(
            format!("{}: a dump is text, not a .{name}", path.display()),
            "`thalweg kmers merge DATABASE -o FILE` writes a database of another format",
        )),
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

/// The ending of a name, or the one before it where that only says how the file is compressed.
fn inner_extension(path: &Path) -> Option<&str> {
    let inner = match write::OutputFormat::of_name(path) {
        write::OutputFormat::Plain => path.extension()?,
        _ => Path::new(path.file_stem()?).extension()?,
    };
    inner.to_str()
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
            ("a.thk.gz", None),
            ("a.tsv.xz", Some(DatabaseFormat::Tsv)),
            ("a.gz", Some(DatabaseFormat::Kmc)),
        ] {
            assert!(format_of(Path::new(name), asked).is_err(), "{name}");
        }
        assert!(format_of(Path::new("a.kff"), Some(DatabaseFormat::Thk)).is_ok());
    }
}
