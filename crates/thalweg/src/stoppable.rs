//! Counts on their way to a sink, which whoever started the job can stop.

use thalweg_kmers::count::Sink;
use thalweg_kmers::{Kmer, Result};

use crate::Control;

/// A sink that takes nothing more when the job is to stop.
pub(crate) struct StoppableSink<'a, S> {
    sink: &'a S,
    control: &'a Control<'a>,
}

impl<'a, S> StoppableSink<'a, S> {
    pub(crate) fn new(sink: &'a S, control: &'a Control<'a>) -> Self {
        Self { sink, control }
    }
}

impl<K: Kmer, S: Sink<K>> Sink<K> for StoppableSink<'_, S> {
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> Result<()> {
        self.control.check_kmers()?;
        self.sink.accept(partition, entries)
    }

    // Also of partitions that nothing is kept of.
    fn end(&self, partition: usize) -> Result<()> {
        self.control.check_kmers()?;
        self.sink.end(partition)
    }
}
