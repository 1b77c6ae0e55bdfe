//! How much of a read is enough.

/// How many k-mers of a read must be in the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Threshold {
    /// So many at least.
    pub least: u64,
    /// Of all k-mers of the read, such a share at least: from 0 to 1.
    pub fraction: f64,
}

impl Threshold {
    /// Whether `found` of `all` k-mers are enough.
    ///
    /// More of the same, or the same of fewer, are enough then, too.
    #[inline]
    pub fn is_reached(self, found: u64, all: u64) -> bool {
        found >= self.least && found as f64 >= self.fraction * all as f64
    }
}
