use std::{io, path::PathBuf};
use thalweg_files::TemporaryError;

/// Why sequences could not be cut into super-k-mers, or these not be kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// k lies outside what is supported.
    #[error("k = {k}: k must be from 1 to {max}")]
    BadK {
        /// The k asked for.
        k: usize,
        /// The largest k of the type or format used.
        max: usize,
    },
    /// Lengths, an order or numbers that no scheme has.
    #[error("{0}")]
    BadScheme(String),
    /// Foreign bytes that are no blocks of records.
    #[error("a block of partition {partition} cannot be used: {reason}")]
    BadBlock {
        /// The partition that they were for.
        partition: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// Whoever takes blocks failed.
    #[error("super-k-mers could not be handed on: {0}")]
    Sink(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A temporary file could not be made, written or read.
    #[error("{}: temporary files: {source}", directory.display())]
    Temporary {
        /// The directory that holds it: it has no name, or a random one.
        directory: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl From<TemporaryError> for Error {
    fn from(TemporaryError { directory, source }: TemporaryError) -> Self {
        Self::Temporary { directory, source }
    }
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
