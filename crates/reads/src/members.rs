//! Places in a gzip file of many members where reading can start, without an index.

use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

use thalweg_files::{ReadAt, ReadFrom};
use thalweg_gzip::header::{self, Parsed};
use thalweg_gzip::{Decoder, Event, Goal, Slab, Start};

use crate::open::OpenedFile;
use crate::{Compression, Error};

/// Bytes in which the start of a BGZF block must be found: a block has at most
/// 64 KiB, and the one after it confirms it.
const BGZF_SEARCHED: u64 = 3 * 65536;

/// Bytes that are searched at a time for the start of another member.
const PIECE: usize = 256 * 1024;

/// Bytes of text that are decoded on trial. Compressed data pass for a member's
/// magic bytes once in 16 MB; that they also pass for a code, and give this much
/// printable text, does not happen by chance. Should it ever, the ends of the
/// parts would not meet, which is an error.
const TRIAL: usize = 16 * 1024;

/// Compressed bytes in which a second member must start for a file to be read
/// by its members: with larger ones the parts would be uneven.
const SMALL_MEMBER: u64 = 4 << 20;

/// How the first member at or after some byte can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// By the size that each block's header states.
    Bgzf,
    /// By looking for a header, and decoding a little on trial.
    Any,
}

/// Whether a file can be read in parts without an index, by its members.
pub(crate) fn in_parts(opened: &OpenedFile) -> Result<bool, Error> {
    Ok(opened.format.has_boundaries() && members(opened)?.is_some())
}

/// How members of a gzip file can be found; `None` if it has one large one.
pub(crate) fn members(opened: &OpenedFile) -> Result<Option<Members>, Error> {
    let (Some(open), Some(size)) = (opened.file.regular(), opened.file.size()) else {
        return Ok(None);
    };
    if opened.file.compression() != Compression::Gzip {
        return Ok(None);
    }
    if opened.is_bgzf {
        return Ok(Some(Members::Bgzf));
    }
    let second = first_member(open, size, 1..size.min(SMALL_MEMBER), Members::Any)
        .map_err(|error| Error::io(opened.file.path(), error))?;
    Ok(second.map(|_| Members::Any))
}

/// The first member that starts in `range` of `file`, whose size is `size`.
///
/// # Errors
/// What reading gave.
pub(crate) fn first_member(
    file: &Arc<dyn ReadAt>,
    size: u64,
    range: Range<u64>,
    members: Members,
) -> io::Result<Option<u64>> {
    if range.start == 0 {
        return Ok(Some(0));
    }
    match members {
        Members::Bgzf => first_block(file, size, range),
        Members::Any => first_of_any(file, size, range),
    }
}

fn first_block(file: &Arc<dyn ReadAt>, size: u64, range: Range<u64>) -> io::Result<Option<u64>> {
    let mut bytes = Vec::new();
    ReadFrom::new(Arc::clone(file), range.start)
        .take(BGZF_SEARCHED)
        .read_to_end(&mut bytes)?;
    let at_end = range.start + bytes.len() as u64 >= size;
    let found = header::find_bgzf_block(&bytes, at_end).map(|found| range.start + found as u64);
    Ok(found.filter(|start| range.contains(start)))
}

fn first_of_any(file: &Arc<dyn ReadAt>, size: u64, range: Range<u64>) -> io::Result<Option<u64>> {
    let mut piece = vec![0; PIECE];
    let mut at = range.start;
    while at < range.end {
        let mut filled = 0;
        while filled < PIECE {
            let offset = at + filled as u64;
            match file.read_at(&mut piece[filled..], offset) {
                Ok(0) => break,
                Ok(length) => filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        for candidate in memchr::memmem::find_iter(&piece[..filled], &header::MAGIC) {
            let start = at + candidate as u64;
            if start >= range.end {
                return Ok(None);
            }
            let plausible = !matches!(
                header::parse(&piece[candidate..filled]),
                Parsed::NotGzip | Parsed::TooLong | Parsed::Malformed(_)
            );
            if plausible && is_member(file, start) {
                return Ok(Some(start));
            }
        }
        if filled < PIECE || at + filled as u64 >= size {
            return Ok(None);
        }
        // A header may lie across the end of the piece.
        at += (filled - header::MAGIC.len() + 1) as u64;
    }
    Ok(None)
}

/// Whether a member begins at byte `start` whose magic bytes are other ones.
pub(crate) fn is_damaged_member(file: &Arc<dyn ReadAt>, start: u64) -> bool {
    let length = header::MAGIC.len();
    let rest = ReadFrom::new(Arc::clone(file), start + length as u64);
    decodes_to_text(Box::new(header::MAGIC.as_slice().chain(rest)), start)
}

/// Whether decoding text can start at byte `start`.
fn is_member(file: &Arc<dyn ReadAt>, start: u64) -> bool {
    decodes_to_text(Box::new(ReadFrom::new(Arc::clone(file), start)), start)
}

fn decodes_to_text(source: Box<dyn Read + Send>, start: u64) -> bool {
    let slab = Slab::new(TRIAL);
    let mut decoder = Decoder::new(source, start, Start::Member, Goal::EndOfFile, slab);
    while decoder.event().is_none() {
        if decoder.advance().is_err() {
            return false;
        }
    }
    let printable = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 32..=126);
    matches!(decoder.event(), Some(Event::Full | Event::End))
        && decoder.data().iter().all(printable)
}
