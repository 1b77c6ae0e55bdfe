use crate::sync::{AtomicU64, Ordering};

/// The numbers `0..len`, each handed out exactly once, in increasing order.
///
/// Workers that take their next piece of work here need no other lock, and a
/// slow piece delays nobody else.
#[derive(Debug)]
pub struct Claims {
    next: AtomicU64,
    len: u64,
}

impl Claims {
    /// Claims on `0..len`.
    pub fn new(len: u64) -> Self {
        Self {
            next: AtomicU64::new(0),
            len,
        }
    }

    /// The next number that nobody has, or `None` when all are taken.
    pub fn claim(&self) -> Option<u64> {
        // Only the number itself is shared, so no ordering with other memory
        // is needed. The counter cannot wrap: each worker stops at its first None.
        let claimed = self.next.fetch_add(1, Ordering::Relaxed);
        (claimed < self.len).then_some(claimed)
    }

    /// How many numbers nobody has yet. Others may take some at any moment.
    pub fn left(&self) -> u64 {
        self.len.saturating_sub(self.next.load(Ordering::Relaxed))
    }

    /// How many numbers there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are no numbers at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}
