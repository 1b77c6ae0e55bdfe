//! How a command ends: messages and exit codes.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use thalweg::hints;
use thalweg::kmers;
use thalweg::{Error, ErrorKind, Fault};

use crate::output::expect_standard_output;
use crate::process::standard_streams::{STANDARD_OUTPUT, closed_input, closed_output};
use thalweg::write::is_standard_output;

/// The data are at fault.
const DATA: u8 = 1;

/// Usage, input and output, internal errors. clap exits with it too.
const OTHER: u8 = 2;

/// The options that hints may name under the name of another program, as that has them, too.
static OPTIONS_OF_PROGRAM: OnceLock<&[&str]> = OnceLock::new();

/// Have hints of reading name no options but these: the command runs under the name of a program that has no others of ours.
pub(crate) fn hint_at_options(options: &'static [&'static str]) {
    // It runs under one name.
    let _ = OPTIONS_OF_PROGRAM.set(options);
}

/// What is left of a hint without the ways that are options of ours, except these; those of commands that are named in full stay.
fn without_options(hint: &str, known: &[&str]) -> Option<String> {
    let is_known = |way: &&str| {
        // What is quoted stands at odd places.
        let said = way.split('`').step_by(2);
        let words = said.flat_map(|text| text.split(|letter: char| " (),:".contains(letter)));
        words
            .filter(|word| word.starts_with("--"))
            .all(|option| known.contains(&option))
    };
    let clause = |clause: &str| {
        let ways = Vec::from_iter(clause.split(", or ").filter(is_known));
        (!ways.is_empty()).then(|| ways.join(", or "))
    };
    let clauses = Vec::from_iter(hint.split("; ").filter_map(clause));
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// From the library: reading, the index.
    Library(Error),
    /// From the library: a taxonomy, or a database of taxa.
    Taxa(thalweg::taxa::Error),
    /// From the library: counts of k-mers.
    Kmers(kmers::Error),
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
    /// What was asked by a file makes no sense: the data are at fault.
    Line {
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

    /// 0, 1 or 2.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Library(error) if error.is_data() => DATA,
            Self::Taxa(error) if error.is_data() => DATA,
            Self::Kmers(error) if error.is_data() => DATA,
            Self::Trace(error) if error.is_data() => DATA,
            Self::Line { .. } => DATA,
            Self::Library(_)
            | Self::Taxa(_)
            | Self::Kmers(_)
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
        self.print_as(str::to_owned);
    }

    /// Tell the user, and what to do in the words that `say` makes of it.
    pub(crate) fn print_as(&self, say: impl Fn(&str) -> String) {
        if let Some([message, hint]) = self.closed() {
            tell!("thalweg: error: {message}\nhint: {hint}");
            return;
        }
        let (message, hint) = match self {
            Self::Library(error) => (error.to_string(), hints::of_reads(error)),
            Self::Taxa(error) => (error.to_string(), hints::of_taxa(error)),
            Self::Kmers(error) => (error.to_string(), Some(hints::of_kmers(error))),
            Self::Trace(error) => (error.to_string(), hints::of_trace(error)),
            Self::Write(error) => (write_message(error), hints::of_write(error)),
            Self::Io { path, error } => (
                format!("{}: {error}", path.display()),
                Some(hints::of_io(error)),
            ),
            Self::Usage { message, hint } | Self::Line { message, hint } => {
                (message.clone(), hint.as_deref())
            }
            Self::ClosedPipe { .. } | Self::Reported(_) => return,
        };
        tell!("thalweg: error: {message}");
        let hint = match (self, OPTIONS_OF_PROGRAM.get()) {
            (Self::Library(_), Some(options)) => {
                hint.and_then(|hint| without_options(hint, options))
            }
            _ => hint.map(str::to_owned),
        };
        if let Some(hint) = hint {
            tell!("hint: {}", say(&hint));
        }
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

    /// The file that is not there, if it is that.
    pub(crate) fn missing(&self) -> Option<&Path> {
        let (path, error) = match self {
            Self::Io { path, error } => (path, error),
            Self::Library(error) => match (&error.location().path, error.kind()) {
                (Some(path), ErrorKind::Io(source)) => (path, source),
                _ => return None,
            },
            _ => return None,
        };
        (error.kind() == io::ErrorKind::NotFound).then_some(path)
    }

    /// Tell the user, and give the exit code.
    pub(crate) fn report(self) -> ExitCode {
        self.report_as(str::to_owned)
    }

    /// The same, with what to do in the words that `say` makes of it.
    pub(crate) fn report_as(self, say: impl Fn(&str) -> String) -> ExitCode {
        self.print_as(say);
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

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Reads(error) => error.into(),
            Fault::Taxa(error) => error.into(),
            Fault::Kmers(error) => error.into(),
            Fault::Write(error) => error.into(),
            Fault::Trace(error) => error.into(),
            Fault::Io { path, source } => Self::io(&path, source),
            Fault::Usage { message, hint } => Self::usage(message, &hint),
            Fault::Line { .. } => Self::Line {
                message: fault.to_string(),
                hint: fault.hint().map(str::to_owned),
            },
            // It has a sentence, and no more is known of it here.
            fault => Self::usage(fault.to_string(), ""),
        }
    }
}

impl From<thalweg::taxa::Error> for Failure {
    fn from(error: thalweg::taxa::Error) -> Self {
        Self::Taxa(error)
    }
}

impl From<kmers::Error> for Failure {
    fn from(error: kmers::Error) -> Self {
        match error {
            kmers::Error::Io { path, source } => Self::io(&path, source),
            error => Self::Kmers(error),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_options_that_the_program_has() {
        for (hint, left) in [
            (
                "write it again, or copy it again; --no-eof-check reads what is there",
                Some("write it again, or copy it again"),
            ),
            (
                "make it again with `thalweg index --force`, or read without it (--index never)",
                Some("make it again with `thalweg index --force`"),
            ),
            (
                "ask for fewer with --threads, or let the system have more (`ulimit -u`)",
                Some("ask for fewer with --threads, or let the system have more (`ulimit -u`)"),
            ),
            ("allow longer ones with --max-record", None),
        ] {
            let found = without_options(hint, &["--threads"]);
            assert_eq!(found.as_deref(), left, "{hint}");
        }
    }
}
