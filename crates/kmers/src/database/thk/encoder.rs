//! One worker's part of writing a `.thk` file.

use super::bits::bit_length;
use super::block::{BLOCK, Parts, encode};
use super::rule::MinimizerRule;
use super::shared::{Encoded, Shared};
use crate::database::Totals;
use crate::error::{Error, Result};
use crate::kmer::Kmer;
use std::sync::Arc;

/// Encodes partitions for a [`ThkWriter`](super::ThkWriter); each worker has its own, and its buffers are used again.
///
/// Memory: about 300 KiB, however large a partition is.
#[derive(Debug)]
pub struct Encoder<K: Kmer> {
    file: Arc<Shared<K>>,
    partition: Option<u32>,
    pending: Vec<(K, u64)>,
    /// Whether records of this partition are lost.
    failed: bool,
    last: Option<K>,
    rule: Option<MinimizerRule>,
    parts: Parts,
    bytes: Vec<u8>,
    blocks: Vec<Encoded<K>>,
    totals: Totals,
}

impl<K: Kmer> Encoder<K> {
    pub(super) fn new(file: Arc<Shared<K>>) -> Encoder<K> {
        Encoder {
            rule: file.partitioning.rule(),
            partition: None,
            pending: Vec::with_capacity(BLOCK),
            failed: false,
            last: None,
            parts: Parts::default(),
            bytes: Vec::with_capacity(file.flush + (file.flush >> 3)),
            file,
            blocks: Vec::new(),
            totals: Totals::default(),
        }
    }

    /// Begins a partition, which nobody has begun before.
    ///
    /// # Errors
    /// [`Error::BadOption`] if there is no such partition, if it was begun before, or if the last one was not ended.
    pub fn begin(&mut self, partition: u32) -> Result<()> {
        if self.partition.is_some() {
            return Err(Error::BadOption("a partition was not ended".into()));
        }
        self.file.claim(partition)?;
        self.partition = Some(partition);
        self.last = None;
        Ok(())
    }

    /// Adds the next record, whose k-mer is greater than the one before.
    ///
    /// # Errors
    /// [`Error::BadOption`] if it is not, if those before it were not, or if no partition was begun; [`Error::Io`].
    #[inline]
    pub fn push(&mut self, kmer: K, count: u64) -> Result<()> {
        if self.last >= Some(kmer) {
            return Err(Error::BadOption(format!(
                "k-mers out of order: {} must not come after {}",
                self.letters(kmer),
                self.last.map(|last| self.letters(last)).unwrap_or_default(),
            )));
        }
        self.last = Some(kmer);
        self.pending.push((kmer, count));
        if self.pending.len() == BLOCK {
            self.encode_pending()?;
        }
        Ok(())
    }

    /// Adds records in ascending order.
    ///
    /// # Errors
    /// As [`Encoder::push`]; of records that are not in order a later call may tell, [`Encoder::end`] at the latest.
    pub fn extend(&mut self, mut records: &[(K, u64)]) -> Result<()> {
        while !records.is_empty() {
            let n = records.len().min(BLOCK - self.pending.len());
            let (block, rest) = records.split_at(n);
            if self.last >= Some(block[0].0) {
                return Err(self.out_of_order(block[0].0));
            }
            self.last = block.last().map(|record| record.0);
            if n == BLOCK {
                self.encode(block)?;
            } else {
                self.pending.extend_from_slice(block);
                if self.pending.len() == BLOCK {
                    self.encode_pending()?;
                }
            }
            records = rest;
        }
        Ok(())
    }

    /// Ends the partition: its blocks are handed to the file.
    ///
    /// # Errors
    /// [`Error::BadOption`] if none was begun, or if records that it was given are not in order or no k-mers; [`Error::Io`].
    /// Then the partition has no end, nor has the file.
    pub fn end(&mut self) -> Result<()> {
        self.encode_pending()?;
        self.flush()?;
        self.file.end(std::mem::take(&mut self.totals));
        self.partition = None;
        Ok(())
    }

    fn partition(&self) -> Result<u32> {
        self.partition
            .ok_or_else(|| Error::BadOption("no partition was begun".into()))
    }

    fn letters(&self, kmer: K) -> String {
        kmer.to_text(self.file.k())
    }

    fn out_of_order(&self, near: K) -> Error {
        Error::BadOption(format!("k-mers out of order, near {}", self.letters(near)))
    }

    fn encode_pending(&mut self) -> Result<()> {
        let mut pending = std::mem::take(&mut self.pending);
        let encoded = self.encode(&pending);
        pending.clear();
        self.pending = pending;
        encoded
    }

    /// Encodes a block of at most [`BLOCK`] records. After one has failed, or could not be written, so do all that follow, and
    /// the end of the partition, which would lack it.
    fn encode(&mut self, records: &[(K, u64)]) -> Result<()> {
        if self.failed {
            return Err(Error::BadOption(
                "a block before could not be written".into(),
            ));
        }
        let encoded = self.encode_block(records);
        self.failed = encoded.is_err();
        encoded
    }

    fn encode_block(&mut self, records: &[(K, u64)]) -> Result<()> {
        self.partition()?;
        let (Some(&(first, _)), Some(&(last, _))) = (records.first(), records.last()) else {
            return Ok(());
        };
        if bit_length(last) > 2 * self.file.k() as u32 {
            return Err(Error::BadOption(format!(
                "a number that is not a k-mer of length {}",
                self.file.k()
            )));
        }
        if let Some(rule) = &mut self.rule
            && rule.partition(first, self.file.k()) != self.partition()? as usize
        {
            self.file.break_rule();
            self.rule = None;
        }
        let start = self.bytes.len();
        let totals = encode(records, &mut self.parts, &mut self.bytes)
            .ok_or_else(|| self.out_of_order(first))?;
        self.totals.merge(&totals);
        self.blocks.push(Encoded {
            first,
            length: (self.bytes.len() - start) as u32,
            records: records.len() as u32,
        });
        if self.bytes.len() >= self.file.flush {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        let partition = self.partition()?;
        let appended = self.file.append(partition, &self.bytes, &self.blocks);
        // Part of the bytes may be in the file, where nobody expects them.
        self.failed |= appended.is_err();
        appended?;
        self.bytes.clear();
        self.blocks.clear();
        Ok(())
    }
}
