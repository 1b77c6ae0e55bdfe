//! FASTA: a header line, then sequence until the next line that starts with `>`.

use crate::record::{Boundary, FormatError, FormatErrorKind};

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
            let head = head.or_else(|| {
                memchr::memchr(b'\n', &data[start + seen..]).map(|length| seen + length)
            });
            let next = head.and_then(|head| {
                // The '\n' before what was seen may belong to a '>' that is new.
                next_header(data, start + head.max(seen.saturating_sub(1)))
            });
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

/// The first `>` after a `\n` of `data[from..]`.
///
/// `>` is looked for, and not the newline: sequence is wrapped every 60 to 80 bytes, but has no `>`.
#[inline]
fn next_header(data: &[u8], from: usize) -> Option<usize> {
    let mut position = from + 1;
    while let Some(length) = memchr::memchr(b'>', data.get(position..)?) {
        position += length;
        if data[position - 1] == b'\n' {
            return Some(position);
        }
        position += 1;
    }
    None
}

/// See [`find_record`](crate::find_record).
pub(crate) fn find(data: &[u8], from: usize, at_end: bool) -> Boundary {
    let found = match from {
        0 if data.starts_with(b">") => Some(0),
        0 => next_header(data, 0),
        _ => next_header(data, from - 1),
    };
    match found {
        Some(start) => Boundary::Found(start),
        None if at_end => Boundary::NoneLeft,
        None => Boundary::NeedMore,
    }
}
