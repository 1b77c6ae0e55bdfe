//! Who reads what: one counter for all ranks, which rank 0 has, and what each rank has ahead.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use thalweg::sharing::ClaimSource;

/// Claims that each worker has ahead, as long as there are many.
const AHEAD: u64 = 2;

/// Runs get shorter so that each worker would come so often more, if all were as fast.
const ROUNDS: u64 = 4;

/// The counter of rank 0.
pub(crate) struct Dealer {
    next: u64,
    claims: u64,
    /// Of all ranks.
    workers: u64,
}

impl Dealer {
    pub(crate) fn new(claims: u64, workers: u64) -> Self {
        Self {
            next: 0,
            claims,
            workers: workers.max(1),
        }
    }

    /// The next run for a rank with so many workers; an empty one when there are no more.
    ///
    /// It is a quarter of what each worker would get of all that is left, and so shrinks to single claims.
    pub(crate) fn deal(&mut self, workers: u64) -> Range<u64> {
        let left = self.left();
        let run = (left / (ROUNDS * self.workers))
            .saturating_mul(workers)
            .max(1);
        let start = self.next;
        self.next += run.min(left);
        start..self.next
    }

    /// How many there are yet.
    pub(crate) fn left(&self) -> u64 {
        self.claims - self.next
    }
}

/// What a rank has ahead, for its workers.
pub(crate) struct ClaimQueue {
    workers: u64,
    all_workers: u64,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    ready: VecDeque<Range<u64>>,
    /// Claims in them.
    number: u64,
    /// Claims that nobody has got.
    left: u64,
    /// There are no more.
    is_dry: bool,
    waited: Duration,
}

impl ClaimQueue {
    /// For so many workers, of so many of all ranks.
    pub(crate) fn new(claims: u64, workers: u64, all_workers: u64) -> Self {
        Self {
            workers,
            all_workers: all_workers.max(1),
            state: Mutex::new(State {
                left: claims,
                ..State::default()
            }),
            changed: Condvar::new(),
        }
    }

    /// Whether more should be asked for: near the end one for each worker is enough, as who is slow keeps what it has.
    pub(crate) fn wants_more(&self) -> bool {
        let state = self.lock();
        let ahead = match state.left > ROUNDS * self.all_workers {
            true => AHEAD * self.workers,
            false => self.workers,
        };
        !state.is_dry && state.number < ahead
    }

    /// Take a run that was dealt, an empty one if it was the last; nobody has got `left`.
    pub(crate) fn add(&self, run: Range<u64>, left: u64) {
        let mut state = self.lock();
        state.left = left;
        match run.is_empty() {
            true => state.is_dry = true,
            false => {
                state.number += run.end - run.start;
                state.ready.push_back(run);
            }
        }
        self.changed.notify_all();
    }

    /// Nothing more is given out: the work has failed.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        *state = State {
            is_dry: true,
            waited: state.waited,
            ..State::default()
        };
        self.changed.notify_all();
    }

    /// How long workers have waited, added up.
    pub(crate) fn waited(&self) -> Duration {
        self.lock().waited
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClaimSource for ClaimQueue {
    fn claim(&self) -> Option<u64> {
        let mut state = self.lock();
        while state.ready.is_empty() && !state.is_dry {
            let start = Instant::now();
            state = (self.changed.wait(state)).unwrap_or_else(PoisonError::into_inner);
            state.waited += start.elapsed();
        }
        let run = state.ready.front_mut()?;
        let claim = run.next()?;
        let is_over = run.is_empty();
        if is_over {
            state.ready.pop_front();
        }
        state.number -= 1;
        Some(claim)
    }

    fn left(&self) -> u64 {
        let state = self.lock();
        state.number + state.left * self.workers / self.all_workers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_claims_are_dealt_once_in_runs_that_shrink() {
        for (claims, ranks, workers) in [(0, 1, 1), (1, 3, 2), (1000, 4, 3), (100_000, 128, 24)] {
            let mut dealer = Dealer::new(claims, ranks * workers);
            let (mut next, mut last) = (0, u64::MAX);
            loop {
                let run = dealer.deal(workers);
                if run.is_empty() {
                    break;
                }
                assert_eq!(run.start, next);
                let length = run.end - run.start;
                assert!(length <= last, "{length} behind {last}");
                (next, last) = (run.end, length);
            }
            assert_eq!(next, claims);
            assert!(claims == 0 || last == 1);
            assert_eq!(dealer.left(), 0);
        }
    }

    #[test]
    fn a_queue_gives_what_it_has_and_ends() {
        let queue = ClaimQueue::new(100, 2, 4);
        assert!(queue.wants_more());
        queue.add(3..5, 98);
        assert!(queue.wants_more());
        queue.add(7..9, 10);
        assert!(!queue.wants_more());
        assert_eq!(queue.left(), 4 + 5);
        let claims: Vec<_> = (0..4).map(|_| queue.claim().unwrap()).collect();
        assert_eq!(claims, [3, 4, 7, 8]);
        queue.add(0..0, 0);
        assert!(!queue.wants_more());
        assert_eq!(queue.claim(), None);
    }

    #[test]
    fn whoever_waits_is_let_go() {
        let queue = ClaimQueue::new(100, 1, 1);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.claim());
            std::thread::sleep(Duration::from_millis(20));
            queue.close();
            assert_eq!(waiting.join().unwrap(), None);
        });
        assert!(queue.waited() >= Duration::from_millis(10));
    }
}
