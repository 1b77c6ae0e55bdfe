//! Letters of sequences that stand for no nucleotide.
//!
//! No fault of a file, as it may be one of proteins; but of reads nobody expects them.

use std::collections::BTreeMap;

use thalweg_formats::{Records, has_foreign_letters, is_foreign_letter};

use crate::batch::Batch;

/// Letters that are neither one of IUPAC's for nucleotides, in either case, nor `*`, `-` or `.`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignLetters {
    /// How many there are.
    pub letters: u64,
    /// Records that have some.
    pub records: u64,
    /// 0-based rank of the first such record.
    pub first_record: u64,
    /// 0-based place of the first letter in its sequence.
    pub first_place: u64,
    /// That letter.
    pub first_letter: u8,
}

/// What one worker found.
#[derive(Default)]
pub(crate) struct LetterSearch {
    letters: u64,
    records: u64,
    first: Option<First>,
    /// Records of pieces of work, by ticket, where ranks are not known.
    counted: BTreeMap<u64, u64>,
}

/// The first letter that one worker found: in a record whose rank counts from the start of its piece of work, if that has a
/// ticket here, else from that of the file.
#[derive(Clone, Copy)]
struct First {
    ticket: Option<u64>,
    rank: u64,
    place: u64,
    letter: u8,
}

impl LetterSearch {
    /// Look at all sequences of a batch of one file. The batches of a piece of work must come to the same search.
    pub(crate) fn add(&mut self, batch: &Batch) {
        let Some(block) = batch.blocks().first() else {
            return;
        };
        let (ticket, before) = match block.first_rank() {
            Some(rank) => (None, rank),
            None => {
                let ticket = batch.place().ticket;
                let counted = self.counted.entry(ticket).or_default();
                let before = *counted;
                *counted += block.len() as u64;
                (Some(ticket), before)
            }
        };
        if has_foreign_letters(block.records()) {
            self.search(block.records(), ticket, before);
        }
    }

    fn search(&mut self, records: Records<'_>, ticket: Option<u64>, before: u64) {
        for (rank, record) in (before..).zip(records) {
            let letters = record.sequence_lines().flatten();
            let mut foreign = (0..)
                .zip(letters)
                .filter(|&(_, &letter)| is_foreign_letter(letter));
            let Some((place, &letter)) = foreign.next() else {
                continue;
            };
            self.records += 1;
            self.letters += 1 + foreign.count() as u64;
            let first = First {
                ticket,
                rank,
                place,
                letter,
            };
            // A worker may have several pieces of work at the same time.
            let is_first = |other: First| (ticket, rank) < (other.ticket, other.rank);
            if self.first.is_none_or(is_first) {
                self.first = Some(first);
            }
        }
    }

    /// What all workers found.
    pub(crate) fn finish(searches: impl Iterator<Item = Self>) -> Option<ForeignLetters> {
        let mut all = Self::default();
        for search in searches {
            all.letters += search.letters;
            all.records += search.records;
            all.counted.extend(search.counted);
            let key = |first: &First| (first.ticket, first.rank);
            all.first = all.first.into_iter().chain(search.first).min_by_key(key);
        }
        let first = all.first?;
        let before = first.ticket.map_or(0, |ticket| {
            let counted = all.counted.range(..ticket);
            counted.map(|(_, records)| records).sum()
        });
        Some(ForeignLetters {
            letters: all.letters,
            records: all.records,
            first_record: before + first.rank,
            first_place: first.place,
            first_letter: first.letter,
        })
    }
}
