//! The file that several encoders append to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::layout::{Entry, HEADER};
use super::partitioning::Partitioning;
use crate::database::output::Output;
use crate::database::{Description, Totals};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Encoded bytes of one thread that wait for the lock of the file.
const FLUSH: usize = 1 << 18;

/// Encoded bytes for which the lock is taken in any case, however many partitions a thread has open: about one block.
const LEAST_FLUSH: usize = 1 << 13;

/// A block that is encoded and not yet in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoded<K> {
    pub(super) first: K,
    pub(super) length: u32,
    pub(super) records: u32,
}

/// What the encoders of all workers share.
#[derive(Debug)]
pub(super) struct Shared<K> {
    pub(super) description: Description,
    pub(super) partitioning: Partitioning,
    /// Encoded bytes that an encoder collects before it takes the lock of the file.
    pub(super) flush: usize,
    state: Mutex<State<K>>,
}

#[derive(Debug)]
pub(super) struct State<K> {
    /// Taken when the file is finished.
    pub(super) output: Option<Output>,
    pub(super) position: u64,
    pub(super) blocks: Vec<(u32, Entry<K>)>,
    claimed: Vec<bool>,
    pub(super) open: u64,
    /// Whether a k-mer came in a partition where it should not be.
    pub(super) rule_broken: bool,
    pub(super) totals: Totals,
}

impl<K: Kmer> Shared<K> {
    /// Nothing but the room for the header was written to `output`.
    pub(super) fn new(
        output: Output,
        description: &Description,
        partitioning: Partitioning,
    ) -> Shared<K> {
        let state = State {
            output: Some(output),
            position: HEADER as u64,
            blocks: Vec::new(),
            claimed: Vec::new(),
            open: 0,
            rule_broken: false,
            totals: Totals::default(),
        };
        let mut shared = Shared {
            description: description.clone(),
            partitioning,
            flush: FLUSH,
            state: Mutex::new(state),
        };
        shared.set_partitioning(partitioning, 1);
        shared
    }

    /// Has these partitions, of which a thread has so many open at a time.
    pub(super) fn set_partitioning(&mut self, partitioning: Partitioning, open: usize) {
        self.partitioning = partitioning;
        self.flush = (FLUSH / open.max(1)).max(LEAST_FLUSH);
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.claimed = vec![false; partitioning.partitions as usize];
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

    pub(super) fn end(&self, totals: Totals) {
        let mut state = self.lock();
        state.open -= 1;
        state.totals.merge(&totals);
    }

    /// After a panic elsewhere the numbers are still sound: each critical section only appends.
    pub(super) fn lock(&self) -> MutexGuard<'_, State<K>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn finished() -> Error {
    Error::BadOption("the database was finished before".into())
}
