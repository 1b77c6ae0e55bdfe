//! What a database is to hold, and where to put what does not fit into memory.

use std::ops::Range;
use std::path::PathBuf;

use thalweg_flow::Budget;
use thalweg_superkmers::{Scheme, packed::stage_words, partition::Shape};

use super::oriented::{MOST_BASES, RECORD_WORDS};
use crate::database::{DatabasePart, MOST_PARTS};
use crate::record::{K, MAX_FLANK};
use crate::{Error, ErrorKind, Result};

/// Up to so many k-mers, minimizers have 15 bases; up to [`MANY_KMERS`], 17. Of longer ones there are more, so that few
/// k-mers share one.
const FEW_KMERS: u64 = 500_000_000;

/// See [`FEW_KMERS`].
const MANY_KMERS: u64 = 8_000_000_000;

/// Bases of a partition at most, or half of that: its table fits the second-level cache.
const BASES_OF_PARTITION: u64 = 200_000;

/// The fewest partitions that are made where memory allows for them, and the most for the sake of [`BASES_OF_PARTITION`]:
/// the stages of more leave the second-level cache.
const USUAL_PARTITIONS: std::ops::RangeInclusive<u64> = 64..=4096;

/// The most partitions of all.
const MOST_PARTITIONS: usize = 1 << 14;

/// Bases of a partition, where there are more of them than usual.
const BASES_OF_LARGE_PARTITION: u64 = 800_000;

/// Least memory of one thread.
const LEAST_MEMORY: u64 = 4 << 20;

/// What becomes of the strains that a k-mer is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strains {
    /// All are told, but of k-mers that more than [`MOST_STRAINS`] of a species have; and but of sets that few k-mers have,
    /// where there are more sets than records have room for. The species are told in any case.
    #[default]
    Folded,
    /// All are told.
    All,
}

/// Strains of a species that are told of one k-mer, at most, if they are [folded](Strains::Folded).
pub const MOST_STRAINS: usize = 16;

impl Strains {
    /// Of a k-mer, so many strains of a species are told.
    pub(super) fn most(self) -> usize {
        match self {
            Self::Folded => MOST_STRAINS,
            Self::All => usize::MAX,
        }
    }
}

/// What a build makes of sequences.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    k: usize,
    m: Option<usize>,
    masking: bool,
    strains: Strains,
    expected_bases: Option<u64>,
    partitions: Option<usize>,
    part: Option<(u32, u32)>,
    temporary_directory: PathBuf,
    kernel: Option<String>,
}

impl BuildOptions {
    /// All k-mers of `k` bases, but those of low complexity; strains folded; temporary files in the system's directory for
    /// them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadOption`] unless `16 <= k <= 31`.
    pub fn new(k: usize) -> Result<Self> {
        if !K.contains(&k) {
            let (least, most) = (K.start(), K.end());
            let reason = format!("k = {k}: k must be from {least} to {most}");
            return Err(bad(reason));
        }
        Ok(Self {
            k,
            m: None,
            masking: true,
            strains: Strains::default(),
            expected_bases: None,
            partitions: None,
            part: None,
            temporary_directory: std::env::temp_dir(),
            kernel: None,
        })
    }

    /// Minimizers of `m` bases, instead of as many as suit the expected number of bases.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadOption`] unless `m` is odd, 5 to 19, less than k and at most 16 less, and `2 k - m` at most 47.
    pub fn with_m(self, m: usize) -> Result<Self> {
        let k = self.k;
        let is_possible = m % 2 == 1
            && (5..=19).contains(&m)
            && m < k
            && k - m <= MAX_FLANK
            && 2 * k - m <= MOST_BASES;
        match is_possible {
            true => Ok(Self { m: Some(m), ..self }),
            false => Err(bad(format!("minimizers of {m} bases, of k-mers of {k}"))),
        }
    }

    /// Whether stretches of low complexity are left out, as [`mask`](crate::mask) finds them: by default, they are.
    pub fn with_masking(self, masking: bool) -> Self {
        Self { masking, ..self }
    }

    /// What becomes of the strains of a k-mer.
    pub fn with_strains(self, strains: Strains) -> Self {
        Self { strains, ..self }
    }

    /// About how many bases will come, if that is known. It sets the length of minimizers, so it must not depend on the
    /// machine; and the number of partitions, which does not show in the database.
    pub fn with_expected_bases(self, bases: Option<u64>) -> Self {
        Self {
            expected_bases: bases,
            ..self
        }
    }

    /// The number of partitions, instead of as many as suit the bases and the memory.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadOption`] unless it is a power of two up to 16384.
    pub fn with_partitions(self, partitions: usize) -> Result<Self> {
        if !partitions.is_power_of_two() || partitions > MOST_PARTITIONS {
            let reason =
                format!("{partitions} partitions: not a power of two up to {MOST_PARTITIONS}");
            return Err(bad(reason));
        }
        Ok(Self {
            partitions: Some(partitions),
            ..self
        })
    }

    /// Only the `number`th of `of` parts, both from 1: the k-mers whose minimizers' values are in one of equal ranges. All
    /// workers get all sequences nevertheless. [`merge_parts`](super::merge_parts) makes the database of all parts.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::BadOption`] unless `1 <= number <= of <= 4096`.
    pub fn with_part(self, number: u32, of: u32) -> Result<Self> {
        if !(1..=of).contains(&number) || of > MOST_PARTS {
            let reason = format!("part {number} of {of}: there are 1 to {MOST_PARTS} parts");
            return Err(bad(reason));
        }
        Ok(Self {
            part: Some((number, of)),
            ..self
        })
    }

    /// Where temporary files go.
    pub fn with_temporary_directory(self, directory: impl Into<PathBuf>) -> Self {
        Self {
            temporary_directory: directory.into(),
            ..self
        }
    }

    /// The instructions to use, by [name](thalweg_superkmers::Kernel::names); `None` for the best that the processor has.
    pub fn with_kernel(self, kernel: Option<&str>) -> Self {
        Self {
            kernel: kernel.map(str::to_owned),
            ..self
        }
    }

    /// Bases of a k-mer.
    pub fn k(&self) -> usize {
        self.k
    }

    /// Bases of a minimizer.
    pub fn m(&self) -> usize {
        self.m
            .unwrap_or_else(|| minimizer_length(self.k, self.expected_bases.unwrap_or(0)))
    }

    /// Whether stretches of low complexity are left out.
    pub fn masking(&self) -> bool {
        self.masking
    }

    /// What becomes of strains.
    pub fn strains(&self) -> Strains {
        self.strains
    }

    /// About how many bases will come.
    pub fn expected_bases(&self) -> Option<u64> {
        self.expected_bases
    }

    /// Which part is built, and of how many, if it is not all.
    pub fn part(&self) -> Option<(u32, u32)> {
        self.part
    }

    pub(super) fn temporary_directory(&self) -> &std::path::Path {
        &self.temporary_directory
    }

    pub(super) fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }
}

/// The sizes of a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Without partitions: these are by the upper bits of a minimizer's value.
    pub(super) scheme: Scheme,
    pub(super) shape: Shape,
    /// The minimizers that are taken.
    pub(super) values: Values,
    pub(super) threads: usize,
    /// All memory.
    pub(super) memory: u64,
    /// What the chunks of all workers together may take beyond those set aside.
    pub(super) chunk_memory: u64,
}

/// A range of minimizers' values, divided into partitions of as many values each, of which the last ones may be empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    pub(super) first: u64,
    /// How many there are.
    pub(super) number: u64,
    /// Binary logarithm of how many of them are of a partition.
    pub(super) shift: u32,
}

impl Values {
    fn new(values: Range<u64>, partitions: usize) -> Self {
        let number = values.end - values.start;
        Self {
            first: values.start,
            number,
            shift: bits_for(number).saturating_sub(partitions.trailing_zeros()),
        }
    }

    /// The partition of a value, if it is one of these.
    #[inline]
    pub(super) fn partition(&self, value: u64) -> Option<usize> {
        let place = value.wrapping_sub(self.first);
        (place < self.number).then_some((place >> self.shift) as usize)
    }
}

/// Bits that numbers below this have.
fn bits_for(number: u64) -> u32 {
    u64::BITS - number.saturating_sub(1).leading_zeros()
}

impl Plan {
    pub(super) fn new(options: &BuildOptions, budget: &Budget) -> Result<Self> {
        let (threads, memory) = (budget.threads(), budget.memory());
        let check = |needed: u64| match memory < needed {
            true => Err(Error::new(ErrorKind::Memory {
                limit: memory,
                needed,
            })),
            false => Ok(()),
        };
        check(LEAST_MEMORY * threads as u64)?;
        let scheme = Scheme::new(options.k()).and_then(|scheme| scheme.with_m(options.m()))?;
        let part = options.part.map(|(number, of)| DatabasePart {
            number,
            of,
            fingerprint: 0,
        });
        let values = match part {
            Some(part) => part.values(&scheme),
            None => 0..1 << (2 * scheme.m()),
        };
        let most = MOST_PARTITIONS.min(1 << bits_for(values.end - values.start).min(20));
        let mut partitions = match (options.partitions, options.expected_bases) {
            (Some(partitions), _) => partitions,
            (None, Some(bases)) => {
                partitions_for(bases / u64::from(part.map_or(1, |part| part.of)))
            }
            (None, None) => *USUAL_PARTITIONS.end() as usize,
        };
        partitions = partitions.min(most);
        let stage_bytes = 8 * stage_words(RECORD_WORDS);
        // Chunks of 8 KiB; all partitions' stages and newest chunks may take a quarter of the memory.
        let mut chunk_bytes = 8192;
        let fixed = |partitions: usize, chunk_bytes: usize| {
            (threads * partitions * (stage_bytes + chunk_bytes)) as u64
        };
        while fixed(partitions, chunk_bytes) > memory / 4 {
            if chunk_bytes > 1024 {
                chunk_bytes /= 2;
            } else if options.partitions.is_none() && partitions > 16 {
                partitions /= 2;
            } else {
                check(4 * fixed(partitions, chunk_bytes))?;
            }
        }
        let slab_bytes = (memory / 64 / threads as u64).clamp(chunk_bytes as u64, 2 << 20) as usize;
        let slab_chunks = (slab_bytes / chunk_bytes)
            .next_power_of_two()
            .min(partitions);
        Ok(Self {
            scheme,
            shape: Shape {
                partitions,
                record_words: RECORD_WORDS,
                marked: false,
                chunk_words: chunk_bytes / 8,
                slab_chunks,
            },
            values: Values::new(values, partitions),
            threads,
            memory,
            // A quarter stays for what is made of the partitions.
            chunk_memory: (memory / 4 * 3).saturating_sub(fixed(partitions, chunk_bytes)),
        })
    }
}

/// Bases of the minimizers of so many k-mers: odd, and less than k.
pub(super) fn minimizer_length(k: usize, kmers: u64) -> usize {
    let m = match kmers {
        _ if kmers <= FEW_KMERS => 15,
        _ if kmers <= MANY_KMERS => 17,
        _ => 19,
    };
    // The greatest odd number below k.
    m.min((k - 2) | 1)
}

/// The number of partitions of about so many bases, a power of two.
pub(super) fn partitions_for(bases: u64) -> usize {
    let partitions = (bases / BASES_OF_PARTITION)
        .clamp(*USUAL_PARTITIONS.start(), *USUAL_PARTITIONS.end())
        .max(bases / BASES_OF_LARGE_PARTITION);
    partitions.min(MOST_PARTITIONS as u64).next_power_of_two() as usize
}

fn bad(reason: String) -> Error {
    Error::new(ErrorKind::BadOption(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minimizers_grow_with_the_input_and_stay_below_k() {
        for (k, kmers, m) in [
            (16, 0, 15),
            (17, u64::MAX, 15),
            (18, 1_000_000_000, 17),
            (19, u64::MAX, 17),
            (20, u64::MAX, 19),
            (31, 500_000_000, 15),
            (31, 500_000_001, 17),
            (31, 8_000_000_001, 19),
        ] {
            assert_eq!(minimizer_length(k, kmers), m, "k = {k}, {kmers} k-mers");
            let options = BuildOptions::new(k).unwrap();
            assert!(options.with_m(m).is_ok(), "k = {k}, m = {m}");
        }
    }

    #[test]
    fn what_records_have_no_room_for_is_refused() {
        assert!(BuildOptions::new(15).is_err());
        assert!(BuildOptions::new(32).is_err());
        for (k, m) in [(31, 13), (31, 16), (16, 17), (17, 17), (31, 21), (16, 3)] {
            let options = BuildOptions::new(k).unwrap();
            assert!(options.with_m(m).is_err(), "k = {k}, m = {m}");
        }
        let options = BuildOptions::new(31).unwrap();
        assert!(options.clone().with_partitions(3).is_err());
        assert!(options.with_partitions(1 << 15).is_err());
    }

    #[test]
    fn what_all_partitions_take_fits_a_quarter_of_the_memory() {
        for bases in [None, Some(0), Some(1 << 30), Some(u64::MAX)] {
            let options = BuildOptions::new(31).unwrap().with_expected_bases(bases);
            for (threads, memory) in [(1, 4 << 20), (2, 128 << 20), (2, 4 << 30), (16, 1 << 30)] {
                let budget = Budget::new(threads).with_memory(memory);
                let shape = Plan::new(&options, &budget).unwrap().shape;
                let stage = 8 * stage_words(shape.record_words);
                let fixed = threads * shape.partitions * (stage + 8 * shape.chunk_words);
                assert!(fixed as u64 <= memory / 4, "{bases:?} {threads} {memory}");
            }
        }
        let options = BuildOptions::new(31).unwrap();
        let few = Budget::new(4).with_memory(4 << 20);
        assert!(Plan::new(&options, &few).is_err());
        let many = options.with_partitions(1 << 14).unwrap();
        assert!(Plan::new(&many, &Budget::new(1).with_memory(8 << 20)).is_err());
    }
}
