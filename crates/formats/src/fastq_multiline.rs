//! FASTQ whose sequence or quality is wrapped.
//!
//! The sequence ends before the first line that starts with `+`; the quality ends with the line that
//! makes it as long as the sequence, whatever its lines start with.

pub(crate) use crate::fastq::view;

use crate::lines::{LineEnd, blank_rest, trim};
use crate::{Format, FormatError, FormatErrorKind, Scanner, Search, fastq};

/// What was seen of an unfinished record, positions relative to its start.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scan {
    part: Part,
    /// Where the current line starts.
    line: usize,
    /// No newline between `line` and here.
    seen: usize,
    /// Ends of header, sequence and `+` line, as far as known.
    ends: [usize; 3],
    bases: usize,
    qualities: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Part {
    #[default]
    Head,
    /// Lines of sequence, or the `+` line.
    Sequence,
    Quality,
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
        let mut start = from;
        if self.seen > data.len() - from {
            // Not the data that were promised; start afresh rather than out of bounds.
            *self = Scan::default();
        }
        for record in 0..limit {
            let outcome = self.record(&data[start..], at_end);
            let is_part = matches!(outcome, Ok(Found::Part | Found::Nothing));
            // What begins otherwise is no header.
            let is_header = !is_part && data.get(start) == Some(&b'@');
            if is_header && let LineEnd::LoneReturn(_) = LineEnd::find(data, start) {
                *self = Scan::default();
                let kind = FormatErrorKind::LoneReturn;
                return Err(FormatError::new(kind, record, start, data));
            }
            match outcome {
                Ok(Found::Record(quality)) => {
                    let [head, sequence, plus] = self.ends;
                    ends.extend([head, sequence, plus, quality].map(|end| (start + end) as u32));
                    start = data.len().min(start + quality + 1);
                    *self = Scan::default();
                }
                Ok(Found::Nothing) => return Ok(data.len()),
                Ok(Found::Part) => return Ok(start),
                Err((kind, offset)) => {
                    *self = Scan::default();
                    return Err(FormatError::new(kind, record, start + offset, data));
                }
            }
        }
        Ok(start)
    }

    /// Go on with the record at the start of `data`.
    fn record(&mut self, data: &[u8], at_end: bool) -> Result<Found, (FormatErrorKind, usize)> {
        match data.first() {
            Some(b'@') => {}
            _ => {
                return match blank_rest(data, 0, at_end) {
                    Some(_) if at_end => Ok(Found::Nothing),
                    Some(_) => Ok(Found::Part),
                    None => Err((FormatErrorKind::MissingAt, 0)),
                };
            }
        }
        loop {
            let end = match memchr::memchr(b'\n', &data[self.seen..]) {
                Some(length) => self.seen + length,
                None if !at_end => {
                    self.seen = data.len();
                    return Ok(Found::Part);
                }
                None if self.part == Part::Quality => data.len(),
                None => return Err((FormatErrorKind::Truncated, 0)),
            };
            let start = self.line;
            let line = trim(data.get(start..end).unwrap_or_default());
            self.line = end + 1;
            self.seen = data.len().min(end + 1);
            match self.part {
                Part::Head => {
                    self.ends[0] = end;
                    self.ends[1] = end;
                    self.part = Part::Sequence;
                }
                Part::Sequence if line.first() == Some(&b'+') => {
                    self.ends[2] = end;
                    self.part = Part::Quality;
                }
                Part::Sequence if line.first() == Some(&b'@') => {
                    return Err((FormatErrorKind::MissingPlus, start));
                }
                Part::Sequence => {
                    self.ends[1] = end;
                    self.bases += line.len();
                }
                Part::Quality => {
                    self.qualities += line.len();
                    if self.qualities == self.bases {
                        return Ok(Found::Record(end));
                    }
                    if self.qualities > self.bases {
                        let kind = FormatErrorKind::LengthsDiffer {
                            sequence: self.bases as u64,
                            quality: self.qualities as u64,
                        };
                        return Err((kind, start));
                    }
                    if end == data.len() {
                        return Err((FormatErrorKind::Truncated, 0));
                    }
                }
            }
        }
    }
}

/// What a look at the data gives.
enum Found {
    /// A record whose quality ends there.
    Record(usize),
    /// Part of one.
    Part,
    /// Blank lines up to the end.
    Nothing,
}

/// Whether data that begin with `prefix` are such: it breaks the rules of four lines, but not (or only later) those of many.
pub(crate) fn sniff(prefix: &[u8], at_end: bool) -> bool {
    if !fastq::sniff(prefix) {
        return false;
    }
    let mut ends = Vec::new();
    let four = Scanner::new(Format::Fastq).scan(prefix, 0, at_end, usize::MAX, &mut ends);
    let Err(fault) = four else { return false };
    ends.clear();
    match Scanner::new(Format::FastqMultiline).scan(prefix, 0, at_end, usize::MAX, &mut ends) {
        Ok(_) => true,
        Err(later) => later.record > fault.record,
    }
}

/// None is found: a line of qualities may look like anything.
pub(crate) fn find() -> Search {
    Search::NoneLeft
}
