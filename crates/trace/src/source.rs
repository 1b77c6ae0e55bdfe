//! Bytes of a file to bytes of values: what each format has around them, taken off and checked.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use crate::TraceFormat;
use crate::lz4::FrameReader;

/// Why there are no more bytes, other than that they end.
#[derive(Debug)]
pub(crate) enum Problem {
    Io(io::Error),
    /// They end where they must not.
    Cut,
    Damaged(String),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Bytes that are read at a time.
const BLOCK: usize = 256 << 10;

/// Bytes with a count of those that were taken.
pub(crate) struct Counted<R> {
    bytes: BufReader<R>,
    taken: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(buffer)?;
        self.taken += read as u64;
        Ok(read)
    }
}

impl<R: Read> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.bytes.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount as u64;
        self.bytes.consume(amount);
    }
}

/// The first bytes, which were looked at, and the rest.
type All<R> = Counted<Chain<Cursor<Vec<u8>>, R>>;

/// Where the bytes of values come from.
pub(crate) enum Source<R: Read> {
    Plain(All<R>),
    Lz4(Box<FrameReader<All<R>>>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::stream::read::Decoder<'static, All<R>>),
}

/// Why a source cannot be opened.
pub(crate) enum Unopened {
    Io(io::Error),
    /// It cannot be unpacked.
    #[cfg(not(feature = "zstd"))]
    WithoutZstd,
    /// It begins with what no trace begins with.
    Other(Vec<u8>),
}

impl<R: Read> Source<R> {
    /// Find out what `bytes` are.
    pub(crate) fn open(mut bytes: R) -> Result<(TraceFormat, Self), Unopened> {
        let mut first = vec![0; 4];
        let known = read_full(&mut bytes, &mut first).map_err(Unopened::Io)?;
        first.truncate(known);
        let Some(format) = TraceFormat::of_bytes(&first) else {
            return Err(Unopened::Other(first));
        };
        let all = Cursor::new(first).chain(bytes);
        let all = Counted {
            bytes: BufReader::with_capacity(BLOCK, all),
            taken: 0,
        };
        let source = match format {
            TraceFormat::MessagePack | TraceFormat::JsonLines => Self::Plain(all),
            TraceFormat::Lz4 => Self::Lz4(Box::new(FrameReader::new(all))),
            #[cfg(not(feature = "zstd"))]
            TraceFormat::Zstd => return Err(Unopened::WithoutZstd),
            #[cfg(feature = "zstd")]
            TraceFormat::Zstd => {
                let decoder = zstd::stream::read::Decoder::with_buffer(all);
                Self::Zstd(decoder.map_err(Unopened::Io)?)
            }
        };
        Ok((format, source))
    }

    /// Append some more bytes to `into`; returns how many, 0 at the end.
    pub(crate) fn more(&mut self, into: &mut Vec<u8>) -> Result<usize, Problem> {
        match self {
            Self::Plain(bytes) => Ok(read_some(bytes, into)?),
            Self::Lz4(frames) => frames.more(into),
            #[cfg(feature = "zstd")]
            Self::Zstd(frames) => read_some(frames, into).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => Problem::Cut,
                // What the system says has a number.
                _ if error.raw_os_error().is_some() => Problem::Io(error),
                _ => Problem::Damaged(format!("zstd: {error}")),
            }),
        }
    }

    /// Bytes of the file that were taken.
    pub(crate) fn offset(&self) -> u64 {
        match self {
            Self::Plain(bytes) => bytes.taken,
            Self::Lz4(frames) => frames.get_ref().taken,
            #[cfg(feature = "zstd")]
            Self::Zstd(frames) => frames.get_ref().taken,
        }
    }
}

/// Append what one call gives.
fn read_some(bytes: &mut impl Read, into: &mut Vec<u8>) -> io::Result<usize> {
    let before = into.len();
    into.resize(before + BLOCK, 0);
    let read = read_full(bytes, &mut into[before..]);
    into.truncate(before + read.as_ref().map_or(0, |&read| read));
    read
}

/// Read until `buffer` is full or the bytes end; returns how many came.
pub(crate) fn read_full(bytes: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match bytes.read(&mut buffer[read..]) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// So many bytes, which must be there.
pub(crate) fn read_exact<const N: usize>(bytes: &mut impl Read) -> Result<[u8; N], Problem> {
    let mut buffer = [0; N];
    match read_full(bytes, &mut buffer)? {
        read if read == N => Ok(buffer),
        _ => Err(Problem::Cut),
    }
}
