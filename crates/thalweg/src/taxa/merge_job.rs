//! Databases to one.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_taxa::build::{self, BuildOptions, merge_parts_unless};
use thalweg_taxa::database::{TaxonDatabase, TaxonDatabaseHeader};
use thalweg_taxa::library::LibraryInputs;
use thalweg_taxa::taxonomy::TaxonomyBuilder;
use thalweg_taxa::{Error, Taxonomy};

use super::Fault;
use crate::Control;

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
    /// If a file cannot be read or written, databases do not go together, or memory does not suffice; if it was cancelled. No
    /// database is there, then.
    pub fn run(
        self,
        output: &Path,
        control: &Control,
        log: impl FnOnce(&[TaxonDatabase]) -> String,
    ) -> Result<TaxonDatabaseHeader, Fault> {
        let go_on = || control.check_taxa();
        let open = |path: &PathBuf| TaxonDatabase::open_or_part(path);
        let databases = (self.files.iter().map(open)).collect::<Result<Vec<_>, Error>>()?;
        let is_part = |database: &TaxonDatabase| database.header().making.part.is_some();
        if databases.iter().any(is_part) {
            return Ok(merge_parts_unless(databases, output, &self.budget, &go_on)?);
        }
        let options = BuildOptions::of_databases(&databases)?
            .with_temporary_directory(self.temporary_directory);
        let taxonomy = union_of(&databases, None)?;
        let builder = build::DatabaseBuilder::new(options, self.budget)?;
        let built = builder.finish_onto_unless(&databases, Vec::new(), &taxonomy, &go_on)?;
        let log = log(&databases);
        Ok(built.write_unless(output, &LibraryInputs::default(), &taxonomy, &log, &go_on)?)
    }
}

/// The taxonomies of databases, and one before them, as one.
///
/// # Errors
/// They contradict each other.
pub(super) fn union_of(
    databases: &[TaxonDatabase],
    first: Option<&Taxonomy>,
) -> Result<Taxonomy, Error> {
    let mut taxonomies = databases.iter();
    let first = first.or_else(|| Some(taxonomies.next()?.taxonomy()));
    let mut union = match first {
        Some(first) => first.clone(),
        None => return TaxonomyBuilder::new().finish(),
    };
    for database in taxonomies {
        union =
            (union.union(database.taxonomy())).map_err(|error| error.in_file(database.path()))?;
    }
    Ok(union)
}
