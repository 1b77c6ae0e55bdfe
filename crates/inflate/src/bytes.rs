//! Sets of bytes.

/// A set of byte values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// No byte.
    pub const EMPTY: Self = Self([0; 4]);
    /// Every byte.
    pub const ALL: Self = Self([u64::MAX; 4]);

    /// Take a byte in.
    #[inline]
    pub const fn insert(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
    }

    /// Whether a byte is in the set.
    #[inline]
    pub const fn contains(self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// What is in this set or in the other.
    #[inline]
    pub fn union(self, other: Self) -> Self {
        Self(core::array::from_fn(|word| self.0[word] | other.0[word]))
    }

    /// Whether a byte is in both sets.
    #[inline]
    pub fn meets(self, other: Self) -> bool {
        self.0
            .iter()
            .zip(other.0)
            .any(|(one, other)| one & other != 0)
    }

    /// Whether no byte is in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::EMPTY
    }

    /// How many bytes are in the set.
    #[inline]
    pub fn len(self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The bytes in the set, upwards.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&byte| self.contains(byte))
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::EMPTY;
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_set() {
        let set: ByteSet = [0, 63, 64, 200, 255, 64].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 200, 255]);
        assert_eq!(set.len(), 5);
        assert!(set.contains(200) && !set.contains(201) && !set.is_empty());
        let other: ByteSet = (65..=199).collect();
        assert!(!set.meets(other) && !other.meets(set) && set.meets(ByteSet::ALL));
        assert_eq!(set.union(other).len(), 140);
        assert_eq!(ByteSet::ALL.len(), 256);
        assert!(ByteSet::EMPTY.is_empty());
    }
}
