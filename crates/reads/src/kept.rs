//! Streams that are read twice: what comes of them is kept, until a second reader has seen enough.
//!
//! ```text
//! pipe ──► memory, then a file without a name ──► the reader that goes on
//!                                             └─► one that looks at the first records before
//! ```
//! Bytes are kept as they come, so compressed ones stay compressed, and each reader decodes them as those of any other stream.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IoSlice, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thalweg_files::{TemporaryError, UnnamedFile};

/// Bytes that are kept in one piece, and dropped together.
const PIECE: usize = 256 << 10;

/// Streams of which all bytes are kept, so that two readers can begin at their start, one after the other.
///
/// [`ReaderOptions::keep_streams`](crate::ReaderOptions::keep_streams) has an example. Clones are of the same streams.
#[derive(Clone)]
pub struct KeptStreams(Arc<Shared>);

struct Shared {
    /// Bytes of memory that are left for all streams.
    memory: AtomicU64,
    directory: PathBuf,
    /// The streams, with their places in the first set of files.
    streams: Mutex<Vec<(usize, KeptStream)>>,
}

impl KeptStreams {
    /// Keeps up to `memory` bytes in memory, and what is more in files without names in `directory`.
    pub fn new(memory: u64, directory: impl Into<PathBuf>) -> Self {
        Self(Arc::new(Shared {
            memory: AtomicU64::new(memory),
            directory: directory.into(),
            streams: Mutex::default(),
        }))
    }

    /// Keeps no more. What was kept is dropped as the reader that goes on passes it; any other must be done with it.
    pub fn release(&self) {
        for (_, stream) in lock(&self.0.streams).iter() {
            lock(&stream.state).keeps = false;
        }
    }

    /// Begins to keep what comes of `source`, file number `place` of a set, and gives it back.
    pub(crate) fn keep(&self, place: usize, source: Box<dyn Read + Send>) -> KeptRead {
        let stream = KeptStream {
            state: Arc::new(Mutex::new(State {
                source,
                kept: Kept::new(self.0.clone()),
                keeps: true,
                end: None,
            })),
            length: Arc::default(),
        };
        lock(&self.0.streams).push((place, stream.clone()));
        KeptRead::new(stream)
    }

    /// File number `place` of the set, from its start, if it is a stream that was opened before.
    pub(crate) fn again(&self, place: usize) -> Option<KeptRead> {
        let streams = lock(&self.0.streams);
        let stream = streams.iter().find(|(other, _)| *other == place);
        stream.map(|(_, stream)| KeptRead::new(stream.clone()))
    }
}

impl fmt::Debug for KeptStreams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeptStreams")
    }
}

#[derive(Clone)]
struct KeptStream {
    state: Arc<Mutex<State>>,
    /// Bytes that have come of it: to be known without waiting for whoever waits for more.
    length: Arc<AtomicU64>,
}

struct State {
    source: Box<dyn Read + Send>,
    kept: Kept,
    keeps: bool,
    /// The end of the stream, after which it is not read again.
    end: Option<End>,
}

#[derive(Clone, Copy)]
enum End {
    Whole,
    /// The system's number of what failed.
    Failed(i32),
}

/// One reader's way through a stream that is kept.
pub(crate) struct KeptRead {
    stream: KeptStream,
    position: Arc<AtomicU64>,
}

impl KeptRead {
    fn new(stream: KeptStream) -> Self {
        Self {
            stream,
            position: Arc::default(),
        }
    }

    /// Says whether something that was kept is left for it.
    pub(crate) fn has_kept(&self) -> impl Fn() -> bool + Send + Sync + use<> {
        let (position, length) = (Arc::clone(&self.position), Arc::clone(&self.stream.length));
        move || position.load(Ordering::Relaxed) < length.load(Ordering::Relaxed)
    }
}

impl Read for KeptRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let position = self.position.load(Ordering::Relaxed);
        let mut state = lock(&self.stream.state);
        let length = match position < self.stream.length.load(Ordering::Relaxed) {
            true => state.kept.read(buffer, position)?,
            false => {
                let length = state.go_on(buffer)?;
                self.stream
                    .length
                    .fetch_add(length as u64, Ordering::Relaxed);
                length
            }
        };
        let position = position + length as u64;
        self.position.store(position, Ordering::Relaxed);
        if !state.keeps {
            state.kept.drop_before(position);
        }
        Ok(length)
    }
}

impl State {
    /// Reads on where nobody has been.
    fn go_on(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.end {
            None => {}
            Some(End::Whole) => return Ok(0),
            Some(End::Failed(number)) => return Err(io::Error::from_raw_os_error(number)),
        }
        let length = self.source.read(buffer).inspect_err(|error| {
            let waits = matches!(
                error.kind(),
                io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
            );
            self.end = error.raw_os_error().filter(|_| !waits).map(End::Failed);
        })?;
        if length == 0 && !buffer.is_empty() {
            self.end = Some(End::Whole);
        }
        if self.keeps {
            self.kept.append(&buffer[..length])?;
        }
        Ok(length)
    }
}

/// Bytes from the start of a stream: the first in memory, the others in a file.
struct Kept {
    shared: Arc<Shared>,
    /// Full ones, but for the last.
    pieces: VecDeque<Vec<u8>>,
    /// The start of the first of them, and the end of the last.
    start: u64,
    end: u64,
    /// The bytes after these.
    file: Option<UnnamedFile>,
}

impl Kept {
    fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            pieces: VecDeque::new(),
            start: 0,
            end: 0,
            file: None,
        }
    }

    fn append(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() && self.file.is_none() {
            let room = self.pieces.back().map_or(0, |piece| PIECE - piece.len());
            let taken = bytes.len().min(room);
            if let Some(piece) = self.pieces.back_mut().filter(|_| taken > 0) {
                piece.extend_from_slice(&bytes[..taken]);
                self.end += taken as u64;
                bytes = &bytes[taken..];
            } else if self.shared.take_piece() {
                self.pieces.push_back(Vec::with_capacity(PIECE));
            } else {
                let file = UnnamedFile::create(&self.shared.directory);
                self.file = Some(file.map_err(of_temporary)?);
            }
        }
        if let Some(file) = self.file.as_mut().filter(|_| !bytes.is_empty()) {
            file.append(&mut [IoSlice::new(bytes)])
                .map_err(of_temporary)?;
        }
        Ok(())
    }

    /// Reads some of what lies at `position`, of which there is something.
    fn read(&self, buffer: &mut [u8], position: u64) -> io::Result<usize> {
        let Some(offset) = position.checked_sub(self.start) else {
            return Err(io::Error::other("what was kept of it was dropped"));
        };
        if position < self.end {
            let (piece, offset) = (offset / PIECE as u64, offset % PIECE as u64);
            let bytes = &self.pieces[piece as usize][offset as usize..];
            let length = bytes.len().min(buffer.len());
            buffer[..length].copy_from_slice(&bytes[..length]);
            return Ok(length);
        }
        let Some(file) = &self.file else {
            return Err(io::Error::other("what was kept of it was dropped"));
        };
        let offset = position - self.end;
        let left = usize::try_from(file.bytes() - offset).unwrap_or(usize::MAX);
        let length = left.min(buffer.len());
        file.read(&mut buffer[..length], offset)
            .map_err(of_temporary)?;
        Ok(length)
    }

    /// Drops what lies before `position`: nobody comes back.
    fn drop_before(&mut self, position: u64) {
        while let Some(piece) = self.pieces.front()
            && self.start + piece.len() as u64 <= position
        {
            self.start += piece.len() as u64;
            self.pieces.pop_front();
            self.shared.give_piece();
        }
        let is_passed = |file: &UnnamedFile| self.end + file.bytes() <= position;
        if self.file.as_ref().is_some_and(is_passed) {
            self.file = None;
        }
    }
}

impl Shared {
    /// Takes the memory of one more piece, if it is there.
    fn take_piece(&self) -> bool {
        let less = |left: u64| left.checked_sub(PIECE as u64);
        let order = Ordering::Relaxed;
        self.memory.fetch_update(order, order, less).is_ok()
    }

    fn give_piece(&self) {
        self.memory.fetch_add(PIECE as u64, Ordering::Relaxed);
    }
}

fn of_temporary(error: TemporaryError) -> io::Error {
    io::Error::new(error.source.kind(), error)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many bytes, none like those a piece before.
    fn bytes(count: usize) -> Vec<u8> {
        (0..count)
            .map(|at| (at * 7 / 3 + at / PIECE) as u8)
            .collect()
    }

    fn read_up_to(source: &mut KeptRead, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        source.take(count as u64).read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn two_readers_see_the_same() {
        let directory = tempfile::tempdir().unwrap();
        let text = bytes(5 * PIECE + 77);
        for pieces in [0, 1, 3, 9] {
            for looked_at in [0, 1, PIECE, 3 * PIECE + 5, text.len()] {
                let memory = pieces * PIECE as u64;
                let kept = KeptStreams::new(memory, directory.path());
                let source = Box::new(io::Cursor::new(text.clone()));
                let mut first = kept.keep(1, source);
                let has_kept = first.has_kept();
                assert_eq!(read_up_to(&mut first, 6), &text[..6]);
                assert!(kept.again(0).is_none());
                let mut second = kept.again(1).unwrap();
                assert_eq!(read_up_to(&mut second, looked_at), &text[..looked_at]);
                drop(second);
                kept.release();
                assert_eq!(has_kept(), looked_at > 6);
                assert_eq!(read_up_to(&mut first, usize::MAX), &text[6..]);
                assert!(!has_kept());
                assert_eq!(first.read(&mut [0; 8]).unwrap(), 0);
                // All memory is free again, and nothing can be read twice any more.
                assert_eq!(kept.0.memory.load(Ordering::Relaxed), memory);
                assert!(kept.again(1).unwrap().read(&mut [0; 8]).is_err());
            }
        }
    }

    #[test]
    fn failures_come_again_and_need_a_directory() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::from_raw_os_error(5))
            }
        }
        let kept = KeptStreams::new(0, "/nowhere/at/all");
        let mut first = kept.keep(0, Box::new(Failing));
        let mut second = kept.again(0).unwrap();
        for reader in [&mut second, &mut first] {
            let error = reader.read(&mut [0; 8]).unwrap_err();
            assert_eq!(error.raw_os_error(), Some(5));
        }
        let mut reader = kept.keep(1, Box::new(io::Cursor::new(bytes(9))));
        let error = reader.read(&mut [0; 8]).unwrap_err();
        let told = "/nowhere/at/all: temporary files: No such file or directory (os error 2)";
        assert_eq!(error.to_string(), told);
    }
}
