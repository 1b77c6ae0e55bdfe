//! A trace to its values, one after the other.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::decode::{self, Decoded};
use crate::source::{Problem, Source, Unopened};
use crate::value::MOST_BYTES;
use crate::walk::{Step, Walk};
use crate::{Error, ErrorKind, TraceFormat, TraceHeader, Value};

/// Reads a trace of any format, of this version or another.
///
/// It has read the header when it is made. Of newer versions, fields that are not known are left out, and so are values of
/// kinds that are not known, which [`on_unknown`](Self::on_unknown) tells once. The end is that of the trace when
/// [`next_value`](Self::next_value) returns `None`: [`End`](crate::End) came, with the number of values that there were, and
/// nothing stands behind it. Whatever else ends it is an error.
///
/// Memory: the largest value, at most 16 MiB as it lies there and some times that as fields, and blocks of the format: of
/// LZ4 two of 4 MiB at most, of zstd what its library takes, 128 MiB at most.
pub struct TraceReader<R: io::Read> {
    path: PathBuf,
    format: TraceFormat,
    source: Source<R>,
    /// Bytes of values, of which those before `start` were taken.
    buffer: Vec<u8>,
    start: usize,
    /// How far the value that begins at `start` was gone over: of MessagePack, and bytes of a line of JSON.
    walk: Walk,
    line: usize,
    header: TraceHeader<'static>,
    /// Values that were taken.
    values: u64,
    on_unknown: Option<Listener>,
    is_at_end: bool,
}

/// Is told a kind.
type Listener = Box<dyn FnMut(&str) + Send>;

impl TraceReader<File> {
    /// Open the trace at `path`.
    ///
    /// # Errors
    /// As [`new`](Self::new), and what the system says.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file =
            File::open(path).map_err(|error| Error::new(ErrorKind::Io(error)).at(path, 0, 0));
        Self::new(file?, path)
    }
}

impl<R: io::Read> TraceReader<R> {
    /// Read the header of the trace that `bytes` are; errors call it `path`.
    ///
    /// # Errors
    /// [`ErrorKind::NotATrace`] if they begin with something else; and as [`next_value`](Self::next_value).
    pub fn new(bytes: R, path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref().to_owned();
        let (format, source) = match Source::open(bytes) {
            Ok(opened) => opened,
            Err(Unopened::Io(error)) => {
                return Err(Error::new(ErrorKind::Io(error)).at(&path, 0, 0));
            }
            #[cfg(not(feature = "zstd"))]
            Err(Unopened::WithoutZstd) => {
                return Err(Error::new(ErrorKind::WithoutZstd).at(&path, 0, 0));
            }
            Err(Unopened::Other(first)) => {
                let what = match &first[..] {
                    [] => "it is empty".to_owned(),
                    first => format!("it begins with \"{}\"", first.escape_ascii()),
                };
                return Err(Error::new(ErrorKind::NotATrace(what)).at(&path, 0, 0));
            }
        };
        let mut reader = Self {
            path,
            format,
            source,
            buffer: Vec::new(),
            start: 0,
            walk: Walk::default(),
            line: 0,
            header: TraceHeader::new("", [""; 0], []),
            values: 0,
            on_unknown: None,
            is_at_end: false,
        };
        let first = reader.take();
        let first = first.map_err(|error| match error.into_kind() {
            // Other data in LZ4, or other MessagePack, whole or not.
            ErrorKind::Damaged(what) => reader.not_a_trace(what),
            kind => reader.error(kind),
        });
        let first = first?;
        let kind = match first {
            Decoded::Known(Value::Header(header)) => {
                reader.header = header;
                return Ok(reader);
            }
            Decoded::Known(other) => other.kind().to_owned(),
            Decoded::Unknown(kind) => kind,
        };
        let what = format!(
            "it begins with \"{}\", not with a header",
            kind.escape_debug()
        );
        Err(reader.not_a_trace(what))
    }

    /// Call this with the first kind that is not known, if there is any.
    #[must_use]
    pub fn on_unknown(mut self, tell: impl FnMut(&str) + Send + 'static) -> Self {
        self.on_unknown = Some(Box::new(tell));
        self
    }

    /// What the trace begins with.
    pub fn header(&self) -> &TraceHeader<'static> {
        &self.header
    }

    /// How it lies there.
    pub fn format(&self) -> TraceFormat {
        self.format
    }

    /// Its name, as errors have it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes of the file that were taken so far: all of those that its values so far are of, and more.
    pub fn offset(&self) -> u64 {
        self.source.offset()
    }

    /// The next value; `None` when the trace is whole and has ended. The header and the end do not come.
    ///
    /// # Errors
    /// [`ErrorKind::Cut`] if it ends before its end, [`ErrorKind::Damaged`], [`ErrorKind::TooLarge`], [`ErrorKind::Io`]. There is
    /// no going on behind an error.
    pub fn next_value(&mut self) -> Result<Option<Value<'static>>, Error> {
        while !self.is_at_end {
            match self.take()? {
                Decoded::Known(Value::End(end)) => {
                    let before = self.values - 1;
                    if end.values != before {
                        let what = format!(
                            "it says that it has {} values, and has {before}",
                            end.values
                        );
                        return Err(self.damaged(what));
                    }
                    if self.start < self.buffer.len() || self.fill()? > 0 {
                        return Err(self.damaged("there are bytes after its end".to_owned()));
                    }
                    self.is_at_end = true;
                }
                Decoded::Known(Value::Header(_)) => {
                    return Err(self.damaged("there is a second header".to_owned()));
                }
                Decoded::Known(value) => return Ok(Some(value)),
                Decoded::Unknown(kind) => {
                    if let Some(mut tell) = self.on_unknown.take() {
                        tell(&kind);
                    }
                }
            }
        }
        Ok(None)
    }

    /// The next value of any kind, which must be there.
    fn take(&mut self) -> Result<Decoded, Error> {
        let length = loop {
            let bytes = &self.buffer[self.start..];
            let needed = match self.format {
                TraceFormat::JsonLines => {
                    match bytes[self.line..].iter().position(|&byte| byte == b'\n') {
                        Some(end) => break std::mem::take(&mut self.line) + end + 1,
                        None => {
                            self.line = bytes.len();
                            bytes.len() + 1
                        }
                    }
                }
                _ => match self.walk.step(bytes) {
                    Step::Whole(length) => break length,
                    Step::Short(needed) => needed,
                    Step::Broken(what) => return Err(self.damaged(what.to_owned())),
                },
            };
            if needed > MOST_BYTES {
                return Err(self.error(ErrorKind::TooLarge));
            }
            if self.fill()? == 0 {
                return Err(self.cut());
            }
        };
        let bytes = &self.buffer[self.start..self.start + length];
        let decoded = match self.format {
            TraceFormat::JsonLines => decode::line(bytes),
            _ => decode::message(bytes),
        };
        let decoded = decoded.map_err(|what| self.damaged(what))?;
        self.start += length;
        self.values += 1;
        Ok(decoded)
    }

    /// More bytes behind those that there are; returns how many, 0 at the end.
    fn fill(&mut self) -> Result<usize, Error> {
        self.buffer.drain(..self.start);
        self.start = 0;
        self.source
            .more(&mut self.buffer)
            .map_err(|problem| match problem {
                Problem::Io(error) => self.error(ErrorKind::Io(error)),
                Problem::Cut => self.cut(),
                Problem::Damaged(what) => self.damaged(what),
            })
    }

    fn cut(&self) -> Error {
        let values = self.values;
        self.error(ErrorKind::Cut { values })
    }

    fn damaged(&self, what: String) -> Error {
        self.error(ErrorKind::Damaged(what))
    }

    fn not_a_trace(&self, what: String) -> Error {
        self.error(ErrorKind::NotATrace(what))
    }

    fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind).at(&self.path, self.values, self.source.offset())
    }
}
