//! Legs one by one: of which parts they are, and what these say.

use std::io::Write;
use std::sync::Arc;

use flate2::write::DeflateEncoder;
use flate2::{Compress, Compression, FlushCompress};
use thalweg_inflate::{WINDOW, Workbench, find_block};

use super::leg::{Leg, LegText, Part};
use super::making::{Bench, Making, Plan, run};
use super::source::Source;

/// Lines with few kinds of what is copied, so that there are soon enough codes.
fn text(size: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut number = move |end: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % end
    };
    let mut text = Vec::with_capacity(size + 100);
    let mut count = 1000;
    while text.len() < size {
        count += number(9);
        writeln!(text, "@AB:{count}:{}", number(20_000)).unwrap();
        text.extend((0..60).map(|_| b"ACGT"[number(4)]));
        text.extend(b"\n+\n");
        text.extend((0..60).map(|_| 35 + number(30) as u8));
        text.push(b'\n');
    }
    text.truncate(size);
    text
}

/// DEFLATE of `pieces` at their levels, each of which ends its block and has an empty stored block behind it.
fn deflate(pieces: &[(&[u8], u32)]) -> Vec<u8> {
    let mut out = Vec::new();
    for same in pieces.chunk_by(|one, next| one.1 == next.1) {
        // At another level as a stream of its own, which ends at a whole byte and not in a last block.
        let mut stream = Compress::new(Compression::new(same[0].1), false);
        for (piece, _) in same {
            out.reserve(piece.len() * 2 + 1000);
            stream
                .compress_vec(piece, &mut out, FlushCompress::Sync)
                .unwrap();
        }
    }
    out.extend([3, 0]);
    out
}

/// The leg from the first block that is found behind `from` bytes of a stream, and where its text begins.
fn leg(stream: &[u8], text: &[u8], from: usize, most: usize) -> (Leg, usize) {
    let start = find_block(stream, from as u64 * 8, u64::MAX).expect("a block");
    let source = Source::File {
        file: Arc::new(stream.to_vec()),
        length: stream.len() as u64,
    };
    let plan = Plan {
        start,
        goal: u64::MAX,
        most,
        window: None,
    };
    let mut makings = [Making::new(
        Bench::default(),
        &source,
        plan,
        &Arc::default(),
    )];
    run(&mut Workbench::new(), &mut makings);
    let [making] = makings;
    let (leg, _) = making.finish();
    // Where its text begins: the end of what is before, by its length.
    let at = text.len() - leg.length();
    (leg, at)
}

/// Whether parts are symbols, those of one kind behind each other as one.
fn wide(leg: &Leg) -> Vec<bool> {
    let parts = leg.parts.iter().filter(|part| part.length() > 0);
    let mut kinds: Vec<bool> = parts.map(Part::is_wide).collect();
    kinds.dedup();
    kinds
}

/// The text of a leg, read in pieces, and once more after it was made text as a whole.
fn read(mut leg: Leg, text: &[u8], at: usize) -> Vec<u8> {
    let window: &[u8; WINDOW] = text[at - WINDOW..at].first_chunk().unwrap();
    let behind = leg.window_behind(window);
    let mut found = Vec::new();
    let mut piece = vec![0; 70_001];
    let mut leg_text = LegText::new(leg.clone(), window);
    loop {
        let taken = leg_text.read(&mut piece);
        assert!(!taken.is_summed);
        found.extend_from_slice(&piece[..taken.length]);
        if taken.length == 0 {
            break;
        }
    }
    assert!(behind[..] == [window, &found[..]].concat()[found.len()..]);
    leg.resolve(window);
    let mut leg_text = LegText::new(leg, window);
    let (mut resolved, mut summed) = (Vec::new(), 0);
    loop {
        let taken = leg_text.read(&mut piece);
        resolved.extend_from_slice(&piece[..taken.length]);
        if let Some((crc32, length)) = taken.sum {
            let part = &resolved[summed..];
            assert_eq!((crc32fast::hash(part), part.len() as u64), (crc32, length));
            summed = resolved.len();
        }
        if taken.length == 0 {
            break;
        }
    }
    assert!(resolved == found && summed == found.len());
    found
}

fn check(stream: &[u8], text: &[u8], kinds: &[bool]) {
    let (leg, at) = leg(stream, text, 20_000, usize::MAX);
    assert!(leg.is_stream_end);
    assert_eq!(leg.end, stream.len() as u64 * 8);
    assert_eq!(wide(&leg), kinds);
    assert!(at >= WINDOW && at < text.len() / 2, "{at}");
    assert!(read(leg, text, at) == text[at..]);
}

/// As fewer bytes of the window are still referred to, fewer are codes.
#[test]
fn codes_become_fewer() {
    let text = text(6_000_000);
    let stream = deflate(&[(&text, 6)]);
    let (leg, at) = leg(&stream, &text, 20_000, usize::MAX);
    let parts = leg.parts.iter().filter(|part| part.length() > 0);
    let codes = parts.filter_map(|part| match part {
        Part::Coded { codes, .. } => Some(codes.codes().len()),
        Part::Wide { .. } | Part::Text { .. } => None,
    });
    let mut codes: Vec<usize> = codes.collect();
    codes.dedup();
    assert!(codes.len() >= 2, "{codes:?}");
    assert!(
        codes.windows(2).all(|pair| pair[1] <= pair[0] / 2),
        "{codes:?}"
    );
    assert!(read(leg, &text, at) == text[at..]);
}

#[test]
fn symbols_become_bytes() {
    let text = text(3_000_000);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(&text).unwrap();
    check(&encoder.finish().unwrap(), &text, &[true, false]);
}

/// A block that has as literals what were codes: they give way to others, and the text is right.
#[test]
fn codes_give_way_to_literals() {
    let before = text(2_000_000);
    let mut with_codes = text(300_000);
    for (number, byte) in with_codes.iter_mut().step_by(50).enumerate() {
        *byte = 128 + (number % 10) as u8;
    }
    let stream = deflate(&[(&before, 6), (&with_codes, 6), (&before, 6)]);
    let text = [&before[..], &with_codes, &before].concat();
    check(&stream, &text, &[true, false]);
    // All values: no byte can be a code; soon after, some can.
    for (number, byte) in with_codes.iter_mut().step_by(7).enumerate() {
        *byte = number as u8;
    }
    let stream = deflate(&[(&before, 6), (&with_codes, 6), (&before, 6)]);
    let text = [&before[..], &with_codes, &before].concat();
    check(&stream, &text, &[true, false, true, false]);
}

/// Stored blocks, and such in the fixed code, are taken as symbols; empty ones change nothing.
#[test]
fn blocks_without_a_code_of_their_own() {
    let before = text(2_000_000);
    let bytes: Vec<u8> = (0..200_000_u32)
        .map(|number| (number.wrapping_mul(number) >> 7) as u8)
        .collect();
    for level in [0, 1] {
        let stream = deflate(&[
            (&before, 6),
            (&bytes, level),
            (&before, 6),
            (&before[..7], 6),
            (&before, 6),
        ]);
        let text = [&before[..], &bytes, &before, &before[..7], &before].concat();
        let (leg, at) = leg(&stream, &text, 20_000, usize::MAX);
        assert!(
            leg.is_stream_end && wide(&leg).starts_with(&[true, false, true, false]),
            "{:?}",
            wide(&leg)
        );
        assert!(read(leg, &text, at) == text[at..]);
    }
}

/// What is more than is wanted is left, from the last block's end on; so is what is behind a fault.
#[test]
fn legs_end_where_a_block_does() {
    let text = text(8_000_000);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(&text).unwrap();
    let stream = encoder.finish().unwrap();
    let (whole, at) = leg(&stream, &text, 20_000, usize::MAX);
    drop(whole);
    let (parked, _) = leg(&stream, &text, 20_000, 1_500_000);
    assert!(!parked.is_stream_end && parked.end < stream.len() as u64 * 7);
    let found = read(parked, &text, at);
    assert!(found.len() > 1_000_000 && text[at..].starts_with(&found));

    let (cut, _) = leg(&stream[..stream.len() / 2], &text, 20_000, usize::MAX);
    assert!(!cut.is_stream_end);
    let found = read(cut, &text, at);
    assert!(found.len() > 1_000_000 && text[at..].starts_with(&found));
}

#[test]
fn says_how_far_it_reaches_behind() {
    let text = text(1_000_000);
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(&text).unwrap();
    let stream = encoder.finish().unwrap();
    let (leg, _) = leg(&stream, &text, 20_000, usize::MAX);
    assert!(leg.reaches_behind(0) && leg.reaches_behind(20_000) && !leg.reaches_behind(WINDOW));
}
