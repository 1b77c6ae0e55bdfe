//! The memory of a slab: large pages of it where the system has them.
//!
//! 320 MB in pages of 4 KiB are 80,000 faults, 0.05 of a count's time at a hundredfold coverage.

#[cfg(target_arch = "x86_64")]
mod stream;

use memmap2::MmapMut;

/// What a large page of x86-64, and of AArch64 with small pages of 4 KiB, holds.
pub const LARGE_PAGE: usize = 2 << 20;

/// Zeroes to begin with.
#[derive(Debug)]
pub enum Slab {
    /// Whole large pages, if the system gives them.
    Mapped(MmapMut),
    /// A few ordinary ones.
    Allocated(Vec<u64>),
}

impl Slab {
    /// So many words.
    pub fn new(words: usize) -> Self {
        match words.is_multiple_of(LARGE_PAGE / 8) {
            true => Self::of_large_pages(words),
            false => None,
        }
        .unwrap_or_else(|| Self::Allocated(vec![0; words]))
    }

    /// So many words, which should fill whole large pages, if there is so much memory.
    pub fn of_large_pages(words: usize) -> Option<Self> {
        let map = MmapMut::map_anon(words.checked_mul(8)?).ok()?;
        // A wish: small pages do as well.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Some(Self::Mapped(map))
    }

    /// What was written; behind [`Slab::write`], [`settle`] comes before it.
    #[inline]
    pub fn words(&self) -> &[u64] {
        match self {
            // Pages begin at a multiple of eight.
            Self::Mapped(map) => bytemuck::cast_slice(map),
            Self::Allocated(words) => words,
        }
    }

    /// The same, to be written without [`Slab::write`].
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        match self {
            Self::Mapped(map) => bytemuck::cast_slice_mut(map),
            Self::Allocated(words) => words,
        }
    }

    /// Puts `words` to word `at` and those behind it.
    ///
    /// # Panics
    ///
    /// If there is not so much room.
    pub fn write(&mut self, at: usize, words: &[u64]) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Mapped(map) if at.is_multiple_of(2) => {
                stream::copy(&mut bytemuck::cast_slice_mut(map)[at / 2..], words);
            }
            Self::Mapped(map) => copy(bytemuck::cast_slice_mut(map), at, words),
            Self::Allocated(all) => copy(all, at, words),
        }
    }
}

fn copy(all: &mut [u64], at: usize, words: &[u64]) {
    all[at..][..words.len()].copy_from_slice(words);
}

/// Lets this and other threads see what this one has written to slabs.
pub fn settle() {
    #[cfg(target_arch = "x86_64")]
    stream::fence();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_hold_words() {
        let pages = Slab::new(LARGE_PAGE / 4);
        assert!(matches!(pages, Slab::Mapped(_)));
        let few = Slab::new(1024);
        assert!(matches!(few, Slab::Allocated(_)));
        for (mut slab, words) in [(pages, LARGE_PAGE / 4), (few, 1024)] {
            assert!(slab.words() == vec![0; words]);
            let mut expected = vec![0; words];
            // At the beginning, at the end, at an odd place, and of odd lengths.
            for (at, len) in [(0, 32), (words - 32, 32), (64, 31), (101, 7), (40, 1)] {
                let numbers: Vec<u64> = (0..len).map(|i| 1000 * at as u64 + i).collect();
                slab.write(at, &numbers);
                expected[at..][..numbers.len()].copy_from_slice(&numbers);
            }
            settle();
            assert!(slab.words() == expected);
        }
    }
}
