//! Fixed numbers of bases off both ends.

use crate::Options;

/// Bases to cut off the front and the tail of every read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GlobalTrim {
    pub(crate) front: usize,
    pub(crate) tail: usize,
}

impl GlobalTrim {
    /// Of read 1 and read 2, of which nothing need be said.
    pub(crate) fn of_mates(options: &Options) -> [Self; 2] {
        let first = Self {
            front: options.trim_front1,
            tail: options.trim_tail1,
        };
        let second = Self {
            front: options.trim_front2.unwrap_or(first.front),
            tail: options.trim_tail2.unwrap_or(first.tail),
        };
        [first, second]
    }
}
