//! FASTA: a header line, then sequence until the next line that starts with `>`.

use crate::lines::{LineEnd, Lines, line};
use crate::{FormatError, FormatErrorKind, Search};

/// What was seen of an unfinished record, relative to its start.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scan {
    /// Where the header ends, once known.
    head: Option<usize>,
    seen: usize,
}

impl Scan {
    /// See [`Scanner::scan`](crate::Scanner::scan). `data` is no longer than `u32::MAX`.
    pub(crate) fn scan(
        &mut self,
        data: &[u8],
        from: usize,
        at_end: bool,
        limit: usize,
        ends: &mut Vec<u32>,
    ) -> Result<usize, FormatError> {
        let mut before = std::mem::take(self);
        if before.seen > data.len() - from {
            // Not the data that were promised; start afresh rather than out of bounds.
            before = Scan::default();
        }
        let mut start = from;
        for record in 0..limit {
            match data.get(start) {
                None => return Ok(start),
                Some(b'>') => {}
                Some(_) => {
                    let kind = FormatErrorKind::MissingGreater;
                    return Err(FormatError::new(kind, record, start, data));
                }
            }
            let Scan { head, seen } = std::mem::take(&mut before);
            let from = |seen| match seen {
                0 => 0,
                _ => resume(&data[start..start + seen]),
            };
            let head = match head {
                Some(head) => Some(head),
                None => match LineEnd::find(data, start + from(seen)) {
                    LineEnd::Newline(end) => Some(end - start),
                    LineEnd::LoneReturn(_) => {
                        let kind = FormatErrorKind::LoneReturn;
                        return Err(FormatError::new(kind, record, start, data));
                    }
                    LineEnd::Missing => None,
                },
            };
            let next = head.and_then(|head| {
                // The '\n' before what was seen may belong to a '>' that is new.
                next_header(data, start + head.max(seen.saturating_sub(1)))
            });
            if let Some(next) = next.filter(|&next| data[next - 1] != b'\n') {
                let line = memchr::memrchr(b'\n', &data[start..next]);
                let line = start + line.map_or(0, |newline| newline + 1);
                let kind = FormatErrorKind::LoneReturn;
                return Err(FormatError::new(kind, record, line, data));
            }
            match (head, next) {
                (Some(head), Some(next)) => {
                    ends.extend([(start + head) as u32, (next - 1) as u32]);
                    start = next;
                }
                _ if !at_end => {
                    *self = Scan {
                        head,
                        seen: data.len() - start,
                    };
                    return Ok(start);
                }
                (head, _) => {
                    let head = head.map_or(data.len(), |head| start + head);
                    let closed = data.len() - usize::from(data.ends_with(b"\n"));
                    ends.extend([head as u32, closed.max(head) as u32]);
                    return Ok(data.len());
                }
            }
        }
        Ok(start)
    }
}

/// How far a header was seen whose end was not: carriage returns at the end of what there is may belong to one.
#[cold]
fn resume(seen: &[u8]) -> usize {
    let returns = seen.iter().rev().take_while(|&&byte| byte == b'\r');
    seen.len() - returns.count()
}

/// The first `>` after a `\n` of `data[from..]`, or after a `\r`, where no line should begin.
///
/// `>` is looked for, and not the newline: sequence is wrapped every 60 to 80 bytes, but has no `>`.
#[inline]
fn next_header(data: &[u8], from: usize) -> Option<usize> {
    let mut position = from + 1;
    while let Some(length) = memchr::memchr(b'>', data.get(position..)?) {
        position += length;
        if matches!(data[position - 1], b'\n' | b'\r') {
            return Some(position);
        }
        position += 1;
    }
    None
}

/// Whether data that begin with `prefix` are FASTA.
pub(crate) fn sniff(prefix: &[u8]) -> bool {
    prefix.first() == Some(&b'>')
}

/// See [`FileFormat::find_first`](crate::FileFormat::find_first).
pub(crate) fn find(data: &[u8], from: usize, at_end: bool) -> Search {
    let mut found = match from {
        0 if data.starts_with(b">") => Some(0),
        0 => next_header(data, 0),
        _ => next_header(data, from - 1),
    };
    // Behind a carriage return alone none starts that would be read.
    while let Some(start) = found.filter(|&start| start > 0 && data[start - 1] == b'\r') {
        found = next_header(data, start);
    }
    match found {
        Some(start) => Search::Found(start),
        None if at_end => Search::NoneLeft,
        // Only a line's first byte tells, so that nothing else is needed of what was looked through.
        None => Search::NeedMore(data.len()),
    }
}

/// The record at `start` with these `ends`.
#[inline(always)]
pub(crate) fn view<'a>(data: &'a [u8], start: usize, ends: &[u32]) -> Lines<'a> {
    Lines {
        head: line(data, start + 1, ends[0]),
        // Blank lines after a sequence are no lines of it.
        sequence: trim_end(line(data, ends[0] as usize + 1, ends[1])),
        quality: None,
    }
}

#[inline]
fn trim_end(mut field: &[u8]) -> &[u8] {
    while let [before @ .., b'\n' | b'\r'] = field {
        field = before;
    }
    field
}
