//! The layers, in all orders that are compared.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use thalweg_flow::{Claims, run_or};
use thalweg_trace::{TraceEncoder, TraceFormat, TraceHeader, Value};
use thalweg_write::{OutputOptions, OutputPiece, Outputs, ordinal};

use crate::values::write;

pub(crate) const NAIVE: &str = "lz4_flex, slow order";
pub(crate) const RIGHT: &str = "lz4_flex, right order";
pub(crate) const OURS: &str = "thalweg-trace, lz4";
pub(crate) const BARE: &str = "lz4_flex alone, over MessagePack that is there";
pub(crate) const ONE_THREAD: &str = "thalweg-trace and thalweg-write, one thread";
pub(crate) const TWO_THREADS: &str = "thalweg-trace and thalweg-write, two threads";

/// What is written.
pub(crate) struct Input<'a> {
    pub(crate) values: &'a [Value<'static>],
    pub(crate) encoded: &'a [u8],
    pub(crate) records: usize,
    pub(crate) path: PathBuf,
}

impl Input<'_> {
    fn each(&self, mut take: impl FnMut(&Value<'static>)) {
        self.values
            .iter()
            .cycle()
            .take(self.records)
            .for_each(&mut take);
    }

    fn file(&self) -> File {
        File::create(&self.path).expect("a file in the directory")
    }

    fn written(&self) -> u64 {
        std::fs::metadata(&self.path).expect("the file").len()
    }
}

pub(crate) struct Chain {
    pub(crate) name: &'static str,
    /// Bytes of the buffer.
    pub(crate) buffer: usize,
    /// Whether what is written is a whole trace.
    pub(crate) is_readable: bool,
    /// Writes all, and says how many bytes that are.
    pub(crate) run: fn(&Input<'_>, usize) -> u64,
}

impl Chain {
    pub(crate) fn buffer_name(&self) -> String {
        match self.buffer {
            size if size >= 1 << 20 => format!("{} MiB", size >> 20),
            size => format!("{} KiB", size >> 10),
        }
    }
}

/// All of them.
pub(crate) fn chains() -> Vec<Chain> {
    const SIZES: [usize; 7] = [
        4 << 10,
        16 << 10,
        64 << 10,
        256 << 10,
        1 << 20,
        2 << 20,
        4 << 20,
    ];
    let mut all = Vec::new();
    let mut add = |name, buffers: &[usize], is_readable, run: fn(&Input<'_>, usize) -> u64| {
        all.extend(buffers.iter().map(|&buffer| Chain {
            name,
            buffer,
            is_readable,
            run,
        }));
    };
    let usual = [64 << 10, 256 << 10];
    add(
        "MessagePack alone, to memory",
        &[256 << 10],
        false,
        encode_only,
    );
    add(
        "MessagePack, no compression",
        &usual,
        false,
        |input, size| {
            let file = input.file();
            buffered(input, size, |bytes| (&file).write_all(bytes).expect("room"));
            input.written()
        },
    );
    add(BARE, &[256 << 10], false, |input, _| {
        let mut frames = flex(input.file());
        frames.write_all(input.encoded).expect("room");
        frames.finish().expect("room");
        input.written()
    });
    add(
        NAIVE,
        &[64 << 10, 256 << 10, 4 << 20],
        false,
        |input, size| {
            let mut frames = flex(BufWriter::with_capacity(size, input.file()));
            input.each(|value| write(value, &mut frames));
            frames.finish().expect("room").flush().expect("room");
            input.written()
        },
    );
    add(RIGHT, &SIZES, false, |input, size| {
        let mut frames = flex(input.file());
        buffered(input, size, |bytes| frames.write_all(bytes).expect("room"));
        frames.finish().expect("room");
        input.written()
    });
    add(OURS, &SIZES, true, |input, size| {
        ours(input, size, TraceFormat::Lz4)
    });
    add("thalweg-trace, zstd", &usual, true, |input, size| {
        ours(input, size, TraceFormat::Zstd)
    });
    add(
        "thalweg-trace, lines of JSON",
        &usual,
        true,
        |input, size| ours(input, size, TraceFormat::JsonLines),
    );
    add(ONE_THREAD, &[256 << 10], true, |input, size| {
        in_order(input, size, 1)
    });
    add(TWO_THREADS, &[256 << 10], true, |input, size| {
        in_order(input, size, 2)
    });
    add(
        "lz4 (C) level 0, slow order",
        &usual,
        false,
        |input, size| lz4(input, size, 0, true),
    );
    add(
        "lz4 (C) level 0, right order",
        &usual,
        false,
        |input, size| lz4(input, size, 0, false),
    );
    add(
        "lz4 (C) level 4, slow order",
        &usual,
        false,
        |input, size| lz4(input, size, 4, true),
    );
    add(
        "lz4 (C) level 4, right order",
        &usual,
        false,
        |input, size| lz4(input, size, 4, false),
    );
    add("zstd -1, slow order", &usual, false, |input, size| {
        zstd(input, size, 1, true)
    });
    add("zstd -1, right order", &usual, false, |input, size| {
        zstd(input, size, 1, false)
    });
    add("zstd -3, right order", &usual, false, |input, size| {
        zstd(input, size, 3, false)
    });
    add(
        "zstd --fast=5, right order",
        &usual,
        false,
        |input, size| zstd(input, size, -5, false),
    );
    all
}

fn encode_only(input: &Input<'_>, size: usize) -> u64 {
    let mut bytes = 0;
    buffered(input, size, |block| {
        bytes += std::hint::black_box(block).len() as u64
    });
    bytes
}

/// Frames of independent blocks of 256 KiB with a checksum, as ours.
fn flex<W: Write>(to: W) -> FrameEncoder<W> {
    let info = FrameInfo::new()
        .block_mode(BlockMode::Independent)
        .block_size(BlockSize::Max256KB)
        .content_checksum(true);
    FrameEncoder::with_frame_info(info, to)
}

/// Encodes to a buffer of this size, which is handed on whenever it is full.
fn buffered(input: &Input<'_>, size: usize, mut hand_on: impl FnMut(&[u8])) {
    let mut buffer = Vec::with_capacity(size + (64 << 10));
    input.each(|value| {
        write(value, &mut buffer);
        if buffer.len() >= size {
            hand_on(&buffer);
            buffer.clear();
        }
    });
    hand_on(&buffer);
}

fn header() -> TraceHeader<'static> {
    TraceHeader::new("trace-layers", ["trace-layers"], [])
}

fn ours(input: &Input<'_>, size: usize, format: TraceFormat) -> u64 {
    let mut encoder = TraceEncoder::new(format).expect("memory");
    let file = input.file();
    let mut bytes = encoder.header(&header()).expect("memory");
    let mut written = 0;
    input.each(|value| {
        encoder.push(value);
        if encoder.buffered() >= size {
            written += encoder.take_batch(&mut bytes).expect("small values");
            (&file).write_all(&bytes).expect("room");
            bytes.clear();
        }
    });
    written += encoder.take_batch(&mut bytes).expect("small values");
    bytes.extend(encoder.end(written).expect("memory"));
    (&file).write_all(&bytes).expect("room");
    input.written()
}

/// As jobs write: batches to all threads, frames in the order of batches.
fn in_order(input: &Input<'_>, size: usize, threads: usize) -> u64 {
    let head =
        TraceEncoder::new(TraceFormat::Lz4).and_then(|mut encoder| encoder.header(&header()));
    let options = OutputOptions::new(&input.path)
        .format(thalweg_write::OutputFormat::Plain)
        .head(head.expect("memory"))
        .sync(false);
    let outputs = Outputs::open(vec![options], 4 * threads as u64 + 2).expect("a file");
    // Records of about as many bytes as a buffer has.
    let each = (size * input.records / input.encoded.len()).max(1);
    let batches = input.records.div_ceil(each) as u64;
    let claims = Claims::new(batches);
    let work = |_: usize, _: &_| {
        let mut writer = outputs.writer()?;
        let mut encoder = TraceEncoder::new(TraceFormat::Lz4).expect("memory");
        let mut bytes = Vec::new();
        while let Some(batch) = claims.claim() {
            outputs.begin(batch)?;
            let first = batch as usize * each;
            for record in first..(first + each).min(input.records) {
                encoder.push(&input.values[record % input.values.len()]);
            }
            let values = encoder.take_batch(&mut bytes).expect("small values");
            writer.write(ordinal(batch), &mut [OutputPiece::new(&mut bytes, values)])?;
        }
        Ok::<_, thalweg_write::Error>(())
    };
    run_or(threads, work, || outputs.close())
        .map_err(|_| "a failure")
        .expect("room");
    let mut end = (TraceEncoder::new(TraceFormat::Lz4))
        .and_then(|mut encoder| encoder.end(input.records as u64))
        .expect("memory");
    let mut writer = outputs.writer().expect("memory");
    let last = writer.write(ordinal(batches), &mut [OutputPiece::new(&mut end, 0)]);
    last.expect("room");
    drop(writer);
    outputs.finish(batches + 1).expect("room");
    input.written()
}

fn lz4(input: &Input<'_>, size: usize, level: u32, is_slow: bool) -> u64 {
    let mut builder = lz4::EncoderBuilder::new();
    builder.level(level).block_size(lz4::BlockSize::Max256KB);
    builder.block_mode(lz4::BlockMode::Independent);
    if is_slow {
        let mut frames = builder
            .build(BufWriter::with_capacity(size, input.file()))
            .expect("memory");
        input.each(|value| write(value, &mut frames));
        let (mut rest, ended) = frames.finish();
        ended.expect("room");
        rest.flush().expect("room");
    } else {
        let mut frames = builder.build(input.file()).expect("memory");
        buffered(input, size, |bytes| frames.write_all(bytes).expect("room"));
        frames.finish().1.expect("room");
    }
    input.written()
}

fn zstd(input: &Input<'_>, size: usize, level: i32, is_slow: bool) -> u64 {
    if is_slow {
        let to = BufWriter::with_capacity(size, input.file());
        let mut frames = zstd::stream::write::Encoder::new(to, level).expect("memory");
        frames.include_checksum(true).expect("memory");
        input.each(|value| write(value, &mut frames));
        frames.finish().expect("room").flush().expect("room");
    } else {
        let mut frames = zstd::stream::write::Encoder::new(input.file(), level).expect("memory");
        frames.include_checksum(true).expect("memory");
        buffered(input, size, |bytes| frames.write_all(bytes).expect("room"));
        frames.finish().expect("room");
    }
    input.written()
}
