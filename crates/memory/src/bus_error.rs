//! An end with a message where a mapped file is not there any more.

use std::sync::OnceLock;

/// Ends the process with exit code 2 and a message on the standard error when it reads what is not there any more of a mapped
/// file, where the system would end it by SIGBUS and say nothing. So it is if somebody truncates the file, or its disk fails.
/// What [`before_refusal_ends`](crate::before_refusal_ends) was given is done before.
///
/// A SIGBUS that another process sends, or that has another cause, ends the process as ever. Linux only; elsewhere nothing
/// happens.
pub fn explain_bus_errors() {
    #[cfg(target_os = "linux")]
    linux::explain();
}

/// Sets the name of the file that is mapped, for that message. The first one stays.
pub fn name_mapped_file(name: impl Into<String>) {
    NAME.get_or_init(|| name.into());
}

/// Read by the handler: loading it takes no lock once it is set.
static NAME: OnceLock<String> = OnceLock::new();

#[cfg(target_os = "linux")]
mod linux {
    use std::ptr;

    use super::NAME;
    use crate::or_exit::end_with;

    /// Codes of a page that could not be read: there is no such place of the file, or the disk failed.
    const OF_FILES: [libc::c_int; 2] = [libc::BUS_ADRERR, libc::BUS_OBJERR];

    pub(super) fn explain() {
        // SAFETY: all zeros are a valid value of this struct of C: numbers, and a pointer that may be null.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handle;
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: the struct is whole, and only read; the handler has the parameters that SA_SIGINFO stands for.
        let _ = unsafe { libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut()) };
    }

    extern "C" fn handle(
        signal: libc::c_int,
        cause: *mut libc::siginfo_t,
        _context: *mut libc::c_void,
    ) {
        debug_assert!(!cause.is_null(), "SA_SIGINFO hands the cause over");
        // SAFETY: the system hands over where it has put the cause, which stays there as long as this runs.
        let code = unsafe { (*cause).si_code };
        if OF_FILES.contains(&code) {
            let name = NAME.get().map_or("a mapped database", String::as_str);
            end_with(&[
                b"thalweg: error: ",
                name.as_bytes(),
                b": could not be read: it was truncated while it was used, or its disk failed\n\
                  hint: run again when the file is whole, with --preload if it may be written to meanwhile; replace a \
                  database in use by renaming a new file, not by writing to it\n",
            ]);
        }
        // SAFETY: numbers only. What caused the signal comes again when this returns, or is sent again, and ends the process.
        unsafe {
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
