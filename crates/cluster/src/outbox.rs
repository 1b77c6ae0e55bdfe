//! Where a worker's blocks go: own partitions to its chunks, all others to buffers for their owners.
//!
//! ```text
//! buffer:  partition, two bytes · length, two bytes · the block's bytes, and so on; numbers least significant byte first
//! ```
//! Until partitions have owners, blocks are held in such a buffer, too, and weighed.

use std::sync::Arc;

use thalweg::kmers::count::{BlockSink, Chunks};
use thalweg_superkmers::packed::block_bytes;

use crate::measure::Measure;
use crate::outgoing::Outgoing;
use crate::sizes::Sizes;

/// Bytes before a block.
const HEAD: usize = 4;

/// What all outboxes of a rank share.
pub(crate) struct Shared {
    pub(crate) rank: usize,
    pub(crate) ranks: usize,
    pub(crate) record_words: usize,
    pub(crate) sizes: Sizes,
    pub(crate) measure: Measure,
    pub(crate) outgoing: Outgoing,
}

/// The sink of one worker.
pub(crate) struct Outbox<'a> {
    shared: &'a Shared,
    chunks: Chunks,
    state: State,
}

enum State {
    Measuring { held: Vec<u8>, weights: Vec<u32> },
    Flowing(Flow),
}

struct Flow {
    owners: Arc<[u16]>,
    /// For each rank what is to be sent to it.
    buffers: Vec<Vec<u8>>,
}

impl<'a> Outbox<'a> {
    pub(crate) fn new(shared: &'a Shared, chunks: Chunks, partitions: usize) -> Self {
        let state = State::Measuring {
            held: Vec::new(),
            weights: vec![0; partitions],
        };
        Self {
            shared,
            chunks,
            state,
        }
    }

    /// To be called between batches: waits until partitions have owners, if enough is held to weigh them, and as long as too
    /// much is to be sent.
    pub(crate) fn settle(&mut self) -> thalweg_superkmers::Result<()> {
        match &self.state {
            State::Measuring { held, .. } if held.len() < self.shared.sizes.held => Ok(()),
            State::Measuring { .. } => self.begin_to_flow(),
            State::Flowing(_) => {
                self.shared.outgoing.wait_for_room();
                Ok(())
            }
        }
    }

    /// Tell what was weighed, wait for owners, and let go what was held.
    fn begin_to_flow(&mut self) -> thalweg_superkmers::Result<()> {
        let State::Measuring { held, weights } = &mut self.state else {
            return Ok(());
        };
        let shared = self.shared;
        shared.measure.tell(weights);
        let held = std::mem::take(held);
        let Some(owners) = shared.measure.wait_for_owners() else {
            // Nobody counts what is lost now: the work has failed.
            return Ok(());
        };
        let mut flow = Flow {
            owners,
            buffers: vec![Vec::new(); shared.ranks],
        };
        let mut words = Vec::new();
        for (partition, block) in blocks(&held) {
            if usize::from(flow.owners[partition]) == shared.rank {
                thalweg_superkmers::packed::words_of(block, shared.record_words, &mut words);
                self.chunks.append(partition, &words)?;
            } else {
                flow.send(shared, partition, block);
                shared.outgoing.wait_for_room();
            }
        }
        self.state = State::Flowing(flow);
        Ok(())
    }

    /// All that is left goes out; what the worker's own partitions have is given back.
    pub(crate) fn finish(mut self) -> thalweg_superkmers::Result<Chunks> {
        self.begin_to_flow()?;
        if let State::Flowing(flow) = &mut self.state {
            for (rank, buffer) in flow.buffers.iter_mut().enumerate() {
                if !buffer.is_empty() {
                    self.shared.outgoing.push(rank, std::mem::take(buffer), 0);
                }
            }
        }
        Ok(self.chunks)
    }
}

impl BlockSink for Outbox<'_> {
    fn append(&mut self, partition: usize, block: &[u64]) -> thalweg_superkmers::Result<()> {
        let shared = self.shared;
        match &mut self.state {
            State::Measuring { held, weights } => {
                put(held, partition, &block_bytes(block, shared.record_words));
                weights[partition] += 1;
            }
            State::Flowing(flow) if usize::from(flow.owners[partition]) == shared.rank => {
                return self.chunks.append(partition, block);
            }
            State::Flowing(flow) => {
                flow.send(shared, partition, &block_bytes(block, shared.record_words));
            }
        }
        Ok(())
    }
}

impl Flow {
    fn send(&mut self, shared: &Shared, partition: usize, block: &[u8]) {
        let owner = usize::from(self.owners[partition]);
        let (buffer, most) = (&mut self.buffers[owner], shared.sizes.buffer);
        if buffer.len() + HEAD + block.len() > most && !buffer.is_empty() {
            let full = std::mem::take(buffer);
            *buffer = shared.outgoing.push(owner, full, most);
        }
        put(buffer, partition, block);
    }
}

fn put(buffer: &mut Vec<u8>, partition: usize, block: &[u8]) {
    // There are 2^14 partitions at most, and blocks of 256 bytes.
    buffer.extend_from_slice(&(partition as u16).to_le_bytes());
    buffer.extend_from_slice(&(block.len() as u16).to_le_bytes());
    buffer.extend_from_slice(block);
}

/// The blocks of a buffer with their partitions, as far as it is one.
pub(crate) fn blocks(mut buffer: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    std::iter::from_fn(move || {
        let (&[a, b, c, d], rest) = buffer.split_first_chunk::<HEAD>()?;
        let length = u16::from_le_bytes([c, d]);
        let (block, rest) = rest.split_at_checked(length.into())?;
        buffer = rest;
        Some((u16::from_le_bytes([a, b]).into(), block))
    })
}

/// Whether a buffer has whole blocks, and nothing else.
pub(crate) fn is_whole(buffer: &[u8]) -> bool {
    let bytes: usize = blocks(buffer).map(|(_, block)| HEAD + block.len()).sum();
    bytes == buffer.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_buffer_come_back() {
        let mut buffer = Vec::new();
        put(&mut buffer, 16_383, &[7; 256]);
        put(&mut buffer, 0, &[9; 8]);
        let found: Vec<_> = blocks(&buffer).collect();
        assert_eq!(found, [(16_383, &[7; 256][..]), (0, &[9; 8][..])]);
        assert!(is_whole(&buffer) && is_whole(&[]));
        assert!(!is_whole(&buffer[..buffer.len() - 1]));
        assert!(!is_whole(&[0; 3]));
    }
}
