//! Parts of databases, and what all of them become.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use thalweg_flow::Budget;
use thalweg_taxa::build::{BuildOptions, Strains, merge_parts};
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::{ErrorKind, Result, Taxonomy};

use crate::builds::{How, PLAINLY, Sequences, build, genomes, inputs, taxonomy};

/// Builds and writes.
fn write(
    options: &BuildOptions,
    taxonomy: &Taxonomy,
    sequences: &Sequences,
    how: How,
    path: &Path,
) {
    let built = build(options, taxonomy, sequences, how).unwrap();
    let inputs = inputs(taxonomy, sequences);
    built.write(path, &inputs, taxonomy, "{\"a\": 1}").unwrap();
}

fn opened(paths: &[PathBuf]) -> Vec<TaxonDatabase> {
    let open = |path: &PathBuf| TaxonDatabase::open_or_part(path).unwrap();
    paths.iter().map(open).collect()
}

/// All parts, by threads and memory of all kinds.
fn parts(
    folder: &TempDir,
    options: &BuildOptions,
    taxonomy: &Taxonomy,
    sequences: &Sequences,
    of: u32,
) -> Vec<PathBuf> {
    let part = |number: u32| {
        let how = How {
            threads: number as usize % 3 + 1,
            memory: if number.is_multiple_of(2) {
                16 << 20
            } else {
                1 << 30
            },
            partitions: (number == 3).then_some(4),
            turned: number % 4 == 1,
        };
        let path = folder.path().join(format!("{number}-of-{of}.tht"));
        let options = options.clone().with_part(number, of).unwrap();
        write(&options, taxonomy, sequences, how, &path);
        path
    };
    (1..=of).map(part).collect()
}

#[test]
fn all_parts_are_what_one_build_is() {
    let taxonomy = taxonomy();
    for (k, m, strains) in [
        (16, 5, Strains::Folded),
        (21, 9, Strains::All),
        (24, 15, Strains::Folded),
        (31, 15, Strains::Folded),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let options = BuildOptions::new(k).unwrap().with_m(m).unwrap();
        let options = options.with_strains(strains);
        let bases = if m == 5 { 30_000 } else { 4000 };
        let sequences = genomes(&taxonomy, bases, (k + m) as u64);
        let whole = folder.path().join("whole.tht");
        write(&options, &taxonomy, &sequences, PLAINLY, &whole);
        let has_overflow = TaxonDatabase::open(&whole).unwrap().header().overflow_kmers > 0;
        assert_eq!(has_overflow, m == 5);
        for of in [1, 2, 3, 7] {
            let mut paths = parts(&folder, &options, &taxonomy, &sequences, of);
            paths.rotate_left(of as usize / 2);
            let all = opened(&paths);
            let kmers = all.iter().map(|part| part.header().kmers);
            assert_eq!(
                kmers.sum::<u64>(),
                TaxonDatabase::open(&whole).unwrap().header().kmers
            );
            all.iter().for_each(|part| part.verify().unwrap());
            let merged = folder.path().join("merged.tht");
            let budget = Budget::new(of as usize % 3 + 1);
            merge_parts(all, &merged, &budget).unwrap();
            assert!(std::fs::read(&merged).unwrap() == std::fs::read(&whole).unwrap());
        }
    }
}

#[test]
fn parts_that_do_not_belong_together_are_told() {
    let taxonomy = taxonomy();
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions::new(31).unwrap();
    let mut sequences = genomes(&taxonomy, 2000, 1);
    let paths = parts(&folder, &options, &taxonomy, &sequences, 3);
    let path = |name: &str| folder.path().join(name);
    write(&options, &taxonomy, &sequences, PLAINLY, &path("whole.tht"));
    let part = |number| options.clone().with_part(number, 3).unwrap();
    let unmasked = part(2).with_masking(false);
    write(
        &unmasked,
        &taxonomy,
        &sequences,
        PLAINLY,
        &path("unmasked.tht"),
    );
    let letter = &mut sequences[0].1[50];
    *letter = if *letter == b'A' { b'C' } else { b'A' };
    write(
        &part(2),
        &taxonomy,
        &sequences,
        PLAINLY,
        &path("changed.tht"),
    );

    let merged = path("merged.tht");
    let told = |names: &[PathBuf]| {
        let merged: Result<_> = merge_parts(opened(names), &merged, &Budget::new(1));
        let error = merged.unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::NotMergeable { .. }),
            "{error}"
        );
        assert!(!error.is_data());
        error.to_string()
    };
    let [one, two, three] = [0, 1, 2].map(|at| paths[at].clone());
    assert!(told(&[one.clone(), three.clone()]).contains("part 2 of 3 is missing"));
    assert!(told(std::slice::from_ref(&two)).contains("parts 1, 3 of 3 are missing"));
    assert!(told(&[one.clone(), two.clone(), one.clone()]).contains("part 1 of 3 is also"));
    for foreign in ["unmasked.tht", "changed.tht"] {
        let text = told(&[one.clone(), path(foreign), three.clone()]);
        assert!(text.contains("not from the same build as"), "{text}");
        assert!(text.contains(foreign), "{text}");
    }
    assert!(
        told(&[one.clone(), path("whole.tht")])
            .contains("a whole database, but the others are parts")
    );
    assert!(!merged.exists());

    let error = TaxonDatabase::open(&two).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("this is part 2 of 3 of a taxon database")
    );
    assert!(error.hint().unwrap().contains("taxa merge"));
    assert!(TaxonDatabase::preload(&two).is_err());
    for (number, of) in [(0, 3), (4, 3), (1, 0), (1, 5000)] {
        assert!(options.clone().with_part(number, of).is_err());
    }

    // A part that was changed is not taken.
    let mut bytes = std::fs::read(&two).unwrap();
    let records = opened(std::slice::from_ref(&two))[0]
        .header()
        .section(thalweg_taxa::database::SectionName::Recs);
    bytes[records.offset as usize + 100] ^= 1;
    std::fs::write(&two, bytes).unwrap();
    let error = merge_parts(opened(&[one, two, three]), &merged, &Budget::new(2)).unwrap_err();
    assert!(error.to_string().contains("2-of-3.tht"), "{error}");
    assert!(matches!(error.kind(), ErrorKind::DamagedDatabase { .. }));
}
