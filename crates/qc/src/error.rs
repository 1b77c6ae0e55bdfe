//! What can be wrong with options.

use std::fmt::Display;

/// An option whose value cannot be used, or options that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("--{option}: {reason}")]
#[non_exhaustive]
pub struct Error {
    /// The option's long name, without the dashes.
    pub option: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl Error {
    pub(crate) fn new(option: &'static str, reason: impl Display) -> Self {
        Error {
            option,
            reason: reason.to_string(),
        }
    }
}
