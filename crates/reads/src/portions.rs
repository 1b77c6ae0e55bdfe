//! Which portion of each set of files a shard of all of them has.
//!
//! ```text
//! bytes on disk   |------ a ------|-- b --|------------ c ------------|
//! shards of 3     |------- 1 -------|------- 2 -------|------- 3 -------|
//! ```

use std::ops::Range;
use std::path::Path;

use crate::{Error, ErrorKind};

/// A portion of a set of files: what lies between two places of it, told as fractions with one denominator.
///
/// Shares that meet have no record in common and lack none, whatever units the set is shared out in: its records, where
/// indexes number them, or its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    from: u64,
    to: u64,
    of: u64,
    /// There is no other set: if this one cannot be parted, that is an error.
    is_of_only_set: bool,
}

impl Portion {
    /// All of a set.
    pub const WHOLE: Self = Self {
        from: 0,
        to: 1,
        of: 1,
        is_of_only_set: false,
    };

    /// Nothing of a set.
    const NONE: Self = Self {
        from: 0,
        to: 0,
        of: 1,
        is_of_only_set: false,
    };

    /// Part `number` (from 0) of `of` equal ones of the only set.
    ///
    /// # Panics
    /// If `number` is not below `of`.
    pub(crate) fn of_one(number: u64, of: u64) -> Self {
        assert!(number < of, "shard {number} of {of}");
        Self {
            from: number,
            to: number + 1,
            of,
            is_of_only_set: true,
        }
    }

    /// Whether nothing comes before it.
    pub fn is_from_start(self) -> bool {
        self.from == 0
    }

    /// Whether nothing comes behind it.
    pub fn is_to_end(self) -> bool {
        self.to == self.of
    }

    /// Whether it is all.
    pub fn is_whole(self) -> bool {
        self.is_from_start() && self.is_to_end()
    }

    /// Whether it is nothing.
    pub fn is_empty(self) -> bool {
        self.from == self.to
    }

    pub(crate) fn is_of_only_set(self) -> bool {
        self.is_of_only_set
    }

    /// Whether the middle of the set is in it: of portions that meet, it is in one. That one has a set which cannot be parted.
    pub(crate) fn has_middle(self) -> bool {
        let [from, to, of] = [self.from, self.to, self.of].map(u128::from);
        2 * from <= of && of < 2 * to
    }

    /// Which of `units` units it has.
    pub(crate) fn of_units(self, units: u64) -> Range<u64> {
        let place = |place| (u128::from(units) * u128::from(place) / u128::from(self.of)) as u64;
        place(self.from)..place(self.to)
    }
}

/// The portion of each of `sets` (files in step are one set) that part `number` (from 0) of `of` parts of about equal size
/// has, counted in bytes on disk; the parts in order, and in each the sets in order, are all of it in order. Nothing is
/// opened. Of one set it is the same fraction, whatever its size; if that cannot be parted, to read its portion is an error.
///
/// # Errors
/// If a file is not there, or is a pipe.
///
/// # Panics
/// If `number` is not below `of`.
pub fn portions<P: AsRef<Path>>(
    sets: &[Vec<P>],
    number: u64,
    of: u64,
) -> Result<Vec<Portion>, Error> {
    if sets.len() == 1 {
        return Ok(vec![Portion::of_one(number, of)]);
    }
    let sizes = sets.iter().map(|set| size(set));
    let sizes = sizes.collect::<Result<Vec<_>, _>>()?;
    Ok(of_sizes(&sizes, number, of))
}

fn of_sizes(sizes: &[u64], number: u64, of: u64) -> Vec<Portion> {
    assert!(number < of, "shard {number} of {of}");
    let total: u128 = sizes.iter().map(|&size| u128::from(size)).sum();
    let bound = |number| total * u128::from(number) / u128::from(of);
    let (from, to) = (bound(number), bound(number + 1));
    let is_last = number + 1 == of;
    let mut start = 0;
    let share_of = |&size: &u64| {
        let end = start + u128::from(size);
        let within = |place: u128| (place.clamp(start, end) - start) as u64;
        let portion = Portion {
            from: within(from),
            to: within(to),
            of: size,
            is_of_only_set: false,
        };
        // A file without bytes has no middle, but what is wrong with it is to be told once.
        let has_start = from <= start && (start < to || is_last);
        start = end;
        match (size, has_start) {
            (0, true) => Portion::WHOLE,
            (0, false) => Portion::NONE,
            _ => portion,
        }
    };
    sizes.iter().map(share_of).collect()
}

/// Bytes on disk of files in step.
fn size<P: AsRef<Path>>(set: &[P]) -> Result<u64, Error> {
    let size = |path: &P| {
        let path = path.as_ref();
        let is_standard_input = path.as_os_str() == "-";
        let metadata = match is_standard_input {
            true => None,
            false => Some(std::fs::metadata(path).map_err(|error| Error::io(path, error))?),
        };
        // Of a directory, opening it tells what is wrong.
        match metadata.filter(|data| data.is_file() || data.is_dir()) {
            Some(metadata) => Ok(metadata.len()),
            None => {
                let what = "shards and parts need a plain or gzip file that is not a pipe: this one can only be read in order";
                Err(Error::new(ErrorKind::Unsupported(what)).in_file(path))
            }
        }
    };
    set.iter().map(size).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Shards meet within every set, and each set that cannot be parted is in one.
        #[test]
        fn shares_are_all_once(sizes in prop::collection::vec(0_u64..50, 1..8), of in 1_u64..20) {
            let shards: Vec<_> = (0..of).map(|number| of_sizes(&sizes, number, of)).collect();
            for (set, &size) in sizes.iter().enumerate() {
                let portions: Vec<_> = shards.iter().map(|shard| shard[set]).filter(|portion| !portion.is_empty()).collect();
                prop_assert_eq!(portions.iter().filter(|portion| portion.has_middle()).count(), 1, "{:?}", portions);
                for units in [0, 1, 7, size, 1 << 40] {
                    let mut next = 0;
                    for portion in &portions {
                        let range = portion.of_units(units);
                        prop_assert_eq!(range.start, next);
                        next = range.end;
                    }
                    prop_assert_eq!(next, units);
                }
            }
        }
    }

    #[test]
    fn shards_are_even() {
        let mut bytes = [0; 4];
        for (number, bytes) in bytes.iter_mut().enumerate() {
            let sizes = [300, 500, 0, 1, 199];
            let portions = of_sizes(&sizes, number as u64, 4);
            let of_set = portions.iter().zip(sizes);
            *bytes = of_set
                .map(|(portion, size)| {
                    let range = portion.of_units(size);
                    range.end - range.start
                })
                .sum::<u64>();
        }
        assert_eq!(bytes, [250; 4]);
    }
}
