//! Blocks of BGZF that are decoded as a whole, beside the kernel's way.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use thalweg_gzip::{Decoder, Event, Goal, Slab, Start};

/// What came of a file: its data; and if it failed, how, as text, and where.
type Outcome = (Vec<u8>, Option<(String, u64)>);

/// A block with these data.
fn block(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(data).unwrap();
    let packed = encoder.finish().unwrap();
    let mut block = vec![0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, b'B', b'C', 2, 0];
    block.extend((packed.len() as u16 + 25).to_le_bytes());
    block.extend(packed);
    let mut crc = flate2::Crc::new();
    crc.update(data);
    block.extend(crc.sum().to_le_bytes());
    block.extend((data.len() as u32).to_le_bytes());
    block
}

/// Bytes that compress a little, the same each time.
fn data(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..length)
        .map(|at| match at / 300 % 3 {
            0 => b'!' + (next() % 40) as u8,
            1 => (next() % 16) as u8 * 17,
            _ => at as u8,
        })
        .collect()
}

/// Read it all, with slabs for so many bytes; `stop` is where to make a stop for the owner.
fn decode(file: &[u8], is_whole: bool, slab: usize, stop: Option<u64>) -> Outcome {
    let source = Box::new(Cursor::new(file.to_vec()));
    let fresh = || Slab::new(slab);
    let mut decoder = Decoder::new(source, 0, Start::Member, Goal::EndOfFile, fresh());
    if is_whole {
        decoder.decode_whole_blocks();
    }
    if let Some(stop) = stop {
        decoder.set_limit(stop);
    }
    let mut all = Vec::new();
    loop {
        if let Err(error) = decoder.advance() {
            all.extend_from_slice(decoder.data());
            return (all, Some((error.to_string(), error.offset())));
        }
        match decoder.event() {
            Some(Event::Full) => {
                if stop == Some(decoder.output()) {
                    decoder.set_limit(u64::MAX);
                }
                // Not all of it, so that some is carried over.
                let taken = decoder.data().len() - decoder.data().len() / 7;
                let full = decoder.take(taken, fresh());
                all.extend_from_slice(full.data());
            }
            Some(Event::End) => {
                all.extend_from_slice(decoder.data());
                return (all, None);
            }
            Some(event) => panic!("{event:?}"),
            None => {}
        }
    }
}

#[test]
fn blocks_give_what_the_kernel_gives() {
    let sizes = [65_280, 1, 0, 65_536, 40_000, 300, 65_280, 65_280, 0, 7, 0];
    for level in [0, 1, 6, 9] {
        let mut expected = Vec::new();
        let mut file = Vec::new();
        for (number, &size) in sizes.iter().enumerate() {
            // What does not shrink does not fit a block.
            let size = if level == 0 { size.min(65_000) } else { size };
            let data = data(size, number as u64 + 9);
            file.extend(block(&data, level));
            expected.extend(data);
        }
        for slab in [256 * 1024, 80_000, 5000] {
            for stop in [None, Some(1), Some(70_000), Some(131_000)] {
                let found = decode(&file, true, slab, stop);
                assert!(found == (expected.clone(), None), "{level} {slab} {stop:?}");
                assert!(found == decode(&file, false, slab, stop));
            }
        }
    }
}

/// A limit that is raised makes no room: who waits for that is still told.
#[test]
fn a_raised_limit_is_no_room() {
    let file = [block(&data(60_000, 1), 6), block(&data(60_000, 2), 6)].concat();
    let source = Box::new(Cursor::new(file));
    let slab = Slab::new(80_000);
    let mut decoder = Decoder::new(source, 0, Start::Member, Goal::EndOfFile, slab);
    decoder.decode_whole_blocks();
    while decoder.event().is_none() {
        decoder.advance().unwrap();
    }
    assert_eq!(
        (decoder.event(), decoder.output()),
        (Some(Event::Full), 60_000)
    );
    decoder.set_limit(1_000_000);
    assert_eq!(decoder.event(), Some(Event::Full));
    decoder.make_room();
    while decoder.event().is_none() {
        decoder.advance().unwrap();
    }
    assert_eq!(
        (decoder.event(), decoder.output()),
        (Some(Event::End), 120_000)
    );
}

#[test]
fn faults_are_those_of_the_kernel() {
    let blocks: Vec<Vec<u8>> = [900, 30, 0, 400]
        .iter()
        .map(|&size| block(&data(size, 5), 6))
        .collect();
    let file = blocks.concat();
    for length in 0..file.len() {
        let cut = &file[..length];
        let found = decode(cut, true, 100_000, None);
        assert!(found == decode(cut, false, 100_000, None), "{length}");
    }
    for at in 0..file.len() {
        for bit in 0..8 {
            let mut changed = file.clone();
            changed[at] ^= 1 << bit;
            let found = decode(&changed, true, 100_000, None);
            let expected = decode(&changed, false, 100_000, None);
            assert!(
                found == expected,
                "byte {at}, bit {bit}: {:?}, {:?}",
                found.1,
                expected.1
            );
        }
    }
}
