//! Records: where they start and end, and views of them.

mod error;
mod name;
mod scanner;
mod view;

pub use error::{FormatError, FormatErrorKind};
pub use name::same_template;
pub(crate) use name::{id, template};
pub use scanner::{Boundary, Scanner, find_record};
pub use view::{Record, Records};

/// A line without the `\r` that may end it.
#[inline(always)]
pub(crate) fn trim(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Blank bytes after the last record that are tolerated before the end of the data is seen: a bound
/// on how often they are looked at again as they arrive.
const MOST_BLANK: usize = 64 * 1024;

/// If only blank lines are left: where the next record starts, or would.
#[cold]
pub(crate) fn blank_rest(data: &[u8], start: usize, at_end: bool) -> Option<usize> {
    let rest = &data[start..];
    let blank = rest.iter().all(|byte| matches!(byte, b'\n' | b'\r'));
    match at_end {
        true if blank => Some(data.len()),
        false if blank && rest.len() <= MOST_BLANK => Some(start),
        _ => None,
    }
}
