//! Where a database goes, and in which format.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use thalweg::files::UnnamedFile;
use thalweg::kmers::Error;
use thalweg::kmers::database::{Format, files_written};
use thalweg::write::{self, is_stream, resolve};

use super::failure::Fault;
use super::temporary::TemporaryName;
use crate::exit::Failure;
use crate::output::{Output, refuse_compressed, refuse_unwritten};

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
pub(super) fn inner_extension(path: &Path) -> Option<&str> {
    let inner = match write::Format::of_name(path) {
        write::Format::Plain => path.extension()?,
        _ => Path::new(path.file_stem()?).extension()?,
    };
    inner.to_str()
}

/// A database that is to be written.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) format: Format,
    /// For what has to be put aside.
    pub(crate) temporary_directory: PathBuf,
}

impl Target {
    /// `path` in the format asked for or else in the one that its name tells.
    ///
    /// Fails now where writing would fail after hours of work: in a directory that is not there
    /// or may not be written to.
    pub(crate) fn new(
        path: &Path,
        asked: Option<OutputFormat>,
        temporary_directory: &Path,
    ) -> Result<Self, Failure> {
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
        Self::with_format(path, format.to_library(), temporary_directory)
    }

    /// The same for a format of the library.
    pub(crate) fn with_format(
        path: &Path,
        format: Format,
        temporary_directory: &Path,
    ) -> Result<Self, Failure> {
        if format == Format::Kmc && is_stream(path) {
            return Err(Failure::usage(
                "a KMC database is two files: it cannot go to the standard output or a pipe",
                "name a file",
            ));
        }
        if !is_stream(path) {
            for file in files_written(path, format) {
                refuse_what_cannot_be_replaced(&file)?;
            }
            let resolved = resolve(path);
            let directory = resolved.parent().unwrap_or(&resolved);
            UnnamedFile::create(directory).map_err(|error| Failure::io(path, error.source))?;
        }
        Ok(Self {
            path: path.to_owned(),
            format,
            temporary_directory: temporary_directory.to_owned(),
        })
    }
}

/// Refuses a directory, and a file that may not be written to: nor is it to be replaced.
fn refuse_what_cannot_be_replaced(path: &Path) -> Result<(), Failure> {
    if path.is_dir() {
        return Err(Failure::io(path, std::io::ErrorKind::IsADirectory.into()));
    }
    let resolved = resolve(path);
    if resolved.is_file() {
        let writable = fs::OpenOptions::new().append(true).open(&resolved);
        writable.map_err(|error| Failure::io(path, error))?;
    }
    Ok(())
}

/// The name under which the library writes a file: the final one, or a temporary one that is
/// copied to a stream at the end.
pub(crate) struct Placement {
    pub(crate) path: PathBuf,
    stream: Option<(Output, TemporaryName)>,
}

impl Placement {
    pub(crate) fn new(target: &Target) -> Result<Self, Fault> {
        if is_stream(&target.path) {
            let temporary = TemporaryName::new(&target.temporary_directory)?;
            return Ok(Self {
                path: temporary.path().to_owned(),
                stream: Some((Output::create_plain(&target.path)?, temporary)),
            });
        }
        Ok(Self {
            // A link stays; what it points to is replaced.
            path: resolve(&target.path),
            stream: None,
        })
    }

    /// `error` of whoever writes to it, as the user is told: a temporary name is known to nobody.
    pub(crate) fn told(&self, error: Error) -> Error {
        match &self.stream {
            Some((_, temporary)) => temporary.told(error),
            None => error,
        }
    }

    /// The file is whole: send it where it belongs.
    pub(crate) fn finish(self) -> Result<(), Fault> {
        let Some((mut output, temporary)) = self.stream else {
            return Ok(());
        };
        let fail = |error| temporary.told(Error::io(temporary.path(), error));
        let mut file = fs::File::open(temporary.path()).map_err(fail)?;
        let mut block = vec![0; 1 << 20];
        loop {
            match std::io::Read::read(&mut file, &mut block).map_err(fail)? {
                0 => return Ok(output.finish()?),
                length => output.write(&block[..length])?,
            }
        }
    }
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
