//! Lines of bases: what repeats at length, and the rest as it is.

use crate::{
    Level,
    matches::{common, common_before, word},
    parse::{BASES_BITS, Parser},
    symbols::{LONGEST, WINDOW},
    tokens::{literal_token, match_token},
};

impl Parser<'_> {
    /// Bases up to `end`: only what repeats at length.
    ///
    /// Places are noted at one stride and looked up at another that has no divisor in common, so
    /// that any repeat of 20 + 16 bases holds a place where both meet.
    #[inline(never)]
    pub(crate) fn sparse(&mut self, end: usize) {
        /// As long a match pays for itself and the letter before it.
        const GO_ON: usize = 10;
        const GROUP: usize = 20;
        const NOTES: [usize; 5] = [0, 4, 8, 12, 16];
        const LOOKS: [usize; 4] = [0, 5, 10, 15];
        /// Then one line in so many is looked at, until one holds a repeat again.
        const SAMPLE: usize = 8;
        // Where so many lines hold no repeat, few will: reads of a whole genome, in any order.
        let patience = match self.level {
            Level::Fast => 24,
            Level::Small => 40,
        };
        self.tables.unrepeated += 1;
        let unrepeated = self.tables.unrepeated;
        if unrepeated > patience && !unrepeated.is_multiple_of(SAMPLE) {
            self.tokens.push_run(self.text, self.at, end);
            self.at = self.at.max(end);
            return;
        }
        let text = self.text;
        let first = self.tables.first as usize;
        let bases: &mut [u32; 1 << BASES_BITS] =
            (&mut self.tables.bases[..]).try_into().expect("its size");
        let mut at = self.at;
        'groups: while at + GROUP + 16 <= end {
            let group: &[u8; GROUP + 16] = text[at..].first_chunk().expect("up to end");
            let place = first + at;
            for look in LOOKS {
                let (low, high) = two_words(group, look);
                let distance = place + look - bases[bases_hash(low, high)] as usize;
                let new = at + look;
                // Wherever the note leads: half of them lead into the window, which cannot be foretold, but hardly any to the same
                // bases. Of another text it leads nowhere.
                let old = new - distance.min(new);
                if word(text, old) != Some(low) || word(text, old + 8) != Some(high) {
                    continue;
                }
                if distance > WINDOW {
                    continue;
                }
                self.tables.unrepeated = 0;
                let new = new - common_before(text, old, new, self.at);
                self.tokens.push_run(text, self.at, new);
                self.at = new;
                // Repeats of reads go on behind a letter that differs.
                loop {
                    let length = common(text, self.at - distance, self.at);
                    if length >= 3 {
                        self.tokens.push(match_token(length, distance));
                        self.at += length;
                    }
                    if length == LONGEST {
                        continue;
                    }
                    let next = self.at + 1;
                    if next >= end || common(text, next - distance, next) < GO_ON {
                        break;
                    }
                    self.tokens.push(literal_token(text[self.at]));
                    self.at = next;
                }
                at = self.at;
                continue 'groups;
            }
            for note in NOTES {
                let (low, high) = two_words(group, note);
                bases[bases_hash(low, high)] = (place + note) as u32;
            }
            at += GROUP;
        }
        self.tokens.push_run(text, self.at, end);
        self.at = self.at.max(end);
    }
}

#[inline(always)]
fn two_words(group: &[u8; 36], at: usize) -> (u64, u64) {
    let word = |at: usize| u64::from_le_bytes(group[at..at + 8].try_into().expect("8 bytes"));
    (word(at), word(at + 8))
}

#[inline(always)]
fn bases_hash(low: u64, high: u64) -> usize {
    const BASES: u64 = 0x0606_0606_0606_0606;
    let both = (low & BASES) | (high & BASES) << 3;
    (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BASES_BITS)) as usize
}
