//! DEFLATE streams: by `thalweg-deflate` where it is the better choice, else by libdeflate.

use libdeflater::{CompressionLvl, Compressor};

use super::PressError;
use crate::Level;

/// Which levels stand for what is documented at [`Level`].
pub(crate) enum Deflate {
    Own(Box<thalweg_deflate::Compressor>),
    Libdeflate(Compressor),
}

impl Deflate {
    pub(super) fn new(level: Level) -> Result<Self, PressError> {
        if let Some(own) = level.own() {
            return Ok(Self::Own(Box::new(thalweg_deflate::Compressor::new(own))));
        }
        let level = CompressionLvl::new(i32::from(level.number()))
            .map_err(|error| PressError(format!("libdeflate: {error:?}")))?;
        Ok(Self::Libdeflate(Compressor::new(level)))
    }

    /// Append one complete stream.
    pub(super) fn press(&mut self, text: &[u8], into: &mut Vec<u8>) -> Result<(), PressError> {
        match self {
            Self::Own(compressor) => compressor.compress(text, into),
            Self::Libdeflate(compressor) => {
                let start = into.len();
                into.resize(start + compressor.deflate_compress_bound(text.len()), 0);
                let length = compressor
                    .deflate_compress(text, &mut into[start..])
                    .map_err(|error| PressError(format!("libdeflate: {error}")))?;
                into.truncate(start + length);
            }
        }
        Ok(())
    }
}
