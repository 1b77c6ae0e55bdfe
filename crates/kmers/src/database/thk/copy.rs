//! Partitions that are taken over as they are: their blocks need not be decoded.

use super::layout::Entry;
use super::partitions::Partitions;
use super::shared::Encoded;
use super::writer::ThkWriter;
use crate::database::Totals;
use crate::error::Result;
use crate::kmer::Kmer;

/// Bytes that are read and written at once.
const PIECE: u64 = 1 << 20;

impl<K: Kmer> Partitions<K> {
    /// Whether a partition has no k-mers.
    pub(crate) fn is_empty(&self, partition: usize) -> bool {
        self.index.blocks_of(partition).is_empty()
    }

    /// Copies the blocks of a partition to `writer`, which has as many partitions by the same rule. Each is compared with its
    /// checksum.
    ///
    /// The totals of the file are not those of a partition: who copies all tells them by [`ThkWriter::add_totals`].
    ///
    /// # Errors
    /// Those of reading and writing, and if the partition was written before.
    pub(crate) fn copy(&self, partition: usize, writer: &ThkWriter<K>) -> Result<()> {
        let number = partition as u32;
        writer.shared.claim(number)?;
        let mut entries = &self.index.entries[self.index.blocks_of(partition)];
        let first_number = self.index.starts[partition] as usize;
        let (mut bytes, mut done) = (Vec::new(), 0);
        while let Some(first) = entries.first() {
            let run = behind_each_other(entries);
            let (some, rest) = entries.split_at(run);
            let length: u64 = some.iter().map(|entry| u64::from(entry.length)).sum();
            bytes.resize(length as usize, 0);
            self.reader.input.read_at(&mut bytes, first.offset)?;
            let mut left = bytes.as_slice();
            for (entry, place) in some.iter().zip(first_number + done..) {
                let (block, others) = left.split_at(entry.length as usize);
                left = others;
                if !is_sound(block) {
                    let what = "does not match its checksum";
                    return Err(self.reader.damaged_block(place, entry.offset, what));
                }
            }
            let encoded: Vec<Encoded<K>> = some
                .iter()
                .map(|entry| Encoded {
                    first: entry.first,
                    length: entry.length,
                    records: entry.records,
                })
                .collect();
            writer.shared.append(number, &bytes, &encoded)?;
            done += run;
            entries = rest;
        }
        writer.shared.end(Totals::default());
        Ok(())
    }
}

impl<K: Kmer> ThkWriter<K> {
    /// Adds what partitions have that were [copied](Partitions::copy).
    pub(crate) fn add_totals(&self, totals: &Totals) {
        self.shared.lock().totals.merge(totals);
    }
}

/// How many of the first blocks lie behind each other, up to [`PIECE`] bytes; at least one.
fn behind_each_other<K: Kmer>(entries: &[Entry<K>]) -> usize {
    let start = entries[0].offset;
    let is_next = |pair: &&[Entry<K>]| {
        let end = pair[0].offset + u64::from(pair[0].length);
        pair[1].offset == end && end - start < PIECE
    };
    1 + entries.windows(2).take_while(is_next).count()
}

/// Whether a block has the checksum that it ends with.
fn is_sound(block: &[u8]) -> bool {
    let Some((body, crc)) = block.split_last_chunk::<4>() else {
        return false;
    };
    crc32fast::hash(body) == u32::from_le_bytes(*crc)
}
