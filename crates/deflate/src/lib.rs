//! DEFLATE (RFC 1951) encoding, made for FASTQ text in blocks of some 64 KiB.
//!
//! General compressors treat all text alike: they hash every few bytes and follow what they find.
//! The lines of a FASTQ record are of very different kinds, and each is parsed in its own way
//! here: a name is compared with the name before, bases are mostly left as they are but for long
//! repeats, and qualities are searched for runs of one letter and, at [`Level::Small`], mostly for
//! what occurred before, too. Text of any other form is searched for what occurred before, so that
//! every input is compressed correctly, and most of them well.
//!
//! A [`Compressor`] owns its tables and is used for one block after the other. There is no I/O
//! here and no thread.
//!
//! ```
//! use thalweg_deflate::{Compressor, Level};
//!
//! let mut compressor = Compressor::new(Level::Fast);
//! let mut out = Vec::new();
//! compressor.compress(b"", &mut out);
//! assert_eq!(out, [3, 0]);
//! ```
//!
//! The modules, in the order of the data: `parse` finds literals and matches (`tokens`), and
//! `qualities` and `mixed` runs and pairs of letters (`units`, `condensed`), led by `records` and, at [`Level::Small`], by
//! `sample`; `block` makes their codes (`lengths`, `codes`, `header`) and `words` writes them (`bits`).
//!
//! # Qualities
//!
//! Nobody can predict whether the next quality begins a match, and each wrong guess costs more time than a match saves
//! bits. So [`Level::Fast`] takes runs of one letter, found 64 letters at a time, and pairs of letters, with one word each.
//! [`Level::Small`] looks matches up, too, but for 64 qualities at once, at every second place: whether one was found is a
//! bit of a mask, so that nothing need be guessed at each place. Then each run and match costs a guess, one for some ten
//! qualities. Where there are six to eight values, runs alone are looked for; else, where more than three qualities in four
//! equal the one before, `lazy` searches, which jumps over runs.
//!
//! # With AVX-512
//!
//! Runs where nothing else is looked for, and words of bases, go through the [`Coder`] of `scan` where the machine has one:
//! 64 letters at a time, the same stream. How often each value occurs in what is left of a block is counted by planes of
//! bits.
//!
//! `docs/design/deflate.md` has what each of these gave on reads of thirteen kinds, and what was tried and rejected.
#![forbid(unsafe_code)]

mod bases;
mod bits;
mod block;
mod codes;
mod condensed;
mod header;
mod lazy;
mod lengths;
mod line;
mod looks;
mod matches;
mod mixed;
mod parse;
mod quads;
mod qualities;
mod records;
mod sample;
mod symbols;
mod tokens;
mod units;
mod words;

use thalweg_scan::coder::Coder;

/// How hard to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// About the size of libdeflate's level 1 on reads, and much faster.
    Fast,
    /// About the size of libdeflate's level 4 on reads, and much faster.
    Small,
}

/// Text in a block: less than 64 KiB, which a stored block can hold, and as much as bgzip takes.
const BLOCK: usize = 0xff00;

/// Compresses texts, each on its own.
pub struct Compressor {
    level: Level,
    tables: parse::Tables,
    tokens: tokens::Tokens,
    words: Box<words::Words>,
}

impl Compressor {
    /// A compressor with its tables, some 500 KB.
    pub fn new(level: Level) -> Self {
        Self::with_coder(level, Coder::new())
    }

    /// As it is on machines that have no [`Coder`]; for tests. The streams are the same.
    #[doc(hidden)]
    pub fn without_coder(level: Level) -> Self {
        Self::with_coder(level, None)
    }

    fn with_coder(level: Level, coder: Option<Coder>) -> Self {
        Self {
            level,
            tables: parse::Tables::new(level, coder),
            tokens: tokens::Tokens::new(),
            words: words::Words::new(coder),
        }
    }

    /// Append one complete DEFLATE stream for `text` to `out`.
    ///
    /// The same text always gives the same stream. It is at most 5 bytes longer than the text for
    /// each 65,280 bytes (and each part of that) of it, and 2 bytes long for none.
    pub fn compress(&mut self, text: &[u8], out: &mut Vec<u8>) {
        let mut rest = bits::Rest::default();
        self.tables.begin(text.len());
        let mut start = 0;
        loop {
            let end = text.len().min(start + BLOCK);
            self.tokens.clear();
            parse::parse(
                &text[..end],
                start,
                self.level,
                &mut self.tables,
                &mut self.tokens,
            );
            let is_last = end == text.len();
            rest = block::write(
                &text[..end],
                start,
                &self.tokens,
                is_last,
                rest,
                &mut self.words,
                out,
            );
            if is_last {
                break;
            }
            start = end;
        }
        if rest.count() > 0 {
            out.push(rest.byte());
        }
    }
}
