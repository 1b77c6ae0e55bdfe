//! What a process takes of memory, and how it ends where there is none.
//!
//! For programs, not for libraries: all of it holds for the whole process.
//!
//! - [`give_back_freed_memory`], [`keep_one_heap`]: how the C library's allocator behaves.
//! - [`OrExit`]: an allocator that ends the process with a message, where Rust's would abort it.

mod glibc;
mod or_exit;

pub use glibc::{give_back_freed_memory, keep_one_heap};
pub use or_exit::OrExit;
