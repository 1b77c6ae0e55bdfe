//! Indexes that fall out while a file is read for something else.

use thalweg_formats::FileFormat;
use thalweg_gzip::Decoder;

/// Sees all that a feed decodes, in order.
pub(crate) trait Recorder: Send {
    /// A block begins where the decoder stands; all data before it were seen.
    fn block(&mut self, decoder: &mut Decoder);

    /// The next uncompressed bytes; `at_end`: no more follow.
    fn data(&mut self, bytes: &[u8], at_end: bool);

    /// The decoder stopped behind those bytes.
    fn stopped(&mut self, decoder: &mut Decoder, at_end: bool);

    /// Records that were found: where the data begin that have them (from the start
    /// of the feed's bytes), and their positions from there, in the terms of `format`.
    fn records(&mut self, start: u64, ends: &[u32], format: FileFormat);

    /// The part of the file ends here; what follows belongs to the next part.
    fn part_end(&mut self, output: u64);

    /// For whoever knows what it is.
    fn into_any(self: Box<Self>) -> Box<dyn std::any::Any>;
}
