//! What must not outlive an interrupted command.
//!
//! A thread that waits for a signal (and does nothing else) clears it away; it is
//! started with the first thing to clear, and that is rare: most output has no name
//! until it is whole.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once, PoisonError};

use nix::sys::signal::{SigSet, Signal, raise};

static DOOMED: Mutex<Vec<Doomed>> = Mutex::new(Vec::new());

struct Doomed {
    number: u64,
    clear: Box<dyn Fn() + Send>,
}

/// Keeps something on the list; dropping it takes that off.
pub(crate) struct Cleanup {
    number: u64,
}

/// Remove `path` if the process is told to end (Ctrl-C, SIGTERM, SIGHUP). A signal that was ignored when the command
/// began, as under `nohup`, stays ignored.
///
/// To be called before other threads are started: they inherit that these
/// signals are left to the one that waits.
pub(crate) fn remove_on_signal(path: &Path) -> Cleanup {
    let path = path.to_owned();
    call_on_signal(move || {
        let _ = std::fs::remove_file(&path);
    })
}

/// The same for what is no single file: `clear` must neither wait for other threads nor
/// take a [`Cleanup`] or drop one.
pub(crate) fn call_on_signal(clear: impl Fn() + Send + 'static) -> Cleanup {
    static WAITING: Once = Once::new();
    static NUMBERS: AtomicU64 = AtomicU64::new(0);
    WAITING.call_once(wait_for_signals);
    let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
    lock().push(Doomed {
        number,
        clear: Box::new(clear),
    });
    Cleanup { number }
}

impl Drop for Cleanup {
    fn drop(&mut self) {
        lock().retain(|doomed| doomed.number != self.number);
    }
}

fn wait_for_signals() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&status);
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        // Waited for, it would come in spite of being ignored.
        if ignored >> (signal as u32 - 1) & 1 == 0 {
            signals.add(signal);
        }
    }
    if signals.thread_block().is_err() {
        return;
    }
    let waiting = std::thread::Builder::new().spawn(move || {
        let Ok(signal) = signals.wait() else { return };
        let doomed = lock();
        doomed.iter().for_each(|doomed| (doomed.clear)());
        // End as the signal would have ended us, for the shell to see.
        let _ = signals.thread_unblock();
        let _ = raise(signal);
        // Still here: it is ignored, and the system did not say so. What was removed cannot be written on.
        std::process::exit(128 + signal as i32);
    });
    if waiting.is_err() {
        // Nobody waits for them: they end the process as ever.
        let _ = signals.thread_unblock();
    }
}

/// The set of signals that the process ignores, signal 1 the lowest bit, by Linux's list of its properties; none if that
/// does not say.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or(0)
}

fn lock() -> std::sync::MutexGuard<'static, Vec<Doomed>> {
    DOOMED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read() {
        let status = "Name:\tx\nSigBlk:\t0000000000000004\nSigIgn:\t0000000000000003\nSigCgt:\t0\n";
        assert_eq!(ignored(status), 3);
        assert_eq!(ignored("Name:\tx\n"), 0);
    }
}
