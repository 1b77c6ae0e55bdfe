//! Newlines, letters, qualities and repeats in sequencing reads, found, counted and turned with SIMD.
//!
//! Every function takes slices and writes into what the caller owns: no thread, no I/O, no
//! logging, no allocation but the growth of a caller's `Vec`, and the tables of [`QualityCounters`]. AVX-512, AVX2 or NEON is chosen
//! once, at run time; [`active_kernel`] tells which. Machines that have none of them run a
//! portable version with the same results. Only a [`coder`] and a [`ValueCounter`] are not for every machine, and [`low_complexity`]
//! has no vectors.
//!
//! ```
//! let record = b"@read 1\nACGTN\n+\nIIII#\n";
//! let mut ends = Vec::new();
//! thalweg_scan::newlines(record, 0, &mut ends);
//! assert_eq!(ends, [7, 13, 15, 21]);
//!
//! let mut letters = thalweg_scan::Letters::default();
//! thalweg_scan::letters(&record[8..13], &mut letters);
//! assert_eq!((letters.count(b'A'), letters.total()), (1, 5));
//! ```

#[cfg(not(target_pointer_width = "64"))]
compile_error!("positions and counts assume 64-bit addresses");

mod bases;
pub mod coder;
mod columns;
mod judge;
mod kernel;
mod letters;
pub mod low_complexity;
mod newlines;
#[cfg(test)]
mod oracle;
mod portable;
mod qualities;
mod quality_counters;
mod repeats;
mod values;
mod vector;

pub use bases::{OFFSETS, PROBE, offsets_of, pack, reverse_complement};
pub use columns::{COLUMNS, add_columns, count_columns};
pub use judge::{
    Within, are_all_graphic, are_all_within, are_bases, are_graphic, count_below, count_equal,
    count_values,
};
pub use kernel::active_kernel;
pub use letters::{Letters, letters, letters_in_lines, letters_of_all};
pub use newlines::{count_newlines, newlines};
pub use qualities::{Qualities, qualities, qualities_of_all};
pub use quality_counters::QualityCounters;
pub use repeats::repeats;
pub use values::{ValueCounter, ValueCounts};
