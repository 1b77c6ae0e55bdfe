//! Counts of several ranks, as threads of one process, against that of one.

#![allow(missing_docs)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thalweg::IndexUse;
use thalweg::count::{CountSettings, Target};
use thalweg::kmers::Kmer;
use thalweg::kmers::database::set::{MANIFEST, is_set};
use thalweg::kmers::database::{DatabaseFormat, SortOptions, open};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg_cluster::{
    ClusterJob, ClusterSettings, Delays, Destination, Exchange, Fault, Found, InProcess, Tag,
};

/// Reads of a genome that is the same for each seed, with some letters that are none.
fn fastq(seed: u64, reads: usize, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut random = move || {
        state = state
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x14057b7e);
        state >> 33
    };
    let genome: Vec<u8> = (0..20_000)
        .map(|_| b"ACGT"[random() as usize % 4])
        .collect();
    let mut text = Vec::new();
    for number in 0..reads {
        let start = random() as usize % (genome.len() - length);
        let mut read = genome[start..start + length].to_vec();
        if random() % 10 == 0 {
            read[random() as usize % length] = b'N';
        }
        if random() % 4 == 0 {
            read.fill(b'A');
        }
        writeln!(text, "@{number}").unwrap();
        text.extend_from_slice(&read);
        text.extend_from_slice(b"\n+\n");
        text.extend(std::iter::repeat_n(b'I', length));
        text.push(b'\n');
    }
    text
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// Plain files that are cut, files that can only be read in order, and one of lines of FASTA.
fn inputs(directory: &Path) -> Vec<PathBuf> {
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let sequence = fastq(9, 40, 100)
        .split(|&byte| byte == b'\n')
        .skip(1)
        .step_by(4)
        .fold(b">long\n".to_vec(), |mut text, line| {
            text.extend_from_slice(line);
            text.push(b'\n');
            text
        });
    vec![
        write("a.fq", &fastq(1, 2500, 150)),
        write("b.fq.gz", &gzip(&fastq(2, 900, 100))),
        write("c.fa", &sequence),
        write("d.fq", &fastq(1, 700, 100)),
        write("e.fq.gz", &gzip(&fastq(1, 300, 120))),
        write("empty.fq", b""),
    ]
}

fn settings(
    k: usize,
    files: &[PathBuf],
    threads: usize,
    destination: Destination,
) -> ClusterSettings {
    ClusterSettings {
        count: CountSettings {
            threads,
            memory: Some(256 << 20),
            ..CountSettings::new(k, files)
        },
        destination,
        chunk: Some(20_000),
        index: IndexUse::Auto,
        index_directory: None,
        ranks_here: 1,
    }
}

/// What each rank gives.
fn run(
    settings: &ClusterSettings,
    ranks: usize,
    delays: Delays,
) -> Vec<Result<Option<Found>, Fault>> {
    let ends = InProcess::new(ranks, delays);
    std::thread::scope(|scope| {
        let threads: Vec<_> = ends
            .into_iter()
            .map(|mut end| {
                scope.spawn(move || {
                    let job = ClusterJob {
                        settings,
                        watch: &|_| Box::new(()),
                    };
                    let outcome = job.run(&mut end);
                    if let Err(fault) = &outcome {
                        end.abort(fault.code());
                    }
                    outcome
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    })
}

fn found(settings: &ClusterSettings, ranks: usize, delays: Delays) -> Found {
    let mut all = run(settings, ranks, delays).into_iter();
    let first = all.next().unwrap().unwrap().expect("rank 0 knows");
    assert!(all.all(|other| other.unwrap().is_none()));
    first
}

/// All k-mers of a database, in order.
fn lines(database: &Path) -> Vec<(String, u64)> {
    struct Task<'a>(&'a Path);
    impl KmerTask for Task<'_> {
        type Output = Vec<(String, u64)>;
        fn run<K: Kmer>(self) -> Self::Output {
            let database = open(self.0).unwrap();
            let k = database.header().k;
            let records = database.sorted::<K>(&SortOptions::default()).unwrap();
            let records = records.map(|record| record.unwrap());
            records
                .map(|(kmer, count)| (kmer.to_text(k), count))
                .collect()
        }
    }
    let k = open(database).unwrap().header().k;
    dispatch(k, Task(database)).unwrap()
}

/// Some messages take long, and not the same ones each time.
fn slow() -> Delays {
    Delays::new(|from, to, tag| match tag {
        Tag::Blocks => Duration::from_micros(500 * ((from * 3 + to) % 4) as u64),
        Tag::Deal => Duration::from_millis(to as u64),
        _ => Duration::from_micros(200 * (from + to) as u64),
    })
}

#[test]
fn any_ranks_count_as_one() {
    let directory = tempfile::tempdir().unwrap();
    let files = inputs(directory.path());
    for (k, cases) in [
        (
            31,
            &[(1, 1), (2, 1), (2, 3), (3, 2), (4, 1), (8, 1), (8, 2)][..],
        ),
        (22, &[(2, 2), (3, 1)]),
        (8, &[(2, 1), (5, 1)]),
        (101, &[(3, 1)]),
    ] {
        let whole = directory.path().join(format!("{k}.thk"));
        let mut single = CountSettings::new(k, &files);
        single.output = Some(whole.clone());
        let counted = single.count().unwrap();
        let expected = lines(&whole);
        assert!(expected.len() > 10_000 || k == 8);
        for &(ranks, threads) in cases {
            for delays in [Delays::default(), slow()] {
                let set = directory.path().join(format!("{k}.{ranks}.{threads}"));
                let settings = settings(k, &files, threads, Destination::Set(set.clone()));
                let found = found(&settings, ranks, delays);
                let what = format!("k = {k}, {ranks} ranks, {threads} threads");
                assert_eq!(found.totals.kmers, counted.totals.kmers, "{what}");
                assert_eq!(found.totals.distinct, counted.totals.distinct, "{what}");
                assert_eq!(found.totals.histogram, counted.totals.histogram, "{what}");
                assert_eq!(found.totals.bases, counted.totals.bases, "{what}");
                assert_eq!(
                    found.totals.other_letters, counted.totals.other_letters,
                    "{what}"
                );
                assert!(lines(&set) == expected, "{what}");
                assert_eq!(found.ranks.len(), ranks);
                let sum = |of: fn(&thalweg_cluster::RankReport) -> u64| -> u64 {
                    found.ranks.iter().map(of).sum()
                };
                assert_eq!(sum(|rank| rank.records), counted.records, "{what}");
                assert_eq!(sum(|rank| rank.kmers_cut), counted.totals.kmers, "{what}");
                assert_eq!(
                    sum(|rank| rank.kmers_counted),
                    counted.totals.kmers,
                    "{what}"
                );
                assert_eq!(sum(|rank| rank.sent), sum(|rank| rank.received), "{what}");
                assert!(ranks == 1 || sum(|rank| rank.sent) > 0);
                let names = std::fs::read_dir(&set).unwrap().count();
                assert_eq!(names, ranks + 1, "{what}");
            }
        }
    }
}

#[test]
fn limits_qualities_and_strands_are_those_of_one() {
    let directory = tempfile::tempdir().unwrap();
    let files = inputs(directory.path())[..1].to_vec();
    let mut single = CountSettings::new(21, &files);
    single.forward = true;
    single.least = 3;
    single.most = 50;
    single.minimum_quality = 30;
    let whole = directory.path().join("whole.thk");
    single.output = Some(whole.clone());
    single.histo = Some(directory.path().join("whole.histo"));
    let counted = single.count().unwrap();
    let set = directory.path().join("set");
    let mut settings = settings(21, &files, 2, Destination::Set(set.clone()));
    settings.count = CountSettings {
        histo: Some(directory.path().join("set.histo")),
        output: None,
        threads: 2,
        ..single.clone()
    };
    let found = found(&settings, 3, slow());
    assert_eq!(found.totals.kept_distinct, counted.totals.kept_distinct);
    assert!(lines(&set) == lines(&whole));
    let text = |path: &Option<PathBuf>| std::fs::read_to_string(path.as_ref().unwrap()).unwrap();
    assert_eq!(text(&settings.count.histo), text(&single.histo));
}

#[test]
fn histograms_have_names_of_text() {
    let directory = tempfile::tempdir().unwrap();
    let files = inputs(directory.path())[..1].to_vec();
    for name in ["h.json", "h.fq", "h.txt.xz", "h.thk"] {
        let set = directory.path().join("set");
        let mut settings = settings(21, &files, 1, Destination::Set(set.clone()));
        let histo = directory.path().join(name);
        settings.count.histo = Some(histo.clone());
        let told = run(&settings, 2, Delays::default());
        let told = told.into_iter().filter_map(Result::err);
        let told = Vec::from_iter(told.map(|fault| format!("{} {fault}", fault.code())));
        let is_told = |fault: &String| fault.starts_with("2 ") && fault.contains(name);
        assert!(told.iter().any(is_told), "{told:?}");
        assert!(!histo.exists() && !set.exists());
    }
}

#[test]
fn one_file_is_made_of_all_shards() {
    let directory = tempfile::tempdir().unwrap();
    let files = inputs(directory.path());
    for (name, format) in [
        ("x.tsv", DatabaseFormat::Tsv),
        ("x.thk", DatabaseFormat::Thk),
        ("x.jf", DatabaseFormat::Jellyfish),
    ] {
        let path = directory.path().join(name);
        let target = Target::with_format(&path, format, directory.path()).unwrap();
        let settings = settings(25, &files, 1, Destination::Merged(target));
        found(&settings, 3, Delays::default());
        let mut single = CountSettings::new(25, &files);
        single.output = Some(directory.path().join(format!("single.{name}")));
        single.format = format;
        single.count().unwrap();
        assert!(
            lines(&path) == lines(single.output.as_ref().unwrap()),
            "{name}"
        );
        assert!(!directory.path().join(format!("{name}.shards")).exists());
    }
}

#[test]
fn little_memory_goes_by_way_of_temporary_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reads.fq");
    std::fs::write(&path, fastq(3, 30_000, 150)).unwrap();
    let files = [path];
    let set = directory.path().join("set");
    let mut settings = settings(31, &files, 1, Destination::Set(set.clone()));
    settings.count.memory = Some(28 << 20);
    let found = found(&settings, 2, Delays::default());
    assert!(
        found.ranks.iter().any(|rank| rank.spilled > 0),
        "{:?}",
        found.ranks
    );
    let whole = directory.path().join("whole.thk");
    let mut single = CountSettings::new(31, &files);
    single.output = Some(whole.clone());
    single.count().unwrap();
    assert!(lines(&set) == lines(&whole));
}

/// Idle ranks take what a slow one has not begun, and nobody has more to send than the bound and what a batch makes.
#[test]
fn who_is_slow_reads_less_and_what_waits_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("reads.fq");
    std::fs::write(&path, fastq(4, 20_000, 150)).unwrap();
    let mut settings = settings(31, &[path], 1, Destination::Nowhere);
    settings.count.memory = Some(64 << 20);
    let late = Delays::new(|_, to, tag| match (to, tag) {
        (1, Tag::Deal) => Duration::from_millis(30),
        _ => Duration::ZERO,
    });
    let found = found(&settings, 2, late);
    let [fast, slow] = &found.ranks[..] else {
        panic!("two ranks");
    };
    assert_eq!(fast.records + slow.records, 20_000);
    assert!(slow.records < fast.records, "{slow:?}");
    // Of what is cut, half is another rank's. A k-mer alone would take 8 bytes.
    let (sent, kmers) = (fast.sent + slow.sent, found.totals.kmers);
    assert!(
        2 * sent * 10 <= 12 * kmers,
        "{sent} bytes for {kmers} k-mers"
    );
    // A quarter of an eighth of what is left for counting, and a batch.
    assert!(
        found.ranks.iter().all(|rank| rank.waiting_bytes < 4 << 20),
        "{:?}",
        found.ranks
    );
}

/// The faults of all ranks, and what is there afterwards.
fn faults(settings: &ClusterSettings, ranks: usize) -> Vec<String> {
    let outcomes = run(settings, ranks, Delays::default());
    let all: Vec<String> = outcomes
        .iter()
        .filter_map(|outcome| Some(outcome.as_ref().err()?.to_string()))
        .collect();
    assert_eq!(all.len(), ranks, "{all:?}");
    if let Destination::Set(set) = &settings.destination {
        assert!(!is_set(set));
        let names = std::fs::read_dir(set).into_iter().flatten();
        assert_eq!(names.count(), 0, "no shard");
    }
    all.into_iter()
        .filter(|fault| !fault.contains("another rank"))
        .collect()
}

#[test]
fn one_rank_that_fails_ends_the_job_and_nothing_is_left() {
    let directory = tempfile::tempdir().unwrap();
    let files = inputs(directory.path());
    let set = directory.path().join("set");
    let with = |change: &dyn Fn(&mut ClusterSettings)| {
        let mut settings = settings(31, &files, 2, Destination::Set(set.clone()));
        change(&mut settings);
        settings
    };
    let damaged = directory.path().join("damaged.fq.gz");
    let mut bytes = gzip(&fastq(5, 2000, 100));
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&damaged, bytes).unwrap();
    let told = faults(
        &with(&|settings| settings.count.files.push(damaged.clone())),
        3,
    );
    assert!(
        told.iter().any(|fault| fault.contains("damaged.fq.gz")),
        "{told:?}"
    );
    let malformed = directory.path().join("malformed.fq");
    let mut text = fastq(6, 2000, 100);
    let place = text.len() / 2;
    text[place..place + 300].fill(b'@');
    std::fs::write(&malformed, text).unwrap();
    let told = faults(
        &with(&|settings| settings.count.files.push(malformed.clone())),
        4,
    );
    assert!(
        told.iter().any(|fault| fault.contains("malformed.fq")),
        "{told:?}"
    );
    let told = faults(
        &with(&|settings| settings.count.files.push("nowhere.fq".into())),
        2,
    );
    assert!(
        told.iter().any(|fault| fault.contains("nowhere.fq")),
        "{told:?}"
    );
    let told = faults(&with(&|settings| settings.count.files.push("-".into())), 2);
    assert!(
        told.iter().any(|fault| fault.contains("one reader")),
        "{told:?}"
    );
    let told = faults(&with(&|settings| settings.count.memory = Some(1 << 20)), 2);
    assert!(
        told.iter().any(|fault| fault.contains("memory")),
        "{told:?}"
    );
    let told = faults(&with(&|settings| settings.count.k = 300), 2);
    assert!(told.iter().any(|fault| fault.contains("300")), "{told:?}");
}

#[test]
fn a_thread_that_panics_ends_the_job() {
    let directory = tempfile::tempdir().unwrap();
    let files = inputs(directory.path());
    let set = directory.path().join("set");
    let settings = settings(31, &files, 2, Destination::Set(set.clone()));
    let delays = Delays::new(|from, _, tag| match (from, tag) {
        (1, Tag::Blocks) => panic!("a fault of ours"),
        _ => Duration::ZERO,
    });
    let outcomes = run(&settings, 3, delays);
    assert!(outcomes.iter().all(Result::is_err));
    let said = outcomes[1].as_ref().unwrap_err();
    assert!(matches!(said, Fault::Panicked(_)), "{said}");
    assert!(said.to_string().contains("a fault of ours"));
    assert_eq!(std::fs::read_dir(&set).unwrap().count(), 0);
}

#[test]
fn a_set_is_replaced_when_another_one_is_whole() {
    let directory = tempfile::tempdir().unwrap();
    let files = inputs(directory.path());
    let set = directory.path().join("set");
    let of = |files: &[PathBuf]| settings(31, files, 1, Destination::Set(set.clone()));
    found(&of(&files[..1]), 4, Delays::default());
    let before = lines(&set);
    // One that fails leaves what is there.
    let mut with_missing = files.clone();
    with_missing.push("nowhere.fq".into());
    assert!(
        run(&of(&with_missing), 2, Delays::default())
            .iter()
            .all(Result::is_err)
    );
    assert!(lines(&set) == before);
    found(&of(&files), 2, Delays::default());
    assert!(lines(&set) != before);
    let names = std::fs::read_dir(&set)
        .unwrap()
        .map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(
        names,
        [
            MANIFEST,
            "shard-00000-of-00002.thk",
            "shard-00001-of-00002.thk"
        ]
    );
    // Two runs at once: one may be refused, and none takes away what the other has.
    let runs = [&files[..1], &files[..]].map(of);
    let outcomes = std::thread::scope(|scope| {
        let run = |settings| scope.spawn(move || run(settings, 2, slow()));
        let threads = runs.each_ref().map(run);
        threads.map(|thread| thread.join().unwrap())
    });
    let is_ok = |outcomes: &Vec<Result<_, Fault>>| outcomes.iter().all(Result::is_ok);
    assert!(outcomes.iter().any(is_ok));
    for refused in outcomes.iter().filter(|outcomes| !is_ok(outcomes)) {
        let told: Vec<String> = (refused.iter().filter_map(|outcome| outcome.as_ref().err()))
            .map(|fault| format!("{} {fault}", fault.code()))
            .collect();
        let process = format!("process {}", std::process::id());
        let is_told = |fault: &String| {
            fault.starts_with("2 ") && fault.contains("another run") && fault.contains(&process)
        };
        assert!(told.iter().any(is_told), "{told:?}");
    }
    assert!(!lines(&set).is_empty());
    let names = std::fs::read_dir(&set).unwrap();
    assert_eq!(names.count(), 3);
    // A directory of something else is left alone.
    std::fs::write(set.join("notes.txt"), "").unwrap();
    let told = run(&of(&files), 2, Delays::default());
    let told: Vec<String> = told
        .into_iter()
        .map(|outcome| outcome.unwrap_err().to_string())
        .collect();
    assert!(
        told.iter().any(|fault| fault.contains("notes.txt")),
        "{told:?}"
    );
    assert!(is_set(&set));
}
