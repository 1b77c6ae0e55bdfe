//! Finds single k-mers in a database of any format.

use std::fmt;

use super::{Header, SequenceKmers, jellyfish, kmc, thk};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Finds the counts of single k-mers.
///
/// It needs `&mut self` for its buffers; each thread makes its own.
pub struct Lookup<K: Kmer> {
    k: usize,
    canonical: bool,
    kind: Kind<K>,
}

enum Kind<K> {
    Thk(thk::Search<K>),
    Jellyfish(jellyfish::Search),
    Kmc(kmc::Search),
    Loaded(Vec<(K, u64)>),
}

impl<K: Kmer> Lookup<K> {
    fn new(header: &Header, kind: Kind<K>) -> Lookup<K> {
        Lookup {
            k: header.k,
            canonical: header.canonical == Some(true),
            kind,
        }
    }

    pub(super) fn thk(header: &Header, search: thk::Search<K>) -> Lookup<K> {
        Lookup::new(header, Kind::Thk(search))
    }

    pub(super) fn jellyfish(header: &Header, search: jellyfish::Search) -> Lookup<K> {
        Lookup::new(header, Kind::Jellyfish(search))
    }

    pub(super) fn kmc(header: &Header, search: kmc::Search) -> Lookup<K> {
        Lookup::new(header, Kind::Kmc(search))
    }

    /// `records` are sorted.
    pub(super) fn loaded(header: &Header, records: Vec<(K, u64)>) -> Lookup<K> {
        Lookup::new(header, Kind::Loaded(records))
    }

    /// Whether k-mers are made canonical before they are looked up, for databases that do not say: without this
    /// they are looked up as they are.
    pub fn with_canonical(mut self, canonical: bool) -> Lookup<K> {
        self.canonical = canonical;
        self
    }

    /// The count of a k-mer; `None` if the database does not have it.
    ///
    /// Costs one block (`.thk`; one in each partition if the file does not say how k-mers were shared out), or a
    /// binary search by small reads (Jellyfish, KMC), or one in memory.
    ///
    /// # Errors
    /// [`Error::Damaged`] and [`Error::Io`] for what had to be read.
    pub fn find(&mut self, kmer: K) -> Result<Option<u64>> {
        let kmer = if self.canonical {
            kmer.canonical(self.k)
        } else {
            kmer
        };
        match &mut self.kind {
            Kind::Thk(search) => search.find(kmer),
            Kind::Jellyfish(search) => search.find(kmer),
            Kind::Kmc(search) => search.find(kmer),
            Kind::Loaded(records) => Ok(records
                .binary_search_by_key(&kmer, |record| record.0)
                .ok()
                .map(|at| records[at].1)),
        }
    }

    /// As [`Lookup::find`], for letters.
    ///
    /// # Errors
    /// [`Error::Mismatch`] unless they are k letters of ACGTacgt; and those of [`Lookup::find`].
    pub fn find_letters(&mut self, letters: &[u8]) -> Result<Option<u64>> {
        let kmer = (letters.len() == self.k).then(|| K::from_letters(letters));
        let Some(Some(kmer)) = kmer else {
            return Err(Error::Mismatch(format!(
                "{:?} is no k-mer of {} bases",
                String::from_utf8_lossy(&letters[..letters.len().min(300)]),
                self.k
            )));
        };
        self.find(kmer)
    }

    /// Calls `use_count` with every k-mer of a sequence, as it reads (not made canonical), and its count, 0 if the
    /// database does not have it. Windows with another letter than ACGTacgt are left out.
    ///
    /// # Errors
    /// As [`Lookup::find`].
    pub fn find_in_sequence(
        &mut self,
        sequence: &[u8],
        mut use_count: impl FnMut(K, u64),
    ) -> Result<()> {
        for (_, kmer) in SequenceKmers::new(sequence, self.k) {
            let count = self.find(kmer)?;
            use_count(kmer, count.unwrap_or(0));
        }
        Ok(())
    }
}

impl<K: Kmer> fmt::Debug for Lookup<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lookup")
            .field("k", &self.k)
            .field("canonical", &self.canonical)
            .finish_non_exhaustive()
    }
}
