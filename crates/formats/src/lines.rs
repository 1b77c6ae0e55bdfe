//! Lines, and how they end.

/// A line without the `\r` that may end it.
#[inline(always)]
pub fn trim(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// The fields of a record that is text, without their line ends; on several lines, with those of all lines but the last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lines<'a> {
    /// Without its marker.
    pub(crate) head: &'a [u8],
    pub(crate) sequence: &'a [u8],
    pub(crate) quality: Option<&'a [u8]>,
}

/// The line of `data`, or lines, from `from` to the newline at `to`.
#[inline(always)]
pub(crate) fn line(data: &[u8], from: usize, to: u32) -> &[u8] {
    // An empty sequence may have no line at all: then it ends where the header does.
    trim(data.get(from..to as usize).unwrap_or_default())
}

/// A carriage return that ends a line although no newline follows, as far as the line is there.
///
/// Several before a newline end one line. Where the data end behind it, nothing is known (`at_end`: a line ends there).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LineEnd {
    /// The newline.
    Newline(usize),
    /// A carriage return with something else behind it.
    LoneReturn(usize),
    /// It is not there yet.
    Missing,
}

impl LineEnd {
    /// Of the line of `data` that has no end before `from`.
    #[inline]
    pub(crate) fn find(data: &[u8], from: usize) -> Self {
        match memchr::memchr2(b'\n', b'\r', &data[from..]) {
            Some(length) if data[from + length] == b'\n' => Self::Newline(from + length),
            Some(length) => Self::behind_return(data, from + length),
            None => Self::Missing,
        }
    }

    #[cold]
    fn behind_return(data: &[u8], at: usize) -> Self {
        let returns = data[at..].iter().take_while(|&&byte| byte == b'\r');
        let next = at + returns.count();
        match data.get(next) {
            Some(b'\n') => Self::Newline(next),
            Some(_) => Self::LoneReturn(next - 1),
            None => Self::Missing,
        }
    }
}

/// Whether there are only ends of lines.
pub fn is_blank(text: &[u8]) -> bool {
    text.iter().all(|byte| matches!(byte, b'\r' | b'\n'))
}

/// Blank bytes after the last record that are tolerated before the end of the data is seen: a bound
/// on how often they are looked at again as they arrive.
const MOST_BLANK: usize = 64 * 1024;

/// If only blank lines are left: where the next record starts, or would.
#[cold]
pub(crate) fn blank_rest(data: &[u8], start: usize, at_end: bool) -> Option<usize> {
    let rest = &data[start..];
    let blank = is_blank(rest);
    match at_end {
        true if blank => Some(data.len()),
        false if blank && rest.len() <= MOST_BLANK => Some(start),
        _ => None,
    }
}
