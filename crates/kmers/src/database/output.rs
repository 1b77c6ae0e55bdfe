//! A file that appears under its name only when it is whole.

#[cfg(target_os = "linux")]
mod past_cache;
#[cfg(not(target_os = "linux"))]
#[path = "output/cache_only.rs"]
mod past_cache;

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thalweg_files::{ReadAt, Unfinished, Whole};

use self::past_cache::PastCache;
use crate::error::{Error, Result};

/// Bytes of each write: many blocks, little memory. Writes begin and end at multiples of it, as then Linux keeps what is
/// written in large folios of its page cache, with half the work.
const BUFFER: usize = 1 << 18;

/// Bytes between two times that the system is told to bring to the disk what is written.
const AHEAD: u64 = 8 << 20;

/// What comes behind so many bytes goes to the disk past the system's cache of pages, where that can be: a small database stays
/// in the cache for who reads it next, of a large one little would.
const SMALL: u64 = 32 << 20;

/// Bytes that a writer of small records collects before it hands them on.
pub(crate) const FULL: usize = 1 << 16;

/// A file in the directory of its final name, which it has not yet; gone when it is dropped unfinished.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    unfinished: Unfinished,
    /// What is not written yet: less than [`BUFFER`].
    buffer: Vec<u8>,
    /// Bytes written so far.
    written: u64,
    /// How many of them the system was told to bring to the disk.
    sent: u64,
    /// Behind so many bytes, what takes everything else is wanted.
    through_cache: u64,
    past_cache: Option<Box<PastCache>>,
}

impl Output {
    /// Creates the file that will be `path`.
    pub(crate) fn create(path: &Path) -> Result<Output> {
        let unfinished = Unfinished::create(path).map_err(|source| Error::io(path, source))?;
        Ok(Output {
            path: path.to_path_buf(),
            unfinished,
            buffer: Vec::with_capacity(BUFFER),
            written: 0,
            sent: 0,
            through_cache: SMALL,
            past_cache: None,
        })
    }

    /// Appends bytes.
    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.written += bytes.len() as u64;
        if let Some(past_cache) = &mut self.past_cache {
            let written = past_cache.write(bytes);
            return written.map_err(|source| Error::io(&self.path, source));
        }
        let mut rest = bytes;
        // As much as makes what waits whole.
        if !self.buffer.is_empty()
            && let Some((filling, behind)) = rest.split_at_checked(BUFFER - self.buffer.len())
        {
            self.buffer.extend_from_slice(filling);
            self.flush()?;
            rest = behind;
        }
        if self.buffer.is_empty() {
            // Whole pieces need not wait.
            let (pieces, behind) = rest.split_at(rest.len() / BUFFER * BUFFER);
            let written = self.unfinished.file().write_all(pieces);
            written.map_err(|source| Error::io(&self.path, source))?;
            rest = behind;
        }
        self.buffer.extend_from_slice(rest);
        if self.written >= self.sent + AHEAD {
            self.send();
        }
        if self.written >= self.through_cache {
            self.pass_by_the_cache()?;
        }
        Ok(())
    }

    /// Writes what waits.
    fn flush(&mut self) -> Result<()> {
        let result = self.unfinished.file().write_all(&self.buffer);
        self.buffer.clear();
        result.map_err(|source| Error::io(&self.path, source))
    }

    /// What waits is the first to go past the cache, if anything can.
    fn pass_by_the_cache(&mut self) -> Result<()> {
        self.through_cache = u64::MAX;
        let in_file = self.written - self.buffer.len() as u64;
        self.past_cache = PastCache::start(self.unfinished.file(), in_file).map(Box::new);
        if let Some(past_cache) = &mut self.past_cache {
            let written = past_cache.write(&self.buffer);
            written.map_err(|source| Error::io(&self.path, source))?;
            self.buffer.clear();
        }
        Ok(())
    }

    /// Waits until everything is in the file.
    fn settle(&mut self) -> Result<()> {
        self.through_cache = u64::MAX;
        self.flush()?;
        let Some(past_cache) = self.past_cache.take() else {
            return Ok(());
        };
        let finished = past_cache.finish();
        let at_end = finished.and_then(|()| self.unfinished.file().seek(SeekFrom::End(0)));
        at_end.map_err(|source| Error::io(&self.path, source))?;
        Ok(())
    }

    /// Has the system begin to bring to the disk what it was given, so that [`Output::seal`] waits for little.
    fn send(&mut self) {
        let given = self.written - BUFFER as u64;
        #[cfg(target_os = "linux")]
        bring_to_disk(self.unfinished.file(), self.sent, given);
        self.sent = given;
    }

    /// Replaces the first bytes of the file, which were written before.
    pub(crate) fn rewrite_start(&mut self, bytes: &[u8]) -> Result<()> {
        self.settle()?;
        let rewrite = || -> io::Result<()> {
            self.unfinished.file().seek(SeekFrom::Start(0))?;
            self.unfinished.file().write_all(bytes)?;
            self.unfinished.file().seek(SeekFrom::End(0))?;
            Ok(())
        };
        rewrite().map_err(|source| Error::io(&self.path, source))
    }

    /// Another file of the same name, still empty. This one can be read, and is gone when it is dropped.
    pub(crate) fn begin_again(&mut self) -> Result<Output> {
        self.settle()?;
        Output::create(&self.path)
    }

    /// Reads bytes that were written before [`begin_again`](Self::begin_again).
    pub(crate) fn read_at(&self, bytes: &mut [u8], offset: u64) -> Result<()> {
        let read = self.unfinished.file().read_exact_at(bytes, offset);
        read.map_err(|source| Error::io(&self.path, source))
    }

    /// Makes the file durable and gives it its name; an older file of that name is replaced.
    pub(crate) fn finish(self) -> Result<()> {
        let path = self.path.clone();
        let named = self.seal()?.name();
        named.map_err(|source| Error::io(path, source))
    }

    /// Makes the file durable, still without its name: what can fail for lack of room has been done then.
    pub(crate) fn seal(mut self) -> Result<Whole> {
        self.settle()?;
        let Output {
            path, unfinished, ..
        } = self;
        (unfinished.seal(true)).map_err(|source| Error::io(path, source))
    }
}

/// Has Linux begin to write these bytes. The advice is not to keep them in memory; but it drops only what is on the
/// disk already, which is little of what was just written. Errors are told by what waits for the disk in the end.
#[cfg(target_os = "linux")]
fn bring_to_disk(file: &std::fs::File, from: u64, to: u64) {
    use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};
    if let (Ok(from), Ok(length)) = (from.try_into(), (to - from).try_into()) {
        let _ = posix_fadvise(file, from, length, PosixFadviseAdvice::POSIX_FADV_DONTNEED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_an_unfinished_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let mut output = Output::create(&path).unwrap();
        output.write(b"abc").unwrap();
        drop(output);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_start_is_replaced_and_the_end_stays() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        std::fs::write(&path, b"older").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write(b"....efg").unwrap();
        output.rewrite_start(b"abcd").unwrap();
        output.write(b"h").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"older");
        output.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"abcdefgh");
    }

    /// That a file is whole which has 4000 bytes for each of `pieces`, and then pieces of other sizes; whether some of it went past
    /// the cache.
    fn check_large(directory: &Path, pieces: u32) -> bool {
        let path = directory.join("a");
        let mut output = Output::create(&path).unwrap();
        let mut all = vec![];
        for i in 0..pieces {
            let bytes = i.to_le_bytes().repeat(1000);
            output.write(&bytes).unwrap();
            all.extend_from_slice(&bytes);
        }
        // Behind bytes that wait, and behind none; less than a piece, a whole one, several and a part.
        for length in [3 * BUFFER + 5, BUFFER - 1, 1, BUFFER, 0, 2 * BUFFER, 7] {
            let bytes: Vec<u8> = (0..length).map(|i| (i * i / 7 + length) as u8).collect();
            output.write(&bytes).unwrap();
            all.extend_from_slice(&bytes);
        }
        assert!((AHEAD..all.len() as u64).contains(&output.sent));
        let past_cache = output.past_cache.is_some();
        output.rewrite_start(b"the start").unwrap();
        all[..9].copy_from_slice(b"the start");
        for bytes in [&b"the"[..], &[7; BUFFER], b"end"] {
            output.write(bytes).unwrap();
            all.extend_from_slice(bytes);
        }
        output.finish().unwrap();
        assert!(std::fs::read(&path).unwrap() == all);
        past_cache
    }

    #[test]
    fn a_large_file_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let pieces = |bytes: u64| u32::try_from(bytes / 4000).unwrap();
        assert!(!check_large(directory.path(), pieces(5 * AHEAD / 2)));
        // Past the cache: less than a block; some, of which each is used for several.
        for more in [1, 21 << 20] {
            let past_cache = check_large(directory.path(), pieces(SMALL + more));
            if !past_cache {
                println!("not tested: this file system has no writing past the cache");
            }
        }
    }

    /// In memory there is nothing to pass by, or it is the same.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_system_in_memory_takes_large_files() {
        match tempfile::tempdir_in("/dev/shm") {
            Ok(directory) => _ = check_large(directory.path(), ((SMALL + (9 << 20)) / 4000) as u32),
            Err(error) => println!("not tested: {error}"),
        }
    }

    #[test]
    fn a_missing_directory_is_named() {
        let error = Output::create(Path::new("/nowhere/at/all")).unwrap_err();
        assert!(error.to_string().contains("/nowhere/at/all"), "{error}");
    }
}
