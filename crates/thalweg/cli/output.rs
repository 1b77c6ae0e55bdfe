//! Where results go: the standard output, or a file that gets its name when it
//! is whole. Its name also says what it is compressed with.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use thalweg::OutputFile;
use thalweg::kmers::database;
use thalweg::write::{
    Level, OutputFormat, check_not_input, check_plain, check_written, is_standard_output,
};

use crate::process::exit::Failure;
use crate::process::tell::harmless;

/// An output that blocks of bytes are written to: as they are, without a buffer or a
/// copy, or compressed. [`Output::finish`] must be called; dropping it before leaves nothing
/// behind, nor does a signal.
pub(crate) struct Output(OutputFile);

impl Output {
    /// The standard output.
    pub(crate) fn stdout() -> Result<Self, Failure> {
        Self::create(Path::new("-"))
    }

    /// A file that will appear under the `given` name; an older one is replaced then.
    /// `-` is the standard output; pipes and devices are written to directly. It is compressed as its name says.
    pub(crate) fn create(given: &Path) -> Result<Self, Failure> {
        Ok(Self(OutputFile::create(given)?))
    }

    /// The same, and what is written stays as it is, whatever the name: for those that stand in for programs that do so, and
    /// for what is no text.
    pub(crate) fn create_plain(given: &Path) -> Result<Self, Failure> {
        Ok(Self(OutputFile::create_plain(given)?))
    }

    /// The same, compressed so hard if at all.
    pub(crate) fn create_at(given: &Path, level: Level) -> Result<Self, Failure> {
        let format = OutputFormat::of_name(given);
        Ok(Self(OutputFile::create_as(given, format, level)?))
    }

    /// Write all of `bytes`.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.0.write(bytes)?)
    }

    /// Make sure that everything has arrived, and give the file its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        Ok(self.0.finish()?)
    }
}

/// Fail if the standard output is closed: to be asked by whoever prints only when all is done.
pub(crate) fn expect_standard_output() -> Result<(), Failure> {
    Output::stdout().map(drop)
}

/// Print a text that is a result. What is read in a terminal can do nothing to it.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut output = Output::stdout()?;
    let text = match io::stdout().is_terminal() {
        true => harmless(text),
        false => text.into(),
    };
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

/// Refuses to write binary data to a terminal; `hint` says what to do.
pub(crate) fn refuse_terminal(output: &Path, hint: &str) -> Result<(), Failure> {
    if !is_terminal(output) {
        return Ok(());
    }
    let name = match is_standard_output(output) {
        true => "the standard output".into(),
        false => output.to_string_lossy(),
    };
    Err(Failure::usage(
        format!("{name} is a terminal, and the output is binary"),
        hint,
    ))
}

/// Returns whether what is written to an output is shown by a terminal: the standard output, or a device such as `/dev/tty`.
fn is_terminal(output: &Path) -> bool {
    if is_standard_output(output) {
        return io::stdout().is_terminal();
    }
    let is_device = |data: std::fs::Metadata| data.file_type().is_char_device();
    let is_device = std::fs::metadata(output).is_ok_and(is_device);
    is_device && File::open(output).is_ok_and(|file| file.is_terminal())
}

/// Refuse to write over a file that is being read, or behind its end.
pub(crate) fn refuse_input(output: &Path, inputs: &[PathBuf]) -> Result<(), Failure> {
    Ok(check_not_input(output, inputs)?)
}

/// As [`refuse_input`], of databases: KMC's are two files whose names the command line need not say.
pub(crate) fn refuse_input_database(
    output: &Path,
    format: database::DatabaseFormat,
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
    refuse_input_database(
        output,
        database::DatabaseFormat::Tsv,
        &[database.to_owned()],
    )?;
    refuse_input(output, files)
}

/// Refuse a name that promises a compression which is not written: whoever reads the file would trip over it.
pub(crate) fn refuse_unwritten(output: &Path) -> Result<(), Failure> {
    Ok(check_written(output)?)
}

/// The same where nothing is compressed.
pub(crate) fn refuse_compressed(output: &Path) -> Result<(), Failure> {
    Ok(check_plain(output)?)
}
