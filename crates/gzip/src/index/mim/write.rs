//! From an index to a `.mim` file.

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::writer::{create, finish};
use super::super::{Index, IndexError, WINDOW_SIZE, validate};
use super::*;

/// Writes the file, which appears under `path` only when it is whole.
pub(in super::super) fn write(index: &Index, path: &Path) -> Result<(), IndexError> {
    validate::check(&index.summary(), &index.checkpoints)
        .map_err(|fault| fault.in_section("checkpoints"))?;
    let header = header(index)?;
    let failed = |error: io::Error| IndexError::io(path, "write", error);

    let mut file = create(path)?;
    file.write_all(&header).map_err(failed)?;
    let mut stream = GzEncoder::new(file, Compression::default());
    stream
        .write_all(&(index.checkpoints.len() as u64 + 1).to_le_bytes())
        .map_err(failed)?;
    let mut window = [0; WINDOW_SIZE];
    for (number, checkpoint) in index.checkpoints.iter().enumerate() {
        let length = index.window(number, &mut window)?;
        let entry = entry(
            checkpoint.bit_offset,
            checkpoint.output_offset,
            &window[WINDOW_SIZE - length..],
            checkpoint.record_rank,
            checkpoint.record_offset,
        );
        stream.write_all(&entry).map_err(failed)?;
    }
    let totals = entry(
        index.identity.compressed_size * 8,
        index.output_size,
        &[],
        index.record_count,
        index.output_size,
    );
    stream.write_all(&totals).map_err(failed)?;
    finish(stream.finish().map_err(failed)?)
}

fn header(index: &Index) -> Result<Vec<u8>, IndexError> {
    let refused = |reason| IndexError::NotRepresentable {
        format: "mim",
        reason,
    };
    if !index.has_records {
        return Err(refused("the index has no record information"));
    }
    let blake3 = index
        .identity
        .blake3
        .ok_or_else(|| refused("the hash of the compressed file is unknown"))?;
    let user_metadata = index.metadata.clone().unwrap_or_default();
    let mut metadata = Vec::new();
    ciborium::into_writer(
        &serde_json::json!({ USER_METADATA: user_metadata }),
        &mut metadata,
    )
    .map_err(|_| refused("the metadata cannot be encoded as CBOR"))?;

    if metadata.len() as u64 > LARGEST_METADATA {
        return Err(refused("the metadata is larger than 16 MiB"));
    }
    let mut header = MAGIC.to_vec();
    header.extend(VERSION.to_le_bytes());
    header.extend(blake3);
    header.extend(MODE_GZIP.to_le_bytes());
    header.extend(index.output_size.to_le_bytes());
    header.extend(index.record_count.to_le_bytes());
    header.extend((metadata.len() as u64).to_le_bytes());
    header.extend(metadata);
    header.extend(0_u64.to_le_bytes());
    Ok(header)
}

fn entry(
    bit_offset: u64,
    output_offset: u64,
    window: &[u8],
    rank: u64,
    record_offset: u64,
) -> Vec<u8> {
    let byte_offset = bit_offset.div_ceil(8);
    let mut entry = byte_offset.to_le_bytes().to_vec();
    entry.push((byte_offset * 8 - bit_offset) as u8);
    entry.extend(output_offset.to_le_bytes());
    entry.extend((window.len() as u64).to_le_bytes());
    entry.extend(window);
    entry.extend(rank.to_le_bytes());
    entry.extend(record_offset.to_le_bytes());
    entry
}
