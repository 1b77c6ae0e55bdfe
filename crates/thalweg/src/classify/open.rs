//! A database to look reads up in, and its way into memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_reads::Compression;
use thalweg_taxa::database::TaxonDatabase;

use super::Populating;
use crate::memory::unused;
use crate::{Control, Fault, MessageKind, inputs};

/// A database is read before where it takes no more than this part of the memory that is unused, so that others miss nothing.
const SMALL: u64 = 16;

/// And where reads have at least this part of its bytes: large pages, in which it lies then, save more than reading it costs.
const MANY: u64 = 4;

/// How a database comes into memory.
#[derive(Clone, Copy, Debug)]
pub enum Loading<'a> {
    /// Read as a whole, before the first read.
    Preloaded,
    /// Page by page, shared with other processes.
    Mapped,
    /// One or the other, by what is faster for these inputs.
    For(&'a [PathBuf]),
}

/// An open database, which is on its way into memory if it fits there.
#[derive(Debug)]
pub struct LoadedDatabase {
    /// The database.
    pub database: Arc<TaxonDatabase>,
    /// Whether it is mapped, and larger than the memory that is unused.
    pub is_large: bool,
    is_preloaded: bool,
    /// `None` if it is there, or does not fit.
    populating: Option<Populating>,
}

impl LoadedDatabase {
    /// How it comes into memory, in words.
    pub fn how(&self) -> &'static str {
        match (self.is_preloaded, self.is_large, &self.populating) {
            (true, ..) => "read into memory, and checked",
            (false, true, _) => "mapped, and larger than the unused memory",
            (false, false, Some(_)) => "mapped, on its way into memory meanwhile",
            (false, false, None) => "mapped, read where it is needed",
        }
    }
}

/// Open the database of this name, and say if there is nothing in it.
///
/// # Errors
/// If it cannot be read, or is none; if it was cancelled.
pub fn open_database(
    path: &Path,
    loading: Loading<'_>,
    control: &Control,
) -> Result<LoadedDatabase, Fault> {
    let known = unused();
    let unused = known.unwrap_or(0);
    let preload = match loading {
        Loading::Preloaded => true,
        Loading::Mapped => false,
        Loading::For(files) => {
            // What is no file is told by whoever opens it.
            let bytes = std::fs::metadata(path).map_or(u64::MAX, |data| data.len());
            bytes <= unused / SMALL && text_bytes(files) >= bytes / MANY
        }
    };
    let database = Arc::new(match preload {
        true => TaxonDatabase::preload_unless(path, &|| control.check_taxa())?,
        false => TaxonDatabase::open(path)?,
    });
    let fits = database.header().file_bytes <= unused;
    let populating = match !preload && fits {
        // Without a thread for it, pages come when they are looked at.
        true => Populating::start(&database).ok(),
        false => None,
    };
    if database.header().kmers == 0 {
        let text = format!(
            "{}: it has no k-mer, so that nothing is found in it",
            path.display()
        );
        control.say(MessageKind::Warning, text);
    }
    Ok(LoadedDatabase {
        database,
        is_large: !preload && !fits && known.is_some(),
        is_preloaded: preload,
        populating,
    })
}

/// How much text files have, about; of pipes, very much.
fn text_bytes(files: &[PathBuf]) -> u64 {
    let bytes = |path: &PathBuf| match std::fs::metadata(path) {
        Ok(data) if data.is_file() => {
            inputs::text_bytes(data.len(), Compression::promised(path).is_some())
        }
        _ => u64::MAX,
    };
    files.iter().map(bytes).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_estimated() {
        let directory = tempfile::tempdir().unwrap();
        let [plain, compressed] = ["a.fq", "a.fq.gz"].map(|name| directory.path().join(name));
        std::fs::write(&plain, [b'A'; 100]).unwrap();
        std::fs::write(&compressed, [b'A'; 100]).unwrap();
        assert_eq!(text_bytes(&[plain.clone(), compressed]), 500);
        assert_eq!(text_bytes(&[plain, "-".into()]), u64::MAX);
        assert_eq!(text_bytes(&[]), 0);
    }
}
