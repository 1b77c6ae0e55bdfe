//! The one sign by which a BGZF file that was cut between two blocks can be told.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use thalweg_gzip::header::{self, BGZF_END, Parsed};

/// Bytes that hold the header of a BGZF block with any extra fields that are in use.
const HEAD: usize = 512;

/// Whether `path` is a BGZF file without the empty block at its end (SAM specification, section 4.1.2).
///
/// Such a file may have been cut off between two blocks: every block in it is sound, so that nothing else
/// tells. Some programs never write the empty block, so it is a reason for a warning and not an error. Pipes
/// and other things that are no regular files are never said to lack it. Costs two reads.
///
/// # Errors
/// If the file cannot be opened or read.
pub fn lacks_bgzf_end(path: &Path) -> io::Result<bool> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() || metadata.len() == 0 {
        return Ok(false);
    }
    let file = File::open(path)?;
    let mut head = vec![0; HEAD.min(metadata.len() as usize)];
    file.read_exact_at(&mut head, 0)?;
    let is_bgzf =
        matches!(header::parse(&head), Parsed::Header(header) if header.block_size.is_some());
    if !is_bgzf {
        return Ok(false);
    }
    let mut end = [0; BGZF_END.len()];
    let Some(start) = metadata.len().checked_sub(end.len() as u64) else {
        return Ok(true);
    };
    file.read_exact_at(&mut end, start)?;
    Ok(end != BGZF_END)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_cut_files() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.gz");
        let check = |bytes: &[u8], expected: bool| {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(lacks_bgzf_end(&path).unwrap(), expected, "{bytes:?}");
        };
        check(b"", false);
        check(b"@r\nACGT\n+\nIIII\n", false);
        check(&BGZF_END, false);
        check(&[BGZF_END, BGZF_END].concat(), false);
        // A block that is no end: the same, but with another time.
        let mut other = BGZF_END;
        other[4] = 1;
        check(&other, true);
        check(&[BGZF_END.as_slice(), &other].concat(), true);
        check(&BGZF_END[..20], true);
    }
}
