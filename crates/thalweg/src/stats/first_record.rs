//! What the first record of a file has: seqkit tells from it what kind of sequences a file is of.

use std::path::Path;

use thalweg_reads::{Block, ReaderOptions, Record};

use crate::{Fault, Reads};

/// Letters of the first record that are looked at, as many as seqkit takes.
const LOOKED_AT: u64 = 10_000;

/// What the first record of a file has.
///
/// Parts of it can be added in any order, by several threads.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct FirstRecord {
    /// A bit for each byte that occurs among the letters that are looked at.
    letters: [u64; 4],
    /// Letters that were looked at.
    seen: u64,
    /// Its length, where its end was seen.
    length: Option<u64>,
    has_qualities: bool,
}

/// What the letters of a sequence stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SequenceKind {
    /// A, C, G, T and the letters of IUPAC for several of these.
    Dna,
    /// The same with U in the place of T.
    Rna,
    /// Letters of amino acids.
    Protein,
    /// Anything else, and nothing.
    Unlimited,
}

impl FirstRecord {
    /// Add what a block has of it, which may be nothing.
    pub(super) fn add_block(&mut self, block: &Block) {
        if block.first_rank() == Some(0) {
            self.add_first_of(block);
        }
    }

    /// Add the first record of a block, or the piece of it that the block is.
    fn add_first_of(&mut self, block: &Block) {
        let Some(record) = block.records().next() else {
            return;
        };
        match block.piece() {
            None => self.add(record, 0, true),
            Some(piece) => self.add(record, piece.letters_before(), piece.is_last()),
        }
    }

    fn add(&mut self, record: Record<'_>, letters_before: u64, is_last: bool) {
        let mut at = letters_before;
        for line in record.sequence_lines() {
            let left = LOOKED_AT.saturating_sub(at) as usize;
            for &letter in line.iter().take(left) {
                self.letters[usize::from(letter / 64)] |= 1 << (letter % 64);
            }
            self.seen += line.len().min(left) as u64;
            at += line.len() as u64;
        }
        if is_last {
            self.length = Some(at);
        }
        self.has_qualities |= record.quality_lines().any(|line| !line.is_empty());
    }

    pub(super) fn merge(&mut self, other: &FirstRecord) {
        for (mine, others) in self.letters.iter_mut().zip(other.letters) {
            *mine |= others;
        }
        self.seen += other.seen;
        self.length = self.length.or(other.length);
        self.has_qualities |= other.has_qualities;
    }

    /// Whether all of it was seen that is looked at.
    pub(super) fn is_known(&self) -> bool {
        self.seen == self.length.unwrap_or(LOOKED_AT).min(LOOKED_AT)
    }

    /// Read it again: where nobody knew of the block that has it that it is the first.
    pub(super) fn read(path: &Path, reading: ReaderOptions) -> Result<Self, Fault> {
        let mut first = Self::default();
        let reads = Reads::open(reading.file(path))?;
        for batch in reads.workers(1) {
            first.add_first_of(&batch?.blocks()[0]);
            if first.is_known() {
                break;
            }
        }
        Ok(first)
    }

    /// Whether it has qualities: FASTA has none, nor has an empty read of FASTQ.
    pub fn has_qualities(&self) -> bool {
        self.has_qualities
    }

    /// What its first 10,000 letters stand for: the first kind, in the order of [`SequenceKind`], that has all of them.
    pub fn kind(&self) -> SequenceKind {
        if self.seen == 0 {
            return SequenceKind::Unlimited;
        }
        let kinds = [
            (SequenceKind::Dna, "ACGTRYSWKMBDHVN-. "),
            (SequenceKind::Rna, "ACGURYSWKMBDHVN-. "),
            (SequenceKind::Protein, "ABCDEFGHIJKLMNOPQRSTUVWXYZ*_-. "),
        ];
        let found = kinds
            .into_iter()
            .find(|(_, letters)| self.are_all_of(letters));
        found.map_or(SequenceKind::Unlimited, |(kind, _)| kind)
    }

    /// Whether there are no others, in either case.
    fn are_all_of(&self, letters: &str) -> bool {
        (0..=u8::MAX).all(|byte| {
            let is_there = self.letters[usize::from(byte / 64)] >> (byte % 64) & 1 == 1;
            !is_there || letters.as_bytes().contains(&byte.to_ascii_uppercase())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(letters: &str) -> SequenceKind {
        let mut first = FirstRecord::default();
        for letter in letters.bytes() {
            first.letters[usize::from(letter / 64)] |= 1 << (letter % 64);
            first.seen += 1;
        }
        first.kind()
    }

    #[test]
    fn kinds_are_told_by_letters() {
        for (letters, kind) in [
            ("", SequenceKind::Unlimited),
            ("acgtN", SequenceKind::Dna),
            ("WSKMBDHVRYN-. ", SequenceKind::Dna),
            ("ACGU", SequenceKind::Rna),
            ("ACGTU", SequenceKind::Protein),
            ("mkvlqe*X_", SequenceKind::Protein),
            ("ACG1", SequenceKind::Unlimited),
        ] {
            assert_eq!(of(letters), kind, "{letters}");
        }
    }
}
