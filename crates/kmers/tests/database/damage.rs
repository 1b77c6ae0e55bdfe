//! Databases that are damaged, forged, or not what they say.

use crate::extent::one_of;
use crate::files::WRITTEN;
use crate::support::{Content, content, write};
use proptest::prelude::*;
use thalweg_kmers::database::{self, DatabaseFormat, Description, SortOptions};
use thalweg_kmers::{Error, Result};

#[test]
fn dumps_of_no_k_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("dump");
    let long = "A".repeat(256);
    for (text, bases) in [
        (">3\n\n".to_owned(), "0 bases"),
        // Longer ones are no damage.
        (format!(">3\n{long}\n"), "k = 256"),
        (format!("{long} 3\n"), "k = 256"),
        (format!("{}\t3\n", long.repeat(8)), "k = 2048"),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = database::open(&path).unwrap_err();
        assert_eq!(
            matches!(error, Error::Damaged { .. }),
            bases == "0 bases",
            "{error}"
        );
        assert_eq!(
            matches!(error, Error::NotRead { .. }),
            bases != "0 bases",
            "{error}"
        );
        assert!(error.to_string().contains(bases), "{error}");
    }
}

/// Where the prefix is the k-mer and every count 1, records have no byte: their number is bounded all the same.
#[test]
fn records_without_bytes_are_no_more_than_k_mers() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("few.kmc_pre");
    std::fs::write(directory.path().join("few.kmc_suf"), b"KMCSKMCS").unwrap();
    for (total, good) in [(16u64, true), (17, false), (u64::MAX, false)] {
        let mut bytes = b"KMCP".to_vec();
        bytes.extend((0..16u64).flat_map(|kmer| kmer.to_le_bytes()));
        let (low, high) = (total as u32, (total >> 32) as u32);
        // The last one is the version; the size of them all follows.
        let fields = [2, 0, 0, 2, 1, u32::MAX, low, high, 1, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(fields.into_iter().flat_map(u32::to_le_bytes));
        bytes.extend(64u32.to_le_bytes());
        bytes.extend(b"KMCP");
        std::fs::write(&path, bytes).unwrap();
        let database = database::open(&path);
        assert_eq!(database.is_ok(), good, "{database:?}");
        if let Ok(database) = database {
            assert_eq!(database.verify(&SortOptions::default()).unwrap().total, 16);
        }
    }
}

/// What our writer says of a Jellyfish file's records holds for them; where it does not, reading fails at the end.
#[test]
fn totals_of_jellyfish_files_are_checked() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.jf");
    let content: Content<u64> = content(21, true, 500, 8);
    for format in [DatabaseFormat::Jellyfish, DatabaseFormat::JellyfishText] {
        let mut description = Description::new(21, false);
        // Counts that are cut are told as they are stored.
        description.counter_bytes = Some(1);
        description.saturate = true;
        write(&path, format, &content, &description);
        let database = database::open(&path).unwrap();
        assert!(database.tells_its_end());
        let totals = database.verify(&SortOptions::default()).unwrap();
        assert_eq!(database.stored_totals(), Some(totals));
        assert_eq!(totals.distinct, content.len() as u64);
        if format == DatabaseFormat::Jellyfish {
            assert_eq!(totals.max_count, 255);
        }
        assert!(database.header().provenance.get("thalweg_totals").is_none());
        // The same number of records, with another count.
        let mut bytes = std::fs::read(&path).unwrap();
        let place = bytes.len() - 2 + usize::from(format == DatabaseFormat::Jellyfish);
        bytes[place] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let database = database::open(&path).unwrap();
        let mut records = database.records::<u64>().unwrap();
        let error = records.find_map(Result::err).unwrap().to_string();
        assert!(error.contains("add up to"), "{error}");
        // A k-mer that is changed in its last base, and is still between its neighbours.
        let mut bytes = std::fs::read(&path).unwrap();
        let record = match format {
            DatabaseFormat::Jellyfish => 6 + 1,
            _ => {
                bytes
                    .split(|&byte| byte == b'\n')
                    .nth_back(1)
                    .unwrap()
                    .len()
                    + 1
            }
        };
        bytes[place] ^= 1;
        let first = bytes.len() - record;
        match format {
            DatabaseFormat::Jellyfish => bytes[first] ^= 1,
            _ => {
                bytes[first + 20] = b"CATG"[b"ACTG"
                    .iter()
                    .position(|&base| base == bytes[first + 20])
                    .unwrap()]
            }
        }
        std::fs::write(&path, &bytes).unwrap();
        let database = database::open(&path).unwrap();
        let mut records = database.records::<u64>().unwrap();
        let error = records.find_map(Result::err).unwrap().to_string();
        assert!(error.contains("another sum"), "{error}");
        // The counts of two neighbours that change places.
        if format == DatabaseFormat::Jellyfish {
            bytes[first] ^= 1;
            let other = (0..first / 7)
                .map(|i| first - 7 * (i + 1))
                .find(|&other| bytes[other + 6] != bytes[first + 6])
                .unwrap();
            bytes.swap(other + 6, first + 6);
            std::fs::write(&path, &bytes).unwrap();
            let database = database::open(&path).unwrap();
            let mut records = database.records::<u64>().unwrap();
            let error = records.find_map(Result::err).unwrap().to_string();
            assert!(error.contains("another sum"), "{error}");
        }
        // Totals that are none.
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let start = text.find("\"distinct\":").unwrap() + "\"distinct\":".len();
        bytes[start] = b'-';
        std::fs::write(&path, &bytes).unwrap();
        let error = database::open(&path).unwrap_err().to_string();
        assert!(error.contains("thalweg_totals"), "{error}");
    }
    // No record at all.
    write(
        &path,
        DatabaseFormat::Jellyfish,
        &Content::<u64>::new(),
        &Description::new(21, true),
    );
    assert_eq!(
        database::open(&path)
            .unwrap()
            .verify(&SortOptions::default())
            .unwrap()
            .distinct,
        0
    );
}

/// Whoever reads a file that says that it is canonical finds out that it is not, if it has no checksums.
#[test]
fn k_mers_of_the_other_strand_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    // TTT, and AAC before it.
    let content: Content<u64> = [(1, 4), (63, 2)].into();
    for format in [DatabaseFormat::Jellyfish, DatabaseFormat::Kmc] {
        write(&path, format, &content, &Description::new(3, true));
        let database = database::open(&path).unwrap();
        let mut records = database.records::<u64>().unwrap();
        let error = records.find_map(Result::err).unwrap().to_string();
        assert!(error.contains("canonical, but has TTT"), "{error}");
    }
}

/// Every byte changed, every length: an error or the same content, no panic, no endless loop, no huge memory.
#[test]
fn damaged_files_give_errors() {
    let directory = tempfile::tempdir().unwrap();
    let content: Content<u64> = content(21, true, 1500, 3);
    let expected: Vec<_> = content.clone().into_iter().collect();
    for format in WRITTEN {
        let path = directory.path().join("whole");
        write(&path, format, &content, &Description::new(21, true));
        let names: Vec<_> = match format {
            DatabaseFormat::Kmc => vec!["whole.kmc_pre", "whole.kmc_suf"],
            _ => vec!["whole"],
        };
        for name in names {
            let path = directory.path().join(name);
            let whole = std::fs::read(&path).unwrap();
            // Every place of headers and ends, some in between.
            let step = whole.len() / 100 + 1;
            let places: Vec<usize> = (0..whole.len().min(140))
                .chain((0..whole.len()).step_by(step))
                .chain(whole.len().saturating_sub(100)..whole.len())
                .collect();
            for &place in &places {
                for &change in one_of(place, &[1, 0x80]) {
                    let mut bytes = whole.clone();
                    bytes[place] ^= change;
                    std::fs::write(&path, &bytes).unwrap();
                    let read = try_read(directory.path());
                    // What has checksums must notice.
                    assert!(
                        format != DatabaseFormat::Thk || read.is_err(),
                        "byte {place} of {format} is not checked"
                    );
                }
            }
            for &place in &places {
                std::fs::write(&path, &whole[..place]).unwrap();
                let read = try_read(directory.path());
                // Only text says nothing of its end; of Jellyfish's, the last line feed may be missing.
                let text = matches!(format, DatabaseFormat::Tsv | DatabaseFormat::Fasta);
                let line_end = format == DatabaseFormat::JellyfishText && place + 1 == whole.len();
                assert!(
                    text || read.is_err() || line_end && read.is_ok_and(|read| read == expected),
                    "{format} cut to {place} bytes is read as if it were whole"
                );
            }
            std::fs::write(&path, &whole).unwrap();
        }
        assert!(try_read(directory.path()).unwrap() == expected);
        for file in std::fs::read_dir(directory.path()).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
    }
}

fn try_read(directory: &std::path::Path) -> Result<Vec<(u64, u64)>> {
    let database = database::open(directory.join("whole"))?;
    database.verify(&SortOptions::default())?;
    let mut lookup = database.lookup::<u64>()?;
    for kmer in [0, 1 << 20, (1 << 42) - 1] {
        lookup.find(kmer)?;
    }
    database.records::<u64>()?.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Checksums made to fit, so that the checks behind them are reached.
    #[test]
    fn forged_files_give_errors(
        changes in prop::collection::vec((0usize..1 << 16, any::<u8>()), 1..5),
        place in 0usize..3,
    ) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("whole");
        static WHOLE: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let mut bytes = WHOLE.get_or_init(|| {
            write(&path, DatabaseFormat::Thk, &content::<u64>(11, false, 2500, 4), &Description::new(11, false));
            std::fs::read(&path).unwrap()
        }).clone();
        let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let index = number(&bytes, 80);
        let range = [8..124, 128..index, index..bytes.len()][place].clone();
        for (at, byte) in changes {
            bytes[range.start + at % range.len()] = byte;
        }
        let crc = crc32fast::hash(&bytes[index..]);
        bytes[108..112].copy_from_slice(&crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..124]);
        bytes[124..128].copy_from_slice(&crc.to_le_bytes());
        std::fs::write(&path, &bytes).unwrap();
        if let Ok(records) = try_read(directory.path()) {
            prop_assert!(records.is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}
