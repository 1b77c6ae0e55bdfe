//! What the tests share: an owner of lanes with pieces of any size, makers of streams, a source of
//! numbers.
#![allow(dead_code, unreachable_pub)] // each test file is a crate and uses its part

pub mod literals;
pub mod naive;

use std::io::Write;

use flate2::{Compress, Compression, FlushCompress, write::DeflateEncoder};
use thalweg_inflate::testing::{Kernel, decode_symbols_with, decode_with};
use thalweg_inflate::{Error, Job, Lane, Status, WINDOW, Workbench};

/// A stream of numbers that is the same every time (splitmix64).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Text like that of a sequencer: names that count, letters that repeat, qualities in runs.
pub fn fastq(seed: u64, size: usize) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let genome: Vec<u8> = (0..20_000).map(|_| b"ACGT"[numbers.below(4)]).collect();
    let mut text = Vec::new();
    let mut x = 1000;
    while text.len() < size {
        x += numbers.below(9);
        writeln!(
            text,
            "@M:7:{}:{x}:{} 1:N:0",
            numbers.below(3),
            numbers.below(20_000)
        )
        .unwrap();
        let start = numbers.below(genome.len() - 151);
        text.extend(&genome[start..start + 151]);
        text.extend(b"\n+\n");
        let mut quality = 40;
        for _ in 0..151 {
            if numbers.below(3) == 0 {
                quality = 2 + numbers.below(39) as u8;
            }
            text.push(33 + quality);
        }
        text.push(b'\n');
    }
    text.truncate(size);
    text
}

/// Bytes of which `letters` differ.
pub fn noise(seed: u64, size: usize, letters: usize) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    (0..size).map(|_| numbers.below(letters) as u8).collect()
}

/// Bytes with matches of all lengths and distances.
pub fn echoes(seed: u64, size: usize) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let mut bytes = noise(seed ^ 1, 300, 256);
    while bytes.len() < size {
        let most = bytes.len().min(WINDOW);
        let distance = 1 + match numbers.below(3) {
            0 => numbers.below(40),
            1 => numbers.below(1000),
            _ => numbers.below(most),
        }
        .min(most - 1);
        let most = if numbers.below(4) == 0 { 400 } else { 30 };
        for _ in 0..3 + numbers.below(most) {
            bytes.push(bytes[bytes.len() - distance]);
        }
        for _ in 0..numbers.below(4) {
            bytes.push(numbers.next() as u8);
        }
    }
    bytes.truncate(size);
    bytes
}

pub fn compress(data: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Compressed in blocks that end every `every` bytes.
pub fn compress_in_blocks(data: &[u8], level: u32, every: usize) -> Vec<u8> {
    let mut stream = Compress::new(Compression::new(level), false);
    let mut out = Vec::with_capacity(data.len() * 2 + 10_000);
    for piece in data.chunks(every) {
        out.reserve(piece.len() * 2 + 1000);
        stream
            .compress_vec(piece, &mut out, FlushCompress::Sync)
            .unwrap();
    }
    stream
        .compress_vec(&[], &mut out, FlushCompress::Finish)
        .unwrap();
    out
}

/// What came of a stream: the bytes, and how it ended.
#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Outcome {
    pub bytes: Vec<u8>,
    pub end: Result<u64, Error>,
}

/// Decode with zlib-rs; `None` if it finds a fault or no end.
pub fn zlib(data: &[u8], limit: usize) -> (Vec<u8>, Option<u64>) {
    let mut stream = flate2::Decompress::new(false);
    let mut out = Vec::with_capacity(limit);
    let status = stream.decompress_vec(data, &mut out, flate2::FlushDecompress::Finish);
    let ended = matches!(status, Ok(flate2::Status::StreamEnd));
    (out, ended.then(|| stream.total_in()))
}

/// How an owner cuts up input and output.
#[derive(Debug, Clone, Copy)]
pub struct Pieces {
    pub input: usize,
    pub output: usize,
    pub stop_at_blocks: bool,
}

impl Pieces {
    pub const WHOLE: Self = Self {
        input: usize::MAX,
        output: 1 << 20,
        stop_at_blocks: false,
    };
}

/// What streams are decoded to.
pub trait Symbol: Copy + From<u8> {
    fn decode(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<'_, Self>]);
    /// The byte that it stands for.
    fn byte(self) -> u8;
}

impl Symbol for u8 {
    fn decode(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<'_, Self>]) {
        decode_with(kernel, workbench, jobs);
    }
    fn byte(self) -> u8 {
        self
    }
}

impl Symbol for u16 {
    fn decode(kernel: Kernel, workbench: &mut Workbench, jobs: &mut [Job<'_, Self>]) {
        decode_symbols_with(kernel, workbench, jobs);
    }
    fn byte(self) -> u8 {
        self.try_into().expect("no history that is not known")
    }
}

struct Owner<'a, S> {
    stream: &'a [u8],
    lane: Box<Lane>,
    pieces: Pieces,
    /// The input lent: stream[from..to].
    from: usize,
    to: usize,
    bit: u64,
    slab: Vec<S>,
    at: usize,
    kept: usize,
    done: Option<Outcome>,
    bytes: Vec<u8>,
}

/// Decode all streams side by side: by every kernel that this machine can run, to bytes and to wider symbols, with
/// the same outcome.
pub fn decode_all(streams: &[&[u8]], pieces: &[Pieces]) -> Vec<Outcome> {
    let mut kernels = Kernel::available();
    let best = kernels.next().unwrap();
    let outcomes = decode_all_with::<u8>(best, streams, pieces);
    for kernel in kernels {
        let same = decode_all_with::<u8>(kernel, streams, pieces) == outcomes;
        assert!(same, "{kernel:?} and {best:?} differ");
    }
    for kernel in Kernel::available() {
        let same = decode_all_with::<u16>(kernel, streams, pieces) == outcomes;
        assert!(same, "symbols by {kernel:?} and bytes by {best:?} differ");
    }
    outcomes
}

fn decode_all_with<S: Symbol>(
    kernel: Kernel,
    streams: &[&[u8]],
    pieces: &[Pieces],
) -> Vec<Outcome> {
    let mut owners: Vec<Owner<'_, S>> = streams
        .iter()
        .zip(pieces.iter().cycle())
        .map(|(stream, &pieces)| {
            let mut lane = Box::new(Lane::new());
            lane.start(0);
            lane.stop_at_blocks(pieces.stop_at_blocks);
            Owner {
                stream,
                lane,
                pieces,
                from: 0,
                to: stream.len().min(pieces.input),
                bit: 0,
                slab: vec![S::from(0xaa); pieces.output],
                at: 0,
                kept: 0,
                done: None,
                bytes: Vec::new(),
            }
        })
        .collect();
    let mut workbench = Workbench::new();
    loop {
        let mut jobs = Vec::new();
        let mut who = Vec::new();
        for (index, owner) in owners.iter_mut().enumerate() {
            if owner.done.is_none() {
                who.push(index);
                jobs.push(Job {
                    lane: &mut owner.lane,
                    input: &owner.stream[owner.from..owner.to],
                    input_bit: owner.bit,
                    input_is_last: owner.to == owner.stream.len(),
                    output: &mut owner.slab,
                    output_at: owner.at,
                    status: None,
                });
            }
        }
        if jobs.is_empty() {
            break;
        }
        S::decode(kernel, &mut workbench, &mut jobs);
        assert!(jobs.iter().any(|job| job.status.is_some()));
        let results: Vec<_> = jobs
            .iter()
            .map(|job| (job.input_bit, job.output_at, job.status))
            .collect();
        drop(jobs);
        for (index, (bit, at, status)) in who.into_iter().zip(results) {
            let owner = &mut owners[index];
            let new = owner.slab[owner.at..at].iter();
            owner.bytes.extend(new.map(|symbol| symbol.byte()));
            (owner.bit, owner.at) = (bit, at);
            match status {
                None => {}
                Some(Ok(Status::NeedInput)) => {
                    assert!(owner.to < owner.stream.len());
                    owner.from += (bit / 8) as usize;
                    owner.bit = bit % 8;
                    owner.to = owner
                        .to
                        .saturating_add(owner.pieces.input)
                        .min(owner.stream.len());
                }
                Some(Ok(Status::OutputFull)) => {
                    assert_eq!(owner.at, owner.slab.len());
                    owner.kept = owner.at.min(WINDOW);
                    let mut slab = owner.slab[owner.at - owner.kept..].to_vec();
                    slab.resize(owner.kept + owner.pieces.output, S::from(0x55));
                    owner.slab = slab;
                    owner.at = owner.kept;
                }
                Some(Ok(Status::BlockEnd)) => assert!(owner.pieces.stop_at_blocks),
                Some(Ok(Status::Reserved)) => panic!("nothing is reserved"),
                Some(Ok(Status::StreamEnd)) => {
                    owner.done = Some(Outcome {
                        bytes: std::mem::take(&mut owner.bytes),
                        end: Ok(owner.from as u64 * 8 + bit),
                    });
                }
                Some(Err(mut error)) => {
                    error.bit += owner.from as u64 * 8;
                    owner.done = Some(Outcome {
                        bytes: std::mem::take(&mut owner.bytes),
                        end: Err(error),
                    });
                }
            }
        }
    }
    owners
        .into_iter()
        .map(|owner| owner.done.unwrap())
        .collect()
}

pub fn decode_one(stream: &[u8], pieces: Pieces) -> Outcome {
    decode_all(&[stream], &[pieces]).remove(0)
}
