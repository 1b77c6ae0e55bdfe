//! What decides to which partition a k-mer belongs.

use crate::{
    error::{Error, Result},
    kmer::MAX_K,
    minimizer::{self, MAX_WIDE_M, minimizer_length},
    record::words_for,
};

/// The lengths of k-mers and of their minimizers, the order of these, and the number of partitions.
///
/// Equal k-mers, on either strand, belong to the same partition wherever schemes are equal: in other threads, in other
/// processes, and in files that were written long ago.
///
/// ```
/// use thalweg_superkmers::Scheme;
///
/// let scheme = Scheme::new(31)?.with_partition_bits(10)?;
/// assert_eq!((scheme.m(), scheme.partitions()), (11, 1024));
/// assert_eq!(Scheme::from_bytes(&scheme.to_bytes())?, scheme);
/// # Ok::<(), thalweg_superkmers::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scheme {
    k: usize,
    m: usize,
    order: Order,
    partition_bits: u32,
}

/// Which m-mer of a k-mer is its minimizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// The least by a multiplication, of those that are open syncmers if there are any: see [`minimizer`].
    #[default]
    OpenSyncmersFirst,
}

impl Order {
    /// Its number in files.
    fn number(self) -> u8 {
        match self {
            Self::OpenSyncmersFirst => 1,
        }
    }
}

/// Bytes of a scheme.
pub const SCHEME_BYTES: usize = 8;

/// The version of these bytes.
const VERSION: u8 = 1;

/// Binary logarithm of the most partitions that there can be.
pub const MAX_PARTITION_BITS: u32 = 24;

impl Scheme {
    /// For k-mers of `k` bases, with minimizers of the length that suits counting, and one partition.
    ///
    /// # Errors
    ///
    /// [`Error::BadK`] unless `1 <= k <= 255`.
    pub fn new(k: usize) -> Result<Self> {
        if !(1..=MAX_K).contains(&k) {
            return Err(Error::BadK { k, max: MAX_K });
        }
        Ok(Self {
            k,
            m: minimizer_length(k),
            order: Order::default(),
            partition_bits: 0,
        })
    }

    /// With minimizers of `m` bases. Up to 16 they are found by vectors.
    ///
    /// An odd number is better: only such m-mers have a middle, which syncmers go by, and none is its own reverse complement.
    ///
    /// # Errors
    ///
    /// [`Error::BadScheme`] unless `1 <= m <= 19` and `m <= k`.
    pub fn with_m(self, m: usize) -> Result<Self> {
        if !(1..=MAX_WIDE_M.min(self.k)).contains(&m) {
            let most = MAX_WIDE_M.min(self.k);
            let reason = format!(
                "minimizers of {m} bases: for k = {}, they have 1 to {most}",
                self.k
            );
            return Err(Error::BadScheme(reason));
        }
        Ok(Self { m, ..self })
    }

    /// With `1 << bits` partitions.
    ///
    /// # Errors
    ///
    /// [`Error::BadScheme`] if `bits` is more than 24.
    pub fn with_partition_bits(self, bits: u32) -> Result<Self> {
        if bits > MAX_PARTITION_BITS {
            let reason = format!("2^{bits} partitions: there are 2^{MAX_PARTITION_BITS} at most");
            return Err(Error::BadScheme(reason));
        }
        Ok(Self {
            partition_bits: bits,
            ..self
        })
    }

    /// The scheme as a file holds it: each a byte, and so the same everywhere.
    ///
    /// | byte | what |
    /// |---|---|
    /// | 0 | version, 1 |
    /// | 1 | order, 1: open syncmers first |
    /// | 2 | k |
    /// | 3 | m |
    /// | 4 | binary logarithm of the number of partitions |
    /// | 5 to 7 | zero |
    pub fn to_bytes(&self) -> [u8; SCHEME_BYTES] {
        // All were checked to be less than 256.
        [
            VERSION,
            self.order.number(),
            self.k as u8,
            self.m as u8,
            self.partition_bits as u8,
            0,
            0,
            0,
        ]
    }

    /// The scheme of these bytes, which [`Self::to_bytes`] made.
    ///
    /// # Errors
    ///
    /// [`Error::BadScheme`] for another version or order, and for what no scheme has; [`Error::BadK`].
    pub fn from_bytes(bytes: &[u8; SCHEME_BYTES]) -> Result<Self> {
        let [version, order, k, m, partition_bits, rest @ ..] = *bytes;
        if version != VERSION || rest != [0; 3] {
            return Err(Error::BadScheme(format!("a scheme of version {version}")));
        }
        if order != Order::OpenSyncmersFirst.number() {
            return Err(Error::BadScheme(format!("minimizers of order {order}")));
        }
        Self::new(k.into())?
            .with_m(m.into())?
            .with_partition_bits(partition_bits.into())
    }

    /// Bases of a k-mer.
    #[inline]
    pub fn k(&self) -> usize {
        self.k
    }

    /// Bases of a minimizer.
    #[inline]
    pub fn m(&self) -> usize {
        self.m
    }

    /// Which m-mer is the minimizer.
    #[inline]
    pub fn order(&self) -> Order {
        self.order
    }

    /// Binary logarithm of the number of partitions.
    #[inline]
    pub fn partition_bits(&self) -> u32 {
        self.partition_bits
    }

    /// Number of partitions.
    #[inline]
    pub fn partitions(&self) -> usize {
        1 << self.partition_bits
    }

    /// k-mers of a super-k-mer, at most: they have a minimizer in common.
    #[inline]
    pub fn most_kmers(&self) -> usize {
        self.k - self.m + 1
    }

    /// Bases of a super-k-mer, at most.
    #[inline]
    pub fn most_bases(&self) -> usize {
        2 * self.k - self.m
    }

    /// Words of the record of a super-k-mer: 1, 2, 4, 8 or 16.
    pub fn record_words(&self) -> usize {
        words_for(self.most_bases())
    }

    /// The partition of k-mers whose least value is `least`, as [`Minimizers::least`](minimizer::Minimizers::least) has it.
    #[inline(always)]
    pub fn partition(&self, least: u32) -> usize {
        minimizer::partition(least, self.partition_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back() {
        for k in [1, 11, 21, 31, 33, 55, 255] {
            for m in [1, 11.min(k), 19.min(k)] {
                for bits in [0, 6, 24] {
                    let scheme = Scheme::new(k).unwrap().with_m(m).unwrap();
                    let scheme = scheme.with_partition_bits(bits).unwrap();
                    let bytes = scheme.to_bytes();
                    assert_eq!(Scheme::from_bytes(&bytes).unwrap(), scheme);
                }
            }
        }
        let scheme = Scheme::new(31).unwrap().with_partition_bits(12).unwrap();
        assert_eq!(scheme.to_bytes(), [1, 1, 31, 11, 12, 0, 0, 0]);
    }

    #[test]
    fn what_no_scheme_has_is_refused() {
        for bytes in [
            [0, 1, 31, 11, 12, 0, 0, 0],
            [2, 1, 31, 11, 12, 0, 0, 0],
            [1, 2, 31, 11, 12, 0, 0, 0],
            [1, 1, 0, 11, 12, 0, 0, 0],
            [1, 1, 31, 0, 12, 0, 0, 0],
            [1, 1, 31, 20, 12, 0, 0, 0],
            [1, 1, 9, 11, 12, 0, 0, 0],
            [1, 1, 31, 11, 25, 0, 0, 0],
            [1, 1, 31, 11, 12, 1, 0, 0],
        ] {
            assert!(Scheme::from_bytes(&bytes).is_err(), "{bytes:?}");
        }
    }
}
