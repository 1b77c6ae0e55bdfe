//! DEFLATE (RFC 1951) encoding, made for FASTQ text in blocks of some 64 KiB.
//!
//! General compressors treat all text alike: they hash every few bytes and follow what they find.
//! The lines of a FASTQ record are of very different kinds, and each is parsed in its own way
//! here: a name is compared with the name before, bases are mostly left as they are but for long repeats, and only
//! qualities are searched for what occurred before. Text of any other form is searched like
//! qualities, so that every input is compressed correctly, and most of them well.
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
//! The modules, in the order of the data: `parse` finds literals and matches (`tokens`),
//! led by `records`; `block` makes their codes (`codes`, `header`) and writes them (`bits`).
//!
//! # Rejected
//!
//! Half of the time of `thalweg qc` at level 1 goes into compressing, and most of that into qualities, where nobody can
//! predict whether the next byte begins a match. Tried to make [`Level::Fast`] faster (`examples/rates.rs`, simulated
//! and real reads):
//! - looking up only every second quality after a miss: 0.81 to 1.0 of the speed, 0.3 to 1.9 % larger.
//! - lookups without a branch, a build for BMI2, eight bases to a flush: nothing each.
//! - coarser strides for repeats of bases: larger where reads repeat, no faster where they do not.
//! - chains of places instead of the latest: smaller, and slower.
#![forbid(unsafe_code)]

mod bits;
mod block;
mod codes;
mod header;
mod lazy;
mod matches;
mod parse;
mod quads;
mod qualities;
mod records;
mod symbols;
mod tokens;
mod units;
mod words;

/// How hard to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// 0.89 to 1.04 of the size of libdeflate's level 1, at 1.6 to 2.4 times its speed.
    Fast,
    /// 0.92 to 1.12 of the size of libdeflate's level 4, at 2.4 to 4 times its speed.
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
        Self {
            level,
            tables: parse::Tables::new(level),
            tokens: tokens::Tokens::new(),
            words: words::Words::new(),
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
