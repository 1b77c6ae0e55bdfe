//! Records as they lie in a file that is no text.

use std::iter::FusedIterator;

/// The bytes of records, in order; nothing is copied.
///
/// Of what a format passes over, such as bytes between records, nothing is shown.
#[derive(Clone, Copy, Debug)]
pub struct RawRecords<'a> {
    data: &'a [u8],
    ends: &'a [[u32; 2]],
}

impl<'a> RawRecords<'a> {
    /// The records in `data`, of whose first and last bytes `ends` has the positions, as [`BinaryFormat::scan`] gives them.
    ///
    /// # Panics
    /// If the number of positions is odd. Positions that are not of these data make later calls panic or give other slices.
    ///
    /// [`BinaryFormat::scan`]: crate::BinaryFormat::scan
    pub fn new(data: &'a [u8], ends: &'a [u32]) -> Self {
        let (ends, rest) = ends.as_chunks::<2>();
        assert!(rest.is_empty(), "positions of part of a record");
        Self { data, ends }
    }

    /// The data that hold the records.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// The bytes of record `index` of those that are left, counted from 0; `None` beyond the last.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&'a [u8]> {
        let [first, last] = *self.ends.get(index)?;
        Some(&self.data[first as usize..=last as usize])
    }
}

impl<'a> Iterator for RawRecords<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        let record = self.get(0)?;
        self.ends = &self.ends[1..];
        Some(record)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.ends.len(), Some(self.ends.len()))
    }
}

impl ExactSizeIterator for RawRecords<'_> {}
impl FusedIterator for RawRecords<'_> {}
