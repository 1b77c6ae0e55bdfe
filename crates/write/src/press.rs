//! Text of one piece to its compressed bytes.

mod bgzf;
mod deflate;
mod gzip;

use deflate::Deflate;

use crate::{Level, OutputFormat};

/// What a worker compresses with, for one format and level. Made once and used
/// for all its pieces: the tables of a compressor take 0.1 to 9 MB.
pub(crate) enum Press {
    Plain,
    Gzip(Deflate),
    Bgzf(Box<bgzf::Blocks>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::bulk::Compressor<'static>),
}

/// A compressor of C code did not do what it promises, or was left out of this build.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PressError(String);

impl Press {
    pub(crate) fn new(format: OutputFormat, level: Level) -> Result<Self, PressError> {
        Ok(match format {
            OutputFormat::Plain => Self::Plain,
            OutputFormat::Gzip => Self::Gzip(Deflate::new(level)?),
            OutputFormat::Bgzf => Self::Bgzf(Box::new(bgzf::Blocks::new(Deflate::new(level)?))),
            #[cfg(not(feature = "zstd"))]
            OutputFormat::Zstd => {
                let what = "this build makes no zstd: build with the feature `zstd` of thalweg, or choose another format";
                return Err(PressError(what.to_owned()));
            }
            #[cfg(feature = "zstd")]
            OutputFormat::Zstd => {
                let fail = |error: std::io::Error| PressError(error.to_string());
                let mut frames = zstd::bulk::Compressor::new(level.zstd()).map_err(fail)?;
                frames.include_checksum(true).map_err(fail)?;
                Self::Zstd(frames)
            }
        })
    }

    /// Append the compressed form of `text` to `into`; nothing for nothing.
    pub(crate) fn press(&mut self, text: &[u8], into: &mut Vec<u8>) -> Result<(), PressError> {
        if text.is_empty() {
            return Ok(());
        }
        self.press_even_nothing(text, into)
    }

    /// What has to stand behind the last piece; `is_empty` if no byte stands before it.
    ///
    /// An empty file is no gzip file (nor a zstd one), so output without records
    /// gets a member without bytes.
    pub(crate) fn trailer(&mut self, is_empty: bool) -> Result<Vec<u8>, PressError> {
        let mut trailer = Vec::new();
        match self {
            Self::Plain => {}
            Self::Bgzf(_) => trailer.extend_from_slice(&bgzf::END),
            _ if is_empty => self.press_even_nothing(&[], &mut trailer)?,
            _ => {}
        }
        Ok(trailer)
    }

    fn press_even_nothing(&mut self, text: &[u8], into: &mut Vec<u8>) -> Result<(), PressError> {
        match self {
            Self::Plain => into.extend_from_slice(text),
            Self::Bgzf(blocks) => blocks.press(text, into)?,
            Self::Gzip(members) => gzip::press(members, text, into)?,
            #[cfg(feature = "zstd")]
            Self::Zstd(frames) => {
                let frame = frames
                    .compress(text)
                    .map_err(|error| PressError(format!("zstd: {error}")))?;
                into.extend_from_slice(&frame);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Read;

    use super::*;

    fn expand(format: OutputFormat, bytes: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        match format {
            OutputFormat::Plain => text.extend_from_slice(bytes),
            OutputFormat::Gzip | OutputFormat::Bgzf => {
                flate2::read::MultiGzDecoder::new(bytes)
                    .read_to_end(&mut text)
                    .unwrap();
            }
            #[cfg(feature = "zstd")]
            OutputFormat::Zstd => text = zstd::stream::decode_all(bytes).unwrap(),
            #[cfg(not(feature = "zstd"))]
            OutputFormat::Zstd => unreachable!("such an output cannot be opened"),
        }
        text
    }

    /// Those that this build has.
    pub(crate) fn formats() -> Vec<OutputFormat> {
        let mut formats = vec![OutputFormat::Plain, OutputFormat::Gzip, OutputFormat::Bgzf];
        formats.extend(cfg!(feature = "zstd").then_some(OutputFormat::Zstd));
        formats
    }

    #[test]
    fn a_format_that_was_left_out_names_its_feature() {
        let error = Press::new(OutputFormat::Zstd, Level::default()).err();
        assert_eq!(error.is_none(), cfg!(feature = "zstd"));
        if let Some(error) = error {
            assert!(error.to_string().contains("feature `zstd`"), "{error}");
        }
    }

    #[test]
    fn every_format_and_level_gives_back_all_pieces() {
        let pieces: Vec<Vec<u8>> = [0, 1, 1000, 65_279, 65_280, 65_281, 300_000]
            .map(|size: usize| (0..size).map(|n| b"ACGTN\n"[n * n % 6]).collect())
            .into();
        for format in formats() {
            for level in (1..=12).filter_map(Level::new) {
                let mut press = Press::new(format, level).unwrap();
                let mut bytes = Vec::new();
                for piece in &pieces {
                    press.press(piece, &mut bytes).unwrap();
                }
                let trailer = press.trailer(false).unwrap();
                assert!(format == OutputFormat::Bgzf || trailer.is_empty());
                bytes.extend(trailer);
                assert!(expand(format, &bytes) == pieces.concat(), "{format:?}");
            }
        }
    }

    #[test]
    fn output_without_text_is_valid() {
        for format in formats() {
            let mut press = Press::new(format, Level::default()).unwrap();
            let bytes = press.trailer(true).unwrap();
            assert_eq!(bytes.is_empty(), format == OutputFormat::Plain);
            assert!(expand(format, &bytes).is_empty());
        }
    }
}
