//! Every way to compress a text.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::random::Random;

/// One gzip member by zlib's algorithm.
pub(crate) fn gzip(text: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).expect("memory");
    encoder.finish().expect("memory")
}

/// One gzip member with blocks of random, small sizes.
pub(crate) fn flushed(text: &[u8], seed: u64, longest: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(random.range(1, longest + 1).min(rest.len()));
        encoder.write_all(now).expect("memory");
        // A sync flush: an empty stored block ends at a byte boundary.
        encoder.flush().expect("memory");
        rest = later;
    }
    encoder.finish().expect("memory")
}

/// One gzip member by libdeflate.
pub(crate) fn libdeflate(text: &[u8], level: i32) -> Vec<u8> {
    let level = libdeflater::CompressionLvl::new(level).expect("a level");
    let mut compressor = libdeflater::Compressor::new(level);
    let mut bytes = vec![0; compressor.gzip_compress_bound(text.len())];
    let length = compressor.gzip_compress(text, &mut bytes).expect("room");
    bytes.truncate(length);
    bytes
}

/// Many members, cut at random places, some of them empty.
pub(crate) fn members(text: &[u8], seed: u64, longest: usize) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(random.range(0, longest + 1).min(rest.len()));
        let level = *random.pick(&[1, 6, 9]);
        bytes.extend_from_slice(&match random.chance(2) {
            true => gzip(now, level),
            false => libdeflate(now, level as i32),
        });
        rest = later;
    }
    bytes
}

/// BGZF with blocks of the given lengths of text.
pub(crate) fn bgzf(text: &[u8], mut block: impl FnMut(&[u8]) -> usize, marker: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(block(rest).clamp(1, 65_280).min(rest.len()));
        bytes.extend_from_slice(&bgzf_block(now));
        rest = later;
    }
    if marker || bytes.is_empty() {
        bytes.extend_from_slice(&bgzf_block(b""));
    }
    bytes
}

fn bgzf_block(text: &[u8]) -> Vec<u8> {
    let level = libdeflater::CompressionLvl::new(6).expect("a level");
    let mut compressor = libdeflater::Compressor::new(level);
    let mut data = vec![0; compressor.deflate_compress_bound(text.len())];
    let length = compressor.deflate_compress(text, &mut data).expect("room");
    let size = (18 + length + 8 - 1) as u16;
    let mut bytes = vec![
        0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 0xff, 6, 0, b'B', b'C', 2, 0,
    ];
    bytes.extend_from_slice(&size.to_le_bytes());
    bytes.extend_from_slice(&data[..length]);
    bytes.extend_from_slice(&crc32fast::hash(text).to_le_bytes());
    bytes.extend_from_slice(&(text.len() as u32).to_le_bytes());
    bytes
}

pub(crate) fn bgzf_even(text: &[u8]) -> Vec<u8> {
    bgzf(text, |_| 65_280, true)
}

pub(crate) fn bgzf_random(text: &[u8], seed: u64, longest: usize, marker: bool) -> Vec<u8> {
    let mut random = Random::new(seed);
    bgzf(text, |_| random.range(1, longest + 1), marker)
}

/// BGZF whose blocks end where records end.
pub(crate) fn bgzf_at_records(text: &[u8], starts: &[usize]) -> Vec<u8> {
    let total = text.len();
    let next = |rest: &[u8]| {
        let at = total - rest.len();
        let fitting = starts.partition_point(|start| *start <= at + 20_000);
        let start = starts[fitting - 1];
        if start > at { start - at } else { 65_280 }
    };
    bgzf(text, next, true)
}

pub(crate) fn zstd(text: &[u8]) -> Vec<u8> {
    // Two frames, as `cat` of two files makes them.
    let (first, second) = text.split_at(text.len() / 3);
    let mut bytes = zstd::encode_all(first, 3).expect("memory");
    bytes.extend_from_slice(&zstd::encode_all(second, 1).expect("memory"));
    bytes
}

pub(crate) fn bzip2(text: &[u8]) -> Vec<u8> {
    let (first, second) = text.split_at(text.len() / 3);
    let encode = |text: &[u8]| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    };
    [encode(first), encode(second)].concat()
}

pub(crate) fn xz(text: &[u8]) -> Vec<u8> {
    let (first, second) = text.split_at(text.len() / 3);
    let encode = |text: &[u8]| {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
        encoder.write_all(text).expect("memory");
        encoder.finish().expect("memory")
    };
    [encode(first), encode(second)].concat()
}

/// A way to compress, by name.
pub(crate) type Kind = (&'static str, fn(&[u8]) -> Vec<u8>);

/// gzip of every kind.
pub(crate) const GZIP: [Kind; 10] = [
    ("gzip -1", |text| gzip(text, 1)),
    ("gzip -6", |text| gzip(text, 6)),
    ("gzip -9", |text| gzip(text, 9)),
    ("stored", |text| gzip(text, 0)),
    ("libdeflate", |text| libdeflate(text, 6)),
    ("flushed", |text| flushed(text, 1, 30_000)),
    ("members", |text| members(text, 2, 50_000)),
    ("bgzf", bgzf_even),
    ("bgzf small", |text| bgzf_random(text, 3, 5_000, true)),
    ("bgzf no marker", |text| bgzf_random(text, 4, 60_000, false)),
];

/// What is not gzip.
pub(crate) const OTHERS: [Kind; 4] = [
    ("plain", <[u8]>::to_vec),
    ("zstd", zstd),
    ("bzip2", bzip2),
    ("xz", xz),
];

/// Everything.
pub(crate) fn all() -> Vec<Kind> {
    [GZIP.as_slice(), OTHERS.as_slice()].concat()
}
