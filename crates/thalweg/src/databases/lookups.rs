//! Where the k-mers of whole files are looked up: in the database's file, or in memory.

use std::fs;
use std::path::PathBuf;

use thalweg_kmers::Kmer;
use thalweg_kmers::database::{Database, Loaded, Lookup};
use thalweg_kmers::kmer::Alphabet;

use crate::count::available;
use crate::{Control, MessageKind};

/// One lookup in the file takes as long as it takes to load so many k-mers.
const WORTH: u64 = 100;

/// What makes lookups, one for each thread.
pub enum Lookups<'a, K> {
    /// In memory.
    Loaded(Loaded<K>),
    /// In the file of the database.
    InFile {
        /// That.
        database: &'a Database,
        /// Why, if loading it would pay.
        lack: Option<Lack>,
    },
}

/// Memory that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Bytes that the database takes.
    pub(super) needed: u64,
    /// Bytes that there are to take.
    pub(super) available: u64,
}

impl Lack {
    /// Say that k-mers of `database` are looked up in its file, which takes longer.
    pub fn say(self, database: &Database, control: &Control<'_>) {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let text = format!(
            "{}: k-mers are looked up on the disk, which takes longer: in memory they would take {} MiB, and {} MiB are there to take",
            database.path().display(),
            mib(self.needed),
            self.available >> 20
        );
        control.say(MessageKind::Note, text);
    }
}

impl<'a, K: Kmer> Lookups<'a, K> {
    /// Lookups of all k-mers of `files`: in memory, if they are so many that loading pays and it takes no more than
    /// there is to take, or if the database cannot be searched: each lookup would load it. It is loaded by so many threads.
    ///
    /// Of `addresses` that the process may use, where there is a limit, it takes no more than a quarter.
    ///
    /// # Errors
    /// If the database cannot be loaded; if the job was cancelled.
    pub fn for_files(
        database: &'a Database,
        files: &[PathBuf],
        threads: usize,
        addresses: Option<u64>,
        control: &Control,
    ) -> thalweg_kmers::Result<Self> {
        // What can be searched says it, or its size does.
        let distinct = database.header().distinct.unwrap_or(0);
        let (needed, available) = (Loaded::<K>::bytes_for(distinct), available(addresses));
        let pays = pays(distinct, files);
        match !database.is_searchable() || pays && needed <= available {
            true => {
                let watch = |_| control.check_kmers();
                Ok(Self::Loaded(database.load_unless(threads, &watch)?))
            }
            false => Ok(Self::InFile {
                database,
                lack: pays.then_some(Lack { needed, available }),
            }),
        }
    }

    /// In the file, because whoever asks has few k-mers.
    pub fn in_file(database: &'a Database) -> Self {
        let lack = None;
        Self::InFile { database, lack }
    }

    /// Say it if memory is lacking.
    pub fn say_lack(&self, control: &Control<'_>) {
        if let Self::InFile {
            database,
            lack: Some(lack),
        } = self
        {
            lack.say(database, control);
        }
    }

    /// One thread's, for letters of `alphabet`.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn lookup(&self, alphabet: Alphabet) -> thalweg_kmers::Result<Lookup<K>> {
        let lookup = match self {
            Self::Loaded(loaded) => loaded.lookup(),
            Self::InFile { database, .. } => database.lookup()?,
        };
        Ok(lookup.with_alphabet(alphabet))
    }
}

/// Whether so many k-mers, which need so many of these bytes, are loaded for `files`.
pub(super) fn is_loaded(distinct: u64, files: &[PathBuf], needed: u64, bytes: u64) -> bool {
    needed <= bytes && pays(distinct, files)
}

/// Whether loading so many k-mers takes less than looking up those of `files` one by one.
fn pays(distinct: u64, files: &[PathBuf]) -> bool {
    // A byte of a file is about one k-mer, compressed or with qualities. What is no file may be long.
    let length = |file: &PathBuf| match fs::metadata(file) {
        Ok(data) if data.is_file() => data.len(),
        _ => u64::MAX / WORTH,
    };
    let wanted = files.iter().map(length).fold(0, u64::saturating_add);
    wanted.saturating_mul(WORTH) >= distinct
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_kmers::database::{DatabaseFormat, DatabaseWriter, Description, open};

    const K: usize = 15;

    /// So many 15-mers as a database in `directory`.
    fn database(directory: &std::path::Path, format: DatabaseFormat, kmers: u64) -> Database {
        let path = directory.join("a");
        let mut writer =
            DatabaseWriter::create(&path, format, &Description::new(K, false)).unwrap();
        writer.extend((0..kmers).map(|kmer| Ok((kmer, 1)))).unwrap();
        writer.finish().unwrap();
        open(&path).unwrap()
    }

    #[test]
    fn it_is_said_where_memory_is_lacking() {
        let directory = tempfile::tempdir().unwrap();
        let database = database(directory.path(), DatabaseFormat::Thk, 1000);
        let reads = directory.path().join("reads.fa");
        fs::write(&reads, format!(">r\n{}\n", "A".repeat(1000))).unwrap();
        let said = std::sync::Mutex::new(Vec::new());
        let control = Control {
            says: Some(&|message| said.lock().unwrap().push(message.to_string())),
            ..Control::default()
        };
        for (addresses, lacks) in [(None, false), (Some(4), true)] {
            let files = std::slice::from_ref(&reads);
            let lookups =
                Lookups::<u64>::for_files(&database, files, 1, addresses, &control).unwrap();
            lookups.say_lack(&control);
            assert_eq!(matches!(lookups, Lookups::InFile { .. }), lacks);
        }
        Lookups::<u64>::in_file(&database).say_lack(&control);
        let said = said.into_inner().unwrap();
        assert!(
            said.len() == 1 && said[0].contains("on the disk"),
            "{said:?}"
        );
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
            (DatabaseFormat::Thk, true),
            (DatabaseFormat::Jellyfish, true),
            (DatabaseFormat::Kmc, true),
            (DatabaseFormat::JellyfishText, false),
            (DatabaseFormat::Tsv, false),
        ] {
            for (kmers, pays) in [(WORTH * bytes, true), (WORTH * bytes + 1, false)] {
                let database = database(directory.path(), format, kmers);
                let control = Control::default();
                let lookups = Lookups::<u64>::for_files(&database, &files, 2, None, &control);
                let lookups = lookups.unwrap();
                let loaded = matches!(lookups, Lookups::Loaded(_));
                assert_eq!(loaded, pays || !searchable, "{format}, {kmers} k-mers");
                for name in ["a", "a.kmc_pre", "a.kmc_suf"] {
                    let _ = fs::remove_file(directory.path().join(name));
                }
            }
        }
    }
}
