//! A record longer than the slab in pieces.

use std::sync::Arc;

use super::Feed;
use crate::Format;
use crate::batch::{Block, Buffers, take_buffers};
use crate::piece::{Cut, RecordPiece};

/// A record of which pieces were given.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    /// Where it starts, in uncompressed bytes from the part's start.
    pub(super) start: u64,
    /// Letters before those that are still there.
    letters: u64,
}

impl Begun {
    /// What the rest is, or what there is of it.
    pub(super) fn piece(self, is_last: bool) -> RecordPiece {
        RecordPiece {
            letters_before: self.letters,
            is_last,
        }
    }
}

impl Feed {
    /// Give long sequences of FASTA in pieces that have `overlap` letters in common, if that is some.
    pub(crate) fn in_pieces(mut self, overlap: Option<usize>) -> Self {
        self.overlap = overlap.filter(|_| self.format == Format::Fasta);
        self
    }

    /// Where the record that fills the slab can be cut.
    pub(super) fn find_cut(&self) -> Option<Cut> {
        let overlap = self.overlap?;
        // Of what is left out, or looked for, nothing is given.
        let is_record = self.is_at_records() && self.skip_records == 0;
        let is_unfinished = self.ends.is_empty() && self.scanned == 0;
        let is_wanted = self.alone && !self.text && self.recorder.is_none();
        match is_record && is_unfinished && is_wanted {
            true => Cut::find(self.bytes.data(), overlap),
            false => None,
        }
    }

    /// The piece of the unfinished record that can be cut off, if there is one.
    pub(crate) fn cut_piece(&mut self) -> Option<Block> {
        let cut = self.cut.take()?;
        let begun = self.begun.unwrap_or(Begun {
            start: self.scanned_to(),
            letters: 0,
        });
        let data = self.bytes.data();
        let data_start = self.bytes.output() - data.len() as u64;
        let header = data[..cut.header].to_vec();
        let Buffers {
            slab,
            mut ends,
            rendered,
        } = take_buffers(&self.pool);
        // The header goes where lines were that are in this piece: so all that follows keeps its offset.
        let taken = cut.next - cut.header;
        let mut slab = self.bytes.take(taken, slab);
        self.bytes.overwrite(&header);
        // What both pieces have, and a bit to quote.
        slab.extend(cut.shown - taken);
        ends.clear();
        ends.extend([cut.header - 1, cut.end].map(|end| end as u32));
        // It remembers how much it saw of data that are other ones now.
        self.scanner.reset();
        self.begun = Some(Begun {
            letters: begun.letters + cut.letters,
            ..begun
        });
        if self.in_tail() {
            self.limit_tail();
        }
        Some(Block {
            file: Arc::clone(&self.file),
            buffers: Buffers {
                slab,
                ends,
                rendered,
            },
            format: self.format,
            rank: self.rank,
            text_offset: self.text_start.map(|start| start + data_start),
            piece: Some(begun.piece(false)),
            has_usual_letters: false,
        })
    }
}
