//! Rows of a table that name sequences and files that are there, and those that do not.

use std::path::{Path, PathBuf};

/// Rows of a table, by their numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowSet {
    bits: Vec<u64>,
}

impl RowSet {
    pub(super) fn insert(&mut self, row: u32) {
        let (word, bit) = (row as usize / 64, row % 64);
        if word >= self.bits.len() {
            self.bits.resize(word + 1, 0);
        }
        self.bits[word] |= 1 << bit;
    }

    pub(super) fn contains(&self, row: u32) -> bool {
        let word = self.bits.get(row as usize / 64);
        word.is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Adds all rows of another one.
    pub(crate) fn extend(&mut self, other: &Self) {
        let most = self.bits.len().max(other.bits.len());
        self.bits.resize(most, 0);
        for (word, more) in self.bits.iter_mut().zip(&other.bits) {
            *word |= more;
        }
    }
}

/// The rows of a file that name no sequence and no file that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmatchedRows {
    /// The file that they were read from.
    pub path: PathBuf,
    /// Number of these rows.
    pub rows: u64,
    /// The names of the first ones, a few at most, in the order of the file.
    pub first: Vec<String>,
}

/// Names of rows that are kept of each file.
const NAMED: usize = 3;

/// Collects the rows of one file.
#[derive(Debug)]
pub(super) struct Collected<'a> {
    path: &'a Path,
    rows: u64,
    /// Numbers and names of the first ones, in their order.
    first: Vec<(u32, &'a [u8])>,
}

impl<'a> Collected<'a> {
    pub(super) fn new(path: &'a Path) -> Self {
        Self {
            path,
            rows: 0,
            first: Vec::with_capacity(NAMED + 1),
        }
    }

    pub(super) fn add(&mut self, number: u32, name: &'a [u8]) {
        self.rows += 1;
        let place = self.first.partition_point(|(before, _)| *before < number);
        if place < NAMED {
            self.first.insert(place, (number, name));
            self.first.truncate(NAMED);
        }
    }

    /// Returns them; `None` if there is none.
    pub(super) fn into_rows(self, shown: impl Fn(&[u8]) -> String) -> Option<UnmatchedRows> {
        (self.rows > 0).then(|| UnmatchedRows {
            path: self.path.to_owned(),
            rows: self.rows,
            first: self.first.iter().map(|(_, name)| shown(name)).collect(),
        })
    }
}
