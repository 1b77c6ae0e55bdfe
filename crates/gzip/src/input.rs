use std::io::{self, Read};

/// Compressed bytes that a stream can hold: more than the longest header.
pub(crate) const CAPACITY: usize = 128 * 1024;
/// Bytes read at a time. They, the slabs and the windows of four streams share
/// the second-level cache; larger ones are slower (`docs/design/inflate.md`).
const READ: usize = 32 * 1024;

/// Compressed bytes, and the bit that is read next.
pub(crate) struct Input {
    source: Box<dyn Read + Send>,
    bytes: Vec<u8>,
    filled: usize,
    /// Offset of `bytes[0]` in the compressed file.
    base: u64,
    /// Next unread bit, counted from the start of `bytes`.
    pub(crate) bit: u64,
    at_end: bool,
}

impl Input {
    /// Bytes of `source`, the first of which lies at `offset` of its file and
    /// has `skip` (0..8) bits that are used up.
    pub(crate) fn new(source: Box<dyn Read + Send>, offset: u64, skip: u8) -> Self {
        Self {
            source,
            bytes: vec![0; CAPACITY],
            filled: 0,
            base: offset,
            bit: u64::from(skip),
            at_end: false,
        }
    }

    /// The same buffer for another source.
    pub(crate) fn restart(&mut self, source: Box<dyn Read + Send>, offset: u64, skip: u8) {
        self.source = source;
        self.filled = 0;
        self.base = offset;
        self.bit = u64::from(skip);
        self.at_end = false;
    }

    /// The source, and the offset of the next byte that it gives; none if it has ended. To be put back by [`Self::set_source`].
    pub(crate) fn take_source(&mut self) -> Option<(Box<dyn Read + Send>, u64)> {
        let offset = self.base + self.filled as u64;
        let nothing = || Box::new(io::empty());
        (!self.at_end).then(|| (std::mem::replace(&mut self.source, nothing()), offset))
    }

    /// Go on with another source of the same bytes.
    pub(crate) fn set_source(&mut self, source: Box<dyn Read + Send>) {
        self.source = source;
    }

    /// What is there, from the byte that holds the next unread bit's buffer start.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.filled]
    }

    /// Whole bytes not yet read. The position must be at a byte boundary.
    pub(crate) fn unread(&self) -> &[u8] {
        debug_assert_eq!(self.bit % 8, 0);
        &self.bytes[(self.bit / 8) as usize..self.filled]
    }

    /// The same, and `length` bytes before them, which were read since the last refill.
    pub(crate) fn with_last(&self, length: usize) -> &[u8] {
        debug_assert_eq!(self.bit % 8, 0);
        &self.bytes[(self.bit / 8) as usize - length..self.filled]
    }

    /// Whether the source has no more.
    pub(crate) fn at_end(&self) -> bool {
        self.at_end
    }

    /// Next unread bit, counted from the start of the compressed file.
    pub(crate) fn position(&self) -> u64 {
        self.base * 8 + self.bit
    }

    /// Offset in the compressed file of the byte with the next unread bit.
    pub(crate) fn offset(&self) -> u64 {
        self.position() / 8
    }

    /// Offset in the compressed file of bit `bit` of the buffer, in bytes.
    pub(crate) fn offset_of(&self, bit: u64) -> u64 {
        self.base + bit / 8
    }

    /// Go to the next byte boundary.
    pub(crate) fn align(&mut self) {
        self.bit = self.bit.next_multiple_of(8);
    }

    /// Leave `length` bytes behind.
    pub(crate) fn consume(&mut self, length: usize) {
        self.bit += 8 * length as u64;
        debug_assert!(self.bit <= 8 * self.filled as u64);
    }

    /// Move what is unread to the front and read once more. One call of
    /// `read` only: the writer of a pipe may be waiting for us elsewhere.
    ///
    /// Returns how many bytes came; 0 when the source has ended.
    pub(crate) fn refill(&mut self) -> io::Result<usize> {
        let consumed = ((self.bit / 8) as usize).min(self.filled);
        self.bytes.copy_within(consumed..self.filled, 0);
        self.filled -= consumed;
        self.base += consumed as u64;
        self.bit -= 8 * consumed as u64;
        if self.at_end || self.filled == self.bytes.len() {
            return Ok(0);
        }
        let end = self.bytes.len().min(self.filled + READ);
        loop {
            match self.source.read(&mut self.bytes[self.filled..end]) {
                Ok(length) => {
                    self.filled += length;
                    self.at_end = length == 0;
                    return Ok(length);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
