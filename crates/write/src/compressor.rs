//! Compression for those who write in another way than by [`Outputs`](crate::Outputs).

use crate::press::Press;
use crate::{Level, OutputFormat, PressError};

/// Makes compressed bytes of texts, each by itself: the bytes of several, one behind the other, are one file.
///
/// For threads that compress what one of them writes to a [`WholeFile`](crate::WholeFile). One for each thread, used again
/// and again: its tables take up to 9 MB.
pub struct Compressor(Press);

impl Compressor {
    /// A compressor of `format`, which for [`OutputFormat::Plain`] only copies.
    ///
    /// # Errors
    /// That there is no memory for it.
    pub fn new(format: OutputFormat, level: Level) -> Result<Self, PressError> {
        Ok(Self(Press::new(format, level)?))
    }

    /// Append the compressed form of `text` to `into`; nothing for nothing.
    ///
    /// # Errors
    /// What the library of the format says.
    pub fn compress(&mut self, text: &[u8], into: &mut Vec<u8>) -> Result<(), PressError> {
        self.0.press(text, into)
    }
}
