//! Places in a BGZF file where reading can start, without an index.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use thalweg_gzip::{FileFrom, header};

/// Bytes in which the start of a block must be found: a block has at most
/// 64 KiB, and the one after it confirms it.
const SEARCHED: u64 = 3 * 65536;

/// Starts of blocks about `spacing` bytes apart, from 0, and at last `size`.
///
/// Returns `None` if somewhere no block is found: then the file is not all BGZF.
/// Reads a few hundred bytes to 192 KiB per start.
pub(crate) fn block_starts(
    file: &Arc<File>,
    size: u64,
    spacing: u64,
) -> io::Result<Option<Vec<u64>>> {
    let mut starts = vec![0];
    let mut at = spacing;
    while at < size {
        let mut bytes = Vec::new();
        FileFrom::new(Arc::clone(file), at)
            .take(SEARCHED)
            .read_to_end(&mut bytes)?;
        let at_end = at + bytes.len() as u64 >= size;
        match header::find_bgzf_block(&bytes, at_end) {
            Some(found) => starts.push(at + found as u64),
            // The end of the last block, or of a file that is cut off there:
            // whoever reads the part before it will say so.
            None if at_end => break,
            None => return Ok(None),
        }
        at += spacing;
    }
    starts.push(size);
    starts.dedup();
    if starts.len() == 1 {
        starts.push(size);
    }
    Ok(Some(starts))
}
