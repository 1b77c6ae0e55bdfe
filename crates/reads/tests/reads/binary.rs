//! A format that is no text, which the reader is given from outside.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_flow::Budget;
use thalweg_gzip::index::Index;
use thalweg_reads::{
    Batch, Checkpoints, Error, ErrorKind, FormatErrorKind, IndexOptions, IndexUse, ReaderOptions,
    Span, index_path,
};

use crate::made_up::{MadeUp, View, Written, write};
use crate::support::{bgzf, gzip};

/// Longer than slabs and parts.
const HEADER: usize = 1_500_000;

const RECORDS: usize = 20_000;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn options(path: &Path, threads: usize) -> ReaderOptions {
    ReaderOptions::new()
        .file(path)
        .format(&MadeUp)
        .check_letters(true)
        .part_size(200_000)
        .budget(Budget::new(threads))
}

/// All batches, by several workers in turn, in the order of their places.
fn batches(options: ReaderOptions) -> Result<Vec<Batch>, Error> {
    let reader = Arc::new(options.open()?);
    let threads = reader.budget().threads();
    let mut workers: Vec<_> = (0..threads)
        .map(|number| reader.worker(number, None))
        .collect();
    let mut batches = Vec::new();
    while !workers.is_empty() {
        for at in (0..workers.len()).rev() {
            match workers[at].next_batch()? {
                Some(batch) => batches.push(batch),
                None => drop(workers.remove(at)),
            }
        }
    }
    batches.sort_by_key(|batch| (batch.place().ticket, batch.place().piece));
    Ok(batches)
}

/// The text and the tags of all records.
fn read(options: ReaderOptions) -> Result<(Vec<u8>, Vec<u16>), Error> {
    let (mut text, mut tags) = (Vec::new(), Vec::new());
    for batch in batches(options)? {
        let block = &batch.blocks()[0];
        assert_eq!(block.raw_records().unwrap().len(), block.len());
        for (record, fields) in block.records().zip(block.fields()) {
            let quality = fields.quality.map(|quality: Span| quality.of(block.text()));
            assert_eq!(fields.name.of(block.text()), record.id());
            assert_eq!(fields.sequence.of(block.text()), &record.sequence()[..]);
            assert_eq!(quality, record.quality().as_deref());
        }
        text.extend(block.text());
        tags.extend(block.raw_records().unwrap().map(|raw| View::new(raw).tag()));
    }
    Ok((text, tags))
}

/// Plain, of one member, of BGZF.
fn files(place: &Place, data: &[u8]) -> [PathBuf; 3] {
    [
        place.write("a.made", data),
        place.write("a.made.gz", &gzip(data)),
        place.write("a.made.bgz", &bgzf(data)),
    ]
}

#[test]
fn records_come_as_text_beside_their_bytes() {
    let place = Place::new();
    for (header, hide) in [(0, false), (HEADER, true)] {
        let written = write(RECORDS, header, hide);
        let expected = (written.text, written.tags);
        for path in files(&place, &written.data) {
            for threads in [1, 3] {
                let found = read(options(&path, threads)).unwrap();
                assert!(found == expected, "{}, {threads} threads", path.display());
            }
            let plan = options(&path, 2).open().unwrap().plan();
            assert_eq!(plan[0].format.name(), "FASTQ");
            let is_in_parts = plan[0].pieces.is_some_and(|pieces| pieces > 5);
            assert_eq!(is_in_parts, !path.ends_with("a.made.gz"));
        }
    }
}

#[test]
fn small_parts_fit_together() {
    let place = Place::new();
    let written = write(300, 3000, true);
    let expected = (written.text, written.tags);
    let path = place.write("a.made", &written.data);
    for part in [50, 333, 1000, 20_000] {
        let found = read(options(&path, 2).part_size(part)).unwrap();
        assert!(found == expected, "parts of {part}");
    }
}

#[test]
fn all_bytes_are_given_to_who_wants_no_records() {
    let place = Place::new();
    let Written { data, .. } = write(3000, HEADER, true);
    for path in files(&place, &data) {
        let batches = batches(options(&path, 2).as_text(true)).unwrap();
        let blocks = batches.iter().map(|batch| &batch.blocks()[0]);
        assert!(
            blocks
                .map(|block| block.as_bytes())
                .collect::<Vec<_>>()
                .concat()
                == data
        );
    }
}

#[test]
fn text_stays_as_it_is_beside_records_that_become_text() {
    let place = Place::new();
    let Written { data, text, .. } = write(3000, HEADER, true);
    // Whoever looks for records would refuse it.
    let other = place.write("a.fq", b"@a\nACGT\n+\nII");
    for path in files(&place, &data) {
        let both = options(&path, 2).file(&other).as_rendered_text(true);
        let mut found = [Vec::<u8>::new(), Vec::new()];
        for batch in batches(both).unwrap() {
            found[batch.set()].extend(batch.blocks()[0].as_bytes());
        }
        assert!(found[0] == text);
        assert_eq!(found[1], b"@a\nACGT\n+\nII");
        let plan = options(&path, 2).open().unwrap().plan();
        assert_eq!(plan[0].format_name, "a format that was made up");
    }
}

#[test]
fn an_index_falls_out_and_is_used() {
    let place = Place::new();
    let written = write(RECORDS, HEADER, true);
    let expected = (written.text, written.tags);
    let lines: Vec<&[u8]> = expected.0.split_inclusive(|&byte| byte == b'\n').collect();
    for path in &files(&place, &written.data)[1..] {
        let index = IndexOptions {
            checkpoints: Checkpoints::Span(100_000),
            metadata: None,
            budget: Budget::new(2),
            check_end: true,
        };
        let saving = options(path, 2).index(IndexUse::Never).save_indexes(index);
        assert!(read(saving).unwrap() == expected);
        let saved = Index::open(&index_path(path)).unwrap();
        assert_eq!(saved.record_count as usize, expected.1.len());
        assert_eq!(saved.record_format, None);
        assert!(saved.chunks() > 10);

        assert!(read(options(path, 3).index(IndexUse::Require)).unwrap() == expected);
        let count = saved.record_count;
        for range in [0..1, 7..8, 4000..9001, 17_000..count, count - 1..count] {
            let (text, tags) = read(options(path, 2).records(range.clone())).unwrap();
            let range = range.start as usize..range.end as usize;
            assert_eq!(tags, expected.1[range.clone()]);
            assert!(text == lines[4 * range.start..4 * range.end].concat());
        }
    }
}

#[test]
fn so_many_records_are_counted_without_those_that_are_passed_over() {
    let place = Place::new();
    let written = write(5000, HEADER, true);
    for path in files(&place, &written.data) {
        for records in [1, 2, 3, 4, 2500, 1 << 20] {
            let (_, tags) = read(options(&path, 1).at_most(records)).unwrap();
            let records = written.tags.len().min(records as usize);
            assert_eq!(tags, written.tags[..records]);
        }
        let (_, tags) = read(options(&path, 1).records(1000..1010)).unwrap();
        assert_eq!(tags, written.tags[1000..1010]);
    }
}

#[test]
fn mates_and_text_go_in_step_with_it() {
    let place = Place::new();
    let written = write(3000, HEADER, true);
    let text = place.write("a.fq", &written.text);
    for path in files(&place, &written.data) {
        let options = ReaderOptions::new().format(&MadeUp).mates([&path, &text]);
        let mut tags = Vec::new();
        for batch in batches(options.budget(Budget::new(2))).unwrap() {
            assert!(
                batch
                    .pairs()
                    .all(|(one, two)| one.as_bytes() == two.as_bytes())
            );
            let raw = batch.blocks()[0].raw_records().unwrap();
            assert!(batch.blocks()[1].raw_records().is_none());
            tags.extend(raw.map(|raw| View::new(raw).tag()));
        }
        assert_eq!(tags, written.tags);
    }
}

#[test]
fn shards_have_each_record_once() {
    let place = Place::new();
    let written = write(5000, HEADER, true);
    let [plain, _, bgzf] = files(&place, &written.data);
    for path in [plain, bgzf] {
        // The header is longer than the first of many.
        for of in [1, 2, 7] {
            let shard = |number| read(options(&path, 2).shard(number, of)).unwrap();
            let (texts, tags): (Vec<_>, Vec<_>) = (0..of).map(shard).unzip();
            assert_eq!(tags.concat(), written.tags, "{of} shards");
            assert!(texts.concat() == written.text);
        }
    }
}

#[test]
fn pipes_are_read_as_data_come() {
    let place = Place::new();
    let written = write(5000, HEADER, true);
    let data = [written.data.clone(), bgzf(&written.data)];
    let paths = ["one", "two"].map(|name| place.0.path().join(name));
    for path in &paths {
        nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    }
    for as_they_come in [true, false] {
        std::thread::scope(|scope| {
            for (path, data) in paths.iter().zip(&data) {
                scope.spawn(move || std::fs::write(path, data).unwrap());
            }
            let both = options(&paths[0], 2).file(&paths[1]);
            let mut tags = [Vec::new(), Vec::new()];
            for batch in batches(both.pipes_as_they_come(as_they_come)).unwrap() {
                let raw = batch.blocks()[0].raw_records().unwrap();
                tags[batch.set()].extend(raw.map(|raw| View::new(raw).tag()));
            }
            assert!(
                tags == [&written.tags[..], &written.tags[..]],
                "{as_they_come}"
            );
        });
    }
}

#[test]
fn neighbours_stay_together() {
    let place = Place::new();
    let written = write(6999, HEADER, true);
    assert_eq!(written.tags.len() % 2, 1);
    let even = write(7000, HEADER, true);
    for (written, is_even) in [(even, true), (written, false)] {
        for path in files(&place, &written.data) {
            let options = options(&path, 2).interleaved(true).check_names(false);
            match batches(options) {
                Ok(batches) => {
                    let pairs = batches.iter().map(|batch| batch.pairs().count());
                    assert!(is_even && 2 * pairs.sum::<usize>() == written.tags.len());
                    assert!(batches.iter().all(|batch| batch.len() % 2 == 0));
                }
                Err(error) => {
                    assert!(!is_even && matches!(error.kind(), ErrorKind::OddInterleaved));
                }
            }
        }
    }
}

#[test]
fn faults_are_the_same_however_it_is_read() {
    let place = Place::new();
    let Written { data, starts, .. } = write(RECORDS, HEADER, false);
    let number = RECORDS - 5000;
    let mut damaged = data.clone();
    damaged[starts[number]] ^= 1;
    let faults: [(&[u8], FormatErrorKind, Option<u64>, usize); 3] = [
        (
            &damaged,
            FormatErrorKind::Malformed("its lengths disagree"),
            Some(number as u64),
            starts[number],
        ),
        (
            &data[..starts[RECORDS] - 1],
            FormatErrorKind::Truncated,
            Some(RECORDS as u64 - 1),
            starts[RECORDS - 1],
        ),
        (&data[..HEADER], FormatErrorKind::Truncated, Some(0), HEADER),
    ];
    for (data, kind, record, offset) in faults {
        for path in files(&place, data) {
            for threads in [1, 3] {
                let error = read(options(&path, threads)).unwrap_err();
                let ErrorKind::Format(fault) = error.kind() else {
                    panic!("{error}");
                };
                let location = error.location();
                assert_eq!((fault.kind, location.record), (kind, record), "{error}");
                assert_eq!(location.text_offset, Some(offset as u64), "{error}");
            }
        }
    }
}

#[test]
fn without_the_format_it_is_none() {
    let place = Place::new();
    let path = place.write("a.made", &write(10, 0, false).data);
    let error = ReaderOptions::new().file(&path).open().err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::Format(_)), "{error}");
}
