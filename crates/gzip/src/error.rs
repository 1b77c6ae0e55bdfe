use std::fmt;
use std::io;

use thalweg_inflate as inflate;

/// Why compressed data could not be read, and where.
///
/// `offset` counts bytes from the start of the compressed file.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
}

/// What a caller can tell apart.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system failed to read.
    Io(io::Error),
    /// The file ends inside a gzip member.
    Truncated,
    /// Bytes that are no gzip header stand where one must begin.
    NotGzip,
    /// A gzip header that is malformed or uses unknown features.
    BadHeader(&'static str),
    /// Bytes after the last member that are neither a member nor zero padding.
    TrailingGarbage,
    /// The same, and they are reads that were joined on: text, or compressed in another way.
    OtherDataBehind,
    /// The same between two members: there are data behind it.
    Gap {
        /// Whether it is NUL bytes, which stand where something was never written.
        is_hole: bool,
        /// Byte of the file at which the next member begins.
        next: u64,
    },
    /// The compressed data break the rules of DEFLATE.
    Deflate(inflate::ErrorKind),
    /// A member's data do not have the checksum that its trailer states.
    MemberChecksum {
        /// What the trailer says.
        expected: u32,
        /// What the data give.
        found: u32,
    },
    /// A member's data do not have the length that its trailer states.
    MemberLength {
        /// What the trailer says, modulo 2^32.
        expected: u32,
        /// What the data give, modulo 2^32.
        found: u32,
    },
    /// The data between two checkpoints are not what the index says.
    IndexMismatch(&'static str),
    /// Another format's decoder (zstd, bzip2, xz) failed.
    Codec(io::Error),
    /// Data that may well be sound, but ask for more than this program, or the system, has.
    Limit(Limit),
}

/// What was asked for that is not to be had here, and how the data can be read all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// What is asked for, as a sentence for users.
    pub what: &'static str,
    /// What the user can do about it.
    pub way_out: &'static str,
}

impl Error {
    /// An error of `kind` at byte `offset` of the compressed file.
    pub fn new(kind: ErrorKind, offset: u64) -> Self {
        Self { kind, offset }
    }

    /// What happened.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where, in bytes from the start of the compressed file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the data are at fault, and not the machine or a limit of this program.
    pub fn is_data(&self) -> bool {
        !matches!(self.kind, ErrorKind::Io(_) | ErrorKind::Limit(_))
    }

    /// Whether data that were decoded before it in the same member are not what was compressed, as far as can be told.
    ///
    /// A file that is cut off is not: what comes before the cut may be sound.
    pub fn is_damage(&self) -> bool {
        matches!(
            self.kind,
            ErrorKind::Deflate(_)
                | ErrorKind::MemberChecksum { .. }
                | ErrorKind::MemberLength { .. }
                | ErrorKind::IndexMismatch(_)
        )
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self.kind {
            ErrorKind::Truncated => {
                Some("the file is incomplete: copy or download it again and compare checksums")
            }
            ErrorKind::Deflate(_)
            | ErrorKind::MemberChecksum { .. }
            | ErrorKind::MemberLength { .. }
            | ErrorKind::BadHeader(_)
            | ErrorKind::Codec(_) => {
                Some("the file is damaged: copy or download it again and compare checksums")
            }
            ErrorKind::TrailingGarbage => Some(
                "if the trailing bytes are not needed, remove them: `head -c OFFSET FILE`; to see them first: `tail -c +$((OFFSET + 1)) FILE | head -c 64 | od -c`",
            ),
            ErrorKind::OtherDataBehind => Some(
                "take the parts as two inputs: `head -c OFFSET FILE` has the gzip data, `tail -c +$((OFFSET + 1)) FILE` the bytes after them",
            ),
            ErrorKind::Gap { .. } => Some(
                "data are missing there, and more follow: copy or download the file again and compare checksums; do not cut it here",
            ),
            ErrorKind::IndexMismatch(_) => Some(
                "the file changed after it was indexed, or is damaged: check it with `gzip -t`, then run `thalweg index --force`",
            ),
            ErrorKind::Limit(limit) => Some(limit.way_out),
            ErrorKind::Io(_) | ErrorKind::NotGzip => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ErrorKind::Io(_) => write!(f, "cannot read"),
            ErrorKind::Truncated => write!(f, "truncated: the compressed data end too early"),
            ErrorKind::NotGzip => write!(f, "no gzip header here"),
            ErrorKind::BadHeader(what) => write!(f, "malformed gzip header: {what}"),
            ErrorKind::TrailingGarbage => {
                write!(f, "bytes after the last gzip member that are not gzip data")
            }
            ErrorKind::OtherDataBehind => write!(
                f,
                "after the last gzip member follow other data, which begin as reads do"
            ),
            ErrorKind::Gap {
                is_hole: true,
                next,
            } => write!(
                f,
                "a hole of NUL bytes between two gzip members, the second at byte {next}"
            ),
            ErrorKind::Gap {
                is_hole: false,
                next,
            } => write!(
                f,
                "bytes that are not gzip data between two gzip members, the second at byte {next}"
            ),
            ErrorKind::Deflate(_) => write!(f, "corrupt compressed data"),
            ErrorKind::MemberChecksum { expected, found } => write!(
                f,
                "CRC32 of the data is {found:08x}, but the gzip trailer says {expected:08x}"
            ),
            ErrorKind::MemberLength { expected, found } => write!(
                f,
                "length of the data is {found} (mod 2^32), but the gzip trailer says {expected}"
            ),
            ErrorKind::IndexMismatch(what) => write!(f, "the data do not match the index: {what}"),
            ErrorKind::Codec(_) => write!(f, "corrupt compressed data"),
            ErrorKind::Limit(limit) => write!(f, "{}", limit.what),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) | ErrorKind::Codec(error) => Some(error),
            ErrorKind::Deflate(error) => Some(error),
            _ => None,
        }
    }
}
