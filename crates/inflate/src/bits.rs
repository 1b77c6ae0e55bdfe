//! Reading bits near the end of the input, where every byte must be checked.

/// A place in the compressed input. Reading past the end gives zeros, and is noticed afterwards
/// by [`Bits::overrun`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits<'a> {
    input: &'a [u8],
    at: u64,
}

impl<'a> Bits<'a> {
    pub(crate) fn new(input: &'a [u8], at: u64) -> Self {
        Self { input, at }
    }

    /// The next bits, the first one lowest: at least 57 of them, with zeros past the end.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        let byte = usize::try_from(self.at / 8).unwrap_or(usize::MAX);
        let tail = self.input.get(byte..).unwrap_or_default();
        let word = match tail.first_chunk::<8>() {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => {
                let mut chunk = [0; 8];
                chunk[..tail.len()].copy_from_slice(tail);
                u64::from_le_bytes(chunk)
            }
        };
        word >> (self.at % 8)
    }

    #[inline(always)]
    pub(crate) fn skip(&mut self, count: u32) {
        self.at += u64::from(count);
    }

    /// Take `count <= 32` bits.
    #[inline(always)]
    pub(crate) fn take(&mut self, count: u32) -> u32 {
        debug_assert!(count <= 32);
        let value = self.peek() & ((1 << count) - 1);
        self.skip(count);
        value as u32
    }

    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    /// Go to the next whole byte.
    pub(crate) fn align(&mut self) {
        self.at = self.at.next_multiple_of(8);
    }

    /// How many bits are left.
    #[inline(always)]
    pub(crate) fn left(&self) -> u64 {
        (self.input.len() as u64 * 8).saturating_sub(self.at)
    }

    /// Whether more bits were taken than there are.
    pub(crate) fn overrun(&self) -> bool {
        self.at > self.input.len() as u64 * 8
    }
}
