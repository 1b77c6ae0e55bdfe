//! Which k-mers of a read come a second time.
//!
//! Equal k-mers have the same minimizer. So most reads, in which no minimizer comes twice, are done with by looking at these.
//! Where one does, as where mates overlap, two super-k-mers turned to it are compared as a whole: the k-mers that they have
//! in common are those of equal bases on both sides. Only where a k-mer may have its minimizer twice, and so stand in either
//! place, are k-mers compared one by one.

use thalweg_superkmers::Kmer;

use super::Query;
use crate::record::RecordLayout;

/// Super-k-mers of the same minimizer that are compared with each other, before k-mers are.
const MOST_COMPARED: usize = 24;

/// No super-k-mer.
pub(super) const NONE: usize = usize::MAX;

/// Finds repeats, with memory that it uses again.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    seen: Seen,
    /// Of each super-k-mer the last one before it that has the same minimizer.
    before: Vec<usize>,
}

impl Repeats {
    /// Takes the bits of k-mers that came before from `new` of `queries`, all those of a read. Linear in their number.
    #[inline]
    pub(super) fn find(&mut self, queries: &mut [Query], layout: &RecordLayout) {
        self.seen.clear(queries.len());
        self.before.clear();
        for i in 0..queries.len() {
            if queries[i].is_tied {
                return self.compare_kmers(queries, layout);
            }
            let mut other = self.seen.insert(queries[i].turned.value, i);
            self.before.push(other);
            let mut compared = 0;
            while other != NONE {
                if compared == MOST_COMPARED {
                    return self.compare_kmers(queries, layout);
                }
                compared += 1;
                queries[i].new &= !in_common(&queries[i], &queries[other], layout);
                other = self.before[other];
            }
        }
    }

    #[cold]
    fn compare_kmers(&mut self, queries: &mut [Query], layout: &RecordLayout) {
        let (k, f) = (layout.scheme().k(), layout.flank() as u8);
        let kmers = queries.iter().map(|query| query.kmers as usize).sum();
        self.seen.clear(kmers);
        for query in queries {
            let turned = &query.turned;
            query.new = 0;
            for number in 0..query.kmers as u8 {
                let j = match turned.is_reversed {
                    false => turned.left - number,
                    true => number + f - turned.right,
                };
                let kmer = layout.kmer(turned.value, turned.flanks, j);
                let is_new = self.seen.insert(kmer.canonical(k), 0) == NONE;
                query.new |= u32::from(is_new) << number;
            }
        }
    }
}

/// By k-mer of `one` a bit: whether `other`, of the same minimizer, has it.
#[inline]
fn in_common(one: &Query, other: &Query, layout: &RecordLayout) -> u32 {
    let range = layout.in_common(&one.turned, &other.turned);
    match range.is_empty() {
        true => 0,
        false => one.turned.bits_of(range, layout),
    }
}

/// Numbers, and what was last put beside each; emptied in no time. It grows, and does not shrink.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// A power of two of them, or none; at least twice as many as numbers.
    slots: Vec<Slot>,
    /// Numbers that are there.
    numbers: usize,
    /// A slot of another round is free.
    round: u32,
}

/// Slots of a table that is not empty, at least.
const LEAST_SLOTS: usize = 64;

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    number: u64,
    round: u32,
    value: usize,
}

/// Odd, and its multiples are well spread: the golden ratio's fraction.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Seen {
    /// Forgets all, and makes room for so many.
    #[inline]
    pub(super) fn clear(&mut self, numbers: usize) {
        let needed = (2 * numbers).next_power_of_two().max(LEAST_SLOTS);
        self.numbers = 0;
        if self.slots.len() < needed {
            self.slots = vec![Slot::default(); needed];
            self.round = 0;
        }
        if self.round == u32::MAX {
            self.slots.fill(Slot::default());
            self.round = 0;
        }
        self.round += 1;
    }

    /// Puts a value beside a number; the one that was there, or [`NONE`]. The table grows if it must.
    #[inline]
    pub(super) fn insert(&mut self, number: u64, value: usize) -> usize {
        if 2 * self.numbers >= self.slots.len() {
            self.grow();
        }
        let round = self.round;
        let slot = self.slot(number);
        if slot.round == round {
            return std::mem::replace(&mut slot.value, value);
        }
        *slot = Slot {
            number,
            round,
            value,
        };
        self.numbers += 1;
        NONE
    }

    /// The slot of a number, or the free one where it belongs.
    #[inline]
    fn slot(&mut self, number: u64) -> &mut Slot {
        let mask = self.slots.len() - 1;
        let mut at = first_slot(number, self.slots.len());
        while (self.slots[at]).round == self.round && self.slots[at].number != number {
            at = (at + 1) & mask;
        }
        &mut self.slots[at]
    }

    #[cold]
    fn grow(&mut self) {
        let more = (2 * self.slots.len()).max(LEAST_SLOTS);
        // Free slots have another round than any that is in use.
        let round = self.round.max(1);
        self.round = round;
        let slots = std::mem::replace(&mut self.slots, vec![Slot::default(); more]);
        for kept in slots.into_iter().filter(|slot| slot.round == round) {
            *self.slot(kept.number) = kept;
        }
    }
}

/// Returns the slot at which the search for a number begins, among so many: a power of two, at least two.
#[inline]
fn first_slot(number: u64, slots: usize) -> usize {
    // The upper bits are the ones that are mixed: as many of them as there are in the number of a slot.
    (number.wrapping_mul(MIX) >> (64 - slots.trailing_zeros())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spread_over_all_slots() {
        for slots in [64, 1 << 20, 1 << 26, 1 << 34] {
            // In each sixteenth of the slots begins a sixteenth of the searches.
            let mut parts = [0; 16];
            for number in 0..16_000 {
                parts[first_slot(number, slots) / (slots / 16)] += 1;
            }
            let is_even = parts.iter().all(|part| (900..1100).contains(part));
            assert!(is_even, "{slots}: {parts:?}");
        }
        // No more than a few searches begin at one place.
        let slots = 1 << 26;
        let mut places = Vec::from_iter((0..100_000).map(|number| first_slot(7 * number, slots)));
        places.sort_unstable();
        let most = places.chunk_by(|one, next| one == next).map(<[_]>::len);
        assert!(most.max() <= Some(4));
    }

    #[test]
    fn a_table_that_grows_forgets_nothing() {
        let mut seen = Seen::default();
        for round in 0..3 {
            seen.clear(0);
            for number in 0..1000 {
                assert_eq!(
                    seen.insert(number * number, number as usize),
                    NONE,
                    "{round}"
                );
            }
            for number in 0..1000 {
                assert_eq!(seen.insert(number * number, 0), number as usize, "{round}");
            }
        }
    }
}
