//! BGZF's `.gzi`: the offsets of the blocks, as bgzip and samtools write them.
//!
//! A u64 count, then for every block but the first the offset of its gzip header in the compressed file and the
//! uncompressed bytes before it, both u64, all little endian. No magic, no checksum, no records.

use std::io::Write;
use std::path::Path;

use super::cursor::Cursor;
use super::source::Source;
use super::windows::Windows;
use super::writer::{create, finish};
use super::{Checkpoint, Container, Index, IndexError, IndexedFile, Origin, Summary};

/// Bytes from the start of a BGZF block to its DEFLATE data.
///
/// SAM specification 1.6, section 4.1: 12 bytes of gzip header with XLEN, and the 6 bytes of the `BC` subfield. Other
/// subfields are allowed there, but no known writer adds any.
const BLOCK_HEADER_SIZE: u64 = 18;

const SECTION: &str = "gzi";
const COUNT_SIZE: u64 = 8;
const PAIR_SIZE: u64 = 16;

/// Reads the blocks of a `.gzi` file: (compressed offset, uncompressed offset), the implicit first (0, 0) included.
///
/// # Errors
/// [`IndexError::NotAnIndex`] if the count does not fit the file's size; [`IndexError::Damaged`] if offsets do not
/// increase; [`IndexError::Io`].
pub fn read(path: &Path) -> Result<Vec<(u64, u64)>, IndexError> {
    read_blocks(&Source::open(path)?)
}

/// Writes a `.gzi` file, which appears under `path` only when it is whole.
///
/// `blocks` are pairs as [`read`] returns them; the first block, at (0, 0), may be left out.
///
/// # Errors
/// [`IndexError::NotRepresentable`] if the offsets do not increase; [`IndexError::Io`].
pub fn write(path: &Path, blocks: &[(u64, u64)]) -> Result<(), IndexError> {
    let blocks = blocks.strip_prefix(&[(0, 0)]).unwrap_or(blocks);
    let mut previous = (0, 0);
    for block in blocks {
        if block.0 <= previous.0 || block.1 < previous.1 {
            return Err(IndexError::NotRepresentable {
                format: "gzi",
                reason: "the blocks' offsets do not increase",
            });
        }
        previous = *block;
    }
    let mut file = create(path)?;
    let mut put = |number: u64| file.write_all(&number.to_le_bytes());
    let numbers = blocks.iter().flat_map(|block| [block.0, block.1]);
    let written = put(blocks.len() as u64).and_then(|()| numbers.into_iter().try_for_each(put));
    written.map_err(|error| IndexError::io(path, "write", error))?;
    finish(file)
}

/// Reads a `.gzi` file as an index with a checkpoint per block, no records, and both sizes unknown (0).
pub(super) fn read_index(source: &Source) -> Result<Index, IndexError> {
    let blocks = read_blocks(source)?;
    let checkpoints = blocks
        .into_iter()
        .map(|(compressed, output_offset)| Checkpoint {
            bit_offset: (compressed + BLOCK_HEADER_SIZE) * 8,
            output_offset,
            record_rank: 0,
            record_offset: 0,
            crc32: None,
        });
    let summary = Summary {
        identity: IndexedFile {
            compressed_size: 0,
            blake3: None,
            head_tail: None,
        },
        container: Container::Bgzf,
        record_format: None,
        has_records: false,
        output_size: 0,
        record_count: 0,
        metadata: None,
    };
    Ok(Index::assemble(
        summary,
        checkpoints.collect(),
        Windows::none(),
        Origin::Gzi,
    ))
}

fn read_blocks(source: &Source) -> Result<Vec<(u64, u64)>, IndexError> {
    if source.len() < COUNT_SIZE {
        return Err(IndexError::NotAnIndex);
    }
    let mut count = [0; COUNT_SIZE as usize];
    source.read_exact_at(&mut count, 0)?;
    let count = u64::from_le_bytes(count);
    // The count must account for the file's size, so nothing larger than the file is ever allocated.
    let size = count
        .checked_mul(PAIR_SIZE)
        .and_then(|size| size.checked_add(COUNT_SIZE));
    if size != Some(source.len()) {
        return Err(IndexError::NotAnIndex);
    }
    let mut blocks = vec![(0, 0)];
    let mut offset = COUNT_SIZE;
    while offset < source.len() {
        let mut bytes = vec![0; (source.len() - offset).min(PAIRS_AT_ONCE * PAIR_SIZE) as usize];
        source.read_exact_at(&mut bytes, offset)?;
        let mut cursor = Cursor::new(&bytes, SECTION, offset);
        while cursor.remaining() > 0 {
            let block = (cursor.u64()?, cursor.u64()?);
            let (compressed, output) = blocks[blocks.len() - 1];
            if block.0 <= compressed
                || block.1 < output
                || block.0 > LARGEST_OFFSET
                || block.1 > LARGEST_OFFSET
            {
                return Err(cursor.damaged("the blocks' offsets do not increase"));
            }
            blocks.push(block);
        }
        offset += bytes.len() as u64;
    }
    Ok(blocks)
}

/// Pairs read at once: 64 KiB.
const PAIRS_AT_ONCE: u64 = 4096;

/// Offsets beyond this would overflow as bit offsets.
const LARGEST_OFFSET: u64 = 1 << 58;
