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
//! # Qualities at the fast level
//!
//! Nobody can predict whether the next quality begins a match, and each wrong guess costs more time
//! than a match saves bits. So [`Level::Fast`] takes runs of one letter, found 64 letters at a time,
//! and pairs of letters, with one word each. Beside the version before, which looked up each quality,
//! it is this fast and large (Sapphire Rapids, one core; the least time of seven for each block, in
//! turns). Some 0.1 of the speed is from bases: fewer lines are looked at, and eight bases were
//! written at a time; now they are sixteen.
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
//! # Qualities at the small level
//!
//! Here matches are looked up, too, but for 64 qualities at once, at every second place: whether
//! one was found is a bit of a mask, so that nothing need be guessed at each place. Then each run and
//! match costs a guess, one for some ten qualities. Beside the version before, which looked up two
//! places for each quality, one after the other (measured as above; libdeflate at its level 4):
//!
//! | reads | speed | size | speed to libdeflate | size to libdeflate |
//! |---|--:|--:|--:|--:|
//! | simulated HiSeq, 40 values | 1.35 to 1.39 | 1.013 | 3.3 | 1.048 |
//! | simulated NovaSeq, 4 values | 1.00 | 1.000 | 4.2 | 0.924 |
//! | HiSeq 2500, 38 values | 1.40 to 1.49 | 1.009 | 3.2 | 1.057 |
//! | HiSeq X, 8 values | 1.17 | 1.007 | 2.9 | 1.016 |
//! | NovaSeq, 4 values, 150 bases | 1.00 | 1.001 | 3.3 | 0.963 |
//! | NovaSeq, 90 bases | 0.99 | 1.000 | 2.7 | 1.068 |
//! | NovaSeq, 10 bases | 1.01 | 1.000 | 1.6 | 1.055 |
//! | NextSeq class, 6 values | 0.98 | 0.999 | 2.9 | 1.037 |
//! | amplicons, 29 values | 1.17 | 0.996 | 2.7 | 0.997 |
//! | Genome Analyzer, 33 values | 1.93 | 0.981 | 3.2 | 0.997 |
//! | Nanopore, 32 values | 1.99 to 2.81 | 1.003 | 2.6 to 3.2 | 1.12 |
//! | PacBio, 15 values | 1.65 | 1.012 | 3.5 | 1.186 |
//! | PacBio HiFi, 92 values | 1.05 | 0.997 | 1.9 | 0.992 |
//! | no reads: Rust | 1.00 | 1.000 | 1.2 | 1.075 |
//!
//! Where there are six to eight values, runs alone are looked for, as at the fast level: HiSeq X reads are 0.98 to 0.99 of the
//! size in the table since, at 1.4 to 2.1 times the speed (Zen 5). Else, where more than three qualities in four equal the one
//! before, the search of the version before remains (`lazy`): it jumps over runs, and is 1.1 to 1.25 times as fast there.
//!
//! # With AVX-512
//!
//! Runs where nothing else is looked for, and words of bases, go through the [`Coder`] of `scan` where the machine has one:
//! 64 letters at a time, the same stream; how often each value occurs in what is left of a block is counted by planes of
//! bits. Beside what other machines do (Zen 5, one core; the least time of 7 to 9 for each block, in
//! turns):
//!
//! | reads | fast | small |
//! |---|--:|--:|
//! | simulated HiSeq, 40 values | 1.43 | 1.16 |
//! | simulated NovaSeq, 4 values | 1.24 | 1.39 |
//! | HiSeq 2500, 38 values | 1.35 | 1.13 |
//! | HiSeq X, 8 values | 1.32 | 1.22 |
//! | NovaSeq, 90 bases | 1.10 | 1.10 |
//! | amplicons, 29 values | 1.56 | 1.20 |
//! | Genome Analyzer, 33 values | 1.24 | 1.10 |
//! | Nanopore, 32 values | 1.33 to 1.57 | 1.17 to 1.26 |
//! | PacBio, 15 values | 1.33 | 1.16 |
//! | PacBio HiFi, 92 values | 1.43 | 1.33 |
//!
//! Since then bases are written sixteen at a time in blocks whose bases have three bits at most, as nearly all have: with what writes
//! bits asking once for room instead of twice, 1.05 to 1.08 times as fast at the fast level on short reads, 1.03 on long ones (Zen
//! 4).
//!
//! Tried with it: sixteen bases at a time wherever these fit 56 bits (1.00); the counter of bits in memory
//! instead of registers (1.00); words stored and loaded one by one instead of taken out of registers (0.95 on Zen 4); literals of names eight at a time without asking how many count, and their fields found
//! by words of eight letters (0.95 to 1.02). Most of what remains is names, each of which is told from the one before by branches.
//!
//! # Rejected
//!
//! Tried for qualities at [`Level::Small`]; speeds and sizes to the lazy search (simulated HiSeq; HiSeq
//! 2500), where what there is has 1.37, 1.012; 1.40, 1.009:
//! - a lookup at each place: 1.29, 1.007; 1.33, 1.003. Two candidates for each: 0.6 % smaller again,
//!   at 0.86 of the speed.
//! - lookups outside of runs and where they begin, notes at each place: 1.28, 1.011; 1.33, 1.006. Outside
//!   of runs only: sizes of 1.017; 1.011. Matches that begin in runs save more than they cost.
//! - matches of at least 5 or 7 letters, hashes of 5, 7 or 8: 0.3 to 1 % larger. A limit for the
//!   distance of the shortest: 0.4 % larger. Runs from 4 on: 0.5 % larger, 2 % faster.
//! - no extension to the letters before: 0.9 % larger. Not to prefer the longer match at the next
//!   look: 0.6 % larger.
//! - a table of 14 bits: 0.1 % smaller, 2 % slower.
//! - the choice between run, match and neither without branches (0.95 of the speed); the mask made
//!   while looking up (0.76, as it becomes branches); more lookups without a question (0.93); the
//!   next 64 before the choices in these (0.97); four tokens at a time (0.97); pairs of eight letters
//!   instead of sixteen at a time (0.99).
//! - bases sampled after 24 lines without a repeat: 1 to 2 % faster, amplicons 1.1 % larger.
//!
//! For binned qualities (HiSeq X, 8 values), which were 1.008 to 1.02 of the size that [`Level::Fast`] gives them before runs alone
//! were looked for: only matches of at least 8 to 24 letters: 0.99 to 1.01 of that; runs preferred to matches that are up to 12
//! letters longer: 1.00. Of qualities that are not binned, runs alone make 1.03 of the size.
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
//!   bit, 0.95 of the speed of words of eight bytes, in whose place are the vectors of `scan` now.
//!
//! Tried for writing words and for names (Emerald Rapids; the least time of 15 for each block; simulated HiSeq and
//! NovaSeq, HiSeq 2500, NovaSeq), where sixteen bases at a time, bits in registers, repeats and bases found by `scan` and
//! ends of lines foretold from the record before gave 1.10 to 1.13, 1.08 to 1.11, 1.05 and 1.05 at [`Level::Fast`], and 1.06,
//! 1.08, 1.02 and 1.05 at [`Level::Small`]:
//! - counters of 16 bits instead of 32: 0.99 of that.
//! - the letters of a name that differ up to its end in common, as pairs: 0.95, but 1.06 on HiSeq 2500, at 1.010 of the size.
//! - fields of names found by words of eight letters: 0.97.
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
    /// 0.90 to 1.06 of the size of libdeflate's level 1 on Illumina reads, at 1.5 to 2.8 times its
    /// speed, but for the shortest (index reads: 1.1); 0.79 to 1.09 and 2.1 to 3.3 on long reads.
    Fast,
    /// 0.83 to 1.12 of the size of libdeflate's level 4 on Illumina reads, at 1.9 to 4.2 times its
    /// speed (index reads: 1.6); 0.99 to 1.19 and 1.9 to 3.5 on long reads.
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
