//! What occurred before in qualities, looked up for 64 places at once.
//!
//! ```text
//! each place is noted by its six bytes, each second place is looked up before that
//! ```
//! Whether a match was found is not asked at each place: nobody can foretell it. It is asked once
//! for all 64.

/// Bits of a hash.
const BITS: u32 = 13;
/// Bytes that are hashed, and the shortest match.
pub(crate) const LEAST: usize = 6;
/// One place in so many is looked up; a match is then extended to the places before.
pub(crate) const STRIDE: usize = 2;
/// Where places begin anew.
const TURN: u32 = 1 << 15;

/// The latest place of each hash, of which 16 bits are kept.
///
/// They are worth only as a hint: what is there is compared with the text.
pub(crate) struct Latest {
    places: Vec<u16>,
    /// Whether they are of another text.
    are_old: bool,
}

impl Latest {
    pub(crate) fn new() -> Self {
        Self {
            places: vec![0; 1 << BITS],
            are_old: false,
        }
    }

    /// None.
    pub(crate) fn none() -> Self {
        Self {
            places: Vec::new(),
            are_old: false,
        }
    }

    /// Another text begins. Many have no use for places.
    pub(crate) fn begin(&mut self) {
        self.are_old = true;
    }

    /// For this text.
    #[inline(always)]
    fn get(&mut self) -> &mut [u16; 1 << BITS] {
        if self.are_old {
            self.are_old = false;
            self.places.fill(0);
        }
        (&mut self.places[..]).try_into().expect("its size")
    }
}

/// What was found at 64 places, and nothing behind them.
pub(crate) struct Looks {
    /// At most 8.
    pub(crate) lengths: [u8; 72],
    pub(crate) distances: [u16; 72],
}

impl Looks {
    pub(crate) fn new() -> Self {
        Self {
            lengths: [0; 72],
            distances: [0; 72],
        }
    }

    /// Look up and note `count` places from `at` on, at most 64.
    #[inline(always)]
    pub(crate) fn search(&mut self, text: &[u8], at: usize, count: usize, latest: &mut Latest) {
        let places = latest.get();
        let rest = &text[at..];
        match rest.first_chunk() {
            Some(near) if count >= 64 => self.look(text, near, at, 64, places),
            Some(near) => {
                self.lengths[..64].fill(0);
                self.look(text, near, at, count, places);
            }
            None => {
                let mut near = [0; 72];
                near[..rest.len()].copy_from_slice(rest);
                self.lengths[..64].fill(0);
                self.look(text, &near, at, count, places);
            }
        }
    }

    #[inline(always)]
    fn look(
        &mut self,
        text: &[u8],
        near: &[u8; 72],
        at: usize,
        count: usize,
        places: &mut [u16; 1 << BITS],
    ) {
        for step in 0..count.div_ceil(STRIDE).min(64 / STRIDE) {
            let place = STRIDE * step;
            let here = u64::from_le_bytes(near[place..place + 8].try_into().expect("8 bytes"));
            let now = (at + place) as u32;
            let entry = &mut places[slot(here)];
            // Never before the text: in its first 32 KiB no place is of another turn.
            let distance = now.wrapping_sub((*entry).into()) & (TURN - 1);
            *entry = now as u16;
            places[slot(here >> 8)] = (now + 1) as u16;
            let old = now.wrapping_sub(distance) as usize;
            let difference = match text.get(old..old + 8) {
                Some(word) => u64::from_le_bytes(word.try_into().expect("8 bytes")) ^ here,
                None => 1,
            };
            self.lengths[place] = (difference.trailing_zeros() / 8) as u8;
            self.distances[place] = distance as u16;
        }
    }

    /// Where matches of at least [`LEAST`] begin that are no shorter than those of the next look.
    #[inline(always)]
    pub(crate) fn found(&self) -> u64 {
        const EACH: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = EACH << 7;
        let word = |at: usize| {
            let lengths = &self.lengths[at..at + 8];
            u64::from_le_bytes(lengths.try_into().expect("8 bytes"))
        };
        // Bit k of byte j: of place 8 k + j.
        let columns = (0..8).fold(0, |columns, row| {
            let lengths = word(8 * row);
            let is_long = lengths + EACH * (128 - LEAST as u64);
            let is_longest = (lengths | HIGH) - word(8 * row + STRIDE);
            columns | (is_long & is_longest & HIGH) >> (7 - row)
        });
        transposed(columns)
    }
}

#[inline(always)]
fn slot(here: u64) -> usize {
    let hashed = here << (64 - 8 * LEAST);
    (hashed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
}

/// Eight rows of eight bits, the columns of the argument.
#[inline(always)]
fn transposed(mut bits: u64) -> u64 {
    for (shift, mask) in [
        (7, 0x00aa_00aa_00aa_00aa),
        (14, 0x0000_cccc_0000_cccc),
        (28, 0x0000_0000_f0f0_f0f0),
    ] {
        let change = (bits ^ bits >> shift) & mask;
        bits ^= change ^ change << shift;
    }
    bits
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn text(length: usize, letters: &[u8]) -> Vec<u8> {
        let mut state = 1_u32;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            letters[(state >> 16) as usize % letters.len()]
        };
        (0..length).map(next).collect()
    }

    #[test]
    fn looks_find_the_latest_place_of_the_same_hash() {
        let mut latest = Latest::new();
        for letters in [&b"F:,#"[..], b"F", b"ABCDEFGHIJ"] {
            // Longer than a turn.
            let text = text(100_000, letters);
            latest.begin();
            let mut notes = HashMap::new();
            let mut looks = Looks::new();
            let hash = |at: usize| {
                let mut bytes = [0; 8];
                let rest = &text[at.min(text.len())..];
                let count = rest.len().min(8);
                bytes[..count].copy_from_slice(&rest[..count]);
                slot(u64::from_le_bytes(bytes))
            };
            for (window, at) in (1..text.len()).step_by(64).enumerate() {
                // Some lines end in the midst, and the next one begins elsewhere.
                let count = (if window % 3 == 0 { 41 } else { 64 }).min(text.len() - at);
                looks.search(&text, at, count, &mut latest);
                let mut lengths = [0; 64 + STRIDE];
                for place in (0..count).step_by(STRIDE) {
                    let now = at + place;
                    let old = notes.insert(hash(now), now).unwrap_or(0);
                    notes.insert(hash(now + 1), now + 1);
                    let distance = (now - old) % TURN as usize;
                    assert_eq!(usize::from(looks.distances[place]), distance);
                    let old = now - distance;
                    if now + 8 <= text.len() {
                        let same = (0..8).take_while(|n| text[old + n] == text[now + n]);
                        lengths[place] = same.count();
                        assert_eq!(usize::from(looks.lengths[place]), lengths[place]);
                    }
                }
                if at + count + 8 <= text.len() {
                    let expected = (0..64).filter(|&place| {
                        lengths[place] >= LEAST && lengths[place] >= lengths[place + STRIDE]
                    });
                    let expected = expected.fold(0, |all, place| all | 1_u64 << place);
                    assert_eq!(looks.found(), expected, "{at}");
                }
            }
        }
    }
}
