//! Dumps as text: lines of k-mer and count, and FASTA with the count as name.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use super::input::{Behind, Input};
use super::number::write_letters;
use super::records::{BATCH, KmerRecords, RecordSource};
use super::{DatabaseFormat, Header};
use crate::error::{Error, Result};
use crate::kmer::{Kmer, MAX_K};

/// The longest line that can be right: a k-mer, a blank, twenty digits, and room for line ends.
const LONGEST_LINE: usize = MAX_K + 64;

/// Which kind of dump begins so, if any does.
pub(crate) fn sniff(start: &[u8]) -> Option<DatabaseFormat> {
    if start.first() == Some(&b'>') && start.get(1).is_some_and(u8::is_ascii_digit) {
        return Some(DatabaseFormat::Fasta);
    }
    let letters = bases(start);
    let behind = start.get(letters)?;
    (letters > 0 && matches!(behind, b'\t' | b' ')).then_some(DatabaseFormat::Tsv)
}

/// Refuses a dump of longer k-mers than are read.
///
/// # Errors
/// [`Error::NotRead`] says how long they are.
pub(crate) fn check_k(path: &Path, format: DatabaseFormat, start: &[u8]) -> Result<()> {
    let kmer = match format {
        DatabaseFormat::Fasta => match start.iter().position(|&byte| byte == b'\n') {
            Some(end) => &start[end + 1..],
            None => return Ok(()),
        },
        _ => start,
    };
    match bases(kmer) {
        0..=MAX_K => Ok(()),
        k => Err(Error::NotRead {
            path: path.to_path_buf(),
            format: format.name(),
            reason: format!("k = {k}, but k must be from 1 to {MAX_K}"),
            way_out: "count again with a k of 255 or less; sequences are counted first (`thalweg count`)",
        }),
    }
}

/// How many bases come first.
fn bases(text: &[u8]) -> usize {
    let other = text.iter().position(|letter| !b"ACGTacgt".contains(letter));
    other.unwrap_or(text.len())
}

/// Appends `KMER<separator>count\n`.
pub(crate) fn write_line<K: Kmer>(kmer: K, k: usize, count: u64, separator: u8, out: &mut Vec<u8>) {
    write_letters(kmer, k, out);
    out.push(separator);
    write_number(count, out);
    out.push(b'\n');
}

/// Appends `>count\nKMER\n`.
pub(crate) fn write_fasta<K: Kmer>(kmer: K, k: usize, count: u64, out: &mut Vec<u8>) {
    out.push(b'>');
    write_number(count, out);
    out.push(b'\n');
    write_letters(kmer, k, out);
    out.push(b'\n');
}

fn write_number(mut number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}

/// An open dump.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    input: Arc<Input>,
    header: Header,
    /// Bytes before the first record: Jellyfish's header.
    skip: u64,
}

impl Reader {
    /// Opens a dump, and finds k by its first record.
    pub(crate) fn open(path: &Path, format: DatabaseFormat) -> Result<Reader> {
        let mut reader = Reader {
            input: Arc::new(Input::open(path)?),
            header: Header::new(format, 1),
            skip: 0,
        };
        let mut lines = reader.lines();
        reader.header.k = match lines.next_record()? {
            Some((letters, _)) if (1..=MAX_K).contains(&letters.len()) => letters.len(),
            Some((letters, _)) => {
                let k = letters.len();
                return Err(
                    lines.damaged(&format!("has a k-mer of {k} bases; k must be 1 to {MAX_K}"))
                );
            }
            None => {
                return Err(Error::UnknownFormat {
                    path: path.to_path_buf(),
                    reason: "it is empty".into(),
                });
            }
        };
        Ok(reader)
    }

    /// The records behind the header of a `text/sorted` file.
    pub(crate) fn with_header(input: Arc<Input>, header: Header, skip: u64) -> Reader {
        Reader {
            input,
            header,
            skip,
        }
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn records<K: Kmer>(&self) -> Result<KmerRecords<K>> {
        self.header.check_type::<K>()?;
        Ok(KmerRecords::new(Dump {
            lines: self.lines(),
            k: self.header.k,
        }))
    }

    fn lines(&self) -> Lines {
        Lines {
            text: self.input.reader(self.skip),
            input: Arc::clone(&self.input),
            format: self.header.format,
            number: 0,
            line: Vec::new(),
            name: Vec::new(),
        }
    }
}

struct Lines {
    text: BufReader<Behind>,
    input: Arc<Input>,
    format: DatabaseFormat,
    /// Of the latest line.
    number: u64,
    line: Vec<u8>,
    name: Vec<u8>,
}

impl Lines {
    /// The letters and the count of the next record, not checked further.
    fn next_record(&mut self) -> Result<Option<(&[u8], u64)>> {
        if self.format == DatabaseFormat::Fasta {
            if !self.next_line()? {
                return Ok(None);
            }
            std::mem::swap(&mut self.line, &mut self.name);
            let digits = self.name.strip_prefix(b">");
            let count = digits.and_then(number);
            let count = count.ok_or_else(|| match digits {
                Some(digits) if is_large(digits) => self.not_read(),
                _ => self.damaged("is not '>' and a count"),
            })?;
            if !self.next_line()? {
                return Err(self.damaged("is the last, without a k-mer"));
            }
            return Ok(Some((&self.line, count)));
        }
        if !self.next_line()? {
            return Ok(None);
        }
        let blank = self
            .line
            .iter()
            .position(|&byte| byte == b'\t' || byte == b' ');
        let count = blank.and_then(|blank| number(&self.line[blank + 1..]));
        match (blank, count) {
            (Some(blank), Some(count)) => Ok(Some((&self.line[..blank], count))),
            (Some(blank), None) if is_large(&self.line[blank + 1..]) => Err(self.not_read()),
            _ => Err(self.damaged("is not a k-mer and a count")),
        }
    }

    /// Reads a line without its end; `false` at the end of the file. A last line without an end counts.
    fn next_line(&mut self) -> Result<bool> {
        self.line.clear();
        let mut limited = std::io::Read::take(&mut self.text, LONGEST_LINE as u64);
        limited
            .read_until(b'\n', &mut self.line)
            .map_err(|source| Error::io(self.input.path(), source))?;
        if self.line.is_empty() {
            return Ok(false);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        } else if self.line.len() == LONGEST_LINE {
            return Err(self.damaged("is too long"));
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(true)
    }

    /// A count has no room in 64 bits.
    fn not_read(&self) -> Error {
        Error::NotRead {
            path: self.input.path().to_path_buf(),
            format: self.format.name(),
            reason: format!(
                "line {} has a count of more than {}, the largest that is read",
                self.number,
                u64::MAX
            ),
            way_out: "cut the counts to that, or leave such k-mers out",
        }
    }

    fn damaged(&self, what: &str) -> Error {
        Error::Damaged {
            path: self.input.path().to_path_buf(),
            format: self.format.name(),
            reason: format!("line {} {what}", self.number),
        }
    }
}

/// A decimal number and nothing else.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, &digit| {
        let digit = digit.is_ascii_digit().then(|| u64::from(digit - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Whether it is a number that 64 bits do not hold.
fn is_large(digits: &[u8]) -> bool {
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) && number(digits).is_none()
}

struct Dump {
    lines: Lines,
    k: usize,
}

impl<K: Kmer> RecordSource<K> for Dump {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        while batch.len() < BATCH {
            let Some((letters, count)) = self.lines.next_record()? else {
                break;
            };
            let kmer = (letters.len() == self.k).then(|| K::from_letters(letters));
            let Some(Some(kmer)) = kmer else {
                let k = self.k;
                return Err(self.lines.damaged(&format!("has no k-mer of {k} bases")));
            };
            // Answers to queries have k-mers that do not occur; Jellyfish's own files count them, too.
            if count > 0 || self.lines.format == DatabaseFormat::JellyfishText {
                batch.push((kmer, count));
            }
        }
        Ok(())
    }
}

/// What stands between a k-mer and its count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// As in [`DatabaseFormat::Tsv`].
    Tab,
    /// As in [`DatabaseFormat::JellyfishText`].
    Blank,
    /// As in [`DatabaseFormat::Fasta`]: the count comes first, as the name of the k-mer.
    Fasta,
}

/// How a record is written.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    k: usize,
    separator: Separator,
}

impl Layout {
    pub(crate) fn new(k: usize, separator: Separator) -> Layout {
        Layout { k, separator }
    }

    /// At most so many bytes are made of a record: of the k-mer, the largest count, and what FASTA puts around them.
    pub(crate) fn record_bytes(&self) -> usize {
        const DIGITS: usize = u64::MAX.ilog10() as usize + 1;
        self.k + DIGITS + ">\n\n".len()
    }

    #[inline]
    pub(crate) fn push<K: Kmer>(&self, kmer: K, count: u64, out: &mut Vec<u8>) {
        match self.separator {
            Separator::Tab => write_line(kmer, self.k, count, b'\t', out),
            Separator::Blank => write_line(kmer, self.k, count, b' ', out),
            Separator::Fasta => write_fasta(kmer, self.k, count, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_std() {
        for number in [0, 1, 9, 10, 12345, u64::MAX] {
            let mut digits = Vec::new();
            write_number(number, &mut digits);
            assert_eq!(digits, number.to_string().into_bytes());
            assert_eq!(super::number(&digits), Some(number));
        }
        for bad in ["", "-1", "+1", "1 ", "18446744073709551616"] {
            assert_eq!(number(bad.as_bytes()), None);
        }
    }
}
