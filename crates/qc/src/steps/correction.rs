//! Bases on which overlapping mates disagree.

use super::{Overlap, complement};
use crate::Read;
use crate::counts::CorrectionCounts;

/// Replaces a bad base by the good one of the mate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BaseCorrection;

/// A base of at least this quality (Q30) is believed,
const GOOD: u8 = 30 + 33;

/// if the other one has at most this (Q14).
const BAD: u8 = 14 + 33;

impl BaseCorrection {
    /// Correct the mates of a pair where they overlap. Returns how many bases of each were changed.
    pub(crate) fn apply(
        &self,
        first: &mut Read<'_>,
        second: &mut Read<'_>,
        overlap: Overlap,
        counts: &mut CorrectionCounts,
    ) -> [u64; 2] {
        if overlap.mismatches == 0 || overlap.has_gap {
            return [0; 2];
        }
        let has_u = first.has_u() || second.has_u();
        let start = overlap.offset.max(0) as usize;
        let skipped = overlap.offset.min(0).unsigned_abs();
        let mut corrected = [0u64; 2];
        for at in 0..overlap.length {
            let (position, opposite) = (start + at, second.len() - skipped - 1 - at);
            let (base, other) = (first.bases()[position], second.bases()[opposite]);
            if base == complement(other) {
                continue;
            }
            let (quality, other_quality) =
                (first.qualities()[position], second.qualities()[opposite]);
            if quality >= GOOD && other_quality <= BAD {
                let new = complement(base);
                second.put(opposite, new, quality, has_u);
                corrected[1] += 1;
                counts.changes[code(other)][code(new)] += 1;
            } else if other_quality >= GOOD && quality <= BAD {
                let new = complement(other);
                first.put(position, new, other_quality, has_u);
                corrected[0] += 1;
                counts.changes[code(base)][code(new)] += 1;
            }
        }
        counts.bases += corrected[0] + corrected[1];
        counts.reads += corrected.iter().filter(|&&bases| bases > 0).count() as u64;
        corrected
    }
}

/// Place of a base in tables of A, C, G, T, N.
fn code(base: u8) -> usize {
    match base {
        b'A' | b'a' => 0,
        b'C' | b'c' => 1,
        b'G' | b'g' => 2,
        b'T' | b't' => 3,
        _ => 4,
    }
}
