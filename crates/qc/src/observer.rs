//! Who looks at the reads before and after the steps.

/// Sees every read twice: as it came, and, if it passes, as it goes.
pub trait Observer {
    /// A read as it came; `mate` is 0 or 1.
    fn before(&mut self, mate: usize, bases: &[u8], qualities: &[u8]);

    /// A read as it is written; `mate` is 0 or 1, merged reads are 0.
    fn after(&mut self, mate: usize, bases: &[u8], qualities: &[u8]);
}

/// Looks at nothing.
impl Observer for () {
    fn before(&mut self, _: usize, _: &[u8], _: &[u8]) {}

    fn after(&mut self, _: usize, _: &[u8], _: &[u8]) {}
}
