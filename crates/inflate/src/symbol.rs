//! What a stream is decoded to: bytes, or wider symbols that can also stand for bytes not known yet.

/// A symbol of output. Literals and stored bytes become symbols of the same value; matches copy symbols, whatever
/// their value.
///
/// The fast loops rely on it that every bit pattern is a symbol, and that symbols have no padding.
pub(crate) trait Symbol: Copy + From<u8> + 'static {
    /// Two literals, the first one lowest, as symbols.
    fn pair(literals: u16) -> [Self; 2];

    /// Eight literals, the first one lowest, as symbols.
    fn eight(literals: u64) -> [Self; 8];

    /// Write stored bytes; both slices have the same length.
    fn store(bytes: &[u8], to: &mut [Self]);
}

impl Symbol for u8 {
    #[inline(always)]
    fn pair(literals: u16) -> [Self; 2] {
        literals.to_le_bytes()
    }

    #[inline(always)]
    fn eight(literals: u64) -> [Self; 8] {
        literals.to_le_bytes()
    }

    #[inline(always)]
    fn store(bytes: &[u8], to: &mut [Self]) {
        to.copy_from_slice(bytes);
    }
}

impl Symbol for u16 {
    #[inline(always)]
    fn pair(literals: u16) -> [Self; 2] {
        // One store of four bytes.
        let pair = (u32::from(literals) | u32::from(literals) << 8) & 0x00ff_00ff;
        [pair as u16, (pair >> 16) as u16]
    }

    #[inline(always)]
    fn eight(literals: u64) -> [Self; 8] {
        literals.to_le_bytes().map(Self::from)
    }

    fn store(bytes: &[u8], to: &mut [Self]) {
        for (to, &byte) in to.iter_mut().zip(bytes) {
            *to = Self::from(byte);
        }
    }
}

/// The symbols between two places of one slice, of which `end` is not before `start`.
#[inline(always)]
pub(crate) fn between<S>(start: *const S, end: *const S) -> usize {
    (end.addr() - start.addr()) / size_of::<S>()
}
