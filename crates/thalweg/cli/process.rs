//! What all jobs share of being a process.
//!
//! - `exit`: what went wrong, and the exit code.
//! - `limits`: what `ulimit` set; `threads`: how many.
//! - `signals`: an end that leaves no temporary files.
//! - `standard_streams`: which of them are closed.
//! - `hearing`: what jobs say; `progress`: a line on a terminal; `tell`: a line on the standard error.

#[macro_use]
pub(crate) mod tell;

pub(crate) mod exit;
pub(crate) mod hearing;
pub(crate) mod limits;
pub(crate) mod progress;
pub(crate) mod signals;
pub(crate) mod standard_streams;
pub(crate) mod threads;
