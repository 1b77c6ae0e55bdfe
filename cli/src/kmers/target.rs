//! Where a database goes, and in which format.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use clap::ValueEnum;
use thalweg::kmers::Error;
use thalweg::kmers::database::Format;
use thalweg::write::{directory_of, is_stream, resolve};

use super::failure::Fault;
use crate::exit::Failure;
use crate::output::{Output, refuse_compressed};
use crate::signals::{Cleanup, remove_on_signal};

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
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("jf") => Self::Jf,
            Some("kmc" | "kmc_pre" | "kmc_suf") => Self::Kmc,
            Some("tsv" | "txt") => Self::Tsv,
            Some("fa" | "fasta" | "fna") => Self::Fasta,
            _ => Self::Thk,
        }
    }
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
        refuse_compressed(path)?;
        let format = asked.unwrap_or_else(|| OutputFormat::of_name(path));
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
            if path.is_dir() {
                return Err(Failure::io(path, std::io::ErrorKind::IsADirectory.into()));
            }
            let resolved = resolve(path);
            let directory = resolved.parent().unwrap_or(&resolved);
            tempfile::tempfile_in(directory).map_err(|error| Failure::io(path, error))?;
        }
        Ok(Self {
            path: path.to_owned(),
            format,
            temporary_directory: temporary_directory.to_owned(),
        })
    }
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
                stream: Some((Output::create(&target.path)?, temporary)),
            });
        }
        Ok(Self {
            // A link stays; what it points to is replaced.
            path: resolve(&target.path),
            stream: None,
        })
    }

    /// The file is whole: send it where it belongs.
    pub(crate) fn finish(self) -> Result<(), Fault> {
        let Some((mut output, temporary)) = self.stream else {
            return Ok(());
        };
        let fail = |error| Error::io(temporary.path(), error);
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

/// How the names of temporary files begin.
const PREFIX: &str = "thalweg-";

/// The temporary files that had names, and what errors tell instead. There are few.
static NAMES: Mutex<Vec<(PathBuf, Told)>> = Mutex::new(Vec::new());

/// What errors tell of a temporary file, whose random name nobody knows.
#[derive(Clone)]
enum Told {
    /// Its directory.
    Directory(PathBuf),
    /// The output that it becomes.
    Output(PathBuf),
}

/// A name for a file that must not outlive the command.
pub(crate) struct TemporaryName {
    path: tempfile::TempPath,
    _cleanup: Cleanup,
}

impl TemporaryName {
    /// Of a file that is put aside in `directory`.
    pub(crate) fn new(directory: &Path) -> Result<Self, Fault> {
        Self::in_directory(directory, Told::Directory(directory.to_owned()))
            .map_err(|error| Error::temporary(directory, error).into())
    }

    /// Of what becomes `output` when it is whole, beside the file that this names.
    pub(crate) fn beside(output: &Path) -> Result<Self, Fault> {
        Self::in_directory(
            directory_of(&resolve(output)),
            Told::Output(output.to_owned()),
        )
        .map_err(|error| Error::io(output, error).into())
    }

    fn in_directory(directory: &Path, told: Told) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        let file = builder.prefix(PREFIX).tempfile_in(directory)?;
        let path = file.into_temp_path();
        // What is written to it is named without links on the way.
        let names = [path.to_path_buf(), resolve(&path)];
        let mut all = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(names.into_iter().map(|name| (name, told.clone())));
        Ok(Self {
            _cleanup: remove_on_signal(&path),
            path,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// `error` with what is told of a temporary file instead of its name, if it is one of [`TemporaryName`].
pub(crate) fn as_told(error: Error) -> Error {
    let Error::Io { path, source } = error else {
        return error;
    };
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.iter().find(|(name, _)| *name == path) {
        Some((_, Told::Directory(directory))) => Error::temporary(directory, source),
        Some((_, Told::Output(output))) => Error::io(output, source),
        None => Error::Io { path, source },
    }
}

/// Have the files removed on a signal that the library has open under temporary names beside
/// `path`: `.NAME` and some letters. To be called after they were created.
///
/// What this process has open is what the system lists, so that files of others with like names
/// are safe.
pub(crate) fn remove_unfinished_on_signal(path: &Path) -> Vec<Cleanup> {
    let path = resolve(path);
    let mut start = std::ffi::OsString::from(".");
    start.push(path.file_name().unwrap_or_default());
    let open = fs::read_dir("/proc/self/fd").into_iter().flatten();
    open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
        .filter(|file| {
            let name = file.file_name().unwrap_or_default();
            file.parent() == path.parent()
                && name
                    .as_encoded_bytes()
                    .starts_with(start.as_encoded_bytes())
                && file.exists()
        })
        .map(|file| remove_on_signal(&file))
        .collect()
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
            ("a.thk", OutputFormat::Thk),
            ("a", OutputFormat::Thk),
            ("jf", OutputFormat::Thk),
        ] {
            assert_eq!(OutputFormat::of_name(Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn only_our_temporary_files_are_told_without_their_names() {
        let directory = tempfile::tempdir().unwrap();
        let told = |path: &Path| as_told(Error::io(path, io::ErrorKind::StorageFull.into()));
        let temporary = TemporaryName::new(directory.path()).unwrap();
        for path in [temporary.path(), &resolve(temporary.path())] {
            assert!(
                matches!(told(path), Error::Temporary { directory: told, .. } if told == directory.path())
            );
        }
        let output = directory.path().join("x.jf");
        let unfinished = TemporaryName::beside(&output).unwrap();
        assert!(matches!(told(unfinished.path()), Error::Io { path, .. } if path == output));
        // What has such a name, or is that directory, and was not made here.
        for other in [
            directory.path().join("thalweg-x"),
            directory.path().to_owned(),
        ] {
            assert!(matches!(told(&other), Error::Io { path, .. } if path == other));
        }
        let missing = directory.path().join("missing");
        let error = TemporaryName::new(&missing).err().unwrap();
        assert!(
            matches!(error, Fault::Kmers(Error::Temporary { directory, .. }) if directory == missing)
        );
    }

    #[test]
    fn only_own_unfinished_files_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.thk");
        fs::write(directory.path().join(".a.thkOTHER"), b"").unwrap();
        assert!(remove_unfinished_on_signal(&path).is_empty());
        let mine = fs::File::create(directory.path().join(".a.thkMINE")).unwrap();
        let found = remove_unfinished_on_signal(&path);
        // Where the system has no such list, nothing can be found.
        assert_eq!(
            found.len(),
            usize::from(Path::new("/proc/self/fd").exists())
        );
        drop(mine);
    }
}
