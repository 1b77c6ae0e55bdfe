//! Ranges of k-mers, each sorted by one thread and handed on in their order.

use std::sync::{Mutex, PoisonError};

use thalweg_flow::{Budget, Claims, Closed, Gate, Place, Pool, Sequencer, SequencerError, run_or};

use super::stored::{Buffers, Stored};
use crate::database::KmerRecords;
use crate::error::{Error, of_threads};
use crate::kmer::Kmer;
use thalweg_superkmers::Kernel;

/// However little memory there is.
const FEWEST_RECORDS: u64 = 1 << 12;

/// All k-mers of a count, by their ranges.
#[derive(Debug)]
pub struct Ranges<K: Kmer> {
    pub(super) stored: Stored<K>,
    pub(super) kernel: Kernel,
}

impl<K: Kmer> Ranges<K> {
    /// Bytes that went to temporary files.
    pub fn temporary_bytes(&self) -> u64 {
        self.stored.file_bytes()
    }

    /// Has all records made into something, on the budget's threads, and handed to `write` in the order of the k-mers.
    ///
    /// `make` is called several times for one `T` and adds sorted records to it, some thousand each time, which take up to
    /// `made_bytes` bytes each. `write` must leave it empty, as it is used again. A range that has more records than memory
    /// allows is split once more, or, where too many k-mers begin with the same 16 bases, sorted in runs that are merged; it is
    /// made by one thread when all before it is written.
    ///
    /// # Errors
    /// The first of `make` and `write`; [`Error::Temporary`] where a range does not fit into memory and no file takes it.
    pub fn in_order<T, E>(
        &self,
        budget: Budget,
        made_bytes: usize,
        make: impl Fn(&[(K, u64)], &mut T) -> std::result::Result<(), E> + Sync,
        write: impl FnMut(&mut T) -> std::result::Result<(), E> + Send,
    ) -> std::result::Result<(), E>
    where
        T: Default + Send,
        E: From<Error> + Send,
    {
        let threads = budget.threads();
        let most = most_records::<K>(budget, made_bytes);
        let claims = Claims::new(self.stored.ranges() as u64);
        let sequencer = Sequencer::new(threads as u64 + 1);
        let turns = Gate::new(1);
        let pool = Pool::new(threads);
        let write = Mutex::new(write);
        let commit = |place: Place, made: Option<T>| -> Done<E> {
            let mut finished = None;
            let made = (place.ticket, made);
            let written = sequencer.commit(place, made, |(range, made)| {
                match made {
                    Some(mut made) => {
                        let mut write = write.lock().unwrap_or_else(PoisonError::into_inner);
                        write(&mut made)?;
                        pool.give(made);
                    }
                    None => finished = Some(range),
                }
                Ok(())
            });
            // Not before this thread has left the sequencer: who is let in writes what it has by itself, so that
            // nothing piles up.
            if let Some(range) = finished {
                turns.advance(range + 1);
            }
            Ok(written?)
        };
        let one_range = |range: u64, buffers: &mut Buffers<K>| -> Done<E> {
            sequencer.gate().wait(range)?;
            if self.stored.records(range as usize) > most {
                // What waits is as much as one range for each thread: the many parts of this one would be more.
                turns.wait(range)?;
            }
            let mut piece = 0;
            let mut place = |last| {
                piece += 1;
                Place {
                    ticket: range,
                    piece: piece - 1,
                    last,
                }
            };
            let mut part = |stored: &Stored<K>, range, buffers: &mut Buffers<K>| {
                if stored.records(range) > most {
                    let mut records = stored.sorted_by_runs(range, most, buffers)?;
                    while !records.at_hand()?.is_empty() {
                        let mut made: T = pool.take(T::default);
                        make_some(&mut records, most, |some| make(some, &mut made))?;
                        commit(place(false), Some(made))?;
                    }
                    return Ok(());
                }
                let mut made: T = pool.take(T::default);
                stored.show_sorted(range, buffers, |records| {
                    make(records, &mut made).map_err(Why::Failed)
                })?;
                commit(place(false), Some(made))
            };
            in_parts(&self.stored, range as usize, most, buffers, &mut part)?;
            commit(place(true), None)
        };
        let work = |_: usize, _: &_| {
            let mut buffers = self.stored.buffers(self.kernel);
            while let Some(range) = claims.claim() {
                match one_range(range, &mut buffers) {
                    Ok(()) => {}
                    Err(Why::Failed(error)) => return Err(error),
                    // Whoever closed it says why.
                    Err(Why::Closed) => break,
                }
            }
            Ok(())
        };
        let close = || {
            sequencer.close();
            turns.close();
        };
        run_or(threads, work, close)
            .map_err(of_threads::<E>)
            .map(|_| ())
    }
}

/// How many records a thread sorts at once: each is there twice, or as a key in two places, and as what is
/// made of it, which grows by doubling, and waits once more.
fn most_records<K: Kmer>(budget: Budget, made_bytes: usize) -> u64 {
    let record = 2 * size_of::<(K, u64)>() + 3 * made_bytes;
    (budget.memory() / (budget.threads() * record) as u64).max(FEWEST_RECORDS)
}

/// Calls `part` for a range, or for each of the finer ones of up to `most` records that it is split into.
fn in_parts<K: Kmer, E: From<Error>>(
    stored: &Stored<K>,
    range: usize,
    most: u64,
    buffers: &mut Buffers<K>,
    part: &mut impl FnMut(&Stored<K>, usize, &mut Buffers<K>) -> Done<E>,
) -> Done<E> {
    let records = stored.records(range);
    if records > most
        && let Some(finer) = stored.split(range, most, buffers)?
    {
        for range in 0..finer.ranges() {
            in_parts(&finer, range, most, buffers, part)?;
        }
        return Ok(());
    }
    match records {
        0 => Ok(()),
        _ => part(stored, range, buffers),
    }
}

/// Has the next of `records` made into something, at most `most` of them.
fn make_some<K: Kmer, E: From<Error>>(
    records: &mut KmerRecords<K>,
    most: u64,
    mut make: impl FnMut(&[(K, u64)]) -> std::result::Result<(), E>,
) -> Done<E> {
    let mut made = 0;
    while made < most {
        let some = records.at_hand()?;
        if some.is_empty() {
            break;
        }
        let number = some.len().min((most - made) as usize);
        make(&some[..number]).map_err(Why::Failed)?;
        made += number as u64;
        records.advance(number);
    }
    Ok(())
}

/// Why a thread does not go on.
enum Why<E> {
    Failed(E),
    /// Another one failed.
    Closed,
}

type Done<E> = std::result::Result<(), Why<E>>;

impl<E: From<Error>> From<Error> for Why<E> {
    fn from(error: Error) -> Self {
        Why::Failed(error.into())
    }
}

impl<E> From<Closed> for Why<E> {
    fn from(_: Closed) -> Self {
        Why::Closed
    }
}

impl<E> From<SequencerError<E>> for Why<E> {
    fn from(error: SequencerError<E>) -> Self {
        match error {
            SequencerError::Write(error) => Why::Failed(error),
            SequencerError::Closed => Why::Closed,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Scatter;
    use super::*;
    use crate::count::Sink;
    use crate::error::Result;
    use crate::extent::one_of;
    use crate::options::CountOptions;
    use std::sync::atomic::{AtomicUsize, Ordering};

    pub(in super::super) const K: usize = 20;

    /// k-mers of two partitions, all different; many of them with the same 16 bases in front, if `is_skewed`.
    pub(in super::super) fn partitions(records: u64, is_skewed: bool) -> [Vec<(u64, u64)>; 2] {
        let mut all: Vec<(u64, u64)> = (0..records)
            .map(|i| {
                let spread = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
                let kmer = if is_skewed { i } else { spread };
                (kmer & ((1 << (2 * K)) - 1), 1 + i % 400 * (i % 3))
            })
            .collect();
        all.sort_unstable();
        all.dedup_by_key(|record| record.0);
        let (one, other) = all
            .into_iter()
            .partition(|record| record.0.count_ones() % 2 == 0);
        [one, other]
    }

    pub(in super::super) fn scattered<T: Kmer>(
        k: usize,
        partitions: &[Vec<(T, u64)>],
        memory: u64,
    ) -> Ranges<T> {
        let options = CountOptions::new(k).expect("a good k");
        // 32 ranges.
        let options = options.with_expected_bases(Some(6_500_000));
        let scatter = Scatter::new(&options, 3, memory, &std::env::temp_dir()).expect("room");
        for (partition, entries) in partitions.iter().enumerate() {
            // In pieces, as when memory is short.
            for piece in entries.chunks(entries.len() / 3 + 1) {
                scatter.accept(partition, piece).expect("room");
            }
            Sink::<T>::end(&scatter, partition).expect("room");
        }
        scatter.finish().expect("room")
    }

    fn check<T: Kmer>(k: usize, partitions: &[Vec<(T, u64)>], memory: u64) {
        let ranges = scattered(k, partitions, memory);
        let mut expected = partitions.concat();
        expected.sort_unstable();
        for threads in [1, 2, 5] {
            let mut all = Vec::new();
            let mut longest = 0;
            let budget = Budget::new(threads).with_memory(memory);
            let done: Result<()> = ranges.in_order(
                budget,
                16,
                |records, made: &mut Vec<(T, u64)>| {
                    made.extend_from_slice(records);
                    Ok(())
                },
                |made| {
                    longest = longest.max(made.len() as u64);
                    all.append(made);
                    Ok(())
                },
            );
            done.expect("no failure");
            assert!(
                all == expected,
                "{} records, {threads} threads",
                expected.len()
            );
            assert!(memory > 0 || longest <= FEWEST_RECORDS, "{longest} at once");
        }
    }

    #[test]
    fn all_records_come_in_order() {
        for (turn, memory) in [0, 1 << 20, 1 << 30].into_iter().enumerate() {
            for records in [0, 1, 1000, 200_000] {
                check(K, &partitions(records, false), memory);
            }
            // 200,000 k-mers of one range: in parts of what little memory holds.
            check(K, &partitions(200_000, true), memory);
            // Of two words, with one or two of them below the bits that tell the range, and of 62 and 64 bases, of which the longest
            // leave no room for a count.
            for is_skewed in [false, true] {
                let partitions = partitions(100_000, is_skewed);
                let lengths: [&[usize]; 3] = [&[13, 42], &[16, 31], &[17, 44]];
                for more in one_of(turn + usize::from(is_skewed), &lengths).concat() {
                    let longer = partitions.each_ref().map(|partition| {
                        let longer = |&(kmer, count): &(u64, u64)| {
                            let other = u128::from(!kmer) & ((1 << (2 * more)) - 1);
                            (u128::from(kmer) << (2 * more) | other, count)
                        };
                        partition.iter().map(longer).collect()
                    });
                    check::<u128>(K + more, &longer, memory);
                }
                // That begin with the same 20 bases: no part of a range is small enough.
                let alike = partitions.map(|partition| {
                    partition
                        .into_iter()
                        .map(|(kmer, count)| (kmer.into(), count))
                        .collect()
                });
                check::<u128>(2 * K, &alike, memory);
            }
        }
    }

    #[test]
    fn failures_and_panics_end_it() {
        // Two batches to a range, of which the first one fails.
        let ranges = scattered(K, &partitions(200_000, false), 1 << 20);
        for threads in [1, 3] {
            for (made_fails, panics) in [(true, false), (false, false), (true, true)] {
                let calls = AtomicUsize::new(0);
                let fail = |is_wanted: bool| match is_wanted
                    && calls.fetch_add(1, Ordering::Relaxed) == 6
                {
                    true if panics => panic!("as wanted"),
                    true => Err(Error::Cancelled),
                    false => Ok(()),
                };
                let done = ranges.in_order(
                    Budget::new(threads),
                    1,
                    |_, _: &mut ()| fail(made_fails),
                    |_| fail(!made_fails),
                );
                match done {
                    Err(Error::Cancelled) => assert!(!panics),
                    Err(Error::Sink(_)) => assert!(panics),
                    other => panic!("{other:?}"),
                }
            }
        }
    }
}
