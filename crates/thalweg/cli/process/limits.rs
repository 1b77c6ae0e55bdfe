//! Limits on the size of files, on their number and on addresses, such as `ulimit -f`, `-n` and `-v` set.

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit, setrlimit};
use nix::sys::signal::{SigSet, Signal};
use thalweg::Budget;

/// Have as many files open as the system lets us: the usual limit of 1024 is for programs that use `select`, and some
/// samples are more lanes than that.
pub(crate) fn allow_many_files() {
    if let Ok((usual, most)) = getrlimit(Resource::RLIMIT_NOFILE)
        && usual < most
    {
        // If not, an input that cannot be opened is told.
        let _ = setrlimit(Resource::RLIMIT_NOFILE, most, most);
    }
}

/// How many files may be open at the same time.
pub(crate) fn most_open_files() -> usize {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(RLIM_INFINITY, |(limit, _)| limit);
    usize::try_from(limit).unwrap_or(usize::MAX)
}

/// Have writing beyond such a limit fail like writing to a full disk.
///
/// Otherwise a signal ends the process there, without a message, and files under temporary names stay. To be called
/// before other threads are started: they inherit it.
pub(crate) fn of_sizes_are_errors() {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // What cannot be held back ends the process, as if this had not been tried.
    let _ = signals.thread_block();
}

/// How many addresses the process may use (`ulimit -v`), if there is a limit.
pub(crate) fn addresses() -> Option<u64> {
    let (limit, _) = getrlimit(Resource::RLIMIT_AS).ok()?;
    (limit != RLIM_INFINITY).then_some(limit)
}

/// Leave addresses to what is allocated, where there are few: fewer than the C library may reserve, 64 MiB for each of up to
/// eight heaps for each core. To be called before other threads are started.
pub(crate) fn fit_few_addresses() {
    let cores = Budget::all_cores().threads() as u64;
    if addresses().is_some_and(|limit| limit < (cores * 8) << 26) {
        thalweg_memory::keep_one_heap();
    }
}
