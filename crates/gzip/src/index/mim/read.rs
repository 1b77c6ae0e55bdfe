//! From a `.mim` file to an index.

use std::io::{BufReader, Read};

use flate2::bufread::GzDecoder;

use super::super::cursor::Cursor;
use super::super::source::Source;
use super::super::windows::Windows;
use super::super::{
    Checkpoint, Container, EncodedWindow, Index, IndexError, IndexedFile, Origin, Summary,
    WINDOW_SIZE, validate,
};
use super::*;

/// Reads all of it; the windows stay in memory, re-encoded.
///
/// The format says neither how the file is framed nor what its records look like: that is for the caller to find out.
pub(in super::super) fn read(source: &Source) -> Result<Index, IndexError> {
    let (mut summary, stream_offset) = header(source)?;
    let mut entries = Entries::open(source, stream_offset)?;
    let mut checkpoints = Vec::new();
    let mut windows = Vec::new();
    let mut totals = None;
    for _ in 0..entries.count {
        let next: (Checkpoint, EncodedWindow) = entries.next()?;
        if let Some((checkpoint, window)) = totals.replace(next) {
            // Checked while reading, too: entries that differ cannot be packed well enough to fill the memory.
            if checkpoints
                .last()
                .is_some_and(|last: &Checkpoint| last.bit_offset >= checkpoint.bit_offset)
            {
                return Err(entries.damaged("the offsets do not increase"));
            }
            checkpoints.push(checkpoint);
            windows.push(window);
        }
    }
    entries.finish()?;
    let Some((totals, _)) = totals else {
        return Err(entries.damaged("the entry with the totals is missing"));
    };
    if totals.output_offset != summary.output_size || totals.record_rank != summary.record_count {
        return Err(entries.damaged("the totals in header and table differ"));
    }
    summary.identity.compressed_size = totals.bit_offset.div_ceil(8);
    validate::check(&summary, &checkpoints).map_err(|fault| fault.at(SECTION, entries.position))?;
    let windows = Windows::in_memory(windows.into_iter());
    Ok(Index::assemble(summary, checkpoints, windows, Origin::Mim))
}

const SECTION: &str = "checkpoints (uncompressed)";

fn header(source: &Source) -> Result<(Summary, u64), IndexError> {
    let mut fixed = [0; FIXED_SIZE];
    let available = source.len().min(FIXED_SIZE as u64) as usize;
    source.read_exact_at(&mut fixed[..available], 0)?;
    let mut cursor = Cursor::new(&fixed[..available], "header", 0);
    cursor.take(MAGIC.len())?;
    let version = cursor.u64()?;
    if version != VERSION {
        return Err(IndexError::TooNew {
            format: "mim",
            found: version,
            supported: VERSION,
        });
    }
    let blake3 = cursor.array()?;
    if cursor.u32()? != MODE_GZIP {
        return Err(cursor.damaged("the index is not of a gzip file"));
    }
    let output_size = cursor.u64()?;
    let record_count = cursor.u64()?;
    let metadata_size = cursor.u64()?;
    let rest = source.len() - FIXED_SIZE as u64;
    if metadata_size > LARGEST_METADATA || metadata_size + 8 > rest {
        return Err(cursor.damaged("the metadata is impossibly large"));
    }
    let mut bytes = vec![0; metadata_size as usize + 8];
    source.read_exact_at(&mut bytes, FIXED_SIZE as u64)?;
    let mut cursor = Cursor::new(&bytes, "metadata", FIXED_SIZE as u64);
    let metadata = user_metadata(cursor.take(metadata_size as usize)?);
    let metadata = metadata.map_err(|reason| cursor.damaged(reason))?;
    if cursor.u64()? != 0 {
        return Err(cursor.damaged("the first list of checkpoints is not empty"));
    }
    let summary = Summary {
        identity: IndexedFile {
            compressed_size: 0,
            blake3: Some(blake3),
            head_tail: None,
        },
        container: Container::Gzip,
        record_format: None,
        has_records: true,
        output_size,
        record_count,
        metadata,
    };
    Ok((summary, FIXED_SIZE as u64 + metadata_size + 8))
}

fn user_metadata(mut bytes: &[u8]) -> Result<Option<serde_json::Value>, String> {
    let mut map: serde_json::Value =
        ciborium::from_reader(&mut bytes).map_err(|error| format!("is not CBOR: {error}"))?;
    let user = map.get_mut(USER_METADATA).map(serde_json::Value::take);
    Ok(user.filter(|value| !value.is_null()))
}

/// The entries of the compressed list, one at a time.
struct Entries<'a> {
    stream: GzDecoder<BufReader<super::super::source::SourceReader<'a>>>,
    count: u64,
    position: u64,
}

impl<'a> Entries<'a> {
    fn open(source: &'a Source, offset: u64) -> Result<Entries<'a>, IndexError> {
        let stream = GzDecoder::new(BufReader::new(source.reader(offset)));
        let mut entries = Entries {
            stream,
            count: 0,
            position: 0,
        };
        entries.count = u64::from_le_bytes(entries.array()?);
        // DEFLATE packs at most 1032 bytes into one (a match of 258 bytes in two bits).
        if entries.count > (source.len() - offset).saturating_mul(1032) / SMALLEST_ENTRY {
            return Err(entries.damaged("the list is longer than what the file can hold"));
        }
        Ok(entries)
    }

    fn next(&mut self) -> Result<(Checkpoint, EncodedWindow), IndexError> {
        let byte_offset = u64::from_le_bytes(self.array()?);
        let [spare_bits] = self.array()?;
        let output_offset = u64::from_le_bytes(self.array()?);
        let window_size = u64::from_le_bytes(self.array()?);
        if spare_bits > 7 {
            return Err(self.damaged("more than seven spare bits"));
        }
        let bit_offset = byte_offset
            .checked_mul(8)
            .and_then(|bits| bits.checked_sub(u64::from(spare_bits)));
        let bit_offset = bit_offset.ok_or_else(|| self.damaged("an offset is impossible"))?;
        if window_size > output_offset.min(WINDOW_SIZE as u64) {
            return Err(
                self.damaged("a window is larger than 32 KiB or reaches back past the start")
            );
        }
        let mut window = [0; WINDOW_SIZE];
        let window = &mut window[..window_size as usize];
        self.fill(window)?;
        let record_rank = u64::from_le_bytes(self.array()?);
        let record_offset = u64::from_le_bytes(self.array()?);
        let checkpoint = Checkpoint {
            bit_offset,
            output_offset,
            record_rank,
            record_offset,
            crc32: None,
        };
        Ok((checkpoint, EncodedWindow::encode_fast(window)))
    }

    /// Reads to the end of the stream, which verifies its checksum.
    fn finish(&mut self) -> Result<(), IndexError> {
        let mut rest = [0];
        match self.stream.read(&mut rest) {
            Ok(0) => {}
            Ok(_) => return Err(self.damaged("there are bytes after the list")),
            Err(error) => return Err(self.damaged(error.to_string())),
        }
        match self.stream.get_mut().read(&mut rest) {
            Ok(0) => Ok(()),
            _ => Err(self.damaged("there are bytes after the compressed list")),
        }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], IndexError> {
        let mut array = [0; N];
        self.fill(&mut array)?;
        Ok(array)
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<(), IndexError> {
        self.stream
            .read_exact(buffer)
            .map_err(|error| self.damaged(error.to_string()))?;
        self.position += buffer.len() as u64;
        Ok(())
    }

    fn damaged(&self, reason: impl Into<String>) -> IndexError {
        IndexError::damaged(SECTION, self.position, reason)
    }
}
