//! Threads that do rounds of work, none of which is far ahead of the others.
//!
//! What a thread has done waits for what another one holds that was read before it. So nobody begins a round while another
//! one is still busy with that before the last: of two rounds at most, things wait.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Rounds of some threads.
pub(super) struct Rounds {
    bytes: u64,
    /// Of each thread that has joined the number of its round; the greatest number if it has left.
    rounds: Mutex<Vec<u64>>,
    changed: Condvar,
}

/// One thread's round. Dropped, it holds up nobody.
pub(super) struct Round<'a> {
    all: &'a Rounds,
    number: usize,
}

/// Rounds whose reads or texts are in memory: one is held, and of two texts may wait.
const HELD: u64 = 3;

/// Bytes of a round at most: so its super-k-mers are fewer than 2^32.
const MOST_BYTES: u64 = 64 << 30;

impl Rounds {
    /// Of so many threads, which may hold `bytes` together.
    pub(super) fn new(bytes: u64, threads: usize) -> Self {
        Self {
            bytes: (bytes / threads as u64 / HELD).min(MOST_BYTES),
            rounds: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Bytes that one thread may hold in a round.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// One more thread.
    pub(super) fn join(&self) -> Round<'_> {
        let mut rounds = self.lock();
        let least = rounds.iter().copied().min().unwrap_or(0);
        rounds.push(if least == u64::MAX { 0 } else { least });
        Round {
            all: self,
            number: rounds.len() - 1,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<u64>> {
        self.rounds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Round<'_> {
    /// Ends a round, and waits until the next one may begin.
    pub(super) fn next(&mut self) {
        let mut rounds = self.all.lock();
        rounds[self.number] += 1;
        self.all.changed.notify_all();
        let own = rounds[self.number];
        while rounds.iter().any(|&other| other < own - 1) {
            rounds = (self.all.changed.wait(rounds)).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Round<'_> {
    fn drop(&mut self) {
        self.all.lock()[self.number] = u64::MAX;
        self.all.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};
    use thalweg_flow::run;

    #[test]
    fn nobody_is_two_rounds_ahead() {
        let rounds = Rounds::new(900, 3);
        assert_eq!(rounds.bytes(), 100);
        let begun: [AtomicU64; 3] = Default::default();
        let done = run::<(), (), _>(3, |thread, _| {
            let mut round = rounds.join();
            // The others begin when all have joined.
            while rounds.lock().len() < 3 {
                std::thread::yield_now();
            }
            let of_thread = 300 * (thread as u64 + 1);
            for number in 1..=of_thread {
                begun[thread].store(number, Ordering::SeqCst);
                let least = (0..3u64).filter(|other| 300 * (other + 1) >= number);
                let least = least.map(|other| begun[other as usize].load(Ordering::SeqCst));
                assert!(least.min().unwrap() + 2 >= number);
                round.next();
            }
            Ok(())
        });
        assert!(done.is_ok());
    }
}
