//! Compressed texts.

use std::io::Write;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};

/// `text` as one member.
pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// `text` as blocks of BGZF, with the empty one at its end.
pub(crate) fn bgzf(text: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    for block in text.chunks(40_000).chain([&b""[..]]) {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(1));
        encoder.write_all(block).unwrap();
        let deflated = encoder.finish().unwrap();
        file.extend(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0");
        // The size of the block less one: 18 bytes of header, 8 of trailer.
        file.extend((deflated.len() as u16 + 25).to_le_bytes());
        file.extend(deflated);
        file.extend(crc32fast::hash(block).to_le_bytes());
        file.extend((block.len() as u32).to_le_bytes());
    }
    file
}
