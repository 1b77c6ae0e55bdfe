//! What an [`Observer`](crate::Observer) is told of the way of a read.

/// A step that cuts bases off reads, in the order in which they are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// A UMI at the front.
    Umi,
    /// Fixed numbers of bases.
    Trim,
    /// Windows of bad quality.
    Quality,
    /// An adapter or primer at the 5' end.
    FrontAdapter,
    /// A tail of G.
    PolyG,
    /// An adapter, by where mates overlap.
    AdapterByOverlap,
    /// An adapter, by its sequence.
    Adapter,
    /// Adapters of a list.
    AdapterList,
    /// A tail of A, or a head of T.
    PolyA,
    /// A tail of any one base.
    PolyX,
    /// What is beyond the greatest length.
    MaxLength,
}

impl Step {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Umi => "umi",
            Self::Trim => "trim",
            Self::Quality => "quality",
            Self::FrontAdapter => "front_adapter",
            Self::PolyG => "poly_g",
            Self::AdapterByOverlap => "adapter_by_overlap",
            Self::Adapter => "adapter",
            Self::AdapterList => "adapter_list",
            Self::PolyA => "poly_a",
            Self::PolyX => "poly_x",
            Self::MaxLength => "max_length",
        }
    }
}

/// What became of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// It passed, with its mate if it has one.
    Kept,
    /// It passed, and is kept without its mate.
    Unpaired,
    /// It is part of a merged read that passed.
    Merged,
    /// It, or the merged read that it is part of, did not pass.
    Failed,
    /// It passed; its mate did not, and it is not wanted without.
    MateFailed,
    /// It is a copy of an earlier one, and was removed.
    Duplicate,
    /// Its index is among those that are removed.
    Index,
    /// It passed with its mate, but only merged reads are wanted.
    Unmerged,
}

impl Outcome {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Unpaired => "unpaired",
            Self::Merged => "merged",
            Self::Failed => "failed",
            Self::MateFailed => "mate_failed",
            Self::Duplicate => "duplicate",
            Self::Index => "index",
            Self::Unmerged => "unmerged",
        }
    }
}
