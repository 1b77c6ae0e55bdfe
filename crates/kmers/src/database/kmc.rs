//! KMC's databases: `NAME.kmc_pre` and `NAME.kmc_suf`.
//!
//! ```text
//! .kmc_suf    "KMCS" | records | "KMCS"
//!     record: the last k-p bases, four to a byte, the first of them in the highest bits; (k - p) % 4 == 0
//!             counter_size bytes of count, little endian; none if all counts are 1
//! .kmc_pre, version 0 (sorted throughout)
//!     "KMCP" | 4^p u64: number of the first record of each prefix of p bases | header of 64 bytes | 64 u32 | "KMCP"
//! .kmc_pre, version 0x200 (sorted in each bin)
//!     "KMCP" | bins * 4^p u64, likewise | total u64 | 4^s + 1 u32: bin of each signature | header of 68 bytes | 68 u32 | "KMCP"
//! ```
//!
//! Version 0 is written: `kmc_tools` writes it too, and every KMC reads it. Of version 0x200 the records are read
//! in order; finding the bin of a single k-mer takes the rule by which KMC chooses signatures, which is
//! known only by its code, so a [`Lookup`](super::Lookup) loads such a file.

mod header;
mod reader;
mod search;
mod writer;

pub(crate) use header::{PREFIX_MAGIC, SUFFIX_MAGIC, names};
pub(crate) use reader::Reader;
pub(crate) use search::Search;
pub(crate) use writer::{Layout, Writer};
