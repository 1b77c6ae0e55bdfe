//! Which records are wanted.

use std::ops::Range;

use thalweg_formats::{BinaryFormat, MateNames};

use crate::CommonChecks;
use crate::indexing::SaveIndex;
use crate::portions::Portion;

/// Which records of a section are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Selection {
    All,
    /// These ranks.
    Ranks(Range<u64>),
    /// So many from the start, or all if there are fewer.
    First(u64),
    /// What this portion has.
    Portion(Portion),
}

impl Selection {
    /// Whether there are no records before it.
    pub(crate) fn is_from_start(&self) -> bool {
        match self {
            Self::All | Self::First(_) => true,
            Self::Ranks(ranks) => ranks.start == 0,
            Self::Portion(portion) => portion.is_from_start(),
        }
    }
}

/// What is wanted of a section.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) selection: Selection,
    /// Records that stay together: 2 for interleaved pairs.
    pub(crate) group: usize,
    /// The names of mates are compared.
    pub(crate) names_agree: bool,
    /// What tells mates by their names.
    pub(crate) names: MateNames,
    /// The letters of records are checked.
    pub(crate) check_letters: bool,
    /// Bytes that a record may have, if there is a limit.
    pub(crate) longest_record: Option<u64>,
    /// Long sequences of FASTA may come in pieces that have so many letters in common with the next.
    pub(crate) overlap: Option<usize>,
    /// All bytes are wanted, and no records.
    pub(crate) text: bool,
    /// Formats of records that the caller knows.
    pub(crate) formats: Vec<&'static dyn BinaryFormat>,
    /// Bytes on disk of a part found by inspection, if not the usual.
    pub(crate) part_size: Option<u64>,
    /// What gzip members are is checked with other readers, which read other shards.
    pub(crate) together: Option<CommonChecks>,
    /// Keep the index that falls out.
    pub(crate) save: Option<SaveIndex>,
}
