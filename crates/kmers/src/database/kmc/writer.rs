//! Writes version 0 of KMC's format.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::Duration;

use thalweg_files::{directory_of, name_all};

use super::header::{PREFIX_MAGIC, SUFFIX_MAGIC, names};
use crate::database::number::{two_words, write_number, write_pairs};
use crate::database::output::Output;
use crate::database::{Description, Formatted, Totals};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Bytes of a count, unless told otherwise: the most that `kmc` itself writes for k above 13.
const COUNTER_BYTES: u8 = 4;

/// The greatest k for which KMC knows counts of more than 4 bytes.
const SMALL_K: usize = 13;

/// The longest prefix that is written: its table has 4^12 entries, 128 MiB, which readers hold in memory.
const LONGEST_PREFIX: usize = 12;

/// k-mers that are expected if nothing is known.
const EXPECTED: u64 = 1 << 24;

/// How a record is written.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    description: Description,
    counter_bytes: u8,
    suffix_bytes: usize,
    /// Bases of a prefix.
    prefix: usize,
}

/// A database that is being written; records must come sorted.
#[derive(Debug)]
pub(crate) struct Writer {
    prefixes: Output,
    suffixes: Output,
    layout: Layout,
    /// Entries of the table of prefixes so far.
    entries: usize,
    total: u64,
}

impl Layout {
    fn new(description: &Description) -> Result<Layout> {
        let counter_bytes = description.counter_bytes.unwrap_or(COUNTER_BYTES);
        let limit = if description.k > SMALL_K { 4 } else { 8 };
        if !(1..=limit).contains(&counter_bytes) {
            return Err(Error::BadOption(format!(
                "counts of {counter_bytes} bytes: KMC has 1 to {limit} at k = {}",
                description.k
            )));
        }
        let prefix = prefix_length(description.k, description.expected.unwrap_or(EXPECTED));
        Ok(Layout {
            description: description.clone(),
            counter_bytes,
            suffix_bytes: (description.k - prefix) / 4,
            prefix,
        })
    }

    /// At most so many bytes are made of a record: its suffix and count, and a prefix that no other has.
    pub(crate) fn record_bytes(&self) -> usize {
        self.suffix_bytes + usize::from(self.counter_bytes) + size_of::<(usize, u64)>()
    }

    #[inline]
    pub(crate) fn push<K: Kmer>(&self, kmer: K, count: u64, out: &mut Formatted) -> Result<()> {
        let count = self.description.fit(kmer, count, self.counter_bytes)?;
        let prefix = self.push_suffix(kmer, &mut out.bytes);
        if out.prefixes.last().is_none_or(|last| last.0 != prefix) {
            // Its own number is one less than how many there are with it.
            out.prefixes.push((prefix, out.totals.distinct - 1));
        }
        let end = out.bytes.len() + usize::from(self.counter_bytes);
        out.bytes.extend_from_slice(&count.to_le_bytes());
        out.bytes.truncate(end);
        Ok(())
    }

    /// As [`Self::push`] for all records, which have these totals, and their counts cut to `largest`; does nothing and returns
    /// `false` if they must be pushed one by one.
    ///
    /// `out.totals` are those of the records before these, where [`Self::push`] has its own among them.
    pub(crate) fn extend<K: Kmer>(
        &self,
        records: &[(K, u64)],
        largest: u64,
        totals: &Totals,
        out: &mut Formatted,
    ) -> bool {
        let limit = (self.description).limit(largest, self.counter_bytes, totals.max_count);
        let (Some(limit), true) = (limit, self.can_split::<K>()) else {
            return false;
        };
        let Formatted {
            bytes,
            prefixes,
            totals: before,
            ..
        } = out;
        let mut newest = prefixes.last().map_or(usize::MAX, |last| last.0);
        let pair = |(&(kmer, count), record): (&(K, u64), u64)| {
            let (prefix, suffix) = self.split(kmer);
            if prefix != newest {
                prefixes.push((prefix, record));
                newest = prefix;
            }
            (suffix, count.min(limit))
        };
        write_pairs(
            records.iter().zip(before.distinct..).map(pair),
            self.suffix_bytes,
            usize::from(self.counter_bytes),
            bytes,
        );
        true
    }

    /// Whether k-mers have at most two words, and suffix and prefix a byte of them each, so that no shift is by the whole
    /// width.
    #[inline(always)]
    fn can_split<K: Kmer>(&self) -> bool {
        K::MAX_K <= 64 && (1..K::MAX_K / 4).contains(&self.suffix_bytes)
    }

    /// The prefix of a k-mer, and the number whose bytes are its suffix, least significant first.
    #[inline(always)]
    fn split<K: Kmer>(&self, kmer: K) -> (usize, u128) {
        let bits = 8 * self.suffix_bytes;
        if K::MAX_K <= 32 {
            let [word, ..] = kmer.to_words();
            let suffix = (word << (64 - bits)).swap_bytes();
            return ((word >> bits) as usize, suffix.into());
        }
        let number = two_words(kmer);
        let suffix = (number << (128 - bits)).swap_bytes();
        ((number >> bits) as usize, suffix)
    }

    /// Appends all of a k-mer but its prefix, most significant byte first, and returns that.
    #[inline]
    fn push_suffix<K: Kmer>(&self, kmer: K, out: &mut Vec<u8>) -> usize {
        if self.can_split::<K>() {
            // In one number, of which what is too much is taken back.
            let (prefix, suffix) = self.split(kmer);
            let end = out.len() + self.suffix_bytes;
            out.extend_from_slice(&suffix.to_le_bytes());
            out.truncate(end);
            return prefix;
        }
        let start = out.len();
        write_number(kmer, self.description.k, out);
        let mut prefix = [0; 8];
        let high = &out[start + self.suffix_bytes..];
        prefix[..high.len()].copy_from_slice(high);
        out.truncate(start + self.suffix_bytes);
        out[start..].reverse();
        u64::from_le_bytes(prefix) as usize
    }
}

impl Writer {
    pub(crate) fn create(path: &Path, description: &Description) -> Result<Writer> {
        let layout = Layout::new(description)?;
        let (prefixes, suffixes) = names(path);
        let mut suffixes = Output::create(&suffixes)?;
        suffixes.write(SUFFIX_MAGIC)?;
        let mut prefixes = Output::create(&prefixes)?;
        prefixes.write(PREFIX_MAGIC)?;
        Ok(Writer {
            prefixes,
            suffixes,
            layout,
            entries: 0,
            total: 0,
        })
    }

    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn append(&mut self, records: &Formatted) -> Result<()> {
        for &(prefix, record) in &records.prefixes {
            // Ascending k-mers: every entry up to this prefix begins here or was written before.
            if prefix >= self.entries {
                self.extend_table(prefix + 1, self.total + record)?;
            }
        }
        self.total += records.totals.distinct;
        self.suffixes.write(&records.bytes)
    }

    /// Entries up to `length`: their k-mers begin with this record.
    fn extend_table(&mut self, length: usize, record: u64) -> Result<()> {
        for _ in self.entries..length {
            self.prefixes.write(&record.to_le_bytes())?;
        }
        self.entries = length;
        Ok(())
    }

    /// Gives both files their names, the one that readers open first last.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.suffixes.write(SUFFIX_MAGIC)?;
        self.extend_table(1 << (2 * self.layout.prefix), self.total)?;
        self.prefixes.write(&self.header())?;
        self.prefixes.write(&64u32.to_le_bytes())?;
        self.prefixes.write(PREFIX_MAGIC)?;
        // Neither replaces an older one before both are whole.
        let both = [self.suffixes.seal()?, self.prefixes.seal()?];
        // Of two that write the same names at once, one has both.
        let _locked = lock(directory_of(both[0].path()));
        name_all(both).map_err(|error| {
            // Half a database is none. If even that fails, the first error is the one to tell.
            for half in &error.named {
                let _ = std::fs::remove_file(half);
            }
            Error::io(error.path, error.source)
        })
    }

    fn header(&self) -> [u8; 64] {
        let mut header = [0; 64];
        let description = &self.layout.description;
        let (lowest, highest) = description.kept;
        let fields = [
            description.k as u32,
            0, // counts, not quality-weighted
            u32::from(self.layout.counter_bytes),
            self.layout.prefix as u32,
            u32::try_from(lowest).unwrap_or(u32::MAX),
            highest as u32,
            self.total as u32,
            (self.total >> 32) as u32,
            u32::from(!description.canonical),
            (highest >> 32) as u32,
        ];
        for (bytes, field) in header.chunks_exact_mut(4).zip(fields) {
            bytes.copy_from_slice(&field.to_le_bytes());
        }
        header
    }
}

/// The p that makes both files shortest, such that k - p is a multiple of four.
fn prefix_length(k: usize, expected: u64) -> usize {
    let bytes = |p: usize| {
        expected
            .saturating_mul((k - p) as u64 / 4)
            .saturating_add(8 << (2 * p))
    };
    (1..=LONGEST_PREFIX.min(k))
        .filter(|p| (k - p).is_multiple_of(4))
        .min_by_key(|&p| bytes(p))
        .unwrap_or(k)
}

/// Locks a directory for as long as what is returned is there. Where that cannot be, or another program holds it for longer
/// than it takes to name files, what happens is left to chance.
fn lock(directory: &Path) -> Option<File> {
    const TRIES: u32 = 100;
    let directory = File::open(directory).ok()?;
    for _ in 0..TRIES {
        match directory.try_lock() {
            Ok(()) => return Some(directory),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
            Err(TryLockError::Error(_)) => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_leave_whole_bytes() {
        for k in 1..=255 {
            for expected in [0, 1 << 20, u64::MAX] {
                let p = prefix_length(k, expected);
                assert!((1..=LONGEST_PREFIX).contains(&p) && p <= k && (k - p).is_multiple_of(4));
            }
        }
        assert!(prefix_length(31, 1 << 32) > prefix_length(31, 1000));
    }

    #[test]
    fn suffixes_and_prefixes_are_all_of_a_kmer() {
        for k in 5..=64 {
            let layout = Layout::new(&Description::new(k, true)).expect("a good k");
            let number = 0x1b2d_93e7_4a5c_f086_d3b1_7e29_64c5_8f0a_u128 >> (128 - 2 * k);
            let mut suffix = Vec::new();
            let prefix = layout.push_suffix(number, &mut suffix);
            let all = suffix
                .iter()
                .fold(prefix as u128, |all, &byte| all << 8 | u128::from(byte));
            assert_eq!(
                (all, suffix.len()),
                (number, layout.suffix_bytes),
                "k = {k}"
            );
        }
    }
}
