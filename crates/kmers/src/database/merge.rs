//! Many sorted streams read in step: the smallest k-mer of all comes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::records::{BATCH, KmerRecords, RecordSource};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Sorted streams in step. Costs about log2(streams) comparisons per record; memory is what the streams have.
pub(crate) struct Merge<K: Kmer> {
    streams: Vec<KmerRecords<K>>,
    heap: BinaryHeap<Reverse<(K, usize)>>,
    k: usize,
}

impl<K: Kmer> Merge<K> {
    pub(crate) fn new(mut streams: Vec<KmerRecords<K>>, k: usize) -> Result<Merge<K>> {
        let mut heap = BinaryHeap::with_capacity(streams.len());
        for (number, stream) in streams.iter_mut().enumerate() {
            if let Some((kmer, _)) = stream.peek()? {
                heap.push(Reverse((kmer, number)));
            }
        }
        Ok(Merge { streams, heap, k })
    }

    /// The next k-mer; `group` is cleared and filled with the streams that have it and their counts, by number.
    pub(crate) fn next_group(&mut self, group: &mut Vec<(usize, u64)>) -> Result<Option<K>> {
        group.clear();
        let Some(&Reverse((kmer, _))) = self.heap.peek() else {
            return Ok(None);
        };
        while let Some(mut top) = self.heap.peek_mut() {
            let Reverse((next, number)) = *top;
            if next != kmer {
                break;
            }
            let stream = &mut self.streams[number];
            if let Some((_, count)) = stream.take_next()? {
                group.push((number, count));
            }
            match stream.peek()? {
                Some((following, _)) if following > kmer => *top = Reverse((following, number)),
                Some((following, _)) => return Err(not_ascending(number + 1, following, self.k)),
                None => drop(std::collections::binary_heap::PeekMut::pop(top)),
            }
        }
        Ok(Some(kmer))
    }
}

/// All records; the counts of a k-mer that several streams have are added up.
pub(crate) struct Summed<K: Kmer> {
    merge: Merge<K>,
    group: Vec<(usize, u64)>,
}

impl<K: Kmer> Summed<K> {
    pub(crate) fn new(streams: Vec<KmerRecords<K>>, k: usize) -> Result<Summed<K>> {
        Ok(Summed {
            merge: Merge::new(streams, k)?,
            group: Vec::new(),
        })
    }
}

impl<K: Kmer> RecordSource<K> for Summed<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        while batch.len() < BATCH
            && let Some(kmer) = self.merge.next_group(&mut self.group)?
        {
            let count = sum(self.group.iter().map(|part| part.1), kmer, self.merge.k)?;
            batch.push((kmer, count));
        }
        Ok(())
    }
}

/// The k-mer `kmer` of a stream, the `number`th, is not greater than the one before.
pub(crate) fn not_ascending<K: Kmer>(number: usize, kmer: K, k: usize) -> Error {
    Error::Mismatch(format!(
        "stream {number} is not sorted, or has a k-mer twice, at {}",
        kmer.to_text(k),
    ))
}

/// The sum of counts of one k-mer.
pub(crate) fn sum<K: Kmer>(
    mut counts: impl Iterator<Item = u64>,
    kmer: K,
    k: usize,
) -> Result<u64> {
    counts
        .try_fold(0u64, |sum, count| sum.checked_add(count))
        .ok_or_else(|| no_sum(kmer, k))
}

/// That counts of a k-mer have no sum.
pub(crate) fn no_sum<K: Kmer>(kmer: K, k: usize) -> Error {
    let kmer = kmer.to_text(k);
    Error::Mismatch(format!("the counts of {kmer} add up to more than 2^64 - 1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_in_order_and_name_their_streams() {
        let streams = [
            vec![(1u64, 1), (5, 2)],
            vec![],
            vec![(0, 9), (5, 3), (7, 4)],
        ];
        let streams = streams.into_iter().map(KmerRecords::from_vec).collect();
        let mut merge = Merge::new(streams, 3).unwrap();
        let mut group = Vec::new();
        let mut all = Vec::new();
        while let Some(kmer) = merge.next_group(&mut group).unwrap() {
            all.push((kmer, group.clone()));
        }
        assert_eq!(
            all,
            [
                (0, vec![(2, 9)]),
                (1, vec![(0, 1)]),
                (5, vec![(0, 2), (2, 3)]),
                (7, vec![(2, 4)])
            ]
        );
    }

    #[test]
    fn an_unsorted_stream_is_an_error() {
        for records in [vec![(1u64, 1), (1, 1)], vec![(2, 1), (1, 1)]] {
            let mut merge = Merge::new(vec![KmerRecords::from_vec(records)], 1).unwrap();
            let error = merge.next_group(&mut Vec::new()).unwrap_err();
            assert!(matches!(error, Error::Mismatch(_)), "{error}");
        }
    }

    #[test]
    fn a_sum_that_overflows_is_an_error() {
        let streams = vec![
            KmerRecords::from_vec(vec![(1u64, u64::MAX)]),
            KmerRecords::from_vec(vec![(1, 1)]),
        ];
        let mut summed = Summed::new(streams, 2).unwrap();
        let error = summed.fill(&mut Vec::new()).unwrap_err();
        assert!(error.to_string().contains("AC add up"), "{error}");
    }
}
