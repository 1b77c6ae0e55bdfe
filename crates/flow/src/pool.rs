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
}

impl<T> Pool<T> {
    /// An empty pool that keeps at most `keep` idle buffers.
    pub fn new(keep: usize) -> Self {
        Self {
            idle: Mutex::new(Vec::new()),
            keep,
        }
    }

    /// An idle buffer, the one used last (it is the likeliest to be cached),
    /// or what `make` returns if there is none.
    pub fn take(&self, make: impl FnOnce() -> T) -> T {
        let idle = lock(&self.idle).pop();
        idle.unwrap_or_else(make)
    }

    /// Give a buffer back.
    pub fn give(&self, buffer: T) {
        let mut idle = lock(&self.idle);
        if idle.len() < self.keep {
            idle.push(buffer);
        }
    }
}
