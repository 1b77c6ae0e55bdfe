//! Formats from outside.

mod bam;
mod binary;
mod given;
mod made_up;
mod records;
