//! Content and order, for files: every number of threads gives the same.

use std::num::NonZeroU64;
use std::path::Path;

use crate::support::{batches, expected, names, runs, text_of, write};
use proptest::prelude::*;
use thalweg_flow::{Failure, Place};
use thalweg_write::{
    Error, Level, OutputFormat, OutputOptions, OutputPiece, Outputs, Split, ordinal,
};

const FORMATS: [OutputFormat; 4] = [
    OutputFormat::Plain,
    OutputFormat::Gzip,
    OutputFormat::Bgzf,
    OutputFormat::Zstd,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn files_have_the_order_of_the_input(
        run in runs(12, 30),
        delay in prop_oneof![Just(0_u64), Just(300)],
        head in prop_oneof![Just(""), Just("a head\n")],
    ) {
        let directory = tempfile::tempdir().unwrap();
        let batches = run.batches(FORMATS.len(), 40);
        let path = |number: usize| directory.path().join(format!("{number}"));
        let options = FORMATS.iter().enumerate().map(|(number, format)| {
            OutputOptions::new(path(number)).format(*format).level(Level::FASTEST).head(head)
        });
        let written = run.write(options.collect(), &batches, delay);
        for (number, format) in FORMATS.into_iter().enumerate() {
            let expected = [head.as_bytes(), &expected(&batches, number)].concat();
            prop_assert!(text_of(&path(number), format) == expected);
            let records: u64 = batches.iter().flatten().map(|piece| piece[number].records).sum();
            prop_assert_eq!(written[number].len(), 1);
            prop_assert_eq!(written[number][0].records, records);
            prop_assert_eq!(written[number][0].bytes, path(number).metadata().unwrap().len());
        }
        prop_assert_eq!(names(directory.path()).len(), FORMATS.len());
    }

    #[test]
    fn split_files_follow_from_ranks_and_packs_alone(
        run in runs(8, 15),
        records in 1_u64..=60,
        rule in 0..4,
        format in prop::sample::select(&FORMATS[..]),
    ) {
        let directory = tempfile::tempdir().unwrap();
        let batches = run.batches(2, 40);
        let number = |number| NonZeroU64::new(number).unwrap();
        let packs = records.div_ceil(8);
        let split = match rule {
            0 => Split::every(number(records)),
            1 => Split::dealt(number(4), number(records)),
            2 => Split::full_packs(number(records)),
            _ => Split::pack_shares(number(4), number(packs)),
        };
        // Output 0 is split, output 1 is not.
        let options = vec![
            OutputOptions::new(directory.path().join("split")).format(format).split(split.digits(3)),
            OutputOptions::new(directory.path().join("whole")).format(format),
        ];
        let written = run.write(options, &batches, 100);

        // The oracle goes from record to record, and past the packs that end before each.
        let mut files: Vec<Vec<Vec<u8>>> = vec![Vec::new(); if matches!(rule, 0 | 2) { 1 } else { 4 }];
        let (mut rank, mut packs_ended) = (0, 0);
        let mut end_pack = |files: &mut Vec<Vec<Vec<u8>>>| {
            packs_ended += 1;
            if rule == 2 && files.last().unwrap().len() as u64 >= records {
                files.push(Vec::new());
            }
            (packs_ended / packs as usize).min(3)
        };
        let mut file_of_pack = 0;
        for batch in batches.iter().flatten().map(|piece| &piece[0]) {
            let lines: Vec<_> = batch.text.split_inclusive(|byte| *byte == b'\n').collect();
            for at in 0..=batch.records {
                for _ in batch.pack_ends.iter().filter(|end| **end == at) {
                    file_of_pack = end_pack(&mut files);
                }
                let Some(record) = lines.chunks(4).nth(at as usize) else { break };
                let share = rank / records as usize;
                let file = match rule {
                    0 => share,
                    1 => share % 4,
                    2 => files.len() - 1,
                    _ => file_of_pack,
                };
                if file == files.len() {
                    files.push(Vec::new());
                }
                files[file].push(record.concat());
                rank += 1;
            }
        }
        end_pack(&mut files);
        let files: Vec<_> = files.iter().map(|file| file.concat()).collect();
        for (file, text) in files.iter().enumerate() {
            let path = directory.path().join(format!("{:03}.split", file + 1));
            prop_assert!(&text_of(&path, format) == text);
            let lines = text.iter().filter(|byte| **byte == b'\n').count() as u64;
            prop_assert_eq!(written[0][file].records, lines / 4);
        }
        prop_assert!(text_of(&directory.path().join("whole"), format) == expected(&batches, 1));
        prop_assert_eq!(names(directory.path()).len(), files.len() + 1);
    }
}

#[test]
fn bytes_do_not_depend_on_the_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let batches = batches(7, 40, 1, 300);
    let every = Split::every(NonZeroU64::new(1000).unwrap());
    let mut first: Option<Vec<(String, Vec<u8>)>> = None;
    for threads in 1..=8 {
        let folder = directory.path().join(threads.to_string());
        std::fs::create_dir(&folder).unwrap();
        let options = OutputOptions::new(folder.join("out.fq.gz")).split(every);
        let outputs = Outputs::open(vec![options], 5).unwrap();
        write(&outputs, &batches, threads, 2, 50).unwrap();
        outputs.finish(40).unwrap();
        let content = |name: String| (name.clone(), std::fs::read(folder.join(name)).unwrap());
        let files: Vec<_> = names(&folder).into_iter().map(content).collect();
        assert!(files.len() > 3);
        assert!(first.get_or_insert_with(|| files.clone()) == &files);
    }
}

#[test]
fn an_output_without_batches_is_valid() {
    let directory = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let path = directory.path().join("out");
        let options = OutputOptions::new(&path).format(format);
        let written = Outputs::open(vec![options], 1).unwrap().finish(0).unwrap();
        assert_eq!(written[0][0].records, 0);
        assert!(text_of(&path, format).is_empty());
    }
}

fn open_one(path: &Path) -> Outputs {
    Outputs::open(vec![OutputOptions::new(path)], 4).unwrap()
}

#[test]
fn missing_and_repeated_batches_are_noticed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("out");
    let hand_in = |outputs: &Outputs, place: Place| {
        let mut text = b"@a\n\n+\n\n".to_vec();
        let mut writer = outputs.writer().unwrap();
        writer.write(place, &mut [OutputPiece::new(&mut text, 1)])
    };

    let outputs = open_one(&path);
    hand_in(&outputs, ordinal(0)).unwrap();
    hand_in(&outputs, ordinal(2)).unwrap();
    let error = outputs.finish(3).unwrap_err();
    assert!(
        matches!(
            error,
            Error::Incomplete {
                ticket: 1,
                tickets: 3
            }
        ),
        "{error}"
    );

    let outputs = open_one(&path);
    hand_in(&outputs, ordinal(0)).unwrap();
    assert!(outputs.finish(2).is_err());

    let outputs = open_one(&path);
    hand_in(
        &outputs,
        Place {
            ticket: 0,
            piece: 0,
            last: false,
        },
    )
    .unwrap();
    assert!(outputs.finish(1).is_err());

    for ticket in [0, 1] {
        let outputs = open_one(&path);
        hand_in(&outputs, ordinal(ticket)).unwrap();
        let error = hand_in(&outputs, ordinal(ticket)).unwrap_err();
        assert!(matches!(error, Error::Misplaced { .. }), "{error}");
        assert!(matches!(outputs.finish(1), Err(Error::Stopped)));
    }

    let outputs = open_one(&path);
    let error = outputs
        .writer()
        .unwrap()
        .write(ordinal(0), &mut [])
        .unwrap_err();
    assert!(matches!(error, Error::Misplaced { .. }), "{error}");
    assert!(names(directory.path()).is_empty());
}

#[test]
fn texts_that_do_not_hold_their_records_are_not_split() {
    let directory = tempfile::tempdir().unwrap();
    let split = Split::every(NonZeroU64::new(10).unwrap());
    let options = OutputOptions::new(directory.path().join("out")).split(split);
    let outputs = Outputs::open(vec![options], 1).unwrap();
    let mut text = b"@a\nA\n+\nF\n".to_vec();
    let piece = OutputPiece::new(&mut text, 2);
    let error = outputs
        .writer()
        .unwrap()
        .write(ordinal(0), &mut [piece])
        .unwrap_err();
    assert!(
        matches!(
            error,
            Error::Lines {
                lines: 4,
                records: 2,
                ..
            }
        ),
        "{error}"
    );
    drop(outputs);
    assert!(names(directory.path()).is_empty());
}

#[test]
fn capacity_bounds_what_is_unfinished() {
    let directory = tempfile::tempdir().unwrap();
    let outputs = Outputs::open(vec![OutputOptions::new(directory.path().join("out"))], 2).unwrap();
    let admits = |ticket| outputs.gate().admits(ticket).unwrap();
    assert_eq!([0, 1, 2].map(admits), [true, true, false]);
    let mut writer = outputs.writer().unwrap();
    let mut text = b"x".to_vec();
    writer
        .write(ordinal(1), &mut [OutputPiece::new(&mut text, 1)])
        .unwrap();
    assert!(!admits(2), "ticket 0 is not there");
    text.clear();
    writer
        .write(ordinal(0), &mut [OutputPiece::new(&mut text, 0)])
        .unwrap();
    assert_eq!([2, 3, 4].map(admits), [true, true, false]);
    drop(writer);
    outputs.finish(2).unwrap();
}

#[test]
fn a_worker_that_fails_wakes_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let outputs = open_one(&directory.path().join("out"));
    let outcome = thalweg_flow::run_or(
        4,
        |worker, _| {
            if worker == 0 {
                std::thread::sleep(std::time::Duration::from_millis(20));
                return Err("no ticket 0");
            }
            // Ticket 0 never comes.
            let waited = outputs.begin(10);
            assert!(matches!(waited, Err(Error::Stopped)));
            Ok(())
        },
        || outputs.close(),
    );
    assert_eq!(outcome.unwrap_err(), Failure::Failed("no ticket 0"));
    assert!(matches!(outputs.finish(0), Err(Error::Stopped)));
    assert!(names(directory.path()).is_empty());
}

#[test]
fn a_panic_wakes_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let outputs = open_one(&directory.path().join("out"));
    std::thread::scope(|scope| {
        let panics = scope.spawn(|| {
            let _writer = outputs.writer().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            panic!("on purpose");
        });
        // Only the writer that is dropped in the panic can wake this.
        assert!(matches!(outputs.begin(10), Err(Error::Stopped)));
        assert!(panics.join().is_err());
    });
    drop(outputs);
    assert!(names(directory.path()).is_empty());
}

/// Also those that nothing else comes to, and each that a split makes.
#[test]
fn every_file_has_its_head() {
    let directory = tempfile::tempdir().unwrap();
    let path = |number: usize| directory.path().join(format!("{number}"));
    let options = FORMATS.iter().enumerate().map(|(number, format)| {
        let options = OutputOptions::new(path(number)).format(*format);
        options.head("a head\n")
    });
    let split = Split::every(NonZeroU64::new(1).unwrap());
    let split = OutputOptions::new(path(9)).split(split).head("#\n");
    let outputs = Outputs::open(options.chain([split]).collect(), 2).unwrap();
    let mut texts = vec![Vec::new(); FORMATS.len()];
    let record = b"@a\nA\n+\nI\n";
    texts.push(Vec::new());
    let mut writer = outputs.writer().unwrap();
    for ticket in 0..2 {
        texts[FORMATS.len()] = record.to_vec();
        let pieces = texts.iter_mut().enumerate();
        let pieces = pieces.map(|(i, text)| OutputPiece::new(text, u64::from(i == FORMATS.len())));
        writer
            .write(ordinal(ticket), &mut Vec::from_iter(pieces))
            .unwrap();
    }
    drop(writer);
    let written = outputs.finish(2).unwrap();
    for (number, format) in FORMATS.into_iter().enumerate() {
        assert_eq!(text_of(&path(number), format), b"a head\n");
    }
    let files = Vec::from_iter(written[FORMATS.len()].iter().map(|file| &file.path));
    assert_eq!(files.len(), 2);
    for file in files {
        assert_eq!(
            text_of(file, OutputFormat::Plain),
            [&b"#\n"[..], record].concat()
        );
    }
}
