//! What must not outlive an interrupted command.
//!
//! A thread that waits for a signal (and does nothing else) removes it; it is started before the first output file is made.
//! Most have no name until they are whole, and there is nothing to remove, but to say what was written. What there
//! is to remove is known to `thalweg::files`.

use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{SigSet, Signal, raise};
use thalweg::files::{named, named_so_far, remove_unfinished};

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

/// Has signals that end the process remove what is unfinished before. One that was ignored when the command began, as under
/// `nohup`, stays ignored.
///
/// The first call must come before other threads are started: they inherit that these signals (Ctrl-C, SIGTERM and others
/// that end a process) are left to the one that waits.
pub(crate) fn wait_for_them() {
    static WAITING: Once = Once::new();
    WAITING.call_once(wait_for_signals);
}

/// Whether files are to be written, also as long as none is begun.
static FILES_ARE_EXPECTED: AtomicBool = AtomicBool::new(false);

/// As [`wait_for_them`], and has it be said, whatever has been begun when a signal comes, if nothing was written. To be called
/// for commands that are to write files.
pub(crate) fn expect_files() {
    FILES_ARE_EXPECTED.store(true, Ordering::Relaxed);
    wait_for_them();
}

/// How many files have their names, if others are to have theirs.
fn written() -> Option<usize> {
    let none_is_begun = || FILES_ARE_EXPECTED.load(Ordering::Relaxed) && named() == 0;
    named_so_far().or_else(|| none_is_begun().then_some(0))
}

/// Has a thread leave these signals to others. To be called by those that may be there before somebody waits for them.
pub(crate) fn leave_to_others() {
    let _ = ENDS.into_iter().collect::<SigSet>().thread_block();
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
        let _ending = remove_unfinished();
        if let Some(named) = written() {
            say_what_is_written(named);
        }
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

/// Without std's lock, which another thread may hold as long as nobody reads what it says; and only if somebody does, as the end
/// must not wait for that.
fn say_what_is_written(named: usize) {
    let stderr = io::stderr();
    let mut polled = [PollFd::new(stderr.as_fd(), PollFlags::POLLOUT)];
    if poll(&mut polled, PollTimeout::ZERO) != Ok(1) {
        return;
    }
    // Over what is drawn there.
    let start = if stderr.is_terminal() { "\r\x1b[K" } else { "" };
    let written = match named {
        0 => "no output file was written",
        _ => "some output files are there, whole, and others are not",
    };
    let text = format!("{start}thalweg: interrupted: {written}\n");
    let _ = nix::unistd::write(stderr.as_fd(), text.as_bytes());
}

/// The set of signals that the process ignores, signal 1 the lowest bit, by Linux's list of its properties; none if that
/// does not say.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|set| u64::from_str_radix(set.trim(), 16).ok())
        .unwrap_or(0)
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
