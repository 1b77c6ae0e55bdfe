use crate::{error::Result, kmer::Kmer};

/// What takes the counts.
///
/// Many threads call it at once, each with partitions of its own: every partition
/// belongs to one thread, which calls [`Self::accept`] for its pieces and then [`Self::end`]. Pieces of several partitions of a
/// thread may come in turns.
pub trait Sink<K: Kmer>: Sync {
    /// Takes k-mers of one partition with their counts, sorted and all different.
    ///
    /// The pieces of a partition come in ascending order. A k-mer is
    /// in one partition only.
    ///
    /// # Errors
    ///
    /// Whatever stops the whole count.
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()>;

    /// All of the partition's pieces have come; called for every partition once, empty ones too.
    ///
    /// # Errors
    ///
    /// Whatever stops the whole count.
    fn end(&self, partition: usize) -> Result<()> {
        let _ = partition;
        Ok(())
    }
}

/// A sink that wants nothing: for histograms and measurements.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoSink;

impl<K: Kmer> Sink<K> for NoSink {
    fn accept(&self, _partition: usize, _entries: &[(K, u64)]) -> Result<()> {
        Ok(())
    }
}
