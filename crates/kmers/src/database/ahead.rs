//! Records that another thread reads meanwhile.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};

use thalweg_flow::{Crew, Failure};

use super::records::{BATCH, Source};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Batches that wait: twice what partitions yield at once (see `thk::ranges`), so that one side works while the
/// other does.
const MOST: usize = 128;

/// With fewer, both sides would mostly wait for each other.
const LEAST: usize = 64;

type Batch<K> = Vec<(K, u64)>;

/// A source that is read ahead.
pub(super) struct Ahead<K: Kmer> {
    // Dropped before the crew: a reader that cannot hand on its batch ends.
    full: Receiver<Batch<K>>,
    /// Batches that were handed on, to be filled again.
    empty: Sender<Batch<K>>,
    crew: Option<Crew<(), Error>>,
}

impl<K: Kmer> Ahead<K> {
    /// How many batches may wait in so many bytes, if that is of use.
    pub(super) fn depth(bytes: u64) -> Option<usize> {
        let batch = (BATCH * size_of::<(K, u64)>()) as u64;
        let depth = usize::try_from(bytes / batch).unwrap_or(MOST).min(MOST);
        (depth >= LEAST).then_some(depth)
    }

    pub(super) fn new(source: impl Source<K> + 'static, depth: usize) -> Self {
        let (to_full, full) = sync_channel(depth);
        let (empty, to_fill) = channel::<Batch<K>>();
        // One thread takes them; a crew's work could be that of several.
        let tools = Mutex::new(Some((source, to_full, to_fill)));
        let work = move |_: usize, _: &_| {
            let tools = tools.lock().ok().and_then(|mut tools| tools.take());
            let Some((mut source, to_full, to_fill)) = tools else {
                return Ok(());
            };
            loop {
                let mut batch = to_fill.try_recv().unwrap_or_default();
                source.fill(&mut batch)?;
                if batch.is_empty() || to_full.send(batch).is_err() {
                    return Ok(());
                }
            }
        };
        Self {
            full,
            empty,
            crew: Some(Crew::start(1, work, || {})),
        }
    }
}

impl<K: Kmer> Source<K> for Ahead<K> {
    fn fill(&mut self, batch: &mut Batch<K>) -> Result<()> {
        batch.clear();
        if let Ok(next) = self.full.recv() {
            // If nobody fills it any more, it is freed.
            let _ = self.empty.send(std::mem::replace(batch, next));
            return Ok(());
        }
        match self.crew.take().map(Crew::join) {
            Some(Err(Failure::Failed(error))) => Err(error),
            Some(Err(Failure::Panicked(message))) => Err(Error::Sink(message.into())),
            Some(Ok(_)) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Records;
    use super::*;

    /// So many records, then a failure if there is one.
    struct Numbers {
        next: u64,
        end: u64,
        fails: bool,
    }

    impl Source<u64> for Numbers {
        fn fill(&mut self, batch: &mut Batch<u64>) -> Result<()> {
            batch.clear();
            let end = self.end.min(self.next + 100);
            batch.extend((self.next..end).map(|number| (number, 1)));
            self.next = end;
            match batch.is_empty() && self.fails {
                true => Err(Error::Stopped),
                false => Ok(()),
            }
        }
    }

    fn ahead(end: u64, fails: bool) -> Records<u64> {
        let next = 0;
        Records::new(Numbers { next, end, fails }).read_ahead(1 << 30)
    }

    #[test]
    fn all_records_come_in_order() {
        for end in [0, 1, 100, 12_345] {
            let numbers: Vec<u64> = ahead(end, false).map(|record| record.unwrap().0).collect();
            assert!(numbers.into_iter().eq(0..end), "{end}");
        }
    }

    #[test]
    fn a_failure_comes_last() {
        let mut records = ahead(1000, true);
        assert_eq!(
            records.by_ref().take(1000).filter(Result::is_ok).count(),
            1000
        );
        assert!(matches!(records.next(), Some(Err(Error::Stopped))));
        assert!(records.next().is_none());
    }

    #[test]
    fn little_memory_is_left_alone() {
        assert_eq!(Ahead::<u64>::depth(1 << 30), Some(MOST));
        assert_eq!(Ahead::<u64>::depth(1 << 20), Some(64));
        assert_eq!(Ahead::<u64>::depth((1 << 20) - 1), None);
    }

    #[test]
    fn an_unfinished_reader_ends() {
        let mut records = ahead(u64::MAX, false);
        assert_eq!(records.next().unwrap().unwrap(), (0, 1));
        drop(records);
    }
}
