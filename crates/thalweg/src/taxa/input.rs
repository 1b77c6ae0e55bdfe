//! Taxonomies and tables from files, compressed or not.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_reads::{FileText, ReaderOptions};
use thalweg_taxa::Taxonomy;
use thalweg_taxa::sequences::{Sources, Table};
use thalweg_taxa::taxonomy::{Lineages, Taxdump};

use super::Fault;
use crate::{Control, Reads};

/// A taxonomy, and what came with it.
#[derive(Debug)]
pub struct LoadedTaxonomy {
    /// The taxonomy.
    pub taxonomy: Taxonomy,
    /// Which genomes are of which taxon, if it came as a table of lineages; else none are.
    pub members: Table,
    /// `seqid2taxid.map` beside a taxdump, if there is one.
    pub map: Option<PathBuf>,
}

/// Read a taxonomy: a directory with `nodes.dmp` and `names.dmp` (and `merged.dmp` and `delnodes.dmp`, if they are there), or
/// a file that is a table of lineages. All may be compressed; those of a directory have `.gz` behind their names then.
///
/// # Errors
/// If a file is missing or cannot be read, or is no taxonomy; if it was cancelled.
pub fn read_taxonomy(path: &Path, control: &Control) -> Result<LoadedTaxonomy, Fault> {
    match path.is_dir() {
        true => read_taxdump(path, control),
        false => read_lineages(path, control),
    }
}

/// Add the names and taxa of a table of two columns to `table`.
///
/// # Errors
/// If the file cannot be read, or is no such table; if it was cancelled.
pub fn read_table(path: &Path, table: &mut Table, control: &Control) -> Result<(), Fault> {
    read(path, control, |input| table.read(input, path))
}

/// Find the taxa of accessions: the names of all sequences of `genomes` are looked up in the `tables`, which are
/// accession2taxid files of NCBI. Only those are kept.
///
/// # Errors
/// If a file cannot be read, or a table is none; if it was cancelled.
pub fn read_accessions(
    genomes: &[PathBuf],
    tables: &[PathBuf],
    sources: &mut Sources,
    control: &Control,
) -> Result<(), Fault> {
    for path in genomes {
        let reads = Reads::open(ReaderOptions::new().file(path).budget(Budget::new(1)))?;
        for batch in reads.workers(1) {
            control.check()?;
            for record in batch?.records() {
                sources.want_accessions(path, record.head());
            }
        }
    }
    for table in tables {
        read(table, control, |input| {
            sources.accessions.read(input, table)
        })?;
    }
    Ok(())
}

fn read_taxdump(directory: &Path, control: &Control) -> Result<LoadedTaxonomy, Fault> {
    let mut dump = Taxdump::new();
    let nodes = present(directory, "nodes.dmp");
    read(&nodes, control, |input| dump.read_nodes(input, &nodes))?;
    let names = present(directory, "names.dmp");
    read(&names, control, |input| dump.read_names(input, &names))?;
    let merged = present(directory, "merged.dmp");
    if is_named(&merged) {
        read(&merged, control, |input| dump.read_merged(input, &merged))?;
    }
    let deleted = present(directory, "delnodes.dmp");
    if is_named(&deleted) {
        read(&deleted, control, |input| {
            dump.read_deleted(input, &deleted)
        })?;
    }
    let map = present(directory, "seqid2taxid.map");
    Ok(LoadedTaxonomy {
        taxonomy: dump.finish()?,
        members: Table::new(),
        map: is_named(&map).then_some(map),
    })
}

fn read_lineages(path: &Path, control: &Control) -> Result<LoadedTaxonomy, Fault> {
    let mut lineages = Lineages::new();
    read(path, control, |input| lineages.read(input, path))?;
    let found = lineages.finish()?;
    let mut members = Table::new();
    for (name, taxid) in &found.members {
        members.add(name.as_bytes(), *taxid)?;
    }
    Ok(LoadedTaxonomy {
        taxonomy: found.taxonomy,
        members,
        map: None,
    })
}

/// Whether a directory has a file, or the same compressed.
pub(super) fn is_there(directory: &Path, name: &str) -> bool {
    present(directory, name).is_file()
}

/// Returns whether a directory has this name, be it of a link that leads nowhere, which is an error then and no missing file.
pub(super) fn is_named(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// A file of a directory, or the same compressed, whichever is there.
fn present(directory: &Path, name: &str) -> PathBuf {
    let plain = directory.join(name);
    let compressed = directory.join(format!("{name}.gz"));
    if !is_named(&plain) && is_named(&compressed) {
        return compressed;
    }
    plain
}

/// Have `take` read the text of a file. What reading gave comes before what the text is said to be at fault for.
pub(super) fn read(
    path: &Path,
    control: &Control,
    take: impl FnOnce(&mut dyn BufRead) -> thalweg_taxa::Result<()>,
) -> Result<(), Fault> {
    let mut text = Text {
        file: FileText::open(path)?,
        control,
        fault: None,
    };
    let taken = take(&mut BufReader::with_capacity(1 << 16, &mut text));
    match text.fault {
        Some(fault) => Err(fault.into()),
        None => Ok(taken?),
    }
}

/// The text of a file as a stream.
struct Text<'a> {
    file: FileText,
    control: &'a Control<'a>,
    fault: Option<thalweg_reads::Error>,
}

impl Read for Text<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self
            .control
            .check()
            .and_then(|()| self.file.read(buffer.len()))
        {
            Ok(bytes) => {
                buffer[..bytes.len()].copy_from_slice(bytes);
                Ok(bytes.len())
            }
            Err(fault) => {
                let told = io::Error::other(fault.to_string());
                self.fault = Some(fault);
                Err(told)
            }
        }
    }
}
