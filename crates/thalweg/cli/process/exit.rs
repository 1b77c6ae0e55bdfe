//! How a command ends: messages and exit codes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nix::errno::Errno;
use thalweg::{Error, ErrorKind};

use crate::output::expect_standard_output;
use crate::process::standard_streams::{STANDARD_OUTPUT, closed_input, closed_output};
use thalweg::write::is_standard_output;

/// The data are at fault.
const DATA: u8 = 1;

/// Usage, input and output, internal errors. clap exits with it too.
const OTHER: u8 = 2;

/// Why a file could not be made larger.
pub(crate) const FILE_LIMIT: &str =
    "files may not grow so large here (`ulimit -f`, or the file system)";

/// What to do where a process may open no more files.
pub(crate) const MANY_FILES: &str =
    "too many files at once: let the system have more (`ulimit -n`)";

/// Whether it is that.
pub(crate) fn is_of_many_files(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::EMFILE as i32)
}

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// From the library: reading, the index.
    Library(Error),
    /// From the library: a taxonomy, or a database of taxa.
    Taxa(thalweg::taxa::Error),
    /// From the library: a trace.
    Trace(thalweg::trace::Error),
    /// From the library: ordered output.
    Write(thalweg::write::Error),
    /// Something could not be written, or another file not be handled.
    Io { path: PathBuf, error: io::Error },
    /// What was asked for makes no sense.
    Usage {
        message: String,
        hint: Option<String>,
    },
    /// Whoever read our standard output has gone: no reason to complain, if that was all.
    ClosedPipe {
        /// The output.
        path: PathBuf,
    },
    /// Reported already, one by one; the worst exit code.
    Reported(u8),
}

impl Failure {
    /// The user asked for something that cannot be.
    pub(crate) fn usage(message: impl Into<String>, hint: &str) -> Self {
        Self::Usage {
            message: message.into(),
            hint: Some(hint.to_owned()).filter(|hint| !hint.is_empty()),
        }
    }

    /// The operating system failed at `path`. A closed pipe is told apart.
    pub(crate) fn io(path: &Path, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::closed_pipe(path.to_owned()),
            _ => Self::Io {
                path: path.to_owned(),
                error,
            },
        }
    }

    /// Nobody reads `path` any more. That of a pipe with a name may have failed, and nobody else would tell.
    fn closed_pipe(path: PathBuf) -> Self {
        match is_standard_output(&path) || path == Path::new(STANDARD_OUTPUT) {
            true => Self::ClosedPipe { path },
            false => Self::Write(thalweg::write::Error::ClosedPipe { path }),
        }
    }

    /// Of all `outputs` of a command, one: a reader that goes has what it wants, if it is that of the standard output and
    /// there is nothing else to write. Of others nobody would learn that they failed.
    pub(crate) fn of_outputs(self, outputs: &[impl AsRef<Path>]) -> Self {
        let is_alone = matches!(outputs, [only] if is_standard_output(only.as_ref()));
        match self {
            Self::ClosedPipe { path } if !is_alone => {
                Self::Write(thalweg::write::Error::ClosedPipe { path })
            }
            failure => failure,
        }
    }

    /// Whether it only says that another failure stopped the work.
    pub(crate) fn is_consequence(&self) -> bool {
        match self {
            Self::Library(error) => matches!(error.kind(), ErrorKind::Stopped),
            Self::Write(error) => error.is_consequence(),
            _ => false,
        }
    }

    /// 0, 1 or 2.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Library(error) if error.is_data() => DATA,
            Self::Taxa(error) if error.is_data() => DATA,
            Self::Trace(error) if error.is_data() => DATA,
            Self::Library(_)
            | Self::Taxa(_)
            | Self::Trace(_)
            | Self::Write(_)
            | Self::Io { .. }
            | Self::Usage { .. } => OTHER,
            Self::ClosedPipe { .. } => 0,
            Self::Reported(code) => *code,
        }
    }

    /// Tell the user.
    pub(crate) fn print(&self) {
        if let Some([message, hint]) = self.closed() {
            tell!("thalweg: error: {message}\nhint: {hint}");
            return;
        }
        let (message, hint) = match self {
            Self::Library(error) => (error.to_string(), library_hint(error)),
            Self::Taxa(error) => (error.to_string(), taxa_hint(error)),
            Self::Trace(error) => (error.to_string(), trace_hint(error)),
            Self::Write(error) => (write_message(error), write_hint(error)),
            Self::Io { path, error } => (format!("{}: {error}", path.display()), io_hint(error)),
            Self::Usage { message, hint } => (message.clone(), hint.clone()),
            Self::ClosedPipe { .. } | Self::Reported(_) => return,
        };
        tell!("thalweg: error: {message}");
        if let Some(hint) = hint {
            tell!("hint: {hint}");
        }
    }

    /// Whether it is that a standard stream is closed.
    pub(crate) fn is_closed_stream(&self) -> bool {
        self.closed().is_some()
    }

    /// If it is that a standard stream is closed: what to tell.
    fn closed(&self) -> Option<[&'static str; 2]> {
        match self {
            Self::Library(error) => match (error.kind(), &error.location().path) {
                (ErrorKind::Io(source), Some(path)) => closed_input(path, source),
                _ => None,
            },
            Self::Io { path, error } => {
                closed_output(path, error).or_else(|| closed_input(path, error))
            }
            Self::Write(thalweg::write::Error::Open { path, source }) => {
                closed_output(path, source)
            }
            _ => None,
        }
    }

    /// Tell the user, and give the exit code.
    pub(crate) fn report(self) -> ExitCode {
        self.print();
        ExitCode::from(self.code())
    }
}

/// The exit code after something was printed; if that was all and it could not be written, that is an error.
pub(crate) fn after_printing(printed: io::Result<()>, code: u8) -> ExitCode {
    // What is printed with another code goes to the standard error.
    if code == 0
        && let Err(failure) = expect_standard_output()
    {
        return failure.report();
    }
    match printed.and_then(|()| io::stdout().flush()) {
        Err(error) if code == 0 => Failure::io(Path::new(STANDARD_OUTPUT), error).report(),
        _ => ExitCode::from(code),
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<thalweg::write::Error> for Failure {
    fn from(error: thalweg::write::Error) -> Self {
        match error {
            thalweg::write::Error::ClosedPipe { path } => Self::closed_pipe(path),
            error => Self::Write(error),
        }
    }
}

impl From<thalweg::qc::Error> for Failure {
    fn from(error: thalweg::qc::Error) -> Self {
        Self::usage(error.to_string(), "")
    }
}

impl From<thalweg::trace::Error> for Failure {
    fn from(error: thalweg::trace::Error) -> Self {
        let path = error.location().path.clone().unwrap_or_default();
        match error.into_io() {
            Ok(error) => Self::io(&path, error),
            Err(error) => Self::Trace(error),
        }
    }
}

fn write_message(error: &thalweg::write::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn write_hint(error: &thalweg::write::Error) -> Option<String> {
    if matches!(error, thalweg::write::Error::ClosedPipe { .. }) {
        let hint = "its reader ended before it had everything";
        return Some(hint.to_owned());
    }
    let source = std::error::Error::source(error)?;
    io_hint(source.downcast_ref::<io::Error>()?)
}

fn trace_hint(error: &thalweg::trace::Error) -> Option<String> {
    match error.kind() {
        thalweg::trace::ErrorKind::Io(error) => io_hint(error),
        _ => error.hint().map(str::to_owned),
    }
}

fn taxa_hint(error: &thalweg::taxa::Error) -> Option<String> {
    match (error.hint(), error.kind()) {
        (Some(hint), _) => Some(hint.to_owned()),
        (None, thalweg::taxa::ErrorKind::Io(error)) => io_hint(error),
        _ => None,
    }
}

fn library_hint(error: &Error) -> Option<String> {
    match (error.hint(), error.kind()) {
        (Some(hint), _) => Some(hint.to_owned()),
        (None, ErrorKind::Io(error)) => io_hint(error),
        (None, ErrorKind::Compressed(error)) if !error.is_data() => {
            // The system failed to read what lies there.
            io_hint(std::error::Error::source(error)?.downcast_ref()?)
        }
        (None, ErrorKind::Compressed(_)) => {
            Some("the file is damaged: copy or download it again and compare checksums".to_owned())
        }
        (None, ErrorKind::Unsupported(_)) => Some(
            "`thalweg info FILE` tells what a file is; `--help` what a command can do".to_owned(),
        ),
        _ => None,
    }
}

/// What is there of outputs that could not be written.
const NOTHING_INCOMPLETE: &str = "no incomplete file is left under the name of an output";

fn io_hint(error: &io::Error) -> Option<String> {
    if is_of_many_files(error) {
        return Some(MANY_FILES.to_owned());
    }
    let hint = match error.kind() {
        io::ErrorKind::NotFound => {
            "check the name, and that its directory is there; a relative one starts at the current directory"
        }
        io::ErrorKind::NotADirectory => {
            "a directory is wanted where there is a file: check the name"
        }
        io::ErrorKind::PermissionDenied => "check the permissions of the file and its directory",
        io::ErrorKind::IsADirectory => "name the files in it instead",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            return Some(format!(
                "make room or write somewhere else; {NOTHING_INCOMPLETE}"
            ));
        }
        io::ErrorKind::FileTooLarge => {
            return Some(format!("{FILE_LIMIT}; {NOTHING_INCOMPLETE}"));
        }
        io::ErrorKind::AlreadyExists => "remove it or choose another name",
        io::ErrorKind::ReadOnlyFilesystem => "write somewhere else with -o",
        _ => "the operating system refused; see its log if the device may have failed",
    };
    Some(hint.to_owned())
}
