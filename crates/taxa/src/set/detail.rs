//! Which leaves of one species are in a set: stretches of their places.

use std::ops::Range;

use thalweg_files::{read_varint, write_varint};

/// Which leaves of a species are in a set, if it tells.
#[derive(Clone, Copy, Debug)]
pub struct Detail<'a> {
    stretches: u64,
    bytes: &'a [u8],
}

impl<'a> Detail<'a> {
    /// It does not tell.
    pub(crate) const UNKNOWN: Self = Self {
        stretches: 0,
        bytes: &[],
    };

    /// The places of the leaves among those of the species, ascending; `None` if they are not told.
    ///
    /// Not told are the leaves of a species that has one alone, and those that were folded.
    #[inline]
    pub fn places(&self) -> Option<LeafPlaces<'a>> {
        (self.stretches > 0).then_some(LeafPlaces {
            bytes: self.bytes,
            left: self.stretches,
            stretch: 0..0,
            is_first: true,
        })
    }

    /// Takes it off the front of `bytes`; `None` if these are none, or a place is not below 2^32 - 1.
    pub(crate) fn take(bytes: &mut &'a [u8]) -> Option<Self> {
        let stretches = read_varint(bytes).ok()?;
        let start = *bytes;
        let mut least = 0u64;
        for _ in 0..stretches {
            let from = least.checked_add(read_varint(bytes).ok()?)?;
            let end = from.checked_add(read_varint(bytes).ok()?)?.checked_add(1)?;
            u32::try_from(end).ok()?;
            least = end + 1;
        }
        Some(Self {
            stretches,
            bytes: &start[..start.len() - bytes.len()],
        })
    }

    /// Appends it.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        write_varint(bytes, self.stretches);
        bytes.extend_from_slice(self.bytes);
    }

    /// One behind the last place; 0 if it does not tell. Cost: linear in the stretches.
    pub(crate) fn end(&self) -> u64 {
        let (mut bytes, mut end) = (self.bytes, 0);
        for i in 0..self.stretches {
            end += u64::from(i > 0) + next(&mut bytes) + next(&mut bytes) + 1;
        }
        end
    }
}

/// Places of leaves among those of their species, ascending.
#[derive(Clone, Debug)]
pub struct LeafPlaces<'a> {
    bytes: &'a [u8],
    left: u64,
    stretch: Range<u64>,
    is_first: bool,
}

impl Iterator for LeafPlaces<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.stretch.is_empty() {
            self.left = self.left.checked_sub(1)?;
            let least = self.stretch.end + u64::from(!self.is_first);
            let start = least + next(&mut self.bytes);
            self.stretch = start..start + next(&mut self.bytes) + 1;
            self.is_first = false;
        }
        self.stretch.next().map(|place| place as u32)
    }
}

/// Appends that the leaves are not told.
pub(super) fn write_unknown(bytes: &mut Vec<u8>) {
    bytes.push(0);
}

/// Appends places, ascending strictly, at least one.
pub(super) fn write(bytes: &mut Vec<u8>, places: impl Iterator<Item = u32> + Clone) {
    write_varint(bytes, stretches(places.clone()).count() as u64);
    let mut least = 0;
    for stretch in stretches(places) {
        write_varint(bytes, stretch.start - least);
        write_varint(bytes, stretch.end - stretch.start - 1);
        least = stretch.end + 1;
    }
}

/// As long as they can be.
fn stretches(places: impl Iterator<Item = u32>) -> impl Iterator<Item = Range<u64>> {
    let mut places = places.map(u64::from).peekable();
    std::iter::from_fn(move || {
        let start = places.next()?;
        let mut end = start + 1;
        while places.next_if_eq(&end).is_some() {
            end += 1;
        }
        Some(start..end)
    })
}

/// The next integer of bytes that were checked.
#[inline]
fn next(bytes: &mut &[u8]) -> u64 {
    read_varint(bytes).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back() {
        for places in [
            &[0][..],
            &[7],
            &[0, 1, 2],
            &[0, 2, 4],
            &[3, 4, 9, 10, 11, 400, 70_000],
        ] {
            let mut bytes = Vec::new();
            write(&mut bytes, places.iter().copied());
            bytes.push(9);
            let mut rest = &bytes[..];
            let detail = Detail::take(&mut rest).unwrap();
            assert_eq!(rest, [9]);
            assert_eq!(Vec::from_iter(detail.places().unwrap()), places);
            assert_eq!(detail.end(), u64::from(places[places.len() - 1]) + 1);
        }
        let mut bytes = Vec::new();
        write_unknown(&mut bytes);
        let detail = Detail::take(&mut &bytes[..]).unwrap();
        assert!(detail.places().is_none());
        assert_eq!(detail.end(), 0);
    }
}
