//! What can go wrong when files are read for a classifier.

use std::fmt;

use thalweg_reads::{Error, ErrorKind};

/// Why a job did not succeed.
#[derive(Debug)]
pub enum Fault {
    /// Files could not be read.
    Reads(Error),
    /// What is in them does not go together, or a database is at fault.
    Taxa(thalweg_taxa::Error),
    /// Something could not be written.
    Write(thalweg_write::Error),
    /// A value could not be made of a read.
    Trace(thalweg_trace::Error),
}

impl Fault {
    /// Whether it only says that another one stopped the work.
    pub fn is_consequence(&self) -> bool {
        match self {
            Self::Reads(error) => matches!(error.kind(), ErrorKind::Stopped),
            Self::Taxa(_) | Self::Trace(_) => false,
            Self::Write(error) => error.is_consequence(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reads(error) => error.fmt(f),
            Self::Taxa(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
            Self::Trace(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Reads(error) => error.source(),
            Self::Taxa(error) => error.source(),
            Self::Write(error) => error.source(),
            Self::Trace(error) => error.source(),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Reads(error)
    }
}

impl From<thalweg_taxa::Error> for Fault {
    fn from(error: thalweg_taxa::Error) -> Self {
        Self::Taxa(error)
    }
}

impl From<thalweg_trace::Error> for Fault {
    fn from(error: thalweg_trace::Error) -> Self {
        Self::Trace(error)
    }
}

impl From<thalweg_write::Error> for Fault {
    fn from(error: thalweg_write::Error) -> Self {
        Self::Write(error)
    }
}
