//! The kinds of feeds.

use std::sync::Arc;

use thalweg_formats::{FileFormat, HeaderWalk};
use thalweg_gzip::index::Index;

use super::{Extent, Feed};
use crate::Error;
use crate::batch::BufferPool;
use crate::bytes::Bytes;
use crate::chunk::open_chunk;
use crate::cutter::Cutpoint;
use crate::file::InputFile;
use crate::runs::Stretch;

impl Feed {
    /// All records of `file`, from bytes that start at its start.
    pub(crate) fn whole(
        file: Arc<InputFile>,
        format: FileFormat,
        bytes: Bytes,
        pool: Arc<BufferPool>,
    ) -> Self {
        let mut feed = Self::new(file, format, bytes, pool, Extent::Whole);
        feed.header = format.header();
        feed.rank = Some(0);
        feed.text_start = Some(0);
        feed.part_done = true;
        feed
    }

    /// All records of a part of `file` that begins and ends between two of them, from bytes that end
    /// where it does.
    pub(crate) fn bounded(
        file: Arc<InputFile>,
        format: FileFormat,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        text_start: u64,
    ) -> Self {
        let mut feed = Self::whole(file, format, bytes, pool);
        feed.rank = None;
        feed.text_start = Some(text_start);
        feed.begin_behind_header(text_start == 0);
        feed
    }

    /// All records of a BGZF file from `start` to `end` (to its end, if there is none), both between two records,
    /// from bytes that start at the block of `start` and have the block of `end` as their goal, if that is another.
    pub(crate) fn between(
        file: Arc<InputFile>,
        format: FileFormat,
        mut bytes: Bytes,
        pool: Arc<BufferPool>,
        start: Cutpoint,
        end: Option<Cutpoint>,
    ) -> Self {
        let within_block = end.filter(|end| end.disk == start.disk);
        if let Some(end) = within_block {
            bytes.set_limit(end.skip);
        }
        let mut feed = Self::whole(file, format, bytes, pool);
        feed.rank = None;
        feed.text_start = None;
        feed.skip_bytes = start.skip;
        feed.begin_behind_header(start == Cutpoint::START);
        if let Some(end) = end {
            feed.extent = Extent::UpTo(end);
            feed.part_done = within_block.is_some();
        }
        feed
    }

    /// The bytes start between two records, unless they start where the file does (`from_start`).
    fn begin_behind_header(&mut self, from_start: bool) {
        if !from_start {
            self.header = HeaderWalk::default();
        }
    }

    /// `records` records of `file` after the first `skip`, from bytes that
    /// start at its start; reading stops behind the last of them.
    pub(crate) fn slice(
        file: Arc<InputFile>,
        format: FileFormat,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        skip: u64,
        records: u64,
    ) -> Self {
        let extent = Extent::Ranked {
            records,
            last_chunk: 0,
        };
        let mut feed = Self::new(file, format, bytes, pool, extent);
        feed.header = format.header();
        feed.rank = Some(skip);
        feed.skip_records = skip;
        feed.text_start = Some(0);
        feed.part_done = true;
        feed
    }

    /// The first `records` records of `file`, or all if there are fewer, from
    /// bytes that start at its start.
    pub(crate) fn first(
        file: Arc<InputFile>,
        format: FileFormat,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        records: u64,
    ) -> Self {
        let mut feed = Self::slice(file, format, bytes, pool, 0, records);
        feed.at_most = true;
        feed
    }

    /// Give no more than `records` of a feed that was made for the first ones, before anything is decoded.
    pub(crate) fn limit(&mut self, records: u64) {
        if let Extent::Ranked {
            records: wanted, ..
        } = &mut self.extent
        {
            *wanted = records;
        }
    }

    /// The records that start in a part of `file`, found by inspection.
    pub(crate) fn inspected(
        file: Arc<InputFile>,
        format: FileFormat,
        bytes: Bytes,
        pool: Arc<BufferPool>,
        disk_start: u64,
        text_start: Option<u64>,
    ) -> Self {
        let from_start = disk_start == 0;
        let mut feed = Self::new(file, format, bytes, pool, Extent::Inspected { from_start });
        // The first byte of a file is a record's, well-formed or not, or the header's.
        feed.seeking = !from_start;
        if from_start {
            feed.header = format.header();
        }
        feed.seam.records = from_start.then_some((0, 0));
        feed.seam.disk_start = disk_start;
        feed.text_start = text_start;
        feed
    }

    /// The records of `stretch`, of a file that has an index.
    ///
    /// # Errors
    /// If the window of the first chunk cannot be read.
    pub(crate) fn ranked(
        file: &Arc<InputFile>,
        index: &Arc<Index>,
        format: FileFormat,
        pool: &Arc<BufferPool>,
        stretch: Stretch,
    ) -> Result<Self, Error> {
        let chunk = stretch.first_chunk;
        let checkpoint = index.checkpoints[chunk];
        let bytes = Bytes::Gzip(Box::new(open_chunk(file, index, chunk, pool)?));
        let extent = Extent::Ranked {
            records: stretch.records,
            last_chunk: stretch.last_chunk.unwrap_or(chunk),
        };
        let mut feed = Self::new(Arc::clone(file), format, bytes, Arc::clone(pool), extent);
        feed.part_done = stretch.last_chunk.is_none();
        feed.index = Some(Arc::clone(index));
        feed.chunk = chunk;
        feed.first_chunk = chunk;
        feed.skip_bytes = checkpoint.record_offset - checkpoint.output_offset;
        feed.skip_records = stretch.first.saturating_sub(checkpoint.record_rank);
        feed.rank = Some(stretch.first);
        feed.text_start = Some(checkpoint.output_offset);
        feed.expected_end = match format {
            FileFormat::Text(_) => stretch.end,
            // Records that are passed over may follow the last one.
            FileFormat::Binary(_) => {
                let is_last = stretch.first + stretch.records == index.record_count;
                stretch.end.or(is_last.then_some(index.output_size))
            }
        };
        if feed.in_tail() {
            feed.limit_tail();
        }
        Ok(feed)
    }
}
