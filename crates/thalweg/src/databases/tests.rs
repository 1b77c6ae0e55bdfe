//! Jobs on databases, compared with maps of strings.

mod combined;
mod listed;
mod looked_up;
mod spectra;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use thalweg_kmers::database::{DatabaseFormat, DatabaseWriter, Description};

use crate::count::CountSettings;
use crate::{Control, Fault};

const K: usize = 4;

/// Reads, and a database of their k-mers, strands apart.
fn database(directory: &Path, name: &str, reads: &[&str]) -> PathBuf {
    let path = directory.join(format!("{name}.fa"));
    let text: String = reads.iter().map(|read| format!(">r\n{read}\n")).collect();
    std::fs::write(&path, text).unwrap();
    let mut settings = CountSettings::new(K, [&path]);
    settings.forward = true;
    settings.output = Some(directory.join(format!("{name}.thk")));
    settings.run(&Control::default()).unwrap();
    directory.join(format!("{name}.thk"))
}

/// Counted one by one.
fn plain(reads: &[&str]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for read in reads {
        for start in 0..(read.len() + 1).saturating_sub(K) {
            *counts.entry(read[start..start + K].to_owned()).or_default() += 1;
        }
    }
    counts
}

const FIRST: [&str; 2] = ["ACGTACGGTTAC", "CCCCCCA"];
const SECOND: [&str; 2] = ["TTACGTACG", "GGGGA"];

/// More 15-mers than are read before somebody is asked whether that is to go on.
fn large_database(directory: &Path, format: DatabaseFormat) -> PathBuf {
    let path = directory.join("large");
    let mut writer = DatabaseWriter::create(&path, format, &Description::new(15, false)).unwrap();
    let kmers = (0..300_000u64).map(|kmer| Ok((kmer * 3000, kmer % 7 + 1)));
    writer.extend(kmers).unwrap();
    writer.finish().unwrap();
    path
}

/// Has `job` cancelled when it tells for the first time how far it is, which is not at its end.
fn cancelled_midway(job: impl FnOnce(&Control) -> Result<(), Fault>) {
    let (cancel, told) = (AtomicBool::new(false), AtomicBool::new(false));
    let progress = |done, all: Option<u64>| {
        if !told.swap(true, Ordering::Relaxed) {
            assert!(all.is_some_and(|all| done < all), "{done} of {all:?}");
        }
        cancel.store(true, Ordering::Relaxed);
    };
    let outcome = job(&Control {
        progress: Some(&progress),
        cancel: Some(&cancel),
        ..Control::default()
    });
    assert!(outcome.unwrap_err().is_cancelled());
}
