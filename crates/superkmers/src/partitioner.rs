//! Segments to super-k-mers by partition.
//!
//! ```text
//! least[i] = least m-mer of the k-mer that begins at i, for all i                            (minimizer)
//! for each longest stretch of valid bases and equal least: a record to its partition               (cut)
//! ```

use crate::{
    Kernel, Scheme,
    cut::{Cuts, Ends, Segment},
    encode::Encoded,
    error::Result,
    minimizer::Minimizers,
    partition::{BlockSink, Chunks, SealedStore, Store},
};

/// Cuts segments into super-k-mers and stores these by partition. It has buffers of its own, which it uses again.
///
/// One thread has one; many of them are one store together.
///
/// ```
/// use std::sync::Arc;
/// use thalweg_superkmers::{Error, Kernel, Scheme, kmer::Alphabet, partition::{Ledger, Shape, Store}};
/// use thalweg_superkmers::{partitioner::Partitioner, segments::Segments, spill::Spill};
///
/// let scheme = Scheme::new(31)?.with_partition_bits(4)?;
/// let shape = Shape::new(&scheme, 8192);
/// // Memory for a chunk of each partition is set aside; more of them go to the temporary file.
/// let spill = Spill::new(&std::env::temp_dir(), shape.partitions);
/// let store = Store::new(shape, Arc::new(Ledger::new(0)), spill);
///
/// let mut segments = Segments::new(scheme.k(), Kernel::best(), Alphabet::Acgtu);
/// let mut partitioner = Partitioner::new(scheme, Kernel::best(), store);
/// let read = b"ACGGTCATGCGTTAGCATTGACCAGTTACAGGATTTCCGAGCAT";
/// segments.add(read, |segment| partitioner.take(segment))?;
/// assert_eq!(partitioner.cuts().kmers, 14);
/// let store = partitioner.seal()?;
/// assert!((0..16).any(|partition| store.words(partition) > 0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct Partitioner<S = Chunks> {
    scheme: Scheme,
    record_words: usize,
    canonical: bool,
    kernel: Kernel,
    minimizers: Minimizers,
    ends: Ends,
    store: Store<S>,
    cuts: Cuts,
}

impl<S: BlockSink> Partitioner<S> {
    /// One that has cut nothing yet. The store must have as many partitions as the scheme, and records of its width.
    pub fn new(scheme: Scheme, kernel: Kernel, store: Store<S>) -> Self {
        Self {
            scheme,
            record_words: scheme.record_words(),
            canonical: true,
            kernel,
            minimizers: Minimizers::default(),
            ends: Ends::default(),
            store,
            cuts: Cuts::default(),
        }
    }

    /// Whether records are stored as the strand of their minimizer reads (`true`, the default), so that more of them are
    /// equal, or as the sequence does.
    pub fn with_canonical(self, canonical: bool) -> Self {
        Self { canonical, ..self }
    }

    /// Takes the k-mers of a segment: those that begin in its windows of valid bases.
    ///
    /// # Errors
    ///
    /// Those of the temporary file, or of another sink; the segment is in part in the store then.
    pub fn take(&mut self, encoded: &Encoded) -> Result<()> {
        let (k, m) = (self.scheme.k(), self.scheme.m());
        self.kernel.minimizers(&mut self.minimizers, encoded, k, m);
        match self.record_words {
            1 => self.cut::<1>(encoded),
            2 => self.cut::<2>(encoded),
            4 => self.cut::<4>(encoded),
            8 => self.cut::<8>(encoded),
            _ => self.cut::<16>(encoded),
        }
    }

    fn cut<const N: usize>(&mut self, encoded: &Encoded) -> Result<()> {
        let segment = Segment {
            encoded,
            minimizers: &self.minimizers,
            scheme: self.scheme,
            canonical: self.canonical,
        };
        let cuts = self
            .kernel
            .cut::<N, S>(segment, &mut self.ends, &mut self.store)?;
        self.cuts.kmers += cuts.kmers;
        self.cuts.records += cuts.records;
        Ok(())
    }

    /// What was cut so far.
    pub fn cuts(&self) -> Cuts {
        self.cuts
    }

    /// Where super-k-mers go: markers are set there.
    pub fn store_mut(&mut self) -> &mut Store<S> {
        &mut self.store
    }

    /// Hands on what is staged, and gives the sink back.
    ///
    /// # Errors
    ///
    /// As [`Self::take`].
    pub fn finish(self) -> Result<S> {
        self.store.finish()
    }
}

impl Partitioner {
    /// Moves what is staged to the chunks: they are read-only from then on.
    ///
    /// # Errors
    ///
    /// As [`Self::take`].
    pub fn seal(self) -> Result<SealedStore> {
        self.store.seal()
    }
}
