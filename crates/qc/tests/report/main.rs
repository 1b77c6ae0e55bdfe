//! Reports: JSON as fastp writes it, byte for byte, and as MultiQC reads it.
//!
//! - `json`: against what fastp 1.3 wrote (in the directory that `THALWEG_FASTP_GOLDEN`
//!   names), and against fastp 0.23, run if it is in `PATH`.
//! - `multiqc`: the real MultiQC, from `PATH` or named by `THALWEG_MULTIQC`.
//! - `html`: the page is whole, needs nothing else, and shows no text as markup.
//!
//! What is missing is named, and its test passes.

#[path = "../compat/command.rs"]
#[allow(dead_code, reason = "what the other test uses")]
mod command;
mod html;
mod json;
mod multiqc;
mod reporting;
#[path = "../compat/simulation.rs"]
mod simulation;
