//! Compressed texts.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

/// `text` as one member.
pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}
