//! Who looks at the reads before and after the steps.

use crate::statistics::Stages;

/// Sees every read as it came, and as it goes if it passes.
///
/// A read that goes as it came is reported once, so that most of the counting is done
/// once for both sides. `mate` is 0 or 1; merged reads go as 0.
pub trait Observer {
    /// A read that goes as it came.
    fn unchanged(&mut self, mate: usize, bases: &[u8], qualities: &[u8]);

    /// A read as it came, which goes otherwise or not at all.
    fn before(&mut self, mate: usize, bases: &[u8], qualities: &[u8]);

    /// A read as it goes, which came otherwise.
    fn after(&mut self, mate: usize, bases: &[u8], qualities: &[u8]);
}

/// Looks at nothing.
impl Observer for () {
    fn unchanged(&mut self, _: usize, _: &[u8], _: &[u8]) {}

    fn before(&mut self, _: usize, _: &[u8], _: &[u8]) {}

    fn after(&mut self, _: usize, _: &[u8], _: &[u8]) {}
}

/// Counts.
impl Observer for [Stages; 2] {
    #[inline]
    fn unchanged(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self[mate].unchanged(bases, qualities);
    }

    #[inline]
    fn before(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self[mate].before(bases, qualities);
    }

    #[inline]
    fn after(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        self[mate].after(bases, qualities);
    }
}
