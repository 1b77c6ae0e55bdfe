use std::process;

use crate::sync::{Mutex, lock};

/// Buffers that come back after use.
///
/// A buffer of half a megabyte costs more in page faults than in filling, so
/// the buffers of finished batches serve the next ones. At most `keep` idle
/// buffers stay; more are freed, which bounds what an idle pool holds.
#[derive(Debug)]
pub struct Pool<T> {
    idle: Mutex<Vec<T>>,
    keep: usize,
    /// The one whose threads share it.
    process: u32,
}

impl<T> Pool<T> {
    /// An empty pool that keeps at most `keep` idle buffers.
    pub fn new(keep: usize) -> Self {
        Self {
            idle: Mutex::new(Vec::new()),
            keep,
            process: process::id(),
        }
    }

    /// An idle buffer, the one used last (it is the likeliest to be cached),
    /// or what `make` returns if there is none.
    pub fn take(&self, make: impl FnOnce() -> T) -> T {
        let idle = lock(&self.idle).pop();
        idle.unwrap_or_else(make)
    }

    /// Give a buffer back. In a copy of the process it is freed: the lock may have been held when the process was
    /// forked, and nobody would ever open it.
    pub fn give(&self, buffer: T) {
        if self.process != process::id() {
            return;
        }
        let mut idle = lock(&self.idle);
        if idle.len() < self.keep {
            idle.push(buffer);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_process_waits_for_nobody() {
        let mut pool = Pool::new(2);
        pool.give(vec![1]);
        assert_eq!(pool.take(Vec::new), [1]);
        // As after a fork: another process, and a lock that no thread of it holds.
        pool.process = pool.process.wrapping_add(1);
        let held = lock(&pool.idle);
        pool.give(vec![2]);
        drop(held);
        assert_eq!(pool.take(Vec::new), []);
    }
}
