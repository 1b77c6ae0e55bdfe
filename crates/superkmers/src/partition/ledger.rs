use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of memory that nobody has taken yet.
#[derive(Debug)]
pub struct Ledger(AtomicU64);

impl Ledger {
    /// A ledger with `bytes` to give.
    pub fn new(bytes: u64) -> Self {
        Self(AtomicU64::new(bytes))
    }

    /// Takes `bytes` if there are as many.
    pub fn take(&self, bytes: u64) -> bool {
        // Only the number itself is shared: no ordering with other memory.
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            })
            .is_ok()
    }
}
