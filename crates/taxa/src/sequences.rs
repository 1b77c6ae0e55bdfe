//! Which taxon a reference sequence is of.
//!
//! ```text
//! a user's table ─► Table ───────┐ 1  by file and sequence, or by sequence, 2  by file
//! headers ─► header::taxid ──────┤ 3
//! seqid2taxid.map ─► Table ──────┼─► Sources::assign ──► Assignment ──► AssignmentTally
//! accession2taxid ─► Accessions ─┘ 4, 5
//! ```
//!
//! What comes first in this order counts:
//!
//! 1. the user's table, where it names the sequence: with its file (`a.fa:contig_1`), else alone;
//! 2. the user's table, where it names the file (see [`Table::of_file`]);
//! 3. `kraken:taxid|N` in the header;
//! 4. `seqid2taxid.map`, where it has the sequence, also with its file;
//! 5. accession2taxid, by the accession with its version, then without.
//!
//! Assemblers call sequences of all genomes alike. So the name of a sequence alone may not stand for several files, unless the
//! sequences are equal, nor for another taxon than a row for the file: see [`LibraryInputs::check_rows`](crate::library::LibraryInputs::check_rows).
//!
//! kraken2 has 3, 5 and, as a result of these, 4. Other than kraken2, a sequence whose name is a number is not taken to be of
//! the taxon with that taxid: contigs are often called `1`, `2` and so on.

mod accessions;
mod assign;
pub mod header;
mod matched;
mod table;
mod tally;

pub use accessions::Accessions;
pub use assign::{Assignment, AssignmentSource, Sources};
pub(crate) use matched::RowSet;
pub use matched::UnmatchedRows;
pub use table::{Table, TableRow};
pub use tally::AssignmentTally;
