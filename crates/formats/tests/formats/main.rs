//! Formats from outside.

mod given;
mod records;
