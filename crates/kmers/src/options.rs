//! What is counted, and what is kept.

use crate::{
    error::{Error, Result},
    kmer::{Alphabet, MAX_K},
};
use std::path::PathBuf;

/// The most partitions of a count. Their stages take 4 to 6 MiB for each thread, and their newest chunks 128 MiB or less.
pub(crate) const MAX_PARTITIONS: usize = 1 << 14;

/// What to count, what to keep of it, and where to put what does not fit into memory.
#[derive(Clone, Debug)]
pub struct CountOptions {
    k: usize,
    canonical: bool,
    alphabet: Alphabet,
    minimum_quality: u8,
    minimum_count: u64,
    maximum_count: u64,
    expected_bases: Option<u64>,
    partitions: Option<usize>,
    blocks_only: bool,
    temporary_directory: PathBuf,
    kernel: Option<String>,
}

impl CountOptions {
    /// All canonical k-mers, every count kept, temporary files in the system's directory for them.
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
            canonical: true,
            alphabet: Alphabet::default(),
            minimum_quality: 0,
            minimum_count: 1,
            maximum_count: u64::MAX,
            expected_bases: None,
            partitions: None,
            blocks_only: false,
            temporary_directory: std::env::temp_dir(),
            kernel: None,
        })
    }

    /// Whether a k-mer and its reverse complement are one (`true`, the default)
    /// or each strand is counted as read.
    pub fn with_canonical(self, canonical: bool) -> Self {
        Self { canonical, ..self }
    }

    /// Which letters are bases; a k-mer with any other does not count. By default U is T.
    pub fn with_alphabet(self, alphabet: Alphabet) -> Self {
        Self { alphabet, ..self }
    }

    /// Bases whose quality byte, as in the file, is below `byte` break the window; 0 for none.
    pub fn with_minimum_quality(self, byte: u8) -> Self {
        Self {
            minimum_quality: byte,
            ..self
        }
    }

    /// Only k-mers with `minimum..=maximum` occurrences reach the sink.
    ///
    /// # Errors
    ///
    /// [`Error::BadOption`] if no count can lie in between, or if `minimum` is 0.
    pub fn with_counts(self, minimum: u64, maximum: u64) -> Result<Self> {
        if minimum == 0 || minimum > maximum {
            return Err(Error::BadOption(match minimum {
                0 => "the minimum count of a k-mer is 1".to_owned(),
                _ => format!("minimum count {minimum} is greater than maximum count {maximum}"),
            }));
        }
        Ok(Self {
            minimum_count: minimum,
            maximum_count: maximum,
            ..self
        })
    }

    /// About how many bases will come, if that is known: sets the number of partitions, with the memory and the threads
    /// that there are; that is the order in which k-mers are handed on, and no more.
    pub fn with_expected_bases(self, bases: Option<u64>) -> Self {
        Self {
            expected_bases: bases,
            ..self
        }
    }

    /// The number of partitions: a power of two up to 16384. Processes that count together must have the same.
    ///
    /// It is kept, whatever memory there is: [`Counter::new`](crate::count::Counter::new) fails where that does not do.
    ///
    /// # Errors
    ///
    /// [`Error::BadOption`] for any other number.
    pub fn with_partitions(self, partitions: usize) -> Result<Self> {
        if !partitions.is_power_of_two() || partitions > MAX_PARTITIONS {
            return Err(Error::BadOption(format!(
                "{partitions} partitions: not a power of two up to {MAX_PARTITIONS}"
            )));
        }
        Ok(Self {
            partitions: Some(partitions),
            ..self
        })
    }

    /// Has short k-mers go into blocks as all others do, where each would have a counter: so they can be counted elsewhere.
    pub fn with_blocks_only(self) -> Self {
        Self {
            blocks_only: true,
            ..self
        }
    }

    /// Where temporary files go. They have no name: nothing is left on any exit.
    pub fn with_temporary_directory(self, directory: impl Into<PathBuf>) -> Self {
        Self {
            temporary_directory: directory.into(),
            ..self
        }
    }

    /// Uses these instructions, "avx512", "avx2" or "scalar", instead of the best that the
    /// processor has; for tests and measurements, as the result is the same.
    pub fn with_kernel(self, name: &str) -> Self {
        Self {
            kernel: Some(name.to_owned()),
            ..self
        }
    }

    /// Bases of a k-mer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Whether both strands are one.
    pub fn canonical(&self) -> bool {
        self.canonical
    }

    /// Which letters are bases.
    pub fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    /// The least quality byte of a base that counts.
    pub fn minimum_quality(&self) -> u8 {
        self.minimum_quality
    }

    /// The least count that is kept.
    pub fn minimum_count(&self) -> u64 {
        self.minimum_count
    }

    /// The greatest count that is kept.
    pub fn maximum_count(&self) -> u64 {
        self.maximum_count
    }

    /// About how many bases will come.
    pub fn expected_bases(&self) -> Option<u64> {
        self.expected_bases
    }

    /// The number of partitions asked for.
    pub fn partitions(&self) -> Option<usize> {
        self.partitions
    }

    /// Whether short k-mers go into blocks, too.
    pub fn blocks_only(&self) -> bool {
        self.blocks_only
    }

    /// Where temporary files go.
    pub fn temporary_directory(&self) -> &std::path::Path {
        &self.temporary_directory
    }

    /// The instructions asked for.
    pub fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }
}
