//! FASTQ of four lines per record.
//!
//! ```text
//! for each 32 KiB:  append the positions of its newlines            (SIMD)
//!                   for each four of them:  '@'? '+'? equal lengths?
//! ```
//! The newlines *are* the positions that a record needs, so that nothing is copied. The check
//! follows at once, while the bytes are in the L1 cache.

use crate::lines::{LineEnd, Lines, blank_rest, line, trim};
use crate::{FormatError, FormatErrorKind, Search};

/// Bytes between two rounds of checks: fits an L1 cache of 48 KiB with the positions.
const WINDOW: usize = 32 * 1024;

/// Longer headers are looked at for a carriage return alone: one that has some holds what should be records of their own. The
/// bound is the same for all, so that it does not matter where reading begins.
const LONG_HEAD: usize = 96;

/// What was seen of an unfinished record, relative to its start.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scan {
    ends: [u32; 3],
    lines: usize,
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
        if limit == 0 {
            return Ok(from);
        }
        let first = ends.len();
        let target = limit
            .checked_mul(4)
            .and_then(|more| first.checked_add(more))
            .unwrap_or(usize::MAX);
        let mut position = from + self.resume(data.len() - from, from, ends);
        let mut start = from;
        let mut checked = first;
        loop {
            while let Some(record) = ends[checked..].first_chunk::<4>() {
                if let Err(fault) = check(data, start, record) {
                    ends.truncate(checked);
                    return settle(data, start, at_end, fault, (checked - first) / 4);
                }
                let head = record[0] as usize - start;
                if head > LONG_HEAD
                    && let Err(fault) = check_head(data, start)
                {
                    ends.truncate(checked);
                    return settle(data, start, at_end, fault, (checked - first) / 4);
                }
                start = record[3] as usize + 1;
                checked += 4;
                if checked == target {
                    ends.truncate(checked);
                    return Ok(start);
                }
            }
            if position == data.len() {
                break;
            }
            let end = data.len().min(position + WINDOW);
            thalweg_scan::newlines(&data[position..end], position as u32, ends);
            position = end;
        }
        let record = (checked - first) / 4;
        let fault = |kind, offset| Err(FormatError::new(kind, record, offset, data));
        let lines = &ends[checked..];
        match data.get(start) {
            None => Ok(start),
            Some(b'@') if !at_end => {
                self.keep(lines, start, data.len());
                ends.truncate(checked);
                Ok(start)
            }
            Some(b'@') => match check_head(data, start).and_then(|()| last(data, start, lines)) {
                Ok(()) => {
                    ends.push(data.len() as u32);
                    Ok(data.len())
                }
                Err((kind, offset)) => {
                    ends.truncate(checked);
                    fault(kind, offset)
                }
            },
            Some(_) => {
                ends.truncate(checked);
                match blank_rest(data, start, at_end) {
                    Some(next) => Ok(next),
                    None => fault(FormatErrorKind::MissingAt, start),
                }
            }
        }
    }

    /// Put back the positions of the unfinished record at `from`, and return how many of its
    /// `length` bytes were seen.
    fn resume(&mut self, length: usize, from: usize, ends: &mut Vec<u32>) -> usize {
        let before = std::mem::take(self);
        if before.seen > length {
            // Not the data that were promised; start afresh rather than out of bounds.
            return 0;
        }
        let seen = &before.ends[..before.lines];
        ends.extend(seen.iter().map(|&end| end + from as u32));
        before.seen
    }

    fn keep(&mut self, lines: &[u32], start: usize, length: usize) {
        // Four would have been a record.
        debug_assert!(lines.len() < 4);
        self.lines = lines.len();
        for (kept, &end) in self.ends.iter_mut().zip(lines) {
            *kept = end - start as u32;
        }
        self.seen = length - start;
    }
}

/// A fault: its kind, and where its line starts.
type Fault = (FormatErrorKind, usize);

/// Check a record that starts at `start`.
#[inline]
fn check(data: &[u8], start: usize, ends: &[u32; 4]) -> Result<(), Fault> {
    let [head, sequence, plus, quality] = ends.map(|end| end as usize);
    if data[start] != b'@' {
        return Err((FormatErrorKind::MissingAt, start));
    }
    if data[sequence + 1] != b'+' {
        return Err((FormatErrorKind::MissingPlus, sequence + 1));
    }
    let bases = sequence - head - 1 - usize::from(data[sequence - 1] == b'\r');
    let qualities = trim(&data[plus + 1..quality]).len();
    if bases != qualities {
        let kind = FormatErrorKind::LengthsDiffer {
            sequence: bases as u64,
            quality: qualities as u64,
        };
        return Err((kind, plus + 1));
    }
    // Elsewhere in the file such a record could not be told from another one: see `find`.
    let byte = data[head + 1];
    if matches!(byte, b'@' | b'+') {
        return Err((FormatErrorKind::StrayBase { byte, place: 0 }, head + 1));
    }
    Ok(())
}

/// What to tell of a `fault` of the record at `start`, number `record`: where to go on, if it is none yet, or none at all.
#[cold]
fn settle(
    data: &[u8],
    start: usize,
    at_end: bool,
    fault: Fault,
    record: usize,
) -> Result<usize, FormatError> {
    if let Some(next) = blank_rest(data, start, at_end) {
        return Ok(next);
    }
    if !at_end && is_undecided(data, fault) {
        return Ok(start);
    }
    let (kind, offset) = match check_head(data, start) {
        // What begins otherwise is no header.
        Err(head) if fault.0 != FormatErrorKind::MissingAt => head,
        Err(_) => fault,
        Ok(()) if at_end => cut_short(data, start, fault),
        Ok(()) => fault,
    };
    Err(FormatError::new(kind, record, offset, data))
}

/// Check that the header of the record at `start` is one line.
#[cold]
fn check_head(data: &[u8], start: usize) -> Result<(), Fault> {
    match LineEnd::find(data, start) {
        LineEnd::LoneReturn(_) => Err((FormatErrorKind::LoneReturn, start)),
        LineEnd::Newline(_) | LineEnd::Missing => Ok(()),
    }
}

/// Check the last record, which no newline ends.
#[cold]
fn last(data: &[u8], start: usize, lines: &[u32]) -> Result<(), Fault> {
    let found = match *lines {
        [head, sequence, plus] => check(data, start, &[head, sequence, plus, data.len() as u32]),
        [_, sequence]
            if data
                .get(sequence as usize + 1)
                .is_some_and(|&byte| byte != b'+') =>
        {
            Err((FormatErrorKind::MissingPlus, sequence as usize + 1))
        }
        _ => Err((FormatErrorKind::Truncated, start)),
    };
    found.map_err(|fault| cut_short(data, start, fault))
}

/// At the end of the data: the fault as it is, or `Truncated` if nothing but line ends is where the
/// fault is.
fn cut_short(data: &[u8], start: usize, fault: Fault) -> Fault {
    let nothing = |offset: usize| {
        data.get(offset..)
            .is_none_or(|rest| rest.iter().all(|byte| matches!(byte, b'\n' | b'\r')))
    };
    match fault.0 {
        FormatErrorKind::MissingPlus if nothing(fault.1) => (FormatErrorKind::Truncated, start),
        // With a newline the quality line is there, and empty.
        FormatErrorKind::LengthsDiffer { quality: 0, .. } if fault.1 == data.len() => {
            (FormatErrorKind::Truncated, start)
        }
        _ => fault,
    }
}

/// Whether the end of the data may make another fault of this one: nothing but
/// line ends is where the `+` line should be, and so the record may be cut off.
#[cold]
fn is_undecided(data: &[u8], fault: Fault) -> bool {
    let (kind, offset) = fault;
    kind == FormatErrorKind::MissingPlus && blank_rest(data, offset, false).is_some()
}

/// Whether data that begin with `prefix` are FASTQ of either kind.
pub(crate) fn sniff(prefix: &[u8]) -> bool {
    prefix.first() == Some(&b'@')
}

/// See [`FileFormat::find_first`](crate::FileFormat::find_first).
pub(crate) fn find(data: &[u8], from: usize, at_end: bool) -> Search {
    let nothing = match at_end {
        true => Search::NoneLeft,
        // Inside a line that has no end yet, none starts.
        false if from > 0 && memchr::memchr(b'\n', data).is_none() => Search::NeedMore(data.len()),
        false => Search::NeedMore(from),
    };
    let mut start = from;
    if from > 0 && data[from - 1] != b'\n' {
        match memchr::memchr(b'\n', &data[from..]) {
            Some(length) => start = from + length + 1,
            None => return nothing,
        }
    }
    loop {
        match data.get(start) {
            None => return nothing,
            Some(b'@') => {
                let mut rest = &data[start..];
                let mut lines = [None; 4];
                for line in &mut lines {
                    match memchr::memchr(b'\n', rest) {
                        Some(end) => {
                            *line = Some(trim(&rest[..end]));
                            rest = &rest[end + 1..];
                        }
                        None if at_end => {
                            *line = Some(trim(rest));
                            rest = &[];
                        }
                        None => break,
                    }
                }
                let [_, sequence, plus, quality] = lines;
                match (plus.and_then(|plus| plus.first()), sequence, quality) {
                    (Some(b'+'), Some(sequence), Some(quality))
                        if sequence.len() == quality.len() =>
                    {
                        return Search::Found(start);
                    }
                    (Some(b'+'), _, None) => return nothing,
                    // The third line, or its first byte, is not there yet.
                    (None, _, _) if plus.is_none() => return nothing,
                    _ => {}
                }
            }
            Some(_) => {}
        }
        match memchr::memchr(b'\n', &data[start..]) {
            Some(length) => start += length + 1,
            None => return nothing,
        }
    }
}

/// The record at `start` with these `ends`.
#[inline(always)]
pub(crate) fn view<'a>(data: &'a [u8], start: usize, ends: &[u32]) -> Lines<'a> {
    Lines {
        head: line(data, start + 1, ends[0]),
        sequence: line(data, ends[0] as usize + 1, ends[1]),
        quality: Some(line(data, ends[2] as usize + 1, ends[3])),
    }
}
