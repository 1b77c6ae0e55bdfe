//! Formats from outside.

mod binary;
mod given;
mod made_up;
mod records;
