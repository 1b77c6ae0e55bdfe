//! Fixed numbers of bases off both ends.

/// Bases to cut off the front and the tail of every read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GlobalTrim {
    pub(crate) front: usize,
    pub(crate) tail: usize,
}
