//! Some short stretches of a text, by which places in it are found.
//!
//! An *anchor* is every [`BASES`] bases whose mixed value is among the lowest eighth: on both strands the same ones, as the
//! lesser of both is mixed. Where one comes twice, the first place is kept.

use super::text::bases_at;
use crate::{count::encode::Encoded, minimizer::ODD, prefetch::prefetch};

/// Bases of an anchor: a word of 32 bits. Of a text of 64 million bases, one place of 250 has an anchor by chance.
pub(super) const BASES: usize = 16;

/// One of 2^4 stretches is an anchor: the first 16 bases after which an anchor begins are 85 % of the places, and the table is
/// as large as the text that it is for.
const RARITY: u32 = 4;

/// Stretches that are looked at together: what one word has of bases is enough for all.
const TOGETHER: usize = 8;

/// No anchor: the lesser of two strands is never the greatest number.
const NONE: u64 = u64::MAX;

const LEAST_SLOTS: usize = 1 << 10;

/// Where an anchor begins, and whether its reverse complement is the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) at: usize,
    pub(super) is_reverse: bool,
}

/// Anchors and their places.
#[derive(Debug)]
pub(super) struct Anchors {
    /// The anchor above, the place in the middle, the strand in the lowest bit; an open table, at most half full.
    slots: Vec<u64>,
    /// Bits to shift a mixed value to get its slot.
    shift: u32,
    len: usize,
}

impl Anchors {
    /// Bytes of the table for each base of a text, while it doubles: 8 of a slot, of which there are up to four for each
    /// anchor, and once more half of that.
    pub(super) const BYTES_PER_BASE: usize = 8 * 4 * 3 / 2 >> RARITY;

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.slots[..])
    }

    pub(super) fn new() -> Self {
        let mut anchors = Self {
            slots: Vec::new(),
            shift: 0,
            len: 0,
        };
        anchors.resize(LEAST_SLOTS);
        anchors
    }

    fn resize(&mut self, slots: usize) {
        self.slots = vec![NONE; slots];
        // What an anchor's mixed value begins with says nothing.
        self.shift = 32 - slots.trailing_zeros();
        self.len = 0;
    }

    #[inline(always)]
    fn slot(&self, anchor: u32) -> usize {
        (mix(anchor) << RARITY >> self.shift) as usize
    }

    /// The place of an anchor.
    #[inline(always)]
    fn find(&self, anchor: u32) -> Option<Place> {
        let mut slot = self.slot(anchor);
        loop {
            let found = self.slots[slot & (self.slots.len() - 1)];
            if found == NONE {
                return None;
            }
            if (found >> 32) as u32 == anchor {
                return Some(Place {
                    at: (found as u32 >> 1) as usize,
                    is_reverse: found & 1 == 1,
                });
            }
            slot += 1;
        }
    }

    /// Asks for the memory where an anchor is looked up.
    #[inline(always)]
    pub(super) fn ask(&self, stretch: Stretch) {
        prefetch(&self.slots[self.slot(stretch.anchor) & (self.slots.len() - 1)]);
    }

    /// The place of an anchor.
    #[inline(always)]
    pub(super) fn place(&self, stretch: Stretch) -> Option<Place> {
        self.find(stretch.anchor)
    }

    /// Remembers the place of an anchor, unless it has one; `at` is below 2^31.
    pub(super) fn insert(&mut self, Stretch { anchor, .. }: Stretch, place: Place) {
        if 2 * (self.len + 1) > self.slots.len() {
            self.double();
        }
        let low = (place.at as u64) << 1 | u64::from(place.is_reverse);
        self.put(u64::from(anchor) << 32 | low);
    }

    fn put(&mut self, entry: u64) {
        let anchor = (entry >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = self.slot(anchor) & mask;
        while self.slots[slot] != NONE {
            if (self.slots[slot] >> 32) as u32 == anchor {
                return;
            }
            slot = (slot + 1) & mask;
        }
        self.slots[slot] = entry;
        self.len += 1;
    }

    fn double(&mut self) {
        let slots = std::mem::take(&mut self.slots);
        self.resize(2 * slots.len());
        for entry in slots.into_iter().filter(|&entry| entry != NONE) {
            self.put(entry);
        }
    }
}

/// A stretch of [`BASES`] bases that is an anchor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    anchor: u32,
    /// Where it begins.
    pub(super) at: usize,
    /// Whether its reverse complement is the lesser.
    pub(super) is_reverse: bool,
}

#[inline(always)]
fn mix(anchor: u32) -> u32 {
    anchor.wrapping_mul(ODD)
}

/// The anchors of some bases, in their order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretches<'a> {
    packed: &'a [u64],
    /// Base behind the reverse strand.
    reverse_end: usize,
    /// Where the group begins that was looked at last, and the next one.
    group: usize,
    next: usize,
    /// Behind the last stretch.
    end: usize,
    /// Of the group, a bit for each that is an anchor and was not given yet.
    which: u32,
    reverses: u32,
    anchors: [u32; TOGETHER],
}

impl<'a> Stretches<'a> {
    /// Those that lie in the bases `from..end`.
    #[inline(always)]
    pub(super) fn new(encoded: &'a Encoded, from: usize, end: usize) -> Self {
        Self {
            packed: &encoded.packed,
            reverse_end: encoded.reverse_end() / 2,
            group: from,
            next: from,
            end: (end + 1).saturating_sub(BASES),
            which: 0,
            reverses: 0,
            anchors: [0; TOGETHER],
        }
    }

    /// Looks at the next group.
    #[inline(always)]
    fn look(&mut self) {
        let forward = bases_at(self.packed, self.next);
        // The last of the group comes first on the other strand.
        let last = self.next + TOGETHER - 1;
        let backward = bases_at(self.packed, self.reverse_end - last - BASES);
        (self.which, self.reverses) = (0, 0);
        for (i, anchor) in self.anchors.iter_mut().enumerate() {
            let one = (forward >> (2 * i)) as u32;
            let other = (backward >> (2 * (TOGETHER - 1 - i))) as u32;
            *anchor = one.min(other);
            self.reverses |= u32::from(other < one) << i;
            self.which |= u32::from(mix(*anchor) >> (32 - RARITY) == 0) << i;
        }
        let left = self.end - self.next;
        if left < TOGETHER {
            self.which &= (1 << left) - 1;
        }
        (self.group, self.next) = (self.next, self.next + TOGETHER);
    }
}

impl Iterator for Stretches<'_> {
    type Item = Stretch;

    #[inline(always)]
    fn next(&mut self) -> Option<Stretch> {
        while self.which == 0 {
            if self.next >= self.end {
                return None;
            }
            self.look();
        }
        let i = self.which.trailing_zeros() as usize % TOGETHER;
        self.which &= self.which - 1;
        Some(Stretch {
            anchor: self.anchors[i],
            at: self.group + i,
            is_reverse: self.reverses >> i & 1 == 1,
        })
    }
}
