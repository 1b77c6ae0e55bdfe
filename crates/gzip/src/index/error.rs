//! Why an index cannot be read or written.

use std::io;
use std::path::{Path, PathBuf};

use thalweg_files::Location;

/// Why an index cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// The operating system refused.
    #[error("{}: cannot {action} the index", path.display())]
    Io {
        /// The file in question; empty for an index in memory.
        path: PathBuf,
        /// What was tried: "open", "read", "create", "write".
        action: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
    /// The file is in none of the known formats.
    #[error("not an index of a known format (thw, mim or gzi)")]
    NotAnIndex,
    /// The index was written by a newer version, in a format that this one does not know.
    #[error(
        "the {format} index has version {found}, but this program reads only up to {supported}; use a newer one, or build the index again"
    )]
    TooNew {
        /// The format's name.
        format: &'static str,
        /// The version in the file.
        found: u64,
        /// The newest version that can be read.
        supported: u64,
    },
    /// The content breaks the format's rules: damaged, cut short or forged.
    #[error("the index is damaged: section {section}, byte {offset}: {reason}")]
    Damaged {
        /// The part of the index that is wrong.
        section: &'static str,
        /// Byte offset in the index file (in its uncompressed stream for the checkpoints of a `.mim`) at which the
        /// fault was noticed.
        offset: u64,
        /// What is wrong.
        reason: String,
    },
    /// The index holds something, or lacks something, that the target format cannot do with.
    #[error("cannot be written as {format}: {reason}")]
    NotRepresentable {
        /// The target format.
        format: &'static str,
        /// What is in the way.
        reason: &'static str,
    },
    /// There are fewer checkpoints.
    #[error("there is no checkpoint {checkpoint}: the index has {checkpoints}")]
    NoSuchCheckpoint {
        /// The number asked for.
        checkpoint: usize,
        /// How many there are.
        checkpoints: usize,
    },
}

impl IndexError {
    /// Where it happened, as far as that is known here: the index file, or a byte of it.
    pub fn location(&self) -> Location {
        match self {
            Self::Io { path, .. } if !path.as_os_str().is_empty() => Location::of_file(path),
            Self::Damaged { offset, .. } => Location::default().at_offset(*offset),
            _ => Location::default(),
        }
    }

    pub(super) fn io(path: &Path, action: &'static str, source: io::Error) -> IndexError {
        IndexError::Io {
            path: path.to_path_buf(),
            action,
            source,
        }
    }

    pub(super) fn damaged(
        section: &'static str,
        offset: u64,
        reason: impl Into<String>,
    ) -> IndexError {
        IndexError::Damaged {
            section,
            offset,
            reason: reason.into(),
        }
    }
}
