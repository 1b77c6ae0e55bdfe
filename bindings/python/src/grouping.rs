//! Which records of a batch belong together.

use thalweg::Batch;

/// Where the mates of a group are.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Grouping {
    /// In a block each, of files that are read in step; of one file, each record is a group.
    InStep,
    /// One behind the other in the same block.
    Interleaved,
}

impl Grouping {
    /// Records of each block that are in a group.
    pub(crate) fn of_a_block(self) -> usize {
        match self {
            Self::InStep => 1,
            Self::Interleaved => 2,
        }
    }

    /// Records of each group.
    pub(crate) fn width(self, batch: &Batch) -> usize {
        self.of_a_block() * batch.blocks().len()
    }

    /// Number of groups.
    pub(crate) fn groups(self, batch: &Batch) -> usize {
        batch.len() / self.of_a_block()
    }

    /// Block, and number in it, of a record of a group.
    #[inline]
    pub(crate) fn place(self, group: usize, mate: usize) -> (usize, usize) {
        match self {
            Self::InStep => (mate, group),
            Self::Interleaved => (0, 2 * group + mate),
        }
    }
}
