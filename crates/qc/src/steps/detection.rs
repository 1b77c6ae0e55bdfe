//! Finding the adapter of single reads in the reads themselves.

/// Collects reads, and tells which adapter they end in.
#[derive(Debug, Default)]
pub struct AdapterDetector {}
