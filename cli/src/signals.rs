//! Files that must not outlive an interrupted command.
//!
//! A thread that waits for a signal (and does nothing else) removes them; it is
//! started with the first such file, and that is rare: most output has no name
//! until it is whole.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, PoisonError};

use nix::sys::signal::{SigSet, Signal, raise};

static DOOMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Keeps a file on the list; dropping it takes the file off.
pub(crate) struct Cleanup {
    path: PathBuf,
}

/// Remove `path` if the process is told to end (Ctrl-C, SIGTERM, SIGHUP).
///
/// To be called before other threads are started: they inherit that these
/// signals are left to the one that waits.
pub(crate) fn remove_on_signal(path: &Path) -> Cleanup {
    static WAITING: Once = Once::new();
    WAITING.call_once(wait_for_signals);
    lock().push(path.to_owned());
    Cleanup {
        path: path.to_owned(),
    }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        lock().retain(|path| *path != self.path);
    }
}

fn wait_for_signals() {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    if signals.thread_block().is_err() {
        return;
    }
    std::thread::spawn(move || {
        let Ok(signal) = signals.wait() else { return };
        let doomed = lock();
        for path in doomed.iter() {
            let _ = std::fs::remove_file(path);
        }
        // End as the signal would have ended us, for the shell to see.
        let _ = signals.thread_unblock();
        let _ = raise(signal);
    });
}

fn lock() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    DOOMED.lock().unwrap_or_else(PoisonError::into_inner)
}
