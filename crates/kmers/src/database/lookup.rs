//! Finds single k-mers in a database of any format.

use std::fmt;

use super::{Header, SequenceKmers, jellyfish, kmc, loaded::Search, thk};
use crate::error::{Error, Result};
use crate::kmer::{Alphabet, Kmer};
use thalweg_superkmers::pieces::for_each_piece;

/// Letters of a sequence on several lines that are looked up at a time: as much as stays in the caches.
const PIECE: usize = 16 * 1024;

/// Finds the counts of single k-mers.
///
/// It needs `&mut self` for its buffers; each thread makes its own.
pub struct Lookup<K: Kmer> {
    k: usize,
    canonical: bool,
    alphabet: Alphabet,
    kind: Kind<K>,
    /// A piece of a sequence on several lines.
    letters: Vec<u8>,
}

enum Kind<K> {
    Thk(thk::Search<K>),
    Jellyfish(jellyfish::Search),
    Kmc(kmc::Search),
    Loaded(Search<K>),
}

impl<K: Kmer> Lookup<K> {
    fn new(header: &Header, kind: Kind<K>) -> Lookup<K> {
        Lookup {
            k: header.k,
            canonical: header.canonical == Some(true),
            alphabet: Alphabet::default(),
            kind,
            letters: Vec::new(),
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

    pub(super) fn loaded(k: usize, canonical: bool, search: Search<K>) -> Lookup<K> {
        Lookup {
            k,
            canonical,
            alphabet: Alphabet::default(),
            kind: Kind::Loaded(search),
            letters: Vec::new(),
        }
    }

    /// Whether k-mers are made canonical before they are looked up.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Make k-mers canonical before they are looked up, or not: where somebody knows better than the database, or
    /// than what [`super::Loaded::is_canonical`] takes from its k-mers.
    pub fn with_canonical(mut self, canonical: bool) -> Lookup<K> {
        self.canonical = canonical;
        self
    }

    /// Which letters of what is looked up are bases. By default U is T.
    pub fn with_alphabet(mut self, alphabet: Alphabet) -> Lookup<K> {
        self.alphabet = alphabet;
        self
    }

    /// The k-mer with these letters, as they stand; `None` unless they are k bases of the alphabet.
    pub fn kmer(&self, letters: &[u8]) -> Option<K> {
        if letters.len() != self.k {
            return None;
        }
        K::from_letters_of(self.alphabet, letters)
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
        self.kind.find(kmer)
    }

    /// As [`Lookup::find`], for letters.
    ///
    /// # Errors
    /// [`Error::NoKmer`] unless they are k bases; and those of [`Lookup::find`].
    pub fn find_letters(&mut self, letters: &[u8]) -> Result<Option<u64>> {
        let Some(kmer) = self.kmer(letters) else {
            return Err(Error::NoKmer {
                letters: String::from_utf8_lossy(&letters[..letters.len().min(300)]).into_owned(),
                k: self.k,
            });
        };
        self.find(kmer)
    }

    /// Calls `use_count` with every k-mer of a sequence, as it is looked up (canonical, if the database's are), and its
    /// count. Windows with a letter that is no base are left out.
    ///
    /// Of many in memory, several are fetched at a time: faster than [`Lookup::find`] for each.
    ///
    /// # Errors
    /// As [`Lookup::find`].
    pub fn find_in_sequence(
        &mut self,
        sequence: &[u8],
        mut use_count: impl FnMut(K, Option<u64>),
    ) -> Result<()> {
        let (k, canonical, alphabet) = (self.k, self.canonical, self.alphabet);
        if let Kind::Loaded(search) = &mut self.kind {
            search.find_in_sequence(sequence, alphabet, canonical, use_count);
            return Ok(());
        }
        for (_, kmer) in SequenceKmers::<K>::new(sequence, k).with_alphabet(alphabet) {
            let kmer = match canonical {
                true => kmer.canonical(k),
                false => kmer,
            };
            use_count(kmer, self.kind.find(kmer)?);
        }
        Ok(())
    }

    /// As [`Lookup::find_in_sequence`], of the sequence that `lines` make. It is never joined: of a long one, that would
    /// be a copy.
    ///
    /// # Errors
    /// As [`Lookup::find`].
    pub fn find_in_lines<'a>(
        &mut self,
        lines: impl IntoIterator<Item = &'a [u8]>,
        mut use_count: impl FnMut(K, Option<u64>),
    ) -> Result<()> {
        let mut lines = lines.into_iter();
        let Some(first) = lines.next() else {
            return Ok(());
        };
        let Some(second) = lines.next() else {
            return self.find_in_sequence(first, use_count);
        };
        let lines = [first, second].into_iter().chain(lines);
        let mut letters = std::mem::take(&mut self.letters);
        let outcome = for_each_piece(
            lines,
            PIECE,
            self.k.saturating_sub(1),
            &mut letters,
            |piece| self.find_in_sequence(piece, &mut use_count),
        );
        self.letters = letters;
        outcome.map(|_| ())
    }
}

impl<K: Kmer> Kind<K> {
    fn find(&mut self, kmer: K) -> Result<Option<u64>> {
        match self {
            Kind::Thk(search) => search.find(kmer),
            Kind::Jellyfish(search) => search.find(kmer),
            Kind::Kmc(search) => search.find(kmer),
            Kind::Loaded(search) => Ok(search.find(kmer)),
        }
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
    use crate::database::{DatabaseFormat, DatabaseWriter, Description, open};
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
                DatabaseFormat::Thk,
                DatabaseFormat::Jellyfish,
                DatabaseFormat::JellyfishText,
                DatabaseFormat::Kmc,
                DatabaseFormat::Tsv,
                DatabaseFormat::Fasta,
            ] {
                let path = directory.path().join("a");
                let mut writer =
                    DatabaseWriter::create(&path, format, &Description::new(K, canonical)).unwrap();
                writer.extend(content.iter().copied().map(Ok)).unwrap();
                writer.finish().unwrap();
                let database = open(&path).unwrap();
                let searchable = matches!(
                    format,
                    DatabaseFormat::Thk | DatabaseFormat::Jellyfish | DatabaseFormat::Kmc
                );
                assert_eq!(database.is_searchable(), searchable, "{format}");
                let loaded = database.load::<u64>(1).unwrap();
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

    /// Lines of any length, also of many pieces.
    #[test]
    fn lines_are_looked_up_as_the_sequence_that_they_make() {
        const K: usize = 5;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.thk");
        let description = Description::new(K, true);
        let mut writer = DatabaseWriter::create(&path, DatabaseFormat::Thk, &description).unwrap();
        let content = (0..1 << (2 * K)).filter(|kmer: &u64| kmer.canonical(K) == *kmer);
        writer
            .extend(content.map(|kmer| Ok((kmer, kmer + 1))))
            .unwrap();
        writer.finish().unwrap();
        let database = open(&path).unwrap();
        let letters = |place: usize| b"ACGTNACC"[place * place / 7 % 8];
        let sequence: Vec<u8> = (0..3 * super::PIECE + 7).map(letters).collect();
        let loaded = database.load::<u64>(1).unwrap();
        for mut lookup in [database.lookup::<u64>().unwrap(), loaded.lookup()] {
            let mut expected = Vec::new();
            let mut found = Vec::new();
            let each = |kmer, count| expected.push((kmer, count));
            lookup.find_in_sequence(&sequence, each).unwrap();
            for width in [1, 3, 60, super::PIECE + 1, sequence.len()] {
                found.clear();
                let each = |kmer, count| found.push((kmer, count));
                lookup.find_in_lines(sequence.chunks(width), each).unwrap();
                assert!(found == expected, "{width}");
            }
        }
    }

    #[test]
    fn counts_of_a_k_mer_that_comes_twice_are_added_up_within_64_bits() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.tsv");
        std::fs::write(&path, "ACG\t3\nAAC\t1\nACG\t4\n").unwrap();
        let mut lookup = open(&path).unwrap().load::<u64>(1).unwrap().lookup();
        assert_eq!(lookup.find_letters(b"ACG").unwrap(), Some(7));
        assert_eq!(lookup.find_letters(b"CGT").unwrap(), Some(7));
        std::fs::write(&path, format!("ACG\t{}\nACG\t1\n", u64::MAX)).unwrap();
        let error = open(&path).unwrap().load::<u64>(1).unwrap_err().to_string();
        assert!(error.contains("ACG add up to more than"), "{error}");
    }
}
