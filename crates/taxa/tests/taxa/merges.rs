//! Databases that become one, and sequences that are added to one, against builds of all sequences at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use thalweg_flow::{Budget, run};
use thalweg_taxa::build::{BuildOptions, BuildShare, DatabaseBuilder, MOST_STRAINS, Strains};
use thalweg_taxa::database::{
    Contents, NodeStatistics, TaxonDatabase, TaxonDatabaseWriter, WriterPlan,
};
use thalweg_taxa::record::Entry;
use thalweg_taxa::set::LeafSet;
use thalweg_taxa::{Error, ErrorKind, Result, Taxid, Taxonomy};

use crate::builds::{How, PLAINLY, Random, Sequences, build, genomes, inputs_named, taxonomy};
use crate::made::{self, Row};

struct Folder(tempfile::TempDir);

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A database of these sequences.
    fn built(
        &self,
        name: &str,
        options: &BuildOptions,
        taxonomy: &Taxonomy,
        sequences: &Sequences,
    ) -> TaxonDatabase {
        let built = build(options, taxonomy, sequences, PLAINLY).unwrap();
        // Sequences of other databases have other names.
        let inputs = inputs_named(taxonomy, sequences, name);
        let path = self.path(name);
        built.write(&path, &inputs, taxonomy, "{}").unwrap();
        TaxonDatabase::open(&path).unwrap()
    }

    /// One of all that databases have, and of these sequences.
    fn merged(
        &self,
        name: &str,
        databases: &[TaxonDatabase],
        taxonomy: &Taxonomy,
        sequences: &Sequences,
        how: How,
    ) -> Result<TaxonDatabase> {
        let mut options = BuildOptions::of_databases(databases)?;
        if let Some(partitions) = how.partitions {
            options = options.with_partitions(partitions)?;
        }
        let builder =
            DatabaseBuilder::new(options, Budget::new(how.threads).with_memory(how.memory))?;
        let shares = run::<BuildShare, Error, _>(how.threads, |thread, _| {
            let mut worker = builder.worker()?;
            for (node, letters) in sequences.iter().skip(thread).step_by(how.threads) {
                worker.add(*node, letters)?;
            }
            worker.into_share()
        });
        let built = builder.finish_onto(databases, shares.unwrap(), taxonomy)?;
        let path = self.path(name);
        let inputs = inputs_named(taxonomy, sequences, "+");
        built.write(&path, &inputs, taxonomy, "{}")?;
        let database = TaxonDatabase::open(&path)?;
        database.verify()?;
        Ok(database)
    }
}

fn folder() -> Folder {
    Folder(tempfile::tempdir().unwrap())
}

fn dump(database: &TaxonDatabase) -> Vec<u8> {
    let mut text = Vec::new();
    database.dump(&mut text).unwrap();
    text
}

/// Every third sequence from the `first` on.
fn third(sequences: &Sequences, first: usize) -> Sequences {
    sequences.iter().skip(first).step_by(3).cloned().collect()
}

/// But for the number of genomes: a file's sequences of a leaf are one, and here are several files of the same leaves.
fn statistics(database: &TaxonDatabase) -> Vec<NodeStatistics> {
    let all = database.statistics().iter();
    all.map(|node| NodeStatistics {
        genomes: 0,
        ..*node
    })
    .collect()
}

/// That two databases of the same sequences, in another order, have the same of everything but records.
fn assert_same(one: &TaxonDatabase, other: &TaxonDatabase, what: &str) {
    assert!(dump(one) == dump(other), "{what}");
    assert_eq!(one.taxonomy().len(), other.taxonomy().len());
    assert!(one.taxonomy().stored().eq(other.taxonomy().stored()));
    assert_eq!(one.species(), other.species());
    assert!(statistics(one) == statistics(other), "{what}");
    let (one, other) = (one.header(), other.header());
    assert_eq!((one.kmers, one.sets), (other.kmers, other.sets));
    assert_eq!((one.bases, one.sequences), (other.bases, other.sequences));
    assert_eq!(one.making, other.making);
    assert_eq!(one.is_folded, other.is_folded);
}

#[test]
fn what_is_merged_or_added_is_what_one_build_has() {
    let taxonomy = taxonomy();
    for (k, m, strains) in [
        (16, 5, Strains::Folded),
        (21, 9, Strains::All),
        (31, 15, Strains::Folded),
        (31, 19, Strains::Folded),
    ] {
        let folder = folder();
        let options = BuildOptions::new(k).unwrap().with_m(m).unwrap();
        let options = options.with_strains(strains);
        let bases = if m == 5 { 20_000 } else { 4000 };
        let sequences = genomes(&taxonomy, bases, (k + m) as u64);
        let whole = folder.built("whole.tht", &options, &taxonomy, &sequences);
        assert_eq!(whole.header().overflow_kmers > 0, m == 5);
        let [a, b, c] = [0, 1, 2].map(|first| third(&sequences, first));
        let [of_a, of_b, of_c] = [("a.tht", &a), ("b.tht", &b), ("c.tht", &c)]
            .map(|(name, of)| folder.built(name, &options, &taxonomy, of));
        let databases = [of_a, of_b, of_c];

        let none = Sequences::new();
        let merged = folder
            .merged("abc.tht", &databases, &taxonomy, &none, PLAINLY)
            .unwrap();
        assert_same(&merged, &whole, "merged");
        // Records are not many more than of one build.
        let records = |database: &TaxonDatabase| database.header().records as f64;
        assert!(records(&merged) < 1.2 * records(&whole));
        let bytes = std::fs::read(merged.path()).unwrap();
        for (threads, partitions, memory) in [
            (1, Some(1), 8 << 20),
            (2, Some(4), 16 << 20),
            (3, Some(128), 1 << 30),
        ] {
            let how = How {
                threads,
                memory,
                partitions,
                turned: false,
            };
            let again = folder
                .merged("again.tht", &databases, &taxonomy, &none, how)
                .unwrap();
            assert!(std::fs::read(again.path()).unwrap() == bytes, "{how:?}");
        }

        let [of_a, of_b, _] = &databases;
        let some = Sequences::from_iter(b.iter().chain(&c).cloned());
        let base = [TaxonDatabase::open(of_a.path()).unwrap()];
        let added = folder
            .merged("a+.tht", &base, &taxonomy, &some, PLAINLY)
            .unwrap();
        assert_same(&added, &whole, "added to one");
        let bytes = std::fs::read(added.path()).unwrap();
        let how = How {
            threads: 3,
            memory: 32 << 20,
            partitions: Some(2),
            turned: false,
        };
        let again = folder
            .merged("again.tht", &base, &taxonomy, &some, how)
            .unwrap();
        assert!(std::fs::read(again.path()).unwrap() == bytes);
        let bases = [of_a, of_b].map(|of| TaxonDatabase::open(of.path()).unwrap());
        let added = folder
            .merged("ab+.tht", &bases, &taxonomy, &c, how)
            .unwrap();
        assert_same(&added, &whole, "added to two");
        // Nothing becomes of what was there already.
        let twice = folder
            .merged("twice.tht", &[added], &taxonomy, &some, PLAINLY)
            .unwrap();
        assert!(dump(&twice) == dump(&whole));
    }
}

/// Forty strains of a species, and three of another one.
fn many_strains() -> (Taxonomy, Sequences) {
    let mut rows: Vec<Row> = vec![
        (1, 1, "no rank", "root"),
        (2, 1, "species", "of many"),
        (3, 1, "species", "of few"),
    ];
    rows.extend((100..140).map(|taxid| (taxid, 2, "strain", "a strain")));
    rows.extend((200..203).map(|taxid| (taxid, 3, "strain", "a strain")));
    let taxonomy = made::taxonomy(&rows).unwrap();
    let mut random = Random(11);
    let ancestor = random.letters(2000);
    let strains = rows[3..]
        .iter()
        .map(|row| taxonomy.node(Taxid(row.0)).unwrap());
    let sequences = strains
        .map(|node| (node, random.mutated(&ancestor, 60)))
        .collect();
    (taxonomy, sequences)
}

/// A k-mer that more than sixteen strains have in one of the databases, or only in all of them together, tells the species.
#[test]
fn many_strains_are_folded_as_in_one_build() {
    let (taxonomy, sequences) = many_strains();
    for strains in [Strains::Folded, Strains::All] {
        let folder = folder();
        let options = BuildOptions::new(21).unwrap().with_m(9).unwrap();
        let options = options.with_strains(strains);
        let whole = folder.built("whole.tht", &options, &taxonomy, &sequences);
        assert_eq!(whole.header().is_folded, strains == Strains::Folded);
        // Of the first, few k-mers have more strains than are told; of the second, many.
        let (few, many) = sequences.split_at(MOST_STRAINS + 2);
        let (few, many) = (few.to_vec(), many.to_vec());
        let databases = [("few.tht", &few), ("many.tht", &many)]
            .map(|(name, of)| folder.built(name, &options, &taxonomy, of));
        let none = Sequences::new();
        let merged = folder
            .merged("m.tht", &databases, &taxonomy, &none, PLAINLY)
            .unwrap();
        assert!(dump(&merged) == dump(&whole));
        let [few, _] = databases;
        let added = folder
            .merged("a.tht", &[few], &taxonomy, &many, PLAINLY)
            .unwrap();
        assert!(dump(&added) == dump(&whole));
        // Of species and above, all numbers are the same; below, none is greater.
        for database in [&merged, &added] {
            let both = statistics(database).into_iter().zip(statistics(&whole));
            for (node, (found, expected)) in database.taxonomy().nodes().zip(both) {
                let is_above = database.taxonomy().depth(node) < 2;
                if is_above || strains == Strains::All {
                    assert_eq!(found, expected);
                }
                assert!(found.kmers() <= expected.kmers());
                assert!(found.specific <= expected.specific);
                assert_eq!(
                    (found.bases, found.sequences),
                    (expected.bases, expected.sequences)
                );
            }
        }
    }
}

/// The same database, of which every set of the `which` does not tell strains.
fn folded(database: &TaxonDatabase, path: &Path, which: impl Fn(u32) -> bool) -> TaxonDatabase {
    let header = database.header();
    let plan = WriterPlan {
        scheme: header.layout.scheme(),
        directory_bits: header.layout.directory_bits(),
        id_bits: header.layout.id_bits(),
    };
    let mut ids: BTreeMap<LeafSet, u32> = BTreeMap::new();
    let mut sets = Vec::new();
    let mut id_of = Vec::from([0]);
    for set in 1..=header.sets {
        let own = database.sets().leaf_set(set);
        let own = if which(set) { own.folded() } else { own };
        let next = sets.len() as u32 + 1;
        let id = *ids.entry(own.clone()).or_insert_with(|| {
            sets.push(own);
            next
        });
        id_of.push(id);
    }
    let mut writer = TaxonDatabaseWriter::create(path, &plan).unwrap();
    for mut entry in entries(database) {
        entry.set = id_of[entry.set as usize];
        writer.push(&[entry]).unwrap();
    }
    let contents = Contents {
        taxonomy: database.taxonomy(),
        species: database.species(),
        references: &database.references().unwrap(),
        sets: &sets,
        statistics: database.statistics(),
        log: "{}",
        kmers: header.kmers,
        is_folded: true,
        making: header.making,
    };
    writer.finish(&contents).unwrap();
    TaxonDatabase::open(path).unwrap()
}

/// Of a database whose k-mers all have one place, an entry for each.
fn entries(database: &TaxonDatabase) -> Vec<Entry> {
    use thalweg_superkmers::{
        Kernel, Kmer,
        kmer::Alphabet,
        sequence::{Cutter, Ties},
    };
    use thalweg_taxa::record::Turned;
    let layout = database.header().layout;
    let k = layout.scheme().k();
    let mut cutter = Cutter::new(layout.scheme(), Kernel::best(), Alphabet::Acgtu);
    let mut entries = Vec::new();
    database
        .each_kmer(|kmer, set| {
            cutter.visit(&kmer.to_letters(k), Ties::All, |super_kmer| {
                let turned = Turned::new(super_kmer, &layout);
                entries.push(turned.entry(turned.left, turned.left, set, &layout));
            });
            Ok(())
        })
        .unwrap();
    entries.sort_unstable();
    entries.dedup();
    entries
}

/// What one database does not tell, the merged one does not; of all else it tells what one build does.
#[test]
fn what_was_folded_stays_folded() {
    let taxonomy = taxonomy();
    let folder = folder();
    let options = BuildOptions::new(31).unwrap();
    let sequences = genomes(&taxonomy, 4000, 5);
    let whole = folder.built("whole.tht", &options, &taxonomy, &sequences);
    let half =
        |first: usize| Sequences::from_iter(sequences.iter().skip(first).step_by(2).cloned());
    let (a, b) = (half(0), half(1));
    let of_a = folder.built("a.tht", &options, &taxonomy, &a);
    let of_b = folder.built("b.tht", &options, &taxonomy, &b);
    let of_a = folded(&of_a, &folder.path("folded.tht"), |set| set % 3 == 1);
    of_a.verify().unwrap();

    let lines = |database: &TaxonDatabase| -> BTreeMap<String, Vec<String>> {
        let text = String::from_utf8(dump(database)).unwrap();
        let split = |line: &str| {
            let (kmer, taxa) = line.split_once('\t').unwrap();
            (
                kmer.to_owned(),
                taxa.split(',').map(str::to_owned).collect(),
            )
        };
        text.lines().map(split).collect()
    };
    let (in_a, in_b, in_whole) = (lines(&of_a), lines(&of_b), lines(&whole));
    let none = Sequences::new();
    let merged = folder
        .merged("m.tht", &[of_a, of_b], &taxonomy, &none, PLAINLY)
        .unwrap();
    let added_to = [TaxonDatabase::open(&folder.path("folded.tht")).unwrap()];
    let added = folder
        .merged("+.tht", &added_to, &taxonomy, &b, PLAINLY)
        .unwrap();
    let in_merged = lines(&merged);
    assert!(lines(&added) == in_merged);
    assert_eq!(in_merged.len(), in_whole.len());
    // "20" is of the species 11.
    let species = |taxid: &str| {
        let node = taxonomy
            .node(Taxid(taxid.trim_end_matches('*').parse().unwrap()))
            .unwrap();
        let above = taxonomy.species(node).unwrap_or(node);
        format!("{}*", taxonomy.taxid(above))
    };
    let mut folded = 0;
    for (kmer, expected) in in_whole {
        let stars = |lines: &BTreeMap<String, Vec<String>>| -> Vec<String> {
            let members = lines.get(&kmer).into_iter().flatten();
            members
                .filter(|member| member.ends_with('*'))
                .cloned()
                .collect()
        };
        let not_told = [stars(&in_a), stars(&in_b)].concat();
        let mut told = Vec::new();
        for member in expected {
            match not_told.contains(&species(&member)) {
                true => told.push(species(&member)),
                false => told.push(member),
            }
        }
        told.dedup();
        folded += usize::from(!not_told.is_empty());
        assert_eq!(in_merged[&kmer], told, "{kmer}");
    }
    assert!(folded > 1000, "{folded}");
}

#[test]
fn what_does_not_go_together_is_told() {
    let folder = folder();
    let tree = taxonomy();
    let sequences = genomes(&tree, 1000, 1);
    let options = |k| BuildOptions::new(k).unwrap();
    let a = folder.built("a.tht", &options(31), &tree, &sequences);
    let open = |path: &str| TaxonDatabase::open_or_part(&folder.path(path)).unwrap();
    folder.built("k.tht", &options(30), &tree, &sequences);
    folder.built("m.tht", &options(31).with_m(17).unwrap(), &tree, &sequences);
    folder.built(
        "mask.tht",
        &options(31).with_masking(false),
        &tree,
        &sequences,
    );
    let part = options(31).with_part(1, 2).unwrap();
    let built = build(&part, &tree, &sequences, PLAINLY).unwrap();
    built
        .write(
            &folder.path("part.tht"),
            &inputs_named(&tree, &sequences, ""),
            &tree,
            "{}",
        )
        .unwrap();
    for (name, message) in [
        (
            "k.tht",
            "k-mers of 30 bases and minimizers of 15, but 31 and 15 are needed",
        ),
        ("m.tht", "minimizers of 17"),
        (
            "mask.tht",
            "it has k-mers of low complexity, but others do not",
        ),
        ("part.tht", "it is a part, but"),
    ] {
        let error = BuildOptions::of_databases(&[open("a.tht"), open(name)]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotMergeable { .. }));
        let told = error.to_string();
        assert!(told.contains(message) && told.contains(name), "{told}");
    }
    assert!(BuildOptions::of_databases(&[]).is_err());

    // Taxa that are not in the taxonomy of the build.
    let small = made::taxonomy(&[(1, 1, "no rank", "root"), (20, 1, "strain", "")]).unwrap();
    let error = folder
        .merged("x.tht", &[a], &small, &Sequences::new(), PLAINLY)
        .unwrap_err();
    assert!(
        error.to_string().contains("is not in the taxonomy"),
        "{error}"
    );

    // Damage is not carried over.
    let mut bytes = std::fs::read(folder.path("a.tht")).unwrap();
    let records = open("a.tht")
        .header()
        .section(thalweg_taxa::database::SectionName::Recs);
    bytes[records.offset as usize + 77] ^= 1;
    std::fs::write(folder.path("a.tht"), bytes).unwrap();
    let error = folder
        .merged("x.tht", &[open("a.tht")], &tree, &Sequences::new(), PLAINLY)
        .unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::DamagedDatabase { .. }),
        "{error}"
    );
    assert!(!folder.path("x.tht").exists());
}

#[test]
fn taxonomies_become_one_if_they_agree() {
    let rows: [Row; 4] = [
        (1, 1, "no rank", "root"),
        (2, 1, "genus", "A"),
        (3, 2, "species", "A a"),
        (4, 2, "species", "A b"),
    ];
    let one = made::taxonomy(&rows[..3]).unwrap();
    let other = made::taxonomy(&[rows[0], (2, 1, "genus", "A of old"), rows[3]]).unwrap();
    let both = one.union(&other).unwrap();
    let expected = made::taxonomy(&rows).unwrap();
    assert!(both.stored().eq(expected.stored()));
    assert!(
        other
            .union(&one)
            .unwrap()
            .name(both.node(Taxid(2)).unwrap())
            == "A of old"
    );
    for (row, message) in [
        (
            (3, 1, "species", "A a"),
            "taxid 3 has the parent 2 in one taxonomy, and the parent 1 here",
        ),
        (
            (3, 2, "strain", "A a"),
            "taxid 3 is a species in one taxonomy, and a strain here",
        ),
    ] {
        let other = made::taxonomy(&[rows[0], rows[1], row]).unwrap();
        let error = one.union(&other).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert!(error.is_data());
    }
    // A merger that one of them does not know yet.
    let mut dump = thalweg_taxa::taxonomy::Taxdump::new();
    let nodes = made::nodes_dmp(&[rows[0], rows[1], rows[3]]);
    dump.read_nodes(nodes.as_bytes(), Path::new("nodes.dmp"))
        .unwrap();
    let names = made::names_dmp(&rows);
    dump.read_names(names.as_bytes(), Path::new("names.dmp"))
        .unwrap();
    dump.read_merged("3\t|\t4\t|\n".as_bytes(), Path::new("merged.dmp"))
        .unwrap();
    let newer = dump.finish().unwrap();
    let told = "taxid 3 was merged into 4 in one taxonomy, and is a taxon in the other";
    assert_eq!(one.union(&newer).unwrap_err().to_string(), told);
    assert_eq!(newer.union(&one).unwrap_err().to_string(), told);
    let again = newer.union(&newer).unwrap();
    assert_eq!(again.node(Taxid(3)), again.node(Taxid(4)));
}
