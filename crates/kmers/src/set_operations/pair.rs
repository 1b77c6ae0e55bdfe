//! Two streams in step, a batch at a time.
//!
//! ```text
//! while both have records at hand:
//!     the first has the next k-mer if its own is not greater than the second's; so has the second, likewise
//!     write what the operation makes of their counts; keep it, or let the next one take its place
//!     move on in each that had the k-mer
//! ```
//!
//! Which of them has the next k-mer is as good as random, so nothing branches on that.

use super::{Combine, Operation};
use crate::database::{BATCH, KmerRecords, RecordSource, not_ascending, sum_counts};
use crate::error::Result;
use crate::kmer::Kmer;

/// Two streams that become one.
pub(super) struct Pair<K: Kmer> {
    streams: [Stream<K>; 2],
    operation: Operation,
    k: usize,
}

impl<K: Kmer> Pair<K> {
    pub(super) fn new(streams: [KmerRecords<K>; 2], operation: Operation, k: usize) -> Self {
        let mut number = 0;
        let streams = streams.map(|records| {
            number += 1;
            Stream {
                records,
                last: None,
                number,
            }
        });
        Self {
            streams,
            operation,
            k,
        }
    }
}

impl<K: Kmer> RecordSource<K> for Pair<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        // Whatever is in it is written over.
        batch.resize(BATCH, (K::default(), 0));
        let mut kept = 0;
        while kept < BATCH {
            let [first, second] = &mut self.streams;
            let [one, other] = [first.records.at_hand()?, second.records.at_hand()?];
            if one.is_empty() && other.is_empty() {
                break;
            }
            let room = &mut batch[kept..];
            let step = match (one.is_empty(), other.is_empty()) {
                (false, false) => in_step([one, other], self.operation, self.k, room)?,
                (_, is_first) => alone(
                    [one, other][usize::from(!is_first)],
                    is_first,
                    self.operation,
                    room,
                ),
            };
            kept += step.kept;
            first.take(step.taken[0], self.k)?;
            second.take(step.taken[1], self.k)?;
        }
        batch.truncate(kept);
        Ok(())
    }
}

/// What was done with records at hand.
#[derive(Default)]
struct Step {
    taken: [usize; 2],
    kept: usize,
}

/// Combines two streams until there is no more of one of them at hand, or no room.
fn in_step<K: Kmer>(
    [first, second]: [&[(K, u64)]; 2],
    operation: Operation,
    k: usize,
    room: &mut [(K, u64)],
) -> Result<Step> {
    let mut step = Step::default();
    while let (Some(one), Some(other), Some(place)) = (
        first.get(step.taken[0]),
        second.get(step.taken[1]),
        room.get_mut(step.kept),
    ) {
        let has = [one.0 <= other.0, other.0 <= one.0];
        let kmer = if has[0] { one.0 } else { other.0 };
        let Some((is_kept, count)) = operation.of_pair(has, [one.1, other.1]) else {
            return sum_counts([one.1, other.1].into_iter(), kmer, k).map(|_| step);
        };
        *place = (kmer, count);
        step.kept += usize::from(is_kept);
        step.taken[0] += usize::from(has[0]);
        step.taken[1] += usize::from(has[1]);
    }
    Ok(step)
}

/// Takes what one stream, the first or the second, has at hand when nothing is left of the other.
fn alone<K: Kmer>(
    records: &[(K, u64)],
    is_first: bool,
    operation: Operation,
    room: &mut [(K, u64)],
) -> Step {
    let taken = records.len().min(room.len());
    let is_kept = match operation {
        Operation::Union(_) => true,
        Operation::Intersection(_) => false,
        Operation::Subtraction => is_first,
        Operation::Difference => is_first,
    };
    // Of a difference nothing is kept that was counted zero times, as a file of text may have it.
    let mut kept = 0;
    for &(kmer, count) in &records[..taken] {
        room[kept] = (kmer, count);
        kept += usize::from(is_kept && (count > 0 || operation != Operation::Difference));
    }
    Step {
        taken: [
            taken * usize::from(is_first),
            taken * usize::from(!is_first),
        ],
        kept,
    }
}

impl Operation {
    /// Whether a k-mer is kept that one of two streams has, or both, and with which count; `None` if that is beyond
    /// 64 bits. As [`Operation::apply`].
    #[inline(always)]
    fn of_pair(self, has: [bool; 2], counts: [u64; 2]) -> Option<(bool, u64)> {
        let masks = has.map(|has| u64::from(has).wrapping_neg());
        // 0 where there is none.
        let counted = [counts[0] & masks[0], counts[1] & masks[1]];
        let combined = |combine: Combine| match combine {
            Combine::Sum => counted[0].checked_add(counted[1]),
            Combine::Minimum => Some((counts[0] | !masks[0]).min(counts[1] | !masks[1])),
            Combine::Maximum => Some(counted[0].max(counted[1])),
            Combine::First => Some(if has[0] { counts[0] } else { counts[1] }),
        };
        Some(match self {
            Operation::Union(combine) => (true, combined(combine)?),
            Operation::Intersection(combine) => (has[0] & has[1], combined(combine)?),
            Operation::Subtraction => (!has[1], counts[0]),
            Operation::Difference => {
                let left = counted[0].saturating_sub(counted[1]);
                (left > 0, left)
            }
        })
    }
}

/// A stream, and the last record that was taken from it.
struct Stream<K: Kmer> {
    records: KmerRecords<K>,
    last: Option<K>,
    number: usize,
}

impl<K: Kmer> Stream<K> {
    /// Takes so many of the records at hand, which must ascend.
    fn take(&mut self, taken: usize, k: usize) -> Result<()> {
        let records = &self.records.at_hand()?[..taken];
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return Ok(());
        };
        if self.last >= Some(first.0) {
            return Err(not_ascending(self.number, first.0, k));
        }
        if let Some(pair) = records.windows(2).find(|pair| pair[0].0 >= pair[1].0) {
            return Err(not_ascending(self.number, pair[1].0, k));
        }
        self.last = Some(last.0);
        self.records.advance(taken);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Combined, combine_records};
    use super::*;
    use crate::kmer::Wide;

    const OPERATIONS: [Operation; 10] = [
        Operation::Union(Combine::Sum),
        Operation::Union(Combine::Minimum),
        Operation::Union(Combine::Maximum),
        Operation::Union(Combine::First),
        Operation::Intersection(Combine::Sum),
        Operation::Intersection(Combine::Minimum),
        Operation::Intersection(Combine::Maximum),
        Operation::Intersection(Combine::First),
        Operation::Subtraction,
        Operation::Difference,
    ];

    /// What a source gives before it ends or fails.
    fn all<K: Kmer>(mut source: impl RecordSource<K>) -> (Vec<(K, u64)>, Option<String>) {
        let (mut all, mut batch) = (Vec::new(), Vec::new());
        loop {
            match source.fill(&mut batch) {
                Err(error) => return (all, Some(error.to_string())),
                Ok(()) if batch.is_empty() => return (all, None),
                Ok(()) => all.append(&mut batch),
            }
        }
    }

    /// Records that come in batches of their own.
    struct Uneven<K>(Vec<(K, u64)>, usize);

    impl<K: Kmer> RecordSource<K> for Uneven<K> {
        fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
            batch.clear();
            self.1 = self.1 % 37 + 1;
            batch.extend(self.0.drain(..self.1.min(self.0.len())));
            Ok(())
        }
    }

    fn agrees<K: Kmer>(sets: [&std::collections::BTreeMap<u16, u64>; 2], k: usize) {
        let streams = || {
            sets.map(|set| {
                let records = set.iter().map(|(&kmer, &count)| {
                    let words = [u64::from(kmer); 8];
                    (K::from_words(&words).append(1, k), count)
                });
                let mut records: Vec<(K, u64)> = records.collect();
                records.sort_unstable();
                records.dedup_by_key(|record| record.0);
                let batches = Uneven(records, set.len());
                KmerRecords::new(batches)
            })
        };
        for operation in OPERATIONS {
            let found = all(Pair::new(streams(), operation, k));
            let expected = all(Combined::new(streams().into(), k, operation).unwrap());
            match expected.1 {
                None => assert_eq!(found, expected, "{operation:?}"),
                // Up to the k-mer that both complain about.
                Some(_) => assert_eq!(found.1, expected.1, "{operation:?}"),
            }
        }
    }

    proptest! {
        #[test]
        fn pairs_are_what_a_heap_makes_of_them(
            one in prop::collection::btree_map(0..3000u16, prop_oneof![0..5u64, Just(u64::MAX)], 0..2500),
            other in prop::collection::btree_map(0..3000u16, prop_oneof![9 => 0..5u64, 1 => Just(u64::MAX)], 0..2500),
            few in prop::collection::btree_map(0..3000u16, 0..5u64, 0..2500),
        ) {
            for sets in [[&one, &other], [&few, &other], [&other, &few], [&few, &few]] {
                agrees::<u64>(sets, 20);
                agrees::<u128>(sets, 40);
                agrees::<Wide<4>>(sets, 90);
            }
        }
    }

    #[test]
    fn what_is_not_sorted_is_an_error() {
        for wrong in [vec![(2u64, 1), (2, 1)], vec![(3, 1), (2, 1)]] {
            for swap in [false, true] {
                for right in [vec![], vec![(1u64, 1), (4, 1)]] {
                    let mut streams = [wrong.clone(), right];
                    if swap {
                        streams.reverse();
                    }
                    let streams = streams.map(KmerRecords::from_vec).into();
                    let records =
                        combine_records(streams, 3, Operation::Union(Combine::Sum)).unwrap();
                    let told = records.last().unwrap().unwrap_err().to_string();
                    let number = if swap { 2 } else { 1 };
                    assert!(
                        told.starts_with(&format!("stream {number} is not sorted")),
                        "{told}"
                    );
                }
            }
        }
    }
}
