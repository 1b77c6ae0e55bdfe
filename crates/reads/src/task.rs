//! A piece of work: the same records of one file, or of several in step.

use std::sync::Arc;

use thalweg_flow::Place;
use thalweg_gzip::{Decoder, Event, Workbench, advance};

use crate::batch::{Batch, BufferPool};
use crate::bytes::Bytes;
use crate::feed::Feed;
use crate::{Error, ErrorKind};

/// One feed for each file in step, and the batches they give.
pub(crate) struct Task {
    pub(crate) ticket: u64,
    piece: u64,
    pub(crate) feeds: Vec<Feed>,
    /// Records that must stay together: 2 for interleaved pairs.
    group: usize,
    finished: bool,
}

impl Task {
    pub(crate) fn new(ticket: u64, mut feeds: Vec<Feed>, group: usize) -> Self {
        if feeds.len() > 1 {
            feeds = feeds.into_iter().map(Feed::in_step).collect();
        }
        Self {
            ticket,
            piece: 0,
            feeds,
            group,
            finished: false,
        }
    }

    /// Whether the last batch has been cut.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Whether all feeds have filled their slabs, or have no more.
    pub(crate) fn is_ready(&self) -> bool {
        self.feeds.iter().all(Feed::is_ready)
    }

    /// Whether a slab is full, and all files have records to go with all of its own.
    ///
    /// So a batch has as many records as the slab with the fewest, which follows from the files alone, and not
    /// from how much a pipe or a lane of the kernel gave at a time: compressed output has a block's end at each
    /// batch's. Full slabs of all files would be simpler, but the writer of several pipes may wait for us.
    pub(crate) fn is_ready_in_step(&self) -> bool {
        let ready = self.feeds.iter().filter(|feed| feed.is_ready());
        let Some(fewest) = ready.map(Feed::available).min() else {
            return false;
        };
        self.feeds.iter().all(|feed| {
            feed.is_finished() || feed.has_some() && (feed.is_ready() || feed.available() >= fewest)
        })
    }

    /// The next batch, if all feeds are ready. It may be empty where the last
    /// one of a task is needed to tell that the task is done.
    pub(crate) fn cut(&mut self, pool: &Arc<BufferPool>) -> Result<Batch, Error> {
        let mut records = self.feeds.iter().map(Feed::available).min().unwrap_or(0);
        let all_finished = self.feeds.iter().all(Feed::is_finished);
        let equal = self.feeds.iter().all(|feed| feed.available() == records);
        let last = all_finished && equal;
        if !last {
            self.check_equal(records)?;
            records -= records % self.group;
        } else if records % self.group != 0 {
            return Err(Error::new(ErrorKind::OddInterleaved).in_file(self.feeds[0].file().path()));
        }
        let blocks = self
            .feeds
            .iter_mut()
            .map(|feed| feed.cut(records))
            .collect();
        let place = Place {
            ticket: self.ticket,
            piece: self.piece,
            last,
        };
        self.piece += 1;
        self.finished = last;
        Ok(Batch {
            place,
            blocks,
            interleaved: self.group == 2,
            pool: Arc::clone(pool),
        })
    }

    /// The next batch, of a task that is driven alone.
    pub(crate) fn next_in_step(
        &mut self,
        workbench: &mut Workbench,
        pool: &Arc<BufferPool>,
    ) -> Result<Batch, Error> {
        let all_regular = self
            .feeds
            .iter()
            .all(|feed| feed.file().regular().is_some());
        while !self.is_ready_in_step() {
            match all_regular {
                true => drive_all(workbench, &mut self.feeds)?,
                false => drive_poorest(workbench, &mut self.feeds)?,
            }
        }
        self.cut(pool)
    }

    /// A file that has ended while another has more records is an error.
    fn check_equal(&self, records: usize) -> Result<(), Error> {
        let shorter = self
            .feeds
            .iter()
            .find(|feed| feed.is_finished() && feed.available() == records);
        let longer = self.feeds.iter().find(|feed| feed.available() > records);
        match (shorter, longer) {
            (Some(shorter), Some(longer)) if records < self.group => {
                Err(Error::new(ErrorKind::UnequalFiles {
                    shorter: shorter.file().path().to_owned(),
                    longer: longer.file().path().to_owned(),
                    longer_has: None,
                })
                .in_file(shorter.file().path())
                .at_record(shorter.next_rank().map(|rank| rank + records as u64)))
            }
            _ => Ok(()),
        }
    }
}

/// Let the feeds of `tasks` that are not ready go on, all compressed ones in
/// one loop, until at least one has got something.
pub(crate) fn work(workbench: &mut Workbench, tasks: &mut [Task]) -> Result<(), Error> {
    let mut feeds: Vec<&mut Feed> = tasks
        .iter_mut()
        .flat_map(|task| task.feeds.iter_mut())
        .filter(|feed| !feed.is_ready())
        .collect();
    drive(workbench, &mut feeds)
}

/// Let `feeds` go on until at least one of them has got something.
pub(crate) fn drive(workbench: &mut Workbench, feeds: &mut [&mut Feed]) -> Result<(), Error> {
    for feed in feeds.iter_mut() {
        feed.fill_raw()?;
    }
    let outcome = {
        let mut decoders: Vec<(usize, &mut Decoder)> = feeds
            .iter_mut()
            .enumerate()
            .filter_map(|(index, feed)| match feed.bytes() {
                Bytes::Gzip(decoder) => Some((index, &mut **decoder)),
                Bytes::Raw(_) => None,
            })
            .collect();
        let owners: Vec<usize> = decoders.iter().map(|(index, _)| *index).collect();
        let mut decoders: Vec<&mut Decoder> = decoders
            .iter_mut()
            .map(|(_, decoder)| &mut **decoder)
            .collect();
        advance(workbench, &mut decoders).map_err(|(index, error)| (owners[index], error))
    };
    if let Err((index, error)) = outcome {
        return Err(feeds[index].decoder_failed(error));
    }
    for feed in feeds.iter_mut() {
        if feed.bytes().event().is_some() {
            feed.absorb()?;
        }
    }
    Ok(())
}

/// Let all feeds that are not ready go on, the compressed ones in one loop.
///
/// For regular files: a pipe could keep the others waiting.
fn drive_all(workbench: &mut Workbench, feeds: &mut [Feed]) -> Result<(), Error> {
    let mut unready: Vec<&mut Feed> = feeds.iter_mut().filter(|feed| !feed.is_ready()).collect();
    drive(workbench, &mut unready)?;
    for feed in unready {
        feed.absorb()?;
    }
    Ok(())
}

/// Let the feed with the fewest records go on, and look at once at what came:
/// the writer of several pipes may be waiting for us at another of them.
fn drive_poorest(workbench: &mut Workbench, feeds: &mut [Feed]) -> Result<(), Error> {
    let poorest = feeds
        .iter_mut()
        .filter(|feed| !feed.is_finished())
        .min_by_key(|feed| feed.available());
    if let Some(feed) = poorest {
        if feed.bytes().event() == Some(Event::Full) && feed.has_some() {
            return Ok(());
        }
        drive(workbench, &mut [feed])?;
        // Only now: `drive` looks at events alone.
        for feed in feeds.iter_mut() {
            feed.absorb()?;
        }
    }
    Ok(())
}
