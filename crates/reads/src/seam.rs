//! How parts found by inspection fit together.

use serde::{Deserialize, Serialize};

/// What a part of a file turned out to hold. Its first record was found by inspection, so what the parts say of themselves
/// must fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seam {
    /// First byte on disk that was read.
    pub disk_start: u64,
    /// The byte on disk behind the last one: the next part begins here. A part in which no gzip member starts has none.
    pub disk_end: u64,
    /// Uncompressed bytes between them.
    pub length: u64,
    /// First byte of its records, and the byte behind the last, both uncompressed and from the part's start. The last record
    /// may end in another part.
    pub records: Option<(u64, u64)>,
    /// Where text ends, likewise, in which no record was found.
    pub passed_over: Option<u64>,
}

/// Check that `seams`, of all parts of what was wanted, follow one another on disk and in the text: each part's first record
/// begins where the last one before it ends. `size` is the file's if all of it was wanted.
///
/// # Errors
/// Where parts do not fit: the byte in the uncompressed data, counted from the first part.
pub(crate) fn check<'a>(
    seams: impl Iterator<Item = &'a Seam>,
    size: Option<u64>,
) -> Result<(), u64> {
    // A part in which no member starts was read with the one before it.
    let mut seams = seams
        .filter(|seam| seam.disk_end > seam.disk_start)
        .peekable();
    // A shard begins where its first part with a member does.
    let mut disk = match size {
        Some(_) => 0,
        None => seams.peek().map_or(0, |first| first.disk_start),
    };
    let mut start = 0;
    let mut expected = None;
    for seam in seams {
        if seam.disk_start != disk {
            return Err(start);
        }
        if let Some((first, end)) = seam.records {
            if expected.is_some_and(|expected| expected != start + first) {
                return Err(start + first);
            }
            expected = Some(start + end);
        }
        if let (Some(expected), Some(end)) = (expected, seam.passed_over)
            && start + end > expected
        {
            return Err(expected);
        }
        start += seam.length;
        disk = seam.disk_end;
    }
    match size {
        Some(size) if size != disk => Err(start),
        _ => Ok(()),
    }
}
