//! What all tests share.

pub(crate) mod check;
pub(crate) mod compress;
pub(crate) mod naive;
pub(crate) mod random;
pub(crate) mod texts;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// A directory of its own for one test.
pub(crate) fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// Write `bytes` to `name` in `directory`.
pub(crate) fn write(directory: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, bytes).expect("the file is written");
    path
}

/// Run `work` and fail if it takes longer than `seconds`: a reader that hangs
/// must not hang the tests.
pub(crate) fn within<T: Send + 'static>(
    seconds: u64,
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    let (sender, receiver) = channel();
    let worker = std::thread::spawn(move || {
        let _ = sender.send(work());
    });
    match receiver.recv_timeout(Duration::from_secs(seconds)) {
        Ok(value) => value,
        Err(RecvTimeoutError::Timeout) => panic!("hangs: no end after {seconds} s"),
        Err(RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("the worker sends before it ends"),
        },
    }
}
