//! Records of a partition: which k-mers of one set lie side by side.
//!
//! ```text
//! for each super-k-mer, in the same order as before:
//!   for each longest run of k-mers of one set in it:
//!     a record, if it has a k-mer that no record has yet at this place beside its minimizer; all of them are in it
//! ```
//! So a k-mer may be in several records, which say the same of it; that is rarer than it would be to cut runs at the k-mers
//! that are there already.

use thalweg_superkmers::Scheme;

use super::{colour::Colours, oriented::Oriented};
use crate::record::{Entry, MAX_FLANK};

/// Appends the records of the super-k-mers that were coloured, in order, and tells how many k-mers they have at how many
/// places beside their minimizers.
pub(super) fn emit(
    colours: &mut Colours,
    super_kmers: &[Oriented],
    scheme: &Scheme,
    entries: &mut Vec<Entry>,
) -> u64 {
    let (k, first) = (scheme.k(), entries.len());
    let mut numbers = [0; MAX_FLANK + 1];
    let mut places = 0;
    for super_kmer in super_kmers {
        let numbers = &mut numbers[..super_kmer.kmers(k)];
        let mut guess = u32::MAX;
        for (start, number) in numbers.iter_mut().enumerate() {
            *number = colours.number(super_kmer.part(start, k), guess);
            guess = *number as u32 + 1;
        }
        let left = super_kmer.place();
        let mut start = 0;
        while start < numbers.len() {
            let set = colours.set(numbers[start]);
            let rest = &numbers[start..];
            let len = (rest.iter()).take_while(|&&number| colours.set(number) == set);
            let len = len.count();
            let mut new = 0;
            for (number, left) in rest[..len].iter().zip((0..=left - start).rev()) {
                new += u64::from(colours.emit(*number, left));
            }
            if new > 0 {
                let (lo, hi) = (left + 1 - start - len, left - start);
                places += new;
                entries.push(Entry {
                    value: super_kmer.value(scheme),
                    flanks: super_kmer.flanks(lo, hi, scheme),
                    lo: lo as u8,
                    hi: hi as u8,
                    set,
                });
            }
            start += len;
        }
    }
    entries[first..].sort_unstable();
    places
}
