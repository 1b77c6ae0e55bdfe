//! Where the k-mers of whole files are looked up: in the database's file, or in memory.

use std::fs;
use std::path::PathBuf;

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Database, Loaded, Lookup};
use thalweg_kmers::kmer::Alphabet;

use crate::count::available;

/// One lookup in the file takes as long as it takes to load so many k-mers.
const WORTH: u64 = 100;

/// What makes lookups, one for each thread.
pub enum Lookups<'a, K> {
    /// In memory.
    Loaded(Loaded<K>),
    /// In the file of the database.
    InFile(&'a Database),
}

impl<'a, K: Kmer> Lookups<'a, K> {
    /// Lookups of all k-mers of `files`: in memory, if they are so many that loading pays and it takes no more than
    /// there is to take, or if the database cannot be searched: each lookup would load it. It is loaded by so many threads.
    ///
    /// Of `addresses` that the process may use, where there is a limit, it takes no more than a quarter.
    ///
    /// # Errors
    /// If the database cannot be loaded.
    pub fn for_files(
        database: &'a Database,
        files: &[PathBuf],
        threads: usize,
        addresses: Option<u64>,
    ) -> thalweg_kmers::Result<Self> {
        // What can be searched says it, or its size does.
        let distinct = database.header().distinct.unwrap_or(0);
        let needed = Loaded::<K>::bytes_for(distinct);
        let is_loaded =
            !database.is_searchable() || is_loaded(distinct, files, needed, available(addresses));
        match is_loaded {
            true => Ok(Self::Loaded(database.load(threads)?)),
            false => Ok(Self::InFile(database)),
        }
    }

    /// One thread's, for letters of `alphabet`.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn lookup(&self, alphabet: Alphabet) -> thalweg_kmers::Result<Lookup<K>> {
        let lookup = match self {
            Self::Loaded(loaded) => loaded.lookup(),
            Self::InFile(database) => database.lookup()?,
        };
        Ok(lookup.with_alphabet(alphabet))
    }
}

/// Whether so many k-mers, which need so many of these bytes, are loaded for `files`.
pub(super) fn is_loaded(distinct: u64, files: &[PathBuf], needed: u64, bytes: u64) -> bool {
    // A byte of a file is about one k-mer, compressed or with qualities. What is no file may be long.
    let length = |file: &PathBuf| match fs::metadata(file) {
        Ok(data) if data.is_file() => data.len(),
        _ => u64::MAX / WORTH,
    };
    let wanted = files.iter().map(length).fold(0, u64::saturating_add);
    needed <= bytes && wanted.saturating_mul(WORTH) >= distinct
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_kmers::database::{Description, Format, Writer, open};

    const K: usize = 15;

    /// So many 15-mers as a database in `directory`.
    fn database(directory: &std::path::Path, format: Format, kmers: u64) -> Database {
        let path = directory.join("a");
        let mut writer = Writer::create(&path, format, &Description::new(K, false)).unwrap();
        writer.extend((0..kmers).map(|kmer| Ok((kmer, 1)))).unwrap();
        writer.finish().unwrap();
        open(&path).unwrap()
    }

    /// One short read: 100 k-mers and more for each of its bytes are not loaded for it, unless they must be.
    #[test]
    fn what_is_loaded_depends_on_its_k_mers_and_on_its_format() {
        let directory = tempfile::tempdir().unwrap();
        let reads = directory.path().join("reads.fa");
        fs::write(&reads, ">r\nACGTACGTACGTACGTACGT\n").unwrap();
        let files = [reads];
        let bytes = fs::metadata(&files[0]).unwrap().len();
        for (format, searchable) in [
            (Format::Thk, true),
            (Format::Jellyfish, true),
            (Format::Kmc, true),
            (Format::JellyfishText, false),
            (Format::Tsv, false),
        ] {
            for (kmers, pays) in [(WORTH * bytes, true), (WORTH * bytes + 1, false)] {
                let database = database(directory.path(), format, kmers);
                let lookups = Lookups::<u64>::for_files(&database, &files, 2, None).unwrap();
                let loaded = matches!(lookups, Lookups::Loaded(_));
                assert_eq!(loaded, pays || !searchable, "{format}, {kmers} k-mers");
                for name in ["a", "a.kmc_pre", "a.kmc_suf"] {
                    let _ = fs::remove_file(directory.path().join(name));
                }
            }
        }
    }
}
