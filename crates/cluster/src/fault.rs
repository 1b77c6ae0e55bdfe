//! What can go wrong.

use std::fmt;

use thalweg::count;

use crate::Lost;

/// Why a rank did not succeed.
#[derive(Debug)]
pub enum Fault {
    /// Reading, counting or writing.
    Count(count::Fault),
    /// The exchange does not go on: most often another rank has failed, and says why.
    Lost(Lost),
    /// A thread panicked with this message.
    Panicked(String),
}

impl Fault {
    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Self::Count(fault) => fault.hint(),
            Self::Lost(_) => None,
            Self::Panicked(_) => Some("this is a fault of the program: please report it"),
        }
    }

    /// The exit code of it: 1 where the data are at fault, and 2 for everything else.
    pub fn code(&self) -> u8 {
        match self {
            Self::Count(fault) if fault.is_data() => 1,
            _ => 2,
        }
    }

    /// What was asked for makes no sense.
    pub(crate) fn usage(message: impl Into<String>, hint: &'static str) -> Self {
        Self::Count(count::Fault::usage(message, hint))
    }

    /// Bytes from another rank that are not what they should be.
    pub(crate) fn nonsense(what: &str) -> Self {
        Self::Lost(Lost(format!("{what} cannot be read")))
    }

    /// What came of threads.
    pub(crate) fn of_threads(failure: thalweg_flow::Failure<Self>) -> Self {
        match failure {
            thalweg_flow::Failure::Failed(fault) => fault,
            thalweg_flow::Failure::Panicked(what) => Self::Panicked(what),
            thalweg_flow::Failure::NoThread(reason) => {
                thalweg::kmers::Error::NoThread(reason).into()
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count(fault) => fault.fmt(f),
            Self::Lost(lost) => lost.fmt(f),
            Self::Panicked(what) => write!(f, "a thread panicked: {what}"),
        }
    }
}

impl std::error::Error for Fault {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Count(fault) => fault.source(),
            Self::Lost(_) | Self::Panicked(_) => None,
        }
    }
}

impl<E: Into<count::Fault>> From<E> for Fault {
    fn from(error: E) -> Self {
        Self::Count(error.into())
    }
}

impl From<Lost> for Fault {
    fn from(lost: Lost) -> Self {
        Self::Lost(lost)
    }
}
