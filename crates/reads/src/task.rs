//! A piece of work: the same records of one file, or of several in step.

use std::sync::Arc;

use thalweg_flow::Place;
use thalweg_gzip::{Decoder, Event, Workbench, advance};

use crate::batch::{Batch, Block, BufferPool};
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
    /// Records of the first file that have ended in its batches.
    records: u64,
}

impl Task {
    pub(crate) fn new(ticket: u64, mut feeds: Vec<Feed>, group: usize) -> Self {
        if feeds.len() > 1 {
            feeds = feeds.into_iter().map(Feed::in_step).collect();
        }
        let grouped = |feed: Feed| feed.in_groups_of(group);
        Self {
            ticket,
            piece: 0,
            feeds: feeds.into_iter().map(grouped).collect(),
            group,
            finished: false,
            records: 0,
        }
    }

    /// Whether the last batch has been cut.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished
    }

    /// Records, mates as one, that have ended in the batches so far.
    pub(crate) fn records_given(&self) -> u64 {
        self.records
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
        if let [feed] = self.feeds.as_mut_slice()
            && let Some(piece) = feed.cut_piece()
        {
            return Ok(self.batch(vec![piece], false, pool));
        }
        let available = self.feeds.iter().map(Feed::available_at_once);
        let mut records = available.min().unwrap_or(0);
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
        Ok(self.batch(blocks, last, pool))
    }

    fn batch(&mut self, blocks: Vec<Block>, last: bool, pool: &Arc<BufferPool>) -> Batch {
        let place = Place {
            ticket: self.ticket,
            piece: self.piece,
            last,
        };
        self.piece += 1;
        self.finished = last;
        self.records += blocks.first().map_or(0, Block::ending);
        Batch {
            place,
            // The worker knows better.
            set: 0,
            blocks,
            interleaved: self.group == 2,
            pool: Arc::clone(pool),
        }
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
        if !all_regular {
            // What came while the files were opened may hold a fault, and its writer may wait for us at another pipe.
            for feed in &mut self.feeds {
                feed.absorb()?;
            }
        }
        while !self.is_ready_in_step() {
            match all_regular {
                true => drive_all(workbench, &mut self.feeds)?,
                false => drive_poorest(workbench, &mut self.feeds)?,
            }
        }
        self.cut(pool)
    }

    /// What to tell where a check of records found `fault`: the damage that it comes from, or else itself.
    pub(crate) fn cause_of(&mut self, fault: Error) -> Error {
        if let ErrorKind::MatesDisagree { .. } | ErrorKind::MateAmongSingle(_) = fault.kind() {
            // Either name may be the one that is damaged.
            let damage = self.feeds.iter_mut().find_map(Feed::damage_of_names);
            return match damage {
                Some(damage) => damage.seen_as(fault),
                None => fault,
            };
        }
        match self.feeds.iter_mut().find(|feed| feed.is_of(&fault)) {
            Some(feed) => feed.cause_of(fault),
            None => fault,
        }
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
///
/// # Errors
/// The position of a task that failed, and its error. None of the others is harmed.
pub(crate) fn work<'a>(
    workbench: &mut Workbench,
    tasks: impl Iterator<Item = &'a mut Task>,
) -> Result<(), (usize, Error)> {
    let feeds = tasks
        .enumerate()
        .flat_map(|(position, task)| task.feeds.iter_mut().map(move |feed| (position, feed)))
        .filter(|(_, feed)| !feed.is_ready());
    let (owners, mut feeds): (Vec<usize>, Vec<&mut Feed>) = feeds.unzip();
    drive(workbench, &mut feeds).map_err(|(index, error)| (owners[index], error))
}

/// Let `feeds` go on until at least one of them has got something.
///
/// # Errors
/// The position of a feed that failed, and its error. None of the others is harmed.
fn drive(workbench: &mut Workbench, feeds: &mut [&mut Feed]) -> Result<(), (usize, Error)> {
    for (index, feed) in feeds.iter_mut().enumerate() {
        feed.fill_raw().map_err(|error| (index, error))?;
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
        return Err((index, feeds[index].decoder_failed(error)));
    }
    for (index, feed) in feeds.iter_mut().enumerate() {
        if feed.bytes().event().is_some() {
            feed.absorb().map_err(|error| (index, error))?;
        }
    }
    Ok(())
}

/// Let all feeds that are not ready go on, the compressed ones in one loop.
///
/// For regular files: a pipe could keep the others waiting.
fn drive_all(workbench: &mut Workbench, feeds: &mut [Feed]) -> Result<(), Error> {
    let mut unready: Vec<&mut Feed> = feeds.iter_mut().filter(|feed| !feed.is_ready()).collect();
    drive(workbench, &mut unready).map_err(|(_, error)| error)?;
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
        drive(workbench, &mut [feed]).map_err(|(_, error)| error)?;
        // Only now: `drive` looks at events alone.
        for feed in feeds.iter_mut() {
            feed.absorb()?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;
    use std::sync::Arc;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use thalweg_flow::Budget;
    use thalweg_gzip::WINDOW;

    use crate::batch::SLAB;
    use crate::{Checkpoints, IndexOptions, IndexUse, ReaderOptions, build_index, index_path};

    /// `count` records of `length` bases each. The names of the first half are longer by `padding`, so that chunks of two files
    /// do not begin with records of the same rank over and over again.
    fn records(count: usize, length: usize, padding: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let mut text = Vec::new();
        for number in 0..count {
            let padding = if number < count / 2 { padding } else { 0 };
            let name = format!("@r{number} {}\n", "x".repeat(padding));
            text.extend_from_slice(name.as_bytes());
            for line in [&b"ACGT"[..], b"+,-./012"] {
                text.extend((0..length).map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    line[(state >> 33) as usize % line.len()]
                }));
                text.extend_from_slice(if line.len() == 4 { b"\n+\n" } else { b"\n" });
            }
        }
        text
    }

    fn gzip(path: &Path, text: &[u8]) {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
        encoder.write_all(text).unwrap();
        std::fs::write(path, encoder.finish().unwrap()).unwrap();
    }

    fn index(path: &Path, span: u64) {
        let options = IndexOptions {
            checkpoints: Checkpoints::Span(span),
            ..IndexOptions::default()
        };
        build_index(path, Some(&index_path(path)), &options, &|_, _| ()).unwrap();
    }

    /// Read `mates`; give the number of batches and of records, and of pieces of work if it is known.
    fn read(mates: [&Path; 2], index: &IndexUse) -> (usize, usize, Option<u64>) {
        let options = ReaderOptions::new().mates(mates).index(index.clone());
        let reader = Arc::new(options.budget(Budget::new(1)).open().unwrap());
        let mut worker = reader.worker(0, None);
        let (mut batches, mut count) = (0, 0);
        while let Some(batch) = worker.next_batch().unwrap() {
            for block in batch.blocks() {
                let memory = block.buffers.slab.memory();
                assert!(memory <= SLAB + WINDOW, "{memory}");
            }
            batches += 1;
            count += batch.len();
        }
        (batches, count, reader.plan()[0].pieces)
    }

    /// A file that is ahead of its mate waits: it takes no more memory, and the batches of both are as large as they can be.
    #[test]
    fn mates_with_records_of_other_lengths_wait_for_each_other() {
        let place = tempfile::tempdir().unwrap();
        let [short, long] = ["short", "long"].map(|name| place.path().join(name));
        let texts = [records(30_000, 28, 0), records(30_000, 91, 40)];
        gzip(&short, &texts[0]);
        gzip(&long, &texts[1]);
        let full = texts[1].len().div_ceil(SLAB);
        let (batches, count, _) = read([&short, &long], &IndexUse::Never);
        assert_eq!(count, 30_000);
        assert!(batches <= full + 2, "{batches} batches, {full} slabs");

        for file in [&short, &long] {
            index(file, 1 << 20);
        }
        for mates in [[&*short, &*long], [&*long, &*short]] {
            let (batches, count, pieces) = read(mates, &IndexUse::Require);
            assert_eq!(count, 30_000);
            // A piece of work begins with what is left of a slab, and ends with what is left of the piece.
            let most = full + 2 * pieces.unwrap() as usize;
            assert!(batches <= most, "{batches} batches, {full} slabs");
        }
    }

    /// A run of the first file lies far behind the start of the mate's chunk: what is left out there says nothing of how
    /// long the records are, and is more than any number of doublings.
    #[test]
    fn a_mate_of_one_long_chunk_is_passed_over_to_where_a_run_begins() {
        let place = tempfile::tempdir().unwrap();
        let [first, mate] = ["first", "mate"].map(|name| place.path().join(name));
        gzip(&first, &records(60_000, 30, 0));
        let text = records(60_000, 150, 0);
        assert!(text.len() > 64 * SLAB);
        gzip(&mate, &text);
        index(&first, 1 << 18);
        index(&mate, 1 << 30);
        let (_, count, pieces) = read([&first, &mate], &IndexUse::Require);
        assert_eq!(count, 60_000);
        assert!(
            pieces >= Some(4),
            "the last piece begins more than 13 MB behind the start"
        );
    }
}
