//! Directory and records, of which nothing is trusted.

use std::ops::Range;

use thalweg_superkmers::prefetch::prefetch;

use super::header::{GROUP, OVERFLOW_BYTES, TaxonDatabaseHeader, directory_bases_offset};
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
}

impl<'a> View<'a> {
    /// Of the sections of directory, records and overflow.
    pub(super) fn new(
        [directory, records, over]: [&'a [u8]; 3],
        header: &TaxonDatabaseHeader,
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
        }
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

    /// The first record of a bucket, or of one behind the last; some number if that is damaged.
    #[inline]
    pub(super) fn first_record(&self, bucket: u64) -> u64 {
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

    /// The records of a bucket; none if that is damaged.
    #[inline]
    pub(crate) fn bucket(&self, bucket: u64) -> Range<u64> {
        let (first, end) = (self.first_record(bucket), self.first_record(bucket + 1));
        match first <= end && end <= self.record_count {
            true => first..end,
            false => 0..0,
        }
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
    pub(super) fn behind_records(&self) -> &'a [u8] {
        let start = self.records.len().saturating_sub(MAX_RECORD_BYTES);
        &self.records[start..]
    }

    /// Number of minimizers that have too many records.
    pub(super) fn overflow_minimizers(&self) -> usize {
        self.overflow_firsts.len().saturating_sub(1)
    }

    /// The k-mers of such a minimizer, with their sets; none if that is damaged.
    #[inline]
    pub(super) fn overflow(&self, minimizer: u64) -> &'a [[u8; OVERFLOW_BYTES]] {
        let first = |at: usize| {
            let bytes = self.overflow_firsts.get(at);
            bytes.and_then(|bytes| usize::try_from(u64::from_le_bytes(*bytes)).ok())
        };
        let at = usize::try_from(minimizer).unwrap_or(usize::MAX);
        match (first(at), first(at.saturating_add(1))) {
            (Some(first), Some(end)) => self.overflow.get(first..end).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Number of k-mers of such minimizers.
    pub(crate) fn overflow_kmers(&self) -> u64 {
        self.overflow.len() as u64
    }

    /// Of such a minimizer the set of a k-mer as it reads there; 0 if it has none.
    pub(crate) fn overflow_set(&self, minimizer: u64, kmer: u64) -> u32 {
        (self.overflow_place(minimizer, kmer)).map_or(0, |(_, set)| set)
    }

    /// The same with the number of the k-mer among all of these; `None` if it is not there.
    pub(crate) fn overflow_place(&self, minimizer: u64, kmer: u64) -> Option<(u64, u32)> {
        let kmers = self.overflow(minimizer);
        let found = kmers.binary_search_by_key(&kmer, |bytes| split_overflow(bytes).0);
        let at = found.ok()?;
        let first = u64::from_le_bytes(*self.overflow_firsts.get(minimizer as usize)?);
        Some((first + at as u64, split_overflow(&kmers[at]).1))
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
