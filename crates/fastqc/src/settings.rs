//! What a report is to be like.

use crate::{Grouping, Limits, Named, adapters, contaminants};

/// All that may be chosen; by default what FastQC 0.12.1 does without options.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How positions are put together.
    pub grouping: Grouping,
    /// The length that positions are put together for, if no read is longer.
    pub min_length: usize,
    /// So many letters of a read tell whether it is a copy of another one.
    pub dup_length: usize,
    /// The length of k-mers, 2 to 10.
    pub kmer_length: usize,
    /// Reads whose names say that they failed the instrument's filter (`:Y:`) are left out, and counted.
    pub casava: bool,
    /// Adapters that are looked for.
    pub adapters: Vec<Named>,
    /// What frequent sequences are compared with.
    pub contaminants: Vec<Named>,
    /// From which values on modules warn and fail.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            grouping: Grouping::Linear,
            min_length: 0,
            dup_length: 50,
            kmer_length: 7,
            casava: false,
            adapters: adapters::usual(),
            contaminants: contaminants::usual(),
            limits: Limits::default(),
        }
    }
}

impl Settings {
    /// What of a read tells whether it is a copy.
    #[inline]
    pub(crate) fn key<'a>(&self, bases: &'a [u8]) -> &'a [u8] {
        &bases[..bases.len().min(self.dup_length)]
    }

    /// What of a read's bases is to be [kept](crate::Kept).
    #[inline]
    pub fn kept<'a>(&self, bases: &'a [u8]) -> &'a [u8] {
        match self.limits.kmer.ignored {
            true => self.key(bases),
            false => bases,
        }
    }

    /// The length of the longest adapter.
    pub(crate) fn longest_adapter(&self) -> usize {
        let lengths = self.adapters.iter().map(|adapter| adapter.sequence.len());
        lengths.max().unwrap_or(0)
    }
}
