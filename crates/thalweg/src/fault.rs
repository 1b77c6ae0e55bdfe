//! What can go wrong in a job.

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thalweg_files::write_readable;
use thalweg_reads as reads;
use thalweg_write as write;

use crate::hints;

/// What errors call the standard output.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// Why a job did not succeed. `{:?}` shows it with its causes, and with what to do: so `main` may return it.
#[non_exhaustive]
pub enum Fault {
    /// Files could not be read, or an index not be made; or the job was [cancelled](reads::ErrorKind::Cancelled).
    Reads(reads::Error),
    /// Something is wrong with an output that is not a matter of one call of the system.
    Write(write::Error),
    /// Counting, a database of counts, or a file that is written by either.
    #[cfg(feature = "kmers")]
    Kmers(thalweg_kmers::Error),
    /// A line of k-mers has none.
    #[cfg(feature = "kmers")]
    Line {
        /// Of which file.
        path: PathBuf,
        /// Which line, counted from 1.
        number: u64,
        /// What is wrong with it.
        error: thalweg_kmers::Error,
    },
    /// A taxonomy or a database of taxa is at fault, or what is in files does not go together.
    #[cfg(feature = "taxa")]
    Taxa(thalweg_taxa::Error),
    /// A value could not be made of a read, or a trace not be written.
    #[cfg(feature = "trace")]
    Trace(thalweg_trace::Error),
    /// All reads are written, but not the report on them: nobody reads it any more, or it fails and all reads went to streams.
    Report(Box<Fault>),
    /// The system refused something.
    Io {
        /// Of which file.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
    /// What was asked for makes no sense.
    Usage {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: Cow<'static, str>,
    },
}

/// What came of each file, in their order.
pub type Outcomes<T> = Vec<(PathBuf, Result<T, Fault>)>;

impl Fault {
    /// What was asked for makes no sense.
    pub fn usage(message: impl Into<String>, hint: impl Into<Cow<'static, str>>) -> Self {
        let (message, hint) = (message.into(), hint.into());
        Self::Usage { message, hint }
    }

    /// What the system said about a file.
    pub fn io(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Io { path, source }
    }

    /// Whether the data are at fault, and not who reads or writes them.
    pub fn is_data(&self) -> bool {
        match self {
            Self::Reads(error) => error.is_data(),
            #[cfg(feature = "kmers")]
            Self::Kmers(error) => error.is_data(),
            #[cfg(feature = "kmers")]
            Self::Line { .. } => true,
            #[cfg(feature = "taxa")]
            Self::Taxa(error) => error.is_data(),
            #[cfg(feature = "trace")]
            Self::Trace(error) => error.is_data(),
            Self::Report(fault) => fault.is_data(),
            Self::Write(_) | Self::Io { .. } | Self::Usage { .. } => false,
        }
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Reads(error) => hints::of_reads(error),
            Self::Write(error) => hints::of_write(error),
            #[cfg(feature = "kmers")]
            Self::Kmers(error) | Self::Line { error, .. } => Some(hints::of_kmers(error)),
            #[cfg(feature = "taxa")]
            Self::Taxa(error) => hints::of_taxa(error),
            #[cfg(feature = "trace")]
            Self::Trace(error) => hints::of_trace(error),
            Self::Report(fault) => fault.hint(),
            Self::Io { source, .. } => Some(hints::of_io(source)),
            Self::Usage { hint, .. } => Some(hint)
                .filter(|hint| !hint.is_empty())
                .map(|hint| &**hint),
        }
    }

    /// Whether it only says that another one stopped the work.
    pub fn is_consequence(&self) -> bool {
        match self {
            Self::Reads(error) => matches!(error.kind(), reads::ErrorKind::Stopped),
            Self::Write(error) => error.is_consequence(),
            _ => false,
        }
    }

    /// Whether whoever started the job has stopped it.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Reads(error) if matches!(error.kind(), reads::ErrorKind::Cancelled))
    }

    /// Whether it is that nobody reads our standard output any more: who went has what it wants.
    pub fn is_unread(&self) -> bool {
        let is_standard =
            |path: &Path| write::is_standard_output(path) || path == Path::new(STANDARD_OUTPUT);
        match self {
            Self::Write(write::Error::ClosedPipe { path }) => is_standard(path),
            Self::Report(fault) => fault.is_unread(),
            Self::Io { path, source } => {
                source.kind() == io::ErrorKind::BrokenPipe && is_standard(path)
            }
            #[cfg(feature = "kmers")]
            Self::Kmers(thalweg_kmers::Error::Io { path, source }) => {
                source.kind() == io::ErrorKind::BrokenPipe && is_standard(path)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
            #[cfg(feature = "kmers")]
            Self::Kmers(error) => error.fmt(f),
            #[cfg(feature = "kmers")]
            Self::Line {
                path,
                number,
                error,
            } => write!(f, "{}, line {number}: {error}", path.display()),
            #[cfg(feature = "taxa")]
            Self::Taxa(error) => error.fmt(f),
            #[cfg(feature = "trace")]
            Self::Trace(error) => error.fmt(f),
            Self::Report(fault) => fault.fmt(f),
            Self::Io { path, source } => write!(f, "{}: {source}", path.display()),
            Self::Usage { message, .. } => f.write_str(message),
        }
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_readable(f, self, self.hint())
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Reads(error) => error.source(),
            Self::Write(error) => error.source(),
            #[cfg(feature = "kmers")]
            Self::Kmers(error) | Self::Line { error, .. } => error.source(),
            #[cfg(feature = "taxa")]
            Self::Taxa(error) => error.source(),
            #[cfg(feature = "trace")]
            Self::Trace(error) => error.source(),
            Self::Report(fault) => fault.source(),
            // The sentence has it already.
            Self::Io { .. } | Self::Usage { .. } => None,
        }
    }
}

impl From<reads::Error> for Fault {
    fn from(error: reads::Error) -> Self {
        Self::Reads(error)
    }
}

impl From<write::Error> for Fault {
    fn from(error: write::Error) -> Self {
        Self::Write(error)
    }
}

#[cfg(feature = "kmers")]
impl From<thalweg_kmers::Error> for Fault {
    fn from(error: thalweg_kmers::Error) -> Self {
        match error {
            // Nobody but who started the job stops it.
            thalweg_kmers::Error::Cancelled => {
                Self::Reads(reads::Error::new(reads::ErrorKind::Cancelled))
            }
            error => Self::Kmers(error),
        }
    }
}

#[cfg(feature = "taxa")]
impl From<thalweg_taxa::Error> for Fault {
    fn from(error: thalweg_taxa::Error) -> Self {
        match error.kind() {
            thalweg_taxa::ErrorKind::Cancelled => {
                reads::Error::new(reads::ErrorKind::Cancelled).into()
            }
            _ => Self::Taxa(error),
        }
    }
}

#[cfg(feature = "trace")]
impl From<thalweg_trace::Error> for Fault {
    fn from(error: thalweg_trace::Error) -> Self {
        Self::Trace(error)
    }
}
