//! A `.thk` file that grows, partition by partition, from several workers.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::encoder::Encoder;
use super::encoders::Encoders;
use super::layout::{Entry, HEADER, Layout, METADATA_LIMIT};
use super::partitioning::Partitioning;
use super::shared::{Shared, finished};
use crate::database::output::{FULL, Output};
use crate::database::{Description, Totals};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Writes a `.thk` file. It gets its name in [`ThkWriter::finish`]; dropped before, it leaves nothing.
///
/// Memory: 32 bytes for each block of 1024 records of up to 32 bases (48 up to 64, 88 of the longest), besides what the
/// encoders have. The order of blocks in the file follows the workers, unless [`Description::in_order`] is set; the records
/// that a reader gets do not, of as many partitions.
#[derive(Debug)]
pub struct ThkWriter<K: Kmer> {
    pub(super) shared: Arc<Shared<K>>,
    encoders: Mutex<Encoders<K>>,
    metadata: Vec<u8>,
}

impl<K: Kmer> ThkWriter<K> {
    /// Creates the file that will be `path`.
    ///
    /// # Errors
    /// [`Error::BadK`], [`Error::BadOption`] for an impossible number of partitions or more than 16 MiB of
    /// provenance, and [`Error::Io`].
    pub fn create(
        path: &Path,
        description: &Description,
        partitioning: Partitioning,
    ) -> Result<ThkWriter<K>> {
        description.check::<K>()?;
        partitioning.check()?;
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
        Ok(ThkWriter {
            shared: Arc::new(Shared::new(output, description, partitioning)),
            encoders: Mutex::default(),
            metadata,
        })
    }

    /// Changes how k-mers are shared out, as nothing was written yet; a thread has so many partitions `open` at a time.
    ///
    /// # Errors
    /// [`Error::BadOption`] if there are encoders, or for an impossible number of partitions.
    pub fn set_partitioning(&mut self, partitioning: Partitioning, open: usize) -> Result<()> {
        partitioning.check()?;
        let begun = || Error::BadOption("a database is being written by another rule".into());
        let shared = Arc::get_mut(&mut self.shared).ok_or_else(begun)?;
        shared.set_partitioning(partitioning, open);
        Ok(())
    }

    /// The buffers of one worker. An encoder that is used after [`ThkWriter::finish`] gets errors.
    pub fn encoder(&self) -> Encoder<K> {
        Encoder::new(Arc::clone(&self.shared))
    }

    /// The encoders that the count's threads share.
    pub(super) fn encoders(&self) -> MutexGuard<'_, Encoders<K>> {
        self.encoders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the partitions have that were ended.
    pub fn totals(&self) -> Totals {
        self.shared.lock().totals
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
        let (position, totals, rule_broken) = (state.position, state.totals, state.rule_broken);
        let mut blocks = std::mem::take(&mut state.blocks);
        drop(state);
        let description = &self.shared.description;
        let mut partitioning = self.shared.partitioning;
        if rule_broken {
            partitioning = Partitioning::unknown(partitioning.partitions);
        }
        // Those of a partition were written in order.
        blocks.sort_unstable_by_key(|&(partition, entry)| (partition, entry.offset));
        // One partition that is not empty is sorted throughout, whatever its number.
        let one = blocks.first().map(|block| block.0) == blocks.last().map(|block| block.0);
        let sorted = partitioning.scheme == Partitioning::BY_RANGE || one;
        if sorted && !blocks.is_sorted_by(|(_, a), (_, b)| a.first < b.first) {
            return Err(Error::BadOption("ranges of k-mers overlap".into()));
        }
        if description.in_order && !blocks.is_sorted_by_key(|(_, entry)| entry.offset) {
            output = in_order(&mut output, &mut blocks)?;
        }
        let (index_size, index_crc) =
            write_index(&blocks, partitioning.partitions, description.k, &mut output)?;
        let layout = Layout {
            k: description.k,
            canonical: description.canonical,
            sorted,
            partitions: partitioning.partitions,
            distinct: totals.distinct,
            total: totals.total,
            unique: totals.unique,
            max_count: totals.max_count,
            kept: description.kept,
            file_size: position + index_size + self.metadata.len() as u64,
            index_offset: position,
            blocks: blocks.len() as u64,
            metadata_size: self.metadata.len() as u64,
            scheme: partitioning.scheme,
            minimizer: partitioning.minimizer,
            index_crc,
            metadata_crc: crc32fast::hash(&self.metadata),
        };
        output.write(&self.metadata)?;
        output.rewrite_start(&layout.to_bytes())?;
        output.finish()?;
        Ok(totals)
    }
}

/// The same file with its blocks in the order of `blocks`, which get their new places.
fn in_order<K: Kmer>(output: &mut Output, blocks: &mut [(u32, Entry<K>)]) -> Result<Output> {
    let mut ordered = output.begin_again()?;
    ordered.write(&[0; HEADER])?;
    let (mut bytes, mut position) = (Vec::new(), HEADER as u64);
    for (_, entry) in blocks {
        bytes.resize(entry.length as usize, 0);
        output.read_at(&mut bytes, entry.offset)?;
        ordered.write(&bytes)?;
        entry.offset = position;
        position += u64::from(entry.length);
    }
    Ok(ordered)
}

/// Writes where the blocks are, which come partition after partition; returns the bytes that this takes, and their checksum.
///
/// In pieces: of 10^9 k-mers the index has 24 MB at k = 31.
fn write_index<K: Kmer>(
    blocks: &[(u32, Entry<K>)],
    partitions: u32,
    k: usize,
    output: &mut Output,
) -> Result<(u64, u32)> {
    let (mut size, mut crc) = (0, crc32fast::Hasher::new());
    let mut bytes = Vec::with_capacity(FULL);
    let mut write = |bytes: &mut Vec<u8>| {
        size += bytes.len() as u64;
        crc.update(bytes);
        let written = output.write(bytes);
        bytes.clear();
        written
    };
    for partition in 0..partitions {
        let start = blocks.partition_point(|block| block.0 < partition) as u64;
        bytes.extend_from_slice(&start.to_le_bytes());
    }
    // An entry takes no more bytes in the file than in memory.
    for some in blocks.chunks(FULL / size_of::<(u32, Entry<K>)>()) {
        write(&mut bytes)?;
        some.iter()
            .for_each(|(_, entry)| entry.write(k, &mut bytes));
    }
    write(&mut bytes)?;
    Ok((size, crc.finalize()))
}
