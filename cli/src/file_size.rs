//! Limits on the size of files, such as `ulimit -f` sets.

use nix::sys::signal::{SigSet, Signal};

/// Have writing beyond such a limit fail like writing to a full disk.
///
/// Otherwise a signal ends the process there, without a message, and files under temporary names stay. To be called
/// before other threads are started: they inherit it.
pub(crate) fn limits_are_errors() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // What cannot be held back ends the process, as if this had not been tried.
    let _ = signals.thread_block();
}
