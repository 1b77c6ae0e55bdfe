//! Which m-mers are the least ones of windows, without looking at any window by itself.
//!
//! ```text
//! class[p]    = value[p] / 2                      of the m-mer at p: its value but for the strand
//! least[i]    = min(class[i .. i + w])            of the window at i, w m-mers
//! greatest[p] = max(least[p - w + 1 ..= p])       of the windows that have the m-mer at p
//! p is listed if class[p] = greatest[p]
//! ```
//! No window has a lesser m-mer than its least one, so `class[p]` is never less than any of its windows' least: it equals
//! the greatest of them where it is the least of one. All of it is minima, which are vectors: a greatest number is the
//! complement of the least complement.

use std::ops::{Not, Range, Shr};

use super::minima;

/// m-mers that are the least of a window, and what is needed to find them.
#[derive(Debug, Default)]
pub(crate) struct Places {
    narrow: Classes<u32>,
    wide: Classes<u64>,
    /// Whether the last ones were found with 64 bits.
    is_wide: bool,
    /// Bit `p` is set if the m-mer at `p` is the least of a window, whatever its letters were.
    pub(crate) bits: Vec<u64>,
}

/// The complements of classes.
#[derive(Debug, Default)]
pub(crate) struct Classes<T> {
    /// By m-mer its own.
    pub(crate) own: Vec<T>,
    /// By m-mer the least complement of its windows.
    pub(crate) greatest: Vec<T>,
    scratch: Vec<T>,
}

impl Places {
    /// Keeps the values of m-mers, before the least of each window takes their place.
    #[inline(always)]
    pub(super) fn keep(&mut self, values: &[u32]) {
        self.is_wide = false;
        self.narrow.keep(values);
        self.bits.clear();
    }

    /// [`keep`](Self::keep) of values of 64 bits.
    pub(super) fn keep_wide(&mut self, values: &[u64]) {
        self.is_wide = true;
        self.wide.keep(values);
        self.bits.clear();
    }

    /// Compares with the least value of each window, of `width` m-mers; [`list`](Self::list) is to follow.
    #[inline(always)]
    pub(super) fn find(&mut self, least: &[u32], width: usize) {
        self.narrow.find(least, width);
        self.bits.resize(self.narrow.greatest.len().div_ceil(64), 0);
    }

    /// [`find`](Self::find) and [`list`](Self::list) of values of 64 bits.
    pub(super) fn find_wide(&mut self, least: &[u64], width: usize) {
        if !least.is_empty() {
            self.wide.find(least, width);
            self.bits.resize(self.wide.greatest.len().div_ceil(64), 0);
            self.wide.list(0, &mut self.bits);
        }
    }

    /// Sets the bits from m-mer `start` on, a multiple of 64.
    #[inline(always)]
    pub(super) fn list(&mut self, start: usize) {
        if !self.bits.is_empty() {
            self.narrow.list(start, &mut self.bits);
        }
    }

    /// For a vector kernel, which lists in place of [`list`](Self::list): the classes and the bits.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn narrow(&mut self) -> (&Classes<u32>, &mut [u64]) {
        (&self.narrow, &mut self.bits)
    }

    /// The places in `range` of m-mers of a class, ascending, if windows that the range is made of have it.
    #[inline]
    pub(crate) fn of_class(&self, range: Range<usize>, class: u64) -> impl Iterator<Item = usize> {
        let is_of_class = move |&place: &usize| match self.is_wide {
            false => !self.narrow.own[place] == class as u32,
            true => !self.wide.own[place] == class,
        };
        set_bits(&self.bits, range).filter(is_of_class)
    }
}

impl<T> Classes<T>
where
    T: Copy + Ord + Default + Not<Output = T> + Shr<u32, Output = T>,
{
    #[inline(always)]
    fn keep(&mut self, values: &[T]) {
        self.own.resize(values.len(), T::default());
        for (class, &value) in self.own.iter_mut().zip(values) {
            *class = !(value >> 1);
        }
    }

    #[inline(always)]
    fn find(&mut self, least: &[T], width: usize) {
        let (before, none) = (width - 1, !T::default());
        self.greatest.clear();
        self.greatest.resize(least.len() + 2 * before, none);
        for (class, &least) in self.greatest[before..].iter_mut().zip(least) {
            *class = !(least >> 1);
        }
        minima(&mut self.greatest, &mut self.scratch, width);
    }

    #[inline(always)]
    fn list(&self, start: usize, bits: &mut [u64]) {
        let own = self.own[start..].chunks(64);
        let greatest = self.greatest[start..].chunks(64);
        for (bits, (own, greatest)) in bits[start / 64..].iter_mut().zip(own.zip(greatest)) {
            *bits = 0;
            for (i, (one, other)) in own.iter().zip(greatest).enumerate() {
                *bits |= u64::from(one == other) << i;
            }
        }
    }
}

/// The numbers in `range` of bits that are set, ascending.
#[inline]
fn set_bits(words: &[u64], range: Range<usize>) -> impl Iterator<Item = usize> {
    let mut start = range.start;
    let mut left = 0;
    std::iter::from_fn(move || {
        while left == 0 {
            if start >= range.end {
                return None;
            }
            let number = (range.end - start).min(64);
            let (word, shift) = (start / 64, start % 64);
            let word_of = |i: usize| words.get(i).copied().unwrap_or(0);
            // Two shifts, as a shift by 64 is not one by zero.
            let bits = word_of(word) >> shift | word_of(word + 1) << 1 << (63 - shift);
            left = bits & u64::MAX >> (64 - number);
            start += 64;
        }
        let place = start - 64 + left.trailing_zeros() as usize;
        left &= left - 1;
        Some(place)
    })
}
