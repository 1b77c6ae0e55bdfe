use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thalweg_files::{Location, NamingError, write_readable};

use crate::OutputContents;
use crate::press::PressError;

/// Why output did not come about. `{:?}` shows it with its causes, and with what to do.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file or pipe cannot be opened or created.
    #[error("{}: cannot be opened for writing", path.display())]
    Open {
        /// Its name.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is there, and it is not to be replaced.
    #[error("{}: exists already", path.display())]
    Exists {
        /// Its name.
        path: PathBuf,
    },
    /// An output is a file that is read.
    #[error("{}: is an input file too", path.display())]
    IsInput {
        /// Its name.
        path: PathBuf,
    },
    /// A name promises a format that is not written.
    #[error("{}: output as .{} is not supported", path.display(), ending(path))]
    NotWritten {
        /// The name.
        path: PathBuf,
    },
    /// A name says something else than what the output is.
    #[error("{}: the name says {}, but the output is {}", path.display(), said.name(), written.name())]
    OtherContents {
        /// The name.
        path: PathBuf,
        /// What it says.
        said: OutputContents,
        /// The contents of the output.
        written: OutputContents,
    },
    /// Two outputs have the same name.
    #[error("{}: is the name of two outputs", path.display())]
    Twice {
        /// The name.
        path: PathBuf,
    },
    /// A pipe or device cannot be split into files.
    #[error("{}: is not a file that can be split", path.display())]
    SplitStream {
        /// Its name.
        path: PathBuf,
    },
    /// The reader of a pipe has gone away: it has seen enough.
    #[error("{}: the pipe was closed", path.display())]
    ClosedPipe {
        /// Its name.
        path: PathBuf,
    },
    /// Data could not be written, for instance because the disk is full.
    #[error("{}: cannot be written at byte {offset}", path.display())]
    Write {
        /// The final name of the file.
        path: PathBuf,
        /// Number of bytes that stand before those that were refused.
        offset: u64,
        /// What the system said.
        source: io::Error,
    },
    /// All data were written, but the file could not be saved under its name.
    #[error("{}: cannot be saved", path.display())]
    Save {
        /// The name.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Of several outputs that are whole, one could not be saved under its name when others were saved already.
    #[error("{}: cannot be saved, though {}", path.display(), saved(named))]
    SaveOfSome {
        /// The name of the first that could not.
        path: PathBuf,
        /// Those that have their names.
        named: Vec<PathBuf>,
        /// What the system said.
        source: io::Error,
    },
    /// A piece does not have as many lines as its records need.
    #[error("{}: {lines} lines for {records} records cannot be split", path.display())]
    Lines {
        /// The name of the output.
        path: PathBuf,
        /// Lines of the piece.
        lines: u64,
        /// Records that it was said to have.
        records: u64,
    },
    /// The compressor failed.
    #[error("{}: cannot be compressed", path.display())]
    Compress {
        /// The name of the output.
        path: PathBuf,
        /// What it said.
        source: PressError,
    },
    /// A batch was handed in twice, or with a piece too many or too few: a fault
    /// of the program.
    #[error("batch {ticket}.{piece} was handed in twice or with pieces of other outputs")]
    Misplaced {
        /// The ticket of its place.
        ticket: u64,
        /// The piece of its place.
        piece: u64,
    },
    /// Batches are missing: a worker ended without handing in what it had begun.
    #[error("output stops before batch {ticket} of {tickets}")]
    Incomplete {
        /// The first ticket that is not whole.
        ticket: u64,
        /// How many there should be.
        tickets: u64,
    },
    /// Another worker failed, and its error says why. A worker that gets this has
    /// no failure of its own and should end as if it were done.
    #[error("stopped because of another failure")]
    Stopped,
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_readable(f, self, self.hint())
    }
}

impl Error {
    /// Whether this only follows from a failure that was reported elsewhere.
    pub fn is_consequence(&self) -> bool {
        matches!(self, Self::Stopped)
    }

    /// Where it happened: which output, and at which byte of it; nothing where the program is at fault.
    pub fn location(&self) -> Location {
        match self {
            Self::Open { path, .. }
            | Self::Exists { path }
            | Self::IsInput { path }
            | Self::NotWritten { path }
            | Self::OtherContents { path, .. }
            | Self::Twice { path }
            | Self::SplitStream { path }
            | Self::ClosedPipe { path }
            | Self::Save { path, .. }
            | Self::SaveOfSome { path, .. }
            | Self::Lines { path, .. }
            | Self::Compress { path, .. } => Location::of_file(path),
            Self::Write { path, offset, .. } => Location::of_file(path).at_offset(*offset),
            Self::Misplaced { .. } | Self::Incomplete { .. } | Self::Stopped => Location::default(),
        }
    }

    /// What to do about it, where it is not a matter of what the system said.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::IsInput { .. } => Some("write to another name"),
            Self::NotWritten { path } if ending(path).eq_ignore_ascii_case("bam") => Some(
                "only `thalweg cat` writes BAM; for reads, use \
                 `thalweg ... | thalweg cat - -o FILE.bam`",
            ),
            Self::NotWritten { .. } => Some(
                "use another ending (.gz and .zst are supported), or write to - and pipe it into a program that writes \
                 this format",
            ),
            Self::OtherContents { written, .. } => Some(written.way_out()),
            Self::ClosedPipe { .. } => Some("its reader ended before it had everything"),
            _ => None,
        }
    }

    pub(crate) fn open(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Open { path, source }
    }

    pub(crate) fn save(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Save { path, source }
    }

    /// What is whole did not get its name.
    pub(crate) fn naming(error: NamingError) -> Self {
        let NamingError {
            path,
            source,
            named,
        } = error;
        match source.kind() {
            _ if !named.is_empty() => Self::SaveOfSome {
                path,
                named,
                source,
            },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            _ => Self::Save { path, source },
        }
    }

    pub(crate) fn write(path: &Path, offset: u64, source: io::Error) -> Self {
        let path = path.to_owned();
        if source.kind() == io::ErrorKind::BrokenPipe {
            return Self::ClosedPipe { path };
        }
        Self::Write {
            path,
            offset,
            source,
        }
    }

    pub(crate) fn compress(path: &Path, source: PressError) -> Self {
        let path = path.to_owned();
        Self::Compress { path, source }
    }
}

/// What stands behind the last dot of a name.
fn ending(path: &Path) -> Cow<'_, str> {
    path.extension().unwrap_or_default().to_string_lossy()
}

/// Which files have their names: all that can be said of very many is where they begin and end.
fn saved(named: &[PathBuf]) -> String {
    match named {
        [] => "nothing else is".to_owned(),
        [only] => format!("{} is", only.display()),
        [first, .., last] => format!(
            "{} to {}, {} files, are",
            first.display(),
            last.display(),
            named.len()
        ),
    }
}
