//! How many reads fastp takes its input for, before it splits the output into a given number of files.
//!
//! It reads so many reads, or bases, of one file. If the file ends before, their number is known; else they and the
//! rest of the file are taken to be alike, with a hundredth added. How far it has read is told by whole buffers (`place`).

mod place;

use std::path::{Path, PathBuf};

use thalweg_qc::Options;
use thalweg_reads::FileText;

use self::place::{Buffer, bgzf_places};
use super::CleanSettings;
use super::reading::is_unseen;
use crate::Fault;

/// Reads that fastp looks at to count them.
const READS: u64 = 512 * 1024;
/// Reads that it looks at for adapters, which counts them, too.
const READS_FOR_ADAPTERS: u64 = 256 * 1024;
/// Bases to a read, on average, at which it stops before.
const BASES: u64 = 151;

/// How many reads or pairs of the input go to each of `files` files, but for packs; none if there are fewer.
pub(crate) fn reads_to_a_file(
    settings: &CleanSettings,
    lanes: &[Vec<PathBuf>],
    files: u64,
) -> Result<u64, Fault> {
    let mut reads = 0_u64;
    for lane in lanes {
        let (mate, most) = looked_at(&settings.steps, settings.is_paired());
        let file = &lane[mate.min(lane.len() - 1)];
        let is_file = std::fs::metadata(file).is_ok_and(|data| data.is_file());
        if is_unseen(settings.steps.mode, lanes) || !is_file {
            return Err(Fault::usage(
                format!(
                    "{}: --split has fastp count the reads first, and this is not read twice",
                    file.display()
                ),
                "--split_by_lines, or without --fastp-compat, which deals the reads out",
            ));
        }
        reads = reads.saturating_add(count(file, most)?);
    }
    Ok(reads / files)
}

/// The mate that is counted, and how many of its reads are looked at: what is looked at for adapters is counted
/// on the way, that of read 2 last.
fn looked_at(steps: &Options, paired: bool) -> (usize, u64) {
    let is_wanted =
        |sequence: &Option<Vec<u8>>| !steps.disable_adapter_trimming && sequence.is_none();
    let detects = !paired || steps.detect_adapter_for_pe;
    if paired && detects && is_wanted(&steps.adapter_sequence_r2) {
        (1, READS_FOR_ADAPTERS)
    } else if detects && is_wanted(&steps.adapter_sequence) {
        (0, READS_FOR_ADAPTERS)
    } else {
        (0, READS)
    }
}

/// The reads of a file if there are fewer than `most`, or fastp's estimate of them.
///
/// Of plain files and BGZF it is fastp's to the last read. Of other gzip files it may be another one by a little,
/// since fastp's decompressor is ahead of the text that it gives, by how much is not known.
fn count(path: &Path, most: u64) -> Result<u64, Fault> {
    let mut text = FileText::open(path)?;
    let mut seen = Seen::up_to(most);
    let mut buffer = Buffer::new(text.compression());
    // Where fastp is in the file when it has seen the first read.
    let mut first = None;
    loop {
        let more = match text.read(buffer.step()) {
            Ok(more) => more,
            // Whoever reads all tells it.
            Err(fault) if fault.is_data() => return Ok(seen.reads),
            Err(error) => return Err(error.into()),
        };
        let length = more.len() as u64;
        seen.look_at(more);
        if length == 0 {
            seen.end();
        }
        if seen.is_done()
            && text.is_bgzf()
            && let [Some(first), Some(last)] = bgzf_places(path, [seen.first_end, seen.end])?
        {
            let size = text.size().unwrap_or_default();
            return Ok(estimate(size, last - first, seen.reads));
        }
        let ended = buffer.pass(length, text.offset());
        match ended.or_else(|| (length == 0).then(|| text.offset())) {
            Some(place) if seen.is_done() => {
                let first = first.unwrap_or(place);
                let size = text.size().unwrap_or_default();
                return Ok(estimate(size, place - first, seen.reads));
            }
            _ if length == 0 => return Ok(seen.reads),
            Some(place) if seen.reads > 0 => first = first.or(Some(place)),
            _ => {}
        }
    }
}

/// As many reads as there are in a file of `size` bytes, if `bytes` of them have so many.
fn estimate(size: u64, bytes: u64, reads: u64) -> u64 {
    if bytes == 0 {
        // fastp divides by 0 here, and ends up with the least that it knows.
        return 0;
    }
    (size as f64 * 1.01 / (bytes as f64 / reads as f64)) as u64
}

/// What was seen of the reads, line by line.
struct Seen {
    reads: u64,
    bases: u64,
    most_reads: u64,
    most_bases: u64,
    /// Which line of a read is next, from 0.
    line: u8,
    /// Of the read that is not over yet.
    bases_of_read: u64,
    /// Where in the text the first read ends, and the last one.
    first_end: u64,
    end: u64,
    /// Bytes of lines that are over.
    passed: u64,
    /// Bytes of the line that were seen, and the first of them.
    length: u64,
    begins_with: u8,
}

impl Seen {
    fn up_to(reads: u64) -> Self {
        Self {
            reads: 0,
            bases: 0,
            most_reads: reads,
            most_bases: reads.saturating_mul(BASES),
            line: 0,
            bases_of_read: 0,
            first_end: 0,
            end: 0,
            passed: 0,
            length: 0,
            begins_with: 0,
        }
    }

    fn is_done(&self) -> bool {
        self.reads >= self.most_reads || self.bases >= self.most_bases
    }

    fn look_at(&mut self, text: &[u8]) {
        for part in text.split_inclusive(|byte| *byte == b'\n') {
            if self.is_done() {
                return;
            }
            if self.length == 0 {
                self.begins_with = part[0];
            }
            self.length += part.len() as u64;
            if part.ends_with(b"\n") {
                let before = part.len().checked_sub(2).map(|at| part[at]);
                self.end_line(if before == Some(b'\r') { 2 } else { 1 });
            }
        }
    }

    /// The text has ended, perhaps within a line.
    fn end(&mut self) {
        if self.length > 0 && !self.is_done() {
            self.end_line(0);
        }
    }

    /// A line has ended with so many bytes that are not of it.
    fn end_line(&mut self, ending: u64) {
        self.passed += self.length;
        let length = std::mem::take(&mut self.length).saturating_sub(ending);
        match self.line {
            // What is no name stands between reads, to fastp.
            0 if self.begins_with != b'@' => return,
            1 => self.bases_of_read = length,
            3 => {
                self.reads += 1;
                self.end = self.passed;
                if self.reads == 1 {
                    self.first_end = self.end;
                }
                self.bases += self.bases_of_read;
            }
            _ => {}
        }
        self.line = (self.line + 1) % 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_of(text: &[u8], most: u64) -> u64 {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        count(file.path(), most).unwrap_or_else(|_| panic!("not read"))
    }

    #[test]
    fn reads_of_small_files_are_counted() {
        let read = b"@r\nACGT\n+\n@III\n";
        for number in [0, 1, 2, 99] {
            let text = read.repeat(number);
            assert_eq!(count_of(&text, 100), number as u64);
            assert_eq!(count_of(text.trim_ascii_end(), 100), number as u64);
            let windows = String::from_utf8(text).unwrap().replace('\n', "\r\n");
            assert_eq!(count_of(windows.as_bytes(), 100), number as u64);
        }
        // All that was read lies in the first buffer.
        assert_eq!(count_of(&read.repeat(100), 100), 0);
    }

    /// Reads of 1024 bytes: 8192 to a buffer.
    #[test]
    fn reads_of_large_files_are_estimated() {
        let read = format!("@r2\n{}\n+\n{}\n", "A".repeat(508), "I".repeat(508));
        assert_eq!(read.len(), 1024);
        let text = read.repeat(30_000).into_bytes();
        let most = 60_000; // 9,060,000 bases: 17,835 reads, which lie in three buffers.
        let reads = (most * BASES).div_ceil(508);
        assert_eq!(reads, 17_835);
        let wanted = text.len() as f64 * 1.01 / ((2 << 23) as f64 / reads as f64);
        assert_eq!(count_of(&text, most), wanted as u64);
    }
}
