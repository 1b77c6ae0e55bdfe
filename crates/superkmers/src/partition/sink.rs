use crate::error::Result;

/// What takes the full blocks of one worker.
///
/// [`Chunks`](super::Chunks) is one: memory, and a temporary file where that does not do. Another one may hand blocks on to
/// a process that owns their partition, whose [`Inbox`](super::Inbox) takes what
/// [`block_bytes`](crate::packed::block_bytes) makes of them.
pub trait BlockSink {
    /// Takes a block of a partition, a number below that of the partitions. Its records are all of that partition.
    ///
    /// It is called within cutting: who must wait for others does that elsewhere, between sequences.
    ///
    /// # Errors
    ///
    /// Whatever ends the work; [`Error::Sink`](crate::Error::Sink) holds any error.
    fn append(&mut self, partition: usize, block: &[u64]) -> Result<()>;
}
