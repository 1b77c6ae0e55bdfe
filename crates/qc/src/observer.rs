//! Who looks at the reads before and after the steps.

use std::ops::Range;

use crate::statistics::Stages;
use crate::{Outcome, Read, Step};

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

    /// Whether it wants to be told what each step does, by the methods below. Where it does not, nothing is found out for it, and
    /// that is known when the steps are compiled.
    const FOLLOWS: bool = false;

    /// A read is about to go through the steps.
    fn begin(&mut self, mate: usize, read: &Read<'_>) {
        let _ = (mate, read);
    }

    /// A step is done with a read, of which these bases are left, counted from 0 as they came; none if the step gave it up.
    fn done(&mut self, mate: usize, step: Step, left: Range<usize>) {
        let _ = (mate, step, left);
    }

    /// So many bases of both mates were changed to what the other one shows.
    fn corrected(&mut self, bases: [u64; 2]) {
        let _ = bases;
    }

    /// A read is dealt with. `verdict` is that on what is left of it, or of the merged read: what stands behind the names of
    /// reads that fail, `passed`, or nothing if it was not judged.
    fn ended(&mut self, mate: usize, read: &Read<'_>, verdict: &'static str, outcome: Outcome) {
        let _ = (mate, read, verdict, outcome);
    }
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
