//! Sets of databases, with a hostile manifest: see [`thalweg_fuzz::databases::check`] for what is asserted.
//!
//! The first byte of the input says what the rest is: the text of a manifest, or the damage to be done to a good one. Beside it
//! lie two shards that are good, and a file that is none. Besides: a manifest that is read names files of the directory alone,
//! and its own text is read as the same one.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use thalweg_flow::Budget;
use thalweg_fuzz::{damage, databases};
use thalweg_kmers::count::{Counter, Sink};
use thalweg_kmers::database::set::{MANIFEST, Manifest};
use thalweg_kmers::database::{self, Description, InputShare, Part, thk};
use thalweg_kmers::options::CountOptions;

const K: usize = 21;
const PARTITIONS: usize = 8;
const SHARDS: [&str; 2] = ["a.thk", "b.thk"];

/// The shards, and their manifest.
struct Good {
    folder: tempfile::TempDir,
    bytes: u64,
    manifest: Vec<u8>,
}

static GOOD: LazyLock<Good> = LazyLock::new(|| {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let set = parent.path().join("set");
    std::fs::create_dir(&set).expect("room for a directory");
    let writers = SHARDS.map(|name| {
        let rule = thk::Partitioning::minimizers(PARTITIONS, K);
        thk::ThkWriter::<u64>::create(&set.join(name), &Description::new(K, true), rule).expect("a shard")
    });
    let options = CountOptions::new(K).and_then(|options| options.with_partitions(PARTITIONS)).expect("options");
    let counter = Counter::new(options, Budget::new(1)).expect("a plan");
    let mut worker = counter.worker().expect("the first");
    let mut state = 1_u64;
    let mut base = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
        b"ACGT"[(state >> 62) as usize]
    };
    worker.add(&(0..3000).map(|_| base()).collect::<Vec<u8>>()).expect("memory");
    let shares = vec![worker.into_share().expect("memory")];
    counter.finish::<u64>(shares, &Halves(&writers)).expect("a count");
    writers.into_iter().for_each(|writer| _ = writer.finish().expect("a whole shard"));
    let half = PARTITIONS / 2;
    let names = SHARDS.map(str::to_owned).into_iter().zip([0..half, half..PARTITIONS]);
    let manifest = Manifest::of_shards(&set, names, Default::default()).expect("a set");
    std::fs::write(set.join("notes.txt"), "no shard").expect("room for a small file");
    let sizes = SHARDS.map(|name| set.join(name).metadata().expect("a shard").len());
    let good = Good { folder: parent, bytes: sizes.iter().sum(), manifest: manifest.to_json().into_bytes() };
    assert!(check(&good, &good.manifest), "a good set is read");
    good
});

/// A sink of each half of the partitions.
struct Halves<'a>(&'a [thk::ThkWriter<u64>; 2]);

impl Sink<u64> for Halves<'_> {
    fn accept(&self, partition: usize, entries: &[(u64, u64)]) -> thalweg_kmers::Result<()> {
        self.0[partition * 2 / PARTITIONS].accept(partition, entries)
    }

    fn end(&self, partition: usize) -> thalweg_kmers::Result<()> {
        Sink::<u64>::end(&self.0[partition * 2 / PARTITIONS], partition)
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let mut manifest = rest.to_vec();
    if choice % 2 == 1 {
        manifest = GOOD.manifest.clone();
        damage::apply(rest, &mut manifest);
    }
    check(&GOOD, &manifest);
});

/// Returns whether the set is opened.
fn check(good: &Good, text: &[u8]) -> bool {
    let set = good.folder.path().join("set");
    std::fs::write(set.join(MANIFEST), text).expect("room for a small file");
    if let Ok(manifest) = Manifest::read(&set) {
        let files = manifest.files(&set);
        assert!(files.iter().all(|file| file.parent() == Some(Path::new(&set))), "{files:?}");
        std::fs::write(set.join(MANIFEST), manifest.to_json()).expect("room for a small file");
        let again = Manifest::read(&set).expect("what a manifest writes");
        assert_eq!(again.to_json(), manifest.to_json());
    }
    if let Ok(database) = database::open(&set) {
        let _ = Part::of(&database);
        let _ = InputShare::of(&database);
    }
    databases::check_at(&set, good.bytes)
}
