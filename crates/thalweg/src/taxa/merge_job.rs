//! Databases to one.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_taxa::Result;
use thalweg_taxa::build::merge_parts;
use thalweg_taxa::database::{Database, Header};

/// Databases that shall be one.
#[derive(Debug)]
pub struct MergeJob {
    /// All parts of a database.
    pub files: Vec<PathBuf>,
    /// Threads, and the memory that merging may take.
    pub budget: Budget,
}

impl MergeJob {
    /// Merge, and write the database to `output`, where it appears when it is whole.
    ///
    /// # Errors
    /// If a file cannot be read or written, databases do not go together, or memory does not suffice.
    pub fn run(self, output: &Path) -> Result<Header> {
        let open = |path: &PathBuf| Database::open_or_part(path);
        let databases = self.files.iter().map(open).collect::<Result<Vec<_>>>()?;
        merge_parts(databases, output, &self.budget)
    }
}
