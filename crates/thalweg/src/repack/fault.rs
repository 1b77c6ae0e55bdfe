use std::fmt;

use thalweg_files::TemporaryError;
use thalweg_reads::ErrorKind;

/// Why a job did not succeed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// Files could not be read.
    Reads(thalweg_reads::Error),
    /// Something could not be written.
    Write(thalweg_write::Error),
    /// What was put aside could not be written, or read again.
    Temporary(TemporaryError),
    /// Files cannot be put behind one another by their bytes: why.
    Join(String),
}

impl Fault {
    /// Whether it only says that another one stopped the work.
    pub fn is_consequence(&self) -> bool {
        match self {
            Self::Reads(error) => matches!(error.kind(), ErrorKind::Stopped),
            Self::Write(error) => error.is_consequence(),
            Self::Temporary(_) | Self::Join(_) => false,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
            Self::Temporary(error) => error.fmt(f),
            Self::Join(what) => what.fmt(f),
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Reads(error) => error.source(),
            Self::Write(error) => error.source(),
            Self::Temporary(error) => error.source(),
            Self::Join(_) => None,
        }
    }
}

impl From<thalweg_reads::Error> for Fault {
    fn from(error: thalweg_reads::Error) -> Self {
        Self::Reads(error)
    }
}

impl From<thalweg_write::Error> for Fault {
    fn from(error: thalweg_write::Error) -> Self {
        Self::Write(error)
    }
}

impl From<TemporaryError> for Fault {
    fn from(error: TemporaryError) -> Self {
        Self::Temporary(error)
    }
}
