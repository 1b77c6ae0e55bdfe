//! Full buffers of a rank that wait to be sent.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Buffers that are kept to be filled again.
const SPARE: usize = 64;

/// Buffers on their way from workers to the thread that sends them.
pub(crate) struct Outgoing {
    /// Bytes beyond which workers wait between batches.
    limit: usize,
    state: Mutex<State>,
    room: Condvar,
}

#[derive(Default)]
struct State {
    full: VecDeque<(usize, Vec<u8>)>,
    bytes: usize,
    most_bytes: usize,
    spare: Vec<Vec<u8>>,
    is_closed: bool,
    waited: Duration,
}

impl Outgoing {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
            room: Condvar::new(),
        }
    }

    /// Have a buffer sent, and take an empty one of so many bytes. Never waits.
    pub(crate) fn push(&self, to: usize, buffer: Vec<u8>, bytes: usize) -> Vec<u8> {
        let mut state = self.lock();
        state.bytes += buffer.len();
        state.most_bytes = state.most_bytes.max(state.bytes);
        state.full.push_back((to, buffer));
        let spare = state.spare.pop();
        drop(state);
        spare.unwrap_or_else(|| Vec::with_capacity(bytes))
    }

    /// Wait until no more is to be sent than the limit allows, or all is over.
    pub(crate) fn wait_for_room(&self) {
        let mut state = self.lock();
        while state.bytes > self.limit && !state.is_closed {
            let start = Instant::now();
            state = (self.room.wait(state)).unwrap_or_else(PoisonError::into_inner);
            state.waited += start.elapsed();
        }
    }

    /// The next buffer to send, and whom.
    pub(crate) fn pop(&self) -> Option<(usize, Vec<u8>)> {
        let mut state = self.lock();
        let next = state.full.pop_front()?;
        state.bytes -= next.1.len();
        if state.bytes <= self.limit {
            self.room.notify_all();
        }
        Some(next)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lock().full.is_empty()
    }

    /// Take back a buffer that was sent.
    pub(crate) fn give_back(&self, buffer: Vec<u8>) {
        let mut state = self.lock();
        if state.spare.len() < SPARE && buffer.capacity() > 0 {
            state.spare.push(buffer);
        }
    }

    /// Let all go who wait: the work has failed.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.room.notify_all();
    }

    /// How long workers have waited, added up.
    pub(crate) fn waited(&self) -> Duration {
        self.lock().waited
    }

    /// The most bytes that have waited to be sent.
    pub(crate) fn most_bytes(&self) -> usize {
        self.lock().most_bytes
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_has_too_much_waits_between_batches() {
        let outgoing = Outgoing::new(10);
        // Within a batch nobody waits.
        for _ in 0..3 {
            outgoing.push(1, vec![0; 8], 8);
        }
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| outgoing.wait_for_room());
            outgoing.pop().unwrap();
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            outgoing.pop().unwrap();
            waiting.join().unwrap();
        });
        assert_eq!(outgoing.most_bytes(), 24);
        assert!(outgoing.waited() > Duration::ZERO);
        outgoing.push(1, vec![0; 80], 8);
        outgoing.close();
        outgoing.wait_for_room();
    }
}
