//! What became of all sequences, to be told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Assignment, AssignmentSource, header};
use crate::Taxid;
use crate::taxonomy::Taxonomy;

/// Counts assignments, and keeps those that a user should know of.
#[derive(Clone, Debug, Default)]
pub struct AssignmentTally {
    /// Sequences that are of a taxon.
    pub mapped: u64,
    /// Old taxids of sequences, with the new one and the number of sequences.
    pub merged: BTreeMap<Taxid, (Taxid, u64)>,
    /// Taxids that were given up, with the number of sequences, which are among `unmapped`.
    pub deleted: BTreeMap<Taxid, u64>,
    /// Taxids that the taxonomy does not know, with the number of sequences, which are among `unmapped`.
    pub unknown: BTreeMap<Taxid, u64>,
    /// What named each of the deleted and unknown ones first.
    pub named_by: BTreeMap<Taxid, AssignmentSource>,
    /// Files and names of all sequences that are of no taxon, in the order in which they came.
    pub unmapped: Vec<(PathBuf, String)>,
}

impl AssignmentTally {
    /// Of no sequences.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a sequence of `file`.
    pub fn add(
        &mut self,
        taxonomy: &Taxonomy,
        file: &Path,
        header: &[u8],
        assignment: &Assignment,
    ) {
        match *assignment {
            Assignment::Taxon { .. } => self.mapped += 1,
            Assignment::Merged { taxid, .. } => {
                self.mapped += 1;
                // Not the node of the assignment, which may be above several.
                let new = taxonomy
                    .node(taxid)
                    .map_or(taxid, |node| taxonomy.taxid(node));
                self.merged.entry(taxid).or_insert((new, 0)).1 += 1;
            }
            Assignment::Deleted { taxid, source } => {
                self.named_by.entry(taxid).or_insert(source);
                *self.deleted.entry(taxid).or_default() += 1;
                self.add_unmapped(file, header);
            }
            Assignment::Unknown { taxid, source } => {
                self.named_by.entry(taxid).or_insert(source);
                *self.unknown.entry(taxid).or_default() += 1;
                self.add_unmapped(file, header);
            }
            Assignment::Unmapped => self.add_unmapped(file, header),
        }
    }

    fn add_unmapped(&mut self, file: &Path, header: &[u8]) {
        let name = header::names(header).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        self.unmapped.push((file.to_owned(), name));
    }

    /// Adds what another one counted, behind its own.
    pub fn merge(&mut self, other: Self) {
        self.mapped += other.mapped;
        for (old, (new, sequences)) in other.merged {
            self.merged.entry(old).or_insert((new, 0)).1 += sequences;
        }
        let add = |to: &mut BTreeMap<Taxid, u64>, from: BTreeMap<Taxid, u64>| {
            for (taxid, sequences) in from {
                *to.entry(taxid).or_default() += sequences;
            }
        };
        add(&mut self.deleted, other.deleted);
        add(&mut self.unknown, other.unknown);
        for (taxid, source) in other.named_by {
            self.named_by.entry(taxid).or_insert(source);
        }
        self.unmapped.extend(other.unmapped);
    }
}
