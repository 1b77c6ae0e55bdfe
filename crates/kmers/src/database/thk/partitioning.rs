//! How k-mers are shared out among the partitions of a file.

use super::layout::PARTITION_LIMIT;
use super::rule::MinimizerRule;
use crate::error::{Error, Result};
use thalweg_superkmers::minimizer::minimizer_length;

/// How k-mers are shared out among the partitions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partitioning {
    pub(super) partitions: u32,
    pub(super) scheme: u8,
    pub(super) minimizer: u8,
}

impl Partitioning {
    /// The rule that docs/formats/kmers.md specifies. A change of [`thalweg_superkmers::minimizer`] takes another number.
    pub(super) const BY_MINIMIZER: u8 = 3;
    pub(super) const BY_RANGE: u8 = 1;
    pub(super) const UNKNOWN: u8 = 0;

    /// One partition: sorted throughout.
    pub fn sorted() -> Partitioning {
        Partitioning::ranges(1)
    }

    /// Each partition holds only k-mers greater than those of the one before: sorted throughout.
    pub fn ranges(partitions: u32) -> Partitioning {
        Partitioning {
            partitions,
            scheme: Partitioning::BY_RANGE,
            minimizer: 0,
        }
    }

    /// As [`Counter`](crate::count::Counter) shares k-mers of length `k` out: by their minimizers. A query then
    /// needs one partition. `partitions` is [`Counter::partitions`](crate::count::Counter::partitions).
    ///
    /// Should a block begin with a k-mer that does not belong there, the file says that the rule is not known.
    ///
    /// # Panics
    /// Unless `partitions` is a power of two that 32 bits hold.
    pub fn minimizers(partitions: usize, k: usize) -> Partitioning {
        assert!(partitions.is_power_of_two());
        Partitioning {
            partitions: u32::try_from(partitions).expect("fewer than 2^32 partitions"),
            scheme: Partitioning::BY_MINIMIZER,
            minimizer: minimizer_length(k) as u8,
        }
    }

    /// That there may be so many partitions.
    pub(super) fn check(self) -> Result<()> {
        match self.partitions {
            1..=PARTITION_LIMIT => Ok(()),
            number => Err(Error::BadOption(format!(
                "{number} partitions: there must be 1 to {PARTITION_LIMIT}"
            ))),
        }
    }

    /// The rule, if it is one by which a partition can be told.
    pub(super) fn rule(self) -> Option<MinimizerRule> {
        (self.scheme == Partitioning::BY_MINIMIZER)
            .then(|| MinimizerRule::new(self.minimizer, self.partitions))
    }

    /// By a rule that the file does not tell. A query then looks into every partition.
    pub fn unknown(partitions: u32) -> Partitioning {
        Partitioning {
            partitions,
            scheme: Partitioning::UNKNOWN,
            minimizer: 0,
        }
    }
}
