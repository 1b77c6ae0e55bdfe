//! fastp's packs: how many reads had passed when each of them ended.

use thalweg_qc::{Destination, Pieces};

/// Reads or pairs of the input that fastp, with one thread, hands on together: where its split output may go on to the
/// next file. (1.3 makes the packs of more than 16 threads smaller; those of 1.1 and 1.2 are of 256.)
pub(crate) const PACK: u64 = 1000;

/// Counts, for one batch after the other, what of it had passed at the ends of packs.
pub(crate) struct Packs {
    /// The rank of the first read of the next pack; none has it if nobody wants to know.
    next: u64,
    wanted: bool,
    ends: Vec<u64>,
}

impl Packs {
    pub(crate) fn new(wanted: bool) -> Self {
        Self {
            next: u64::MAX,
            wanted,
            ends: Vec::new(),
        }
    }

    /// A batch begins, with the read or pair of rank `first`.
    pub(crate) fn begin(&mut self, first: u64) {
        self.ends.clear();
        if self.wanted {
            self.next = first.max(1).next_multiple_of(PACK);
        }
    }

    /// The read or pair of rank `rank` is about to go into `pieces`.
    #[inline]
    pub(crate) fn reach(&mut self, rank: u64, pieces: &Pieces) {
        if rank == self.next {
            self.ends.push(pieces.records(Destination::Read1));
            self.next += PACK;
        }
    }

    /// How many of the reads that passed, or of the first mates of pairs that did, there were at each end.
    pub(crate) fn ends(&self) -> &[u64] {
        &self.ends
    }
}
