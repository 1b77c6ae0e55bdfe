//! What can be wrong with lists that a user gives.

/// A line of a list that says nothing that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
#[non_exhaustive]
pub struct ListError {
    /// Which line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl ListError {
    pub(crate) fn new(line: usize, reason: impl Into<String>) -> Self {
        ListError {
            line,
            reason: reason.into(),
        }
    }
}
