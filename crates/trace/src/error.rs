use std::fmt;
use std::io;
use std::path::Path;

use thalweg_files::{Location, write_readable};

use crate::value::MOST_BYTES;

/// Why a trace cannot be written or read.
#[derive(thiserror::Error)]
#[error("{}{kind}{}", location.head(), location.tail())]
pub struct Error {
    kind: Box<ErrorKind>,
    location: Location,
}

/// What is wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The system refused.
    #[error("{0}")]
    Io(io::Error),
    /// It is something else.
    #[error("is not a trace: {0}")]
    NotATrace(String),
    /// It ends before its end.
    #[error("truncated: the end record is missing after {values} values")]
    Cut {
        /// Whole values before the cut.
        values: u64,
    },
    /// It breaks its format.
    #[error("is damaged: {0}")]
    Damaged(String),
    /// A value is larger than what is written and read here.
    #[error("a value of more than {} MiB, which is more than a trace can have here", MOST_BYTES >> 20)]
    TooLarge,
    /// This program was built without zstd.
    #[error("zstd is not part of this program: build it with the feature `zstd` of thalweg")]
    WithoutZstd,
    /// There is no memory for a compressor.
    #[error("{0}")]
    Compressor(String),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_readable(f, self, self.hint())
    }
}

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self {
            kind: Box::new(kind),
            location: Location::default(),
        }
    }

    pub(crate) fn at(mut self, path: &Path, value: u64, offset: u64) -> Self {
        let location = std::mem::take(&mut self.location).in_file(path);
        self.location = match &*self.kind {
            // What it is says enough.
            ErrorKind::NotATrace(_) | ErrorKind::Io(_) | ErrorKind::WithoutZstd => location,
            // So does the number of values.
            ErrorKind::Cut { .. } => location.at_offset(offset),
            _ => location.at_record(Some(value)).at_offset(offset),
        };
        self
    }

    pub(crate) fn into_kind(self) -> ErrorKind {
        *self.kind
    }

    /// What the system said, if it is that; else the error itself.
    ///
    /// # Errors
    /// Any other error.
    pub fn into_io(self) -> Result<io::Error, Self> {
        let location = self.location;
        match *self.kind {
            ErrorKind::Io(error) => Ok(error),
            kind => Err(Self {
                kind: Box::new(kind),
                location,
            }),
        }
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where: the file; the number of the value, from 0; and a byte of the file that was read by then.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Whether the data are at fault, and not who reads or writes them.
    pub fn is_data(&self) -> bool {
        matches!(
            *self.kind,
            ErrorKind::NotATrace(_) | ErrorKind::Cut { .. } | ErrorKind::Damaged(_)
        )
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        match *self.kind {
            ErrorKind::Cut { .. } => {
                Some("the writer was interrupted or the copy is incomplete: write it again")
            }
            ErrorKind::Damaged(_) => Some("copy it again and compare checksums, or write it again"),
            ErrorKind::NotATrace(_) => {
                Some("traces are written by `--trace FILE` of `thalweg qc`, `count` and `classify`")
            }
            ErrorKind::TooLarge => {
                Some("the name of a read, or the list of inputs, is too long for a trace")
            }
            ErrorKind::WithoutZstd => {
                Some("build it with the feature `zstd`, or have another program unpack it")
            }
            ErrorKind::Io(_) | ErrorKind::Compressor(_) => None,
        }
    }
}
