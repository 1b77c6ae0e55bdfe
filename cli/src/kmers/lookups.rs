//! Where the k-mers of whole files are looked up: in the database's file, or in memory.

use std::fs;
use std::path::PathBuf;

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{Database, Loaded, Lookup};

/// k-mers that are loaded at most: some 4 GiB.
const MOST: u64 = 1 << 27;

/// One lookup in the file takes as long as it takes to load so many k-mers.
const WORTH: u64 = 30;

/// Bytes of a k-mer and its count in any database, about.
const BYTES: u64 = 8;

/// What makes lookups, one for each thread.
pub(super) enum Lookups<'a, K> {
    Loaded(Loaded<K>),
    InFile(&'a Database),
}

impl<'a, K: Kmer> Lookups<'a, K> {
    /// Lookups of all k-mers of `files`: in memory, if they are so many that loading pays.
    pub(super) fn for_files(
        database: &'a Database,
        files: &[PathBuf],
    ) -> thalweg::kmers::Result<Self> {
        let distinct = match database.stored_totals() {
            Some(totals) => totals.distinct,
            None => fs::metadata(database.path()).map_or(0, |data| data.len() / BYTES),
        };
        // A byte of a file is about one k-mer, compressed or with qualities. What is no file may be long.
        let length = |file: &PathBuf| match fs::metadata(file) {
            Ok(data) if data.is_file() => data.len(),
            _ => u64::MAX / WORTH,
        };
        let wanted = files.iter().map(length).fold(0, u64::saturating_add);
        if distinct <= MOST && wanted.saturating_mul(WORTH) >= distinct {
            return Ok(Self::Loaded(database.load()?));
        }
        Ok(Self::InFile(database))
    }

    /// One thread's.
    pub(super) fn lookup(&self) -> thalweg::kmers::Result<Lookup<K>> {
        match self {
            Self::Loaded(loaded) => Ok(loaded.lookup()),
            Self::InFile(database) => database.lookup(),
        }
    }
}

/// Tell what was taken for granted about a database that does not say which strands its k-mers stand for.
pub(super) fn tell_strands(database: &Database, canonical: bool) {
    if database.header().canonical.is_some() {
        return;
    }
    let taken = match canonical {
        true => "none is greater than its reverse complement, so each stands for both",
        false => "some are greater than their reverse complements, so each stands for its own",
    };
    tell!(
        "thalweg: note: {} does not say which strands its k-mers stand for: {taken}",
        database.path().display()
    );
}
