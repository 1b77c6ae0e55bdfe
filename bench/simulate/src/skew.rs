//! Reads that are the same k-mers over and over: what is left of a library with little DNA in it.

use crate::LENGTH;
use crate::pairs::ADAPTERS;
use crate::random::Random;

/// Bases of a satellite's unit: as long as the human alpha satellite's.
const UNIT: usize = 171;

/// What takes the place of some of the reads.
pub(crate) struct Skew {
    /// Of 65536 reads, how many.
    share: u32,
    satellite: [u8; UNIT],
}

impl Skew {
    /// `percent` of the reads: a third of them poly-A, a third adapters without a fragment, a third of a satellite.
    ///
    /// Nothing is drawn if there are none, so that other data stay what they were.
    pub(crate) fn new(percent: u64, random: &mut Random) -> Self {
        let mut satellite = [b'A'; UNIT];
        if percent > 0 {
            satellite.fill_with(|| b"ACGT"[random.below(4) as usize]);
        }
        Self {
            share: (percent * 65536 / 100) as u32,
            satellite,
        }
    }

    /// Replaces `bases`, or leaves them as they are.
    pub(crate) fn apply(&self, bases: &mut [u8; LENGTH], random: &mut Random) {
        if self.share == 0 || !random.chance(self.share) {
            return;
        }
        match random.below(3) {
            0 => bases.fill(b'A'),
            1 => {
                bases.fill(b'G');
                bases[..ADAPTERS[0].len()].copy_from_slice(ADAPTERS[0]);
            }
            _ => {
                let start = random.below(UNIT as u64) as usize;
                let unit = self.satellite.iter().cycle().skip(start);
                bases
                    .iter_mut()
                    .zip(unit)
                    .for_each(|(base, &letter)| *base = letter);
            }
        }
    }
}
