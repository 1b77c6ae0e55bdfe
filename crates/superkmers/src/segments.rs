//! Sequences to segments of two bits per base, whatever pieces or lines they come in.
//!
//! ```text
//! for each segment of the sequence (overlapping by k - 1 bases):
//!   encode both strands to two bits per base; note where letters are no bases
//!   show it
//! ```

use crate::{
    Kernel, cut::SEGMENT, encode::Encoded, kmer::Alphabet, other_letters::OtherLetters,
    pieces::for_each_piece,
};

/// Encodes sequences, a segment of 2048 k-mers at a time. It has buffers of its own, which it uses again.
///
/// Each k-mer of a sequence is in one segment. A sequence that is given in pieces must have its pieces overlap by k - 1
/// letters.
#[derive(Debug)]
pub struct Segments {
    overlap: usize,
    minimum_quality: u8,
    kernel: Kernel,
    encoded: Encoded,
    /// A segment of a sequence on several lines.
    letters: Vec<u8>,
    bases: u64,
    other_letters: OtherLetters,
}

impl Segments {
    /// For k-mers of `k` bases, and letters of `alphabet`.
    pub fn new(k: usize, kernel: Kernel, alphabet: Alphabet) -> Self {
        Self {
            overlap: k - 1,
            minimum_quality: 0,
            kernel,
            encoded: Encoded::new(alphabet),
            letters: Vec::new(),
            bases: 0,
            other_letters: OtherLetters::default(),
        }
    }

    /// Bases whose quality byte is below `byte` are invalid; 0 for none.
    pub fn with_minimum_quality(self, byte: u8) -> Self {
        Self {
            minimum_quality: byte,
            ..self
        }
    }

    /// Calls `each` with the segments of `sequence`. One that is shorter than k has none.
    ///
    /// # Errors
    ///
    /// The first of `each`, at which it ends; so with all others.
    pub fn add<E>(
        &mut self,
        sequence: &[u8],
        each: impl FnMut(&Encoded) -> Result<(), E>,
    ) -> Result<(), E> {
        self.add_segments(sequence, b"", 0, each)
    }

    /// As [`Self::add`], and bases of a quality byte below the least one are invalid. There are as many as letters.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    ///
    /// # Panics
    ///
    /// If there are not.
    pub fn add_with_quality<E>(
        &mut self,
        sequence: &[u8],
        quality: &[u8],
        each: impl FnMut(&Encoded) -> Result<(), E>,
    ) -> Result<(), E> {
        assert_eq!(sequence.len(), quality.len());
        let quality = if self.minimum_quality == 0 {
            b""
        } else {
            quality
        };
        self.add_segments(sequence, quality, 0, each)
    }

    /// As [`Self::add`], of the sequence that `lines` make. It is never joined: of a long one, that would be a copy.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_lines<'a, E>(
        &mut self,
        lines: impl IntoIterator<Item = &'a [u8]>,
        each: impl FnMut(&Encoded) -> Result<(), E>,
    ) -> Result<(), E> {
        self.add_lines_behind(0, lines, each)
    }

    /// As [`Self::add_lines`], of what follows a piece of the same sequence, with the last k - 1 letters of that before
    /// it: they are no further bases.
    ///
    /// # Errors
    ///
    /// As [`Self::add`].
    pub fn add_next_piece<'a, E>(
        &mut self,
        lines: impl IntoIterator<Item = &'a [u8]>,
        each: impl FnMut(&Encoded) -> Result<(), E>,
    ) -> Result<(), E> {
        self.add_lines_behind(self.overlap, lines, each)?;
        self.bases -= self.overlap as u64;
        Ok(())
    }

    /// Letters so far, whatever they are.
    pub fn bases(&self) -> u64 {
        self.bases
    }

    /// Those of them that are no bases.
    pub fn other_letters(&self) -> &OtherLetters {
        &self.other_letters
    }

    /// The same, and nothing else.
    pub fn into_other_letters(self) -> OtherLetters {
        self.other_letters
    }

    /// Takes the sequence that `lines` make, of which the first `known` letters were taken before.
    fn add_lines_behind<'a, E>(
        &mut self,
        known: usize,
        lines: impl IntoIterator<Item = &'a [u8]>,
        mut each: impl FnMut(&Encoded) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut lines = lines.into_iter();
        let Some(first) = lines.next() else {
            return Ok(());
        };
        let Some(second) = lines.next() else {
            return self.add_segments(first, b"", known, each);
        };
        let lines = [first, second].into_iter().chain(lines);
        let mut letters = std::mem::take(&mut self.letters);
        let overlap = self.overlap;
        let mut behind = known;
        // The segments that `add` makes of the joined sequence.
        let outcome = for_each_piece(lines, SEGMENT, overlap, &mut letters, |segment| {
            let known = std::mem::replace(&mut behind, overlap);
            each(self.encode(segment, b"", known))
        });
        if matches!(outcome, Ok(length) if length <= overlap as u64) {
            self.note_other_letters(&letters, known);
        }
        self.letters = letters;
        self.bases += outcome?;
        Ok(())
    }

    /// Takes a sequence, of which the first `known` letters were taken before.
    #[inline]
    fn add_segments<E>(
        &mut self,
        sequence: &[u8],
        quality: &[u8],
        known: usize,
        mut each: impl FnMut(&Encoded) -> Result<(), E>,
    ) -> Result<(), E> {
        self.bases += sequence.len() as u64;
        let overlap = self.overlap;
        if sequence.len() <= overlap {
            self.note_other_letters(sequence, known);
            return Ok(());
        }
        let (mut start, mut known) = (0, known);
        while start + overlap < sequence.len() {
            let end = sequence.len().min(start + SEGMENT + overlap);
            let quality = if quality.is_empty() {
                b""
            } else {
                &quality[start..end]
            };
            each(self.encode(&sequence[start..end], quality, known))?;
            start += SEGMENT;
            known = overlap;
        }
        Ok(())
    }

    /// Notes what letters of a sequence that has no k-mer are no bases.
    fn note_other_letters(&mut self, letters: &[u8], known: usize) {
        self.kernel.encode(&mut self.encoded, letters, b"", 0);
        self.other_letters.note(&self.encoded, letters, known);
    }

    /// Encodes a segment, of which the first `known` letters were taken before.
    #[inline]
    fn encode(&mut self, letters: &[u8], quality: &[u8], known: usize) -> &Encoded {
        self.kernel
            .encode(&mut self.encoded, letters, quality, self.minimum_quality);
        self.other_letters.note(&self.encoded, letters, known);
        &self.encoded
    }
}
