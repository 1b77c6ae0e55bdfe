//! Where bytes go: a pipe, a device, or a file that gets its name when it is whole.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use thalweg_files::{Unfinished, Whole, close, is_standard_output, resolve};

use crate::{Error, OutputOptions};

/// What messages call the standard output.
const STANDARD_OUTPUT: &str = "standard output";

/// Something open for writing. Dropping it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Sink {
    path: PathBuf,
    target: Target,
    sync: bool,
    /// How many bytes may be given to a pipe that has room, so that it takes them, or
    /// some of them, at once.
    surely_fits: usize,
}

/// POSIX: a pipe that poll(2) calls writable has room for PIPE_BUF bytes, which is
/// 4096 on Linux. To write no more never waits.
const PIPE_BUF: usize = 4096;

#[derive(Debug)]
enum Target {
    /// Standard output, a pipe or a device: bytes arrive in the order of the calls.
    Direct(File),
    /// A file that gets its name when it is whole.
    File(Unfinished),
}

impl Sink {
    /// What `path` stands for: standard output, a pipe or device that is there, or a
    /// file to be. With `named`, the file has a temporary name, so that it need not
    /// stay open until it is saved.
    pub(crate) fn open(path: &Path, options: &OutputOptions, named: bool) -> Result<Self, Error> {
        let fail = |error| Error::open(path, error);
        let sink = |path: &Path, target| Self {
            path: path.to_owned(),
            target,
            sync: options.sync,
            surely_fits: PIPE_BUF,
        };
        if is_standard_output(path) {
            let fail = |error| Error::open(Path::new(STANDARD_OUTPUT), error);
            // std's own handle looks for line ends in what it is given, and takes what cannot be written for written.
            let file = io::stdout().as_fd().try_clone_to_owned().map_err(fail)?;
            // Told before any work is done.
            let flags = fcntl(&file, FcntlArg::F_GETFL).map_err(|error| fail(error.into()))?;
            if OFlag::from_bits_retain(flags) & OFlag::O_ACCMODE == OFlag::O_RDONLY {
                return Err(fail(Errno::EBADF.into()));
            }
            let target = Target::Direct(file.into());
            return Ok(sink(Path::new(STANDARD_OUTPUT), target).enlarged());
        }
        let path = &resolve(path);
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(fail(io::ErrorKind::IsADirectory.into()));
            }
            Ok(metadata) if !metadata.is_file() => {
                let file = fs::OpenOptions::new().write(true).open(path);
                return Ok(sink(path, Target::Direct(file.map_err(fail)?)).enlarged());
            }
            Ok(_) if !options.overwrite => {
                let path = path.clone();
                return Err(Error::Exists { path });
            }
            // A file that must not be written is not to be replaced, either. Nothing is appended.
            Ok(_) => {
                let writable = fs::OpenOptions::new().append(true).open(path);
                writable.map_err(fail)?;
            }
            // Only what is not there can be made, and only with a name.
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.file_name().is_some() => {
            }
            // Not to replace links that go in a circle, for instance.
            Err(error) => return Err(fail(error)),
        }
        let unfinished = match named {
            true => Unfinished::create_named(path),
            false => Unfinished::create(path),
        };
        let unfinished = unfinished.map_err(fail)?.replacing(options.overwrite);
        Ok(sink(path, Target::File(unfinished)))
    }

    fn file(&self) -> &File {
        match &self.target {
            Target::Direct(file) => file,
            Target::File(unfinished) => unfinished.file(),
        }
    }

    /// Whether bytes arrive in the order of the calls, wherever they belong.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self.target, Target::Direct(_))
    }

    /// The name under which messages speak of it.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn descriptor(&self) -> BorrowedFd<'_> {
        self.file().as_fd()
    }

    /// Write all of `bytes`, which belong at `offset`.
    pub(crate) fn write(&self, bytes: &[u8], offset: u64) -> Result<(), Error> {
        let mut file = self.file();
        let outcome = if self.is_direct() {
            write_all(bytes, |rest, _| match file.write(rest) {
                // Whoever gave us this pipe uses it without waiting; we do wait.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let mut pipe = [PollFd::new(file.as_fd(), PollFlags::POLLOUT)];
                    poll(&mut pipe, PollTimeout::NONE)?;
                    Err(io::ErrorKind::Interrupted.into())
                }
                outcome => outcome,
            })
        } else {
            write_all(bytes, |rest, done| {
                file.write_at(rest, offset + done as u64)
            })
        };
        outcome.map_err(|(done, error)| Error::write(&self.path, offset + done as u64, error))
    }

    /// Write what is left of a file, up to `most` bytes, which belongs at `offset`; returns how many bytes that was.
    ///
    /// # Errors
    /// What happened, and how many bytes had been read of the file.
    pub(crate) fn copy_from(
        &self,
        file: &mut &File,
        offset: u64,
        most: u64,
    ) -> Result<u64, (u64, io::Error)> {
        let begin = file.stream_position().map_err(|error| (0, error))?;
        let mut to = self.file();
        let mut some = Read::take(&mut *file, most);
        let outcome = match self.is_direct() {
            true => io::copy(&mut some, &mut to),
            false => to
                .seek(SeekFrom::Start(offset))
                .and_then(|_| io::copy(&mut some, &mut to)),
        };
        outcome.map_err(|error| {
            let end = file.stream_position().unwrap_or(begin);
            (end.saturating_sub(begin), error)
        })
    }

    /// Prepare a pipe for [`write_some`](Self::write_some). A FIFO that we opened
    /// ourselves can be told to take what fits. To tell the standard output
    /// would tell all who share it, also other processes.
    pub(crate) fn never_wait(&mut self) {
        let is_fifo = self
            .file()
            .metadata()
            .is_ok_and(|data| data.file_type().is_fifo());
        if !is_fifo || self.path == Path::new(STANDARD_OUTPUT) {
            return;
        }
        if let Ok(flags) = fcntl(self.file(), FcntlArg::F_GETFL) {
            let flags = OFlag::from_bits_retain(flags) | OFlag::O_NONBLOCK;
            if fcntl(self.file(), FcntlArg::F_SETFL(flags)).is_ok() {
                self.surely_fits = usize::MAX;
            }
        }
    }

    /// Write some of `bytes` to a pipe that has room, without waiting for more.
    pub(crate) fn write_some(&self, bytes: &[u8], offset: u64) -> Result<usize, Error> {
        let bytes = &bytes[..bytes.len().min(self.surely_fits)];
        match self.file().write(bytes) {
            Ok(written) => Ok(written),
            Err(error) if is_passing(&error) => Ok(0),
            Err(error) => Err(Error::write(&self.path, offset, error)),
        }
    }

    /// Make sure that everything has arrived, and where it outlives a power failure
    /// if that is wished. Returns what lacks its name; nothing of a stream.
    pub(crate) fn seal(self) -> Result<Option<Whole>, Error> {
        let Self {
            path, target, sync, ..
        } = self;
        let fail = |error| Error::save(&path, error);
        match target {
            Target::Direct(file) => {
                close(file).map_err(fail)?;
                Ok(None)
            }
            Target::File(unfinished) => Ok(Some(unfinished.seal(sync).map_err(fail)?)),
        }
    }

    /// Let a whole block fit into a pipe, if it is one: else, much of the time of writing to a tool goes to waking each other
    /// up for 64 KiB.
    fn enlarged(self) -> Self {
        const BLOCK: i32 = 1 << 20;
        // Fails for other files, and where the administrator set a lower limit.
        let _ = fcntl(self.file(), FcntlArg::F_SETPIPE_SZ(BLOCK));
        self
    }
}

/// Call `write(rest, done)` until nothing is left.
///
/// # Errors
/// What happened, and how many bytes were written before.
fn write_all(
    bytes: &[u8],
    mut write: impl FnMut(&[u8], usize) -> io::Result<usize>,
) -> Result<(), (usize, io::Error)> {
    let mut done = 0;
    while done < bytes.len() {
        match write(&bytes[done..], done) {
            Ok(0) => return Err((done, io::ErrorKind::WriteZero.into())),
            Ok(written) => done += written,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err((done, error)),
        }
    }
    Ok(())
}

fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_interrupted_writes_go_on() {
        let (mut written, mut call) = (Vec::new(), 0);
        let outcome = write_all(b"ACGTACGTACGT", |rest, done| {
            assert_eq!(done, written.len());
            call += 1;
            if call % 2 == 0 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let size = rest.len().min(call);
            written.extend_from_slice(&rest[..size]);
            Ok(size)
        });
        assert!(outcome.is_ok());
        assert_eq!(written, b"ACGTACGTACGT");
    }

    #[test]
    fn failures_tell_how_far_it_got() {
        let mut room = 5;
        let (done, error) = write_all(b"ACGTACGT", |rest, _| {
            let size = rest.len().min(room).min(3);
            room -= size;
            if size == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            Ok(size)
        })
        .unwrap_err();
        assert_eq!((done, error.kind()), (5, io::ErrorKind::StorageFull));
        let (done, error) = write_all(b"A", |_, _| Ok(0)).unwrap_err();
        assert_eq!((done, error.kind()), (0, io::ErrorKind::WriteZero));
    }
}
