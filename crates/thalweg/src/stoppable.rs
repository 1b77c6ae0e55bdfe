//! Work on k-mers that whoever started it can stop.

use std::fs;

use thalweg_kmers::count::Sink;
use thalweg_kmers::database::{Database, files_of};
use thalweg_kmers::{Error, Kmer, Result};

use crate::Control;

impl Control<'_> {
    /// Go on unless the job is to stop.
    ///
    /// # Errors
    /// [`Error::Stopped`], which a [`Fault`](crate::Fault) takes for being cancelled.
    pub(crate) fn check_kmers(&self) -> Result<()> {
        match self.is_cancelled() {
            true => Err(Error::Stopped),
            false => Ok(()),
        }
    }

    /// What is called while a database is read: tells how far that is, where its number of k-mers is known, and stops it.
    pub(crate) fn watch(&self, database: &Database) -> impl Fn(u64) -> Result<()> {
        let length = |file| fs::metadata(file).map_or(0, |data| data.len());
        let bytes: u64 = match self.progress {
            Some(_) => files_of(database.path()).iter().map(length).sum(),
            None => 0,
        };
        let all = database.header().distinct.filter(|&all| all > 0);
        move |read| {
            if let Some(all) = all {
                let share = u128::from(bytes) * u128::from(read.min(all)) / u128::from(all);
                self.progress(|| (share as u64, Some(bytes)));
            }
            self.check_kmers()
        }
    }
}

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
