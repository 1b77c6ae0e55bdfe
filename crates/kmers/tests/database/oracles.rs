//! Our files given to jellyfish and kmc, and theirs to us.
//!
//! Each test says "SKIPPED" where the program is not installed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::extent::one_of;
use crate::support::{Content, Random, content, letters, write};
use thalweg_kmers::Result;
use thalweg_kmers::database::{
    self, DatabaseFormat, Description, Order, SequenceKmers, SortOptions,
};
use thalweg_kmers::histogram::TableOptions;
use thalweg_kmers::kmer::{Kmer, KmerTask, dispatch};

fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--help").output().is_ok();
    if !found {
        let thread = std::thread::current();
        let test = thread.name().unwrap_or("a comparison");
        eprintln!("SKIPPED: {test}: no {program}");
    }
    found
}

/// The standard output of a command that succeeds.
fn run(directory: &Path, command: &str) -> String {
    let mut words = command.split_whitespace();
    let output = Command::new(words.next().unwrap())
        .args(words)
        .current_dir(directory)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{command}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// Lines of k-mer and count.
fn parse_dump(dump: &str) -> Vec<(String, u64)> {
    dump.lines()
        .map(|line| {
            let mut fields = line.split_whitespace();
            let kmer = fields.next().unwrap().to_owned();
            (kmer, fields.next().unwrap().parse().unwrap())
        })
        .collect()
}

fn as_dump<K: Kmer>(content: &Content<K>, k: usize) -> Vec<(String, u64)> {
    (content.iter())
        .map(|(&kmer, &count)| (letters(kmer, k), count))
        .collect()
}

/// FASTA of overlapping reads, some with N.
fn reads(seed: u64) -> (String, Vec<Vec<u8>>) {
    let mut random = Random(seed);
    let genome: Vec<u8> = (0..20_000)
        .map(|_| b"ACGT"[random.below(4) as usize])
        .collect();
    let mut reads = vec![vec![b'A'; 300], vec![b'T'; 40]];
    for i in 0..1500 {
        let start = random.below(genome.len() as u64 - 400) as usize;
        let mut read = genome[start..start + 100 + random.below(300) as usize].to_vec();
        if i % 5 == 0 {
            let at = random.below(read.len() as u64) as usize;
            read[at] = b'N';
        }
        if i % 3 == 0 {
            let at = random.below(read.len() as u64) as usize;
            read[at] = b"ACGT"[random.below(4) as usize];
        }
        reads.push(read);
    }
    let mut fasta = String::new();
    for read in &reads {
        fasta.push_str(&format!(">r\n{}\n", String::from_utf8_lossy(read)));
    }
    (fasta, reads)
}

fn count<K: Kmer>(reads: &[Vec<u8>], k: usize, canonical: bool) -> Content<K> {
    let mut counts = Content::new();
    for read in reads {
        for (_, kmer) in SequenceKmers::<K>::new(read, k) {
            let kmer = if canonical { kmer.canonical(k) } else { kmer };
            *counts.entry(kmer).or_insert(0) += 1;
        }
    }
    counts
}

const LENGTHS: [usize; 10] = [2, 4, 7, 15, 21, 31, 32, 33, 64, 127];

#[test]
fn jellyfish_reads_our_files() {
    struct Task(usize);
    impl KmerTask for Task {
        type Output = ();
        fn run<K: Kmer>(self) {
            let k = self.0;
            let directory = tempfile::tempdir().unwrap();
            let content: Content<K> = content(k, true, 4000, k as u64);
            let mut description = Description::new(k, true);
            description
                .provenance
                .insert("cmdline".into(), serde_json::json!(["count", "-m", "some"]));
            description
                .provenance
                .insert("exe_path".into(), "/bin/thalweg".into());
            for (format, name) in [
                (DatabaseFormat::Jellyfish, "a.jf"),
                (DatabaseFormat::JellyfishText, "t.jf"),
            ] {
                let path = directory.path().join(name);
                write(&path, format, &content, &description);
                let dump = run(directory.path(), &format!("jellyfish dump -c {name}"));
                assert!(
                    parse_dump(&dump) == as_dump(&content, k),
                    "dump of {name}, k = {k}"
                );
                let ours = database::open(&path)
                    .unwrap()
                    .histogram(&SortOptions::default())
                    .unwrap();
                for (low, high, increment) in [(1, 10_000, 1), (3, 40, 1), (5, 100, 7), (1, 20, 30)]
                {
                    for full in [false, true] {
                        let mut text = Vec::new();
                        let options = TableOptions {
                            low,
                            high,
                            increment,
                            full,
                        };
                        ours.write_text(&options, &mut text).unwrap();
                        let flag = if full { "-f" } else { "" };
                        let theirs = run(
                            directory.path(),
                            &format!(
                                "jellyfish histo {flag} -l {low} -h {high} -i {increment} {name}"
                            ),
                        );
                        assert_eq!(String::from_utf8(text).unwrap(), theirs);
                    }
                }
                let stats = run(directory.path(), &format!("jellyfish stats {name}"));
                let totals = database::open(&path)
                    .unwrap()
                    .verify(&SortOptions::default())
                    .unwrap();
                assert_eq!(
                    stats,
                    format!(
                        "Unique:    {}\nDistinct:  {}\nTotal:     {}\nMax_count: {}\n",
                        totals.unique, totals.distinct, totals.total, totals.max_count
                    )
                );
                let info = run(directory.path(), &format!("jellyfish info {name}"));
                assert!(info.contains("/bin/thalweg count -m some"), "{info}");
                assert!(info.contains("canonical: yes"), "{info}");
            }
            // Those that are there, on either strand, and some that are not.
            let mut asked = String::new();
            let mut expected = String::new();
            let absent = self::content::<K>(k, true, 20, 777);
            let sample = content
                .keys()
                .step_by(content.len() / 100 + 1)
                .chain(absent.keys());
            for (i, &kmer) in sample.enumerate() {
                let count = content.get(&kmer).copied().unwrap_or(0);
                expected.push_str(&format!("{} {count}\n", letters(kmer, k)));
                let kmer = if i % 2 == 0 {
                    kmer
                } else {
                    kmer.reverse_complement(k)
                };
                asked.push_str(&format!(" {}", letters(kmer, k)));
            }
            let found = run(directory.path(), &format!("jellyfish query a.jf {asked}"));
            assert_eq!(found, expected, "k = {k}");

            let second: Content<K> = self::content(k, true, 3000, 5 + k as u64);
            write(
                &directory.path().join("b.jf"),
                DatabaseFormat::Jellyfish,
                &second,
                &description,
            );
            run(directory.path(), "jellyfish merge -o m.jf a.jf b.jf");
            let mut merged = content.clone();
            for (&kmer, &count) in &second {
                *merged.entry(kmer).or_insert(0) += count;
            }
            let database = database::open(directory.path().join("m.jf")).unwrap();
            // Totals of ours are not taken over by jellyfish, for which they would be wrong.
            assert!(!database.tells_its_end());
            database.verify(&SortOptions::default()).unwrap();
            let read: Result<Vec<_>> = database.records::<K>().unwrap().collect();
            assert!(read.unwrap().into_iter().eq(merged), "merge, k = {k}");
        }
    }
    if !installed("jellyfish") {
        return;
    }
    for k in LENGTHS {
        dispatch(k, Task(k)).unwrap();
    }
}

#[test]
fn we_read_what_jellyfish_counts() {
    struct Task(usize);
    impl KmerTask for Task {
        type Output = ();
        fn run<K: Kmer>(self) {
            let k = self.0;
            let directory = tempfile::tempdir().unwrap();
            let (fasta, reads) = reads(k as u64);
            std::fs::write(directory.path().join("r.fa"), fasta).unwrap();
            for canonical in [true, false] {
                let expected: Content<K> = count(&reads, k, canonical);
                let strands = if canonical { "-C" } else { "" };
                for text in ["", "--text", "--out-counter-len 1"] {
                    run(
                        directory.path(),
                        &format!("jellyfish count -m {k} -s 40k {strands} {text} -o r.jf r.fa"),
                    );
                    let database = database::open(directory.path().join("r.jf")).unwrap();
                    assert_eq!(database.header().k, k);
                    assert_eq!(database.header().canonical, Some(canonical));
                    let sorted: Result<Vec<_>> = (database.sorted::<K>(&SortOptions::default()))
                        .unwrap()
                        .collect();
                    let limit = if text.ends_with('1') { 255 } else { u64::MAX };
                    let limited = expected
                        .iter()
                        .map(|(&kmer, &count)| (kmer, count.min(limit)));
                    assert!(sorted.unwrap().into_iter().eq(limited), "k = {k} {text}");
                    let mut lookup = database.lookup::<K>().unwrap();
                    for (&kmer, &count) in expected.iter().step_by(37) {
                        assert_eq!(lookup.find(kmer).unwrap(), Some(count.min(limit)));
                        let other = kmer.append(3, k);
                        let same = if canonical { other.canonical(k) } else { other };
                        assert_eq!(
                            lookup.find(other).unwrap(),
                            expected.get(&same).map(|&count| count.min(limit))
                        );
                    }
                    database.verify(&SortOptions::default()).unwrap();
                    check_that_disorder_is_seen(&directory.path().join("r.jf"));
                }
            }
        }
    }
    if !installed("jellyfish") {
        return;
    }
    for k in [5, 15, 21, 31, 32, 33, 64, 127] {
        dispatch(k, Task(k)).unwrap();
    }
}

/// Two records of one of Jellyfish's files that have changed places are found, and one that is there twice.
fn check_that_disorder_is_seen(path: &std::path::Path) {
    let bytes = std::fs::read(path).unwrap();
    // Nine digits tell the bytes of the header behind them, and all binary records have the same length.
    let digits = std::str::from_utf8(&bytes[..9]).unwrap();
    let (header, records) = bytes.split_at(9 + digits.parse::<usize>().unwrap());
    let database = database::open(path).unwrap();
    let distinct = database.verify(&SortOptions::default()).unwrap().distinct as usize;
    let records: Vec<&[u8]> = match database.header().format {
        DatabaseFormat::JellyfishText => records.split_inclusive(|&byte| byte == b'\n').collect(),
        _ => records.chunks(records.len() / distinct).collect(),
    };
    assert_eq!(records.len(), distinct);
    let damaged = path.with_extension("damaged.jf");
    let mut swapped = records.clone();
    swapped.swap(7, 8);
    let mut twice = records;
    twice[8] = twice[7];
    for records in [swapped, twice] {
        std::fs::write(&damaged, [header, &records.concat()].concat()).unwrap();
        let database = database::open(&damaged).unwrap();
        // Whoever reads all of it.
        for error in [
            database.verify(&SortOptions::default()).unwrap_err(),
            database.histogram(&SortOptions::default()).unwrap_err(),
        ] {
            let error = error.to_string();
            assert!(error.contains("out of order at record 9"), "{error}");
        }
    }
}

#[test]
fn kmc_reads_our_files() {
    struct Task(usize);
    impl KmerTask for Task {
        type Output = ();
        fn run<K: Kmer>(self) {
            let k = self.0;
            let directory = tempfile::tempdir().unwrap();
            let content: Content<K> = content(k, true, 4000, k as u64);
            let second: Content<K> = self::content(k, true, 3000, 5 + k as u64);
            let mut description = Description::new(k, true);
            for (name, content) in [("a", &content), ("b", &second)] {
                for expected in [None, Some(content.len() as u64)] {
                    description.expected = expected;
                    write(
                        &directory.path().join(name),
                        DatabaseFormat::Kmc,
                        content,
                        &description,
                    );
                }
            }
            run(directory.path(), "kmc_dump a a.txt");
            let dump = |name: &str| {
                parse_dump(&std::fs::read_to_string(directory.path().join(name)).unwrap())
            };
            assert!(dump("a.txt") == as_dump(&content, k), "kmc_dump, k = {k}");
            let info = run(directory.path(), "kmc_tools info a");
            assert!(
                info.contains(&format!("total k-mers      :  {}", content.len())),
                "{info}"
            );
            assert!(info.contains("both strands      :  yes"), "{info}");
            run(
                directory.path(),
                "kmc_tools transform a dump d.txt histogram h.txt -ci1 -cx300",
            );
            assert!(
                dump("d.txt") == as_dump(&content, k),
                "kmc_tools dump, k = {k}"
            );
            let ours = database::open(directory.path().join("a"))
                .unwrap()
                .histogram(&SortOptions::default())
                .unwrap();
            let theirs = std::fs::read(directory.path().join("h.txt")).unwrap();
            let theirs = thalweg_kmers::histogram::Histogram::read_text(&theirs[..]).unwrap();
            for count in 1..=300 {
                assert_eq!(ours.get(count), theirs.get(count));
            }
            run(
                directory.path(),
                "kmc_tools simple a b union u -ci1 -cs4294967295 intersect i -ci1 kmers_subtract s -ci1",
            );
            let read = |name: &str| -> BTreeMap<K, u64> {
                let database = database::open(directory.path().join(name)).unwrap();
                assert_eq!(database.header().order, Order::Sorted);
                (database.sorted::<K>(&SortOptions::default()).unwrap())
                    .collect::<Result<_>>()
                    .unwrap()
            };
            let mut union = content.clone();
            for (&kmer, &count) in &second {
                *union.entry(kmer).or_insert(0) += count;
            }
            assert!(read("u") == union);
            let mut subtracted = content.clone();
            subtracted.retain(|kmer, _| !second.contains_key(kmer));
            assert!(read("s") == subtracted);
        }
    }
    if !installed("kmc_tools") || !installed("kmc_dump") {
        return;
    }
    for k in LENGTHS {
        dispatch(k, Task(k)).unwrap();
    }
}

#[test]
fn we_read_what_kmc_counts() {
    const COUNTERS: [(&str, u64, u64); 3] = [
        ("-ci1 -cs1000000", 1, 1_000_000),
        ("-ci2 -cs255", 2, 255),
        // Without counters: each k-mer counts once.
        ("-ci1 -cs1", 1, 1),
    ];
    struct Task {
        k: usize,
        turn: usize,
    }
    impl KmerTask for Task {
        type Output = ();
        fn run<K: Kmer>(self) {
            let k = self.k;
            let directory = tempfile::tempdir().unwrap();
            let (fasta, reads) = reads(k as u64);
            std::fs::write(directory.path().join("r.fa"), fasta).unwrap();
            for canonical in [true, false] {
                let all: Content<K> = count(&reads, k, canonical);
                let turn = self.turn + usize::from(canonical);
                for &(options, lowest, limit) in one_of(turn, &COUNTERS) {
                    let strands = if canonical { "" } else { "-b" };
                    run(
                        directory.path(),
                        &format!("kmc -k{k} -m2 -t1 -n64 -fa {options} {strands} r.fa r ."),
                    );
                    // kmc_tools takes neither databases without counts nor, to sort, those of version 0.
                    let sorts = k > 13 && limit > 1;
                    if sorts {
                        run(directory.path(), "kmc_tools transform r sort s");
                    }
                    let mut expected = all.clone();
                    expected.retain(|_, count| *count >= lowest);
                    for name in ["r", "r.kmc_pre", "s", "s.kmc_suf"] {
                        if name.starts_with('s') && !sorts {
                            continue;
                        }
                        let database = database::open(directory.path().join(name)).unwrap();
                        assert_eq!(database.header().canonical, Some(canonical));
                        assert_eq!(database.header().kept.0, lowest);
                        let sorted: Result<Vec<_>> = (database
                            .sorted::<K>(&SortOptions::default()))
                        .unwrap()
                        .collect();
                        let limited = expected
                            .iter()
                            .map(|(&kmer, &count)| (kmer, count.min(limit)));
                        assert!(
                            sorted.unwrap().into_iter().eq(limited),
                            "k = {k} {options} {name}"
                        );
                        let mut lookup = database.lookup::<K>().unwrap();
                        for (&kmer, &count) in expected.iter().step_by(371) {
                            assert_eq!(lookup.find(kmer).unwrap(), Some(count.min(limit)));
                        }
                    }
                }
            }
        }
    }
    if !installed("kmc") || !installed("kmc_tools") {
        return;
    }
    for (turn, k) in [5, 10, 21, 31, 32, 33, 64, 127].into_iter().enumerate() {
        dispatch(k, Task { k, turn }).unwrap();
    }
}
