//! Parts of a database to one, where they are.

use std::path::{Path, PathBuf};

use thalweg_kmers::database::Database;
use thalweg_kmers::database::set::{MANIFEST, Manifest};

use super::open_databases;
use crate::count::{OutputFile, provenance};
use crate::{Control, Fault};

/// Parts of a database, as [`CombineSettings::partition`](super::CombineSettings::partition) makes them, which are to be one.
///
/// ```no_run
/// use thalweg::Control;
/// use thalweg::databases::JoinSettings;
///
/// let parts = ["counts/1.thk", "counts/2.thk"];
/// let joined = JoinSettings::new(parts).run(&Control::default())?;
/// println!("{} has {} k-mers", joined.directory.display(), joined.distinct);
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct JoinSettings {
    /// All parts, which are files of one directory.
    pub parts: Vec<PathBuf>,
}

/// A database of several parts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JoinedParts {
    /// Its name: the directory of the parts.
    pub directory: PathBuf,
    /// How many parts it has.
    pub parts: usize,
    /// How many different k-mers.
    pub distinct: u64,
}

impl JoinSettings {
    /// Those `parts`.
    pub fn new<P: Into<PathBuf>>(parts: impl IntoIterator<Item = P>) -> Self {
        Self {
            parts: parts.into_iter().map(Into::into).collect(),
        }
    }

    /// Write the manifest that makes them one; they stay as they are.
    ///
    /// # Errors
    /// If a part cannot be read, is missing or there twice, or they are no parts of one database; if the manifest cannot be
    /// written, or there is one of something else.
    pub fn run(&self, control: &Control) -> Result<JoinedParts, Fault> {
        let parts: Vec<Database> = open_databases(&self.parts, control)?;
        let (manifest, directory) = Manifest::of_parts(&parts, provenance())?;
        let path = directory.join(MANIFEST);
        if path.exists() {
            // What is of something else is not replaced.
            Manifest::read(&directory)?;
        }
        let mut output = OutputFile::create_plain(&path)?;
        output.write(manifest.to_json().as_bytes())?;
        control.check()?;
        output.finish()?;
        let totals = parts.iter().filter_map(Database::stored_totals);
        Ok(JoinedParts {
            distinct: totals.map(|totals| totals.distinct).sum(),
            parts: parts.len(),
            directory: match directory.as_os_str().is_empty() {
                true => Path::new(".").to_owned(),
                false => directory,
            },
        })
    }
}
