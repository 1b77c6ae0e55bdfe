//! DEFLATE (RFC 1951) encoding, made for FASTQ text in blocks of some 64 KiB.
//!
//! General compressors treat all text alike: they hash every few bytes and follow what they find.
//! The lines of a FASTQ record are of very different kinds, and each is parsed in its own way
//! here: a name is compared with the name before, bases are mostly left as they are but for long
//! repeats, and qualities are searched for runs of one letter ([`Level::Fast`]) or for what occurred
//! before ([`Level::Small`]). Text of any other form is searched for what occurred before, so that
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
//! `qualities` runs and pairs of letters (`units`), led by `records`; `block` makes their codes
//! (`codes`, `header`) and `words` writes them (`bits`).
//!
//! # Qualities at the fast level
//!
//! Nobody can predict whether the next quality begins a match, and each wrong guess costs more time
//! than a match saves bits. So [`Level::Fast`] takes runs of one letter, found 64 letters at a time,
//! and pairs of letters, with one word each. Beside the version before, which looked up each quality,
//! it is this fast and large (Sapphire Rapids, one core; the least time of seven for each block, in
//! turns). Some 0.1 of the speed is from bases: fewer lines are looked at, and eight bases are
//! written at a time.
//!
//! | reads | speed | size | size to libdeflate's level 1 |
//! |---|--:|--:|--:|
//! | simulated HiSeq, 40 values | 1.74 | 1.010 | 1.026 |
//! | simulated NovaSeq, 4 values | 1.09 | 1.010 | 0.902 |
//! | HiSeq 2500, 38 values | 1.63 | 1.024 | 1.045 |
//! | HiSeq X, 8 values | 1.59 | 1.014 | 0.969 |
//! | NovaSeq, 4 values, 150 bases | 1.31 | 1.046 | 0.977 |
//! | NovaSeq, 90 bases | 1.03 | 1.008 | 0.952 |
//! | NovaSeq, 10 bases | 1.00 | 1.000 | 0.960 |
//! | NextSeq class, 6 values | 1.16 | 0.985 | 0.977 |
//! | amplicons, 29 values | 1.50 | 0.990 | 0.932 |
//! | Genome Analyzer, 33 values | 1.86 | 0.987 | 0.951 |
//! | Nanopore, 32 values | 1.85 | 1.001 | 1.090 |
//! | PacBio, 15 values | 1.65 | 1.004 | 1.086 |
//! | PacBio HiFi, 92 values | 1.39 | 0.985 | 0.788 |
//! | no reads: Rust | 1.04 | 1.000 | 1.095 |
//!
//! # Rejected
//!
//! Tried for qualities at [`Level::Fast`]; sizes to those with a lookup at each quality (simulated
//! HiSeq; HiSeq 2500; NovaSeq, simulated and real):
//! - lookups that were made cheaper: at every second quality after a miss (0.81 to 1.0 of the speed,
//!   0.3 to 1.9 % larger), without a branch, a build for BMI2 (nothing each); only matches of at least
//!   7 or 8 (0.9 to 1.5 % larger on HiSeq, and still a lookup at each quality).
//! - literals only: 1.20; 1.17; 1.24 to 1.41. Runs from 4 on: 1.026; 1.037; 1.009 to 1.045, where from
//!   3 on it is 1.009; 1.024; 1.008 to 1.040.
//! - beside runs, matches with the same column of the last 1, 4, 8 or 16 lines: 1.018 to 1.055; 1.028
//!   to 1.045; 1.015 to 1.072. That is larger than runs alone, as distances cost more than they save.
//! - beside runs, a lookup where a run ends, for matches of at least 8, 12, 16 or 24: 1.010 to 1.023;
//!   1.025 to 1.030; 1.011 to 1.048. Larger than runs alone, too.
//! - the same for what a line has in common with the line before, if that is at least 24, 32, 48 or 64
//!   letters: simulated NovaSeq 1.016 to 1.011, without 1.010.
//! - runs and pairs in lines of less than 32: index reads at 0.96 of the speed.
//! - bytes compared one by one, for the compiler to make vectors of: it takes the mask apart bit by
//!   bit, 0.95 of the speed.
//!
//! Elsewhere:
//! - coarser strides for repeats of bases: larger where reads repeat, no faster where they do not.
//! - to sample bases after 16 lines without a repeat instead of 24: a few per cent faster, but
//!   amplicons 2 % and HiSeq X 1.4 % larger.
//! - chains of places instead of the latest: smaller, and slower.
#![forbid(unsafe_code)]

mod bases;
mod bits;
mod block;
mod codes;
mod header;
mod lazy;
mod line;
mod looks;
mod matches;
mod mixed;
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
    /// 0.90 to 1.06 of the size of libdeflate's level 1 on Illumina reads, at 1.5 to 2.8 times its
    /// speed, but for the shortest (index reads: 1.1); 0.79 to 1.09 and 2.1 to 3.3 on long reads.
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
