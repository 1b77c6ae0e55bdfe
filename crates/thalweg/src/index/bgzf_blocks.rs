//! `.gzi` indexes of BGZF files: from block to block by their headers.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use thalweg_gzip::index::{Index, gzi};
use thalweg_reads::{Error, ErrorKind};

/// Bytes of a BGZF block's header: SAM specification, section 4.1. The `BC`
/// subfield is the only extra field that any known writer makes.
const HEADER: usize = 18;

/// First bytes of that header, up to the mtime, and from XLEN up to BSIZE.
const START: [u8; 4] = [0x1f, 0x8b, 8, 4];
const EXTRA: [u8; 6] = [6, 0, b'B', b'C', 2, 0];

/// Bytes between two calls of who is told of progress.
const BETWEEN: u64 = 1 << 24;

/// Write the `.gzi` of `file` to `destination`. Two small reads for each block; `progress` is told after some of them.
pub(super) fn build(
    file: &Path,
    destination: &Path,
    progress: thalweg_reads::Progress<'_>,
) -> Result<Index, Error> {
    let fail = |error| Error::io(file, error);
    let open = File::open(file).map_err(fail)?;
    let size = open.metadata().map_err(fail)?.len();
    let mut blocks = Vec::new();
    let (mut at, mut text) = (0_u64, 0_u64);
    let mut header = [0; HEADER];
    let mut told = 0;
    while at < size {
        open.read_exact_at(&mut header, at)
            .map_err(|_| not_bgzf(file, at))?;
        if header[..4] != START || header[10..16] != EXTRA {
            return Err(not_bgzf(file, at));
        }
        let next = at + u64::from(u16::from_le_bytes([header[16], header[17]])) + 1;
        let mut length = [0; 4];
        if next > size || next < at + (HEADER + 8) as u64 {
            return Err(not_bgzf(file, at));
        }
        open.read_exact_at(&mut length, next - 4).map_err(fail)?;
        let length = u64::from(u32::from_le_bytes(length));
        // Like bgzip: a block is listed unless nothing follows, as after the
        // empty block that marks the end.
        if length > 0 && at > 0 {
            blocks.push((at, text));
        }
        text += length;
        at = next;
        if at - told >= BETWEEN {
            told = at;
            progress(at, size)?;
        }
    }
    let wrap = |error| Error::new(ErrorKind::Index(error)).in_file(file);
    gzi::write(destination, &blocks).map_err(wrap)?;
    let mut index = Index::open(destination).map_err(wrap)?;
    index.set_sizes(size, text).map_err(wrap)?;
    Ok(index)
}

fn not_bgzf(file: &Path, offset: u64) -> Error {
    let what = "no complete BGZF block here: a .gzi index needs a BGZF file";
    Error::new(ErrorKind::Unsupported(what))
        .in_file(file)
        .at_offset(offset)
}
