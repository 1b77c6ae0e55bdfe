//! Real files, as many as there are.

use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use thalweg::{Budget, Checkpoints, IndexOptions, ReaderOptions};

use crate::support::check::{self, MODES, THREADS, expect};
use crate::support::naive::{self, Digest};
use crate::support::random::Random;
use crate::support::{directory, within};

/// Where real files lie: `THALWEG_TEST_DATA`, or beside the project.
fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let given = std::env::var_os("THALWEG_TEST_DATA").map(PathBuf::from);
    let found = given
        .or(Some(beside))
        .filter(|path| path.join("reads").is_dir());
    if found.is_none() {
        eprintln!("SKIPPED: no real files (THALWEG_TEST_DATA names a directory of them)");
    }
    found
}

fn decoded(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a real file");
    let mut text = Vec::new();
    let extension = path.extension().and_then(|extension| extension.to_str());
    match extension {
        Some("gz") => MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text),
        Some("bz2") => bzip2::read::MultiBzDecoder::new(bytes.as_slice()).read_to_end(&mut text),
        Some("zst") => zstd::Decoder::new(bytes.as_slice())
            .expect("zstd")
            .read_to_end(&mut text),
        _ => unreachable!("no such file in the list"),
    }
    .expect("the oracle decodes");
    text
}

fn expected(path: &Path) -> Vec<Digest> {
    naive::parse(&decoded(path)).expect("real files are well-formed")
}

/// A copy, so that an index can lie beside it.
fn copy(from: &Path, directory: &Path, name: &str) -> PathBuf {
    let to = directory.join(name);
    std::fs::copy(from, &to).expect("copied");
    to
}

#[test]
fn single_files() {
    let Some(data) = data() else { return };
    within(200, move || {
        let directory = directory();
        let mut random = Random::new(1);
        for file in [
            "gzip_20000_members/input_read1.fq.gz",
            "hiseq2500_bgzf/TESTX_H7YRLADXX_S1_L001_R1_001.fastq.gz",
            "pacbio_hifi16s/test_1000_reads.fastq.gz",
            "yeast_fastp/SRR6924569_L001_trimmed_R1.fastq.gz",
            "ont_seqkit/nanopore.fq.gz",
            "ont_metagenomics/case04-1_barcode01_reads.fastq.gz",
            "phred64/25k.fq.gz",
            "bz2/Illimina1.8.fq.bz2",
            "bz2_multistream/multiblock.fastq.bz2",
            "zst/home_input_read1.fq.zst",
        ] {
            let original = data.join("reads").join(file);
            let expected = expected(&original);
            let path = copy(&original, directory.path(), "reads");
            for mode in MODES {
                let threads = *random.pick(&THREADS);
                expect(
                    file,
                    check::unindexed(&path),
                    threads,
                    None,
                    mode,
                    &expected,
                );
                let parts = check::unindexed(&path).part_size(random.range(40_000, 300_000) as u64);
                expect(file, parts, threads, None, mode, &expected);
            }
            if !file.ends_with(".gz") {
                continue;
            }
            for span in [
                1,
                random.range(1, 100_000),
                random.range(100_000, 2_000_000),
            ] {
                let options = IndexOptions {
                    checkpoints: Checkpoints::Span(span as u64),
                    budget: Budget::new(random.range(1, 3)),
                    ..IndexOptions::default()
                };
                check::index(&path, &options);
                let what = format!("{file}, span {span}");
                let mode = *random.pick(&MODES);
                let threads = *random.pick(&THREADS);
                expect(&what, check::indexed(&path), threads, None, mode, &expected);
            }
            std::fs::remove_file(thalweg::index_path(&path)).expect("an index");
        }
    });
}

#[test]
fn files_in_step() {
    let Some(data) = data() else { return };
    within(100, move || {
        let directory = directory();
        let sets = [
            vec![
                "hiseqx/CPCT12345678R_HJJLGCCXX_S1_L001_R1_001.fastq.gz",
                "hiseqx/CPCT12345678R_HJJLGCCXX_S1_L001_R2_001.fastq.gz",
            ],
            vec![
                "yeast_fastp/SRR6924569_L001_trimmed_R1.fastq.gz",
                "yeast_fastp/SRR6924569_L001_trimmed_R2.fastq.gz",
            ],
            vec![
                "hiseq2500_bgzf/TESTX_H7YRLADXX_S1_L001_R1_001.fastq.gz",
                "hiseq2500_bgzf/TESTX_H7YRLADXX_S1_L001_R2_001.fastq.gz",
            ],
        ];
        for set in sets {
            let mut files = Vec::new();
            let mut paths = Vec::new();
            for (mate, file) in set.iter().enumerate() {
                let original = data.join("reads").join(file);
                files.push(expected(&original));
                paths.push(copy(&original, directory.path(), &format!("{mate}.gz")));
            }
            let expected = check::zipped(&files);
            for indexes in 0..=2 {
                for path in &paths[..indexes] {
                    let options = IndexOptions {
                        checkpoints: Checkpoints::Span(300_000),
                        ..IndexOptions::default()
                    };
                    check::index(path, &options);
                }
                for mode in MODES {
                    let what = format!("{}, {indexes} indexes", set[0]);
                    let options = ReaderOptions::new().mates(&paths);
                    expect(&what, options, 2, None, mode, &expected);
                }
            }
            for path in &paths {
                std::fs::remove_file(thalweg::index_path(path)).expect("an index");
            }
        }
    });
}
