//! Small streams that reach every unsafe site of the portable loops, quick enough for Miri. They are made by
//! hand in the fixed code, as the compressors are not for Miri.

mod support;

use support::literals::mostly_literals;
use support::*;
use thalweg_inflate::testing::{Kernel, decode_symbols_with, decode_with};
use thalweg_inflate::{Job, Lane, Status, WINDOW, Workbench};

/// A stream of a stored block and a block of `tokens` random tokens, and its text.
fn made(seed: u64, stored: usize, tokens: usize) -> (Vec<u8>, Vec<u8>) {
    let text = noise(seed, stored, 256);
    let mut stream = vec![0];
    stream.extend((stored as u16).to_le_bytes());
    stream.extend((!(stored as u16)).to_le_bytes());
    stream.extend(&text);
    made_behind(seed, stream, text, tokens)
}

/// `stream` with a block of `tokens` random tokens behind it, which refer to `text` and add to it.
fn made_behind(
    seed: u64,
    mut stream: Vec<u8>,
    mut text: Vec<u8>,
    tokens: usize,
) -> (Vec<u8>, Vec<u8>) {
    let mut numbers = Numbers(seed);
    let (mut word, mut held) = (0b011_u64, 3);
    for _ in 0..tokens {
        let mut put = |value: u64, count: u32| {
            word |= value << held;
            held += count;
            while held >= 8 {
                stream.push(word as u8);
                word >>= 8;
                held -= 8;
            }
        };
        // Code words have their first bit highest, the stream has it lowest.
        let mirrored = |value: usize, count: u32| (value as u64).reverse_bits() >> (64 - count);
        if numbers.below(3) == 0 {
            let literal = numbers.below(256);
            match literal {
                0..144 => put(mirrored(0x30 + literal, 8), 8),
                _ => put(mirrored(0x190 + literal - 144, 9), 9),
            }
            text.push(literal as u8);
        } else {
            // Lengths 3-10 (symbols 257-264) or 258 (285); distances 1-4 (symbols 0-3) or 24577 - 32768
            // (29) if they are known.
            let length = if numbers.below(9) == 0 {
                put(mirrored(0xc0 + 285 - 280, 8), 8);
                258
            } else {
                let length = 3 + numbers.below(8);
                put(mirrored(length - 2, 7), 7);
                length
            };
            let far = text.len().saturating_sub(24_576).min(8192);
            let distance = if far > 0 && numbers.below(2) == 0 {
                let extra = numbers.below(far);
                put(mirrored(29, 5), 5);
                put(extra as u64, 13);
                24_577 + extra
            } else {
                let distance = 1 + numbers.below(4);
                put(mirrored(distance - 1, 5), 5);
                distance
            };
            for _ in 0..length {
                text.push(text[text.len() - distance]);
            }
        }
    }
    held += 7; // the end of the block is seven zeros
    stream.extend(&word.to_le_bytes()[..held.div_ceil(8) as usize]);
    (stream, text)
}

fn check(made: &[(Vec<u8>, Vec<u8>)], output: usize, counts: &[usize]) {
    for &count in counts {
        let lanes: Vec<&[u8]> = made
            .iter()
            .cycle()
            .take(count)
            .map(|made| &made.0[..])
            .collect();
        let outcomes = decode_all(
            &lanes,
            &[Pieces {
                output,
                ..Pieces::WHOLE
            }],
        );
        for (outcome, (_, text)) in outcomes.iter().zip(made.iter().cycle()) {
            assert!(outcome.end.is_ok() && outcome.bytes == *text);
        }
    }
}

#[test]
fn little_history() {
    check(
        &[made(1, 10, 250), made(2, 4, 300), made(3, 2000, 200)],
        1500,
        &[1, 2, 3, 4],
    );
}

#[test]
fn whole_window() {
    check(&[made(4, 33_000, 150)], 60_000, &[1, 2]);
}

#[test]
fn blocks_of_literals() {
    let window = made(9, 33_000, 0);
    let behind_it = {
        // The stored block is not the last one then.
        let (block, text) = mostly_literals(10, &window.1, 500);
        let stored = &window.0[..window.0.len() - 2];
        ([stored, &block].concat(), text)
    };
    check(&[behind_it], 70_000, &[1]);
    check(
        &[mostly_literals(11, &[], 800), made(12, 4, 300)],
        3000,
        &[1, 2],
    );
}

/// One to three streams begun in the middle, to bytes, and to symbols of which some stand for bytes of a window that is not known.
#[test]
fn unknown_window() {
    const FIRST: u16 = 256;
    let window = noise(5, WINDOW, 256);
    let mut made: Vec<(Vec<u8>, Vec<u8>)> = [(6, 150), (7, 120), (8, 170)]
        .into_iter()
        .map(|(seed, tokens)| made_behind(seed, Vec::new(), window.clone(), tokens))
        .collect();
    made.push(mostly_literals(9, &window, 600));
    for made in [&made[..1], &made[..2], &made[..3], &made[3..]] {
        let mut bytes: Vec<Vec<u8>> = made.iter().map(|_| window.clone()).collect();
        let unknown: Vec<u16> = (FIRST..).take(WINDOW).collect();
        let mut symbols: Vec<Vec<u16>> = made.iter().map(|_| unknown.clone()).collect();
        begun_in_the_middle(made, &mut bytes, decode_with);
        begun_in_the_middle(made, &mut symbols, decode_symbols_with);
        for ((bytes, symbols), (_, text)) in bytes.iter().zip(&symbols).zip(made) {
            assert!(bytes[..text.len()] == text[..]);
            let known = symbols
                .iter()
                .map(|&symbol| match symbol.checked_sub(FIRST) {
                    Some(place) => window[usize::from(place)],
                    None => symbol as u8,
                });
            assert!(known.take(text.len()).eq(text.iter().copied()));
            assert!(symbols[WINDOW..].iter().any(|symbol| *symbol >= FIRST));
        }
    }
}

/// Room behind what a stream gives.
const SPARE: usize = 600;

/// Decode each stream behind the window that its output begins with.
fn begun_in_the_middle<S: Copy + Default>(
    made: &[(Vec<u8>, Vec<u8>)],
    outputs: &mut [Vec<S>],
    decode: fn(Kernel, &mut Workbench, &mut [Job<'_, S>]),
) {
    let mut lanes: Vec<Lane> = made.iter().map(|_| Lane::new()).collect();
    let mut jobs: Vec<Job<'_, S>> = Vec::new();
    for ((lane, output), (stream, text)) in lanes.iter_mut().zip(outputs).zip(made) {
        lane.start(WINDOW);
        output.resize(text.len() + SPARE, S::default());
        jobs.push(Job {
            lane,
            input: stream,
            input_bit: 0,
            input_is_last: true,
            output,
            output_at: WINDOW,
            status: None,
        });
    }
    let kernel = Kernel::available().next().expect("the portable one");
    let mut workbench = Workbench::new();
    while !jobs.is_empty() {
        decode(kernel, &mut workbench, &mut jobs);
        jobs.retain(|job| {
            if let Some(status) = job.status {
                assert_eq!(status, Ok(Status::StreamEnd));
                assert_eq!(job.output_at + SPARE, job.output.len());
            }
            job.status.is_none()
        });
    }
}
