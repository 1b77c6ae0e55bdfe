//! Blocks that were cut elsewhere.

use super::{BlockSink, Chunks, Ledger, SealedStore, Shape};
use crate::{
    error::{Error, Result},
    packed::{self, BLOCK_WORDS},
    scheme::Scheme,
    spill::Spill,
};
use std::{marker::PhantomData, sync::Arc};

/// A store that cuts nothing: it takes blocks of the same scheme, from other threads, processes or machines.
///
/// Bytes are checked before anything is kept of them. Whether records belong to the partition, and whether their bases are
/// those that were read, no check tells: that is for checksums of what carries them, and for totals.
#[derive(Debug)]
pub struct Inbox {
    scheme: Scheme,
    shape: Shape,
    chunks: Chunks,
    words: Vec<u64>,
    /// As of a store.
    not_send: PhantomData<*const ()>,
}

impl Inbox {
    /// An empty one; the memory of as many chunks as there are partitions must have been set aside.
    ///
    /// # Errors
    ///
    /// [`Error::BadScheme`] if the shape has other partitions than the scheme, or records of another width.
    pub fn new(scheme: Scheme, shape: Shape, ledger: Arc<Ledger>, spill: Spill) -> Result<Self> {
        if (shape.partitions, shape.record_words) != (scheme.partitions(), scheme.record_words()) {
            let reason = "blocks of another scheme than their store".to_owned();
            return Err(Error::BadScheme(reason));
        }
        Ok(Self {
            scheme,
            shape,
            chunks: Chunks::new(shape, ledger, spill),
            words: Vec::new(),
            not_send: PhantomData,
        })
    }

    /// Takes the bytes of one block, or of several behind each other, and tells how many k-mers they have.
    ///
    /// # Errors
    ///
    /// [`Error::BadBlock`] if they are no blocks of records of this scheme, of which nothing is kept then; those of the
    /// temporary file.
    pub fn append(&mut self, partition: usize, bytes: &[u8]) -> Result<u64> {
        let bad = |reason| Error::BadBlock { partition, reason };
        if partition >= self.shape.partitions {
            return Err(bad("there is no such partition"));
        }
        let kmers = packed::check(bytes, &self.scheme, self.shape.marked).map_err(bad)?;
        packed::words_of(bytes, self.shape.record_words, &mut self.words);
        for block in self.words.chunks(BLOCK_WORDS) {
            self.chunks.append(partition, block)?;
        }
        Ok(kmers)
    }

    /// Ends the taking: blocks are read-only from then on.
    pub fn seal(self) -> SealedStore {
        self.chunks.seal()
    }
}
