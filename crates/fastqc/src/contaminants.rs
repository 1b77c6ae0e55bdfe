//! What frequent sequences may come from: oligonucleotides that their makers have published.

use std::fmt::{self, Display, Formatter};

use crate::Named;

/// Oligonucleotides without an index.
const OLIGOS: [(&str, &str); 30] = [
    (
        "Illumina TruSeq, read 1 adapter",
        "AGATCGGAAGAGCACACGTCTGAACTCCAGTCA",
    ),
    (
        "Illumina TruSeq, read 2 adapter",
        "AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGT",
    ),
    (
        "Illumina TruSeq, universal adapter",
        "AATGATACGGCGACCACCGAGATCTACACTCTTTCCCTACACGACGCTCTTCCGATCT",
    ),
    (
        "Illumina TruSeq Methylation, read 1 adapter",
        "AGATCGGAAGAGCACACGTCTGAAC",
    ),
    (
        "Illumina TruSeq Methylation, read 2 adapter",
        "AGATCGGAAGAGCGTCGTGTAGGGA",
    ),
    (
        "Illumina paired end, adapter 1",
        "ACACTCTTTCCCTACACGACGCTCTTCCGATCT",
    ),
    (
        "Illumina paired end, adapter 2",
        "GATCGGAAGAGCGGTTCAGCAGGAATGCCGAG",
    ),
    (
        "Illumina paired end, PCR primer 2",
        "CAAGCAGAAGACGGCATACGAGATCGGTCTCGGCATTCCTGCTGAACCGCTCTTCCGATCT",
    ),
    (
        "Illumina single end, adapter 1",
        "GATCGGAAGAGCTCGTATGCCGTCTTCTGCTTG",
    ),
    (
        "Illumina single end, adapter 2 and PCR primer 2",
        "CAAGCAGAAGACGGCATACGAGCTCTTCCGATCT",
    ),
    (
        "Illumina multiplexing, PCR primer 2",
        "GTGACTGGAGTTCAGACGTGTGCTCTTCCGATCT",
    ),
    (
        "Illumina multiplexing, index primer",
        "GATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
    ),
    ("Illumina flow cell, P5", "AATGATACGGCGACCACCGAGATCTACAC"),
    ("Illumina flow cell, P7", "CAAGCAGAAGACGGCATACGAGAT"),
    (
        "Illumina Nextera, end of the transposon",
        "AGATGTGTATAAGAGACAG",
    ),
    (
        "Illumina Nextera, read 1 of the transposon",
        "TCGTCGGCAGCGTCAGATGTGTATAAGAGACAG",
    ),
    (
        "Illumina Nextera, read 2 of the transposon",
        "GTCTCGTGGGCTCGGAGATGTGTATAAGAGACAG",
    ),
    (
        "Illumina Nextera mate pair, junction",
        "CTGTCTCTTATACACATCTAGATGTGTATAAGAGACAG",
    ),
    (
        "Illumina TruSeq Small RNA, 3' adapter",
        "TGGAATTCTCGGGTGCCAAGG",
    ),
    (
        "Illumina TruSeq Small RNA, 5' adapter",
        "GTTCAGAGTTCTACAGTCCGACGATC",
    ),
    (
        "Illumina TruSeq Small RNA, reverse transcription primer",
        "GCCTTGGCACCCGAGAATTCCA",
    ),
    (
        "Illumina TruSeq Small RNA, PCR primer 1",
        "AATGATACGGCGACCACCGAGATCTACACGTTCAGAGTTCTACAGTCCGA",
    ),
    (
        "Illumina small RNA 1.0, 3' adapter",
        "TCGTATGCCGTCTTCTGCTTGT",
    ),
    (
        "Illumina small RNA 1.5, 3' adapter",
        "ATCTCGTATGCCGTCTTCTGCTTG",
    ),
    (
        "Takara SMARTer, II A oligonucleotide",
        "AAGCAGTGGTATCAACGCAGAGTAC",
    ),
    ("MGI, read 1 adapter", "AAGTCGGAGGCCAAGCGGTCTTAGGAAGACAA"),
    (
        "MGI, read 2 adapter",
        "AAGTCGGATCGTAGCCATGTCGTTCTGTGAGCCAAGGAGTTG",
    ),
    (
        "Oxford Nanopore, ligation adapter",
        "AATGTACTTCGTTCAGTTACGTATTGCT",
    ),
    (
        "Oxford Nanopore, rapid adapter",
        "GTTTTCGCATTTATCGTGAAACGCTTTCGCGTTTTTCGTGCGCCGCTTCA",
    ),
    (
        "PacBio, SMRTbell adapter",
        "ATCTCTCTCTTTTCCTCCTCCTCCGTTGTTGTTGTTGAGAGAGAT",
    ),
];

/// Indexes of Illumina's TruSeq single adapters, by number.
const TRUSEQ: [(u8, &str); 24] = [
    (1, "ATCACG"),
    (2, "CGATGT"),
    (3, "TTAGGC"),
    (4, "TGACCA"),
    (5, "ACAGTG"),
    (6, "GCCAAT"),
    (7, "CAGATC"),
    (8, "ACTTGA"),
    (9, "GATCAG"),
    (10, "TAGCTT"),
    (11, "GGCTAC"),
    (12, "CTTGTA"),
    (13, "AGTCAACA"),
    (14, "AGTTCCGT"),
    (15, "ATGTCAGA"),
    (16, "CCGTCCCG"),
    (18, "GTCCGCAC"),
    (19, "GTGAAACG"),
    (20, "GTGGCCTT"),
    (21, "GTTTCGGA"),
    (22, "CGTACGTA"),
    (23, "GAGTGGAT"),
    (25, "ACTGATAT"),
    (27, "ATTCCTTT"),
];

/// What stands before and behind an index of [`TRUSEQ`].
const AROUND_INDEX: [&str; 2] = [
    "GATCGGAAGAGCACACGTCTGAACTCCAGTCAC",
    "ATCTCGTATGCCGTCTTCTGCTTG",
];

/// The list that sequences are compared with unless there is another one.
pub fn usual() -> Vec<Named> {
    let oligos = OLIGOS.map(|(name, sequence)| Named::new(name, sequence.as_bytes()));
    let with_index = TRUSEQ.map(|(number, index)| {
        let [before, behind] = AROUND_INDEX;
        Named::new(
            &format!("Illumina TruSeq, adapter with index {number}"),
            [before, index, behind].concat().as_bytes(),
        )
    });
    // Of equals the first is told: those of an index say more.
    with_index.into_iter().chain(oligos).collect()
}

/// What a sequence seems to come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source<'a> {
    name: &'a str,
    length: usize,
    identity: usize,
}

impl Display for Source<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Source {
            name,
            length,
            identity,
        } = self;
        write!(formatter, "{name} ({identity}% over {length}bp)")
    }
}

/// Sequences that are shorter are in a contaminant as they are, or not at all; with one mismatch, more must agree.
const LONG: usize = 20;

/// Shorter ones are not looked for.
const SHORTEST: usize = 8;

/// The best of all `contaminants` that the sequence agrees with, on either strand: the longest, then the most similar.
pub(crate) fn source<'a>(sequence: &[u8], contaminants: &'a [Named]) -> Option<Source<'a>> {
    let mut best = None;
    for contaminant in contaminants {
        let strands = [
            contaminant.sequence.clone(),
            reverse_complement(&contaminant.sequence),
        ];
        let found = match sequence.len() {
            ..SHORTEST => None,
            SHORTEST..LONG => strands
                .iter()
                .any(|strand| memchr::memmem::find(strand, sequence).is_some())
                .then_some((sequence.len(), 100)),
            _ => strands.iter().fold(None, |best, strand| {
                // The same on the other strand is not better, whatever its identity.
                better(best, longest_run(strand, sequence), false)
            }),
        };
        best = better(
            best,
            found.map(|(length, identity)| Source {
                name: &contaminant.name,
                length,
                identity,
            }),
            true,
        );
    }
    best
}

/// What two things that were found are compared by.
trait Found: Copy {
    fn length(self) -> usize;
    fn identity(self) -> usize;
}

impl Found for (usize, usize) {
    fn length(self) -> usize {
        self.0
    }

    fn identity(self) -> usize {
        self.1
    }
}

impl Found for Source<'_> {
    fn length(self) -> usize {
        self.length
    }

    fn identity(self) -> usize {
        self.identity
    }
}

/// The longer one; of equals the first, or, where that counts, the one of higher identity.
fn better<T: Found>(best: Option<T>, other: Option<T>, by_identity: bool) -> Option<T> {
    let (Some(old), Some(new)) = (best, other) else {
        return best.or(other);
    };
    let is_better = new.length() > old.length()
        || by_identity && new.length() == old.length() && new.identity() > old.identity();
    Some(if is_better { new } else { old })
}

/// The longest run, of more than [`LONG`] letters and at most one mismatch, at any offset: its length and percent identity.
fn longest_run(strand: &[u8], sequence: &[u8]) -> Option<(usize, usize)> {
    let before = strand.len().saturating_sub(LONG);
    let after = sequence.len() - LONG;
    let of_offset = |offset: usize| {
        // From `before` letters of the strand that stick out to `after` letters of the sequence.
        let (skipped, start) = (before.saturating_sub(offset), offset.saturating_sub(before));
        longest_run_of(&strand[skipped..], &sequence[start..])
    };
    (0..before + after)
        .map(of_offset)
        .fold(None, |best, found| better(best, found, false))
}

/// The same of letters that lie on each other.
fn longest_run_of(strand: &[u8], sequence: &[u8]) -> Option<(usize, usize)> {
    let mut best = None;
    // Where a run starts, and where it last agreed.
    let (mut start, mut last, mut mismatches) = (0, 0, 0);
    let run = |start: usize, last: usize, mismatches: usize| {
        let length = (last + 1).saturating_sub(start);
        let identity = (length.saturating_sub(mismatches) * 100).checked_div(length)?;
        (length > LONG).then_some((length, identity))
    };
    for (place, (one, other)) in strand.iter().zip(sequence).enumerate() {
        if one == other {
            last = place;
            continue;
        }
        mismatches += 1;
        if mismatches > 1 {
            best = better(best, run(start, last, mismatches - 1), true);
            (start, last, mismatches) = (place + 1, place + 1, 0);
        }
    }
    better(best, run(start, last, mismatches), true)
}

fn reverse_complement(bases: &[u8]) -> Vec<u8> {
    let complement = |base: &u8| match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        &other => other,
    };
    bases.iter().rev().map(complement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(sequence: &str) -> Option<String> {
        source(sequence.as_bytes(), &usual()).map(|source| source.to_string())
    }

    #[test]
    fn names_are_told_apart() {
        let list = usual();
        for (number, one) in list.iter().enumerate() {
            let is_other = |other: &Named| other.name != one.name && other.sequence != one.sequence;
            assert!(list[..number].iter().all(is_other), "{}", one.name);
        }
    }

    #[test]
    fn what_agrees_longest_is_told() {
        for (sequence, source) in [
            // On the other strand, too.
            (
                "GTACTCTGCG",
                Some("Takara SMARTer, II A oligonucleotide (100% over 10bp)"),
            ),
            ("ACGTACG", None),
            ("GATTACAGATTACA", None),
            (
                "AAGCAGTGGTATCAACGCAGAGTACATGGGAAAAGTTGCTGCAGTTAAAA",
                Some("Takara SMARTer, II A oligonucleotide (100% over 25bp)"),
            ),
            (
                "GATCGGAAGAGCACACGTCTGAACTCCAGTCACACAGTGATCTCGTATGC",
                Some("Illumina TruSeq, adapter with index 5 (100% over 50bp)"),
            ),
            (
                "GATCGGAAGAGCACACGTCTGAACTCCAGTCACACAGTGATCTCGTTTGC",
                Some("Illumina TruSeq, adapter with index 5 (98% over 50bp)"),
            ),
        ] {
            assert_eq!(told(sequence).as_deref(), source, "{sequence}");
        }
    }
}
