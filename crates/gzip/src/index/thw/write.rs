//! From an index to the parts of a `.thw` file.

use thalweg_files::write_varint;
use thalweg_formats::bam::BAM;
use thalweg_formats::{BinaryFormat, FileFormat, Format};

use super::super::column::push_column;
use super::super::windows::Entry;
use super::super::{Checkpoint, Container, IndexError, Summary};
use super::*;

/// The first bytes of the file.
pub(in super::super) fn header() -> [u8; HEADER_SIZE] {
    let mut header = [0; HEADER_SIZE];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header
}

/// The last bytes of the file.
pub(in super::super) fn footer(body_offset: u64) -> [u8; FOOTER_SIZE] {
    let mut footer = [0; FOOTER_SIZE];
    footer[..8].copy_from_slice(&body_offset.to_le_bytes());
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&header());
    hasher.update(&footer[..8]);
    footer[8..12].copy_from_slice(&hasher.finalize().to_le_bytes());
    footer[12..].copy_from_slice(&END_MAGIC);
    footer
}

/// All sections. The index has been validated; entries and checkpoints are equally many.
pub(in super::super) fn body(
    summary: &Summary,
    checkpoints: &[Checkpoint],
    entries: &[Entry],
) -> Result<Vec<u8>, IndexError> {
    let mut body = Vec::new();
    push_section(&mut body, FILE, &file(summary));
    if let Some(metadata) = &summary.metadata {
        push_section(&mut body, METADATA, &cbor(metadata)?);
    }
    push_section(&mut body, CHECKPOINTS, &table(summary, checkpoints));
    if entries.iter().any(|entry| entry.length > 0) {
        push_section(&mut body, WINDOWS, &windows(entries));
    }
    if body.len() as u64 > LARGEST_BODY {
        return Err(IndexError::NotRepresentable {
            format: "thw",
            reason: "there are too many checkpoints",
        });
    }
    Ok(body)
}

fn push_section(body: &mut Vec<u8>, tag: u8, payload: &[u8]) {
    let start = body.len();
    body.push(tag);
    write_varint(body, payload.len() as u64);
    body.extend_from_slice(payload);
    let checksum = crc32fast::hash(&body[start..]);
    body.extend_from_slice(&checksum.to_le_bytes());
}

fn file(summary: &Summary) -> Vec<u8> {
    let identity = &summary.identity;
    let mut flags = 0;
    flags |= if identity.blake3.is_some() {
        HAS_BLAKE3
    } else {
        0
    };
    flags |= if identity.head_tail.is_some() {
        HAS_HEAD_TAIL
    } else {
        0
    };
    flags |= if summary.has_records { HAS_RECORDS } else { 0 };
    let container = match summary.container {
        Container::Gzip => 0,
        Container::Bgzf => 1,
    };
    let record_format = match summary.record_format {
        Some(FileFormat::Text(Format::Fastq)) => 1,
        Some(FileFormat::Text(Format::FastqMultiline)) => 2,
        Some(FileFormat::Text(Format::Fasta)) => 3,
        Some(FileFormat::Binary(format)) if format.name() == BAM.name() => 4,
        Some(FileFormat::Binary(_)) | None => 0,
    };
    let mut bytes = vec![flags, container, record_format];
    write_varint(&mut bytes, identity.compressed_size);
    write_varint(&mut bytes, summary.output_size);
    if summary.has_records {
        write_varint(&mut bytes, summary.record_count);
    }
    bytes.extend(identity.blake3.iter().flatten());
    bytes.extend(identity.head_tail.iter().flatten());
    bytes
}

fn cbor(metadata: &serde_json::Value) -> Result<Vec<u8>, IndexError> {
    let refused = |reason| IndexError::NotRepresentable {
        format: "thw",
        reason,
    };
    let mut bytes = Vec::new();
    ciborium::into_writer(metadata, &mut bytes)
        .map_err(|_| refused("the metadata cannot be encoded as CBOR"))?;
    if bytes.len() > LARGEST_METADATA {
        return Err(refused("the metadata is larger than 16 MiB"));
    }
    Ok(bytes)
}

fn table(summary: &Summary, checkpoints: &[Checkpoint]) -> Vec<u8> {
    let aligned = checkpoints
        .iter()
        .all(|checkpoint| checkpoint.bit_offset % 8 == 0);
    let checksums = checkpoints
        .iter()
        .filter(|checkpoint| checkpoint.crc32.is_some())
        .count();
    let mut flags = 0;
    flags |= if aligned { BYTE_ALIGNED } else { 0 };
    flags |= match checksums {
        0 => 0,
        count if count == checkpoints.len() => ALL_CRC,
        _ => SOME_CRC,
    };
    let mut bytes = vec![flags];
    write_varint(&mut bytes, checkpoints.len() as u64);
    let unit = if aligned { 8 } else { 1 };
    push_column(
        &mut bytes,
        checkpoints
            .iter()
            .map(|checkpoint| checkpoint.bit_offset / unit),
    );
    push_column(
        &mut bytes,
        checkpoints
            .iter()
            .map(|checkpoint| checkpoint.output_offset),
    );
    if summary.has_records {
        push_column(
            &mut bytes,
            checkpoints.iter().map(|checkpoint| checkpoint.record_rank),
        );
        for checkpoint in checkpoints {
            write_varint(
                &mut bytes,
                checkpoint.record_offset - checkpoint.output_offset,
            );
        }
    }
    if flags & SOME_CRC != 0 {
        bytes.extend(
            checkpoints
                .iter()
                .map(|checkpoint| u8::from(checkpoint.crc32.is_some())),
        );
    }
    bytes.extend(
        checkpoints
            .iter()
            .filter_map(|checkpoint| checkpoint.crc32)
            .flat_map(u32::to_le_bytes),
    );
    bytes
}

fn windows(entries: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        write_varint(&mut bytes, u64::from(entry.length));
        if entry.length > 0 {
            bytes.extend_from_slice(&entry.crc32.to_le_bytes());
        }
    }
    bytes
}
