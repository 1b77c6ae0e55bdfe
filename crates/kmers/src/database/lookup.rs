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
/// 20 to 40 bytes for each k-mer of up to 32 bases, more for longer ones ([`Loaded::bytes_for`]); half as much again
/// while it is made if the file does not say how many there are. Made by [`Database::load`](super::Database::load).
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
        // Of KMC's files a forged one may say any number, but not of more k-mers than there can be. What cannot be had
        // at once is asked for as it comes.
        let most = 1u64.checked_shl(2 * header.k as u32).unwrap_or(u64::MAX);
        let distinct = header.distinct.unwrap_or(0).min(most);
        let _ = counts.try_reserve(usize::try_from(distinct).unwrap_or(0));
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

    /// About what so many k-mers take: a power of two of places, of which up to 7/8 are in use, each with a byte beside.
    pub fn bytes_for(distinct: u64) -> u64 {
        let places = (distinct / 7)
            .saturating_add(1)
            .saturating_mul(8)
            .checked_next_power_of_two();
        let place = size_of::<(K, u64)>() as u64 + 1;
        places.unwrap_or(u64::MAX).saturating_mul(place)
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

#[cfg(test)]
mod tests {
    use crate::database::{Description, Format, Loaded, Writer, open};
    use crate::kmer::Kmer;

    /// What is loaded answers as the file does, for either strand; what does not say it is canonical is judged by its
    /// k-mers.
    #[test]
    fn loaded_and_in_the_file_the_counts_are_the_same() {
        const K: usize = 5;
        let directory = tempfile::tempdir().unwrap();
        // Every third 5-mer, one or both strands; what a canonical database does not have is left out there.
        let all = || (0..1 << (2 * K)).map(|number: u64| (number, 1 + number / 7));
        for canonical in [true, false] {
            let content = all().filter(|(kmer, _)| kmer % 3 == 0);
            let content: Vec<(u64, u64)> = content
                .filter(|(kmer, _)| !canonical || kmer.canonical(K) == *kmer)
                .collect();
            let expected = |kmer: u64| {
                let stored = match canonical {
                    true => kmer.canonical(K),
                    false => kmer,
                };
                let found = content.iter().find(|(known, _)| *known == stored);
                found.map(|(_, count)| *count)
            };
            for format in [
                Format::Thk,
                Format::Jellyfish,
                Format::JellyfishText,
                Format::Kmc,
                Format::Tsv,
                Format::Fasta,
            ] {
                let path = directory.path().join("a");
                let mut writer =
                    Writer::create(&path, format, &Description::new(K, canonical)).unwrap();
                writer.extend(content.iter().copied().map(Ok)).unwrap();
                writer.finish().unwrap();
                let database = open(&path).unwrap();
                let searchable = matches!(format, Format::Thk | Format::Jellyfish | Format::Kmc);
                assert_eq!(database.is_searchable(), searchable, "{format}");
                let loaded = database.load::<u64>().unwrap();
                assert_eq!(loaded.is_canonical(), canonical, "{format}");
                let mut lookups = [
                    database.lookup().unwrap(),
                    loaded.lookup(),
                    loaded.clone().lookup(),
                ];
                for lookup in &mut lookups {
                    assert_eq!(lookup.is_canonical(), canonical, "{format}");
                    for (kmer, _) in all() {
                        assert_eq!(lookup.find(kmer).unwrap(), expected(kmer), "{format}");
                    }
                }
                // Somebody who knows better.
                let mut other = loaded.lookup().with_canonical(!canonical);
                let greater = (0..1 << (2 * K)).find(|kmer: &u64| kmer.canonical(K) != *kmer);
                let kmer = greater.unwrap();
                let stored = match canonical {
                    true => kmer,
                    false => kmer.canonical(K),
                };
                let count = content.iter().find(|(known, _)| *known == stored);
                assert_eq!(other.find(kmer).unwrap(), count.map(|(_, count)| *count));
                // KMC's two files.
                for name in ["a", "a.kmc_pre", "a.kmc_suf"] {
                    let _ = std::fs::remove_file(directory.path().join(name));
                }
            }
        }
    }

    /// By hand: 17 bytes for each place of a k-mer of one word, 73 for one of eight words.
    #[test]
    fn memory_is_that_of_a_power_of_two_of_places() {
        assert_eq!(Loaded::<u64>::bytes_for(7_000_000), 17 << 23);
        assert_eq!(Loaded::<u64>::bytes_for(8_000_000), 17 << 24);
        let longest = Loaded::<crate::kmer::Wide<8>>::bytes_for(8_000_000);
        assert_eq!(longest, 73 << 24);
        assert_eq!(Loaded::<u64>::bytes_for(u64::MAX), u64::MAX);
    }

    #[test]
    fn counts_of_a_k_mer_that_comes_twice_are_added_up_within_64_bits() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.tsv");
        std::fs::write(&path, "ACG\t3\nAAC\t1\nACG\t4\n").unwrap();
        let mut lookup = open(&path).unwrap().load::<u64>().unwrap().lookup();
        assert_eq!(lookup.find_letters(b"ACG").unwrap(), Some(7));
        assert_eq!(lookup.find_letters(b"CGT").unwrap(), Some(7));
        std::fs::write(&path, format!("ACG\t{}\nACG\t1\n", u64::MAX)).unwrap();
        let error = open(&path).unwrap().load::<u64>().unwrap_err().to_string();
        assert!(error.contains("ACG add up to more than"), "{error}");
    }
}
