//! Handles that are kept open for the first who reads.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// What was opened to see whether it can be, and whether it was read.
///
/// Its lock does not leave it, and nothing within lets go of the interpreter: another thread would wait for the lock with
/// the interpreter in its hands.
pub(crate) struct Opened {
    /// And in which process.
    kept: Mutex<Option<(thalweg::Reads, u32)>>,
    was_read: AtomicBool,
}

impl Opened {
    /// Nothing is open.
    pub(crate) fn new() -> Self {
        Self {
            kept: Mutex::new(None),
            was_read: AtomicBool::new(false),
        }
    }

    /// Keep it for the next who reads.
    pub(crate) fn keep(&self, reads: thalweg::Reads) {
        let was_kept = self.replace(Some((reads, process::id())));
        drop(was_kept);
    }

    /// What is kept, if this process opened it. Nothing is kept then.
    pub(crate) fn take(&self) -> Option<thalweg::Reads> {
        let (reads, process) = self.replace(None)?;
        (process == process::id()).then_some(reads)
    }

    fn replace(&self, by: Option<(thalweg::Reads, u32)>) -> Option<(thalweg::Reads, u32)> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *kept, by)
    }

    /// Whether somebody has read.
    pub(crate) fn was_read(&self) -> bool {
        self.was_read.load(Ordering::Relaxed)
    }

    /// Somebody reads; whether somebody has before.
    pub(crate) fn begin_reading(&self) -> bool {
        self.was_read.swap(true, Ordering::Relaxed)
    }
}
