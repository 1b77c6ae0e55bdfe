//! A `.thk` file that grows, partition by partition, from several workers.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::block::Sums;
use super::encoder::{Encoded, Encoder};
use super::layout::{Entry, HEADER, Index, Layout, METADATA_LIMIT, PARTITION_LIMIT};
use super::rule::MinimizerRule;
use super::sink::Encoders;
use crate::database::output::Output;
use crate::database::{Description, Totals};
use crate::error::{Error, Result};
use crate::kmer::Kmer;
use crate::minimizer::minimizer_length;

/// How k-mers are shared out among the partitions of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partitioning {
    pub(super) partitions: u32,
    pub(super) scheme: u8,
    pub(super) minimizer: u8,
}

impl Partitioning {
    /// The rule that docs/formats/kmers.md specifies. A change of [`crate::minimizer`] takes another number.
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
    /// Should a block begin with a k-mer that does not belong there (short k-mers are counted without
    /// partitions), the file says that the rule is not known.
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

/// Writes a `.thk` file. It gets its name in [`Writer::finish`]; dropped before, it leaves nothing.
///
/// Memory: some 50 bytes for each block of 1024 records, besides what the encoders have. The order of blocks in the
/// file follows the workers; the records that a reader gets do not.
#[derive(Debug)]
pub struct Writer<K: Kmer> {
    shared: Arc<Shared<K>>,
    encoders: Mutex<Encoders<K>>,
    metadata: Vec<u8>,
}

/// What the encoders of all workers share.
#[derive(Debug)]
pub(super) struct Shared<K> {
    description: Description,
    partitioning: Partitioning,
    state: Mutex<State<K>>,
}

#[derive(Debug)]
struct State<K> {
    /// Taken when the file is finished.
    output: Option<Output>,
    position: u64,
    blocks: Vec<(u32, Entry<K>)>,
    claimed: Vec<bool>,
    open: u64,
    /// Whether a k-mer came in a partition where it should not be.
    rule_broken: bool,
    sums: Sums,
}

impl<K: Kmer> Writer<K> {
    /// Creates the temporary file beside `path`.
    ///
    /// # Errors
    /// [`Error::BadK`], [`Error::BadOption`] for an impossible number of partitions or more than 16 MiB of
    /// provenance, and [`Error::Io`].
    pub fn create(
        path: &Path,
        description: &Description,
        partitioning: Partitioning,
    ) -> Result<Writer<K>> {
        description.check::<K>()?;
        if partitioning.partitions == 0 || partitioning.partitions > PARTITION_LIMIT {
            return Err(Error::BadOption(format!(
                "{} partitions: there must be 1 to {PARTITION_LIMIT}",
                partitioning.partitions
            )));
        }
        let metadata = if description.provenance.is_empty() {
            Vec::new()
        } else {
            serde_json::to_vec(&description.provenance)
                .map_err(|error| Error::BadOption(error.to_string()))?
        };
        if metadata.len() as u64 > METADATA_LIMIT {
            return Err(Error::BadOption(
                "the provenance is larger than 16 MiB".into(),
            ));
        }
        let mut output = Output::create(path)?;
        // Zeros until everything else is in place.
        output.write(&[0; HEADER])?;
        let state = State {
            output: Some(output),
            position: HEADER as u64,
            blocks: Vec::new(),
            claimed: vec![false; partitioning.partitions as usize],
            open: 0,
            rule_broken: false,
            sums: Sums::default(),
        };
        Ok(Writer {
            shared: Arc::new(Shared {
                description: description.clone(),
                partitioning,
                state: Mutex::new(state),
            }),
            encoders: Mutex::default(),
            metadata,
        })
    }

    /// The buffers of one worker. An encoder that is used after [`Writer::finish`] gets errors.
    pub fn encoder(&self) -> Encoder<K> {
        Encoder::new(Arc::clone(&self.shared))
    }

    /// The encoders that the count's threads share.
    pub(super) fn encoders(&self) -> MutexGuard<'_, Encoders<K>> {
        self.encoders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the partitions have that were ended.
    pub fn totals(&self) -> Totals {
        self.shared.lock().sums.totals()
    }

    /// Writes the index and the header, makes the file durable and gives it its name; an older one is replaced.
    ///
    /// Partitions that nobody began are empty.
    ///
    /// # Errors
    /// [`Error::BadOption`] if a partition was begun and not ended, or if ranges overlap; [`Error::Io`]. The file
    /// under the final name is then as it was before.
    pub fn finish(self) -> Result<Totals> {
        let mut state = self.shared.lock();
        if state.open > 0 {
            return Err(Error::BadOption("a partition was not ended".into()));
        }
        let mut output = state.output.take().ok_or_else(finished)?;
        let (position, sums, rule_broken) = (state.position, state.sums, state.rule_broken);
        let mut blocks = std::mem::take(&mut state.blocks);
        drop(state);
        let description = &self.shared.description;
        let mut partitioning = self.shared.partitioning;
        if rule_broken {
            partitioning = Partitioning::unknown(partitioning.partitions);
        }
        // Stable: the blocks of a partition came in order.
        blocks.sort_by_key(|&(partition, _)| partition);
        let starts = (0..=partitioning.partitions)
            .map(|partition| blocks.partition_point(|block| block.0 < partition) as u64)
            .collect();
        let index = Index {
            starts,
            entries: blocks.iter().map(|block| block.1).collect(),
        };
        // One partition that is not empty is sorted throughout, whatever its number.
        let one = blocks.first().map(|block| block.0) == blocks.last().map(|block| block.0);
        let sorted = partitioning.scheme == Partitioning::BY_RANGE || one;
        if sorted && !index.entries.is_sorted_by(|a, b| a.first < b.first) {
            return Err(Error::BadOption("ranges of k-mers overlap".into()));
        }
        let bytes = index.to_bytes(description.k);
        let layout = Layout {
            k: description.k,
            canonical: description.canonical,
            sorted,
            partitions: partitioning.partitions,
            distinct: sums.distinct,
            total: sums.total,
            unique: sums.unique,
            max_count: sums.max_count,
            kept: description.kept,
            file_size: position + (bytes.len() + self.metadata.len()) as u64,
            index_offset: position,
            blocks: index.entries.len() as u64,
            metadata_size: self.metadata.len() as u64,
            scheme: partitioning.scheme,
            minimizer: partitioning.minimizer,
            index_crc: crc32fast::hash(&bytes),
            metadata_crc: crc32fast::hash(&self.metadata),
        };
        output.write(&bytes)?;
        output.write(&self.metadata)?;
        output.rewrite_start(&layout.to_bytes())?;
        output.finish()?;
        Ok(sums.totals())
    }
}

impl<K: Kmer> Shared<K> {
    pub(super) fn partitioning(&self) -> Partitioning {
        self.partitioning
    }

    pub(super) fn break_rule(&self) {
        self.lock().rule_broken = true;
    }

    pub(super) fn k(&self) -> usize {
        self.description.k
    }

    pub(super) fn claim(&self, partition: u32) -> Result<()> {
        let mut state = self.lock();
        match state.claimed.get_mut(partition as usize) {
            Some(claimed @ false) => *claimed = true,
            Some(true) => {
                return Err(Error::BadOption(format!(
                    "partition {partition} was written before"
                )));
            }
            None => {
                return Err(Error::BadOption(format!(
                    "there is no partition {partition}"
                )));
            }
        }
        state.open += 1;
        Ok(())
    }

    pub(super) fn append(
        &self,
        partition: u32,
        bytes: &[u8],
        encoded: &[Encoded<K>],
    ) -> Result<()> {
        let mut state = self.lock();
        state.output.as_mut().ok_or_else(finished)?.write(bytes)?;
        for block in encoded {
            let offset = state.position;
            state.position += u64::from(block.length);
            let entry = Entry {
                first: block.first,
                offset,
                length: block.length,
                records: block.records,
            };
            state.blocks.push((partition, entry));
        }
        Ok(())
    }

    pub(super) fn end(&self, sums: Sums) {
        let mut state = self.lock();
        state.open -= 1;
        state.sums.add(sums);
    }

    /// After a panic elsewhere the numbers are still sound: each critical section only appends.
    fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn finished() -> Error {
    Error::BadOption("the database was finished before".into())
}
