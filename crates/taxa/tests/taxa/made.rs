//! Taxonomies made for tests, and where those given lie.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use thalweg_taxa::taxonomy::{Taxdump, Taxonomy};
use thalweg_taxa::{Result, Taxid};

/// A row of `nodes.dmp` and `names.dmp`.
pub(crate) type Row<'a> = (u32, u32, &'a str, &'a str);

pub(crate) fn nodes_dmp(rows: &[Row]) -> String {
    let mut text = String::new();
    for (taxid, parent, rank, _) in rows {
        writeln!(text, "{taxid}\t|\t{parent}\t|\t{rank}\t|\t\t|\t0\t|").unwrap();
    }
    text
}

pub(crate) fn names_dmp(rows: &[Row]) -> String {
    let mut text = String::new();
    for (taxid, _, _, name) in rows {
        writeln!(text, "{taxid}\t|\t{name}\t|\t\t|\tscientific name\t|").unwrap();
    }
    text
}

pub(crate) fn taxonomy(rows: &[Row]) -> Result<Taxonomy> {
    read(nodes_dmp(rows).as_bytes(), names_dmp(rows).as_bytes())
}

pub(crate) fn read(nodes: &[u8], names: &[u8]) -> Result<Taxonomy> {
    let mut dump = Taxdump::new();
    dump.read_nodes(nodes, Path::new("nodes.dmp"))?;
    dump.read_names(names, Path::new("names.dmp"))?;
    dump.finish()
}

pub(crate) fn taxids(taxonomy: &Taxonomy) -> Vec<Taxid> {
    taxonomy.nodes().map(|node| taxonomy.taxid(node)).collect()
}

/// The directory of given data of this name, or `None`, which is said.
pub(crate) fn given(test: &str, name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let base = std::env::var_os("THALWEG_TEST_DATA").map_or(beside, PathBuf::from);
    let found = base.join(name);
    if found.is_dir() {
        return Some(found);
    }
    eprintln!("SKIPPED: {test}: no {name} (THALWEG_TEST_DATA names a directory that has it)");
    None
}

/// Whether a program is in the `PATH`; that it is not is said.
pub(crate) fn is_there(test: &str, program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        eprintln!("SKIPPED: {test}: no {program}");
    }
    found
}

/// Old and new ranks, and such as nobody knows, at all places where codes begin to count anew.
pub(crate) const RANKS_OF_ALL_KINDS: [Row; 25] = [
    (1, 1, "no rank", "root"),
    (131567, 1, "cellular root", "cellular organisms"),
    (2, 131567, "superkingdom", "Bacteria"),
    (10, 2, "clade", "clade A"),
    (11, 10, "phylum", "phylum A"),
    (12, 11, "class", "class A"),
    (13, 12, "order", "order A"),
    (14, 13, "suborder", "suborder A"),
    (15, 14, "family", "family A"),
    (16, 15, "genus", "genus A"),
    (17, 16, "species group", "species group A"),
    (18, 17, "species", "species A"),
    (19, 18, "strain", "strain A"),
    (20, 18, "no rank", "clone B"),
    (21, 20, "strain", "strain B"),
    (30, 2, "kingdom", "kingdom B"),
    (31, 30, "phylum", "phylum B"),
    (32, 31, "species", "species B"),
    (40, 131567, "domain", "domain of 2025"),
    (41, 40, "clade", "clade C"),
    (42, 41, "species", "species C"),
    (50, 1, "acellular root", "Viruses"),
    (51, 50, "realm", "Riboviria"),
    (52, 51, "kingdom", "Orthornavirae"),
    (53, 52, "species", "a virus"),
];
