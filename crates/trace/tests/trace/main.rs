//! Traces from outside: written and read back, cut, damaged, of older versions, and by other programs.
//!
//! - `support`: values, plain and random, and files of them.
//! - `round_trips`: what is written is read.
//! - `faults`: files that were cut at every byte, changed at every byte, or made to deceive.
//! - `versions`: files of each released version; and of versions that are not there yet.
//! - `programs`: `lz4`, `zstd` and Python.

mod faults;
mod programs;
mod round_trips;
mod support;
mod versions;
