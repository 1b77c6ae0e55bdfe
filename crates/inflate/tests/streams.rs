//! Valid streams of all kinds, cut up in all ways, in all numbers of lanes.

mod support;

use support::literals::mostly_literals;
use support::*;
use thalweg_inflate::testing::{Kernel, decode_with};
use thalweg_inflate::{Job, Lane, MAX_LANES, Status, WINDOW, Workbench, decode};

fn kinds(size: usize) -> Vec<Vec<u8>> {
    vec![
        fastq(1, size),
        noise(2, size, 256),
        noise(3, size, 4),
        noise(4, size, 2),
        echoes(5, size),
        vec![b'N'; size],
        Vec::new(),
        b"x".to_vec(),
    ]
}

#[test]
fn every_kind_and_level() {
    for data in kinds(700_000) {
        for level in [0, 1, 4, 6, 9] {
            let stream = compress(&data, level);
            let outcome = decode_one(&stream, Pieces::WHOLE);
            assert_eq!(
                outcome.end.map(|bit| bit.div_ceil(8)),
                Ok(stream.len() as u64)
            );
            assert!(outcome.bytes == data, "level {level}, {} bytes", data.len());
        }
    }
}

#[test]
fn output_of_the_exact_size() {
    for data in kinds(65_280) {
        let stream = compress(&data, 6);
        let pieces = Pieces {
            output: data.len(),
            ..Pieces::WHOLE
        };
        let outcome = decode_one(&stream, pieces);
        assert!(outcome.bytes == data && outcome.end.is_ok());
    }
}

#[test]
fn small_pieces() {
    let mut numbers = Numbers(9);
    for data in kinds(20_000) {
        let stream = compress_in_blocks(&data, [1, 6, 9][numbers.below(3)], 7000);
        for input in [1, 2, 7, 31, 70] {
            for output in [1, 3, 33, 300, 400, 5000] {
                let stop_at_blocks = numbers.below(2) == 0;
                let outcome = decode_one(
                    &stream,
                    Pieces {
                        input,
                        output,
                        stop_at_blocks,
                    },
                );
                assert!(outcome.bytes == data, "{input} {output}");
                assert_eq!(
                    outcome.end.map(|bit| bit.div_ceil(8)),
                    Ok(stream.len() as u64)
                );
            }
        }
    }
}

#[test]
fn lanes_of_unequal_length() {
    let mut numbers = Numbers(11);
    for count in 1..=MAX_LANES + 3 {
        for round in 0..6 {
            let data: Vec<Vec<u8>> = (0..count)
                .map(|_| {
                    let size = numbers.below(400_000);
                    let seed = numbers.next();
                    match numbers.below(4) {
                        0 => echoes(seed, size),
                        1 => noise(seed, size, 200),
                        _ => fastq(seed, size),
                    }
                })
                .collect();
            let streams: Vec<Vec<u8>> = data
                .iter()
                .map(|data| compress(data, [1, 6, 6, 9][numbers.below(4)]))
                .collect();
            let pieces: Vec<Pieces> = (0..count)
                .map(|_| Pieces {
                    input: [usize::MAX, 128 << 10, 1000][(numbers.below(3) + round) % 3],
                    output: [512 << 10, 64 << 10, 1 + numbers.below(3000)][numbers.below(3)],
                    stop_at_blocks: numbers.below(2) == 0,
                })
                .collect();
            let streams: Vec<&[u8]> = streams.iter().map(Vec::as_slice).collect();
            for (outcome, data) in decode_all(&streams, &pieces).iter().zip(&data) {
                assert!(outcome.end.is_ok() && outcome.bytes == *data);
            }
        }
    }
}

/// Blocks that are mostly literals have a loop of their own.
#[test]
fn blocks_of_literals() {
    let other = fastq(51, 50_000);
    let beside = compress(&other, 6);
    for seed in 0..18 {
        let tokens = [10, 3000, 25_000][seed as usize % 3];
        let (stream, text) = mostly_literals(seed, &[], tokens);
        let length = stream.len() as u64;
        assert!(zlib(&stream, text.len() + 1) == (text.clone(), Some(length)));
        for (input, output) in [
            (usize::MAX, 1 << 20),
            (90, 700),
            (usize::MAX, 1 + text.len()),
        ] {
            let pieces = Pieces {
                input,
                output,
                stop_at_blocks: false,
            };
            let outcome = decode_one(&stream, pieces);
            assert!(outcome.bytes == text, "{seed} {input} {output}");
            assert_eq!(outcome.end.map(|bit| bit.div_ceil(8)), Ok(length));
            for count in 2..=MAX_LANES {
                let streams = [&stream[..], &beside, &stream, &beside];
                let outcomes = decode_all(&streams[..count], &[pieces, Pieces::WHOLE]);
                for (outcome, text) in outcomes.iter().zip([&text, &other, &text, &other]) {
                    assert!(outcome.end.is_ok() && outcome.bytes == *text);
                }
            }
        }
    }
}

/// Start at every block of a stream with the window before it; watch what is needed of it, and do
/// again with everything else destroyed.
#[test]
fn start_in_the_middle() {
    let data = fastq(21, 400_000);
    let stream = compress_in_blocks(&data, 6, 60_000);
    let (naive, _) = naive::Naive::decode(&stream);
    let mut lane = Box::new(Lane::new());
    lane.stop_at_blocks(true);
    let mut out = vec![0; data.len()];
    let mut marks = vec![];
    let (mut bit, mut at) = (0, 0);
    loop {
        let mut workbench = Workbench::new();
        let mut jobs = [Job {
            lane: &mut lane,
            input: &stream,
            input_bit: bit,
            input_is_last: true,
            output: &mut out,
            output_at: at,
            status: None,
        }];
        decode(&mut workbench, &mut jobs);
        let status = jobs[0].status;
        (bit, at) = (jobs[0].input_bit, jobs[0].output_at);
        match status {
            Some(Ok(Status::BlockEnd)) => marks.push((bit, at)),
            Some(Ok(Status::StreamEnd)) => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(marks.len() > 5);
    for &(bit, at) in &marks {
        let history = at.min(WINDOW);
        let mut slab = data[at - history..at].to_vec();
        slab.resize(history + data.len() - at, 0);
        let mut lane = Box::new(Lane::new());
        lane.start(history);
        lane.watch_window();
        let mut workbench = Workbench::new();
        let mut jobs = [Job {
            lane: &mut lane,
            input: &stream,
            input_bit: bit,
            input_is_last: true,
            output: &mut slab,
            output_at: history,
            status: None,
        }];
        decode(&mut workbench, &mut jobs);
        assert_eq!(jobs[0].status, Some(Ok(Status::StreamEnd)));
        assert!(slab[history..] == data[at..]);
        let record = lane.take_references(true).unwrap();
        assert!(lane.take_references(true).is_none());

        let mut wanted = vec![0_u64; WINDOW / 64];
        for &(to, distance, length) in naive.matches.iter().filter(|m| m.0 >= at) {
            for byte in (to - distance..to).take(length).filter(|byte| *byte < at) {
                let byte = byte + WINDOW - at;
                wanted[byte / 64] |= 1 << (byte % 64);
            }
        }
        assert!(record[..] == wanted[..]);
        let used: u32 = record.iter().map(|word| word.count_ones()).sum();
        assert!(used == 0 || (used as usize) < WINDOW);

        for (byte, value) in slab.iter_mut().take(history).enumerate() {
            let i = WINDOW - history + byte;
            if record[i / 64] >> (i % 64) & 1 == 0 {
                *value = b'?';
            }
        }
        slab[history..].fill(0);
        lane.start(history);
        let mut workbench = Workbench::new();
        let mut jobs = [Job {
            lane: &mut lane,
            input: &stream,
            input_bit: bit,
            input_is_last: true,
            output: &mut slab,
            output_at: history,
            status: None,
        }];
        decode(&mut workbench, &mut jobs);
        assert_eq!(jobs[0].status, Some(Ok(Status::StreamEnd)));
        assert!(slab[history..] == data[at..]);
    }
}

#[test]
fn neighbours_of_the_output_stay_as_they_are() {
    let data = echoes(31, 100_000);
    let stream = compress(&data, 9);
    for (stream, data) in [(stream, data), mostly_literals(31, &[], 40_000)] {
        let cuts = [0, 1, 31, 32, 33, 400, data.len() - 1];
        for (kernel, cut) in Kernel::available().flat_map(|kernel| cuts.map(|cut| (kernel, cut))) {
            let mut slab = vec![0xcc; data.len() + 1000];
            let mut lane = Box::new(Lane::new());
            let room = data.len() - cut;
            let mut workbench = Workbench::new();
            let mut jobs = [Job {
                lane: &mut lane,
                input: &stream,
                input_bit: 0,
                input_is_last: true,
                output: &mut slab[..room],
                output_at: 0,
                status: None,
            }];
            decode_with(kernel, &mut workbench, &mut jobs);
            let wanted = if cut == 0 {
                Status::StreamEnd
            } else {
                Status::OutputFull
            };
            assert_eq!(jobs[0].status, Some(Ok(wanted)));
            assert!(slab[..room] == data[..room]);
            assert!(slab[room..].iter().all(|byte| *byte == 0xcc));
        }
    }
}

/// A match that meets the end of the output is done when there is room again, whatever follows it: the end
/// of the block or of the stream, a stored block.
#[test]
fn matches_at_the_end_of_the_output() {
    let mut streams = Vec::new();
    for size in [4, 30, 300, 1000] {
        let mut data = noise(41, 7, 256);
        while data.len() < size {
            data.push(data[data.len() - 7]);
        }
        streams.push((compress(&data, 6), data.clone()));
        // Stored blocks of nothing between the blocks.
        streams.push((compress_in_blocks(&data, 6, size / 2), data.clone()));
        // A block that ends in a match, then a stored block.
        let mut stream = compress_in_blocks(&data, 6, size);
        assert_eq!(stream.split_off(stream.len() - 2), [3, 0]); // a last block of nothing
        stream.extend([1, 3, 0, 0xfc, 0xff, b'x', b'y', b'z']);
        data.extend(b"xyz");
        streams.push((stream, data));
    }
    for (stream, data) in &streams {
        for output in (1..=9).chain([62, 257, 258, 299]) {
            for (input, stop_at_blocks) in [(1, false), (8, true), (usize::MAX, false)] {
                let pieces = Pieces {
                    input,
                    output,
                    stop_at_blocks,
                };
                let outcome = decode_one(stream, pieces);
                assert!(outcome.bytes == *data, "{} {output}", data.len());
                assert_eq!(
                    outcome.end.map(|bit| bit.div_ceil(8)),
                    Ok(stream.len() as u64)
                );
            }
        }
    }
}
