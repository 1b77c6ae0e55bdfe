//! What text the outputs get of a template.

use thalweg_reads::Record;

use crate::Batch;

/// How templates lie in the inputs, and how they are to lie in the outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The input was opened as interleaved: two neighbours are a template.
    pub interleaved: bool,
    /// Each record of a template goes to an output of its own, of which there must be as many; else all go to the only output, one behind the other.
    pub apart: bool,
    /// Records are written as FASTA, each sequence on one line; else as they stand.
    pub fasta: bool,
}

impl Layout {
    /// How many records of each file a template has.
    pub fn records_per_template(self) -> u64 {
        match self.interleaved {
            true => 2,
            false => 1,
        }
    }

    /// Call `each` with the number of every template in the batch, from 0, and its records.
    #[inline]
    pub(super) fn each_template(self, batch: &Batch, mut each: impl FnMut(usize, &[Record<'_>])) {
        match (batch.blocks().len(), self.interleaved) {
            (1, false) => {
                for (number, record) in batch.records().enumerate() {
                    each(number, &[record]);
                }
            }
            (1, true) | (2, _) => {
                for (number, (first, second)) in batch.pairs().enumerate() {
                    each(number, &[first, second]);
                }
            }
            (files, _) => {
                let mut files: Vec<_> = (0..files).map(|mate| batch.mates(mate)).collect();
                let mut template = Vec::with_capacity(files.len());
                for number in 0..batch.len() {
                    template.clear();
                    template.extend(files.iter_mut().filter_map(Iterator::next));
                    each(number, &template);
                }
            }
        }
    }

    /// Append a template to the texts of the outputs.
    #[inline]
    pub(super) fn push(self, template: &[Record<'_>], texts: &mut [Vec<u8>]) {
        for (mate, record) in template.iter().enumerate() {
            let text = match self.apart {
                true => &mut texts[mate],
                false => &mut texts[0],
            };
            match self.fasta {
                true => push_fasta(record, text),
                false => push_whole(record, text),
            }
        }
    }
}

/// A record as it stands, and a line end if it is the last of its file and lacks one.
#[inline]
fn push_whole(record: &Record<'_>, text: &mut Vec<u8>) {
    record
        .write_to(text)
        .expect("memory takes what it is given");
}

#[inline]
fn push_fasta(record: &Record<'_>, text: &mut Vec<u8>) {
    text.push(b'>');
    text.extend_from_slice(record.head());
    text.push(b'\n');
    for line in record.sequence_lines() {
        text.extend_from_slice(line);
    }
    text.push(b'\n');
}
