//! A stream of (k-mer, count) that comes in batches.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::Result;
use crate::kmer::Kmer;

/// Records that a [`RecordSource`] gives at a time: some tens of kilobytes, so that they stay in the cache of the core that
/// made them.
pub const BATCH: usize = 1024;

/// Something that yields k-mers and their counts in batches.
pub trait RecordSource<K: Kmer>: Send {
    /// Clears `batch` and fills it with the next records, [`BATCH`] or so; leaves it empty at the end.
    ///
    /// # Errors
    /// Whatever prevents reading on. After an error nothing more is asked of the source.
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()>;
}

/// Is told now and then how many records were read so far, and ends the reading by an error:
/// [`Error::Cancelled`](crate::Error::Cancelled) if nothing is wrong.
pub type Watch<'a> = &'a (dyn Fn(u64) -> Result<()> + Sync);

/// Records between two calls of a [`Watch`], at least: milliseconds of reading.
pub(super) const WATCHED: u64 = 1 << 16;

/// A [`Watch`] of threads that read together: it is told of what all of them have read.
pub(super) struct SharedWatch<'a> {
    watch: Watch<'a>,
    /// A count, tied to no other memory.
    read: AtomicU64,
}

impl<'a> SharedWatch<'a> {
    /// Asks at once, too: there may be few records.
    pub(super) fn new(watch: Watch<'a>) -> Result<Self> {
        watch(0)?;
        let read = AtomicU64::new(0);
        Ok(Self { watch, read })
    }

    /// So many records more were read.
    pub(super) fn add(&self, records: usize) -> Result<()> {
        let before = self.read.fetch_add(records as u64, Ordering::Relaxed);
        let now = before + records as u64;
        match now / WATCHED == before / WATCHED {
            true => Ok(()),
            false => (self.watch)(now),
        }
    }
}

/// An iterator over (k-mer, count); it ends after the first error.
pub struct KmerRecords<K: Kmer> {
    source: Option<Box<dyn RecordSource<K>>>,
    batch: Vec<(K, u64)>,
    position: usize,
}

impl<K: Kmer> KmerRecords<K> {
    /// The records of `source`.
    pub fn new(source: impl RecordSource<K> + 'static) -> KmerRecords<K> {
        KmerRecords {
            source: Some(Box::new(source)),
            batch: Vec::new(),
            position: 0,
        }
    }

    /// Records that are in memory, in the order given.
    pub fn from_vec(records: Vec<(K, u64)>) -> KmerRecords<K> {
        KmerRecords {
            source: None,
            batch: records,
            position: 0,
        }
    }

    /// The next record that [`Iterator::next`] would return, without taking it.
    ///
    /// # Errors
    /// As the iterator.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<(K, u64)>> {
        if self.position == self.batch.len() && !self.refill()? {
            return Ok(None);
        }
        Ok(Some(self.batch[self.position]))
    }

    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// What the source returned; afterwards the stream is at its end.
    #[inline]
    pub fn take_next(&mut self) -> Result<Option<(K, u64)>> {
        let next = self.peek()?;
        self.position += usize::from(next.is_some());
        Ok(next)
    }

    /// The records that are at hand, which come next: none at the end, else at least one.
    ///
    /// # Errors
    /// As the iterator.
    pub(crate) fn at_hand(&mut self) -> Result<&[(K, u64)]> {
        self.peek()?;
        Ok(&self.batch[self.position..])
    }

    /// Takes so many of those at hand.
    pub(crate) fn advance(&mut self, records: usize) {
        self.position = self.batch.len().min(self.position.saturating_add(records));
    }

    /// Calls `each` with all records, unless it has seen enough, and as long as `watch` has nothing against it.
    pub(crate) fn each(
        mut self,
        watch: Watch<'_>,
        mut each: impl FnMut(K, u64) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let (mut read, mut told) = (0, 0);
        loop {
            let at_hand = self.at_hand()?;
            let some = &at_hand[..at_hand.len().min(BATCH)];
            let length = some.len();
            for &(kmer, count) in some {
                if each(kmer, count)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            self.advance(length);
            read += length as u64;
            if length == 0 || read - told >= WATCHED {
                watch(read)?;
                told = read;
            }
            if length == 0 {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }

    /// Whether there is another record.
    #[cold]
    fn refill(&mut self) -> Result<bool> {
        self.batch.clear();
        self.position = 0;
        let Some(source) = &mut self.source else {
            return Ok(false);
        };
        let result = source.fill(&mut self.batch);
        if result.is_err() {
            self.batch.clear();
        }
        if self.batch.is_empty() {
            self.source = None;
        }
        result.map(|()| !self.batch.is_empty())
    }
}

impl<K: Kmer> Iterator for KmerRecords<K> {
    type Item = Result<(K, u64)>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.take_next().transpose()
    }
}

impl<K: Kmer> RecordSource<K> for KmerRecords<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        if self.peek()?.is_some() {
            let end = self.batch.len().min(self.position + BATCH);
            batch.extend_from_slice(&self.batch[self.position..end]);
            self.position = end;
        }
        Ok(())
    }
}

impl<K: Kmer> fmt::Debug for KmerRecords<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KmerRecords").finish_non_exhaustive()
    }
}
