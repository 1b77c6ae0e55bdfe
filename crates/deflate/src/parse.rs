//! Text to sequences.

use crate::{
    Level,
    matches::{common, common_before, word},
    records,
    symbols::{LONGEST, Sequence, WINDOW},
};

/// Where something was seen last, by hash.
///
/// Places are counted through all texts of a compressor, so that nothing need be cleared: what
/// is older than this text is more than a window away.
pub(crate) struct Tables {
    /// Any text.
    recent: Vec<u32>,
    /// Sixteen bases.
    bases: Vec<u32>,
    /// Place of the first byte of this text.
    first: u32,
    /// Place of the first byte of the next text.
    next: u32,
}

const RECENT_BITS: u32 = 13;
const BASES_BITS: u32 = 11;

impl Tables {
    pub(crate) fn new() -> Self {
        Self {
            recent: vec![0; 1 << RECENT_BITS],
            bases: vec![0; 1 << BASES_BITS],
            first: 0,
            next: WINDOW as u32 + 1,
        }
    }

    /// Forget what was seen, and get ready for so many bytes.
    pub(crate) fn begin(&mut self, length: usize) {
        let room = u32::try_from(length + WINDOW + 1).unwrap_or(u32::MAX);
        self.first = self.next;
        match self.first.checked_add(room) {
            Some(next) => self.next = next,
            None => {
                self.recent.fill(0);
                self.bases.fill(0);
                self.first = WINDOW as u32 + 1;
                self.next = self.first.saturating_add(room);
            }
        }
    }
}

/// The sequences of the text from `start` on; matches may reach back before it.
pub(crate) fn parse(
    text: &[u8],
    start: usize,
    level: Level,
    tables: &mut Tables,
    sequences: &mut Vec<Sequence>,
) {
    let mut parser = Parser {
        text,
        at: start,
        told: start,
        level,
        tables,
        sequences,
    };
    records::parse(&mut parser);
    let literals = text.len() - parser.told;
    sequences.push(Sequence::last(literals));
}

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a [u8],
    /// The first byte that is not parsed yet.
    pub(crate) at: usize,
    /// The first byte that is in no sequence yet; what lies before `at` is literals.
    told: usize,
    level: Level,
    tables: &'a mut Tables,
    sequences: &'a mut Vec<Sequence>,
}

impl Parser<'_> {
    /// Bytes from `new` on equal those at `old`; go on behind them.
    #[inline(always)]
    pub(crate) fn found(&mut self, old: usize, new: usize, length: usize) {
        self.sequences
            .push(Sequence::new(new - self.told, length, new - old));
        self.told = new + length;
        self.at = self.told;
    }

    /// Take what equals the bytes from `old` on, if it is worth while; tell how much.
    #[inline(always)]
    pub(crate) fn try_at(&mut self, old: usize, least: usize) -> usize {
        let mut total = 0;
        if self.at - old > WINDOW {
            return 0;
        }
        loop {
            let length = common(self.text, old + total, self.at);
            if length < if total == 0 { least } else { 3 } {
                return total;
            }
            self.found(old + total, self.at, length);
            total += length;
            if length < LONGEST {
                return total;
            }
        }
    }

    /// Any text, up to `end`: look for what occurred before at each byte.
    pub(crate) fn search(&mut self, end: usize) {
        let text = self.text;
        let first = self.tables.first as usize;
        let recent: &mut [u32; 1 << RECENT_BITS] =
            (&mut self.tables.recent[..]).try_into().expect("its size");
        let mut at = self.at;
        while at < end {
            let Some(here) = word(text, at) else { break };
            let slot = hash(here);
            let place = first + at;
            let distance = place - recent[slot] as usize;
            recent[slot] = place as u32;
            if distance <= WINDOW {
                let old = at - distance;
                let difference = word(text, old).unwrap_or(0) ^ here;
                let same = difference.trailing_zeros() / 8;
                if same >= 4 {
                    let mut length = same as usize;
                    if length == 8 {
                        length += common(text, old + 8, at + 8);
                        length = length.min(LONGEST);
                    }
                    if length >= 5 || distance < 512 {
                        self.sequences
                            .push(Sequence::new(at - self.told, length, distance));
                        let next = at + length;
                        let mut inside = at + 1;
                        let stop = next.min(at + 8);
                        while inside < stop {
                            if let Some(here) = word(text, inside) {
                                recent[hash(here)] = (first + inside) as u32;
                            }
                            inside += 1;
                        }
                        at = next;
                        self.told = at;
                        continue;
                    }
                }
            }
            at += 1;
        }
        self.at = at.max(end.min(text.len()));
    }

    /// Bases up to `end`: only what repeats at length.
    pub(crate) fn sparse(&mut self, end: usize) {
        // Any repeat of 20 + 16 bases holds a place where both strides meet.
        const NOTE: usize = 4;
        const LOOK: usize = 5;
        let text = self.text;
        let first = self.tables.first as usize;
        let start = self.at;
        let mut step = 0;
        while start + step + 16 <= end {
            let at = start + step;
            if at < self.at {
                step = (self.at - start).next_multiple_of(NOTE * LOOK);
                continue;
            }
            let (Some(low), Some(high)) = (word(text, at), word(text, at + 8)) else {
                break;
            };
            let slot = bases_hash(low, high);
            let looks = step % LOOK == 0;
            if looks {
                let distance = first + at - self.tables.bases[slot] as usize;
                if distance <= WINDOW {
                    let before = common_before(text, at - distance, at, self.told);
                    let new = at - before;
                    let length = common(text, new - distance, new);
                    if length >= 12 {
                        self.found(new - distance, new, length);
                        continue;
                    }
                }
            }
            if step % NOTE == 0 {
                self.tables.bases[slot] = (first + at) as u32;
            }
            step += 1;
            while step % NOTE != 0 && step % LOOK != 0 {
                step += 1;
            }
        }
        self.at = self.at.max(end);
    }

    pub(crate) fn level(&self) -> Level {
        self.level
    }
}

#[inline(always)]
fn hash(word: u64) -> usize {
    ((word as u32).wrapping_mul(0x9e37_79b1) >> (32 - RECENT_BITS)) as usize
}

#[inline(always)]
fn bases_hash(low: u64, high: u64) -> usize {
    const BASES: u64 = 0x0606_0606_0606_0606;
    let both = (low & BASES) | (high & BASES) << 3;
    (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BASES_BITS)) as usize
}
