//! Legs: a gzip file, and the same through a pipe, decoded in several places at once, beside the same decoder in one stream.
//!
//! Arbitrary bytes are hardly ever a file of several strips, so the input is a recipe: how reads are compressed, which bytes are put among
//! them, and what is changed in the file. Two halves may be compressed in two ways, as two members or as one.
//! Asserts: the text, the fault and its place, and blocks that are told, are the same with and without legs, whoever decodes these and when.
#![no_main]

use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::{Compress, Compression, Crc, FlushCompress};
use libfuzzer_sys::fuzz_target;
use thalweg_gzip::{Decoder, Event, Goal, Helper, Legs, Slab, Start};

/// Bytes of reads. Compressed they are some strips.
const READS: usize = 700_000;
/// The smallest strips that there are.
const STRIP: usize = 64 << 10;

fuzz_target!(|input: &[u8]| {
    let Some((&[seed, levels, way, helps, changes], rest)) = input.split_first_chunk::<5>() else {
        return;
    };
    let (changed, put_in) = rest.split_at(rest.len().min(usize::from(changes & 7) * 4));
    let mut text = reads(u64::from(seed));
    let place = text.len() / 256 * usize::from(way);
    text.splice(place..place, put_in.iter().copied());
    let (first, second) = text.split_at(text.len() / 16 * usize::from(way & 15));
    let mut file = match way >> 4 & 1 {
        0 => member(&[(first, levels & 15), (second, levels >> 4)]),
        _ => [member(&[(first, levels & 15)]), member(&[(second, levels >> 4)])].concat(),
    };
    for change in changed.chunks_exact(4) {
        let place = usize::from(change[0]) << 16 | usize::from(change[1]) << 8 | usize::from(change[2]);
        let length = file.len();
        match change[3] {
            0 => file.truncate(place % length.max(1)),
            bits => {
                if let Some(byte) = file.get_mut(place % length.max(1)) {
                    *byte ^= bits;
                }
            }
        }
    }
    let tells_blocks = helps & 1 == 1;
    let most = 2 + usize::from(helps >> 1 & 7);
    let alone = decode(decoder(Cursor::new(file.clone())), None, tells_blocks, 0);
    let legs = Arc::new(Legs::new(Arc::new(file.clone()), file.len() as u64, STRIP, most));
    let mut by_legs = decoder(Cursor::new(file.clone()));
    by_legs.with_legs(&legs);
    compare(&alone, &decode(by_legs, Some(&legs), tells_blocks, helps >> 4));
    let mut of_pipe = decoder(Pipe { bytes: Cursor::new(file), numbers: Numbers(u64::from(seed)) });
    let numbers = AtomicU64::new(u64::from(helps));
    let is_ready = move || Numbers(numbers.fetch_add(1, Ordering::Relaxed)).below(4) > 0;
    if let Some(legs) = of_pipe.with_legs_of_stream(is_ready, STRIP, most) {
        compare(&alone, &decode(of_pipe, Some(&legs), tells_blocks, helps >> 4));
    }
});

fn compare(alone: &Outcome, other: &Outcome) {
    assert_eq!(other.fault, alone.fault);
    assert!(other.text == alone.text, "another text: {} and {} bytes", other.text.len(), alone.text.len());
    assert_eq!(other.blocks, alone.blocks);
}

/// A pipe that gives now a little and now much.
struct Pipe {
    bytes: Cursor<Vec<u8>>,
    numbers: Numbers,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = 1 << self.numbers.below(18);
        let length = buffer.len().min(1 + self.numbers.below(most) as usize);
        self.bytes.read(&mut buffer[..length])
    }
}

fn decoder(source: impl Read + Send + 'static) -> Decoder {
    Decoder::new(Box::new(source), 0, Start::Member, Goal::EndOfFile, Slab::new(50_000))
}

/// A stream of numbers that is the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % end
    }
}

/// What came of a file.
struct Outcome {
    text: Vec<u8>,
    fault: Option<(String, u64)>,
    /// Bits at which blocks begin, and bytes of text before them: the first of those at one place in the text.
    blocks: Vec<(u64, u64)>,
}

/// Decode to the end, and help whenever the next of the lower four bits of `helps` says so.
fn decode(mut decoder: Decoder, legs: Option<&Arc<Legs>>, tells_blocks: bool, helps: u8) -> Outcome {
    if tells_blocks {
        decoder.report_blocks();
    }
    let mut helper = Helper::default();
    let mut outcome = Outcome { text: Vec::new(), fault: None, blocks: Vec::new() };
    for turn in 0.. {
        if let Some(legs) = legs.filter(|_| helps >> (turn % 4) & 1 == 1) {
            legs.help(&mut helper);
        }
        if let Err(fault) = decoder.advance() {
            outcome.fault = Some((fault.to_string(), fault.offset()));
            break;
        }
        match decoder.event() {
            Some(Event::End) => break,
            Some(Event::Full) => {
                let taken = decoder.data().len();
                outcome.text.extend(decoder.take(taken, Slab::new(50_000)).data());
            }
            Some(Event::Block) => {
                let place = decoder.output();
                if outcome.blocks.last().is_none_or(|last| last.1 != place) {
                    outcome.blocks.push((decoder.position(), place));
                }
                decoder.go_on();
            }
            Some(Event::ChunkEnd) => panic!("a goal that nobody gave"),
            None => {}
        }
    }
    outcome.text.extend(decoder.data());
    outcome
}

/// A gzip member of pieces, each at a level of 0 to 9, with an empty stored block between them.
fn member(pieces: &[(&[u8], u8)]) -> Vec<u8> {
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    let mut sum = Crc::new();
    for (piece, level) in pieces {
        let mut stream = Compress::new(Compression::new(u32::from(level % 10)), false);
        file.reserve(piece.len() * 2 + 1000);
        stream.compress_vec(piece, &mut file, FlushCompress::Sync).unwrap();
        sum.update(piece);
    }
    // The last block: empty, of the fixed code.
    file.extend([3, 0]);
    file.extend(sum.sum().to_le_bytes());
    file.extend(sum.amount().to_le_bytes());
    file
}

/// Records with names that count, whose letters repeat and whose qualities hardly do.
fn reads(seed: u64) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let mut number = move |end: u64| numbers.below(end);
    let genome: Vec<u8> = (0..50_000).map(|_| b"ACGT"[number(4) as usize]).collect();
    let mut text = Vec::with_capacity(READS + 1000);
    let mut count = 1000;
    while text.len() < READS {
        count += number(9);
        text.extend(format!("@M:{}:{count}\n", number(3)).bytes());
        let start = number(49_900) as usize;
        text.extend(&genome[start..start + 100]);
        text.extend(b"\n+\n");
        text.extend((0..100).map(|_| 35 + number(38) as u8));
        text.push(b'\n');
    }
    text
}
