//! Records by partition: what one worker has cut out of its reads so far.
//!
//! ```text
//! push(partition, record):
//!   append to the partition's stage, a block of 256 bytes                                      (packed)
//!   when full: append the block to the partition's chunk                (Chunks, Arena)
//!              when that is full, begin a new one: from the free chunks, from a new slab
//!              if the ledger has memory for it, else after spilling all chunks
//! seal: the other blocks to their chunks; what there is may be read now, by any thread        (SealedStore)
//! ```
//!
//! The stages of 2048 partitions, as many as 600 MB of FASTQ have, are 512 to 768 KiB and stay in the second-level cache;
//! without them each record would touch a chunk's cache line and page of its own. 256 bytes is four lines: 64 were slower
//! at every size.
//! Chunks are written past the caches (see `slab::stream`), in whole lines.
//! Nothing is shared with other workers but the ledger, one atomic number.

mod arena;
mod chunks;
mod inbox;
mod ledger;
mod sink;

use crate::{
    error::Result,
    lines::Lines,
    packed::{BLOCK_WORDS, block, has_room, marker_bytes, pad, push, put_marker, stage_words},
    record::Record,
    scheme::Scheme,
    spill::Spill,
};
pub use chunks::{Chunks, SealedStore};
pub use inbox::Inbox;
pub use ledger::Ledger;
pub use sink::BlockSink;
use std::{marker::PhantomData, sync::Arc};

/// The sizes of a store, the same for all workers of a count.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Number of partitions.
    pub partitions: usize,
    /// Words of a record.
    pub record_words: usize,
    /// Whether blocks begin with a marker.
    pub marked: bool,
    /// Words of a chunk, a multiple of a block's.
    pub chunk_words: usize,
    /// Chunks that are allocated together.
    pub slab_chunks: usize,
}

impl Shape {
    /// Of the partitions and records of `scheme`, without markers, with chunks of so many bytes, a multiple of 256: one for
    /// each partition is allocated at once.
    pub fn new(scheme: &Scheme, chunk_bytes: usize) -> Self {
        Self {
            partitions: scheme.partitions(),
            record_words: scheme.record_words(),
            marked: false,
            chunk_words: chunk_bytes / 8,
            slab_chunks: scheme.partitions(),
        }
    }
}

/// The records of one worker, while they are cut; full blocks go to `S`.
#[derive(Debug)]
pub struct Store<S = Chunks> {
    stages: Lines,
    /// Bytes that are taken of each stage.
    used: Vec<u8>,
    /// Bytes of the marker that each stage begins with.
    head: u8,
    record_words: usize,
    marker: u32,
    sink: S,
    /// Chunks settle on the thread that has written them, so a store stays there until it is sealed.
    not_send: PhantomData<*const ()>,
}

impl Store {
    /// An empty store; the memory of its stages and of `partitions` chunks must have been set aside.
    pub fn new(shape: Shape, ledger: Arc<Ledger>, spill: Spill) -> Self {
        debug_assert!(shape.chunk_words.is_multiple_of(BLOCK_WORDS));
        Self::with_sink(shape, Chunks::new(shape, ledger, spill))
    }

    /// Moves what is staged to the chunks: they are read-only from then on.
    ///
    /// # Errors
    ///
    /// As [`Stages::push`].
    pub fn seal(self) -> Result<SealedStore> {
        Ok(self.finish()?.seal())
    }
}

impl<S: BlockSink> Store<S> {
    /// An empty store; the memory of its stages must have been set aside. The sizes of chunks do not matter.
    ///
    /// If blocks begin with a marker, that is 0 to begin with.
    pub fn with_sink(shape: Shape, sink: S) -> Self {
        let head = match shape.marked {
            true => marker_bytes(shape.record_words),
            false => 0,
        };
        let mut store = Self {
            stages: Lines::new(shape.partitions * stage_words(shape.record_words)),
            used: vec![head; shape.partitions],
            head,
            record_words: shape.record_words,
            marker: 0,
            sink,
            not_send: PhantomData,
        };
        store.mark_stages();
        store
    }

    /// What takes records.
    pub fn stages(&mut self) -> Stages<'_, S> {
        Stages {
            words: self.stages.all_mut(),
            used: &mut self.used,
            head: self.head,
            sink: &mut self.sink,
        }
    }

    /// Has all blocks from now on begin with `marker`; those that have records and another marker end here.
    ///
    /// That is a step for each partition: a marker is for what many records have in common, such as a genome.
    ///
    /// # Errors
    ///
    /// As [`Stages::push`].
    ///
    /// # Panics
    ///
    /// If blocks of this shape begin with none.
    pub fn set_marker(&mut self, marker: u32) -> Result<()> {
        assert!(self.head > 0, "blocks without markers");
        if marker != self.marker {
            self.flush()?;
            self.marker = marker;
            self.mark_stages();
        }
        Ok(())
    }

    /// Hands on what is staged.
    ///
    /// # Errors
    ///
    /// As [`Stages::push`].
    pub fn flush(&mut self) -> Result<()> {
        let record_words = self.record_words;
        let stages = (self.stages.all_mut()).chunks_exact_mut(stage_words(record_words));
        for (partition, (stage, used)) in stages.zip(&mut self.used).enumerate() {
            if *used > self.head {
                if self.head > 0 {
                    *used = pad(stage, *used, record_words);
                }
                self.sink
                    .append(partition, block(stage, *used, record_words))?;
                *used = self.head;
            }
        }
        Ok(())
    }

    /// Hands on what is staged, and gives the sink back.
    ///
    /// # Errors
    ///
    /// As [`Stages::push`].
    pub fn finish(mut self) -> Result<S> {
        self.flush()?;
        Ok(self.sink)
    }

    /// What takes full blocks.
    pub fn sink_mut(&mut self) -> &mut S {
        &mut self.sink
    }

    /// Puts the marker where blocks begin; it stays there, as records come behind it.
    fn mark_stages(&mut self) {
        if self.head > 0 {
            let stages = (self.stages.all_mut()).chunks_exact_mut(stage_words(self.record_words));
            stages.for_each(|stage| put_marker(stage, self.marker, self.record_words));
        }
    }
}

/// The stages of a store, borrowed once for many records.
pub struct Stages<'a, S = Chunks> {
    words: &'a mut [u64],
    used: &'a mut [u8],
    head: u8,
    sink: &'a mut S,
}

impl<S: BlockSink> Stages<'_, S> {
    /// Adds a record to a partition; it has so many `bytes` up to the one with its end mark.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, if records must go there, or of another sink. Records are lost then, which the
    /// totals show if nobody looked at the error.
    #[inline(always)]
    pub fn push<const N: usize>(
        &mut self,
        partition: usize,
        record: Record<N>,
        bytes: usize,
    ) -> Result<()> {
        let stage = &mut self.words[partition * stage_words(N)..][..stage_words(N)];
        let used = &mut self.used[partition];
        if !has_room::<N>(*used, bytes) {
            let full = std::mem::replace(used, self.head);
            self.sink.append(partition, block(stage, full, N))?;
        }
        *used = push(stage, *used, &record, bytes);
        // Of words, that is a full block.
        if N == 1 && *used == 0 {
            *used = self.head;
            self.sink.append(partition, block(stage, 0, N))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::unpack;

    const PARTITIONS: usize = 256;

    /// All records of each partition, from memory and from the file, in ascending order.
    fn all<const N: usize>(store: &SealedStore) -> Vec<Vec<Record<N>>> {
        let (mut bytes, mut words) = (Vec::new(), Vec::new());
        let of = |partition| {
            let (mut records, mut size) = (Vec::new(), 0);
            let mut see = |words: &[u64]| {
                size += words.len() as u64;
                match N {
                    1 => records.extend_from_slice(words.as_chunks::<N>().0),
                    _ => unpack(words, &mut records)?,
                }
                Some(())
            };
            assert!(store.chunks(partition).all(|chunk| see(chunk).is_some()));
            store
                .visit_spilled(partition, &mut bytes, &mut words, see)
                .expect("a file");
            assert_eq!(size, store.words(partition));
            records.sort_unstable();
            records
        };
        (0..PARTITIONS).map(of).collect()
    }

    fn check<const N: usize>() {
        // One slab of large pages, and no memory for another one.
        let shape = Shape {
            partitions: PARTITIONS,
            record_words: N,
            marked: false,
            chunk_words: 1024,
            slab_chunks: PARTITIONS,
        };
        let spill = Spill::new(&std::env::temp_dir(), PARTITIONS);
        let mut store = Store::new(shape, Arc::new(Ledger::new(0)), spill);
        let mut expected = vec![Vec::new(); PARTITIONS];
        for i in 1..=(5 << 20) / (8 * N) as u64 {
            // Squares are uneven; some partitions get none.
            let partition = (i * i % 251) as usize;
            let record = [i << 40; N];
            store
                .stages()
                .push(partition, record, 8 * N)
                .expect("a file");
            expected[partition].push(record);
        }
        let mut sealed = store.seal().expect("a file");
        assert_eq!(sealed.memory(), 2 << 20);
        assert!(sealed.spilled() > 0);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                assert!(all::<N>(&sealed) == expected, "{N} words");
                sealed.spill_all().expect("a file");
                assert_eq!(sealed.memory(), 0);
                assert!(all::<N>(&sealed) == expected, "{N} words, spilled");
            });
        });
    }

    #[test]
    fn mapped_chunks_are_spilled_used_again_and_sealed() {
        check::<1>();
        check::<2>();
        check::<16>();
    }
}
