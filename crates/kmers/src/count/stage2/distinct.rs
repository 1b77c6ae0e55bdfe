//! Sorts numbers that all differ, each with a count, in bins and registers: the second half of counting by sorting,
//! for ranges of k-mers of one word or two.

use super::bins::{Bins, Entries, MAX_KEYS, MAX_WEIGHT_BITS};
use crate::count::kernel::sorting::{Sortable, Sorting};
use thalweg_superkmers::Kernel;

/// Bits below a number in its key, in which its count is, less one.
pub(crate) const COUNT_BITS: u32 = MAX_WEIGHT_BITS;

/// Takes numbers with their counts one by one and gives them back sorted; all buffers are used again.
#[derive(Debug)]
pub(crate) struct DistinctSorter<T> {
    kernel: Kernel,
    bins: Bins<T>,
    /// Counts that a key does not hold.
    heavy: Vec<(T, u64)>,
}

impl<T: Sortable> DistinctSorter<T> {
    /// For numbers of so many bits; `None` if `T` has no room for [`COUNT_BITS`] besides.
    pub(crate) fn new(bits: u32, kernel: Kernel) -> Option<Self> {
        let bins = Bins::of_distinct(bits);
        (bins.weight_bits() == COUNT_BITS).then(|| Self {
            kernel,
            bins,
            heavy: Vec::new(),
        })
    }

    /// Forgets all, and makes room for so many numbers; `false` if that is too many.
    pub(crate) fn begin(&mut self, numbers: usize) -> bool {
        if numbers > MAX_KEYS {
            return false;
        }
        self.bins.begin(numbers);
        self.heavy.clear();
        true
    }

    /// Adds a number, for which there is room, by its key.
    #[inline(always)]
    pub(crate) fn push(&mut self, key: T) {
        self.bins.push_key(key);
    }

    /// Adds a number of any count, whatever its key says of that.
    #[cold]
    pub(crate) fn push_heavy(&mut self, key: T, count: u64) {
        self.heavy.push((key.kmer(COUNT_BITS), count));
        self.bins.push_key(key);
    }

    /// Shows all of them to `see`, sorted, some thousand at once, which it may change. Equal numbers, if there are any after
    /// all, stay apart or become one with the sum of their counts.
    pub(crate) fn sorted(&mut self, mut see: impl FnMut(&mut Entries<T>)) {
        self.heavy.sort_unstable();
        let mut heavy = self.heavy.iter().peekable();
        self.kernel.count_bins(&mut self.bins, &mut |entries| {
            let shown = entries.shown();
            let last = shown.last().map(|entry| entry.0);
            while let Some(&(number, count)) = heavy.next_if(|heavy| Some(heavy.0) <= last) {
                if let Ok(at) = shown.binary_search_by_key(&number, |entry| entry.0) {
                    shown[at].1 = count;
                }
            }
            see(entries);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Sortable>(bits: u32, kernel: Kernel) {
        let mut sorter = DistinctSorter::<T>::new(bits, kernel).expect("room for a count");
        // Of two words, stretches of up to seven are alike but for their lowest bits, in no order.
        let alike = if bits > 70 { 7 } else { 1 };
        let number = |i: u64| {
            let spread = u128::from((i / alike).wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 64
                | u128::from((i / alike).wrapping_mul(0x6a09_e667_f3bc_c909));
            let number = spread >> (128 - bits) ^ u128::from(i % alike * 5 % 8);
            T::from_words(&[number as u64, (number >> 64) as u64, 0, 0, 0, 0, 0, 0])
        };
        // Twice, as buffers are used again.
        for numbers in [30_000u64, 200] {
            let counts = [1, 2, 256, 257, u64::MAX, 0, 3];
            let mut entries: Vec<(T, u64)> = (0..numbers)
                .map(|i| (number(i), counts[i as usize % 7]))
                .collect();
            entries.sort_unstable();
            entries.dedup_by_key(|entry| entry.0);
            assert!(sorter.begin(entries.len()));
            let odd = entries.iter().skip(1).step_by(2);
            for &(number, count) in entries.iter().step_by(2).chain(odd.rev()) {
                match u32::try_from(count) {
                    Ok(weight @ 1..=256) => sorter.push(number.with_weight(weight, COUNT_BITS)),
                    _ => sorter.push_heavy(number.with_weight(9, COUNT_BITS), count),
                }
            }
            let mut sorted = Vec::new();
            sorter.sorted(|some| sorted.extend_from_slice(some.shown()));
            assert!(sorted == entries, "{kernel:?}, {bits} bits");
        }
    }

    #[test]
    fn numbers_come_back_sorted() {
        for kernel in Kernel::all() {
            for bits in [1, 7, 33, 52, 56] {
                check::<u64>(bits, kernel);
            }
            for bits in [20, 57, 64, 65, 72, 101, 120] {
                check::<u128>(bits, kernel);
            }
            assert!(DistinctSorter::<u64>::new(57, kernel).is_none());
            assert!(DistinctSorter::<u64>::new(101, kernel).is_none());
            assert!(DistinctSorter::<u128>::new(121, kernel).is_none());
        }
    }
}
