//! Letters of sequences that stand for no nucleotide.
//!
//! No fault of a file, as it may be one of proteins; but of reads nobody expects them.

use thalweg_scan::{Letters, letters_in_lines, letters_of_all};

use crate::{Format, Records};

/// Those that may stand in sequences of nucleotides, but for lower case.
const USUAL: &[u8] = b"ACGTNURYKMSWBDHV*-.";

/// Whether `letter` is neither one of IUPAC's for nucleotides, in either case, nor `*`, `-` or `.`.
pub fn is_foreign_letter(letter: u8) -> bool {
    !USUAL.contains(&letter.to_ascii_uppercase())
}

/// Whether any sequence has such a letter. Linear in the sequences; nothing is copied.
pub fn has_foreign_letters(records: Records<'_>) -> bool {
    let mut letters = Letters::default();
    match records.format() {
        Format::Fastq => letters_of_all(records.one_line_sequences(), &mut letters),
        Format::FastqMultiline | Format::Fasta => {
            for record in records {
                letters_in_lines(record.raw_sequence(), &mut letters);
            }
        }
    }
    letters.iter().any(|(letter, _)| is_foreign_letter(letter))
}
