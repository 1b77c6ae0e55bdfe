//! Where results go: the standard output, or a file that gets its name when it
//! is whole.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use thalweg::kmers::database::{self, Format};
use thalweg::write::{Error, WholeFile, is_standard_output};

use crate::exit::Failure;
use crate::signals::{Cleanup, hold};
use crate::standard_streams::STANDARD_OUTPUT;

/// An output that blocks of bytes are written to as they are: no buffer, no
/// copy. [`Output::finish`] must be called; dropping it before leaves nothing
/// behind, nor does a signal.
pub(crate) struct Output {
    /// As the user wrote it.
    path: PathBuf,
    file: WholeFile,
    _cleanup: Option<Cleanup>,
}

impl Output {
    /// The standard output.
    pub(crate) fn stdout() -> Result<Self, Failure> {
        Self::create(Path::new("-"))
    }

    /// A file that will appear under the `given` name; an older one is replaced then.
    /// `-` is the standard output; pipes and devices are written to directly.
    pub(crate) fn create(given: &Path) -> Result<Self, Failure> {
        let path = match is_standard_output(given) {
            true => PathBuf::from(STANDARD_OUTPUT),
            false => given.to_owned(),
        };
        let file = WholeFile::open(given).map_err(|error| failure(&path, error))?;
        Ok(Self {
            _cleanup: file.temporary().map(|path| hold().remove(path)),
            path,
            file,
        })
    }

    /// Write all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file
            .write(bytes)
            .map_err(|error| failure(&self.path, error))
    }

    /// Make sure that everything has arrived, and give the file its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.file
            .finish()
            .map_err(|error| failure(&self.path, error))
    }
}

/// What the system said about `path`: whoever writes one block behind the other need
/// not be told at which byte.
fn failure(path: &Path, error: Error) -> Failure {
    match error {
        Error::Open { source, .. } | Error::Write { source, .. } | Error::Save { source, .. } => {
            Failure::io(path, source)
        }
        error => error.into(),
    }
}

/// Fail if the standard output is closed: to be asked by whoever prints only when all is done.
pub(crate) fn expect_standard_output() -> Result<(), Failure> {
    Output::stdout().map(drop)
}

/// Print a text that is a result.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = Output::stdout()?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// Prints one text after the other. When nobody reads them any more, they are kept: there may be faults to tell yet.
pub(crate) struct Printer {
    is_unread: bool,
}

impl Printer {
    pub(crate) fn new() -> Result<Self, Failure> {
        expect_standard_output()?;
        Ok(Self { is_unread: false })
    }

    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        if self.is_unread {
            return Ok(());
        }
        match print(text) {
            Err(Failure::ClosedPipe { .. }) => {
                self.is_unread = true;
                Ok(())
            }
            printed => printed,
        }
    }
}

/// Refuse to write over a file that is being read, or behind its end.
pub(crate) fn refuse_input(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
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
        // The standard input may be a file, too.
        let input = match input.as_os_str() == "-" {
            true => Path::new("/dev/stdin"),
            false => input,
        };
        file(input) == Some(written)
    };
    match inputs.iter().any(is_read) {
        true => Err(Failure::usage(
            format!("{}: is an input file too", name.display()),
            "write to another name",
        )),
        false => Ok(()),
    }
}

/// As [`refuse_input`], of databases: KMC's are two files whose names the command line need not say.
pub(crate) fn refuse_input_database(
    output: &Path,
    format: Format,
    inputs: &[PathBuf],
) -> Result<(), Failure> {
    let inputs: Vec<PathBuf> = inputs.iter().flat_map(database::files_of).collect();
    let mut outputs = database::files_written(output, format).into_iter();
    outputs.try_for_each(|output| refuse_input(&output, &inputs))
}

/// The same for text about a database, for which `files` are read as well.
pub(crate) fn refuse_text_over(
    output: &Path,
    database: &Path,
    files: &[PathBuf],
) -> Result<(), Failure> {
    refuse_input_database(output, Format::Tsv, &[database.to_owned()])?;
    refuse_input(output, files)
}

/// Refuse a name that promises a compression which is not written: whoever reads the file would trip over it.
pub(crate) fn refuse_unwritten(output: &Path) -> Result<(), Failure> {
    refuse_extensions(
        output,
        &["bz2", "xz", "lzma", "lz4", "zip", "Z", "bam", "sam", "cram"],
    )
}

/// The same where nothing is compressed.
pub(crate) fn refuse_compressed(output: &Path) -> Result<(), Failure> {
    refuse_unwritten(output)?;
    refuse_extensions(output, &["gz", "bgz", "zst"])
}

fn refuse_extensions(output: &Path, extensions: &[&str]) -> Result<(), Failure> {
    let extension = output.extension().and_then(|extension| extension.to_str());
    match extension {
        Some(extension) if extensions.contains(&extension) => Err(Failure::usage(
            format!("{}: this is not written as .{extension}", output.display()),
            "leave the ending out, or write to - and have another program make that",
        )),
        _ => Ok(()),
    }
}
