//! Records that threads make something of, in the order in which they came.
//!
//! ```text
//! each thread, until there are no more records:
//!     take the next some thousand, and their number             (one thread at a time)
//!     make something of them
//!     write it when all before it is written
//! ```

use std::sync::{Mutex, PoisonError};

use thalweg_flow::{Place, Pool, Sequencer, SequencerError, run_or};

use super::records::KmerRecords;
use crate::error::{Error, Result, of_threads};
use crate::kmer::Kmer;

/// Records that are taken at a time, or a few more: what a second-level cache holds with the text of them.
const RECORDS: usize = 1 << 13;

/// What is left, and how often some was taken.
struct Left<K: Kmer> {
    records: KmerRecords<K>,
    taken: u64,
}

impl<K: Kmer> Left<K> {
    /// The next records, if there are any, and the number of times before.
    fn take(&mut self, taken: &mut Vec<(K, u64)>) -> Result<Option<u64>> {
        taken.clear();
        while taken.len() < RECORDS {
            let at_hand = self.records.at_hand()?;
            if at_hand.is_empty() {
                break;
            }
            taken.extend_from_slice(at_hand);
            self.records.advance(usize::MAX);
        }
        if taken.is_empty() {
            return Ok(None);
        }
        self.taken += 1;
        Ok(Some(self.taken - 1))
    }
}

impl<K: Kmer> KmerRecords<K> {
    /// Has all records made into something, on so many threads, and handed to `write` in their order.
    ///
    /// `make` gets some thousand at a time, which it may change, and a `T` that is empty. `write` must leave that empty, as
    /// it is used again.
    ///
    /// # Errors
    /// The first of this stream, of `make` and of `write`.
    pub fn in_order<T, E>(
        self,
        threads: usize,
        make: impl Fn(&mut Vec<(K, u64)>, &mut T) -> std::result::Result<(), E> + Sync,
        write: impl FnMut(&mut T) -> std::result::Result<(), E> + Send,
    ) -> std::result::Result<(), E>
    where
        T: Default + Send,
        E: From<Error> + Send,
    {
        let left = Mutex::new(Left {
            records: self,
            taken: 0,
        });
        // One more than is being made: who is first need not wait.
        let sequencer = Sequencer::new(threads as u64 + 1);
        let pool = Pool::new(threads + 1);
        let write = Mutex::new(write);
        let work = |_: usize, _: &_| {
            let mut taken = Vec::new();
            loop {
                let mut all = left.lock().unwrap_or_else(PoisonError::into_inner);
                let number = all.take(&mut taken);
                drop(all);
                let Some(number) = number? else {
                    return Ok(());
                };
                // Whoever closed it says why.
                if sequencer.gate().wait(number).is_err() {
                    return Ok(());
                }
                let mut made = pool.take(T::default);
                make(&mut taken, &mut made)?;
                let place = Place {
                    ticket: number,
                    piece: 0,
                    last: true,
                };
                let written = sequencer.commit(place, made, |mut made| {
                    let mut write = write.lock().unwrap_or_else(PoisonError::into_inner);
                    write(&mut made)?;
                    pool.give(made);
                    Ok(())
                });
                match written {
                    Ok(()) => {}
                    Err(SequencerError::Write(error)) => return Err(error),
                    Err(SequencerError::Closed) => return Ok(()),
                }
            }
        };
        run_or(threads, work, || sequencer.close())
            .map_err(of_threads::<E>)
            .map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::RecordSource;

    /// Numbers up to an end, or a failure, in batches of several lengths.
    struct Numbers {
        next: u64,
        end: u64,
        fails: bool,
    }

    impl RecordSource<u64> for Numbers {
        fn fill(&mut self, batch: &mut Vec<(u64, u64)>) -> Result<()> {
            let length = 1 + self.next % 5000;
            let end = self.end.min(self.next + length);
            batch.clear();
            batch.extend((self.next..end).map(|number| (number, 1 + number % 7)));
            self.next = end;
            match batch.is_empty() && self.fails {
                true => Err(Error::Cancelled),
                false => Ok(()),
            }
        }
    }

    fn numbers(end: u64, fails: bool) -> KmerRecords<u64> {
        let next = 0;
        KmerRecords::new(Numbers { next, end, fails })
    }

    #[test]
    fn all_records_come_in_order() {
        for end in [0, 1, 5000, 300_000] {
            for threads in [1, 2, 5] {
                let mut all = Vec::new();
                let done: Result<()> = numbers(end, false).in_order(
                    threads,
                    |records, made: &mut Vec<u64>| {
                        records.retain(|record| record.1 != 3);
                        made.extend(records.iter().map(|record| record.0));
                        Ok(())
                    },
                    |made| {
                        all.append(made);
                        Ok(())
                    },
                );
                done.expect("no failure");
                assert!(
                    all.into_iter()
                        .eq((0..end).filter(|number| number % 7 != 2))
                );
            }
        }
    }

    #[test]
    fn the_first_failure_ends_it() {
        for threads in [1, 3] {
            for (source, making, writing) in [
                (true, false, false),
                (false, true, false),
                (false, false, true),
            ] {
                let mut calls = 0;
                let done = numbers(300_000, source).in_order(
                    threads,
                    |records, _: &mut ()| match making && records[0].0 > 100_000 {
                        true => Err(Error::Cancelled),
                        false => Ok(()),
                    },
                    |()| {
                        calls += 1;
                        match writing && calls == 5 {
                            true => Err(Error::Cancelled),
                            false => Ok(()),
                        }
                    },
                );
                assert!(matches!(done, Err(Error::Cancelled)), "{done:?}");
            }
            let panics = numbers(300_000, false).in_order::<(), Error>(
                threads,
                |records, ()| match records[0].0 > 100_000 {
                    true => panic!("as wanted"),
                    false => Ok(()),
                },
                |()| Ok(()),
            );
            assert!(matches!(panics, Err(Error::Sink(_))), "{panics:?}");
        }
    }
}
