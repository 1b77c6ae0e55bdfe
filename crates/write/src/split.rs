//! One output as several files.
//!
//! Which file a record goes to follows from its rank in the output alone, so the
//! files are the same for every number of threads and every size of batches. The
//! rank of a batch's first record is the sum of the counts before it; that sum is
//! known before anything is compressed, so a batch that crosses a border is cut as
//! text, exactly, and each part is compressed by itself.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How one output of FASTQ, four lines to a record, becomes several files, and how these are named.
///
/// The files are numbered from 1, with the number before the name:
/// `0001.out.fq.gz`. Mates that are to stay together need equal rules on outputs
/// that get equal numbers of records; interleaved mates need an even number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    rule: Rule,
    digits: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Every {
        records: NonZeroU64,
    },
    Shares {
        files: NonZeroU64,
        records: NonZeroU64,
    },
    Dealt {
        files: NonZeroU64,
        records: NonZeroU64,
    },
}

/// A part of a piece, and the file that it goes to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub(crate) file: u64,
    pub(crate) records: u64,
    pub(crate) bytes: Range<usize>,
}

/// Lines of a record.
const LINES: u64 = 4;

impl Split {
    /// A new file after every `records` records.
    pub fn every(records: NonZeroU64) -> Self {
        Self::new(Rule::Every { records })
    }

    /// Exactly `files` files of `records` consecutive records each; the last one
    /// takes all that remain. For inputs whose size is known or estimated.
    pub fn shares(files: NonZeroU64, records: NonZeroU64) -> Self {
        Self::new(Rule::Shares { files, records })
    }

    /// Exactly `files` files that get `records` records each in turn, again and
    /// again: equal sizes without knowing how many records there will be. All are
    /// open at once.
    pub fn dealt(files: NonZeroU64, records: NonZeroU64) -> Self {
        Self::new(Rule::Dealt { files, records })
    }

    fn new(rule: Rule) -> Self {
        Self { rule, digits: 4 }
    }

    /// Pad the numbers with zeros to this many digits; 4 unless told otherwise, 0
    /// for no padding.
    pub fn digits(mut self, digits: u8) -> Self {
        self.digits = usize::from(digits);
        self
    }

    /// The name of a file, counted from 0.
    pub(crate) fn name(&self, path: &Path, file: u64) -> PathBuf {
        let mut name = OsString::from(format!("{:0digits$}.", file + 1, digits = self.digits));
        name.push(path.file_name().unwrap_or_default());
        path.with_file_name(name)
    }

    /// How many files there are even without records.
    pub(crate) fn files(&self) -> u64 {
        match self.rule {
            Rule::Every { .. } => 1,
            Rule::Shares { files, .. } | Rule::Dealt { files, .. } => files.get(),
        }
    }

    /// Whether a file gets no more records once a later one has some.
    pub(crate) fn is_consecutive(&self) -> bool {
        !matches!(self.rule, Rule::Dealt { .. })
    }

    /// Cut a piece whose first record has rank `start`.
    ///
    /// # Errors
    /// The number of lines, if it is not that of so many records.
    pub(crate) fn cut(&self, text: &[u8], start: u64, records: u64) -> Result<Vec<Cut>, u64> {
        let mut ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
        let (mut rank, end) = (start, start.saturating_add(records));
        let (mut lines, mut begin) = (0, 0);
        let mut cuts = Vec::new();
        while rank < end {
            let (file, left) = self.file(rank);
            let taken = left.min(end - rank);
            let mut to = begin;
            for _ in 0..taken.saturating_mul(LINES) {
                to = ends.next().ok_or(lines)?;
                lines += 1;
            }
            cuts.push(Cut {
                file,
                records: taken,
                bytes: begin..to,
            });
            (rank, begin) = (rank + taken, to);
        }
        if begin == text.len() {
            Ok(cuts)
        } else {
            // A last line without its end counts, too.
            let open = u64::from(text.last() != Some(&b'\n'));
            Err(lines + ends.count() as u64 + open)
        }
    }

    /// The file of a record, and how many from it on go there before another file's turn.
    fn file(&self, rank: u64) -> (u64, u64) {
        match self.rule {
            Rule::Every { records } => (rank / records, records.get() - rank % records),
            Rule::Shares { files, records } => {
                let file = rank / records;
                if file + 1 < files.get() {
                    (file, records.get() - rank % records)
                } else {
                    (files.get() - 1, u64::MAX)
                }
            }
            Rule::Dealt { files, records } => {
                (rank / records % files, records.get() - rank % records)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: u64) -> NonZeroU64 {
        NonZeroU64::new(number).unwrap()
    }

    #[test]
    fn names_have_numbers_in_front() {
        let split = Split::every(number(1));
        let name = |split: Split| split.name(Path::new("a/out.fq.gz"), 8);
        assert_eq!(name(split), Path::new("a/0009.out.fq.gz"));
        assert_eq!(name(split.digits(0)), Path::new("a/9.out.fq.gz"));
        assert_eq!(name(split.digits(2)), Path::new("a/09.out.fq.gz"));
    }

    /// The file of each of the first records, one record at a time.
    fn oracle(split: Split, count: u64) -> Vec<u64> {
        (0..count)
            .map(|rank| match split.rule {
                Rule::Every { records } => rank / records.get(),
                Rule::Shares { files, records } => (rank / records.get()).min(files.get() - 1),
                Rule::Dealt { files, records } => rank / records.get() % files.get(),
            })
            .collect()
    }

    #[test]
    fn pieces_of_any_size_are_cut_alike() {
        for records in 1..=5 {
            for split in [
                Split::every(number(records)),
                Split::shares(number(3), number(records)),
                Split::dealt(number(3), number(records)),
            ] {
                for size in 1..=20 {
                    let (mut files, mut rank) = (Vec::new(), 0);
                    while rank < 40 {
                        let text = "\n\nACGT\n\n".repeat(size);
                        let cuts = split.cut(text.as_bytes(), rank, size as u64).unwrap();
                        let mut end = 0;
                        for cut in cuts {
                            assert_eq!(cut.bytes.start, end);
                            assert_eq!(cut.bytes.len() as u64, 8 * cut.records);
                            end = cut.bytes.end;
                            files.extend((0..cut.records).map(|_| cut.file));
                        }
                        rank += size as u64;
                    }
                    assert_eq!(files, oracle(split, rank), "{split:?} {size}");
                }
            }
        }
    }

    #[test]
    fn lines_that_do_not_fit_are_told() {
        let split = Split::every(number(2));
        assert_eq!(split.cut(b"a\nb\nc\n", 0, 1), Err(3));
        assert_eq!(split.cut(b"a\nb\nc\nd\ne\n", 0, 1), Err(5));
        assert_eq!(split.cut(b"a\nb\nc\nd", 0, 1), Err(3));
        assert_eq!(split.cut(b"a\nb\nc\nd\ne", 0, 1), Err(5));
        assert_eq!(split.cut(b"a\n", 0, 0), Err(1));
        assert_eq!(split.cut(b"", 0, 0), Ok(vec![]));
    }
}
