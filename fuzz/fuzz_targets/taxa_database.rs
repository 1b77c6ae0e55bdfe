//! Databases of taxa, `.tht`: whatever bytes are opened, nothing panics, nothing is read out of bounds, sets that a look-up
//! tells can be asked for their species and leaves, and a good file is verified.
//!
//! The first byte of the input says what the rest is: a file, or the damage to be done to one of some good ones; and
//! whether the checksums are set right afterwards (docs/formats/taxa.md says where they are), so that what lies
//! behind them is reached.
#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use flate2::Crc;
use libfuzzer_sys::fuzz_target;
use thalweg_fuzz::damage;
use thalweg_superkmers::sequence::{Cutter, Ties};
use thalweg_superkmers::{Kernel, Kmer, Scheme, kmer::Alphabet};
use thalweg_taxa::database::{Contents, TaxonDatabase, Making, NodeStatistics, Reference, ReferenceSequences, TaxonDatabaseWriter, WriterPlan};
use thalweg_taxa::lookup::TaxonLookup;
use thalweg_taxa::record::{Entry, RecordLayout, Turned};
use thalweg_taxa::set::{LeafSet, Species};
use thalweg_taxa::taxonomy::StoredNode;
use thalweg_taxa::{Node, Taxid, Taxonomy};

/// Of the first byte: checksums stay as they are.
const AS_THEY_ARE: u8 = 0x80;

/// Minimizers with few records and with many.
static GOOD: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let files = Vec::from_iter([(31, 15, 300), (20, 9, 200), (16, 3, 400), (21, 19, 100)].map(|of| write(of.0, of.1, of.2)));
    for file in &files {
        let database = TaxonDatabase::from_bytes(Path::new("x.tht"), file.clone()).expect("a good database is opened");
        database.verify().expect("a good database is sound");
        check(&database);
    }
    files
});

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let mut file = rest.to_vec();
    if let Some(good) = GOOD.get(usize::from(choice & !AS_THEY_ARE)) {
        file = good.clone();
        damage::apply(rest, &mut file);
    }
    if choice & AS_THEY_ARE == 0 {
        set_checksums(&mut file);
    }
    if let Ok(database) = TaxonDatabase::from_bytes(Path::new("x.tht"), file) {
        check(&database);
    }
});

fn check(database: &TaxonDatabase) {
    let mut lookup = TaxonLookup::new(database, Kernel::best());
    lookup.push([letters(400)]);
    lookup.push([b"ACGTNNACGT"]);
    // Damage of a page that a look-up needs is an error.
    let is_sound = lookup.look_up().is_ok();
    for run in (0..2).flat_map(|sequence| lookup.runs(sequence)) {
        let (sets, species) = (database.sets(), database.species());
        let members = sets.members(run.set, species).count();
        assert_eq!(members > 0, run.set > 0);
        for &of in sets.species(run.set) {
            let places = sets.places(run.set, of).into_iter().flatten();
            places.for_each(|place| assert!((place as usize) < species.leaves_of(of).len()));
        }
    }
    assert!(is_sound || database.verify().is_err());
    let _ = database.dump(&mut std::io::sink());
}

/// The same ones always.
fn letters(number: usize) -> Vec<u8> {
    let mut state = 1u64;
    let mut letter = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        b"ACGT"[(state >> 62) as usize]
    };
    (0..number).map(|_| letter()).collect()
}

fn write(k: usize, m: usize, bases: usize) -> Vec<u8> {
    let nodes = [(1, 0, "no rank"), (2, 0, "species"), (3, 1, "strain"), (4, 1, "strain"), (5, 0, "species")];
    let nodes = nodes.map(|(taxid, parent, rank)| StoredNode {
        taxid: Taxid(taxid),
        parent: Node(parent),
        rank,
        name: "name",
    });
    let taxonomy = Taxonomy::from_stored(nodes, [(Taxid(9), Node(4))]).expect("a good taxonomy");
    let species = Species::new(&taxonomy, [2, 3, 4].map(Node));
    let sets = [&[0][..], &[0, 1], &[2], &[1, 2]].map(|leaves| LeafSet::of_leaves(leaves, &species, 16));
    let scheme = Scheme::new(k).and_then(|scheme| scheme.with_m(m)).expect("a good scheme");
    let directory_bits = RecordLayout::directory_bits_for(scheme, 4, 60);
    let plan = WriterPlan {
        scheme,
        directory_bits,
        id_bits: 4,
    };
    let layout = RecordLayout::new(scheme, directory_bits, 4).expect("a good layout");

    // A super-k-mer a record; the set hangs on the minimizer alone, so that equal k-mers have the same one.
    let mut entries: BTreeMap<Entry, BTreeSet<u64>> = BTreeMap::new();
    let mut cutter = Cutter::new(scheme, Kernel::best(), Alphabet::Acgtu);
    cutter.visit(&letters(bases), Ties::All, |super_kmer| {
        let turned = Turned::new(super_kmer, &layout);
        let lo = layout.flank() as u8 - turned.right;
        let entry = turned.entry(lo, turned.left, 1 + (turned.value % 4) as u32, &layout);
        let kmer = |j| layout.kmer(turned.value, turned.flanks, j).canonical(k);
        entries.insert(entry, (lo..=turned.left).map(kmer).collect());
    });
    let kmers: BTreeSet<u64> = entries.values().flatten().copied().collect();
    let references = ReferenceSequences {
        files: vec!["x.fa".to_owned()],
        sequences: vec![Reference {
            file: 0,
            leaf: 2,
            bases: bases as u64,
            name: "x".to_owned(),
        }],
    };
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = folder.path().join("x.tht");
    let mut writer = TaxonDatabaseWriter::create(&path, &plan).expect("a temporary file");
    writer.push(&Vec::from_iter(entries.into_keys())).expect("room for a small file");
    let contents = Contents {
        taxonomy: &taxonomy,
        species: &species,
        references: &references,
        sets: &sets,
        statistics: &[NodeStatistics::default(); 5],
        log: "{}",
        kmers: kmers.len() as u64,
        is_folded: false,
        making: Making::default(),
    };
    writer.finish(&contents).expect("room for a small file");
    std::fs::read(path).expect("what was written")
}

/// As far as the table of sections can be followed.
fn set_checksums(file: &mut [u8]) {
    const HEADER: usize = 4096;
    if file.len() < HEADER {
        return;
    }
    let entry = |number: usize| 128 + 32 * number;
    let range = |file: &[u8], number: usize| {
        let word = |at: usize| {
            let bytes = file.get(at..).and_then(<[u8]>::first_chunk);
            bytes.map_or(usize::MAX, |bytes| usize::try_from(u64::from_le_bytes(*bytes)).unwrap_or(usize::MAX))
        };
        let (offset, length) = (word(entry(number) + 8), word(entry(number) + 16));
        let end = offset.checked_add(length).filter(|&end| end <= file.len() && offset >= HEADER);
        end.map_or(0..0, |end| offset..end)
    };
    let mut sums = Vec::new();
    for number in 6..9 {
        let of_section = Vec::from_iter(file[range(file, number)].chunks(4096).flat_map(crc));
        file[entry(number) + 24..][..4].copy_from_slice(&crc(&of_section));
        sums.extend(of_section);
    }
    let place = range(file, 9);
    if place.len() == sums.len() {
        file[place].copy_from_slice(&sums);
    }
    for number in [0, 1, 2, 3, 4, 5, 9] {
        let sum = crc(&file[range(file, number)]);
        file[entry(number) + 24..][..4].copy_from_slice(&sum);
    }
    let sum = crc(&file[..HEADER - 4]);
    file[HEADER - 4..HEADER].copy_from_slice(&sum);
}

fn crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}
