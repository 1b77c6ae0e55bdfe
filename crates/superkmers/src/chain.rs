//! Blocks of an unnamed file that belong together: each begins with the place of the one before it.
//!
//! ```text
//! block: place of the block before (8 bytes), its length (4; 0 if there is none) | what it holds
//! ```
//! So only the newest block of a chain is kept in memory, however many there are.

/// Bytes before what a block holds.
pub const HEAD: usize = 12;

/// Where a block lies in the file, and its bytes with its head; of no length if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link {
    /// Of the first byte of its head.
    pub offset: u64,
    /// With its head.
    pub bytes: u32,
}

impl Link {
    /// The head of the block that follows this one.
    #[inline]
    pub fn to_bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..].copy_from_slice(&self.bytes.to_le_bytes());
        bytes
    }

    /// The block before the one with this head.
    #[inline]
    pub fn from_bytes(bytes: &[u8; HEAD]) -> Self {
        let [offset @ .., a, b, c, d] = *bytes;
        Self {
            offset: u64::from_le_bytes(offset),
            bytes: u32::from_le_bytes([a, b, c, d]),
        }
    }
}
