//! The records of all ranges, in memory and in files.

use std::any::Any;
use std::marker::PhantomData;
use std::path::PathBuf;

use super::lane::Lane;
use super::record::{Keys, REACH, Shape};
use crate::count::{DistinctSorter, Entries, Sortable};
use crate::database::sort::{SortOptions, Sorter};
use crate::database::thk::sort_by_distance;
use crate::database::{BATCH, KmerRecords};
use crate::error::{Error, Result};
use crate::kmer::Kmer;
use thalweg_superkmers::Kernel;

/// The most bits by which a range is split at once: 256 buffers.
const SPLIT_BITS: u32 = 8;

/// The most bits that [`Kmer::upper`] gives: k-mers that have them in common stay together.
const MOST_BITS: usize = 32;

/// What all lanes took.
#[derive(Debug)]
pub(super) struct Stored<K: Kmer> {
    shape: Shape,
    buffer_bytes: usize,
    /// Where a range that is split goes.
    directory: PathBuf,
    lanes: Vec<Lane>,
    kmers: PhantomData<fn() -> K>,
}

/// One thread's buffers.
pub(super) struct Buffers<K: Kmer> {
    records: Vec<(K, u64)>,
    scratch: Vec<(K, u64)>,
    kernel: Kernel,
    /// With the bits of a k-mer that it sorts by.
    distinct: Option<(u32, Distinct)>,
    bytes: Vec<u8>,
}

/// The fast sort for k-mers of up to two words, by what of them does not tell their range, which must leave room for a count:
/// k-mers of 61, 62, 63 and 64 bases do so from 0.8, 3.2, 12.8 and 51.2 million bases of input on.
enum Distinct {
    Narrow(DistinctSorter<u64>),
    Wide(DistinctSorter<u128>),
}

impl Distinct {
    fn new(bits: u32, kernel: Kernel) -> Option<Self> {
        let narrow = DistinctSorter::new(bits, kernel).map(Self::Narrow);
        narrow.or_else(|| DistinctSorter::new(bits, kernel).map(Self::Wide))
    }
}

impl<K: Kmer> Stored<K> {
    /// The lanes are [sealed](Lane::seal).
    pub(super) fn new(
        shape: Shape,
        buffer_bytes: usize,
        directory: PathBuf,
        lanes: Vec<Lane>,
    ) -> Self {
        Self {
            shape,
            buffer_bytes,
            directory,
            lanes,
            kmers: PhantomData,
        }
    }

    pub(super) fn ranges(&self) -> usize {
        self.shape.ranges()
    }

    /// Records of a range.
    pub(super) fn records(&self, range: usize) -> u64 {
        self.lanes.iter().map(|lane| lane.records(range)).sum()
    }

    /// Bytes that went to files.
    pub(super) fn file_bytes(&self) -> u64 {
        self.lanes.iter().map(Lane::file_bytes).sum()
    }

    /// Buffers of one thread.
    pub(super) fn buffers(&self, kernel: Kernel) -> Buffers<K> {
        Buffers {
            records: Vec::new(),
            scratch: Vec::new(),
            kernel,
            distinct: None,
            bytes: Vec::new(),
        }
    }

    /// Shows the sorted records of a range, some thousand at once, so that they are in the cache still.
    pub(super) fn show_sorted<E: From<Error>>(
        &self,
        range: usize,
        buffers: &mut Buffers<K>,
        mut see: impl FnMut(&[(K, u64)]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let Buffers {
            records,
            scratch,
            kernel,
            distinct,
            bytes,
        } = buffers;
        records.clear();
        let bits = self.shape.low_bits();
        if K::MAX_K <= u128::MAX_K && distinct.as_ref().is_none_or(|distinct| distinct.0 != bits) {
            // The memory of the one before goes first.
            *distinct = None;
            *distinct = Distinct::new(bits, *kernel).map(|sorter| (bits, sorter));
        }
        let is_shown = match distinct {
            Some((_, Distinct::Narrow(sorter))) => {
                self.show(range, sorter, records, bytes, &mut see)?
            }
            Some((_, Distinct::Wide(sorter))) => {
                self.show(range, sorter, records, bytes, &mut see)?
            }
            None => false,
        };
        if is_shown {
            return Ok(());
        }
        records.reserve(self.records(range) as usize);
        self.visit(range, bytes, |kmer, count| records.push((kmer, count)))?;
        sort_by_distance(records, scratch);
        records.chunks(BATCH).try_for_each(see)
    }

    /// As [`Self::show_sorted`], by numbers of the lower bits; `false` if they are too many for that.
    fn show<T: Sortable, E: From<Error>>(
        &self,
        range: usize,
        sorter: &mut DistinctSorter<T>,
        records: &mut Vec<(K, u64)>,
        bytes: &mut Vec<u8>,
        see: &mut impl FnMut(&[(K, u64)]) -> std::result::Result<(), E>,
    ) -> std::result::Result<bool, E> {
        let Some(keys) = Keys::of(&self.shape) else {
            return Ok(false);
        };
        if !sorter.begin(self.records(range) as usize) {
            return Ok(false);
        }
        let words = |number: u128| [number as u64, (number >> 64) as u64];
        self.visit_bytes(range, bytes, |bytes| {
            let (key, heavy, length) = keys.read(bytes);
            let [word, high] = words(key);
            let key = T::from_words(&[word, high, 0, 0, 0, 0, 0, 0]);
            match heavy {
                None => sorter.push(key),
                Some(count) => sorter.push_heavy(key, count),
            }
            length
        })?;
        let prefix = u128::from(self.shape.prefix(range)) << self.shape.low_bits();
        let prefix = words(prefix);
        let mut result = Ok(());
        sorter.sorted(|some| {
            if result.is_err() {
                return;
            }
            let any: &mut dyn Any = some;
            result = match any.downcast_mut::<Entries<K>>() {
                Some(some) => {
                    let some = some.shown();
                    for (kmer, _) in &mut *some {
                        *kmer = with_prefix(*kmer, prefix);
                    }
                    see(some)
                }
                None => {
                    records.clear();
                    let kmer = |&(number, count): &(T, u64)| (with_prefix(number, prefix), count);
                    records.extend(some.shown().iter().map(kmer));
                    see(records)
                }
            };
        });
        result.map(|()| true)
    }

    /// A range of too many records in finer ranges of up to `most`, if their k-mers are spread evenly; they go through
    /// a file of their own. `None` if there are none finer.
    pub(super) fn split(
        &self,
        range: usize,
        most: u64,
        buffers: &mut Buffers<K>,
    ) -> Result<Option<Stored<K>>> {
        // One more, as they are not spread evenly.
        let bits = 1 + (self.records(range) / most.max(1)).max(1).ilog2();
        let most_bits = MOST_BITS.min(2 * self.shape.k);
        let Some(shape) = self.shape.split(range, bits.min(SPLIT_BITS), most_bits) else {
            return Ok(None);
        };
        let mut lane = Lane::new(&shape, self.buffer_bytes, 0, &self.directory)?;
        let Buffers { records, bytes, .. } = buffers;
        records.clear();
        let mut result = Ok(());
        self.visit(range, bytes, |kmer, count| {
            records.push((kmer, count));
            if records.len() == BATCH {
                if result.is_ok() {
                    result = lane.take(&shape, records);
                }
                records.clear();
            }
        })?;
        result?;
        lane.take(&shape, records)?;
        lane.seal()?;
        Ok(Some(Stored::new(
            shape,
            self.buffer_bytes,
            self.directory.clone(),
            vec![lane],
        )))
    }

    /// The records of a range, sorted, of which memory holds `most` at a time: for those that no more bits part.
    pub(super) fn sorted_by_runs(
        &self,
        range: usize,
        most: u64,
        buffers: &mut Buffers<K>,
    ) -> Result<KmerRecords<K>> {
        // What the sort needs is what these may take otherwise.
        let bytes = std::mem::take(&mut buffers.bytes);
        *buffers = Buffers {
            bytes,
            ..self.buffers(buffers.kernel)
        };
        let options = SortOptions {
            memory: usize::try_from(most)
                .unwrap_or(usize::MAX)
                .saturating_mul(size_of::<(K, u64)>()),
            directory: self.directory.clone(),
        };
        let mut sorter = Sorter::new(self.shape.k, &options);
        let mut result = Ok(());
        self.visit(range, &mut buffers.bytes, |kmer, count| {
            if result.is_ok() {
                result = sorter.push(kmer, count);
            }
        })?;
        result?;
        sorter.finish()
    }

    /// Shows all records of a range, in no order.
    fn visit(&self, range: usize, bytes: &mut Vec<u8>, mut see: impl FnMut(K, u64)) -> Result<()> {
        self.visit_bytes(range, bytes, |bytes| {
            let (record, length) = self.shape.read(range, bytes);
            see(record.0, record.1);
            length
        })
    }

    /// Shows the bytes of each record to `read`, which tells how many they are.
    fn visit_bytes(
        &self,
        range: usize,
        bytes: &mut Vec<u8>,
        mut read: impl FnMut(&[u8; REACH]) -> usize,
    ) -> Result<()> {
        for lane in &self.lanes {
            lane.visit(range, bytes, |bytes| {
                let end = bytes.len() - REACH;
                let mut at = 0;
                while at < end
                    && let Some(record) = bytes[at..].first_chunk()
                {
                    at += read(record);
                }
                match at == end {
                    true => Ok(()),
                    false => Err(lane.changed()),
                }
            })?;
        }
        Ok(())
    }
}

/// The k-mer of two words or one that has these bits, and those of the number below them.
#[inline(always)]
fn with_prefix<T: Kmer, K: Kmer>(number: T, [prefix, high_prefix]: [u64; 2]) -> K {
    let [word, high, ..] = number.to_words();
    K::from_words(&[word | prefix, high | high_prefix, 0, 0, 0, 0, 0, 0])
}

#[cfg(test)]
mod tests {
    use super::super::ranges::tests::{K, partitions, scattered};
    use crate::error::Result;
    use thalweg_superkmers::Kernel;

    #[test]
    fn large_ranges_are_split() {
        let ranges = scattered(K, &partitions(200_000, true), 1 << 20);
        let mut buffers = ranges.stored.buffers(Kernel::SCALAR);
        assert_eq!(ranges.stored.records(0), 200_000);
        // All of their 40 bits but the last 18 are zero.
        let mut stored = ranges.stored;
        let mut splits = 0;
        while stored.records(0) > 5000 {
            let finer = stored.split(0, 5000, &mut buffers).expect("room");
            let finer = finer.expect("bits to tell them apart");
            let records: u64 = (0..finer.ranges()).map(|range| finer.records(range)).sum();
            assert_eq!(records, stored.records(0));
            stored = finer;
            splits += 1;
        }
        assert!(splits > 3 && stored.ranges() > 1);
        assert!(stored.file_bytes() > 0);
        let mut records = Vec::new();
        for range in 0..stored.ranges() {
            let before = records.len() as u64;
            let shown: Result<()> = stored.show_sorted(range, &mut buffers, |some| {
                records.extend_from_slice(some);
                Ok(())
            });
            shown.expect("the file");
            assert_eq!(records.len() as u64 - before, stored.records(range));
        }
        assert!(records.is_sorted_by(|a, b| a.0 < b.0));
    }
}
