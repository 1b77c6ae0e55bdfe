//! Bits to bytes, least significant first (RFC 1951, section 3.1.1).

use std::mem;

use thalweg_scan::coder::Sink;

/// Writes into a slice that its owner made large enough.
///
/// Up to 56 bits may be added between two calls of [`Bits::flush`], which leaves at most 7.
pub(crate) struct Bits<'a> {
    /// What is not written yet, and how long it was.
    out: &'a mut [u8],
    length: usize,
    bits: u64,
    count: u32,
}

/// What did not fill a byte yet: less than 8 bits.
#[derive(Clone, Copy, Default)]
pub(crate) struct Rest {
    bits: u64,
    count: u32,
}

impl Rest {
    pub(crate) fn count(self) -> usize {
        self.count as usize
    }

    /// With zeros above.
    pub(crate) fn byte(self) -> u8 {
        self.bits as u8
    }
}

/// Bytes that [`Bits::flush`] may touch behind the last one that counts.
pub(crate) const ROOM: usize = 8;

impl<'a> Bits<'a> {
    pub(crate) fn new(out: &'a mut [u8], rest: Rest) -> Self {
        Self {
            length: out.len(),
            out,
            bits: rest.bits,
            count: rest.count,
        }
    }

    /// `count` bits; those of `bits` above must be 0.
    #[inline(always)]
    pub(crate) fn add(&mut self, bits: u64, count: u32) {
        debug_assert!(self.count + count < 64 && bits >> count == 0);
        self.bits |= bits << self.count;
        self.count += count;
    }

    /// Let `write` go on with a copy that stays in registers: what others can see is stored at each flush.
    #[inline(always)]
    pub(crate) fn lend(&mut self, write: impl FnOnce(Bits<'a>) -> Bits<'a>) {
        let copy = Bits {
            out: mem::take(&mut self.out),
            ..*self
        };
        *self = write(copy);
    }

    /// Give whole bytes away.
    #[inline(always)]
    pub(crate) fn flush(&mut self) {
        let out = mem::take(&mut self.out);
        // The owner gave ROOM behind the last byte. One question for both: no more than what is stored is whole.
        *out.first_chunk_mut::<ROOM>().expect("room behind the bits") = self.bits.to_le_bytes();
        self.out = &mut out[(self.count >> 3) as usize & (ROOM - 1)..];
        self.bits >>= self.count & !7;
        self.count &= 7;
    }

    /// Fill the byte with zeros.
    pub(crate) fn align(&mut self) {
        self.count = self.count.next_multiple_of(8);
        self.flush();
    }

    /// Bytes as they are; on a boundary of bytes only.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        debug_assert_eq!(self.count, 0);
        let (here, rest) = mem::take(&mut self.out).split_at_mut(bytes.len());
        here.copy_from_slice(bytes);
        self.out = rest;
    }

    /// The number of whole bytes, and what is left.
    pub(crate) fn finish(mut self) -> (usize, Rest) {
        self.flush();
        let rest = Rest {
            bits: self.bits,
            count: self.count,
        };
        (self.length - self.out.len(), rest)
    }
}

impl Sink for Bits<'_> {
    #[inline(always)]
    fn write(&mut self, bits: u64, count: u32) {
        self.add(bits, count);
        self.flush();
    }
}
