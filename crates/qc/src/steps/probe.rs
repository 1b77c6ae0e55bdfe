//! Rejecting wrong offsets, many at once.
//!
//! Counts of mismatches live in lanes of bytes, one for each offset: a letter of the
//! probe is compared with as many neighbouring letters of the text as there are lanes.
//! Written as plain loops over arrays, which the compiler turns into vector
//! instructions; per offset that is one instruction and a half.

/// Letters of the probe.
pub(crate) const PROBE: usize = 16;

/// Offsets that are probed at once: two vectors of 16 lanes.
pub(crate) const LANES: usize = 32;

/// Bit `i` tells whether `probe` at offset `i` has at most `limit` mismatches.
#[inline]
pub(crate) fn probe_lanes(letters: &[u8; LANES + PROBE], probe: &[u8; PROBE], limit: usize) -> u32 {
    let mut lanes = [0u8; LANES];
    for (at, &letter) in probe.iter().enumerate() {
        for lane in 0..LANES {
            lanes[lane] += u8::from(letters[at + lane] != letter);
        }
    }
    // Most often no lane passes, so that is asked first.
    let limit = limit.min(PROBE) as u8;
    let least = lanes.iter().fold(u8::MAX, |least, &lane| least.min(lane));
    if least > limit {
        return 0;
    }
    lanes.iter().enumerate().fold(0, |bits, (lane, &count)| {
        bits | (u32::from(count <= limit) << lane)
    })
}
