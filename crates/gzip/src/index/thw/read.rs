//! From a `.thw` file to an index.

use thalweg_formats::bam::BAM;
use thalweg_formats::{FileFormat, Format};

use super::super::column::read_column;
use super::super::cursor::Cursor;
use super::super::source::Source;
use super::super::validate;
use super::super::window::LARGEST_ENCODED;
use super::super::windows::{Entry, Windows};
use super::super::{Checkpoint, Container, Index, IndexError, IndexedFile, Origin, Summary};
use super::*;

/// Reads everything but the windows, which stay in `source`.
pub(in super::super) fn read(source: Source) -> Result<Index, IndexError> {
    let body_offset = read_ends(&source)?;
    let body_size = source.len() - FOOTER_SIZE as u64 - body_offset;
    if body_size > LARGEST_BODY {
        return Err(IndexError::damaged(
            "footer",
            source.len() - FOOTER_SIZE as u64,
            "the tables are impossibly large",
        ));
    }
    let mut body = vec![0; body_size as usize];
    source.read_exact_at(&mut body, body_offset)?;

    let mut sections = Sections::split(&body, body_offset)?;
    let mut summary = file(sections.required(FILE, "file")?)?;
    if let Some(section) = sections.optional(METADATA, "metadata") {
        summary.metadata = Some(metadata(section)?);
    }
    let mut section = sections.required(CHECKPOINTS, "checkpoints")?;
    let checkpoints = table(&summary, &mut section)?;
    section.finish()?;
    validate::check(&summary, &checkpoints)
        .map_err(|fault| fault.at("checkpoints", body_offset))?;
    let entries = match sections.optional(WINDOWS, "windows") {
        Some(section) => windows(section, checkpoints.len())?,
        None => Vec::new(),
    };
    let end = entries.last().map_or(HEADER_SIZE as u64, |entry| {
        entry.offset + u64::from(entry.length)
    });
    if end != body_offset {
        return Err(IndexError::damaged(
            "windows",
            end,
            "the windows do not end where the tables begin",
        ));
    }
    Ok(Index::assemble(
        summary,
        checkpoints,
        Windows::new(source, entries),
        Origin::Thw,
    ))
}

/// Checks header and footer; returns where the body begins.
fn read_ends(source: &Source) -> Result<u64, IndexError> {
    let smallest = (HEADER_SIZE + FOOTER_SIZE) as u64;
    if source.len() < smallest {
        return Err(IndexError::damaged(
            "header",
            source.len(),
            "the file is cut short",
        ));
    }
    let mut start = [0; HEADER_SIZE];
    source.read_exact_at(&mut start, 0)?;
    let version = u16::from_le_bytes([start[8], start[9]]);
    if version > VERSION {
        return Err(IndexError::TooNew {
            format: "thw",
            found: version.into(),
            supported: VERSION.into(),
        });
    }
    if start != header() {
        return Err(IndexError::damaged(
            "header",
            8,
            "the version is impossible",
        ));
    }
    let footer_offset = source.len() - FOOTER_SIZE as u64;
    let mut end = [0; FOOTER_SIZE];
    source.read_exact_at(&mut end, footer_offset)?;
    if end[12..] != END_MAGIC {
        return Err(IndexError::damaged(
            "footer",
            footer_offset,
            "the file is cut short or has bytes after its end",
        ));
    }
    let mut cursor = Cursor::new(&end, "footer", footer_offset);
    let body_offset = cursor.u64()?;
    if end != footer(body_offset) {
        return Err(cursor.damaged("fails its checksum"));
    }
    if !(HEADER_SIZE as u64..=footer_offset).contains(&body_offset) {
        return Err(cursor.damaged("the tables lie outside the file"));
    }
    Ok(body_offset)
}

/// The sections of a body, checksums verified.
struct Sections<'a> {
    found: Vec<(u8, &'a [u8], u64)>,
    body_offset: u64,
}

impl<'a> Sections<'a> {
    fn split(body: &'a [u8], body_offset: u64) -> Result<Sections<'a>, IndexError> {
        let mut found: Vec<(u8, &[u8], u64)> = Vec::new();
        let mut cursor = Cursor::new(body, "tables", body_offset);
        while cursor.remaining() > 0 {
            let start = body.len() - cursor.remaining();
            let tag = cursor.u8()?;
            let length = cursor.varint()?;
            if length > cursor.remaining() as u64 {
                return Err(cursor.damaged("a section is longer than the file"));
            }
            let payload_start = body.len() - cursor.remaining();
            let payload = cursor.take(length as usize)?;
            let end = body.len() - cursor.remaining();
            if cursor.u32()? != crc32fast::hash(&body[start..end]) {
                return Err(IndexError::damaged(
                    name(tag),
                    body_offset + start as u64,
                    "fails its checksum",
                ));
            }
            if found
                .last()
                .is_some_and(|(last, ..)| *last & !OPTIONAL >= tag & !OPTIONAL)
            {
                return Err(cursor.damaged("sections are out of order"));
            }
            if tag & OPTIONAL != 0 {
                continue;
            }
            if tag == 0 || tag > WINDOWS {
                return Err(cursor.damaged("there is a section of unknown kind"));
            }
            found.push((tag, payload, body_offset + payload_start as u64));
        }
        Ok(Sections { found, body_offset })
    }

    fn optional(&mut self, tag: u8, name: &'static str) -> Option<Cursor<'a>> {
        let (_, payload, offset) = self.found.iter().find(|(found, ..)| *found == tag)?;
        Some(Cursor::new(payload, name, *offset))
    }

    fn required(&mut self, tag: u8, name: &'static str) -> Result<Cursor<'a>, IndexError> {
        self.optional(tag, name)
            .ok_or_else(|| IndexError::damaged(name, self.body_offset, "is missing"))
    }
}

fn name(tag: u8) -> &'static str {
    match tag {
        FILE => "file",
        METADATA => "metadata",
        CHECKPOINTS => "checkpoints",
        WINDOWS => "windows",
        _ => "tables",
    }
}

fn file(mut section: Cursor<'_>) -> Result<Summary, IndexError> {
    let [flags, container, record_format] = section.array()?;
    if flags & !(HAS_BLAKE3 | HAS_HEAD_TAIL | HAS_RECORDS) != 0 {
        return Err(section.damaged("unknown flags are set"));
    }
    let container = match container {
        0 => Container::Gzip,
        1 => Container::Bgzf,
        _ => return Err(section.damaged("the container is unknown")),
    };
    let record_format = match record_format {
        0 => None,
        1 => Some(Format::Fastq.into()),
        2 => Some(Format::FastqMultiline.into()),
        3 => Some(Format::Fasta.into()),
        4 => Some(FileFormat::Binary(&BAM)),
        _ => return Err(section.damaged("the record format is unknown")),
    };
    let has_records = flags & HAS_RECORDS != 0;
    let compressed_size = section.varint()?;
    let output_size = section.varint()?;
    let record_count = if has_records { section.varint()? } else { 0 };
    let blake3 = if flags & HAS_BLAKE3 != 0 {
        Some(section.array()?)
    } else {
        None
    };
    let head_tail = if flags & HAS_HEAD_TAIL != 0 {
        Some(section.array()?)
    } else {
        None
    };
    section.finish()?;
    let identity = IndexedFile {
        compressed_size,
        blake3,
        head_tail,
    };
    Ok(Summary {
        identity,
        container,
        record_format,
        has_records,
        output_size,
        record_count,
        metadata: None,
    })
}

fn metadata(mut section: Cursor<'_>) -> Result<serde_json::Value, IndexError> {
    if section.remaining() > LARGEST_METADATA {
        return Err(section.damaged("is impossibly large"));
    }
    let mut bytes = section.take(section.remaining())?;
    let value = ciborium::from_reader(&mut bytes)
        .map_err(|error| section.damaged(format!("is not CBOR: {error}")))?;
    if !bytes.is_empty() {
        return Err(section.damaged("has bytes after its value"));
    }
    Ok(value)
}

fn table(summary: &Summary, section: &mut Cursor<'_>) -> Result<Vec<Checkpoint>, IndexError> {
    let flags = section.u8()?;
    if flags & !(BYTE_ALIGNED | ALL_CRC | SOME_CRC) != 0
        || flags & ALL_CRC != 0 && flags & SOME_CRC != 0
    {
        return Err(section.damaged("impossible flags are set"));
    }
    let count = section.varint()?;
    // Each checkpoint takes at least a byte in each column, which bounds what is allocated below.
    let columns = if summary.has_records { 4 } else { 2 };
    if count > (section.remaining() / columns) as u64 {
        return Err(section.damaged("has more checkpoints than fit into it"));
    }
    let count = count as usize;
    let unit = if flags & BYTE_ALIGNED != 0 { 8 } else { 1 };
    let bit_offsets = read_column(section, count)?;
    let output_offsets = read_column(section, count)?;
    let ranks = if summary.has_records {
        read_column(section, count)?
    } else {
        vec![0; count]
    };
    let mut checkpoints = Vec::with_capacity(count);
    for ((bit_offset, output_offset), record_rank) in
        bit_offsets.into_iter().zip(output_offsets).zip(ranks)
    {
        let bit_offset = bit_offset
            .checked_mul(unit)
            .ok_or_else(|| section.damaged("a bit offset is impossible"))?;
        let record_offset = if summary.has_records {
            output_offset.checked_add(section.varint()?)
        } else {
            Some(0)
        };
        let record_offset =
            record_offset.ok_or_else(|| section.damaged("a record offset is impossible"))?;
        checkpoints.push(Checkpoint {
            bit_offset,
            output_offset,
            record_rank,
            record_offset,
            crc32: None,
        });
    }
    let present = if flags & SOME_CRC != 0 {
        section.take(count)?
    } else {
        &[]
    };
    for (number, checkpoint) in checkpoints.iter_mut().enumerate() {
        let present = match present.get(number) {
            None => flags & ALL_CRC != 0,
            Some(0) => false,
            Some(1) => true,
            Some(_) => return Err(section.damaged("a checksum is neither absent nor present")),
        };
        if present {
            checkpoint.crc32 = Some(section.u32()?);
        }
    }
    Ok(checkpoints)
}

fn windows(mut section: Cursor<'_>, count: usize) -> Result<Vec<Entry>, IndexError> {
    let mut offset = HEADER_SIZE as u64;
    let mut entries = Vec::with_capacity(count);
    for _ in 0..count {
        let length = section.varint()?;
        if length > LARGEST_ENCODED as u64 {
            return Err(section.damaged("a window has an impossible length"));
        }
        let crc32 = if length > 0 { section.u32()? } else { 0 };
        entries.push(Entry {
            offset,
            length: length as u32,
            crc32,
        });
        offset += length;
    }
    section.finish()?;
    Ok(entries)
}
