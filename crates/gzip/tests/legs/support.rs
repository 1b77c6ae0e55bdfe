//! Makers of files, and the comparison of all ways to decode them.

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress};
use thalweg_gzip::{Decoder, Event, Goal, Helper, Legs, Slab, Start};

/// A stream of numbers that is the same every time (splitmix64).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Reads with names that count, letters that repeat and qualities in runs.
pub(crate) fn fastq(seed: u64, size: usize) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let genome: Vec<u8> = (0..200_000).map(|_| b"ACGT"[numbers.below(4)]).collect();
    let mut text = Vec::with_capacity(size + 1000);
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
        let start = numbers.below(genome.len() - 101);
        text.extend(&genome[start..start + 101]);
        text.extend(b"\n+\n");
        let mut quality = 40;
        for _ in 0..101 {
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

pub(crate) fn fasta(seed: u64, size: usize) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    let mut text = b">one sequence\n".to_vec();
    while text.len() < size {
        text.extend((0..70).map(|_| b"ACGT"[numbers.below(4)]));
        text.push(b'\n');
    }
    text
}

/// The same reads, each with a name that begins with `name`.
pub(crate) fn with_names(text: &[u8], name: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() * 2);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_prefix(b"@M") {
            Some(rest) => [name.as_bytes(), rest]
                .iter()
                .for_each(|part| out.extend(*part)),
            None => out.extend(line),
        }
    }
    out
}

pub(crate) fn noise(seed: u64, size: usize) -> Vec<u8> {
    let mut numbers = Numbers(seed);
    (0..size).map(|_| numbers.next() as u8).collect()
}

pub(crate) fn gzip(text: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// With an empty stored block every `every` bytes.
pub(crate) fn gzip_flushed(text: &[u8], level: u32, every: usize) -> Vec<u8> {
    let mut stream = Compress::new(Compression::new(level), false);
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    for piece in text.chunks(every) {
        file.reserve(piece.len() * 2 + 1000);
        stream
            .compress_vec(piece, &mut file, FlushCompress::Sync)
            .unwrap();
    }
    file.reserve(1000);
    stream
        .compress_vec(&[], &mut file, FlushCompress::Finish)
        .unwrap();
    let mut sum = flate2::Crc::new();
    sum.update(text);
    file.extend(sum.sum().to_le_bytes());
    file.extend(sum.amount().to_le_bytes());
    file
}

pub(crate) fn libdeflate(text: &[u8], level: i32) -> Vec<u8> {
    let level = libdeflater::CompressionLvl::new(level).unwrap();
    let mut compressor = libdeflater::Compressor::new(level);
    let mut file = vec![0; compressor.gzip_compress_bound(text.len())];
    let length = compressor.gzip_compress(text, &mut file).unwrap();
    file.truncate(length);
    file
}

/// What came of a file: its text, and the fault at its end.
#[derive(PartialEq)]
struct Outcome {
    text: Vec<u8>,
    fault: Option<(String, u64)>,
}

/// Bytes of text, and those of them that came from legs.
pub(crate) struct Found {
    pub(crate) text: u64,
    pub(crate) leapt: u64,
    /// The same of pipes.
    pub(crate) leapt_of_pipe: u64,
}

/// A pipe whose writer writes now a little and now much, and at times not at all.
struct Pipe {
    bytes: Vec<u8>,
    at: usize,
    numbers: Numbers,
    /// The most bytes that are there at once.
    most: usize,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.numbers.below(50) == 0 {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let there = 1 + self.numbers.below(self.most);
        let length = there.min(self.bytes.len() - self.at).min(buffer.len());
        buffer[..length].copy_from_slice(&self.bytes[self.at..][..length]);
        self.at += length;
        Ok(length)
    }
}

/// A decoder of `file`.
fn decoder_of(file: &[u8]) -> Decoder {
    let source = Box::new(std::io::Cursor::new(file.to_vec()));
    let slab = Slab::new(100_000);
    Decoder::new(source, 0, Start::Member, Goal::EndOfFile, slab)
}

/// A decoder of a pipe that gives `file`, of which at most so many bytes are there at once, and its legs.
fn decoder_of_pipe(
    file: &[u8],
    most_there: usize,
    strip: usize,
    most: usize,
) -> (Decoder, Arc<Legs>) {
    let decoder = || {
        let pipe = Pipe {
            bytes: file.to_vec(),
            at: 0,
            numbers: Numbers(most_there as u64),
            most: most_there,
        };
        let slab = Slab::new(100_000);
        Decoder::new(Box::new(pipe), 0, Start::Member, Goal::EndOfFile, slab)
    };
    let mut decoder_begun = decoder();
    // Some is read before, to see what it is.
    let mut numbers = Numbers(file.len() as u64);
    let is_begun = file.len() > 200_000 && numbers.below(2) == 0 && decoder_begun.advance().is_ok();
    let mut decoder = if is_begun { decoder_begun } else { decoder() };
    let is_ready = {
        let numbers = std::sync::Mutex::new(numbers);
        move || numbers.lock().unwrap().below(3) > 0
    };
    let legs = decoder.with_legs_of_stream(is_ready, strip, most);
    (decoder, legs.expect("the end has not been read"))
}

/// Decode to the end, and call `between` from time to time.
fn decode(mut decoder: Decoder, mut between: impl FnMut()) -> (Outcome, u64) {
    let mut text = Vec::new();
    let fault = loop {
        if let Err(error) = decoder.advance() {
            break Some((error.to_string(), error.offset()));
        }
        match decoder.event() {
            Some(Event::End) => break None,
            Some(Event::Full) => {
                let taken = decoder.data().len();
                text.extend(decoder.take(taken, Slab::new(100_000)).data());
                between();
            }
            Some(event) => panic!("{event:?}"),
            None => {}
        }
    };
    text.extend(decoder.data());
    (Outcome { text, fault }, decoder.leapt())
}

/// A member whose first block refers to `dictionary`, which is not in it.
pub(crate) fn gzip_behind(dictionary: &[u8], text: &[u8]) -> Vec<u8> {
    let mut stream = Compress::new(Compression::new(6), false);
    stream
        .set_dictionary(&dictionary[dictionary.len() - 32_768..])
        .unwrap();
    let mut file = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    file.reserve(text.len() + 1000);
    stream
        .compress_vec(text, &mut file, FlushCompress::Finish)
        .unwrap();
    let mut sum = flate2::Crc::new();
    sum.update(text);
    file.extend(sum.sum().to_le_bytes());
    file.extend(sum.amount().to_le_bytes());
    file
}

/// Set when it is dropped, also by a panic.
#[derive(Default)]
struct Over(Arc<AtomicBool>);

impl Drop for Over {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The same in all ways.
pub(crate) fn check(name: &str, file: &[u8]) -> Found {
    let cuts = [
        (64 << 10, 1, 0),
        (64 << 10, 4, 2),
        (100_000, 6, 3),
        (256 << 10, 3, 1),
        (4 << 20, 3, 1),
    ];
    check_cut(name, file, &cuts)
}

/// The same with strips of some size, of which so many are held and are made by so many other threads.
pub(crate) fn check_cut(name: &str, file: &[u8], cuts: &[(usize, usize, usize)]) -> Found {
    let (alone, _) = decode(decoder_of(file), || {});
    if alone.fault.is_none() && !file.is_empty() {
        let mut text = Vec::new();
        let other = flate2::read::MultiGzDecoder::new(file).read_to_end(&mut text);
        // Padding behind members is a fault for flate2.
        assert!(other.is_err() || text == alone.text, "{name}: not the text");
    }
    let mut found = Found {
        text: alone.text.len() as u64,
        leapt: 0,
        leapt_of_pipe: 0,
    };
    for &(strip, most, threads) in cuts {
        let bytes: Arc<dyn thalweg_files::ReadAt> = Arc::new(file.to_vec());
        let legs = Arc::new(Legs::new(bytes, file.len() as u64, strip, most));
        let mut decoder = decoder_of(file);
        decoder.with_legs(&legs);
        let by_legs = compare(name, decoder, &legs, threads, &alone);
        found.leapt = by_legs.max(found.leapt);
        for most_there in [3_000, 64 << 10, 1 << 20] {
            let (decoder, legs) = decoder_of_pipe(file, most_there, strip, most);
            let by_legs = compare(name, decoder, &legs, threads, &alone);
            found.leapt_of_pipe = by_legs.max(found.leapt_of_pipe);
        }
    }
    found
}

/// The same as one stream, with legs that so many other threads help to decode. Bytes of text that came from legs.
fn compare(name: &str, decoder: Decoder, legs: &Arc<Legs>, threads: usize, alone: &Outcome) -> u64 {
    let (outcome, by_legs) = std::thread::scope(|scope| {
        let over = Over::default();
        for _ in 0..threads {
            let (legs, over) = (Arc::clone(legs), Arc::clone(&over.0));
            scope.spawn(move || {
                let mut helper = Helper::default();
                while !over.load(Ordering::Relaxed) {
                    if !legs.help(&mut helper) {
                        std::thread::yield_now();
                    }
                }
            });
        }
        // Also as a thread does that decodes and helps by turns.
        let mut numbers = Numbers(threads as u64);
        let mut helper = Helper::default();
        decode(decoder, || {
            if numbers.below(3) == 0 {
                legs.help(&mut helper);
            }
        })
    });
    assert!(
        outcome.fault == alone.fault,
        "{name}: {:?} and {:?}",
        outcome.fault,
        alone.fault
    );
    assert!(
        outcome.text == alone.text,
        "{name}: other text, {} and {} bytes",
        outcome.text.len(),
        alone.text.len()
    );
    by_legs
}

/// A block as a decoder tells it: its bit, the bytes of text before it, how many of these are of its member, the window, and what the
/// text behind it refers to.
type Told = (u64, u64, usize, Vec<u8>, Option<Vec<u64>>);

/// The first block that is told at least `span` bytes behind the one before.
fn blocks(file: &[u8], span: u64, legs: Option<&Arc<Legs>>) -> Vec<Told> {
    let mut decoder = decoder_of(file);
    decoder.report_blocks();
    if let Some(legs) = legs {
        decoder.with_legs(legs);
    }
    let mut told: Vec<Told> = Vec::new();
    loop {
        decoder.advance().unwrap();
        let is_over = decoder.event() == Some(Event::End);
        if let Some(references) = decoder.take_references(is_over) {
            told.last_mut().unwrap().4 = Some(references.to_vec());
        }
        match decoder.event() {
            Some(Event::End) => return told,
            Some(Event::Full) => {
                let taken = decoder.data().len();
                drop(decoder.take(taken, Slab::new(100_000)));
            }
            Some(Event::Block) => {
                let (bit, output) = (decoder.position(), decoder.output());
                if told.last().is_none_or(|last| output - last.1 >= span) {
                    decoder.take_references(true);
                    let window = decoder.window().to_vec();
                    told.push((bit, output, decoder.history(), window, None));
                    decoder.watch_window();
                }
                decoder.go_on();
            }
            Some(event) => panic!("{event:?}"),
            None => {}
        }
    }
}

/// The same blocks, windows and references with legs of strips of a size.
pub(crate) fn check_blocks(name: &str, file: &[u8]) {
    for span in [1, 70_000, 900_000] {
        let alone = blocks(file, span, None);
        for strip in [64 << 10, 300_000] {
            let bytes: Arc<dyn thalweg_files::ReadAt> = Arc::new(file.to_vec());
            let legs = Arc::new(Legs::new(bytes, file.len() as u64, strip, 4));
            let by_legs = std::thread::scope(|scope| {
                let closing = Closing(Arc::clone(&legs));
                scope.spawn(|| legs.help_until_closed(&mut Helper::default()));
                let by_legs = blocks(file, span, Some(&legs));
                drop(closing);
                by_legs
            });
            assert_eq!(by_legs.len(), alone.len(), "{name}, {span}, {strip}");
            for (one, other) in by_legs.iter().zip(&alone) {
                assert!(one == other, "{name}, {span}, {strip}: bit {}", other.0);
            }
        }
    }
}

/// Closes legs also after a panic.
struct Closing(Arc<Legs>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}
