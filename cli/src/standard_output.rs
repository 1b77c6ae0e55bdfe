//! The standard output in messages.

/// What it is called.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";
