//! The text around a place of a file, and where on disk each of its bytes lies.

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use thalweg_files::ReadFrom;
use thalweg_gzip::{Decoder, Event, Goal, Slab, Start};

use crate::Error;
use crate::file::InputFile;
use crate::members::{Members, first_member};

/// Uncompressed bytes that are decoded at a time: a BGZF block.
const PIECE: usize = 64 << 10;

/// Bytes of a BGZF block on disk, at most: one begins in any range of so many.
const LONGEST_BLOCK: u64 = 64 << 10;

/// Uncompressed bytes of a window, at most (and a piece). A window of 1 MiB of reads has a tenth of it; compressed
/// nothing could have a thousand times its size.
const MOST: usize = 64 << 20;

/// How the bytes of a file are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// They are the text.
    Plain,
    /// In the blocks of BGZF.
    Bgzf,
}

/// A place in the text of a file that can be gone to without what comes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cutpoint {
    /// Offset in the file: of the byte itself, or of the BGZF block that holds it.
    pub(crate) disk: u64,
    /// Uncompressed bytes of the block before it.
    pub(crate) skip: u64,
}

impl Cutpoint {
    pub(crate) const START: Self = Self { disk: 0, skip: 0 };
}

/// Some of the text of a file.
#[derive(Default)]
pub(crate) struct Window {
    pub(crate) text: Vec<u8>,
    /// The file ends where the text does.
    pub(crate) at_end: bool,
    start: u64,
    /// Where the text of each block begins, and its offset in the file; none of a plain file.
    blocks: Vec<(usize, u64)>,
}

impl Window {
    /// The text at `range` of `file`; of BGZF that of the blocks that begin there, or of the first one behind its
    /// start, as far as they are sound.
    ///
    /// # Errors
    /// What reading gave.
    pub(crate) fn read(
        file: &InputFile,
        framing: Framing,
        range: Range<u64>,
    ) -> Result<Self, Error> {
        match framing {
            Framing::Plain => Self::plain(file, range),
            Framing::Bgzf => Self::bgzf(file, range),
        }
    }

    /// How to go to byte `offset` of the text.
    pub(crate) fn cutpoint(&self, offset: usize) -> Cutpoint {
        let next = self.blocks.partition_point(|(start, _)| *start <= offset);
        match next.checked_sub(1).map(|block| self.blocks[block]) {
            Some((start, disk)) => Cutpoint {
                disk,
                skip: (offset - start) as u64,
            },
            None => Cutpoint {
                disk: self.start + offset as u64,
                skip: 0,
            },
        }
    }

    fn plain(file: &InputFile, range: Range<u64>) -> Result<Self, Error> {
        let (Some(open), Some(size)) = (file.regular(), file.size()) else {
            return Ok(Self::default());
        };
        let mut text = Vec::new();
        ReadFrom::new(Arc::clone(open), range.start)
            .take(range.end.saturating_sub(range.start))
            .read_to_end(&mut text)
            .map_err(|error| Error::io(file.path(), error))?;
        Ok(Self {
            at_end: range.start + text.len() as u64 >= size,
            text,
            start: range.start,
            blocks: Vec::new(),
        })
    }

    fn bgzf(file: &InputFile, range: Range<u64>) -> Result<Self, Error> {
        let (Some(open), Some(size)) = (file.regular(), file.size()) else {
            return Ok(Self::default());
        };
        let searched = range.start..range.end.max(range.start + LONGEST_BLOCK);
        let first = first_member(open, size, searched, Members::Bgzf)
            .map_err(|error| Error::io(file.path(), error))?;
        let Some(first) = first else {
            return Ok(Self::default());
        };
        let mut window = Self {
            start: first,
            blocks: vec![(0, first)],
            ..Self::default()
        };
        let mut spare = Slab::new(PIECE);
        let source = Box::new(ReadFrom::new(Arc::clone(open), first));
        // The decoder stops behind each block.
        let goal = Goal::MemberFrom(first + 1);
        let mut decoder = Decoder::new(source, first, Start::Member, goal, Slab::new(PIECE));
        while window.text.len() < MOST {
            let Some(event) = decoder.event() else {
                match decoder.advance() {
                    Ok(()) => continue,
                    // Whoever reads the part meets the fault, and can say which record it hits.
                    Err(error) if error.is_data() => break,
                    Err(error) => return Err(crate::bytes::compressed_error(file, error)),
                }
            };
            window.text.extend_from_slice(decoder.data());
            spare = decoder.take(decoder.data().len(), spare);
            spare.clear();
            let next = decoder.position() / 8;
            match event {
                Event::ChunkEnd if next >= size => decoder.go_on(),
                Event::ChunkEnd if next >= range.end => break,
                Event::ChunkEnd => {
                    window.blocks.push((window.text.len(), next));
                    decoder.go_on_to(Goal::MemberFrom(next + 1));
                }
                Event::End => {
                    window.at_end = true;
                    break;
                }
                Event::Full => {}
                Event::Block => decoder.go_on(),
            }
        }
        Ok(window)
    }
}
