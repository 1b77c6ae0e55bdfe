//! Streams that are wrong: the verdict is zlib's, the bytes before the fault are there, and nothing
//! else happens.

mod support;

use proptest::prelude::*;
use support::literals::mostly_literals;
use support::*;
use thalweg_inflate::ErrorKind;

fn kind(stream: &[u8]) -> ErrorKind {
    decode_one(stream, Pieces::WHOLE).end.unwrap_err().kind
}

/// Bits, first one lowest, as bytes.
fn bytes(bits: &[(u32, u32)]) -> Vec<u8> {
    let mut out = Vec::new();
    let (mut word, mut held) = (0_u64, 0);
    for &(value, count) in bits {
        word |= u64::from(value) << held;
        held += count;
        while held >= 8 {
            out.push(word as u8);
            word >>= 8;
            held -= 8;
        }
    }
    out.push(word as u8);
    out
}

#[test]
fn every_kind_of_fault() {
    assert_eq!(kind(&[]), ErrorKind::UnexpectedEnd);
    assert_eq!(kind(&[0b111]), ErrorKind::InvalidBlockType);
    assert_eq!(kind(&[1, 5, 0, 0, 0]), ErrorKind::StoredLengthMismatch);
    assert_eq!(kind(&[1, 5, 0, 0xfa, 0xff, 1]), ErrorKind::UnexpectedEnd);
    // 287 literal/length codes; 31 distance codes.
    assert_eq!(
        kind(&bytes(&[(0b101, 3), (30, 5), (0, 5), (0, 4)])),
        ErrorKind::TooManySymbols
    );
    assert_eq!(
        kind(&bytes(&[(0b101, 3), (0, 5), (30, 5), (0, 4)])),
        ErrorKind::TooManySymbols
    );
    // A code length code without a word.
    let stream = bytes(&[(0b101, 3), (0, 5), (0, 5), (0, 4), (0, 12), (0, 64)]);
    assert_eq!(kind(&stream), ErrorKind::InvalidCodeLengths);
    // Fixed code: a match at the very start; the reserved length code 286 (11000110).
    assert_eq!(
        kind(&bytes(&[(0b011, 3), (0b100_0000, 7), (0, 5), (0, 20)])),
        ErrorKind::DistanceTooFar
    );
    assert_eq!(
        kind(&bytes(&[(0b011, 3), (0b0110_0011, 8), (0, 20)])),
        ErrorKind::InvalidSymbol
    );
    // Fixed code: the reserved distance code 30 (11110).
    assert_eq!(
        kind(&bytes(&[
            (0b011, 3),
            (0b100_0000, 7),
            (0b01111, 5),
            (0, 20)
        ])),
        ErrorKind::InvalidSymbol
    );
}

/// A dynamic block of one literal, lengths and distances given by hand.
fn dynamic(litlen: &[u8], distance: &[u8], rest: &[(u32, u32)]) -> Vec<u8> {
    // Code lengths as they are, 4 bits each: the code length code has 16 words of 4 bits.
    let mut bits = vec![
        (0b101, 3),
        (litlen.len() as u32 - 257, 5),
        (distance.len() as u32 - 1, 5),
        (15, 4),
    ];
    bits.extend([(0, 3); 3]);
    bits.extend([(4, 3); 16]);
    for &length in litlen.iter().chain(distance) {
        bits.push((u32::from(length.reverse_bits() >> 4), 4));
    }
    bits.extend(rest);
    bytes(&bits)
}

#[test]
fn incomplete_codes() {
    let mut litlen = [0; 258];
    litlen[b'a' as usize] = 1;
    litlen[256] = 2;
    litlen[257] = 2;
    // A match of 3 after "a".
    let rest = [(0, 1), (0b11, 2), (0, 1), (0b01, 2)];
    let one = dynamic(&litlen, &[1], &rest);
    assert_eq!(decode_one(&one, Pieces::WHOLE).bytes, b"aaaa");
    assert_eq!(zlib(&one, 100).0, b"aaaa");
    // The word that is not there; no distance code at all; one of two bits.
    let other = [(0, 1), (0b11, 2), (1, 1), (0b01, 2)];
    assert_eq!(
        kind(&dynamic(&litlen, &[1], &other)),
        ErrorKind::InvalidSymbol
    );
    assert_eq!(
        kind(&dynamic(&litlen, &[0], &rest)),
        ErrorKind::InvalidSymbol
    );
    assert_eq!(
        kind(&dynamic(&litlen, &[2], &rest)),
        ErrorKind::InvalidCodeLengths
    );
    assert_eq!(
        kind(&dynamic(&litlen, &[1, 1, 1], &rest)),
        ErrorKind::InvalidCodeLengths
    );
    // An end-of-block code alone is a stream of nothing; none is no code.
    let mut end = [0; 257];
    end[256] = 1;
    assert_eq!(
        decode_one(&dynamic(&end, &[0], &[(0, 1)]), Pieces::WHOLE).bytes,
        b""
    );
    assert!(zlib(&dynamic(&end, &[0], &[(0, 1)]), 100).1.is_some());
    end[256] = 0;
    end[0] = 1;
    assert_eq!(
        kind(&dynamic(&end, &[0], &[(0, 1)])),
        ErrorKind::InvalidCodeLengths
    );
}

#[test]
fn every_cut() {
    let data = fastq(3, 3000);
    for level in [0, 6] {
        let stream = compress(&data, level);
        for end in 0..stream.len() {
            let outcome = decode_one(&stream[..end], Pieces::WHOLE);
            assert_eq!(outcome.end.unwrap_err().kind, ErrorKind::UnexpectedEnd);
            assert!(data.starts_with(&outcome.bytes));
        }
    }
}

/// The same outcome, in every cut and beside other lanes, as zlib-rs and the naive decoder.
fn check(stream: &[u8], seed: u64) {
    let mut numbers = Numbers(seed);
    let (naive, end) = naive::Naive::decode(stream);
    let (zlib_bytes, zlib_end) = zlib(stream, naive.out.len() + 1000);
    assert_eq!(zlib_end, end.ok().map(|bit| bit.div_ceil(8)));
    if zlib_end.is_some() {
        assert!(zlib_bytes == naive.out);
    }
    let good = compress(&fastq(77, 30_000), 6);
    let pieces = Pieces {
        input: 1 + numbers.below(5000),
        output: 1 + numbers.below(50_000),
        stop_at_blocks: numbers.below(2) == 0,
    };
    for outcome in [
        decode_one(stream, Pieces::WHOLE),
        decode_one(stream, pieces),
        decode_all(&[&good, stream, &good], &[Pieces::WHOLE, pieces]).remove(1),
    ] {
        assert!(
            outcome.bytes == naive.out,
            "{} {} {end:?} {:?}",
            outcome.bytes.len(),
            naive.out.len(),
            outcome.end
        );
        match (outcome.end, end) {
            (Ok(bit), Ok(wanted)) => assert_eq!(bit, wanted),
            (Err(error), Err(wanted)) => {
                let same = match error.kind {
                    ErrorKind::UnexpectedEnd => wanted == "short",
                    ErrorKind::InvalidBlockType => wanted == "type",
                    ErrorKind::StoredLengthMismatch => wanted == "stored",
                    ErrorKind::TooManySymbols => wanted == "many",
                    ErrorKind::InvalidCodeLengths => wanted == "lengths",
                    ErrorKind::InvalidSymbol => wanted == "symbol",
                    ErrorKind::DistanceTooFar => wanted == "far",
                    _ => false,
                };
                assert!(same, "{error:?}, but {wanted}");
            }
            other => panic!("{other:?}"),
        }
    }
}

// PROPTEST_CASES=20000 for a long run.
proptest! {
    #[test]
    fn mutations(
        seed in any::<u64>(),
        size in 1..60_000_usize,
        level in 0..10_u32,
        changes in prop::collection::vec((any::<prop::sample::Index>(), 1..=255_u8), 0..4),
        cut in any::<prop::sample::Index>(),
        is_cut in prop::bool::weighted(0.2),
    ) {
        let mut stream = match seed % 4 {
            0 => compress(&echoes(seed, size), level),
            1 => compress(&noise(seed, size, 30), level),
            2 => compress(&fastq(seed, size), level),
            _ => mostly_literals(seed, &[], size / 4).0,
        };
        for (place, change) in changes {
            let place = place.index(stream.len());
            stream[place] ^= change;
        }
        if is_cut {
            stream.truncate(cut.index(stream.len()));
        }
        check(&stream, seed);
    }

    #[test]
    fn garbage(seed in any::<u64>(), size in 0..400_usize, block in 0..4_u8) {
        let mut stream = noise(seed, size, 256);
        if let Some(first) = stream.first_mut() {
            *first = *first & !6 | block << 1;
        }
        check(&stream, seed);
    }
}
