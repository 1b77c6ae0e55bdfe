//! Rows of tables that name sequences alone, without their files, and do not say which are meant.
//!
//! ```text
//! (source, name, file, letters) of each sequence that a row names alone, sorted by name:
//!   a row for its file names the same taxon  ─► the file's row counts
//!   … another taxon                          ─► a conflict
//!   two files, and letters that differ       ─► a conflict
//!   the row names another file, too          ─► a conflict
//! ```

use std::path::{Path, PathBuf};

use crate::sequences::{AssignmentSource, Sources, Table, TableRow};
use crate::{Taxid, Taxonomy};

/// A sequence that a source names.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit<'a> {
    pub(super) source: AssignmentSource,
    pub(super) name: &'a str,
    pub(super) file: u32,
    /// Their number and fingerprint.
    pub(super) letters: (u64, u128),
}

/// A row that does not say of which taxon a sequence is.
#[derive(Clone, Debug)]
pub(super) struct RowConflict {
    pub(super) path: PathBuf,
    /// Counted from 1; 0 if it is not known.
    pub(super) line: u64,
    pub(super) what: String,
}

/// Returns all of them, by table and line.
pub(super) fn conflicts<'a>(
    taxonomy: &Taxonomy,
    sources: &Sources,
    files: &[PathBuf],
    hits: impl Iterator<Item = Hit<'a>>,
) -> Vec<RowConflict> {
    let mut hits = Vec::from_iter(hits.filter(|hit| hit.source.is_of_names_alone()));
    if hits.is_empty() {
        return Vec::new();
    }
    hits.sort_unstable_by_key(|hit| (hit.source as u8, hit.name, hit.file, hit.letters));
    let rows_of_files = files.iter().map(|file| sources.table.row_of_file(file));
    let search = Search {
        taxonomy,
        files,
        rows_of_files: rows_of_files.collect(),
    };
    let mut found = Vec::new();
    for alike in hits.chunk_by(|one, next| (one.source, one.name) == (next.source, next.name)) {
        let conflict = match alike[0].source {
            AssignmentSource::Map => search.of_several_files(&sources.map, alike),
            _ => search.of_table(&sources.table, alike),
        };
        found.extend(conflict);
    }
    found.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
    found
}

struct Search<'a> {
    taxonomy: &'a Taxonomy,
    files: &'a [PathBuf],
    /// The rows of the user's table that name the files.
    rows_of_files: Vec<Option<TableRow>>,
}

impl Search<'_> {
    /// Looks for a conflict of a row of the user's table.
    fn of_table(&self, table: &Table, hits: &[Hit<'_>]) -> Option<RowConflict> {
        let name = hits[0].name;
        let row = table.row_of_sequence(name.as_bytes())?;
        let mut alone = Vec::new();
        for hit in hits {
            match self.rows_of_files[hit.file as usize] {
                None => alone.push(*hit),
                Some(of_file) if self.is_same(row.taxid, of_file.taxid) => {}
                Some(of_file) => {
                    let what = format!(
                        "{name:?} has taxid {}, but its file {} has taxid {} in {}",
                        row.taxid,
                        self.file(hit.file),
                        of_file.taxid,
                        told(table, of_file),
                    );
                    return Some(conflict(table, Some(row), what));
                }
            }
        }
        let (first, _) = alone.split_first()?;
        let other = |of_file: &Option<TableRow>| *of_file == Some(row);
        if let Some(file) = self.rows_of_files.iter().position(other) {
            let what = format!(
                "{name:?} names the file {}, and a sequence of {}",
                self.file(file as u32),
                self.file(first.file)
            );
            return Some(conflict(table, Some(row), what));
        }
        self.of_several_files(table, &alone)
    }

    /// Looks for two files with sequences that differ.
    fn of_several_files(&self, table: &Table, hits: &[Hit<'_>]) -> Option<RowConflict> {
        let (first, others) = hits.split_first()?;
        let in_other_file = others.iter().find(|hit| hit.file != first.file)?;
        others.iter().find(|hit| hit.letters != first.letters)?;
        let row = table.row_of_sequence(first.name.as_bytes());
        let what = format!(
            "{:?} names sequences of {} and of {}, which differ",
            first.name,
            self.file(first.file),
            self.file(in_other_file.file)
        );
        Some(conflict(table, row, what))
    }

    fn is_same(&self, one: Taxid, other: Taxid) -> bool {
        one == other || {
            let node = self.taxonomy.node(one);
            node.is_some() && node == self.taxonomy.node(other)
        }
    }

    fn file(&self, number: u32) -> std::path::Display<'_> {
        self.files[number as usize].display()
    }
}

fn conflict(table: &Table, row: Option<TableRow>, what: String) -> RowConflict {
    let (path, line) = row.map_or((None, 0), |row| table.place(row));
    RowConflict {
        path: path.unwrap_or(Path::new("")).to_owned(),
        line,
        what,
    }
}

/// Returns the place of a row, in words.
fn told(table: &Table, row: TableRow) -> String {
    match table.place(row) {
        (Some(path), 0) => path.display().to_string(),
        (Some(path), line) => format!("line {line} of {}", path.display()),
        (None, _) => "another row".to_owned(),
    }
}
