//! Finds single k-mers in a database of any format.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

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
    Loaded(Arc<HashMap<K, u64>>),
}

/// All k-mers of a database in memory, to be looked up by any number of threads.
///
/// Some 30 bytes for each k-mer of up to 32 bases. Made by [`Database::load`](super::Database::load).
#[derive(Clone)]
pub struct Loaded<K> {
    k: usize,
    canonical: bool,
    counts: Arc<HashMap<K, u64>>,
}

impl<K: Kmer> Loaded<K> {
    /// Counts of a k-mer that comes several times are added up.
    ///
    /// # Errors
    /// Those of the records, and a sum beyond 64 bits.
    pub(super) fn new(
        header: &Header,
        records: impl Iterator<Item = Result<(K, u64)>>,
    ) -> Result<Loaded<K>> {
        let mut counts = HashMap::new();
        let mut all_canonical = true;
        for record in records {
            let (kmer, count) = record?;
            all_canonical &= kmer <= kmer.reverse_complement(header.k);
            let sum: &mut u64 = counts.entry(kmer).or_default();
            *sum = sum.checked_add(count).ok_or_else(|| {
                let letters = kmer.to_letters(header.k);
                let letters = String::from_utf8_lossy(&letters).into_owned();
                Error::Mismatch(format!(
                    "the counts of {letters} add up to more than 2^64 - 1"
                ))
            })?;
        }
        Ok(Loaded {
            k: header.k,
            canonical: header.canonical.unwrap_or(all_canonical),
            counts: Arc::new(counts),
        })
    }

    /// Whether a k-mer stands for both strands. Where the database does not say: whether none of its k-mers is
    /// greater than its reverse complement, which one in two is if strands are apart.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// What finds k-mers; as many as there are threads, of the same memory.
    pub fn lookup(&self) -> Lookup<K> {
        Lookup {
            k: self.k,
            canonical: self.canonical,
            kind: Kind::Loaded(Arc::clone(&self.counts)),
        }
    }
}

impl<K> fmt::Debug for Loaded<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loaded")
            .field("k", &self.k)
            .field("canonical", &self.canonical)
            .field("distinct", &self.counts.len())
            .finish()
    }
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

    /// Whether k-mers are made canonical before they are looked up.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Make k-mers canonical before they are looked up, or not: where somebody knows better than the database, or
    /// than what [`Loaded::is_canonical`] takes from its k-mers.
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
            Kind::Loaded(counts) => Ok(counts.get(&kmer).copied()),
        }
    }

    /// As [`Lookup::find`], for letters.
    ///
    /// # Errors
    /// [`Error::NoKmer`] unless they are k letters of ACGTacgt; and those of [`Lookup::find`].
    pub fn find_letters(&mut self, letters: &[u8]) -> Result<Option<u64>> {
        let kmer = (letters.len() == self.k).then(|| K::from_letters(letters));
        let Some(Some(kmer)) = kmer else {
            return Err(Error::NoKmer {
                letters: String::from_utf8_lossy(&letters[..letters.len().min(300)]).into_owned(),
                k: self.k,
            });
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
