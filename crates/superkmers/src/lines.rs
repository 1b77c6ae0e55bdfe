//! Words that begin with a cache line.

/// Words of a cache line.
pub const LINE: usize = 8;

/// Those of a plain vector begin 16 bytes behind one when it is large, and every eight of them would lie in two.
#[derive(Debug)]
pub struct Lines {
    words: Vec<u64>,
    first: usize,
    len: usize,
}

impl Lines {
    /// Zeroes.
    pub fn new(len: usize) -> Self {
        let words = vec![0u64; len + LINE];
        // No more than seven words are ahead of a line's beginning, wherever they begin.
        let first = words.as_ptr().align_offset(8 * LINE).min(LINE);
        Self { words, first, len }
    }

    /// All of them.
    #[inline(always)]
    pub fn all(&self) -> &[u64] {
        &self.words[self.first..][..self.len]
    }

    /// All of them.
    #[inline(always)]
    pub fn all_mut(&mut self) -> &mut [u64] {
        &mut self.words[self.first..][..self.len]
    }
}
