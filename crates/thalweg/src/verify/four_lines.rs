//! Records of FASTQ as four lines each, whatever stands in them, in the order of the file.
//!
//! Readers of records stop at the first that is malformed. Here a fault is no reason to stop: what counts is the number of
//! the line. Only blank lines at the end of a file are no records.

use std::path::{Path, PathBuf};

use thalweg_formats::BinaryFormat;
use thalweg_formats::bam::BAM;
use thalweg_reads::{Error, ErrorKind, FileText};

use super::rules::FourLines;
use crate::Fault;

/// One file.
pub(super) struct FourLineReader {
    path: PathBuf,
    text: FileText,
    /// Text that was read, and how much of it was taken.
    chunk: Vec<u8>,
    taken: usize,
    /// Where the next line begins in the uncompressed data.
    offset: u64,
    /// Bytes that a line may have.
    longest: usize,
    blank: BlankLines,
    /// A line that was read to see whether blank ones are the last.
    ahead: Option<Line>,
    record: [Line; 4],
}

#[derive(Clone, Default)]
struct Line {
    bytes: Vec<u8>,
    offset: u64,
}

/// Blank lines that others follow.
#[derive(Default)]
struct BlankLines {
    left: u64,
    offset: u64,
    /// Bytes of each, as far as they are alike.
    size: u64,
}

impl FourLineReader {
    /// Open a file; `-` is the standard input. No line may have more than `longest` bytes.
    pub(super) fn open(path: &Path, longest: usize) -> Result<Self, Fault> {
        let mut reader = Self {
            path: path.to_owned(),
            text: FileText::open(path)?,
            chunk: Vec::new(),
            taken: 0,
            offset: 0,
            longest,
            blank: BlankLines::default(),
            ahead: None,
            record: Default::default(),
        };
        reader.more()?;
        let kind = match &*reader.chunk {
            [b'>', ..] => "FASTA",
            [b'B', b'A', b'M', 1, ..] => BAM.name(),
            _ => return Ok(reader),
        };
        Err(not_fastq(path, kind))
    }

    /// Bytes of the file that were read, and how many it has.
    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        (self.text.offset(), self.text.size())
    }

    /// Check that BGZF has its end-of-file block, when all of it was read.
    ///
    /// # Errors
    /// [`ErrorKind::NoEnd`].
    pub(super) fn check_end(&self) -> Result<(), Fault> {
        match self.text.lacks_end()? {
            true => Err(Error::new(ErrorKind::NoEnd).in_file(&self.path).into()),
            false => Ok(()),
        }
    }

    /// The next record; lines that the end of the file cut off are empty. `None` behind the last.
    ///
    /// # Errors
    /// What the system says, what is wrong with compressed data, and a line that is too long.
    pub(super) fn next(&mut self) -> Result<Option<FourLines<'_>>, Fault> {
        let mut lines = std::mem::take(&mut self.record);
        let outcome = self.read_record(&mut lines);
        self.record = lines;
        Ok(outcome?.then(|| self.lines()))
    }

    /// The lines of the last record.
    pub(super) fn lines(&self) -> FourLines<'_> {
        self.record.each_ref().map(|line| &*line.bytes)
    }

    /// Where a line of the last record begins in the uncompressed data.
    pub(super) fn offset(&self, line: usize) -> u64 {
        self.record[line].offset
    }

    fn read_record(&mut self, record: &mut [Line; 4]) -> Result<bool, Fault> {
        if !self.line(&mut record[0])? {
            return Ok(false);
        }
        let is_followed = self.blank.left > 0 || self.ahead.is_some();
        if record[0].bytes.is_empty() && !is_followed && !self.look_behind_blank_lines()? {
            return Ok(false);
        }
        let [_, rest @ ..] = record;
        for line in rest {
            if !self.line(line)? {
                line.bytes.clear();
                line.offset = self.offset;
            }
        }
        Ok(true)
    }

    /// Whether a line that is not blank follows.
    fn look_behind_blank_lines(&mut self) -> Result<bool, Fault> {
        let start = self.offset;
        let (mut number, mut line) = (0, Line::default());
        while self.read_line(&mut line)? {
            if line.bytes.is_empty() {
                number += 1;
                continue;
            }
            self.blank = BlankLines {
                left: number,
                offset: start,
                size: (line.offset - start).checked_div(number).unwrap_or(0),
            };
            self.ahead = Some(line);
            return Ok(true);
        }
        Ok(false)
    }

    /// The next line, if there is one.
    fn line(&mut self, into: &mut Line) -> Result<bool, Fault> {
        if let Some(left) = self.blank.left.checked_sub(1) {
            into.bytes.clear();
            into.offset = self.blank.offset;
            self.blank.left = left;
            self.blank.offset += self.blank.size;
            return Ok(true);
        }
        match self.ahead.take() {
            Some(line) => {
                *into = line;
                Ok(true)
            }
            None => self.read_line(into),
        }
    }

    fn read_line(&mut self, into: &mut Line) -> Result<bool, Fault> {
        into.bytes.clear();
        into.offset = self.offset;
        loop {
            let rest = &self.chunk[self.taken..];
            let end = memchr::memchr(b'\n', rest);
            let part = &rest[..end.unwrap_or(rest.len())];
            if into.bytes.len() + part.len() > self.longest {
                return Err(self.too_long(into.offset));
            }
            into.bytes.extend_from_slice(part);
            let taken = part.len() + usize::from(end.is_some());
            self.taken += taken;
            self.offset += taken as u64;
            // The last line may lack its end.
            if end.is_some() || !self.more()? {
                if into.bytes.last() == Some(&b'\r') {
                    into.bytes.pop();
                }
                return Ok(self.offset > into.offset);
            }
        }
    }

    fn more(&mut self) -> Result<bool, Fault> {
        self.chunk.clear();
        self.taken = 0;
        let text = self.text.read(usize::MAX);
        let text = text.map_err(|error| error.in_file(&self.path))?;
        self.chunk.extend_from_slice(text);
        Ok(!self.chunk.is_empty())
    }

    #[cold]
    fn too_long(&self, offset: u64) -> Fault {
        let (path, longest) = (self.path.display(), self.longest);
        Fault::usage(
            format!(
                "{path}: the line at byte {offset} of the uncompressed data has more than {longest} bytes"
            ),
            "a line may have a sixteenth of what --memory allows: allow more, or look whether this is FASTQ",
        )
    }
}

/// That the rules are for something else than what a file is.
pub(super) fn not_fastq(path: &Path, is: &str) -> Fault {
    Fault::usage(
        format!(
            "{}: faults are listed only for FASTQ, but this is {is}",
            path.display()
        ),
        "`thalweg verify FILE` checks it",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<([String; 4], [u64; 4])> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut reader = FourLineReader::open(file.path(), 1000).unwrap();
        let mut records = Vec::new();
        while let Some(lines) = reader.next().unwrap() {
            let lines = lines.map(|line| String::from_utf8_lossy(line).into_owned());
            records.push((lines, [0, 1, 2, 3].map(|line| reader.offset(line))));
        }
        records
    }

    fn lines(record: [&str; 4], offsets: [u64; 4]) -> ([String; 4], [u64; 4]) {
        (record.map(str::to_owned), offsets)
    }

    #[test]
    fn records_are_four_lines() {
        let sound = || lines(["@a", "AC", "+", "II"], [0, 3, 6, 8]);
        assert_eq!(read("@a\nAC\n+\nII\n"), [sound()]);
        assert_eq!(read("@a\nAC\n+\nII"), [sound()]);
        assert_eq!(read("@a\nAC\n+\nII\n\n\r\n\n\n\n\n\n"), [sound()]);
        assert_eq!(
            read("@a\r\nAC\r\n+\r\nII\r\n"),
            [lines(["@a", "AC", "+", "II"], [0, 4, 8, 11])]
        );
        assert_eq!(
            read("@a\nAC\n"),
            [lines(["@a", "AC", "", ""], [0, 3, 6, 6])]
        );
        assert_eq!(read(""), []);
        assert_eq!(read("\n\n\n\n\n"), []);
    }

    #[test]
    fn blank_lines_before_others_are_lines() {
        let found = read("\n\n\n\n\n\n@a\nAC\n+\nII\n");
        let expected = [
            lines(["", "", "", ""], [0, 1, 2, 3]),
            lines(["", "", "@a", "AC"], [4, 5, 6, 9]),
            lines(["+", "II", "", ""], [12, 14, 17, 17]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn long_lines_are_a_limit_of_ours() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("@a\n{}\n", "A".repeat(1001))).unwrap();
        let mut reader = FourLineReader::open(file.path(), 1000).unwrap();
        let fault = reader.next().map(|_| ()).unwrap_err();
        assert!(!fault.is_data(), "{fault}");
        assert!(fault.to_string().contains("byte 3"), "{fault}");
    }
}
