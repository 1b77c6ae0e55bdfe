//! The standard streams: what they are called, and that a closed one is an error.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{dup2_stdin, dup2_stdout};
use thalweg_memory::was_closed_at_start;

/// What the standard output is called in messages.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// What the standard input is called in messages.
pub(crate) const STANDARD_INPUT: &str = "standard input";

const INPUT: u8 = 0;
const OUTPUT: u8 = 1;

/// Have reading and writing fail where the standard input or output was closed when the command began, as by `>&-`.
///
/// Rust has put something in their places that takes everything and gives nothing, without an error. To be called before
/// anything is opened.
pub(crate) fn keep_closed() {
    if !was_closed_at_start(INPUT) && !was_closed_at_start(OUTPUT) {
        return;
    }
    let Ok(barred) = barred() else {
        return;
    };
    if was_closed_at_start(INPUT) {
        let _ = dup2_stdin(&barred);
    }
    if was_closed_at_start(OUTPUT) {
        let _ = dup2_stdout(&barred);
    }
}

/// What can be neither read nor written: the system says the same as of a number under which nothing is open. It stands for
/// a link and not for what that leads to, so that names such as `/dev/stdin` do not open it, either.
fn barred() -> io::Result<File> {
    let path_only = |path: &str, more: OFlag| {
        let flags = OFlag::O_PATH | more;
        let mut options = OpenOptions::new();
        options.read(true).custom_flags(flags.bits()).open(path)
    };
    path_only("/proc/self", OFlag::O_NOFOLLOW).or_else(|_| path_only("/dev/null", OFlag::empty()))
}

/// The standard input, from which a closed one can be told.
pub(crate) fn standard_input() -> io::Result<BufReader<File>> {
    // std's own handle is at its end where it cannot be read.
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    Ok(BufReader::new(input.into()))
}

/// If `error` of an input is that the standard input is closed: what to tell.
pub(crate) fn closed_input(path: &Path, error: &io::Error) -> Option<[&'static str; 2]> {
    const NAMES: [&str; 5] = [
        STANDARD_INPUT,
        "-",
        "/dev/stdin",
        "/dev/fd/0",
        "/proc/self/fd/0",
    ];
    let is_it = NAMES.iter().any(|name| path == Path::new(name));
    // A link, not what it leads to: that is what `barred` makes of the names.
    let is_barred = error.raw_os_error() == Some(Errno::ELOOP as i32);
    let is_closed = was_closed_at_start(INPUT) && (is_barred || is_not_open(error));
    let hint = "hand it over with `< FILE` or a pipe, or name a file";
    match is_it {
        true if is_closed => Some(["standard input: it is closed", hint]),
        true if is_not_open(error) => Some(["standard input: it is not open for reading", hint]),
        _ => None,
    }
}

/// If `error` of an output is that the standard output is closed: what to tell.
pub(crate) fn closed_output(path: &Path, error: &io::Error) -> Option<[&'static str; 2]> {
    if path != Path::new(STANDARD_OUTPUT) || !is_not_open(error) {
        return None;
    }
    let message = match was_closed_at_start(OUTPUT) {
        true => "standard output: it is closed",
        false => "standard output: it is not open for writing",
    };
    Some([
        message,
        "hand it over with `> FILE` or a pipe; `> /dev/null` if nobody wants it",
    ])
}

/// Whether nothing is open there, or not for that.
fn is_not_open(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::EBADF as i32)
}
