//! Which instructions do the work: chosen once, at run time.

use super::{encode::Encoded, merge::Merger, record, table::Table};
use crate::{kmer::Kmer, minimizer::Minimizers};

/// A set of instructions that the hot loops are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Plain code for any processor and any k; the oracle of the others.
    Scalar,
}

impl Kernel {
    /// The best kernel of this processor, or the plain one.
    pub(crate) fn choose(_scalar: bool) -> Self {
        Self::Scalar
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
        }
    }

    /// Encodes both strands.
    #[inline]
    pub(crate) fn encode(self, encoded: &mut Encoded, letters: &[u8], quality: &[u8], minimum: u8) {
        encoded.encode(letters, quality, minimum);
        encoded.complement();
    }

    #[inline]
    pub(crate) fn minimizers(
        self,
        minimizers: &mut Minimizers,
        encoded: &Encoded,
        k: usize,
        m: usize,
    ) {
        minimizers.find(&encoded.packed, encoded.bases, k, m);
    }

    /// Adds the k-mers of all records of `merger` to `table` and empties `merger`.
    #[inline]
    pub(crate) fn expand<K: Kmer, const N: usize>(
        self,
        merger: &mut Merger<N>,
        table: &mut Table<K>,
        k: usize,
        canonical: bool,
    ) {
        merger.drain(|record, weight| {
            record::for_each_kmer(record, k, canonical, |kmer| table.add(kmer, weight));
        });
    }
}
