//! An index from the parts of a file of many members, read in any order.
//!
//! Each part notes members that a chunk could start with (they need no
//! window), the checksum of the data between them, and how many records begin
//! before them. When all parts are known, the places are chosen in one go.

use std::any::Any;

use thalweg_formats::FileFormat;
use thalweg_gzip::Decoder;
use thalweg_gzip::index::{Checkpoint, IndexBuilder};

use super::recorder::Recorder;

/// Uncompressed bytes between places that are noted: fine enough to choose
/// from, few enough to keep (48 bytes each).
const SPACING: u64 = 256 * 1024;

/// A place in a part where a chunk could start.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    bit_offset: u64,
    /// Uncompressed bytes from the part's start.
    output: u64,
    /// CRC32 of the data from here to the next candidate, or the part's end.
    crc32: u32,
    /// Records of the part that start before it.
    records: u64,
    /// Where the first at or behind it starts, if the part has one.
    record: Option<u64>,
}

/// What one part knows.
#[derive(Default)]
pub(crate) struct PartRecorder {
    candidates: Vec<Candidate>,
    /// Candidates whose record is known.
    resolved: usize,
    crc: crc32fast::Hasher,
    length: u64,
    ended: bool,
    records: u64,
    /// Where the part's first record starts.
    first_record: Option<u64>,
    /// Where the part's last record starts.
    last_record: Option<u64>,
}

impl Recorder for PartRecorder {
    fn block(&mut self, decoder: &mut Decoder) {
        if self.ended || !decoder.at_member_start() {
            return;
        }
        let output = decoder.output();
        if let Some(last) = self.candidates.last_mut() {
            if output - last.output < SPACING {
                return;
            }
            last.crc32 = std::mem::take(&mut self.crc).finalize();
        }
        self.candidates.push(Candidate {
            bit_offset: decoder.position(),
            output,
            crc32: 0,
            records: 0,
            record: None,
        });
    }

    fn data(&mut self, bytes: &[u8], _: bool) {
        if !self.ended {
            self.crc.update(bytes);
        }
    }

    fn stopped(&mut self, _: &mut Decoder, _: bool) {}

    fn records(&mut self, start: u64, ends: &[u32], format: FileFormat) {
        let count = ends.len() / format.ends_per_record();
        let start_of = |record: usize| start + format.start_of(ends, record) as u64;
        for candidate in &mut self.candidates[self.resolved..] {
            let (mut low, mut high) = (0, count);
            while low < high {
                let middle = low.midpoint(high);
                if start_of(middle) < candidate.output {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            candidate.records = self.records + low as u64;
            if low == count {
                // It may lie in what comes next.
                break;
            }
            candidate.record = Some(start_of(low));
            self.resolved += 1;
        }
        self.records += count as u64;
        if count > 0 {
            self.first_record.get_or_insert(start_of(0));
        }
        if let Some(last) = count.checked_sub(1) {
            self.last_record = Some(start_of(last));
        }
    }

    fn part_end(&mut self, output: u64) {
        self.length = output;
        self.ended = true;
        let crc = std::mem::take(&mut self.crc).finalize();
        if let Some(last) = self.candidates.last_mut() {
            last.crc32 = crc;
        }
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The index as the parts give it.
pub(super) struct Merged {
    pub(super) builder: IndexBuilder,
    pub(super) records: u64,
    pub(super) output: u64,
    /// Uncompressed bytes of the longest chunk.
    pub(super) longest: u64,
}

/// Put `parts` together, in order, with chunks of at least `span` uncompressed bytes;
/// `span` is given the size of the whole.
pub(super) fn merge(parts: &[PartRecorder], span: impl Fn(u64) -> u64) -> Merged {
    let output: u64 = parts.iter().map(|part| part.length).sum();
    let records: u64 = parts.iter().map(|part| part.records).sum();
    let span = span(output);
    let mut merged = Merged {
        builder: IndexBuilder::new(),
        records,
        output,
        longest: 0,
    };
    let mut open: Option<(Checkpoint, crc32fast::Hasher)> = None;
    let (mut start, mut rank) = (0, 0);
    let mut previous_record = None;
    for (number, part) in parts.iter().enumerate() {
        for (position, candidate) in part.candidates.iter().enumerate() {
            let place = start + candidate.output;
            let end = part
                .candidates
                .get(position + 1)
                .map_or(part.length, |next| next.output);
            let data =
                crc32fast::Hasher::new_with_initial_len(candidate.crc32, end - candidate.output);
            match &mut open {
                Some((checkpoint, crc)) if place - checkpoint.output_offset < span => {
                    crc.combine(&data);
                    continue;
                }
                Some((checkpoint, crc)) => {
                    push(&mut merged, *checkpoint, crc.clone(), place);
                }
                None => {}
            }
            // A record that starts at the part's first byte belongs to the part before.
            let (record_rank, record_offset) = match previous_record {
                Some(last) if last == place => (rank - 1, last),
                _ => match candidate.record {
                    Some(record) => (rank + candidate.records, start + record),
                    None => {
                        let offset = next_record(&parts[number + 1..], start + part.length);
                        (rank + part.records, offset.unwrap_or(output))
                    }
                },
            };
            let checkpoint = Checkpoint {
                bit_offset: candidate.bit_offset,
                output_offset: place,
                record_rank,
                record_offset,
                crc32: None,
            };
            open = Some((checkpoint, data));
        }
        if let Some(last) = part.last_record {
            previous_record = Some(start + last);
        }
        start += part.length;
        rank += part.records;
    }
    if let Some((checkpoint, crc)) = open {
        push(&mut merged, checkpoint, crc, output);
    }
    merged
}

fn push(merged: &mut Merged, mut checkpoint: Checkpoint, crc: crc32fast::Hasher, end: u64) {
    checkpoint.crc32 = Some(crc.finalize());
    merged.longest = merged.longest.max(end - checkpoint.output_offset);
    merged.builder.push(checkpoint, &[], None);
}

/// Where the first record of the `parts` that have any starts; the first of
/// them starts at uncompressed offset `start`.
fn next_record(parts: &[PartRecorder], mut start: u64) -> Option<u64> {
    for part in parts {
        if let Some(first) = part.first_record {
            return Some(start + first);
        }
        start += part.length;
    }
    None
}
