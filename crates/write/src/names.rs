//! Names that outputs may not have.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{Error, OutputFormat, is_standard_output};

/// What errors call the standard output.
const STANDARD_OUTPUT: &str = "standard output";

/// Refuse to write over a file that is being read, or behind its end. `-` is the standard output, or of the inputs the
/// standard input, each of which may be a file, too.
///
/// # Errors
/// [`Error::IsInput`].
pub fn check_not_input(output: &Path, inputs: &[PathBuf]) -> Result<(), Error> {
    let file = |path: &Path| {
        let data = fs::metadata(path).ok()?;
        data.is_file().then(|| (data.dev(), data.ino()))
    };
    let (written, name) = match is_standard_output(output) {
        true => (Path::new("/dev/stdout"), Path::new(STANDARD_OUTPUT)),
        false => (output, output),
    };
    let Some(written) = file(written) else {
        return Ok(());
    };
    let is_read = |input: &PathBuf| {
        let input = match input.as_os_str() == "-" {
            true => Path::new("/dev/stdin"),
            false => input,
        };
        file(input) == Some(written)
    };
    match inputs.iter().any(is_read) {
        true => Err(Error::IsInput {
            path: name.to_owned(),
        }),
        false => Ok(()),
    }
}

/// Endings of what is not written. What is has those of [`OutputFormat::of_name`](crate::OutputFormat::of_name).
const UNWRITTEN: [&str; 31] = [
    "bz2", "bz", "bzip2", "xz", "lzma", "lz", "lz4", "lzo", "z", "zz", "zlib", "br", "sz",
    "snappy", "zip", "7z", "rar", "gzip", "rz", "tar", "tgz", "tbz", "tbz2", "txz", "tzst", "sam",
    "bam", "cram", "ora", "spring", "dsrc",
];

/// Refuse a name that promises a compression which is not written: whoever reads the file would trip over it.
///
/// # Errors
/// [`Error::NotWritten`].
pub fn check_written(output: &Path) -> Result<(), Error> {
    let ending = output.extension().unwrap_or_default();
    let is_unwritten = UNWRITTEN
        .iter()
        .any(|known| ending.eq_ignore_ascii_case(known));
    match is_unwritten {
        true => Err(Error::NotWritten {
            path: output.to_owned(),
        }),
        false => Ok(()),
    }
}

/// The same where nothing is compressed.
///
/// # Errors
/// As [`check_written`], also of a name that stands for an [`OutputFormat`] which is written elsewhere.
pub fn check_plain(output: &Path) -> Result<(), Error> {
    check_written(output)?;
    match OutputFormat::of_name(output) {
        OutputFormat::Plain => Ok(()),
        _ => Err(Error::NotWritten {
            path: output.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_promise_too_much_are_refused() {
        for (name, is_refused) in [
            ("a.fq.bz2", true),
            ("a.BAM", true),
            ("a.fq.gz", false),
            ("a.fq", false),
            ("bam", false),
            ("-", false),
        ] {
            let error = check_written(Path::new(name)).err();
            assert_eq!(error.is_some(), is_refused, "{name}");
            assert!(error.is_none_or(|error| error.hint().is_some()));
        }
    }

    #[test]
    fn an_input_by_another_name_is_the_input() {
        let directory = tempfile::tempdir().unwrap();
        let [input, link, other] = ["in", "link", "other"].map(|name| directory.path().join(name));
        fs::write(&input, "x").unwrap();
        std::os::unix::fs::symlink(&input, &link).unwrap();
        let inputs = [input];
        assert!(matches!(
            check_not_input(&link, &inputs),
            Err(Error::IsInput { path }) if path == link
        ));
        assert!(check_not_input(&other, &inputs).is_ok());
    }
}
