//! What a database says about itself.

use std::fmt;

use serde_json::{Map, Value};

use super::number::largest_of;
use crate::error::{Error, Result};
use crate::kmer::{Kmer, MAX_K};

/// The formats of databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DatabaseFormat {
    /// Our own, `.thk`.
    Thk,
    /// Jellyfish's `binary/sorted`.
    Jellyfish,
    /// Jellyfish's `text/sorted`.
    JellyfishText,
    /// KMC's version 0: `.kmc_pre` and `.kmc_suf` as written by KMC 1 and `kmc_tools`.
    Kmc,
    /// KMC's version 0x200: as written by `kmc`. Read only.
    Kmc2,
    /// Lines of k-mer, tab (or blank), count.
    Tsv,
    /// Records of `>count` and the k-mer.
    Fasta,
}

impl DatabaseFormat {
    /// The name, for messages.
    pub fn name(self) -> &'static str {
        match self {
            DatabaseFormat::Thk => "thk",
            DatabaseFormat::Jellyfish => "Jellyfish",
            DatabaseFormat::JellyfishText => "Jellyfish text",
            DatabaseFormat::Kmc => "KMC",
            DatabaseFormat::Kmc2 => "KMC 2",
            DatabaseFormat::Tsv => "TSV",
            DatabaseFormat::Fasta => "FASTA",
        }
    }
}

impl fmt::Display for DatabaseFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The order of the records in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Ascending from the first to the last.
    Sorted,
    /// Ascending in each of this many partitions.
    Partitioned(u32),
    /// None that helps: by a hash, or not known.
    Unsorted,
}

/// What is known of a database before its records are read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Header {
    /// What kind of file it is.
    pub format: DatabaseFormat,
    /// Length of the k-mers, 1 to 255.
    pub k: usize,
    /// Whether a k-mer stands for its reverse complement too, so that only the smaller of both occurs; `None`
    /// where the format does not say.
    pub canonical: Option<bool>,
    /// The order of the records.
    pub order: Order,
    /// Number of distinct k-mers, where the file stores it or its size tells.
    pub distinct: Option<u64>,
    /// Bytes of a count, where all have the same; 0 if no counts are stored and each is 1.
    pub counter_bytes: Option<u8>,
    /// Counts outside of this range were left out when the file was written, as far as the file says so.
    pub kept: (u64, u64),
    /// First bases of a k-mer by which KMC's tables find the others; `None` of other formats.
    pub prefix: Option<u32>,
    /// Bases by which KMC tells in which of its tables a k-mer is; `None` where there is one.
    pub signature: Option<u32>,
    /// Whence the file comes: the command, its files, the time; as the format has it.
    pub provenance: Map<String, Value>,
}

impl Header {
    pub(crate) fn new(format: DatabaseFormat, k: usize) -> Header {
        Header {
            format,
            k,
            canonical: None,
            order: Order::Unsorted,
            distinct: None,
            counter_bytes: None,
            kept: (1, u64::MAX),
            prefix: None,
            signature: None,
            provenance: Map::new(),
        }
    }

    /// What a database made from this one would be described by.
    pub fn description(&self) -> Description {
        Description {
            k: self.k,
            canonical: self.canonical.unwrap_or(false),
            kept: self.kept,
            provenance: Map::new(),
            expected: self.distinct,
            counter_bytes: None,
            saturate: false,
            in_order: false,
        }
    }

    /// Checks that `K` can hold the k-mers.
    pub(crate) fn check_type<K: Kmer>(&self) -> Result<()> {
        if self.k > K::MAX_K {
            return Err(Error::BadK {
                k: self.k,
                max: K::MAX_K,
            });
        }
        Ok(())
    }
}

/// What a database that is to be written should say about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// Length of the k-mers, 1 to 255.
    pub k: usize,
    /// Whether a k-mer stands for its reverse complement too.
    pub canonical: bool,
    /// Counts outside of this range were left out: said in the file, not enforced.
    pub kept: (u64, u64),
    /// Whence it comes, for formats that have room for it. Jellyfish's has `cmdline`, `exe_path`, `hostname`,
    /// `pwd` and `time`.
    pub provenance: Map<String, Value>,
    /// About how many distinct k-mers there will be, if that is known: KMC's format is laid out for it.
    pub expected: Option<u64>,
    /// Bytes of a count for formats where all have the same (Jellyfish: 1 to 8, KMC: 1 to 4 for
    /// k above 13, up to 8 below); `None` for 4.
    pub counter_bytes: Option<u8>,
    /// What becomes of a count that does not fit into `counter_bytes`: the largest number that does, or an error.
    pub saturate: bool,
    /// True if the blocks of a `.thk` file lie in the order of their k-mers, and not as threads have made them: so the same k-mers
    /// are the same bytes. It may take a copy of the file.
    pub in_order: bool,
}

impl Description {
    /// k-mers of length `k`, canonical or not, and nothing else known.
    pub fn new(k: usize, canonical: bool) -> Description {
        Description {
            k,
            canonical,
            kept: (1, u64::MAX),
            provenance: Map::new(),
            expected: None,
            counter_bytes: None,
            saturate: false,
            in_order: false,
        }
    }

    /// The count as it is stored in `bytes` bytes.
    #[inline(always)]
    pub(crate) fn fit<K: Kmer>(&self, kmer: K, count: u64, bytes: u8) -> Result<u64> {
        let limit = largest_of(bytes);
        if count <= limit {
            Ok(count)
        } else if self.saturate {
            Ok(limit)
        } else {
            Err(Error::LargeCount {
                count,
                kmer: kmer.to_text(self.k),
                bytes,
            })
        }
    }

    /// What the counts of records are cut to that are no greater than `largest` in `bytes` bytes; `None` if one of up to
    /// `max_count` does not fit.
    pub(crate) fn limit(&self, largest: u64, bytes: u8, max_count: u64) -> Option<u64> {
        let limit = largest.min(largest_of(bytes));
        (self.saturate || max_count.min(largest) <= limit).then_some(limit)
    }

    pub(crate) fn check<K: Kmer>(&self) -> Result<()> {
        let max = K::MAX_K.min(MAX_K);
        if !(1..=max).contains(&self.k) {
            return Err(Error::BadK { k: self.k, max });
        }
        Ok(())
    }
}
