//! A set of numbers that is emptied in no time.

/// Remembers numbers until it is cleared. It grows, and does not shrink.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// A power of two of them, or none; at least twice as many as numbers.
    slots: Vec<Slot>,
    /// A slot of another round is free.
    round: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    number: u64,
    round: u32,
}

/// Odd, and its multiples are well spread: the golden ratio's fraction.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

impl Seen {
    /// Forgets all, and makes room for so many.
    pub(super) fn clear(&mut self, numbers: usize) {
        let needed = (2 * numbers).next_power_of_two().max(64);
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

    /// Adds a number; whether it was not there yet.
    ///
    /// # Panics
    ///
    /// May not return, or panic, if there are more than there was to be room for.
    #[inline]
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let mask = self.slots.len() - 1;
        let mixed = (number ^ number >> 32).wrapping_mul(MIX);
        let mut at = (mixed ^ mixed >> 29).wrapping_mul(MIX) >> 32;
        loop {
            let slot = &mut self.slots[at as usize & mask];
            if slot.round != self.round {
                *slot = Slot {
                    number,
                    round: self.round,
                };
                return true;
            }
            if slot.number == number {
                return false;
            }
            at += 1;
        }
    }

    /// Bytes that it has.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
    }
}
