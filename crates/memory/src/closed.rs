//! Which of the standard streams were closed when the process began.
//!
//! Before `main`, Rust opens `/dev/null` in the place of each that is closed, so that no other file gets its number. What is
//! written to it is lost without an error then, and what is read from it is empty. Nothing tells such a `/dev/null` from
//! one that was handed over. So the streams are looked at before that: by a function that the C library calls when it has
//! loaded the program, which is how constructors of C++ run.

use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each of the three streams.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Whether the standard input (0), the standard output (1) or the standard error (2) was closed when the process began.
///
/// Known on Linux; elsewhere none is said to be.
pub fn was_closed_at_start(stream: u8) -> bool {
    stream < 3 && CLOSED.load(Ordering::Relaxed) >> stream & 1 == 1
}

#[cfg(target_os = "linux")]
mod before_main {
    use super::{CLOSED, Ordering};

    // SAFETY: what stands in this section are pointers to functions, which the C library calls one after the other before
    // `main`, with arguments in registers that a function without parameters leaves alone. This one needs nothing that
    // Rust sets up.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        for stream in 0..3 {
            // SAFETY: no memory is named. It can only fail because nothing is open under that number.
            if unsafe { libc::fcntl(stream, libc::F_GETFD) } == -1 {
                CLOSED.fetch_or(1 << stream, Ordering::Relaxed);
            }
        }
    }
}
