//! One output as several files.
//!
//! Which file a record goes to follows from the records before it, and for some rules
//! from the packs of the input, so the files are the same for every number of threads
//! and every size of batches. That is known before anything is compressed, so a batch
//! that crosses a border is cut as text, exactly, and each part is compressed by itself.

use std::ffi::OsString;
use std::num::NonZeroU64;
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::divider::{Divider, Share};

/// How one output becomes several files, and how these are named.
///
/// What is divided are the records of FASTQ, four lines each, unless the pieces say where records, or whatever else
/// belongs together, end ([`OutputPiece::ends`](crate::OutputPiece::ends)).
///
/// The files are numbered from 1, with the number before the name:
/// `0001.out.fq.gz`. Mates that are to stay together need equal rules on outputs
/// that get equal numbers of records; interleaved mates need an even number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    rule: Rule,
    digits: usize,
    at_braces: bool,
}

/// See the functions of [`Split`] of the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    Every {
        records: NonZeroU64,
    },
    Dealt {
        files: NonZeroU64,
        records: NonZeroU64,
    },
    FullPacks {
        least: NonZeroU64,
    },
    PackShares {
        files: NonZeroU64,
        packs: NonZeroU64,
    },
    Shares {
        files: NonZeroU64,
        records: u64,
    },
    Weighing {
        least: NonZeroU64,
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

    /// Exactly `files` files that get `records` records each in turn, again and
    /// again: equal sizes without knowing how many records there will be. All are
    /// open at once.
    pub fn dealt(files: NonZeroU64, records: NonZeroU64) -> Self {
        Self::new(Rule::Dealt { files, records })
    }

    /// A new file after each pack of the input with whose end a file has `least` records
    /// or more; the end of the input ends a pack, too, so that the last file may be empty.
    ///
    /// Where the packs end, the pieces say: [`OutputPiece::pack_ends`](crate::OutputPiece::pack_ends).
    pub fn full_packs(least: NonZeroU64) -> Self {
        Self::new(Rule::FullPacks { least })
    }

    /// Exactly `files` files of what comes of `packs` consecutive packs of the input each;
    /// the last one takes all that remain. For inputs whose size is known or estimated.
    ///
    /// Where the packs end, the pieces say: [`OutputPiece::pack_ends`](crate::OutputPiece::pack_ends).
    pub fn pack_shares(files: NonZeroU64, packs: NonZeroU64) -> Self {
        Self::new(Rule::PackShares { files, packs })
    }

    /// Exactly `files` files of consecutive records, whose numbers differ by one at most, of an output that gets `records` of
    /// them in all. If it gets more, they are in the last file.
    pub fn shares(files: NonZeroU64, records: u64) -> Self {
        Self::new(Rule::Shares { files, records })
    }

    /// A new file after each record with which a file weighs `least` or more.
    ///
    /// What records weigh, the pieces say: [`OutputPiece::weights`](crate::OutputPiece::weights).
    pub fn weighing(least: NonZeroU64) -> Self {
        Self::new(Rule::Weighing { least })
    }

    fn new(rule: Rule) -> Self {
        Self {
            rule,
            digits: 4,
            at_braces: false,
        }
    }

    /// Pad the numbers with zeros to this many digits; 4 unless told otherwise, 0
    /// for no padding.
    pub fn digits(mut self, digits: u8) -> Self {
        self.digits = usize::from(digits);
        self
    }

    /// Put the numbers where the name has `{}`, and not before it.
    pub fn at_braces(mut self) -> Self {
        self.at_braces = true;
        self
    }

    /// The name of a file, counted from 0.
    pub fn name(&self, path: &Path, file: u64) -> PathBuf {
        if self.at_braces {
            let number = format!("{:0digits$}", file + 1, digits = self.digits);
            return replaced(path, &number);
        }
        let mut name = OsString::from(format!("{:0digits$}.", file + 1, digits = self.digits));
        name.push(path.file_name().unwrap_or_default());
        path.with_file_name(name)
    }

    /// What tells the file of each record.
    pub(crate) fn divider(&self) -> Divider {
        Divider::new(self.rule)
    }

    /// Whether a file gets no more records once a later one has some.
    pub(crate) fn is_consecutive(&self) -> bool {
        !matches!(self.rule, Rule::Dealt { .. })
    }
}

/// A path with `number` wherever it has braces.
fn replaced(path: &Path, number: &str) -> PathBuf {
    let path = path.as_os_str().as_bytes();
    let (mut name, mut rest) = (Vec::new(), 0);
    for braces in memchr::memmem::find_iter(path, b"{}") {
        name.extend_from_slice(&path[rest..braces]);
        name.extend_from_slice(number.as_bytes());
        rest = braces + 2;
    }
    name.extend_from_slice(&path[rest..]);
    PathBuf::from(OsString::from_vec(name))
}

/// Cut the text of a piece whose records go to the files as `shares` say. `ends` are those of its records; of FASTQ, they
/// are looked for if there are none.
///
/// # Errors
/// The number of lines, or of ends, if it is not that of so many records.
pub(crate) fn cut(text: &[u8], shares: &[Share], ends: &[usize]) -> Result<Vec<Cut>, u64> {
    match ends {
        [] => cut_lines(text, shares),
        ends => cut_at(text, shares, ends),
    }
}

fn cut_at(text: &[u8], shares: &[Share], ends: &[usize]) -> Result<Vec<Cut>, u64> {
    let fault = ends.len() as u64;
    let (mut done, mut begin) = (0_u64, 0);
    let mut cuts = Vec::with_capacity(shares.len());
    for &Share { file, records } in shares {
        done = done.saturating_add(records);
        let last = usize::try_from(done)
            .ok()
            .and_then(|done| done.checked_sub(1));
        let to = *last.and_then(|last| ends.get(last)).ok_or(fault)?;
        let bytes = begin..to;
        text.get(bytes.clone()).ok_or(fault)?;
        cuts.push(Cut {
            file,
            records,
            bytes,
        });
        begin = to;
    }
    match begin == text.len() && done == fault {
        true => Ok(cuts),
        false => Err(fault),
    }
}

fn cut_lines(text: &[u8], shares: &[Share]) -> Result<Vec<Cut>, u64> {
    let mut ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
    let (mut lines, mut begin) = (0, 0);
    let mut cuts = Vec::with_capacity(shares.len());
    for &Share { file, records } in shares {
        let mut to = begin;
        for _ in 0..records.saturating_mul(LINES) {
            to = ends.next().ok_or(lines)?;
            lines += 1;
        }
        cuts.push(Cut {
            file,
            records,
            bytes: begin..to,
        });
        begin = to;
    }
    if begin == text.len() {
        Ok(cuts)
    } else {
        // A last line without its end counts, too.
        let open = u64::from(text.last() != Some(&b'\n'));
        Err(lines + ends.count() as u64 + open)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_in_front() {
        let split = Split::every(NonZeroU64::MIN);
        let name = |split: Split| split.name(Path::new("a/out.fq.gz"), 8);
        assert_eq!(name(split), Path::new("a/0009.out.fq.gz"));
        assert_eq!(name(split.digits(0)), Path::new("a/9.out.fq.gz"));
        assert_eq!(name(split.digits(2)), Path::new("a/09.out.fq.gz"));
    }

    #[test]
    fn numbers_stand_where_braces_do() {
        let split = Split::every(NonZeroU64::MIN).digits(3).at_braces();
        let name = |path: &str, file| split.name(Path::new(path), file);
        assert_eq!(name("a/out_{}.fq.gz", 8), Path::new("a/out_009.fq.gz"));
        assert_eq!(name("{}/{}", 999), Path::new("1000/1000"));
        assert_eq!(name("a{", 0), Path::new("a{"));
    }

    #[test]
    fn text_is_cut_where_records_are_said_to_end() {
        let text = b">a\nAC\nGT\n>b\n>c\nA\n";
        let ends = [9, 12, 17];
        let cut = |shares: &[Share], ends: &[usize]| {
            let cuts = super::cut(text, shares, ends)?.into_iter();
            Ok(cuts.map(|cut| (cut.file, cut.bytes)).collect::<Vec<_>>())
        };
        let shares = [share(0, 2), share(1, 1)];
        assert_eq!(cut(&shares, &ends), Ok(vec![(0, 0..12), (1, 12..17)]));
        for wrong in [
            &[9, 12][..],
            &[9, 12, 16],
            &[9, 12, 18],
            &[12, 9, 17],
            &[9, 12, 17, 17],
        ] {
            let outcome = cut(&shares, wrong);
            assert!(
                outcome == Err(wrong.len() as u64) || wrong == [12, 9, 17],
                "{wrong:?}"
            );
        }
    }

    fn share(file: u64, records: u64) -> Share {
        Share { file, records }
    }

    #[test]
    fn text_is_cut_between_records() {
        let text = b"\n\nACGT\n\n".repeat(5);
        let cut = |shares: &[Share]| {
            let cuts = super::cut(&text, shares, &[]).unwrap().into_iter();
            let plain = |cut: Cut| (cut.file, cut.records, cut.bytes);
            cuts.map(plain).collect::<Vec<_>>()
        };
        assert_eq!(cut(&[share(3, 5)]), [(3, 5, 0..40)]);
        let parts = [(0, 1, 0..8), (1, 3, 8..32), (0, 1, 32..40)];
        assert_eq!(cut(&[share(0, 1), share(1, 3), share(0, 1)]), parts);
    }

    #[test]
    fn lines_that_do_not_fit_are_told() {
        let one = [share(0, 1)];
        assert_eq!(cut(b"a\nb\nc\n", &one, &[]), Err(3));
        assert_eq!(cut(b"a\nb\nc\nd\ne\n", &one, &[]), Err(5));
        assert_eq!(cut(b"a\nb\nc\nd", &one, &[]), Err(3));
        assert_eq!(cut(b"a\nb\nc\nd\ne", &one, &[]), Err(5));
        assert_eq!(cut(b"a\n", &[], &[]), Err(1));
        assert_eq!(cut(b"", &[], &[]), Ok(vec![]));
    }
}
