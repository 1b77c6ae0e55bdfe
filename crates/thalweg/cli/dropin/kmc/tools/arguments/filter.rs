//! The command line of `kmc_tools filter`: a database, reads, and where those go that are kept.

use std::path::PathBuf;

use super::super::super::arguments::files_of;
use super::{Input, Words, input, name, number, option, unknown, usage};
use crate::process::exit::Failure;

/// What is kept where nothing is said, of k-mers or of counts.
const USUAL: (u64, u64) = (2, 1_000_000_000);

#[derive(Debug, PartialEq)]
pub(in super::super) struct FilterArguments {
    pub(in super::super) database: Input,
    pub(in super::super) files: Vec<PathBuf>,
    pub(in super::super) action: Action,
    pub(in super::super) output: PathBuf,
    /// FASTQ (or not, FASTA) is to be written; without it, what was read.
    pub(in super::super) as_fastq: Option<bool>,
}

/// What is done with reads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Action {
    /// Those with so many k-mers in the database are kept.
    Keep(Range),
    /// They end before the first k-mer that occurs less often.
    Trim(u64),
    /// The bases of k-mers that occur less often become N.
    Mask(u64),
}

/// How many k-mers of a read are to be in the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in super::super) enum Range {
    Number(u64, u64),
    /// Of all places where the read has k bases.
    Part(f32, f32),
}

/// A limit as it is written: a real number is a part, from 0 to 1.
#[derive(Clone, Copy)]
enum Limit {
    Number(u64),
    Part(f32),
}

impl FilterArguments {
    pub(super) fn parse<I: Iterator<Item = String>>(words: &mut Words<I>) -> Result<Self, Failure> {
        let (mut trims, mut masks) = (false, false);
        while let Some(word) = option(words) {
            match word.as_str() {
                "-t" => trims = true,
                "-hm" => masks = true,
                _ => return Err(unknown(&word)),
            }
        }
        let database = input(words)?;
        let files = files_of(&name(words, "a file of reads")?)?;
        let (mut least, mut most) = (None, None);
        while let Some(word) = option(words) {
            if let Some(text) = word.strip_prefix("-ci") {
                least = Some(Limit::parse(text, &word)?);
            } else if let Some(text) = word.strip_prefix("-cx") {
                most = Some(Limit::parse(text, &word)?);
            } else if !matches!(word.as_str(), "-fa" | "-fq") {
                // Of these two, the content tells.
                return Err(unknown(&word));
            }
        }
        let range = Range::new(least, most)?;
        let output = name(words, "an output")?.into();
        let mut as_fastq = None;
        while let Some(word) = option(words) {
            match word.as_str() {
                "-fa" => as_fastq = Some(false),
                "-fq" => as_fastq = Some(true),
                _ => return Err(unknown(&word)),
            }
        }
        if let Some(word) = words.next() {
            return Err(unknown(&word));
        }
        let action = match (masks, trims, range) {
            (false, false, range) => Action::Keep(range),
            // kmc_tools masks if both are said.
            (true, _, Range::Number(least, _)) => Action::Mask(least),
            (_, true, Range::Number(least, _)) => Action::Trim(least),
            (_, _, Range::Part(..)) => {
                return Err(usage(
                    "-t and -hm: the -ci of reads is the count of a k-mer, and must be a whole number"
                        .to_owned(),
                ));
            }
        };
        if most.is_some() && !matches!(action, Action::Keep(_)) {
            tell!(
                "thalweg: warning: -t and -hm: the -cx of reads is ignored, as kmc_tools does; that of the database is not"
            );
        }
        Ok(Self {
            database,
            files,
            action,
            output,
            as_fastq,
        })
    }
}

impl Limit {
    fn parse(text: &str, word: &str) -> Result<Self, Failure> {
        if !text.contains('.') {
            return Ok(Self::Number(number(text, word)?));
        }
        match text.parse::<f32>() {
            Ok(part) if (0.0..=1.0).contains(&part) => Ok(Self::Part(part)),
            _ => Err(usage(format!("{word}: expected a number from 0.0 to 1.0"))),
        }
    }
}

impl Range {
    fn new(least: Option<Limit>, most: Option<Limit>) -> Result<Self, Failure> {
        use Limit::{Number, Part};
        match (least, most) {
            (None, None) => Ok(Self::Number(USUAL.0, USUAL.1)),
            (Some(Number(least)), None) => Ok(Self::Number(least, USUAL.1)),
            (None, Some(Number(most))) => Ok(Self::Number(USUAL.0, most)),
            (Some(Number(least)), Some(Number(most))) => Ok(Self::Number(least, most)),
            (Some(Part(least)), None) => Ok(Self::Part(least, 1.0)),
            (None, Some(Part(most))) => Ok(Self::Part(0.0, most)),
            (Some(Part(least)), Some(Part(most))) => Ok(Self::Part(least, most)),
            _ => Err(usage(
                "-ci and -cx: use whole numbers for both, or fractions from 0.0 to 1.0 for both"
                    .to_owned(),
            )),
        }
    }

    /// Whether a read of so many bases is kept, of which so many k-mers were `found`.
    pub(in super::super) fn has(self, found: u64, bases: usize, k: usize) -> bool {
        let (least, most) = match self {
            Self::Number(least, most) => (least, most),
            // As KMC computes it: in single precision, rounded down, all of 32 bits. Of a read that has fewer bases
            // than k - 1, places are some 2^32, so that it has too few k-mers for every part but 0.0; and 1.0, as 2^32
            // is 0 again.
            Self::Part(least, most) => {
                let places = (bases as u32).wrapping_sub(k as u32).wrapping_add(1);
                let number = |part: f32| u64::from((part * places as f32) as u64 as u32);
                (number(least), number(most))
            }
        };
        (least..=most).contains(&found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_rounded_as_kmc_does() {
        let least = |part: f32, places: u64| {
            let bases = places as usize + 30;
            (0..=places).find(|&found| Range::Part(part, 1.0).has(found, bases, 31))
        };
        assert_eq!(least(0.5, 5), Some(2));
        assert_eq!(least(0.9, 20), Some(18));
        // In double precision, 28.999999999999996, and 28.
        assert_eq!(least(0.29, 100), Some(29));
        assert_eq!(least(1.0, 0), Some(0));
        assert!(!Range::Part(0.5, 0.9).has(10, 40, 31));
        let short = |least: f32, most: f32| Range::Part(least, most).has(0, 10, 31);
        assert!(short(0.0, 0.5) && !short(0.5, 1.0) && short(1.0, 1.0));
        assert!(Range::Number(2, 5).has(5, 100, 31) && !Range::Number(2, 5).has(6, 100, 31));
    }
}
