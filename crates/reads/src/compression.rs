use std::io::{self, Read};
use std::path::Path;

/// How a file is compressed, told from its first bytes. (What its name says counts only where they say nothing.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compression {
    /// Not compressed.
    None,
    /// gzip (RFC 1952): one or many members, BGZF among them.
    Gzip,
    /// Zstandard (RFC 8878), all frames.
    Zstd,
    /// bzip2, all streams.
    Bzip2,
    /// xz, all streams.
    Xz,
}

/// How many first bytes [`Compression::sniff`] looks at.
pub(crate) const SNIFF: usize = 6;

/// The largest window that zstd's library decodes, as a power of 2: 2 GiB. It takes the memory as data come.
#[cfg(feature = "zstd")]
const LARGEST_ZSTD_WINDOW: u32 = 31;

impl Compression {
    /// What the first bytes of a file say.
    pub fn sniff(prefix: &[u8]) -> Self {
        match prefix {
            [0x1f, 0x8b, ..] => Self::Gzip,
            // A frame, or a skippable frame as pzstd and the seekable format write.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Self::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Self::Bzip2,
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Self::Xz,
            _ => Self::None,
        }
    }

    /// What the end of a name promises: a file of that name that begins as no compressed file does is not what it was.
    pub fn of_name(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "gz" | "gzip" | "bgz" | "bgzf" => Some(Self::Gzip),
            "zst" | "zstd" => Some(Self::Zstd),
            "bz2" | "bzip2" => Some(Self::Bzip2),
            "xz" => Some(Self::Xz),
            _ => None,
        }
    }

    /// The same of the name that was given, or else of the file that a link of that name leads to.
    pub fn promised(path: &Path) -> Option<Self> {
        Self::of_name(path).or_else(|| Self::of_name(&path.canonicalize().ok()?))
    }

    /// The same of a file of no bytes: BAM of no reads has some, too, and is BGZF if nothing else was asked for.
    pub fn of_no_data(path: &Path) -> Option<Self> {
        let is_bam = |ending: &std::ffi::OsStr| ending.eq_ignore_ascii_case("bam");
        Self::promised(path).or_else(|| path.extension().filter(|&e| is_bam(e)).map(|_| Self::Gzip))
    }

    /// A word for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "plain",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
        }
    }

    /// A reader of the uncompressed bytes of `source`, through the library of
    /// the format. Not for gzip, which has its own decoder.
    ///
    /// # Errors
    /// No memory; or the library was [left out](crate::codec_limits::left_out) of this build.
    pub(crate) fn reader(self, source: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        Ok(match self {
            Self::None | Self::Gzip => source,
            #[cfg(feature = "zstd")]
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::new(source)?;
                // The library would stop at 128 MiB, which `zstd --long=28` and more exceed.
                decoder.window_log_max(LARGEST_ZSTD_WINDOW)?;
                Box::new(decoder)
            }
            #[cfg(feature = "bzip2")]
            Self::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(source)),
            #[cfg(feature = "xz")]
            Self::Xz => Box::new(liblzma::read::XzDecoder::new_multi_decoder(source)),
            #[cfg(not(all(feature = "zstd", feature = "bzip2", feature = "xz")))]
            _ => return Err(io::ErrorKind::Unsupported.into()),
        })
    }
}
