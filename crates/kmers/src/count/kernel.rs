//! Which instructions do the work: chosen once, at run time.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::{encode::Encoded, merge::Merger, record, table::Table};
use crate::{kmer::Kmer, minimizer::Minimizers};

/// A set of instructions that the hot loops are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kernel {
    /// Plain code for any processor and any k; the oracle of the others.
    Scalar,
    /// See [`avx512`]; made by [`Kernel::choose`] only.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Kernel {
    /// The best kernel of this processor, or the plain one.
    pub(crate) fn choose(scalar: bool) -> Self {
        #[cfg(target_arch = "x86_64")]
        if !scalar && avx512::is_available() {
            return Self::Avx512;
        }
        let _ = scalar;
        Self::Scalar
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "AVX-512",
        }
    }

    /// Encodes both strands.
    #[inline]
    pub(crate) fn encode(self, encoded: &mut Encoded, letters: &[u8], quality: &[u8], minimum: u8) {
        match self {
            Self::Scalar => {
                encoded.encode(letters, quality, minimum);
                encoded.complement();
            }
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `choose` has made this value, so the processor has the instructions.
            Self::Avx512 => unsafe { avx512::encode(encoded, letters, quality, minimum) },
        }
    }

    /// Finds the minimizers of all windows.
    #[inline]
    pub(crate) fn minimizers(
        self,
        minimizers: &mut Minimizers,
        encoded: &Encoded,
        k: usize,
        m: usize,
    ) {
        let (packed, bases) = (&encoded.packed, encoded.bases);
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 if k - m < avx512::MAX_WINDOW => {
                // SAFETY: `choose` has made this value, so the processor has the instructions.
                unsafe { avx512::minimizers(minimizers, packed, bases, k, m) }
            }
            _ => minimizers.find(packed, bases, k, m),
        }
    }

    /// Adds the k-mers of all records of `merger` to `table` and empties `merger`.
    pub(crate) fn expand<K: Kmer, const N: usize>(
        self,
        merger: &mut Merger<N>,
        table: &mut Table<K>,
        k: usize,
        canonical: bool,
    ) {
        #[cfg(target_arch = "x86_64")]
        if self == Self::Avx512 && expand_avx512(merger, table, k, canonical) {
            return;
        }
        merger.drain(|record, weight| {
            record::for_each_kmer(record, k, canonical, |kmer| table.add(kmer, weight));
        });
    }
}

/// The vector path, where there is one for these types; only called for [`Kernel::Avx512`].
#[cfg(target_arch = "x86_64")]
fn expand_avx512<K: Kmer, const N: usize>(
    merger: &mut Merger<N>,
    table: &mut Table<K>,
    k: usize,
    canonical: bool,
) -> bool {
    use std::any::Any;
    let Some(table) = (table as &mut dyn Any).downcast_mut::<Table<u64>>() else {
        return false;
    };
    let merger = merger as &mut dyn Any;
    if let Some(merger) = merger.downcast_mut::<Merger<1>>() {
        // SAFETY: `Kernel::choose` found that the processor has the instructions.
        unsafe { avx512::expand(merger, table, k, canonical) };
    } else if let Some(merger) = merger.downcast_mut::<Merger<2>>() {
        // SAFETY: as above.
        unsafe { avx512::expand(merger, table, k, canonical) };
    } else {
        return false;
    }
    true
}
