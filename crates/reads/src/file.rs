use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use thalweg_files::{Identity, ReadAt, ReadFrom};
use thalweg_flow::{Failure, run};
use thalweg_formats::FileFormat;

use crate::bgzf_end::{self, WatchedStream};
use crate::compression::SNIFF;
use crate::given::{Given, NotedRead};
use crate::kept::{KeptRead, KeptStreams};
use crate::raw::CountedRead;
use crate::waiting::{self, OPENS_WITHOUT_WRITER, Stream};
use crate::{Compression, Error, ErrorKind, Listener};

/// An input: a regular file or something like it, which can be read at any place
/// by any number of threads, or a stream, which is read once from its start.
pub(crate) struct InputFile {
    path: PathBuf,
    compression: Compression,
    access: Access,
    /// Returns whether a read would not wait, for a stream of which that is known.
    is_ready: Option<IsReady>,
    bytes_read: Arc<AtomicU64>,
    /// Whether the stream itself gave an error, and not what decodes it.
    has_failed: Arc<AtomicBool>,
    longest_record: Option<u64>,
    end: End,
}

/// The rules for the end of BGZF.
#[derive(Default)]
struct End {
    /// BAM without the empty block is accepted.
    is_optional: bool,
    /// The stream has ended without the empty block.
    is_lacking: Arc<AtomicBool>,
    /// Called once for a stream that is accepted without it.
    on_missing: Mutex<Option<Listener>>,
}

type IsReady = Arc<dyn Fn() -> bool + Send + Sync>;

enum Access {
    Regular {
        file: Arc<dyn ReadAt>,
        /// When it was opened.
        identity: Identity,
    },
    /// The stream with its sniffed bytes put back; taken by its only reader.
    Stream(std::sync::Mutex<Option<Box<dyn Read + Send>>>),
}

/// A stream of which that has to be waited for, and what must be at its end.
pub(crate) struct AwaitedStream {
    pub(crate) source: Box<dyn Read + Send>,
    end: End,
}

impl AwaitedStream {
    /// The same, behind the first bytes that were read of it.
    pub(crate) fn into_file(
        self,
        path: &Path,
        first: Vec<u8>,
        is_over: bool,
    ) -> io::Result<InputFile> {
        // What has ended is not asked again: another writer may have opened it.
        let rest: Box<dyn Read + Send> = match is_over {
            true => Box::new(io::empty()),
            false => self.source,
        };
        let file = InputFile::stream(path, Box::new(io::Cursor::new(first).chain(rest)))?;
        Ok(InputFile {
            end: self.end,
            ..file
        })
    }
}

/// A file that is open, or a reader in its place, and of which nothing has been read.
pub(crate) struct Handle {
    path: PathBuf,
    source: Source,
    end_is_optional: bool,
    on_missing_end: Option<Listener>,
    on_wait: Option<Listener>,
    /// Also once something has come of it.
    tells_always: bool,
    longest_record: Option<u64>,
    /// The place where a stream is kept, and its number in the set.
    kept: Option<(KeptStreams, usize)>,
}

enum Source {
    File(File),
    Given(Box<dyn Read + Send>),
    /// A stream that was opened before, from its start.
    Kept(KeptRead),
}

impl Handle {
    /// A reader of the caller's, which messages call `path`.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] if it was taken.
    pub(crate) fn given(path: &Path, given: &Given) -> Result<Self, Error> {
        let Some(reader) = given.take() else {
            let what = "a reader can be read once, and was";
            return Err(Error::new(ErrorKind::Unsupported(what)).in_file(path));
        };
        Ok(Self::new(path, Source::Given(reader)))
    }

    fn new(path: &Path, source: Source) -> Self {
        Self {
            path: path.to_owned(),
            source,
            end_is_optional: false,
            on_missing_end: None,
            on_wait: None,
            tells_always: false,
            longest_record: None,
            kept: None,
        }
    }

    /// Its records may have so many bytes, if there is a limit.
    pub(crate) fn longest_record(mut self, bytes: Option<u64>) -> Self {
        self.longest_record = bytes;
        self
    }

    fn metadata(&self) -> Option<Metadata> {
        match &self.source {
            Source::File(file) => file.metadata().ok(),
            Source::Given(_) | Source::Kept(_) => None,
        }
    }

    /// Open `path` once; `-` is the standard input.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let file = match path.as_os_str() == "-" {
            true => waiting::standard_input(),
            false => waiting::open(path),
        };
        let file = file.map_err(|error| Error::io(path, error))?;
        Ok(Self::new(path, Source::File(file)))
    }

    /// Sets whether BAM must end with the empty block of BGZF (it must, unless this is said).
    pub(crate) fn check_end(mut self, yes: bool) -> Self {
        self.end_is_optional = !yes;
        self
    }

    /// If it is a stream of BGZF that ends without its empty block and is accepted so, `tell` is called then.
    pub(crate) fn on_missing_end(mut self, tell: Option<Listener>) -> Self {
        self.on_missing_end = tell;
        self
    }

    /// If it is a stream, `tell` is called when it has been waited for; if not `always`, only for its first byte.
    pub(crate) fn on_wait(mut self, tell: Option<Listener>, always: bool) -> Self {
        self.on_wait = tell;
        self.tells_always = always;
        self
    }

    /// The name that the user gave.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a pipe with a name in a directory.
    pub(crate) fn is_named_pipe(&self) -> bool {
        let is_pipe = |metadata: Metadata| metadata.file_type().is_fifo();
        let is_of_shell = ["/dev/fd", "/dev/stdin", "/proc"]
            .iter()
            .any(|place| self.path.starts_with(place));
        !is_of_shell && self.path.as_os_str() != "-" && self.metadata().is_some_and(is_pipe)
    }

    /// Whether it can be read only once and in order.
    pub(crate) fn is_stream(&self) -> bool {
        let is_file = |metadata: Metadata| metadata.is_file() || metadata.is_dir();
        self.path.as_os_str() == "-" || !self.metadata().is_some_and(is_file)
    }

    /// Whether the system can tell when something comes of it.
    pub(crate) fn can_be_waited_for(&self) -> bool {
        matches!(self.source, Source::File(_))
    }

    /// The stream that it is, for a reader that waits for several at once, and what to wait for.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] if it [cannot](Self::can_be_waited_for) be waited for.
    pub(crate) fn into_stream(self) -> Result<(Arc<File>, AwaitedStream), Error> {
        let end = self.end();
        let Source::File(file) = self.source else {
            let what = "readers cannot be waited for together";
            return Err(Error::new(ErrorKind::Unsupported(what)).in_file(&self.path));
        };
        let stream = Stream::new(file, &self.path, None, false).never_waiting();
        let file = Arc::clone(stream.file());
        let source = Box::new(WatchedStream::new(stream, &end.is_lacking));
        Ok((file, AwaitedStream { source, end }))
    }

    fn end(&self) -> End {
        End {
            is_optional: self.end_is_optional,
            is_lacking: Arc::default(),
            on_missing: Mutex::new(self.on_missing_end.clone()),
        }
    }

    /// Open files that are read in step. Where opening a named pipe waits for its
    /// writer, the writer of several may open them in any order before it
    /// writes to one: so all are opened at once, and before one is read.
    ///
    /// `given` are readers in the place of these files, if they are such. Streams are kept in `kept`, and those that are
    /// there already are not opened once more.
    pub(crate) fn open_set(
        paths: &[PathBuf],
        given: &[Given],
        kept: Option<&KeptStreams>,
    ) -> Result<Vec<Self>, Error> {
        let Some(kept) = kept else {
            return Self::open_all(paths, given);
        };
        if (0..paths.len()).any(|place| kept.again(place).is_some()) {
            let handles = (0..).zip(paths);
            let handles = handles.map(|(place, path)| match kept.again(place) {
                Some(read) => Ok(Self::new(path, Source::Kept(read))),
                None => Self::open(path),
            });
            return handles.collect();
        }
        let handles = (0..).zip(Self::open_all(paths, given)?);
        let kept = |(place, handle)| Self {
            kept: Some((kept.clone(), place)),
            ..handle
        };
        Ok(handles.map(kept).collect())
    }

    fn open_all(paths: &[PathBuf], given: &[Given]) -> Result<Vec<Self>, Error> {
        if !given.is_empty() {
            let readers = paths.iter().zip(given);
            return readers
                .map(|(path, given)| Self::given(path, given))
                .collect();
        }
        let is_pipe = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|data| !data.is_file());
        if OPENS_WITHOUT_WRITER || paths.iter().filter(is_pipe).count() < 2 {
            return paths.iter().map(|path| Self::open(path)).collect();
        }
        run(paths.len(), |number, _| Self::open(&paths[number])).map_err(|failure| match failure {
            Failure::Failed(error) => error,
            Failure::Panicked(what) => Error::new(ErrorKind::Panicked(what)),
            Failure::NoThread(reason) => Error::new(ErrorKind::NoThread(reason)),
        })
    }
}

impl InputFile {
    /// Look at the first bytes of a file.
    pub(crate) fn new(handle: Handle) -> Result<Self, Error> {
        let longest = handle.longest_record;
        Ok(Self::of_handle(handle)?.with_longest_record(longest))
    }

    /// The same file, whose records may have so many bytes, if there is a limit.
    pub(crate) fn with_longest_record(mut self, bytes: Option<u64>) -> Self {
        self.longest_record = bytes;
        self
    }

    /// Bytes that its records may have, if there is a limit.
    pub(crate) fn longest_record(&self) -> Option<u64> {
        self.longest_record
    }

    fn of_handle(handle: Handle) -> Result<Self, Error> {
        let end = handle.end();
        let path = handle.path.as_path();
        let fail = |error| Error::io(path, error);
        let file = match handle.source {
            Source::File(file) => file,
            Source::Kept(read) => return Self::stream(path, Box::new(read)).map_err(fail),
            Source::Given(reader) => {
                let stream = WatchedStream::new(reader, &end.is_lacking);
                let stream: Box<dyn Read + Send> = match handle.kept {
                    Some((kept, place)) => Box::new(kept.keep(place, Box::new(stream))),
                    None => Box::new(stream),
                };
                let file = Self::stream(path, stream).map_err(fail)?;
                return Ok(Self { end, ..file });
            }
        };
        let metadata = file.metadata().map_err(fail)?;
        if metadata.is_dir() {
            return Err(fail(io::ErrorKind::IsADirectory.into()));
        }
        // The standard input may have been read in part.
        if !metadata.is_file() || path.as_os_str() == "-" {
            let stream = Stream::new(file, path, handle.on_wait.clone(), handle.tells_always);
            let awaited = Arc::clone(stream.file());
            let stream = WatchedStream::new(stream, &end.is_lacking);
            let is_ready = move || waiting::is_ready_soon(&awaited);
            let (file, is_ready): (_, IsReady) = match handle.kept {
                Some((kept, place)) => {
                    let read = kept.keep(place, Box::new(stream));
                    let has_kept = read.has_kept();
                    let is_ready = Arc::new(move || has_kept() || is_ready());
                    (Self::stream(path, Box::new(read)), is_ready)
                }
                None => (Self::stream(path, Box::new(stream)), Arc::new(is_ready)),
            };
            return Ok(Self {
                is_ready: Some(is_ready),
                end,
                ..file.map_err(fail)?
            });
        }
        let file = Self::seekable(path, Arc::new(file)).map_err(fail)?;
        if let (Some(0), Some(compression)) = (file.size(), Compression::of_no_data(path)) {
            return Err(Error::new(ErrorKind::NoData(compression)).in_file(path));
        }
        Ok(Self { end, ..file })
    }

    /// Look at the first bytes of what can be read at any place; `path` is for messages.
    pub(crate) fn seekable(path: &Path, file: Arc<dyn ReadAt>) -> io::Result<Self> {
        let identity = file.identity()?;
        let mut prefix = Vec::new();
        ReadFrom::new(Arc::clone(&file), 0)
            .take(SNIFF as u64)
            .read_to_end(&mut prefix)?;
        Ok(Self {
            path: path.to_owned(),
            compression: Compression::sniff(&prefix),
            access: Access::Regular { file, identity },
            is_ready: None,
            bytes_read: Arc::default(),
            has_failed: Arc::default(),
            longest_record: None,
            end: End::default(),
        })
    }

    /// Look at the first bytes of a stream.
    pub(crate) fn stream(path: &Path, mut source: Box<dyn Read + Send>) -> io::Result<Self> {
        let mut prefix = Vec::new();
        source
            .by_ref()
            .take(SNIFF as u64)
            .read_to_end(&mut prefix)?;
        let compression = Compression::sniff(&prefix);
        let has_failed = Arc::default();
        let source = NotedRead::new(source, Arc::clone(&has_failed));
        let whole: Box<dyn Read + Send> = Box::new(io::Cursor::new(prefix).chain(source));
        Ok(Self {
            path: path.to_owned(),
            compression,
            access: Access::Stream(std::sync::Mutex::new(Some(whole))),
            is_ready: None,
            bytes_read: Arc::default(),
            has_failed,
            longest_record: None,
            end: End::default(),
        })
    }

    /// The name that the user gave.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn compression(&self) -> Compression {
        self.compression
    }

    /// The open file, if it can be read at any place.
    pub(crate) fn regular(&self) -> Option<&Arc<dyn ReadAt>> {
        match &self.access {
            Access::Regular { file, .. } => Some(file),
            Access::Stream(_) => None,
        }
    }

    /// Size in bytes, if it is a regular file.
    pub(crate) fn size(&self) -> Option<u64> {
        match &self.access {
            Access::Regular { identity, .. } => Some(identity.length),
            Access::Stream(_) => None,
        }
    }

    /// Says whether a read of it gives something, or its end, at once or after a moment: of a stream of which that can be told, once its first
    /// bytes were taken.
    pub(crate) fn is_ready(&self) -> Option<impl Fn() -> bool + Send + Sync + use<>> {
        let is_ready = Arc::clone(self.is_ready.as_ref()?);
        Some(move || is_ready())
    }

    /// What it was when it was opened, if it is a regular file.
    pub(crate) fn identity(&self) -> Option<&Identity> {
        match &self.access {
            Access::Regular { identity, .. } => Some(identity),
            Access::Stream(_) => None,
        }
    }

    /// The bytes as they lie on disk, from `offset` on. A stream can be read
    /// once and from its start only.
    pub(crate) fn bytes_from(&self, offset: u64) -> Result<Box<dyn Read + Send>, Error> {
        let source: Box<dyn Read + Send> = match &self.access {
            Access::Regular { file, .. } => Box::new(ReadFrom::new(Arc::clone(file), offset)),
            Access::Stream(stream) => stream
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .take()
                .filter(|_| offset == 0)
                .ok_or_else(|| Error::new(ErrorKind::NotSeekable).in_file(&self.path))?,
        };
        Ok(Box::new(CountedRead::new(
            source,
            Arc::clone(&self.bytes_read),
        )))
    }

    /// How far the file has been read, for messages of sequential readers.
    pub(crate) fn offset_reached(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// Whether `error` comes from the compressed data: failures of the
    /// operating system carry its code, those of a codec's library do not.
    pub(crate) fn is_codec_fault(&self, error: &io::Error) -> bool {
        self.compression != Compression::None
            && error.raw_os_error().is_none()
            && !self.has_failed.load(Ordering::Relaxed)
    }

    /// Returns whether it is BGZF without the empty block at its end; of a stream, once it has ended.
    pub(crate) fn lacks_end(&self) -> Result<bool, Error> {
        match &self.access {
            Access::Regular { file, identity } => bgzf_end::lacks_end(&**file, identity.length)
                .map_err(|error| Error::io(&self.path, error)),
            Access::Stream(_) => Ok(self.end.is_lacking.load(Ordering::Acquire)),
        }
    }

    /// Check that BAM has the empty block at its end; of a stream, once it has ended.
    ///
    /// # Errors
    /// [`ErrorKind::NoEnd`].
    pub(crate) fn check_end(&self, format: FileFormat) -> Result<(), Error> {
        if !bgzf_end::must_have_end(format) || self.end.is_optional || !self.lacks_end()? {
            return Ok(());
        }
        Err(self.no_end())
    }

    /// The error of one that lacks the empty block at its end. A stream that has ended without a fault ended with a whole block.
    pub(crate) fn no_end(&self) -> Error {
        let end = self.size().unwrap_or_else(|| self.offset_reached());
        let kind = match &self.access {
            Access::Regular { file, identity }
                if bgzf_end::ends_within_block(&**file, identity.length).unwrap_or(false) =>
            {
                ErrorKind::CutBlock
            }
            _ => ErrorKind::NoEnd,
        };
        Error::new(kind).in_file(&self.path).at_offset(end)
    }

    /// As [`check_end`](Self::check_end), of a stream that has ended, and it is told if it is accepted without.
    pub(crate) fn check_end_of_stream(&self, format: FileFormat) -> Result<(), Error> {
        if self.regular().is_some() || !self.lacks_end()? {
            return Ok(());
        }
        self.check_end(format)?;
        let on_missing = self.end.on_missing.lock();
        let on_missing = on_missing.unwrap_or_else(PoisonError::into_inner).take();
        on_missing.iter().for_each(|tell| tell.tell(&self.path));
        Ok(())
    }

    /// Whether the file is still as it was when it was opened.
    pub(crate) fn check_unchanged(&self) -> Result<(), Error> {
        if let Access::Regular { file, identity } = &self.access {
            let now = file
                .identity()
                .map_err(|error| Error::io(&self.path, error))?;
            if !now.is_alike(identity) {
                return Err(Error::new(ErrorKind::Changed).in_file(&self.path));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_at_any_place() {
        let text = b"@r\nACGT\n+\nIIII\n";
        let file = InputFile::seekable(Path::new("text"), Arc::new(text.to_vec())).unwrap();
        assert_eq!(file.compression(), Compression::None);
        assert_eq!(file.size(), Some(text.len() as u64));
        let mut sequence = [0; 4];
        for _ in 0..2 {
            let mut bytes = file.bytes_from(3).unwrap();
            bytes.read_exact(&mut sequence).unwrap();
            assert_eq!(&sequence, b"ACGT");
        }
        file.check_unchanged().unwrap();
    }
}
