//! Reads of a batch that are still there when it is known how many came before them.

/// What is asked of a read when its rank is known; reads are numbered as their notes were taken.
pub trait Kept {
    /// The name and what follows it, without `@`.
    fn head(&self, read: usize) -> &[u8];

    /// The bases, in upper case; at least as many as tell whether it is a copy of another read.
    fn bases(&self, read: usize) -> &[u8];

    /// The qualities.
    fn qualities(&self, read: usize) -> &[u8];
}

/// Copies of reads, for who cannot keep the batch that they are in.
#[derive(Clone, Debug, Default)]
pub struct KeptCopies {
    text: Vec<u8>,
    /// Where head, bases and qualities end.
    ends: Vec<[usize; 3]>,
}

impl KeptCopies {
    /// Keep a copy of a read whose bases are in upper case.
    #[inline]
    pub fn push(&mut self, head: &[u8], bases: &[u8], qualities: &[u8]) {
        self.text.extend_from_slice(head);
        let head = self.text.len();
        self.text.extend_from_slice(bases);
        let bases = self.text.len();
        self.text.extend_from_slice(qualities);
        self.ends.push([head, bases, self.text.len()]);
    }

    /// How many reads are kept.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Drop all copies.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    #[inline]
    fn start(&self, read: usize) -> usize {
        match read.checked_sub(1) {
            Some(before) => self.ends[before][2],
            None => 0,
        }
    }
}

impl Kept for KeptCopies {
    #[inline]
    fn head(&self, read: usize) -> &[u8] {
        &self.text[self.start(read)..self.ends[read][0]]
    }

    #[inline]
    fn bases(&self, read: usize) -> &[u8] {
        &self.text[self.ends[read][0]..self.ends[read][1]]
    }

    #[inline]
    fn qualities(&self, read: usize) -> &[u8] {
        &self.text[self.ends[read][1]..self.ends[read][2]]
    }
}
