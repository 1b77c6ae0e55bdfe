//! What says of which taxa genomes are.

use std::path::{Path, PathBuf};

use thalweg_taxa::Taxonomy;
use thalweg_taxa::sequences::{Sources, Table};

use super::genomes::Genomes;
use super::{Fault, KrakenLibrary, LoadedTaxonomy, read_accessions, read_table, read_taxonomy};
use crate::Control;

/// Files that say of which taxa genomes are. Of a sequence it is looked for in this order: `taxa`, its header, `map`,
/// `accessions`.
#[derive(Clone, Debug, Default)]
pub struct TaxonSources {
    /// A directory with a taxdump, or a table of lineages. By default that of the first of the libraries of kraken2; if there
    /// is none, and genomes are added to a database, that of the database.
    pub taxonomy: Option<PathBuf>,
    /// Tables of names of sequences or files, and taxids.
    pub taxa: Vec<PathBuf>,
    /// Files as kraken2's seqid2taxid.map, besides that beside a taxdump.
    pub map: Vec<PathBuf>,
    /// Files as NCBI's accession2taxid. All genomes are read once more for their names then.
    pub accessions: Vec<PathBuf>,
    /// Whether sequences of no known taxon are left out, and are no error. Not so by default.
    pub skip_unmapped: bool,
}

/// What was read.
pub(super) struct Known {
    pub(super) taxonomy: Taxonomy,
    pub(super) sources: Sources,
}

impl TaxonSources {
    /// That there is a taxonomy, and all that is named: told before anything is read.
    pub(super) fn check(&self, genomes: &Genomes) -> Result<(), Fault> {
        if self.taxonomy_of(&genomes.libraries).is_none() {
            return Err(Fault::usage(
                "no taxonomy given, and no input is a kraken2-build folder",
                "use --taxonomy with a directory that has nodes.dmp and names.dmp, or with a table of lineages",
            ));
        }
        self.check_files()
    }

    /// That all that is named is there.
    pub(super) fn check_files(&self) -> Result<(), Fault> {
        let tables = self.taxa.iter().chain(&self.map).chain(&self.accessions);
        check_there(self.taxonomy.iter().chain(tables))
    }

    /// Read all. `known` is the taxonomy of a database, for where none is named.
    pub(super) fn read(
        &self,
        genomes: &Genomes,
        known: Option<&Taxonomy>,
        control: &Control,
    ) -> Result<Known, Fault> {
        let named = self.taxonomy_of(&genomes.libraries);
        // That of a database has no other taxa than it: rows of a table for all genomes may be of others.
        let is_of_database = named.is_none();
        let origin = match (named, known) {
            (None, Some(known)) => LoadedTaxonomy {
                taxonomy: known.clone(),
                members: Table::new(),
                map: None,
            },
            (path, _) => read_taxonomy(&path.unwrap_or_default(), control)?,
        };
        let mut sources = Sources::new();
        sources.table = origin.members;
        for table in &self.taxa {
            read_table(table, &mut sources.table, control)?;
        }
        for map in origin.map.iter().chain(&self.map) {
            read_table(map, &mut sources.map, control)?;
        }
        if !self.skip_unmapped && !is_of_database {
            let is_named = |path: &Path| self.taxa.iter().chain(&self.map).any(|it| it == path);
            sources.table.check_taxids(&origin.taxonomy, is_named)?;
            sources.map.check_taxids(&origin.taxonomy, is_named)?;
        }
        for library in &genomes.libraries {
            library.read_taxids(&genomes.files, &mut sources, control)?;
        }
        if !self.accessions.is_empty() {
            read_accessions(&genomes.files, &self.accessions, &mut sources, control)?;
        }
        Ok(Known {
            taxonomy: origin.taxonomy,
            sources,
        })
    }

    fn taxonomy_of(&self, libraries: &[KrakenLibrary]) -> Option<PathBuf> {
        let of_library = || Some(libraries.first()?.taxonomy());
        self.taxonomy.clone().or_else(of_library)
    }
}

/// That files are there, told before anything is read.
fn check_there<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<(), Fault> {
    for path in paths {
        if path != Path::new("-") {
            std::fs::metadata(path).map_err(|error| Fault::io(path, error))?;
        }
    }
    Ok(())
}
