//! Failures of reading, counting and databases under one roof.

use std::io;
use std::path::Path;

use thalweg::count::TemporaryDatabase;
use thalweg::hints::{FILE_LIMIT, MANY_FILES, is_of_many_files};
use thalweg::kmers::Error;

use crate::process::exit::Failure;

/// What to do where temporary files cannot be written, for whatever has the option.
pub(crate) const TMP_HINT: &str = "name another directory with --tmp";

/// The same for what has no such option.
pub(crate) const TMPDIR_HINT: &str =
    "name another directory with TMPDIR=DIRECTORY in the environment";

/// Why counting or work on databases did not succeed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// As in any other command.
    Command(Failure),
    /// Counting, or a database.
    Kmers(Error),
}

impl Fault {
    /// As [`Failure::of_outputs`].
    pub(crate) fn of_outputs(self, outputs: &[impl AsRef<Path>]) -> Self {
        match self {
            Self::Command(failure) => Self::Command(failure.of_outputs(outputs)),
            fault => fault,
        }
    }

    /// Of temporary files, tell what to do: `remedy`. Without it, that is [`TMPDIR_HINT`].
    pub(crate) fn of_temporary_files(self, remedy: &str) -> Self {
        match self {
            Self::Kmers(Error::Temporary { directory, source }) => {
                let hint = match source.kind() {
                    _ if is_of_many_files(&source) => MANY_FILES.to_owned(),
                    io::ErrorKind::FileTooLarge => format!("{FILE_LIMIT}; {remedy}"),
                    _ => remedy.to_owned(),
                };
                let message = Error::Temporary { directory, source }.to_string();
                Self::Command(Failure::usage(message, &hint))
            }
            fault => fault,
        }
    }

    /// Of a file under a temporary name, tell what is told of it instead.
    pub(crate) fn told_by(self, name: &TemporaryDatabase) -> Self {
        match self {
            Self::Kmers(error) => Self::Kmers(name.told(error)),
            fault => fault,
        }
    }

    /// What the command ends with.
    pub(crate) fn into_failure(self) -> Failure {
        let error = match self.of_temporary_files(TMPDIR_HINT) {
            Self::Command(failure) => return failure,
            Self::Kmers(error) => error,
        };
        error.into()
    }
}

impl From<Failure> for Fault {
    fn from(failure: Failure) -> Self {
        match failure {
            // What happened to a file is told as the library tells it, without temporary names.
            Failure::Io { path, error } => Error::io(path, error).into(),
            failure => Self::Command(failure),
        }
    }
}

impl From<thalweg::Error> for Fault {
    fn from(error: thalweg::Error) -> Self {
        Self::Command(error.into())
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Kmers(error)
    }
}

impl From<thalweg::write::Error> for Fault {
    fn from(error: thalweg::write::Error) -> Self {
        match error {
            thalweg::write::Error::Open { path, source, .. } => Error::io(path, source).into(),
            error => Self::Command(error.into()),
        }
    }
}

impl From<thalweg::Fault> for Fault {
    fn from(fault: thalweg::Fault) -> Self {
        match fault {
            // A closed pipe is told apart.
            thalweg::Fault::Kmers(Error::Io { path, source })
            | thalweg::Fault::Io { path, source } => Failure::io(&path, source).into(),
            thalweg::Fault::Kmers(error) => error.into(),
            thalweg::Fault::Write(error) => error.into(),
            fault => Self::Command(fault.into()),
        }
    }
}
