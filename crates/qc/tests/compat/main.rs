//! What fastp writes, byte for byte.
//!
//! - `golden`: files that fastp 1.3 wrote, in the directory that the variable
//!   `THALWEG_FASTP_GOLDEN` names (`options.tsv`, `in`, `pe/NAME/NN`, `se/NAME/NN`).
//! - `installed`: fastp 0.23 is run on simulated reads, if it is in `PATH`, and on
//!   those in the directories that `THALWEG_FASTP_READS` names (pairs of files whose
//!   names differ in `1` and `2`).
//!
//! Both say so and pass where what they compare with is missing.

mod command;
mod files;
mod golden;
mod inserts;
mod installed;
mod simulation;
