//! What stands behind a gzip member that is no member: whether reads follow decides what to tell the user.

use std::io::Read;
use std::sync::Arc;

use thalweg_files::{ReadAt, ReadFrom};
use thalweg_gzip::{Error, ErrorKind};

use crate::file::InputFile;
use crate::members::{Members, first_member, is_damaged_member};
use crate::{Compression, FileKind};

/// Whether text stands there that begins as FASTQ or FASTA does, or data of another compression.
fn follows_other(file: &Arc<dyn ReadAt>, offset: u64) -> bool {
    let mut first = Vec::new();
    let rest = ReadFrom::new(Arc::clone(file), offset);
    let read = rest.take(512).read_to_end(&mut first);
    let is_text = matches!(first.first(), Some(b'@' | b'>')) && !FileKind::has_binary(&first);
    let other = [Compression::None, Compression::Gzip];
    read.is_ok() && (is_text || !other.contains(&Compression::sniff(&first)))
}

/// The fault of bytes at `offset` that are no gzip header, if data follow them; `None` if they may be cut off.
///
/// Reads the rest of the file, as far as the next member.
pub(crate) fn behind_member(file: &InputFile, offset: u64) -> Option<Error> {
    let (open, size) = (file.regular()?, file.size()?);
    if follows_other(open, offset) {
        return Some(Error::new(ErrorKind::OtherDataBehind, offset));
    }
    // What cannot be read is no reason for another error.
    let next = first_member(open, size, offset..size, Members::Any).ok()?;
    // NUL bytes were passed over.
    let is_hole = next == Some(offset);
    let kind = match next {
        _ if !is_hole && is_damaged_member(open, offset) => {
            ErrorKind::BadHeader("its first bytes are not those of gzip, what follows is")
        }
        Some(next) => ErrorKind::Gap { is_hole, next },
        None => return None,
    };
    Some(Error::new(kind, offset))
}
