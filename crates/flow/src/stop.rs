use crate::sync::{AtomicBool, Ordering};

/// A flag that asks all workers to stop at their next convenience.
#[derive(Debug)]
pub struct Stop(AtomicBool);

impl Stop {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Ask everybody to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody asked.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
