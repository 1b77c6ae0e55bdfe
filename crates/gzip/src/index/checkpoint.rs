//! One place where decoding can start.

/// A place where decoding can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Bits from the start of the compressed file to the first bit of a DEFLATE block header.
    ///
    /// For the first block of a member this is right after the gzip header.
    pub bit_offset: u64,
    /// Uncompressed bytes before it, over all members.
    pub output_offset: u64,
    /// 0-based number of the first record that starts at or after `output_offset`.
    pub record_rank: u64,
    /// Uncompressed offset of that record's first byte; the total output size if there is none.
    pub record_offset: u64,
    /// CRC-32 (as in gzip) of the uncompressed bytes from here to the next checkpoint or the end.
    ///
    /// `None` when imported from a format that has none.
    pub crc32: Option<u32>,
}
