//! Work that is given out from outside, to several readers that know nothing of each other.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use thalweg::sharing::{ClaimReport, ClaimSource, ClaimTable, SharedReader};
use thalweg::{Budget, Error, ErrorKind, ReaderOptions, Workers};

use crate::support::check::{self, compare};
use crate::support::naive::{self, Digest};
use crate::support::random::Random;
use crate::support::texts::{self, Shape};
use crate::support::{compress, directory, within, write};

/// Gives out all claims, in an order of its own.
struct Shuffled {
    order: Vec<u64>,
    next: AtomicU64,
}

impl Shuffled {
    fn new(claims: u64, random: &mut Random) -> Self {
        let mut order: Vec<u64> = (0..claims).collect();
        if random.chance(2) {
            for last in (1..order.len()).rev() {
                order.swap(last, random.range(0, last + 1));
            }
        }
        Self {
            order,
            next: AtomicU64::new(0),
        }
    }
}

impl ClaimSource for Shuffled {
    fn claim(&self) -> Option<u64> {
        let next = self.next.fetch_add(1, Ordering::Relaxed) as usize;
        self.order.get(next).copied()
    }

    fn left(&self) -> u64 {
        (self.order.len() as u64).saturating_sub(self.next.load(Ordering::Relaxed))
    }
}

/// Read what `source` gives with a reader that has nothing but the table's bytes.
fn read(
    options: ReaderOptions,
    table: &[u8],
    source: Arc<dyn ClaimSource>,
    threads: usize,
) -> Result<(Vec<Digest>, Vec<ClaimReport>), Error> {
    let table = ClaimTable::from_bytes(table).expect("a table");
    let options = options.budget(Budget::new(threads));
    let shared: Arc<SharedReader> = Arc::new(options.open_shared(table, source)?);
    let parts = Workers::gather_claims(
        threads,
        &shared,
        || Ok::<_, Error>(Vec::new()),
        |part, batch| {
            part.extend(check::of_batch(batch));
            Ok(())
        },
        Ok,
    )?;
    let reports = ClaimReport::to_bytes(&shared.take_reports());
    let reports = ClaimReport::from_bytes(&reports).expect("reports");
    Ok((parts.concat(), reports))
}

/// The files of `options`, read by several readers at the same time.
fn read_by_several(
    files: &ReaderOptions,
    bare: &ReaderOptions,
    random: &mut Random,
) -> (ClaimTable, Vec<Digest>, Vec<ClaimReport>) {
    let table = files.claim_table().expect("a table");
    let bytes = table.to_bytes();
    let source: Arc<dyn ClaimSource> = Arc::new(Shuffled::new(table.claims(), random));
    let processes = random.range(1, 5);
    let threads: Vec<usize> = (0..processes).map(|_| random.range(1, 4)).collect();
    let (mut found, mut reports) = (Vec::new(), Vec::new());
    std::thread::scope(|scope| {
        let read = |&threads| {
            let (bytes, source, bare) = (&bytes, Arc::clone(&source), bare.clone());
            scope.spawn(move || read(bare, bytes, source, threads).expect("no fault"))
        };
        let running: Vec<_> = threads.iter().map(read).collect();
        for process in running {
            let (records, more) = process.join().expect("no panic");
            found.extend(records);
            reports.extend(more);
        }
    });
    found.sort_unstable();
    (table, found, reports)
}

fn files_of_all_kinds(directory: &Path, seed: u64, records: usize) -> (Vec<PathBuf>, Vec<Digest>) {
    let mut expected = Vec::new();
    let mut paths = Vec::new();
    for (number, (kind, compress)) in compress::all().into_iter().enumerate() {
        let shape = Shape {
            records: records + 97 * number,
            ..Shape::default()
        };
        let text = match number % 5 {
            4 => texts::fasta(seed + number as u64, shape, Some(61)),
            _ => texts::fastq(seed + number as u64, shape),
        };
        expected.extend(naive::parse(&text).expect("well-formed"));
        let name = format!(
            "{number}-{}",
            kind.replace(|c: char| !c.is_alphanumeric(), "-")
        );
        let bytes = compress(&text);
        let path = write(directory, &name, &bytes);
        if bytes[0] == 0x1f && number % 2 == 0 {
            check::index_every(&path, 20_000);
        }
        paths.push(path);
    }
    expected.sort_unstable();
    (paths, expected)
}

#[test]
fn three_files_are_read_by_claims_from_outside() {
    within(90, || {
        let directory = directory();
        let mut random = Random::new(21);
        let text = |seed| {
            let shape = Shape {
                records: 4000,
                ..Shape::default()
            };
            texts::fastq(seed, shape)
        };
        let plain = write(directory.path(), "plain.fq", &text(1));
        let indexed = write(directory.path(), "indexed.gz", &compress::gzip(&text(2), 6));
        check::index_every(&indexed, 30_000);
        let in_order = write(
            directory.path(),
            "in-order.gz",
            &compress::gzip(&text(3), 6),
        );
        let all: Vec<_> = (1..4)
            .map(|seed| naive::parse(&text(seed)).unwrap())
            .collect();
        let mut expected = all.concat();
        expected.sort_unstable();
        let bare = ReaderOptions::new().part_size(50_000);
        let files = [&plain, &indexed, &in_order]
            .iter()
            .fold(bare.clone(), |options, path| options.file(path));
        for _ in 0..20 {
            let (table, found, reports) = read_by_several(&files, &bare, &mut random);
            compare("claims", &found, &expected);
            assert!(table.claims() > 10, "{} claims", table.claims());
            let records = table.check(reports.clone()).expect("all is there");
            assert_eq!(
                records,
                all.iter().map(|file| file.len() as u64).collect::<Vec<_>>()
            );
            let incomplete = |reports| {
                let error = table.check(reports).expect_err("not all is there");
                assert!(matches!(error.kind(), ErrorKind::Incomplete), "{error}");
            };
            let mut lost = reports.clone();
            lost.swap_remove(random.range(0, reports.len()));
            incomplete(lost);
            let mut twice = reports.clone();
            twice.push(reports[random.range(0, reports.len())]);
            incomplete(twice);
            let mut apart = reports.clone();
            let seam = apart
                .iter_mut()
                .find_map(|report| report.seam.as_mut())
                .expect("a seam");
            let (_, end) = seam.records.expect("records");
            seam.records = Some((0, end - 1));
            let error = table.check(apart).expect_err("parts do not fit");
            assert!(matches!(error.kind(), ErrorKind::BrokenSeam), "{error}");
        }
    });
}

#[test]
fn files_of_all_kinds_are_read_by_claims() {
    within(120, || {
        let directory = directory();
        let mut random = Random::new(22);
        let (paths, expected) = files_of_all_kinds(directory.path(), 50, 700);
        let bare = ReaderOptions::new().part_size(40_000).check_letters(true);
        let files = paths
            .iter()
            .fold(bare.clone(), |options, path| options.file(path));
        for _ in 0..8 {
            let (table, found, reports) = read_by_several(&files, &bare, &mut random);
            compare("claims", &found, &expected);
            let records = table.check(reports).expect("all is there");
            assert_eq!(records.iter().sum::<u64>(), expected.len() as u64);
        }
    });
}

#[test]
fn mates_are_read_by_claims() {
    within(90, || {
        let directory = directory();
        let mut random = Random::new(23);
        let shape = Shape {
            records: 3000,
            ..Shape::default()
        };
        let texts = [1, 2].map(|mate| texts::fastq_named(7, shape, &format!("/{mate}")));
        let expected = texts.each_ref().map(|text| naive::parse(text).unwrap());
        let mut expected = check::zipped(&expected);
        expected.sort_unstable();
        for (kind, with_index) in [("plain", false), ("gz", true), ("gz", false)] {
            let paths = [0, 1].map(|mate| {
                let bytes = match kind {
                    "plain" => texts[mate].clone(),
                    _ => compress::gzip(&texts[mate], 6),
                };
                let path = write(
                    directory.path(),
                    &format!("{kind}{with_index}{mate}"),
                    &bytes,
                );
                if with_index {
                    check::index_every(&path, 30_000);
                }
                path
            });
            let bare = ReaderOptions::new();
            let files = bare.clone().mates(&paths).mates(&paths);
            let (table, found, reports) = read_by_several(&files, &bare, &mut random);
            let mut twice = [&expected[..], &expected].concat();
            twice.sort_unstable();
            compare(kind, &found, &twice);
            assert_eq!(table.check(reports).expect("all is there"), [3000, 3000]);
        }
    });
}

#[test]
fn what_is_not_as_in_the_table_is_told() {
    let directory = directory();
    let text = texts::fastq(1, Shape::default());
    let path = write(directory.path(), "reads.fq", &text);
    let bare = ReaderOptions::new();
    let table = bare
        .clone()
        .file(&path)
        .claim_table()
        .expect("a table")
        .to_bytes();
    let all = || {
        Arc::new(Shuffled {
            order: vec![0],
            next: AtomicU64::new(0),
        })
    };
    let kind = |options: &ReaderOptions, source: Arc<Shuffled>| {
        let error = read(options.clone(), &table, source, 1).expect_err("a fault");
        format!("{:?}: {error}", error.kind())
    };
    read(bare.clone(), &table, all(), 1).expect("no fault");
    let other = kind(&bare.clone().part_size(100), all());
    assert!(other.contains("other options"), "{other}");
    let unknown = Shuffled {
        order: vec![1],
        next: AtomicU64::new(0),
    };
    let unknown = kind(&bare, Arc::new(unknown));
    assert!(unknown.contains("not in the table"), "{unknown}");
    let selected = kind(&bare.clone().at_most(5), all());
    assert!(selected.contains("all records"), "{selected}");
    let beside = kind(&bare.clone().file(&path), all());
    assert!(beside.contains("beside"), "{beside}");
    // A copy has another time.
    let modified = |path: &Path| std::fs::metadata(path).unwrap().modified().unwrap();
    let before = modified(&path);
    let set_modified = |time| {
        let file = std::fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(time).unwrap();
    };
    set_modified(before - std::time::Duration::from_secs(1000));
    read(bare.clone(), &table, all(), 1).expect("the same bytes");
    // Other bytes may have the same one, and as many of them.
    let mut others = text.clone();
    let place = others.iter().rposition(|byte| *byte == b'\n').unwrap() - 1;
    others[place] ^= 1;
    for bytes in [others, [&text[..], &text].concat()] {
        write(directory.path(), "reads.fq", &bytes);
        set_modified(before);
        let other = kind(&bare, all());
        assert!(other.starts_with("NotTheSame"), "{other}");
        assert!(other.contains("reads.fq"), "{other}");
    }
    std::fs::remove_file(&path).unwrap();
    let gone = kind(&bare, all());
    assert!(gone.contains("reads.fq"), "{gone}");
    for bytes in [&table[..table.len() - 1], b"", b"reads"] {
        assert_eq!(ClaimTable::from_bytes(bytes), None);
    }
}
