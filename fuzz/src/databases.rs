//! Checks that every format of k-mer databases must pass, whatever the bytes are; good databases to begin with.

use std::collections::BTreeMap;
use std::path::Path;

use thalweg_kmers::database::{self, Database, Description, DatabaseFormat, Order, KmerRecords, SortOptions, DatabaseWriter};
use thalweg_kmers::kmer::{Kmer, KmerTask, dispatch};
use thalweg_kmers::{Error, Result};

/// k-mers that are looked up: each may read a block.
const QUERIES: usize = 64;

/// Most records that a byte of a file can hold: a bit each. None stores a k-mer in less.
const RECORDS_PER_BYTE: u64 = 8;

/// Opens the files of `names` and contents as one database, named by the first, and reads it in every way.
///
/// Asserts: every way ends, after no more records than so many bytes can hold; k-mers have k bases; what says
/// that it is sorted is, or ends in an error; sorting keeps every k-mer and adds up the counts; what
/// [`Database::verify`] accepts can be read, has the totals that the header tells, and every k-mer is found.
pub fn check(files: &[(&str, &[u8])]) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let mut bytes = 0;
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("room for a small file");
        bytes += content.len() as u64;
    }
    if let Some((name, _)) = files.first() {
        check_at(&folder.path().join(name), bytes);
    }
}

/// [`check`] of what is at `path` and has so many bytes: a file, or the directory of a set. Returns whether it is opened.
pub fn check_at(path: &Path, bytes: u64) -> bool {
    let Ok(database) = database::open(path) else {
        return false;
    };
    let k = database.header().k;
    let folder = path.parent().expect("it has a name");
    let task = Check { database: &database, limit: RECORDS_PER_BYTE * bytes, folder };
    dispatch(k, task).expect("a database that opens has a k");
    true
}

/// Asserts that nothing is wrong with the files of a database, and all of [`check`].
pub fn check_good(files: &[(&str, &[u8])]) {
    let folder = tempfile::tempdir().expect("a temporary directory");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("room for a small file");
    }
    let database = database::open(folder.path().join(files[0].0));
    database.and_then(|database| database.verify(&SortOptions::default())).expect("a good database");
    check(files);
}

struct Check<'a> {
    database: &'a Database,
    limit: u64,
    folder: &'a Path,
}

impl KmerTask for Check<'_> {
    type Output = ();

    fn run<K: Kmer>(self) {
        let header = self.database.header();
        let in_order = self.collect(self.database.records::<K>());
        if header.k > 32 {
            assert!(matches!(self.database.records::<u64>(), Err(Error::BadK { .. })));
        }
        let sort = SortOptions { memory: 0, directory: self.folder.to_owned() };
        let sorted = self.collect(self.database.sorted::<K>(&sort));
        if let Ok(sorted) = &sorted {
            assert!(sorted.is_sorted_by(|a, b| a.0 < b.0), "sorted records are not");
            let all = in_order.as_ref().expect("what can be sorted can be read");
            assert_eq!(sum(all), Some(sorted.iter().copied().collect()), "sorting loses or makes up k-mers");
        }
        // What says that it is sorted must be, and the counts of what comes twice in a text must have a sum.
        let is_text = matches!(header.format, DatabaseFormat::Tsv | DatabaseFormat::Fasta);
        let fault = match is_text || header.order == Order::Sorted {
            true => sorted.as_ref().err(),
            false => in_order.as_ref().err(),
        };
        let histogram = self.database.histogram(&SortOptions::default());
        assert_eq!(histogram.is_ok(), fault.is_none(), "{histogram:?}, but {fault:?}");
        self.look_up(&in_order);

        let Ok(totals) = self.database.verify(&SortOptions::default()) else {
            return;
        };
        let mut records = in_order.expect("what was verified can be read");
        if is_text {
            records = sum(&records).expect("counts that have a sum").into_iter().collect();
        }
        assert_eq!(totals.distinct, records.len() as u64);
        assert_eq!(totals.total, records.iter().map(|record| u128::from(record.1)).sum());
        assert_eq!(totals.distinct, header.distinct.unwrap_or(totals.distinct));
        assert_eq!(self.database.stored_totals().unwrap_or(totals), totals);
        if header.canonical == Some(true) {
            assert!(records.iter().all(|&(kmer, _)| kmer.canonical(header.k) == kmer));
        }
    }
}

impl Check<'_> {
    fn collect<K: Kmer>(&self, records: Result<KmerRecords<K>>) -> Result<Vec<(K, u64)>> {
        let k = self.database.header().k;
        let mut all = Vec::new();
        for record in records? {
            let (kmer, count) = record?;
            assert_eq!(K::from_letters(&kmer.to_letters(k)), Some(kmer), "a bit above 4^k");
            all.push((kmer, count));
            assert!(all.len() as u64 <= self.limit, "more records than the file can hold");
        }
        Ok(all)
    }

    /// In what is sorted throughout, and in what is loaded, no k-mer is missed.
    fn look_up<K: Kmer>(&self, records: &Result<Vec<(K, u64)>>) {
        let header = self.database.header();
        let lookup = self.database.lookup::<K>();
        let (Ok(mut lookup), Ok(records)) = (lookup, records) else {
            return;
        };
        let loaded = matches!(
            header.format,
            DatabaseFormat::JellyfishText | DatabaseFormat::Kmc2 | DatabaseFormat::Tsv | DatabaseFormat::Fasta
        );
        let complete = loaded || header.order == Order::Sorted && records.is_sorted_by(|a, b| a.0 < b.0);
        let expected = sum(records).unwrap_or_default();
        let step = 1 + records.len() / QUERIES;
        for &(kmer, _) in records.iter().step_by(step) {
            let asked = if header.canonical == Some(true) { kmer.canonical(header.k) } else { kmer };
            // A block may be damaged where only queries look: then that is told.
            if let Ok(found) = lookup.find(kmer)
                && complete
            {
                assert_eq!(found, expected.get(&asked).copied(), "a query finds something else");
            }
        }
        let _ = lookup.find(K::default());
        let _ = lookup.find(K::default().append(3, header.k));
        assert!(lookup.find_letters(b"").is_err());
    }
}

/// Every k-mer with the sum of its counts; `None` if that is beyond 64 bits.
fn sum<K: Kmer>(records: &[(K, u64)]) -> Option<BTreeMap<K, u64>> {
    let mut sums = BTreeMap::new();
    for &(kmer, count) in records {
        let sum: &mut u64 = sums.entry(kmer).or_default();
        *sum = sum.checked_add(count)?;
    }
    Some(sums)
}

/// The files of a good database with some k-mers of length `k`; `path` has no extension for KMC.
///
/// Counts are mostly small; some need two bytes.
pub fn write(format: DatabaseFormat, k: usize, canonical: bool, records: usize) -> Vec<Vec<u8>> {
    struct Write(DatabaseFormat, usize, bool, usize);
    impl KmerTask for Write {
        type Output = Result<Vec<Vec<u8>>>;
        fn run<K: Kmer>(self) -> Self::Output {
            let Write(format, k, canonical, records) = self;
            let folder = tempfile::tempdir().expect("a temporary directory");
            let mut description = Description::new(k, canonical);
            description.expected = Some(records as u64);
            let mut writer = DatabaseWriter::create(folder.path().join("x"), format, &description)?;
            writer.extend(content::<K>(k, canonical, records).into_iter().map(Ok))?;
            writer.finish()?;
            let names: &[&str] = if format == DatabaseFormat::Kmc { &["x.kmc_pre", "x.kmc_suf"] } else { &["x"] };
            let read = |name| std::fs::read(folder.path().join(name)).expect("what was written");
            Ok(names.iter().map(read).collect())
        }
    }
    dispatch(k, Write(format, k, canonical, records))
        .and_then(|files| files)
        .expect("a good database is written")
}

/// Random k-mers, the first and the last that there are, and counts.
pub fn content<K: Kmer>(k: usize, canonical: bool, records: usize) -> BTreeMap<K, u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..records)
        .map(|number| {
            let mut kmer = K::default();
            for _ in 0..k {
                let code = if number < 2 { 3 * number as u64 } else { next() % 4 };
                kmer = kmer.append(code as u8, k);
            }
            let count = if next() % 8 == 0 { 1 + next() % 1000 } else { 1 + next() % 3 };
            (if canonical { kmer.canonical(k) } else { kmer }, count)
        })
        .collect()
}
