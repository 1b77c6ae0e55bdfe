//! One read while the steps work on it.

use thalweg_formats::Record;

use crate::letters::{are_usual, have_u, spelled_as, usual};
use crate::{Mode, Observer};

/// A read as the steps see it: a window into its record, which nobody copies
/// unless a base, a quality or the name changes.
///
/// One value is loaded with one record after the other ([`Read::load`]), so that
/// the buffers for changed reads are allocated once.
///
/// In the default mode lower case is compared as upper case, U as T, and `.` as N: of a read that
/// has these, the steps see a copy with other letters, beside which what is to be written is kept.
#[derive(Debug, Default)]
pub struct Read<'a> {
    mode: Mode,
    /// The record as it stands in the batch, if it can be written so.
    record: Option<&'a [u8]>,
    head: &'a [u8],
    /// The third line without its `+`.
    comment: &'a [u8],
    bases: &'a [u8],
    qualities: &'a [u8],
    start: usize,
    end: usize,
    is_edited: bool,
    is_renamed: bool,
    is_lost: bool,
    /// Whether bases and qualities as they came are gone, and were reported before.
    is_reported: bool,
    edited_bases: Vec<u8>,
    edited_qualities: Vec<u8>,
    edited_head: Vec<u8>,
    /// Whether `edited_bases` are other letters than those that are written, which are `spelling`.
    is_respelled: bool,
    spelling: Vec<u8>,
}

impl<'a> Read<'a> {
    /// A read for workers of this mode; that of the default mode is the default.
    pub fn new(mode: Mode) -> Self {
        Read {
            mode,
            ..Self::default()
        }
    }

    /// Start over with another record. A record without qualities (FASTA) has the
    /// quality `?` (30) everywhere.
    #[inline]
    pub fn load(&mut self, record: &Record<'a>) {
        self.load_usual(record);
        if self.mode.is_correct() && !are_usual(self.whole().0) {
            self.respell();
        }
    }

    /// The same for a record whose bases are all known to be `A` to `T`, as a block of `thalweg-reads` tells.
    #[inline]
    pub fn load_usual(&mut self, record: &Record<'a>) {
        self.head = record.head();
        self.is_edited = false;
        self.is_renamed = false;
        self.is_lost = false;
        self.is_reported = false;
        self.is_respelled = false;
        self.start = 0;
        match (record.sequence(), record.quality()) {
            (std::borrow::Cow::Borrowed(bases), Some(std::borrow::Cow::Borrowed(qualities))) => {
                self.bases = bases;
                self.qualities = qualities;
                self.end = bases.len();
                let bytes = record.as_bytes();
                // `@`, `+` and four line ends.
                let plain = self.head.len() + bases.len() + qualities.len() + 6;
                self.record =
                    (bytes.len() == plain && bytes.last() == Some(&b'\n')).then_some(bytes);
                self.comment = match self.record {
                    Some(_) => b"",
                    None => comment(bytes, bases.len() + qualities.len() + self.head.len()),
                };
                if !self.comment.is_empty()
                    && bytes.len() == plain + self.comment.len()
                    && bytes.last() == Some(&b'\n')
                {
                    self.record = Some(bytes);
                }
            }
            (bases, qualities) => {
                self.record = None;
                self.comment = b"";
                self.edited_bases.clear();
                self.edited_bases.extend_from_slice(&bases);
                self.edited_qualities.clear();
                match qualities {
                    Some(qualities) => self.edited_qualities.extend_from_slice(&qualities),
                    None => self.edited_qualities.resize(bases.len(), b'?'),
                }
                self.end = bases.len();
                self.is_edited = true;
            }
        }
    }

    /// Have the steps see other letters than those that are written.
    #[cold]
    fn respell(&mut self) {
        self.edit();
        self.spelling.clone_from(&self.edited_bases);
        self.edited_bases
            .iter_mut()
            .for_each(|base| *base = usual(*base));
        self.is_respelled = true;
    }

    /// The name and what follows it, without `@`.
    #[inline]
    pub fn head(&self) -> &[u8] {
        if self.is_renamed {
            &self.edited_head
        } else {
            self.head
        }
    }

    /// The same as it came, whatever it was changed to.
    #[inline]
    pub fn original_head(&self) -> &'a [u8] {
        self.head
    }

    /// Number of bases that came.
    #[inline]
    pub fn original_length(&self) -> usize {
        self.whole().0.len()
    }

    /// Which of these are left, none if the read was [given up](Self::is_lost).
    #[inline]
    pub fn left(&self) -> std::ops::Range<usize> {
        match self.is_lost {
            true => self.start..self.start,
            false => self.start..self.end,
        }
    }

    /// The third line, without `+`.
    pub fn comment(&self) -> &'a [u8] {
        self.comment
    }

    /// Bases that are left, as the steps compare them.
    #[inline]
    pub fn bases(&self) -> &[u8] {
        &self.whole().0[self.start..self.end]
    }

    /// Bases that are left, as they are written.
    #[inline]
    pub fn spelling(&self) -> &[u8] {
        match self.is_respelled {
            true => &self.spelling[self.start..self.end],
            false => self.bases(),
        }
    }

    /// Whether these are other letters than those that the steps compare.
    pub(crate) fn is_respelled(&self) -> bool {
        self.is_respelled
    }

    /// Whether its T are written as U.
    pub(crate) fn has_u(&self) -> bool {
        self.is_respelled && have_u(&self.spelling)
    }

    /// Qualities of the bases that are left, as they stand in the file (`!` is 0).
    #[inline]
    pub fn qualities(&self) -> &[u8] {
        &self.whole().1[self.start..self.end]
    }

    /// Number of bases that are left.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// Whether no bases are left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Whether a step gave the read up: nothing of it is left, although its bases
    /// are still there as they were before.
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// The record as it stands in its batch, line ends included, if it can be written so.
    #[inline]
    pub fn untouched(&self) -> Option<&'a [u8]> {
        let whole = self.start == 0 && self.end == self.bases.len();
        self.record
            .filter(|_| whole && !self.is_edited && !self.is_renamed)
    }

    /// Convert qualities if they count from 64, and report the read if it cannot be
    /// reported at the end because it is not in the batch as it is.
    #[inline]
    pub(crate) fn begin(&mut self, mate: usize, is_phred64: bool, observer: &mut impl Observer) {
        if is_phred64 {
            self.map_qualities(|quality| quality.saturating_sub(64 - 33).max(33));
        }
        if self.is_edited {
            observer.before(mate, self.bases(), self.qualities());
            self.is_reported = true;
        }
    }

    /// Report the read: as it came, and, if it `passes`, as it goes.
    #[inline]
    pub(crate) fn report(&self, mate: usize, passes: bool, observer: &mut impl Observer) {
        let is_whole = !self.is_edited && self.len() == self.bases.len();
        if passes && is_whole {
            observer.unchanged(mate, self.bases, self.qualities);
            return;
        }
        if !self.is_reported {
            observer.before(mate, self.bases, self.qualities);
        }
        if passes {
            observer.after(mate, self.bases(), self.qualities());
        }
    }

    /// Give the read up.
    pub(crate) fn lose(&mut self) {
        self.is_lost = true;
    }

    /// Keep the first `length` bases.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline]
    pub(crate) fn truncate(&mut self, length: usize) {
        assert!(length <= self.len(), "{length} of {} bases", self.len());
        self.end = self.start + length;
    }

    /// Drop the first `count` bases.
    ///
    /// # Panics
    /// If there are not so many.
    #[inline]
    pub(crate) fn skip(&mut self, count: usize) {
        assert!(count <= self.len(), "{count} of {} bases", self.len());
        self.start += count;
    }

    /// Put another base and quality at a position of what is left. It is written in the case of the
    /// one that was there, and T as U where `has_u` tells so.
    pub(crate) fn put(&mut self, position: usize, base: u8, quality: u8, has_u: bool) {
        self.edit();
        if has_u && !self.is_respelled {
            self.respell();
        }
        let position = self.start + position;
        self.edited_bases[position] = base;
        self.edited_qualities[position] = quality;
        if self.is_respelled {
            self.spelling[position] = spelled_as(base, self.spelling[position], has_u);
        }
    }

    /// Change all qualities.
    pub(crate) fn map_qualities(&mut self, change: impl Fn(u8) -> u8) {
        self.edit();
        for quality in &mut self.edited_qualities {
            *quality = change(*quality);
        }
    }

    /// The new name, to be written into an empty buffer; `edit` sees the old one.
    pub(crate) fn rename(&mut self, edit: impl FnOnce(&[u8], &mut Vec<u8>)) {
        if self.is_renamed {
            let old = std::mem::take(&mut self.edited_head);
            edit(&old, &mut self.edited_head);
        } else {
            self.edited_head.clear();
            edit(self.head, &mut self.edited_head);
            self.is_renamed = true;
        }
    }

    fn edit(&mut self) {
        if !self.is_edited {
            self.edited_bases.clear();
            self.edited_bases.extend_from_slice(self.bases);
            self.edited_qualities.clear();
            self.edited_qualities.extend_from_slice(self.qualities);
            self.is_edited = true;
        }
    }

    #[inline]
    fn whole(&self) -> (&[u8], &[u8]) {
        if self.is_edited {
            (&self.edited_bases, &self.edited_qualities)
        } else {
            (self.bases, self.qualities)
        }
    }
}

/// What stands behind the `+` of a record of four lines, one for each field.
#[cold]
fn comment(bytes: &[u8], in_other_lines: usize) -> &[u8] {
    // Anything more than `@`, `+` and four line ends of two bytes must be comment.
    if bytes.len() <= in_other_lines + 6 {
        return b"";
    }
    let mut lines = bytes.split(|&byte| byte == b'\n');
    let line = lines.nth(2).unwrap_or_default();
    let line = line.strip_prefix(b"+").unwrap_or_default();
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_formats::{Format, Records};

    fn with_record(text: &[u8], ends: &[u32], check: impl Fn(&mut Read<'_>)) {
        let records = Records::new(text, 0, Format::Fastq, ends);
        let record = records.get(0).expect("one record");
        let mut read = Read::default();
        read.load(&record);
        check(&mut read);
    }

    #[test]
    fn plain_trimming_copies_nothing() {
        let text = b"@a b\nACGTA\n+\nIIII#\n";
        with_record(text, &[4, 10, 12, 18], |read| {
            assert_eq!(read.untouched(), Some(text.as_slice()));
            read.skip(1);
            read.truncate(3);
            assert_eq!((read.bases(), read.qualities()), (&b"CGT"[..], &b"III"[..]));
            assert_eq!(read.untouched(), None);
            assert!(read.edited_bases.capacity() == 0);
        });
    }

    #[test]
    fn comments_and_carriage_returns_are_seen() {
        with_record(b"@a\nAC\n+a\nII\n", &[2, 5, 8, 11], |read| {
            assert_eq!(read.comment(), b"a");
            assert!(read.untouched().is_some());
        });
        with_record(b"@a\r\nAC\r\n+\r\nII\r\n", &[3, 7, 10, 14], |read| {
            assert_eq!((read.comment(), read.bases()), (&b""[..], &b"AC"[..]));
            assert!(read.untouched().is_none());
        });
        with_record(b"@a\r\nAC\r\n+a b\r\nII\r\n", &[3, 7, 13, 17], |read| {
            assert_eq!(read.comment(), b"a b");
            assert!(read.untouched().is_none());
        });
    }

    #[test]
    fn other_letters_are_compared_as_usual_ones_and_written_as_they_came() {
        with_record(b"@a b\nAcgu.\n+\nIIII#\n", &[4, 10, 12, 18], |read| {
            assert_eq!(
                (read.bases(), read.spelling()),
                (&b"ACGTN"[..], &b"Acgu."[..])
            );
            read.skip(1);
            read.put(1, b'T', b'!', read.has_u());
            assert_eq!(
                (read.bases(), read.spelling()),
                (&b"CTTN"[..], &b"cuu."[..])
            );
            assert_eq!(read.qualities(), b"I!I#");
        });
        // To fastp they are others.
        let text = b"@a b\nAcgu.\n+\nIIII#\n";
        let ends = [4, 10, 12, 18];
        let records = Records::new(text, 0, Format::Fastq, &ends);
        let mut read = Read::new(Mode::Fastp(crate::FastpVersion::V1_3));
        read.load(&records.get(0).expect("one record"));
        assert_eq!(
            (read.bases(), read.spelling()),
            (&b"Acgu."[..], &b"Acgu."[..])
        );
    }

    #[test]
    fn edits_stay_inside_the_window() {
        with_record(b"@a b\nACGTA\n+\nIIII#\n", &[4, 10, 12, 18], |read| {
            read.skip(2);
            read.put(0, b'T', b'!', false);
            assert_eq!((read.bases(), read.qualities()), (&b"TTA"[..], &b"!I#"[..]));
            read.rename(|old, new| new.extend([old, b"!"].concat()));
            read.rename(|old, new| new.extend([old, b"?"].concat()));
            assert_eq!(read.head(), b"a b!?");
        });
    }
}
