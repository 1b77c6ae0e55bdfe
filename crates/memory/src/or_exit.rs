//! The system's allocator, and an end with a message where it has nothing left.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The exit code of [`OrExit`]: that of usage, input and output.
const EXIT_CODE: i32 = 2;

/// The system's allocator, for `#[global_allocator]`. Where the system refuses memory, the process ends with exit code 2
/// and a message on the standard error that tells how much was asked for, and what can be done.
///
/// Rust's own answer is to abort: SIGABRT, an exit code of 134 in a shell, and often a core file of all that was held.
/// Neither unwinds: files that have no name yet go, and [`before_refusal_ends`] has those removed that have a temporary one.
///
/// Memory that C libraries ask for by themselves, such as decoders of zstd and xz, does not come from here.
///
/// Also what could be told there is no memory, such as `Vec::try_reserve`, ends like that. One comparison for each allocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrExit;

// SAFETY: every call goes to `System` with the arguments that the caller vouches for, and what it returns is returned;
// where that is null, nothing is.
unsafe impl GlobalAlloc for OrExit {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout is not of size zero, as `System` asks for, too.
        some(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        some(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the block is one of `System`'s, as all are that this allocator returns, with that layout and a new
        // size for which the caller vouches.
        some(unsafe { System.realloc(block, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn some(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() {
        end(size);
    }
    block
}

/// What is done before the process ends.
static LAST_ACT: OnceLock<fn()> = OnceLock::new();

/// Has `act` called before [`OrExit`] ends the process, by the thread that was refused memory, which may hold any lock. What it
/// allocates may be refused as well: it ends there, then. So it is where a mapped file is gone, if
/// [`explain_bus_errors`](crate::explain_bus_errors) was called. The first call of this counts.
pub fn before_refusal_ends(act: fn()) {
    let _ = LAST_ACT.set(act);
}

thread_local! {
    /// Whether this is the thread that ends the process.
    static IS_LAST: Cell<bool> = const { Cell::new(false) };
}

/// Says how much was asked for and ends the process, without allocating anything.
#[cold]
fn end(size: usize) -> ! {
    let mut digits = [0; 20];
    end_with(&[
        b"thalweg: error: out of memory: ",
        decimal(size, &mut digits),
        b" more bytes were asked for and refused\n\
          hint: use fewer --threads or, where the command has it, a smaller --memory; or allow the process more \
          (`ulimit -v`, the memory of the job or container)\n",
    ])
}

/// Says why and ends the process, without allocating anything.
#[cold]
pub(crate) fn end_with(message: &[&[u8]]) -> ! {
    static ENDING: AtomicBool = AtomicBool::new(false);
    if IS_LAST.get() {
        exit();
    }
    while ENDING.swap(true, Ordering::Relaxed) {
        // One message is enough: the thread that writes it ends this one, too.
        std::hint::spin_loop();
    }
    say(message);
    IS_LAST.set(true);
    if let Some(act) = LAST_ACT.get() {
        act();
    }
    exit()
}

/// The number in decimal.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &[u8] {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[start..];
        }
    }
}

#[cfg(unix)]
fn say(parts: &[&[u8]]) {
    for part in parts {
        // SAFETY: the pointer and the length are those of a slice, which the call only reads. That it may fail changes
        // nothing.
        let _ = unsafe { libc::write(libc::STDERR_FILENO, part.as_ptr().cast(), part.len()) };
    }
}

#[cfg(unix)]
fn exit() -> ! {
    // SAFETY: it ends the process at once and runs nothing of it: other threads may hold any lock.
    unsafe { libc::_exit(EXIT_CODE) }
}

#[cfg(not(unix))]
fn say(parts: &[&[u8]]) {
    use std::io::Write;
    for part in parts {
        let _ = std::io::stderr().write_all(part);
    }
}

#[cfg(not(unix))]
fn exit() -> ! {
    std::process::exit(EXIT_CODE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 65_536, usize::MAX] {
            let mut digits = [0; 20];
            assert_eq!(decimal(number, &mut digits), number.to_string().as_bytes());
        }
    }

    #[test]
    fn blocks_come_from_the_system_and_go_back() {
        let layout = Layout::from_size_align(100, 64).unwrap();
        let larger = Layout::from_size_align(1 << 20, 64).unwrap();
        // SAFETY: the layouts are not of size zero; the block is used within its size, and freed with the layout of its last
        // size.
        unsafe {
            let block = OrExit.alloc_zeroed(layout);
            assert!(block.addr().is_multiple_of(64));
            assert_eq!(std::slice::from_raw_parts(block, 100), [0; 100]);
            block.write(7);
            let block = OrExit.realloc(block, layout, larger.size());
            assert_eq!(block.read(), 7);
            OrExit.dealloc(block, larger);
            let block = OrExit.alloc(layout);
            block.write_bytes(1, 100);
            OrExit.dealloc(block, layout);
        }
    }
}
