//! The k-mers of partitions that minimizers choose, sorted in each, without their counts.
//!
//! ```text
//! upper bits of a k-mer ──► where k-mers with these bits begin ──► a few neighbours
//! ```
//! They come sorted from the file, so that they are written one after the other, and nothing is looked for until a read asks. That takes
//! less memory and less time than a table with counts.

use std::ops::RangeInclusive;
use std::sync::{Mutex, PoisonError};

use thalweg_flow::{Claims, Stop, run};
use thalweg_superkmers::Kernel;
use thalweg_superkmers::prefetch::prefetch;

use super::filter::Filling;
use crate::database::records::{KmerRecords, SharedWatch};
use crate::error::{Error, Result, of_threads};
use crate::kmer::Kmer;

/// Bits by which a k-mer is found among so many: some 4 to 8 have the same.
fn bits_for(kmers: usize, k: usize) -> usize {
    let bits = (kmers / 4).checked_ilog2().unwrap_or(0) as usize;
    bits.min(2 * k).min(28)
}

/// All partitions of a database.
pub(super) struct Sorted<K> {
    partitions: Vec<Partition<K>>,
}

struct Partition<K> {
    k: usize,
    bits: usize,
    kmers: Vec<K>,
    /// By the upper bits, where the k-mers begin that have these; behind them, where the last ones end.
    starts: Vec<u32>,
}

/// A k-mer, and where it is looked for.
#[derive(Clone, Copy, Default)]
pub(super) struct Wanted<K> {
    kmer: K,
    partition: u32,
    /// The upper bits; then, where k-mers begin and end that have these.
    start: u32,
    end: u32,
}

impl<K: Kmer> Sorted<K> {
    /// Of partitions of so many k-mers each, those whose counts are within limits, on so many threads. Their minimizers, of `m`
    /// bases, are added to the filter, if there is one.
    ///
    /// `None` if there is not so much memory, or if k-mers are not in ascending order.
    pub(super) fn new(
        (k, m): (usize, usize),
        counts: &RangeInclusive<u64>,
        threads: usize,
        distinct: &[u64],
        records: impl Fn(usize) -> KmerRecords<K> + Sync,
        filling: Option<&Filling>,
        watch: &SharedWatch<'_>,
    ) -> Result<Option<Self>> {
        let places = distinct.iter().map(|_| Mutex::new(None));
        let places: Vec<Mutex<Option<Partition<K>>>> = places.collect();
        let claims = Claims::new(distinct.len() as u64);
        let fill = |_, stop: &Stop| -> Result<()> {
            let mut filled = Filled {
                kernel: Kernel::best(),
                classes: Vec::new(),
                filling,
                m,
                watch,
            };
            while let Some(number) = claims.claim().filter(|_| !stop.is_stopped()) {
                let number = number as usize;
                let partition = filled.partition(k, distinct[number], counts, records(number))?;
                let Some(partition) = partition else {
                    return Ok(());
                };
                *places[number]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner) = Some(partition);
            }
            Ok(())
        };
        run(threads, fill).map_err(of_threads::<Error>)?;
        let partitions = places
            .into_iter()
            .map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner));
        let partitions: Option<Vec<Partition<K>>> = partitions.collect();
        Ok(partitions.map(|partitions| Self { partitions }))
    }

    /// Where a k-mer of this partition is looked for.
    #[inline(always)]
    pub(super) fn wanted(&self, partition: usize, kmer: K) -> Wanted<K> {
        let Partition { k, bits, .. } = self.partitions[partition];
        Wanted {
            kmer,
            partition: partition as u32,
            start: if bits == 0 { 0 } else { kmer.upper(bits, k) },
            end: 0,
        }
    }

    /// Asks for what tells where its neighbours are.
    #[inline(always)]
    pub(super) fn ask_where(&self, wanted: Wanted<K>) {
        let starts = &self.partitions[wanted.partition as usize].starts;
        prefetch(&starts[wanted.start as usize]);
    }

    /// Looks where its neighbours are, and asks for them.
    #[inline(always)]
    pub(super) fn ask(&self, wanted: &mut Wanted<K>) {
        let Partition { kmers, starts, .. } = &self.partitions[wanted.partition as usize];
        let upper = wanted.start as usize;
        (wanted.start, wanted.end) = (starts[upper], starts[upper + 1]);
        let near = &kmers[wanted.start as usize..wanted.end as usize];
        if let (Some(first), Some(last)) = (near.first(), near.last()) {
            prefetch(first);
            prefetch(last);
        }
    }

    /// Whether it is there, once it was asked for.
    #[inline(always)]
    pub(super) fn has(&self, wanted: Wanted<K>) -> bool {
        let kmers = &self.partitions[wanted.partition as usize].kmers;
        let kmers = &kmers[wanted.start as usize..wanted.end as usize];
        kmers.binary_search(&wanted.kmer).is_ok()
    }
}

/// What a thread fills partitions with.
struct Filled<'a> {
    kernel: Kernel,
    classes: Vec<u32>,
    filling: Option<&'a Filling>,
    m: usize,
    watch: &'a SharedWatch<'a>,
}

impl Filled<'_> {
    fn partition<K: Kmer>(
        &mut self,
        k: usize,
        distinct: u64,
        counts: &RangeInclusive<u64>,
        mut records: KmerRecords<K>,
    ) -> Result<Option<Partition<K>>> {
        let mut kmers: Vec<K> = Vec::new();
        let Ok(room) = u32::try_from(distinct) else {
            return Ok(None);
        };
        if kmers.try_reserve_exact(room as usize).is_err() {
            return Ok(None);
        }
        let mut last = None;
        loop {
            let at_hand = records.at_hand()?;
            let Some(&(end, _)) = at_hand.last() else {
                break;
            };
            self.watch.add(at_hand.len())?;
            let first = at_hand[0].0;
            let ascends = last.is_none_or(|last| last < first)
                && at_hand.windows(2).all(|two| two[0].0 < two[1].0);
            if !ascends || kmers.len() + at_hand.len() > room as usize {
                return Ok(None);
            }
            last = Some(end);
            let from = kmers.len();
            let wanted = at_hand.iter().filter(|(_, count)| counts.contains(count));
            kmers.extend(wanted.map(|&(kmer, _)| kmer));
            if let Some(filling) = self.filling {
                self.kernel
                    .classes(&kmers[from..], k, self.m, &mut self.classes);
                filling.add_all(&self.classes);
            }
            records.advance(usize::MAX);
        }
        let bits = bits_for(kmers.len(), k);
        let mut starts = Vec::new();
        if starts.try_reserve_exact((1 << bits) + 1).is_err() {
            return Ok(None);
        }
        if bits > 0 {
            for (place, kmer) in (0..).zip(&kmers) {
                // Where there are none between this k-mer's upper bits and those before, this one is the next.
                let upper = kmer.upper(bits, k) as usize;
                if starts.len() <= upper {
                    starts.resize(upper + 1, place);
                }
            }
        } else {
            starts.push(0);
        }
        starts.resize((1 << bits) + 1, kmers.len() as u32);
        Ok(Some(Partition {
            k,
            bits,
            kmers,
            starts,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::kmer::Wide;

    /// k-mers crowded at some places, in two partitions, one of which may be empty.
    fn check<K: Kmer>(k: usize, number: u64) {
        let spread = |number: u64| {
            let crowded = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (number % 60);
            let words = [crowded, number, crowded, number, 1, number, 7, crowded];
            K::from_words(&words).append((number % 4) as u8, k)
        };
        let kmers: BTreeSet<K> = (0..number).map(spread).collect();
        let records: Vec<(K, u64)> = kmers.iter().copied().zip((0..5).cycle()).collect();
        let distinct = [records.len() as u64, 0];
        let part = |part: usize| match part {
            0 => KmerRecords::from_vec(records.clone()),
            _ => KmerRecords::from_vec(Vec::new()),
        };
        for counts in [0..=u64::MAX, 2..=3, 7..=9] {
            for threads in [1, 3] {
                let watch = SharedWatch::new(&|_| Ok(())).unwrap();
                let sorted = Sorted::new((k, 1), &counts, threads, &distinct, part, None, &watch);
                let sorted = sorted.unwrap().unwrap();
                let has = |partition, kmer| {
                    let mut wanted = sorted.wanted(partition, kmer);
                    sorted.ask_where(wanted);
                    sorted.ask(&mut wanted);
                    sorted.has(wanted)
                };
                for &(kmer, count) in &records {
                    assert_eq!(has(0, kmer), counts.contains(&count));
                    assert!(!has(1, kmer));
                }
                for kmer in (number..2 * number + 10).map(spread) {
                    let expected = records.iter().find(|(other, _)| *other == kmer);
                    let expected = expected.is_some_and(|(_, count)| counts.contains(count));
                    assert_eq!(has(0, kmer), expected);
                }
            }
        }
    }

    #[test]
    fn what_is_there_is_found_and_nothing_else() {
        for number in [0, 1, 2, 7, 8, 600] {
            check::<u64>(5, number);
            check::<u64>(31, number);
            check::<u64>(32, number);
            check::<u128>(55, number);
            check::<Wide<4>>(101, number);
            check::<Wide<8>>(255, number);
        }
    }

    #[test]
    fn other_orders_are_left_to_others() {
        let of = |kmers: &[u64], distinct| {
            let records = |_| KmerRecords::from_vec(kmers.iter().map(|&kmer| (kmer, 1)).collect());
            let all = 1..=u64::MAX;
            let watch = SharedWatch::new(&|_| Ok(())).unwrap();
            Sorted::new((5, 1), &all, 1, &[distinct], records, None, &watch).unwrap()
        };
        assert!(of(&[1, 2, 3], 3).is_some());
        assert!(of(&[1, 3, 2], 3).is_none());
        assert!(of(&[1, 2, 2], 3).is_none());
        // More than the file says.
        assert!(of(&[1, 2, 3], 2).is_none());
    }
}
