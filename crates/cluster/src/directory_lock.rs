//! One run at a time in a directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use thalweg::count;

use crate::{Fault, rank_report};

/// The name of the file that is locked.
pub(crate) const LOCK: &str = "thalweg.lock";

/// The right to write to a directory, until it is dropped. The system takes the lock back from a process that is killed, so that
/// the file which that leaves behind holds nobody up.
#[derive(Debug)]
pub(crate) struct DirectoryLock {
    path: PathBuf,
    /// `None` where the file system has no locks.
    file: Option<File>,
}

impl DirectoryLock {
    /// Locks a directory that is there.
    ///
    /// # Errors
    /// If another run has it, which is named; if the file cannot be written.
    pub(crate) fn take(directory: &Path) -> Result<Self, Fault> {
        let path = directory.join(LOCK);
        let failed = |error| count::Fault::io(&path, error);
        loop {
            let mut options = OpenOptions::new();
            let options = options.read(true).write(true).create(true).truncate(false);
            let mut file = options.open(&path).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(held(directory, file)),
                Err(TryLockError::Error(_)) => return Ok(Self { path, file: None }),
            }
            // Whoever had it may have removed the file since it was opened.
            if is_named(&file, &path) {
                let holder = format!("{}, process {}", rank_report::host(), std::process::id());
                file.set_len(0).map_err(failed)?;
                file.write_all(holder.as_bytes()).map_err(failed)?;
                let file = Some(file);
                return Ok(Self { path, file });
            }
        }
    }
}

impl Drop for DirectoryLock {
    fn drop(&mut self) {
        // While it is locked: nobody else can have it by then.
        if self.file.is_some() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Returns whether an open file is the one of this name.
fn is_named(file: &File, path: &Path) -> bool {
    let number = |data: std::fs::Metadata| (data.dev(), data.ino());
    let (open, named) = (
        file.metadata().map(number),
        std::fs::metadata(path).map(number),
    );
    matches!((open, named), (Ok(open), Ok(named)) if open == named)
}

/// Says who has the lock.
fn held(directory: &Path, file: File) -> Fault {
    let mut holder = String::new();
    let read = file.take(1000).read_to_string(&mut holder);
    let holder = match read {
        Ok(1..) => format!(" ({})", holder.trim()),
        _ => String::new(),
    };
    Fault::usage(
        format!("{}: another run writes to it{holder}", directory.display()),
        "wait until that one has ended, or name another directory",
    )
}
