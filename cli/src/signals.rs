//! What must not outlive an interrupted command.
//!
//! A thread that waits for a signal (and does nothing else) clears it away; it is
//! started with the first thing to clear, and that is rare: most output has no name
//! until it is whole.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use nix::sys::signal::{SigSet, Signal, raise};

static DOOMED: Mutex<Vec<Doomed>> = Mutex::new(Vec::new());

/// What ends a process that does not expect it: Ctrl-C and Ctrl-\, a terminal that goes away, `kill`, and the warnings and
/// limits of batch systems.
const ENDS: [Signal; 8] = [
    Signal::SIGINT,
    Signal::SIGTERM,
    Signal::SIGHUP,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGXCPU,
    Signal::SIGALRM,
];

struct Doomed {
    number: u64,
    clear: Box<dyn Fn() + Send>,
}

/// Keeps something on the list; dropping it takes that off.
pub(crate) struct Cleanup {
    number: u64,
}

/// While it is there, a signal that ends the process waits: what is made is on the list before anything is cleared.
///
/// What is done meanwhile must neither wait for others, as opening a pipe does, nor take or drop a [`Cleanup`] in another way.
pub(crate) struct Hold {
    list: MutexGuard<'static, Vec<Doomed>>,
}

/// Hold signals back. The first call must come before other threads are started: they inherit that these signals (Ctrl-C,
/// SIGTERM and others that end a process) are left to the one that waits. One that was ignored when the command began, as
/// under `nohup`, stays ignored.
pub(crate) fn hold() -> Hold {
    static WAITING: Once = Once::new();
    WAITING.call_once(wait_for_signals);
    Hold { list: lock() }
}

impl Hold {
    /// Remove `path` if the process is told to end.
    pub(crate) fn remove(&mut self, path: &Path) -> Cleanup {
        let path = path.to_owned();
        self.call(move || {
            let _ = std::fs::remove_file(&path);
        })
    }

    /// The same for what is no single file: `clear` must neither wait for other threads nor
    /// take a [`Cleanup`] or drop one.
    pub(crate) fn call(&mut self, clear: impl Fn() + Send + 'static) -> Cleanup {
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed);
        self.list.push(Doomed {
            number,
            clear: Box::new(clear),
        });
        Cleanup { number }
    }
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
    for signal in ENDS {
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

fn lock() -> MutexGuard<'static, Vec<Doomed>> {
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
