//! What is given as a database and is none, or one that is not read here: it is named, with the way out.

use std::process::Command;

use crate::support::{Place, fastq, gzip};

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok()
}

/// All that opens one database.
const COMMANDS: [&[&str]; 4] = [
    &["kmers", "info"],
    &["kmers", "dump"],
    &["kmers", "histo"],
    &["kmers", "verify"],
];

/// Every command that is given `file` tells `words` and a hint with `hint`, in plain letters, and ends with `code`.
fn told(place: &Place, file: &str, code: i32, words: &[&str], hint: &str) {
    for command in COMMANDS {
        let ended = place.fails(&[command, &[file]].concat(), code, words);
        let (_, told) = ended.stderr.split_once("\nhint: ").unwrap();
        assert!(told.contains(hint), "{file}: {told}");
        let is_plain = |byte: u8| byte == b'\n' || (b' '..=b'~').contains(&byte);
        assert!(ended.stderr.bytes().all(is_plain), "{:?}", ended.stderr);
        assert!(ended.stderr.len() < 600, "{}", ended.stderr);
        assert!(!ended.stderr.contains("damaged"), "{}", ended.stderr);
    }
}

#[test]
fn files_of_other_kinds_are_named() {
    let place = Place::new();
    let reads = fastq(50);
    let utf16 = |text: &str, big: bool| -> Vec<u8> {
        let units = text.encode_utf16();
        units
            .flat_map(|unit| match big {
                true => unit.to_be_bytes(),
                false => unit.to_le_bytes(),
            })
            .collect()
    };
    let dump = "ACGTA\t3\nCCGTA\t4\n";
    let marked = |mark: &[u8], text: Vec<u8>| [mark, &text].concat();
    let mut tar = vec![0; 512];
    tar[..4].copy_from_slice(b"a.jf");
    tar[257..262].copy_from_slice(b"ustar");
    let mut kraken = Vec::new();
    for word in [4u64, 2, 10, 22, 0, 0] {
        kraken.extend(word.to_le_bytes());
    }
    let bgzf = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";
    let table: Vec<(&str, Vec<u8>, &str, &str)> = vec![
        ("reads.fq", reads.clone(), "FASTQ", "thalweg count"),
        (
            "reads.fa",
            b">chr1 x\nACGT\n".to_vec(),
            "FASTA of sequences",
            "thalweg count",
        ),
        // Numbers for names, as of chromosomes.
        (
            "ensembl.fa",
            b">1 dna:chromosome\nACGT\n".to_vec(),
            "FASTA of sequences",
            "thalweg count",
        ),
        (
            "lines.fa",
            b">1\nACGTACGT\nACGT\n>2\nACGT\n".to_vec(),
            "FASTA of sequences",
            "thalweg count",
        ),
        ("reads.fq.gz", gzip(&reads), "gzip", "thalweg count"),
        ("dump.tsv.gz", gzip(dump.as_bytes()), "gzip", "gzip -dc"),
        ("a.bam", bgzf.to_vec(), "BGZF", "thalweg count"),
        (
            "a.zst",
            b"\x28\xb5\x2f\xfd\0\0".to_vec(),
            "zstd",
            "zstd -dc",
        ),
        ("a.xz", b"\xfd7zXZ\0\0".to_vec(), "xz", "xz -dc"),
        ("a.bz2", b"BZh91AY".to_vec(), "bzip2", "bzip2 -dc"),
        ("a.zip", b"PK\x03\x04\0\0".to_vec(), "zip archive", "unzip"),
        ("a.tar", tar, "tar archive", "tar -xf"),
        (
            "a.zz",
            b"\x78\x9c\x4b\x4c\x4a\xf0\x01".to_vec(),
            "zlib",
            "unpack",
        ),
        ("a.mim", b"MIMINDEX\0\0".to_vec(), ".mim", "thalweg count"),
        ("a.cram", b"CRAM\x03\0".to_vec(), "CRAM", "samtools view -u"),
        (
            "a.sam",
            b"@SQ\tSN:a\tLN:4\n".to_vec(),
            "SAM",
            "samtools view -u",
        ),
        ("a.sra", b"NCBI.sra\0\0".to_vec(), "SRA", "fasterq-dump"),
        ("a.h5", b"\x89HDF\r\n\x1a\n\0".to_vec(), "HDF5", "dsk2ascii"),
        (
            "a.kff",
            b"KFF\x01\0\x1b\x01\x01\0\0\0\0".to_vec(),
            "KFF",
            "kmc_tools",
        ),
        (
            "one.jf",
            b"JFLISTDN\0\0\0".to_vec(),
            "Jellyfish 1",
            "jellyfish dump -c",
        ),
        ("hash.k2d", kraken, "Kraken 2", "count"),
        (
            "page.jf",
            b"\n<!DOCTYPE html>\n<html>".to_vec(),
            "HTML",
            "download",
        ),
        (
            "page2.jf",
            b"<html><body>404 Not Found</body></html>\n".to_vec(),
            "HTML",
            "download",
        ),
        (
            "error.jf",
            b"<?xml version=\"1.0\"?>\n<Error>".to_vec(),
            "XML",
            "download",
        ),
        (
            "pointer.thk",
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n".to_vec(),
            "Git LFS",
            "git lfs pull",
        ),
        (
            "annex.jf",
            b"/annex/objects/SHA256E-s3--00.jf\n".to_vec(),
            "git-annex",
            "git annex get",
        ),
        (
            "mark.tsv",
            marked(b"\xef\xbb\xbf", dump.into()),
            "byte order mark",
            "tail -c +4",
        ),
        (
            "le.tsv",
            marked(b"\xff\xfe", utf16(dump, false)),
            "UTF-16",
            "iconv",
        ),
        (
            "be.tsv",
            marked(b"\xfe\xff", utf16(dump, true)),
            "UTF-16",
            "iconv",
        ),
        ("le2.tsv", utf16(dump, false), "UTF-16", "UTF-16LE"),
        ("be2.tsv", utf16(dump, true), "UTF-16", "UTF-16BE"),
        ("nul.jf", vec![0; 1000], "NUL", "copy it again"),
        (
            "a.json",
            b"{\"name\": \"signature\"}\n".to_vec(),
            "JSON",
            "text",
        ),
        (
            "heads.tsv",
            b"kmer\tcount\nACGTA\t3\n".to_vec(),
            "header line",
            "tail -n +2",
        ),
        (
            "commas.csv",
            b"ACGTA,3\nCCGTA,4\n".to_vec(),
            "commas",
            "tr ,",
        ),
        (
            "turned.txt",
            b"      3 ACGTA\n      4 CCGTA\n".to_vec(),
            "counts before",
            "awk",
        ),
        (
            "letters.txt",
            b"ACGTA\nCCGTA\n".to_vec(),
            "without counts",
            "tab",
        ),
        ("rna.tsv", b"ACGUA\t3\n".to_vec(), "with U", "tr Uu Tt"),
        (
            "spectrum.txt",
            b"1 300\n2 20\n".to_vec(),
            "spectrum",
            "database",
        ),
    ];
    for (file, bytes, name, hint) in table {
        place.write(file, bytes);
        told(&place, file, 1, &[file, "not a k-mer database", name], hint);
    }
    // Our own index.
    place.write("x.fq.gz", gzip(&reads));
    place.ok(&["index", "-q", "x.fq.gz"]);
    told(
        &place,
        "x.fq.gz.thw",
        1,
        &["an index that `thalweg index` made"],
        "thalweg count",
    );
    // Bytes that are nothing known are not printed either.
    place.write("noise", b"\x1b[31m\x07\xc3\x28\x9b\xff\xfa".repeat(100));
    told(
        &place,
        "noise",
        1,
        &["not a k-mer database"],
        "databases are",
    );
    // Directories.
    for (name, file, what) in [
        ("m.meryl", "merylIndex", "meryl"),
        ("k2", "hash.k2d", "Kraken 2"),
    ] {
        std::fs::create_dir(place.path(name)).unwrap();
        place.write(&format!("{name}/{file}"), b"");
        told(&place, name, 1, &[what], "");
    }
}

/// Text that is what other programs call it stays what it is.
#[test]
fn dumps_are_still_read() {
    let place = Place::new();
    for (file, text) in [
        ("a.tsv", "ACGTA\t3\nCCGTA\t4\n"),
        ("a.txt", "acgta 3\r\nccgta 4\r\n"),
        ("a.fa", ">3\nACGTA\n>4\nCCGTA\n"),
        ("b.fa", ">3\r\nACGTA\r\n>4\r\nCCGTA"),
        ("c.fa", ">7\nACGTA"),
    ] {
        place.write(file, text);
        let total = place.ok(&["kmers", "dump", "-q", file]).text();
        assert!(total.contains("ACGTA"), "{file}: {total}");
    }
}

/// k-mers that are longer than ours, and what else is beyond our limits, is not called damage.
#[test]
fn limits_of_ours_are_told_as_such() {
    let place = Place::new();
    let large = "99999999999999999999999";
    place.write("a.tsv", format!("ACGTA\t{large}\n"));
    told(
        &place,
        "a.tsv",
        2,
        &["not supported", "line 1", "18446744073709551615"],
        "cut the counts",
    );
    place.write("a.fa", format!(">{large}\nACGTA\n"));
    told(
        &place,
        "a.fa",
        2,
        &["not supported", "line 1", "18446744073709551615"],
        "cut the counts",
    );
    // A header of ours from later on; and one that is damaged, which another version may not hide.
    place.write("r.fa", ">r\nACGTACGTACGATC\n");
    place.ok(&["count", "-q", "-k", "5", "r.fa", "-o", "a.thk"]);
    let bytes = place.read("a.thk");
    let change = |at: usize, with: u8, right: bool| {
        let mut bytes = bytes.clone();
        bytes[at] = with;
        if right {
            let mut crc = flate2::Crc::new();
            crc.update(&bytes[..124]);
            bytes[124..128].copy_from_slice(&crc.sum().to_le_bytes());
        }
        bytes
    };
    for (at, with, word) in [
        (8, 2, "version 2"),
        (11, 5, "flags"),
        (15, 9, "partitions"),
        (117, 9, "blocks"),
    ] {
        place.write("b.thk", change(at, with, true));
        told(
            &place,
            "b.thk",
            2,
            &["thk database that is not supported", word],
            "newer version",
        );
        place.write("b.thk", change(at, with, false));
        place.fails(
            &["kmers", "info", "b.thk"],
            1,
            &["damaged thk database", "checksum"],
        );
    }
    if !has("jellyfish") || !has("kmc") {
        println!("SKIPPED: limits_of_ours_are_told_as_such: no jellyfish or kmc");
        return;
    }
    let letters: String = (0..2000u64)
        .map(|i| char::from(b"ACGT"[(i * i * i / 7 % 11 % 4) as usize]))
        .collect();
    place.write("g.fa", format!(">g\n{letters}\n"));
    let made = place.shell(
        "set -e; for k in 256 300 1000; do jellyfish count -m $k -s 10k g.fa -o $k.jf; jellyfish dump -c $k.jf >$k.txt; \
         jellyfish dump $k.jf >$k.dump.fa; done; jellyfish count --text -m 300 -s 10k g.fa -o text.jf; \
         jellyfish count -m 21 -s 10k --out-counter-len 10 g.fa -o ten.jf; \
         jellyfish count -m 21 -s 10k --out-counter-len 0 g.fa -o none.jf; \
         jellyfish bc -m 21 -s 10k g.fa -o x.bc; kmc -k256 -ci1 -fm g.fa k256 . >&2; kmc -k21 -ci1 -okff -fm g.fa f . >&2; \
         kmc_dump k256 k256.tsv >&2",
    );
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    for k in ["256", "300", "1000"] {
        let words = [
            "not supported",
            &format!("k = {k}, but k must be from 1 to 255"),
        ];
        for (file, hint) in [
            (format!("{k}.jf"), "jellyfish dump"),
            (format!("{k}.txt"), "255 or less"),
            (format!("{k}.dump.fa"), "255 or less"),
        ] {
            told(&place, &file, 2, &words, hint);
        }
    }
    told(
        &place,
        "text.jf",
        2,
        &["k = 300, but k must be from 1 to 255"],
        "jellyfish dump",
    );
    told(
        &place,
        "ten.jf",
        2,
        &["counts of 10 bytes, but at most 8"],
        "--out-counter-len 8",
    );
    told(
        &place,
        "none.jf",
        2,
        &["it has no counts"],
        "--out-counter-len",
    );
    told(
        &place,
        "x.bc",
        2,
        &["a filter that `jellyfish bc` made"],
        "jellyfish query",
    );
    for name in ["k256", "k256.kmc_pre", "k256.kmc_suf"] {
        told(
            &place,
            name,
            2,
            &[
                "KMC database that is not supported",
                "k = 256, but at most 255",
            ],
            "kmc_dump",
        );
    }
    told(
        &place,
        "k256.tsv",
        2,
        &["k = 256, but k must be from 1 to 255"],
        "255 or less",
    );
    told(&place, "f.kff", 1, &["a KFF file"], "kmc_tools");
    // Cut short, it is damage all the same.
    let mut bytes = place.read("k256.kmc_suf");
    bytes.drain(100..200);
    place.write("k256.kmc_suf", bytes);
    place.fails(&["kmers", "info", "k256"], 1, &["damaged KMC database"]);
}

#[test]
fn a_half_of_a_kmc_database_is_told() {
    let place = Place::new();
    place.write("r.fa", ">r\nACGTACGTACGATC\n");
    place.ok(&["count", "-q", "-k", "5", "r.fa", "-o", "a.kmc"]);
    for (missing, there) in [
        ("a.kmc.kmc_suf", "a.kmc.kmc_pre"),
        ("a.kmc.kmc_pre", "a.kmc.kmc_suf"),
    ] {
        let bytes = place.read(missing);
        std::fs::remove_file(place.path(missing)).unwrap();
        for name in ["a.kmc", missing, there] {
            let words = [missing, "no such file", there, "half of a KMC database"];
            told(&place, name, 2, &words, "NAME.kmc_suf");
        }
        place.write(missing, bytes);
    }
    // Renamed, so that the other one cannot be known.
    std::fs::rename(place.path("a.kmc.kmc_pre"), place.path("b")).unwrap();
    told(
        &place,
        "b",
        2,
        &["b.kmc_pre", "half of a KMC database"],
        "rename both",
    );
    place.fails(&["kmers", "info", "nothing"], 2, &["nothing: No such file"]);
}
