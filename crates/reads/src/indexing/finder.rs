//! Ranks and offsets of the records behind given places, in one pass over data
//! that come in pieces.

use thalweg_formats::{FileFormat, HeaderWalk};

use super::fasta_finder::FastaFinder;
use crate::{Format, FormatError, Scanner};

/// A place in the uncompressed data, and the first record at or behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RecordAt {
    pub(super) rank: u64,
    pub(super) offset: u64,
}

/// Goes through all records once, and answers where the next one starts.
pub(super) struct RecordFinder {
    kind: Kind,
    /// Records before `position`.
    records: u64,
    /// Where the first record not yet seen whole starts.
    position: u64,
}

enum Kind {
    /// A record is checked when it is whole; a part of one is carried over, or of the header before all.
    Scanned {
        header: HeaderWalk,
        scanner: Scanner,
        carry: Vec<u8>,
        ends: Vec<u32>,
        format: FileFormat,
    },
    /// A record is a `>` at the start of a line: a chromosome need not be held.
    Fasta(FastaFinder),
}

impl RecordFinder {
    pub(super) fn new(format: impl Into<FileFormat>) -> Self {
        let kind = match format.into() {
            FileFormat::Text(Format::Fasta) => Kind::Fasta(FastaFinder::new()),
            format => Kind::Scanned {
                header: format.header(),
                scanner: Scanner::new(format),
                carry: Vec::new(),
                ends: Vec::new(),
                format,
            },
        };
        Self {
            kind,
            records: 0,
            position: 0,
        }
    }

    /// Records seen so far; all of them after the last piece.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// Take the next piece of data, and resolve those of `places` (increasing
    /// offsets) that can be resolved; `resolved` gets them in order.
    ///
    /// # Errors
    /// A malformed record, with its rank and its offset in the whole data.
    pub(super) fn data(
        &mut self,
        bytes: &[u8],
        at_end: bool,
        places: &mut dyn Iterator<Item = u64>,
        resolved: &mut Vec<RecordAt>,
    ) -> Result<(), (FormatError, u64, u64)> {
        let mut places = places.peekable();
        match &mut self.kind {
            Kind::Scanned {
                header,
                scanner,
                carry,
                ends,
                format,
            } => {
                let (records, position) = (&mut self.records, &mut self.position);
                let format = *format;
                let joined;
                let mut bytes = bytes;
                if !header.is_over() {
                    carry.extend_from_slice(bytes);
                    let passed = header.pass(carry, at_end).map_err(|error| {
                        let offset = *position + error.offset as u64;
                        (error, 0, offset)
                    })?;
                    *position += passed as u64;
                    carry.drain(..passed);
                    if !header.is_over() {
                        return Ok(());
                    }
                    joined = std::mem::take(carry);
                    bytes = &joined;
                }
                let mut pass = |scanner: &mut Scanner, data: &[u8], at_end, limit| {
                    ends.clear();
                    let next = scanner
                        .scan(data, 0, at_end, limit, ends)
                        .map_err(|error| {
                            let rank = *records + error.record as u64;
                            let offset = *position + error.offset as u64;
                            (error, rank, offset)
                        })?;
                    let found = ends.len() / format.ends_per_record();
                    let start_of = |record: usize| match format {
                        FileFormat::Text(_) if record == 0 => 0,
                        _ if record == found => next as u64,
                        _ => format.start_of(ends, record) as u64,
                    };
                    while let Some(&place) = places.peek()
                        && place <= *position + next as u64
                    {
                        let record =
                            partition_point(found, |record| *position + start_of(record) < place);
                        if record == found && matches!(format, FileFormat::Binary(_)) {
                            // What comes next may be passed over.
                            break;
                        }
                        places.next();
                        resolved.push(RecordAt {
                            rank: *records + record as u64,
                            offset: *position + start_of(record),
                        });
                    }
                    *records += found as u64;
                    *position += next as u64;
                    Ok((found, next))
                };
                let mut from = 0;
                // Complete the record that began in an earlier piece.
                let mut step = 4 * 1024;
                while !carry.is_empty() && (from < bytes.len() || at_end) {
                    let before = carry.len();
                    let more = step.min(bytes.len() - from);
                    carry.extend_from_slice(&bytes[from..from + more]);
                    let last = at_end && from + more == bytes.len();
                    let (found, next) = pass(scanner, carry, last, 1)?;
                    if found > 0 || next > 0 {
                        // The scanner went on into the new bytes, never behind them.
                        from += next - before.min(next);
                        carry.clear();
                    } else {
                        from += more;
                        step *= 2;
                    }
                    if last && found == 0 {
                        break;
                    }
                }
                if carry.is_empty() {
                    let (_, next) = pass(scanner, &bytes[from..], at_end, usize::MAX)?;
                    carry.extend_from_slice(&bytes[from + next..]);
                }
            }
            Kind::Fasta(finder) => {
                let base = self.position;
                let mut start = |offset: usize, records: &mut u64| {
                    let offset = base + offset as u64;
                    while places.next_if(|place| *place <= offset).is_some() {
                        resolved.push(RecordAt {
                            rank: *records,
                            offset,
                        });
                    }
                    *records += 1;
                };
                let outcome = finder.data(bytes, |offset| start(offset, &mut self.records));
                outcome.map_err(|(error, offset)| {
                    let rank = self.records.saturating_sub(1);
                    (error, rank, base.saturating_add_signed(offset))
                })?;
                self.position += bytes.len() as u64;
            }
        }
        if at_end {
            for _ in places {
                resolved.push(RecordAt {
                    rank: self.records,
                    offset: self.position,
                });
            }
        }
        Ok(())
    }
}

/// The first of `0..count` (or `count`) for which `before` does not hold.
fn partition_point(count: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low.midpoint(high);
        if before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every place of `text`, cut into pieces of every length, against looking.
    fn check(format: Format, text: &str, starts: &[u64]) {
        let text = text.as_bytes();
        for length in 1..=text.len() {
            let mut finder = RecordFinder::new(format);
            let mut places: Vec<u64> = (0..=text.len() as u64).collect();
            let mut all = Vec::new();
            let pieces = text.chunks(length).count();
            for (number, piece) in text.chunks(length).enumerate() {
                let mut resolved = Vec::new();
                let seen = (number * length + piece.len()) as u64;
                let known = places.iter().copied().take_while(|place| *place <= seen);
                let at_end = number + 1 == pieces;
                finder
                    .data(
                        piece,
                        at_end,
                        &mut known.collect::<Vec<_>>().into_iter(),
                        &mut resolved,
                    )
                    .unwrap();
                places.drain(..resolved.len());
                all.extend(resolved);
            }
            assert_eq!(finder.records(), starts.len() as u64);
            for (place, found) in all.iter().enumerate() {
                let rank = starts.partition_point(|start| *start < place as u64);
                let offset = starts.get(rank).copied().unwrap_or(text.len() as u64);
                let expected = RecordAt {
                    rank: rank as u64,
                    offset,
                };
                assert_eq!(*found, expected, "place {place}, pieces of {length}");
            }
            assert_eq!(all.len(), text.len() + 1, "pieces of {length}");
        }
    }

    #[test]
    fn fastq_in_pieces() {
        check(
            Format::Fastq,
            "@a\nACGT\n+\n@@@@\n@b\n\n+\n\n@c\nA\n+\n+\n",
            &[0, 15, 22],
        );
        check(
            Format::Fastq,
            "@a\r\nAC\r\n+\r\nII\r\n@b\r\nA\r\n+\r\nI",
            &[0, 15],
        );
    }

    #[test]
    fn fasta_in_pieces() {
        check(Format::Fasta, ">a\nAC\nGT\n>b\n>c\nA>C\n", &[0, 9, 12]);
    }
}
