//! Folders that kraken2-build fills before it builds.
//!
//! ```text
//! DIR/library/NAME/library.fna, DIR/library/added/RANDOM.fna   sequences
//! DIR/library/NAME/prelim_map*.txt                             their taxids, or accessions
//! DIR/taxonomy/nodes.dmp, names.dmp, *.accession2taxid         taxonomy, and taxids of accessions
//! DIR/seqid2taxid.map                                          taxids of all sequences, once a database was built
//! ```

use std::io;
use std::path::{Path, PathBuf};

use thalweg_taxa::sequences::Sources;

use super::input::{is_named, is_there, read, read_table};
use super::{Fault, read_accessions};
use crate::Control;

/// A folder with a library of kraken2.
#[derive(Clone, Debug)]
pub struct KrakenLibrary {
    directory: PathBuf,
}

impl KrakenLibrary {
    /// That in a directory, if it has a library and a taxonomy.
    pub fn find(directory: &Path) -> Option<Self> {
        let library = Self {
            directory: directory.to_owned(),
        };
        let nodes = is_there(&library.taxonomy(), "nodes.dmp");
        (library.sequences().is_dir() && nodes).then_some(library)
    }

    /// The directory that has the sequences, in it or below.
    pub fn sequences(&self) -> PathBuf {
        self.directory.join("library")
    }

    /// The directory of the taxonomy.
    pub fn taxonomy(&self) -> PathBuf {
        self.directory.join("taxonomy")
    }

    /// Adds the taxids of all sequences, which are in `genomes`, to `sources`.
    ///
    /// # Errors
    /// If a file cannot be read, or is not what it should be; if it was cancelled.
    pub fn read_taxids(
        &self,
        genomes: &[PathBuf],
        sources: &mut Sources,
        control: &Control,
    ) -> Result<(), Fault> {
        let map = self.directory.join("seqid2taxid.map");
        if is_named(&map) {
            return read_table(&map, &mut sources.map, control);
        }
        let mut accessions = 0;
        for folder in entries(&self.sequences())? {
            if !folder.is_dir() {
                continue;
            }
            for path in entries(&folder)? {
                let name = path
                    .file_name()
                    .and_then(|name| name.to_str())
                    .unwrap_or("");
                if name.starts_with("prelim_map") && name.ends_with(".txt") {
                    read(&path, control, |input| {
                        accessions += sources.map.read_preliminary(input, &path)?;
                        Ok(())
                    })?;
                }
            }
        }
        let mut tables = entries(&self.taxonomy())?;
        tables.retain(|path| {
            let name = path
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or("");
            name.trim_end_matches(".gz").ends_with(".accession2taxid")
        });
        match accessions > 0 && !tables.is_empty() {
            true => read_accessions(genomes, &tables, sources, control),
            false => Ok(()),
        }
    }
}

/// What is in a directory, in the order of names.
fn entries(directory: &Path) -> Result<Vec<PathBuf>, Fault> {
    let listed = std::fs::read_dir(directory).and_then(|entries| {
        let paths = entries.map(|entry| entry.map(|entry| entry.path()));
        paths.collect::<io::Result<Vec<_>>>()
    });
    let mut paths =
        listed.map_err(|error| Fault::from(thalweg_taxa::Error::io(directory, error)))?;
    paths.sort();
    Ok(paths)
}
