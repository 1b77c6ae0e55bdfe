//! Databases that a build begins with: their records as super-k-mers, and their sets as they are in the new database.
//!
//! ```text
//! record ─► the stretch that its k-mers are cut from, turned, with the number of its set in place of a leaf
//! k-mer of a minimizer that has too many records ─► a stretch for each place that it has the minimizer at
//! ```
//! A set of an old database has leaves and species of the old taxonomy, which have other numbers in the new one.

use std::ops::Range;

use thalweg_superkmers::{
    Scheme,
    kmer::{Kmer, reverse_pairs},
};

use super::oriented::Oriented;
use crate::database::{Member, TaxonDatabase, View, minimizers};
use crate::record::{RecordLayout, StoredRecord};
use crate::set::Species;
use crate::{Error, ErrorKind, Result, Taxonomy};

/// A database that a build begins with.
#[derive(Debug)]
pub(super) struct Base<'a> {
    database: &'a TaxonDatabase,
    view: View<'a>,
    /// The new number of each of its leaves, and of its species.
    leaves: Vec<u32>,
    species: Vec<u32>,
}

impl<'a> Base<'a> {
    /// `taxonomy` and `species` are those of the new database, and have all of its leaves.
    pub(super) fn new(
        database: &'a TaxonDatabase,
        taxonomy: &Taxonomy,
        species: &Species,
    ) -> Result<Self> {
        let of = database.species();
        let missing = || {
            let what = "the taxonomy lacks taxa that it has".to_owned();
            Error::new(ErrorKind::NotMergeable { what }).in_file(database.path())
        };
        let node = |node| taxonomy.node(database.taxonomy().taxid(node));
        let leaf = |&old| species.leaf_at_node(node(old)?);
        let leaves = of
            .leaf_nodes()
            .iter()
            .map(leaf)
            .collect::<Option<Vec<u32>>>();
        let of_species = |&old| species.at_node(node(old)?);
        let of_species = of.nodes().iter().map(of_species).collect::<Option<_>>();
        Ok(Self {
            database,
            view: database.view(),
            leaves: leaves.ok_or_else(missing)?,
            species: of_species.ok_or_else(missing)?,
        })
    }

    /// The database.
    pub(super) fn database(&self) -> &'a TaxonDatabase {
        self.database
    }

    /// Appends the new numbers of the leaves of a set, and of the species of which it does not tell the leaves.
    pub(super) fn members(&self, set: u32, leaves: &mut Vec<u32>, species: &mut Vec<u32>) {
        for member in self.database.sets().members(set, self.database.species()) {
            match member {
                Member::Leaf(leaf) => leaves.push(self.leaves[leaf as usize]),
                Member::Species(of) => species.push(self.species[of as usize]),
            }
        }
    }

    /// The new number of a leaf.
    pub(super) fn leaf(&self, leaf: u32) -> Option<u32> {
        self.leaves.get(leaf as usize).copied()
    }

    /// Calls `each` with everything that is stored of minimizers whose values are in a range, and with the number of the set.
    pub(super) fn visit(
        &self,
        values: Range<u64>,
        mut each: impl FnMut(Stored<'_>, u32) -> Result<()>,
    ) -> Result<()> {
        let layout = &self.view.layout();
        let visited = minimizers(&self.view, values, |of_minimizer| {
            let value = of_minimizer.value;
            for record in of_minimizer.records {
                let stored = Stored::Record {
                    value,
                    record,
                    layout,
                };
                each(stored, record.id)?;
            }
            for &(kmer, set) in of_minimizer.overflow {
                each(
                    Stored::Kmer {
                        value,
                        kmer,
                        layout,
                    },
                    set,
                )?;
            }
            Ok(())
        });
        visited.map_err(|error| error.in_file(self.database.path()))
    }
}

/// What is stored with one set.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stored<'r> {
    Record {
        value: u64,
        record: &'r StoredRecord,
        layout: &'r RecordLayout,
    },
    Kmer {
        value: u64,
        kmer: u64,
        layout: &'r RecordLayout,
    },
}

impl Stored<'_> {
    /// Of the minimizer.
    pub(super) fn value(&self) -> u64 {
        match *self {
            Self::Record { value, .. } | Self::Kmer { value, .. } => value,
        }
    }

    /// k-mers of its stretches together.
    pub(super) fn kmers(&self) -> usize {
        match self {
            Self::Record { record, .. } => usize::from(record.hi - record.lo) + 1,
            Self::Kmer { .. } => self.places().count(),
        }
    }

    /// With how many bases on the left of the minimizer a k-mer by itself has that.
    fn places(self) -> impl Iterator<Item = usize> {
        let (value, kmer, layout) = match self {
            Self::Kmer {
                value,
                kmer,
                layout,
            } => (value, kmer, layout),
            Self::Record { value, layout, .. } => (value, 0, layout),
        };
        let scheme = layout.scheme();
        let (flank, minimizer) = (layout.flank(), scheme.canonical(value));
        let mask = u64::MAX >> (64 - 2 * scheme.m());
        (0..=flank).filter(move |left| kmer >> (2 * (flank - left)) & mask == minimizer)
    }

    /// Calls `each` with its stretches.
    pub(super) fn stretches(&self, mut each: impl FnMut(Oriented) -> Result<()>) -> Result<()> {
        match *self {
            Self::Record {
                value,
                record,
                layout,
            } => each(of_record(value, record, layout)),
            Self::Kmer { kmer, layout, .. } => {
                let scheme = layout.scheme();
                let bases = u128::from(reverse_pairs(kmer) >> (64 - 2 * scheme.k()));
                self.places()
                    .try_for_each(|left| each(oriented(bases, scheme.k(), left, &scheme)))
            }
        }
    }
}

/// The stretch that a record's k-mers are cut from.
fn of_record(value: u64, record: &StoredRecord, layout: &RecordLayout) -> Oriented {
    let scheme = layout.scheme();
    let (m, flank) = (scheme.m(), layout.flank());
    let (left, right) = (usize::from(record.hi), flank - usize::from(record.lo));
    let before = reverse_pairs(record.flanks)
        .checked_shr(64 - 2 * left as u32)
        .unwrap_or(0);
    let minimizer = reverse_pairs(scheme.canonical(value)) >> (64 - 2 * m);
    let behind = record.flanks >> (2 * flank);
    let bases = u128::from(before)
        | u128::from(minimizer) << (2 * left)
        | u128::from(behind) << (2 * (left + m));
    oriented(bases, left + m + right, left, &scheme)
}

/// The stretch of these bases, the first one lowest, whose minimizer has so many on the left.
fn oriented(bases: u128, len: usize, left: usize, scheme: &Scheme) -> Oriented {
    let m = scheme.m();
    let mask = u64::MAX >> (64 - 2 * m);
    let minimizer = (bases >> (2 * left)) as u64 & mask;
    // Strands of numbers whose first base is lowest turn as others do.
    let turned = minimizer.reverse_complement(m);
    let is_tied = (0..=len - m).any(|at| {
        let other = (bases >> (2 * at)) as u64 & mask;
        at != left && (other == minimizer || other == turned)
    });
    let marked = bases | 1 << (2 * len);
    Oriented::new([marked as u64, (marked >> 64) as u64], left, is_tied, 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Turned;
    use thalweg_superkmers::{
        Kernel,
        kmer::Alphabet,
        sequence::{Cutter, Ties},
    };

    /// Of each k-mer, and of each stretch of k-mers, of super-k-mers.
    #[test]
    fn stretches_are_those_that_records_were_made_of() {
        let letters = b"ACGTTGCAAGTCCATGACGGTTTACGATCCGATTAGGCATTACGTTTGACCGATAGGCATTTTACGGACACACACACACACACACACACACACACACACACACACAC";
        for (k, m) in [(16, 5), (21, 9), (31, 15), (31, 19)] {
            let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
            let layout = RecordLayout::new(scheme, 8, 16).unwrap();
            let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgtu);
            let mut ties = 0;
            cutter.visit(letters, Ties::All, |super_kmer| {
                let turned = Turned::new(super_kmer, &layout);
                let least = layout.flank() as u8 - turned.right;
                for (lo, hi) in
                    (least..=turned.left).flat_map(|lo| (lo..=turned.left).map(move |hi| (lo, hi)))
                {
                    let entry = turned.entry(lo, hi, 1, &layout);
                    let record = StoredRecord {
                        flanks: entry.flanks,
                        lo,
                        hi,
                        remainder: 0,
                        id: 1,
                    };
                    let stored = Stored::Record {
                        value: entry.value,
                        record: &record,
                        layout: &layout,
                    };
                    assert_eq!(stored.kmers(), usize::from(hi - lo) + 1);
                    stored
                        .stretches(|stretch| {
                            assert_eq!(stretch.value(&scheme), entry.value);
                            assert_eq!(stretch.kmers(k), stored.kmers());
                            let flanks = stretch.flanks(lo.into(), hi.into(), &scheme);
                            assert_eq!((stretch.place(), flanks), (hi.into(), entry.flanks));
                            ties += usize::from(stretch.is_tied());
                            Ok(())
                        })
                        .unwrap();
                    if lo == hi {
                        let kmer = layout.kmer(entry.value, entry.flanks, lo);
                        let stored = Stored::Kmer {
                            value: entry.value,
                            kmer,
                            layout: &layout,
                        };
                        let mut found = false;
                        stored
                            .stretches(|stretch| {
                                assert_eq!(stretch.value(&scheme), entry.value);
                                let place = stretch.place();
                                let flanks = stretch.flanks(place, place, &scheme);
                                found |= (place, flanks) == (lo.into(), entry.flanks);
                                Ok(())
                            })
                            .unwrap();
                        assert!(found);
                    }
                }
            });
            assert!(ties > 0);
        }
    }
}
