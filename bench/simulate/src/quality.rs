//! Quality strings: what decides how well FASTQ compresses.
//!
//! Unbinned (HiSeq 2500): every cycle has a ceiling (`CCCFFFFFHHHHHJJJJ…JHHHHHFFFFFDDDD`, the decline starting
//! earlier in worse reads); a quality lies on it or, more often in worse reads and later cycles, some way below
//! it; it keeps that distance for a while. Bad reads end in `####`. The four constants are tuned so that
//! `gzip -6` shrinks the whole file about 3.35 times and writes about one DEFLATE token per 6 bytes, as it does
//! with the real files that the simulation stands for.
//!
//! Binned (NovaSeq): `F` nearly always; `:` and `,` in clusters, more of them late and in bad reads; `#` with N.

use crate::Mode;
use crate::random::Random;

/// Chance, in 65536ths, that a quality keeps its distance from the ceiling.
const STAY: u32 = 21_000;
/// Chance, in 65536ths, that a distance drawn anew is zero in the best read ...
const CLEAN: f32 = 58_000.0;
/// ... and how much of that chance one unit of badness takes away.
const SPOIL: f32 = 15_000.0;
/// Mean distance from the ceiling, if any, in the best read.
const DEPTH: f32 = 1.8;

/// The lowest quality, `#`, which also stands for a call that was given up.
const LOWEST: f32 = 2.0;

/// What a read's qualities are drawn from.
pub(crate) struct Qualities {
    mode: Mode,
    /// Position in the read as a fraction of its length.
    along: Vec<f32>,
}

impl Qualities {
    pub(crate) fn new(mode: Mode, length: usize) -> Self {
        Self {
            mode,
            along: (0..length)
                .map(|position| position as f32 / length as f32)
                .collect(),
        }
    }

    /// Fills `scores` with Phred+33 characters.
    pub(crate) fn draw(&self, scores: &mut [u8], random: &mut Random) {
        match self.mode {
            Mode::HiSeq => self.unbinned(scores, random),
            Mode::NovaSeq => self.binned(scores, random),
        }
    }

    fn unbinned(&self, scores: &mut [u8], random: &mut Random) {
        // Reads differ: most are good, a tail is bad from early on.
        let badness = random.normal().abs();
        let decline = 0.65 - 0.2 * badness + 0.1 * random.normal();
        let collapse = if badness > 1.8 { 800 } else { 4 };
        let mut below = 0.0;
        let mut collapsed = false;
        for (position, (score, along)) in scores.iter_mut().zip(&self.along).enumerate() {
            collapsed |= *along > 0.4 && random.chance(collapse);
            if collapsed {
                *score = 33 + LOWEST as u8;
                continue;
            }
            if !random.chance(STAY) {
                let clean = (CLEAN - SPOIL * badness * (0.4 + along)).max(3_000.0) as u32;
                below = if random.chance(clean) {
                    0.0
                } else {
                    1.0 + DEPTH * (0.5 + badness) * (0.6 + along) * random.exponential()
                };
            }
            *score = 33 + (ceiling(position, *along - decline) - below).max(LOWEST) as u8;
        }
    }

    fn binned(&self, scores: &mut [u8], random: &mut Random) {
        let badness = random.normal().abs();
        let mut trouble = false;
        for (score, along) in scores.iter_mut().zip(&self.along) {
            let enter = 300.0 + 900.0 * badness * badness * (0.3 + along * along);
            trouble = random.chance(if trouble { 26_000 } else { enter as u32 });
            *score = match (trouble, random.below(64)) {
                (true, 0..40) => b':',
                (true, _) => b',',
                (false, _) => b'F',
            };
        }
        if random.chance(300) {
            scores[random.below(scores.len() as u64) as usize] = b'#';
        }
    }
}

/// The best quality of a cycle: a ramp over the first cycles, a plateau, steps down after the decline begins.
fn ceiling(position: usize, declined: f32) -> f32 {
    let start = match position {
        0..3 => 34.0,
        3..8 => 37.0,
        8..13 => 39.0,
        _ => 41.0_f32,
    };
    let late = match declined {
        ..0.0 => 41.0,
        0.0..0.05 => 39.0,
        0.05..0.12 => 37.0,
        0.12..0.16 => 36.0,
        _ => 35.0,
    };
    start.min(late)
}

/// Puts a wrong base where the quality says that one is likely, and N at single `#`.
pub(crate) fn apply_errors(bases: &mut [u8], scores: &[u8], random: &mut Random) {
    for (base, score) in bases.iter_mut().zip(scores) {
        // 65536 * 10^(-Q/10), in steps: above Q25 errors are rarer than one in a read.
        let phred = score.saturating_sub(33);
        let numerator = match phred {
            0..=2 => 20_000,
            3..=14 => 3_300,
            15..=24 => 400,
            _ => 12,
        };
        if random.chance(numerator) {
            *base = if phred <= 2 && random.chance(6_000) {
                b'N'
            } else {
                b"ACGT"[random.below(4) as usize]
            };
        }
    }
}
