//! What a process takes of memory, how it ends where there is none or a mapped file is gone, and what it was not given when it began.
//!
//! For programs, not for libraries: all of it holds for the whole process.
//!
//! - [`give_back_freed_memory`], [`keep_one_heap`]: how the C library's allocator behaves.
//! - [`OrExit`]: an allocator that ends the process with a message, where Rust's would abort it; [`before_refusal_ends`]: what
//!   is done before.
//! - [`explain_bus_errors`]: an end with a message where a mapped file was truncated.
//! - [`was_closed_at_start`]: which of the standard streams were closed, of which Rust does not tell.

mod bus_error;
mod closed;
mod glibc;
mod or_exit;

pub use bus_error::{explain_bus_errors, name_mapped_file};
pub use closed::was_closed_at_start;
pub use glibc::{give_back_freed_memory, keep_one_heap};
pub use or_exit::{OrExit, before_refusal_ends};
