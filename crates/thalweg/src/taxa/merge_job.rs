//! Databases to one.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_taxa::build::{self, BuildOptions, merge_parts};
use thalweg_taxa::database::{Database, Header};
use thalweg_taxa::library::Inputs;
use thalweg_taxa::taxonomy::Builder;
use thalweg_taxa::{Result, Taxonomy};

/// Databases that shall be one.
#[derive(Debug)]
pub struct MergeJob {
    /// All parts of a database, or whole databases.
    pub files: Vec<PathBuf>,
    /// Threads, and the memory that merging may take.
    pub budget: Budget,
    /// Where temporary files go.
    pub temporary_directory: PathBuf,
}

impl MergeJob {
    /// Merge, and write the database to `output`, where it appears when it is whole.
    ///
    /// Parts make what one build would have made. Whole databases, of which the k-mers must have been chosen alike, make what has
    /// the k-mers and taxa of all of them; `log` makes a JSON text for it of theirs.
    ///
    /// # Errors
    /// If a file cannot be read or written, databases do not go together, or memory does not suffice.
    pub fn run(self, output: &Path, log: impl FnOnce(&[Database]) -> String) -> Result<Header> {
        let open = |path: &PathBuf| Database::open_or_part(path);
        let databases = self.files.iter().map(open).collect::<Result<Vec<_>>>()?;
        let is_part = |database: &Database| database.header().making.part.is_some();
        if databases.iter().any(is_part) {
            return merge_parts(databases, output, &self.budget);
        }
        let options = BuildOptions::of_databases(&databases)?
            .with_temporary_directory(self.temporary_directory);
        let taxonomy = union_of(&databases, None)?;
        let builder = build::Builder::new(options, self.budget)?;
        let built = builder.finish_onto(&databases, Vec::new(), &taxonomy)?;
        built.write(output, &Inputs::default(), &taxonomy, &log(&databases))
    }
}

/// The taxonomies of databases, and one before them, as one.
///
/// # Errors
/// They contradict each other.
pub(super) fn union_of(databases: &[Database], first: Option<&Taxonomy>) -> Result<Taxonomy> {
    let mut taxonomies = databases.iter();
    let first = first.or_else(|| Some(taxonomies.next()?.taxonomy()));
    let mut union = match first {
        Some(first) => first.clone(),
        None => return Builder::new().finish(),
    };
    for database in taxonomies {
        union =
            (union.union(database.taxonomy())).map_err(|error| error.in_file(database.path()))?;
    }
    Ok(union)
}
