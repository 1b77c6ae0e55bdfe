//! Directory and records, of which nothing is trusted: a page is checked before anything of it is used, and numbers of it that
//! lead to others are checked each time.

use std::cmp::Ordering;
use std::ops::Range;
use std::path::Path;

use thalweg_superkmers::prefetch::prefetch;

use super::header::{GROUP, OVERFLOW_BYTES, TaxonDatabaseHeader, directory_bases_offset};
use super::pages::Pages;
use crate::Result;
use crate::record::{MAX_RECORD_BYTES, RecordLayout};

/// The large sections of a database.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    layout: RecordLayout,
    /// Of each bucket, and of one behind the last, its first record less that of its group.
    directory: &'a [[u8; 4]],
    /// Of each group of buckets its first record.
    bases: &'a [[u8; 8]],
    records: &'a [u8],
    record_count: u64,
    /// Of each minimizer that has too many records its first k-mer in `overflow`, and one behind the last.
    overflow_firsts: &'a [[u8; 8]],
    /// k-mer and set, ascending for each minimizer.
    overflow: &'a [[u8; OVERFLOW_BYTES]],
    sets: u32,
    pages: Pages<'a>,
    path: &'a Path,
}

/// Places of the large sections among them.
const DIRECTORY: usize = 0;
const RECORDS: usize = 1;
const OVERFLOW: usize = 2;

impl<'a> View<'a> {
    /// The view of these sections (directory, records and overflow) of a file of this name.
    pub(super) fn new(
        [directory, records, over]: [&'a [u8]; 3],
        header: &TaxonDatabaseHeader,
        pages: Pages<'a>,
        path: &'a Path,
    ) -> Self {
        let split = (directory_bases_offset(&header.layout) as usize).min(directory.len());
        let (directory, bases) = directory.split_at(split);
        let (firsts, overflow) = split_over(over).unwrap_or_default();
        Self {
            layout: header.layout,
            directory: directory.as_chunks().0,
            bases: bases.as_chunks().0,
            records,
            record_count: header.records,
            overflow_firsts: firsts,
            overflow,
            sets: header.sets,
            pages,
            path,
        }
    }

    /// Checks what all look-ups need: the first records of groups of buckets, and how many minimizers have too many records.
    ///
    /// # Errors
    /// Pages that have them are damaged.
    pub(super) fn check_heads(&self) -> Result<()> {
        let bases = self.directory.len() * 4;
        let is_sound = (self.pages).are_sound(DIRECTORY, bases..bases + self.bases.len() * 8)
            && self.pages.are_sound(OVERFLOW, 0..8);
        if is_sound { Ok(()) } else { self.damage() }
    }

    /// The first damage of a page that was met since the database was opened, by any thread. What needed that page was given
    /// nothing.
    ///
    /// # Errors
    /// There was some.
    pub(crate) fn damage(&self) -> Result<()> {
        let damage = self.pages.damage();
        damage.map_err(|error| error.in_file(self.path))
    }

    /// Whether the section of overflow is as long as the number of its minimizers says.
    pub(super) fn has_firsts(over: &[u8]) -> bool {
        split_over(over).is_some()
    }

    /// Which bits of a record are what.
    #[inline]
    pub(crate) fn layout(&self) -> RecordLayout {
        self.layout
    }

    /// The greatest number of a set.
    #[inline]
    pub(crate) fn sets(&self) -> u32 {
        self.sets
    }

    /// Number of records.
    pub(crate) fn record_count(&self) -> u64 {
        self.record_count
    }

    /// The first record of a bucket, or of one behind the last; some number if that cannot be.
    ///
    /// # Errors
    /// The page that has it is damaged.
    #[inline]
    pub(super) fn first_record(&self, bucket: u64) -> Result<u64> {
        let at = 4 * bucket as usize;
        if self.pages.are_sound(DIRECTORY, at..at + 4) {
            Ok(self.first_record_of_sound(bucket))
        } else {
            self.damaged()
        }
    }

    /// The same of a page that was checked.
    #[inline]
    fn first_record_of_sound(&self, bucket: u64) -> u64 {
        let entry = self.directory.get(bucket as usize);
        let base = self.bases.get((bucket / GROUP) as usize);
        match (entry, base) {
            (Some(entry), Some(base)) => {
                u64::from_le_bytes(*base).wrapping_add(u32::from_le_bytes(*entry).into())
            }
            _ => u64::MAX,
        }
    }

    /// Asks for what [`bucket`](Self::bucket) needs.
    #[inline]
    pub(crate) fn prefetch_bucket(&self, bucket: u64) {
        if let Some(entry) = self.directory.get(bucket as usize) {
            prefetch(entry);
        }
    }

    /// The records of a bucket; none if its page is [damaged](Self::damage), or they cannot be.
    #[inline]
    pub(crate) fn bucket(&self, bucket: u64) -> Range<u64> {
        let at = 4 * bucket as usize;
        if !self.pages.are_sound(DIRECTORY, at..at + 8) {
            return 0..0;
        }
        let first = self.first_record_of_sound(bucket);
        let end = self.first_record_of_sound(bucket + 1);
        match first <= end && end <= self.record_count {
            true => first..end,
            false => 0..0,
        }
    }

    /// Returns these records, which are there, if their pages are sound; none if one is [damaged](Self::damage). To be asked before
    /// [`record`](Self::record) is.
    #[inline]
    pub(crate) fn sound(&self, records: Range<u64>) -> Range<u64> {
        let bytes = self.layout.record_bytes();
        let place = records.start as usize * bytes..records.end as usize * bytes;
        if place.is_empty() || self.pages.are_sound(RECORDS, place) {
            records
        } else {
            0..0
        }
    }

    /// Checks the pages of records, which are there.
    ///
    /// # Errors
    /// One is damaged.
    #[inline]
    pub(super) fn check_records(&self, records: Range<u64>) -> Result<()> {
        if records.is_empty() || !self.sound(records).is_empty() {
            Ok(())
        } else {
            self.damaged()
        }
    }

    /// The damage that was just met.
    #[cold]
    fn damaged<T>(&self) -> Result<T> {
        self.damage()?;
        unreachable!("damage that was met is kept")
    }

    /// Asks for the first and the last record of a bucket.
    #[inline]
    pub(crate) fn prefetch_records(&self, records: &Range<u64>) {
        let bytes = self.layout.record_bytes() as u64;
        let places = [records.start * bytes, (records.end * bytes).wrapping_sub(1)];
        if !records.is_empty() {
            for place in places {
                if let Some(byte) = self.records.get(place as usize) {
                    prefetch(byte);
                }
            }
        }
    }

    /// The bits of a record; what lies above them is not its.
    #[inline]
    pub(crate) fn record(&self, number: u64) -> u128 {
        let at = number as usize * self.layout.record_bytes();
        let bytes = self.records.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u128::from_le_bytes(*bytes))
    }

    /// What lies behind the last record.
    ///
    /// # Errors
    /// A page of it is damaged.
    pub(super) fn behind_records(&self) -> Result<&'a [u8]> {
        let start = self.records.len().saturating_sub(MAX_RECORD_BYTES);
        if self.pages.are_sound(RECORDS, start..self.records.len()) {
            Ok(&self.records[start..])
        } else {
            self.damaged()
        }
    }

    /// Number of minimizers that have too many records.
    pub(super) fn overflow_minimizers(&self) -> usize {
        self.overflow_firsts.len().saturating_sub(1)
    }

    /// The k-mers of such a minimizer, with their sets; none if they cannot be.
    ///
    /// # Errors
    /// A page of them is damaged.
    pub(super) fn overflow(&self, minimizer: u64) -> Result<&'a [[u8; OVERFLOW_BYTES]]> {
        let Some(places) = self.overflow_places(minimizer)? else {
            return Ok(&[]);
        };
        let bytes = self.overflow_bytes(&places);
        if bytes.is_empty() || self.pages.are_sound(OVERFLOW, bytes) {
            Ok(&self.overflow[places])
        } else {
            self.damaged()
        }
    }

    /// Places of the k-mers of such a minimizer among all; `None` if they cannot be.
    fn overflow_places(&self, minimizer: u64) -> Result<Option<Range<usize>>> {
        let at = usize::try_from(minimizer).unwrap_or(usize::MAX);
        let firsts = self.overflow_firsts.get(at..).and_then(<[_]>::first_chunk);
        let Some(firsts) = firsts else {
            return Ok(None);
        };
        // Behind their number.
        let bytes = 8 * (at + 1)..8 * (at + 3);
        if !self.pages.are_sound(OVERFLOW, bytes) {
            return self.damaged();
        }
        let [first, end] = firsts.map(|first| usize::try_from(u64::from_le_bytes(first)));
        let (Ok(first), Ok(end)) = (first, end) else {
            return Ok(None);
        };
        let are_there = first <= end && end <= self.overflow.len();
        Ok(are_there.then_some(first..end))
    }

    /// Bytes of such k-mers in their section.
    fn overflow_bytes(&self, places: &Range<usize>) -> Range<usize> {
        let start = 8 * (self.overflow_firsts.len() + 1);
        start + OVERFLOW_BYTES * places.start..start + OVERFLOW_BYTES * places.end
    }

    /// Number of k-mers of such minimizers.
    pub(crate) fn overflow_kmers(&self) -> u64 {
        self.overflow.len() as u64
    }

    /// Of such a minimizer the set of a k-mer as it reads there; 0 if it has none.
    pub(crate) fn overflow_set(&self, minimizer: u64, kmer: u64) -> u32 {
        (self.overflow_place(minimizer, kmer)).map_or(0, |(_, set)| set)
    }

    /// The same with the number of the k-mer among all of these; `None` if it is not there, or a page is
    /// [damaged](Self::damage) that tells.
    pub(crate) fn overflow_place(&self, minimizer: u64, kmer: u64) -> Option<(u64, u32)> {
        let mut places = self.overflow_places(minimizer).ok()??;
        while !places.is_empty() {
            let middle = places.start + places.len() / 2;
            let bytes = self.overflow_bytes(&(middle..middle + 1));
            if !self.pages.are_sound(OVERFLOW, bytes) {
                return None;
            }
            let (other, set) = split_overflow(&self.overflow[middle]);
            match other.cmp(&kmer) {
                Ordering::Equal => return Some((middle as u64, set)),
                Ordering::Less => places.start = middle + 1,
                Ordering::Greater => places.end = middle,
            }
        }
        None
    }
}

/// The k-mer and its set.
#[inline]
pub(super) fn split_overflow(bytes: &[u8; OVERFLOW_BYTES]) -> (u64, u32) {
    let [k0, k1, k2, k3, k4, k5, k6, k7, set @ ..] = *bytes;
    let kmer = u64::from_le_bytes([k0, k1, k2, k3, k4, k5, k6, k7]);
    (kmer, u32::from_le_bytes(set))
}

type Over<'a> = (&'a [[u8; 8]], &'a [[u8; OVERFLOW_BYTES]]);

/// The numbers of first k-mers and the k-mers.
fn split_over(over: &[u8]) -> Option<Over<'_>> {
    let (number, rest) = over.split_first_chunk()?;
    let firsts = usize::try_from(u64::from_le_bytes(*number)).ok()?;
    let bytes = firsts.checked_add(1)?.checked_mul(8)?;
    let (firsts, kmers) = rest.split_at_checked(bytes)?;
    let (kmers, rest) = kmers.as_chunks();
    rest.is_empty().then_some((firsts.as_chunks().0, kmers))
}
