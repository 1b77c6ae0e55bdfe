//! Waiting for what comes through pipes and other streams.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::Listener;

/// How long a reader waits before it says so; then twice as long each time, as some writers are just slow.
const PATIENCE: Duration = Duration::from_secs(5);

/// Whether a named pipe can be opened without its writer, and waited for then. Other systems than Linux may tell such a pipe
/// to have ended.
pub(crate) const OPENS_WITHOUT_WRITER: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Open `path` for reading; of a named pipe, do not wait for the writer.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let is_pipe = |metadata: Metadata| metadata.file_type().is_fifo();
    let mut options = OpenOptions::new();
    options.read(true);
    if OPENS_WITHOUT_WRITER && std::fs::metadata(path).is_ok_and(is_pipe) {
        options.custom_flags(OFlag::O_NONBLOCK.bits());
    }
    options.open(path)
}

/// The standard input, unbuffered: nothing of it has been read where there is nothing to wait for.
pub(crate) fn standard_input() -> io::Result<File> {
    Ok(File::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// A stream that tells when its reader has waited for long.
pub(crate) struct Stream {
    file: Arc<File>,
    path: PathBuf,
    tell: Option<Listener>,
    tells_always: bool,
    patience: Duration,
    /// It fails where it would have to wait.
    never_waits: bool,
}

impl Stream {
    /// `tell` is called with `path` when nothing has come for 5 seconds, and after longer times again; if not `always`, only
    /// until the first byte.
    pub(crate) fn new(file: File, path: &Path, tell: Option<Listener>, always: bool) -> Self {
        Self {
            file: Arc::new(file),
            path: path.to_owned(),
            tell,
            tells_always: always,
            patience: PATIENCE,
            never_waits: false,
        }
    }

    /// The same for a reader that waits for several at once: reads fail with [`io::ErrorKind::WouldBlock`].
    pub(crate) fn never_waiting(mut self) -> Self {
        self.never_waits = true;
        self
    }

    /// What to wait for.
    pub(crate) fn file(&self) -> &Arc<File> {
        &self.file
    }

    fn wait(&mut self) -> io::Result<()> {
        while !wait_for_any(&[&self.file], self.tell.as_ref().map(|_| self.patience))? {
            if let Some(tell) = &self.tell {
                tell.tell(&self.path);
                self.patience *= 2;
                wait_for_any(&[&self.file], None)?;
            }
        }
        Ok(())
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.never_waits {
                // With the system's number: so it is none of a codec's.
                true if !wait_for_any(&[&self.file], Some(Duration::ZERO))? => {
                    return Err(Errno::EAGAIN.into());
                }
                true => {}
                false => self.wait()?,
            }
            match (&*self.file).read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && !self.never_waits => {}
                outcome => {
                    self.tell = self.tell.take().filter(|_| self.tells_always);
                    return outcome;
                }
            }
        }
    }
}

/// Waits for several streams at once, and tells which one is waited for.
pub(crate) struct Patience {
    length: Duration,
    waited: Duration,
}

/// How long one wait is: a reader of several looks in between whether another has found a fault.
const SLICE: Duration = Duration::from_millis(500);

impl Patience {
    pub(crate) fn new() -> Self {
        Self {
            length: PATIENCE,
            waited: Duration::ZERO,
        }
    }

    /// Wait until something has come from one of `files`, or one has ended, but not long. When that has been in vain for
    /// long, `tell` is called.
    pub(crate) fn wait(&mut self, files: &[&File], tell: impl FnOnce()) -> io::Result<()> {
        if wait_for_any(files, Some(SLICE))? {
            self.waited = Duration::ZERO;
            return Ok(());
        }
        self.waited += SLICE;
        if self.waited >= self.length {
            tell();
            self.length *= 2;
            self.waited = Duration::ZERO;
        }
        Ok(())
    }
}

/// How long somebody who has something else to do waits for more: a writer that is quick needs less.
const MOMENT: Duration = Duration::from_millis(1);

/// Whether there is something to read, or the end, at once or after a moment.
pub(crate) fn is_ready_soon(file: &File) -> bool {
    wait_for_any(&[file], Some(MOMENT)).unwrap_or(false)
}

/// Whether there is something to read of one of `files`, or one has ended, `within` so long; by default without an end.
fn wait_for_any(files: &[&File], within: Option<Duration>) -> io::Result<bool> {
    let start = Instant::now();
    let mut polled: Vec<PollFd<'_>> = files
        .iter()
        .map(|file| PollFd::new(file.as_fd(), PollFlags::POLLIN))
        .collect();
    loop {
        let left = within.map(|within| within.saturating_sub(start.elapsed()));
        let timeout = match left {
            None => PollTimeout::NONE,
            Some(left) => PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX),
        };
        match poll(&mut polled, timeout) {
            Ok(0) if within.is_none() => {}
            Ok(ready) => return Ok(ready > 0),
            Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_stream_that_never_waits_says_so_and_goes_on() {
        let (reader, mut writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let mut stream = Stream::new(file, Path::new("p"), None, false).never_waiting();
        let mut buffer = [0; 8];
        let error = stream.read(&mut buffer).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        assert!(error.raw_os_error().is_some());
        writer.write_all(b"abc").unwrap();
        assert_eq!(stream.read(&mut buffer).unwrap(), 3);
        drop(writer);
        assert_eq!(stream.read(&mut buffer).unwrap(), 0);
    }

    #[test]
    fn long_waits_are_told_once() {
        static TOLD: AtomicU32 = AtomicU32::new(0);
        let (reader, mut writer) = io::pipe().unwrap();
        let file = File::from(std::os::fd::OwnedFd::from(reader));
        let tell = Listener::new(|path| {
            assert_eq!(path, Path::new("p"));
            TOLD.fetch_add(1, Ordering::Relaxed);
        });
        let mut stream = Stream::new(file, Path::new("p"), Some(tell), true);
        stream.patience = Duration::from_millis(20);
        let writer = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            writer.write_all(b"abc").unwrap();
        });
        assert_eq!(stream.read(&mut [0; 8]).unwrap(), 3);
        assert_eq!(TOLD.load(Ordering::Relaxed), 1);
        writer.join().unwrap();
    }
}
