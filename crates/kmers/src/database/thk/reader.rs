//! Reads a `.thk` file: in its order, one partition, or one k-mer.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::block::decode;
use super::layout::{HEADER, Index, Layout};
use super::ranges::Ranges;
use super::rule::MinimizerRule;
use super::writer::Partitioning;
use crate::database::input::Input;
use crate::database::{Format, Header, Order, Records, Source, Totals};
use crate::error::{Error, Result};
use crate::kmer::Kmer;

/// Bytes read at once when all blocks are read in order.
const READ_AHEAD: usize = 1 << 18;

/// Bytes read at once in a partition when partitions are merged: two blocks.
const READ_AHEAD_MERGED: usize = 1 << 14;

/// Bytes read at once in all partitions that are merged. A count makes up to 4096, each of which reads less than a
/// block ahead then; a file may say that it has 2^24. Each reads one block at least, and no two the same.
const READ_AHEAD_TOGETHER: usize = 1 << 24;

/// An open `.thk` file.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    input: Arc<Input>,
    layout: Layout,
    header: Header,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Reader> {
        let input = Input::open(path)?;
        let damaged = |reason: String| damaged(path, reason);
        if input.size() < HEADER as u64 {
            return Err(damaged("it is shorter than the header".into()));
        }
        let mut bytes = [0; HEADER];
        input.read_at(&mut bytes, 0)?;
        let layout = Layout::parse(&bytes, input.size()).map_err(damaged)?;
        let metadata = input.bytes_at(
            layout.file_size - layout.metadata_size,
            layout.metadata_size,
        )?;
        if crc32fast::hash(&metadata) != layout.metadata_crc {
            return Err(damaged("the metadata do not match their checksum".into()));
        }
        let provenance = if metadata.is_empty() {
            Default::default()
        } else {
            serde_json::from_slice(&metadata)
                .map_err(|error| damaged(format!("the metadata are not a JSON object: {error}")))?
        };
        let header = Header {
            canonical: Some(layout.canonical),
            order: if layout.sorted || layout.partitions == 1 {
                Order::Sorted
            } else {
                Order::Partitioned(layout.partitions)
            },
            distinct: Some(layout.distinct),
            kept: layout.kept,
            provenance,
            ..Header::new(Format::Thk, layout.k)
        };
        Ok(Reader {
            input: Arc::new(input),
            layout,
            header,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The totals that the header has.
    pub(crate) fn totals(&self) -> Totals {
        Totals {
            distinct: self.layout.distinct,
            total: self.layout.total,
            unique: self.layout.unique,
            max_count: self.layout.max_count,
        }
    }

    /// All records, partition after partition.
    pub(crate) fn records<K: Kmer>(&self) -> Result<Records<K>> {
        let index = self.index()?;
        let blocks = 0..index.entries.len();
        let reader = Arc::new(self.clone());
        Ok(Records::new(reader.cursor(&index, blocks, READ_AHEAD)))
    }

    /// All records, k-mers ascending.
    pub(crate) fn sorted<K: Kmer>(&self) -> Result<Records<K>> {
        Ok(Records::new(self.ranges()?))
    }

    /// What brings the partitions into order.
    pub(super) fn ranges<K: Kmer>(&self) -> Result<Ranges<K>> {
        let partitions = self.cursors(&self.index()?);
        Ok(Ranges::new(partitions, self.layout.k, self.input.path()))
    }

    /// How many partitions there are, if it is by the rule of this version's counts that k-mers belong to them.
    pub(crate) fn counted_partitions(&self) -> Option<usize> {
        let partitions = self.layout.partitions as usize;
        let rule = Partitioning {
            partitions: self.layout.partitions,
            scheme: self.layout.scheme,
            minimizer: self.layout.minimizer,
        };
        // A header of that rule has a power of two.
        let is_usual = partitions.is_power_of_two()
            && rule == Partitioning::minimizers(partitions, self.layout.k);
        is_usual.then_some(partitions)
    }

    /// The partitions, to be read one by one.
    pub(crate) fn partitions<K: Kmer>(&self) -> Result<Partitions<K>> {
        Ok(Partitions {
            index: self.index()?,
            reader: Arc::new(self.clone()),
        })
    }

    /// The records of each partition that is not empty.
    pub(super) fn partitions_of<K: Kmer>(&self, index: &Arc<Index<K>>) -> Vec<Records<K>> {
        self.cursors(index).into_iter().map(Records::new).collect()
    }

    /// What reads each partition that is not empty.
    fn cursors<K: Kmer>(&self, index: &Arc<Index<K>>) -> Vec<Cursor<K>> {
        // One for all: the provenance may be long.
        let reader = Arc::new(self.clone());
        let partitions: Vec<_> = (0..self.layout.partitions as usize)
            .map(|partition| index.blocks_of(partition))
            .filter(|blocks| !blocks.is_empty())
            .collect();
        let read_ahead = READ_AHEAD_MERGED.min(READ_AHEAD_TOGETHER / partitions.len().max(1));
        let cursor = |blocks| reader.cursor(index, blocks, read_ahead);
        partitions.into_iter().map(cursor).collect()
    }

    /// A file whose index is known already.
    pub(super) fn from_parts(input: Arc<Input>, layout: Layout, header: Header) -> Reader {
        Reader {
            input,
            layout,
            header,
        }
    }

    /// What finds single k-mers.
    pub(crate) fn search<K: Kmer>(&self) -> Result<Search<K>> {
        Ok(Search {
            reader: self.clone(),
            index: self.index()?,
            rule: MinimizerRule::new(self.layout.minimizer, self.layout.partitions),
            cache: vec![(usize::MAX, Vec::new()); CACHE],
            buffer: Vec::new(),
        })
    }

    fn cursor<K: Kmer>(
        self: &Arc<Self>,
        index: &Arc<Index<K>>,
        blocks: Range<usize>,
        read_ahead: usize,
    ) -> Cursor<K> {
        Cursor {
            reader: Arc::clone(self),
            index: Arc::clone(index),
            blocks,
            read_ahead,
            buffer: Vec::new(),
            buffer_offset: 0,
        }
    }

    fn index<K: Kmer>(&self) -> Result<Arc<Index<K>>> {
        self.header.check_type::<K>()?;
        let size = self.layout.index_size().unwrap_or(u64::MAX);
        let bytes = self.input.bytes_at(self.layout.index_offset, size)?;
        let index = Index::parse(&bytes, &self.layout);
        Ok(Arc::new(index.map_err(|reason| self.damaged(reason))?))
    }

    fn damaged(&self, reason: String) -> Error {
        damaged(self.input.path(), reason)
    }
}

fn damaged(path: &Path, reason: String) -> Error {
    Error::Damaged {
        path: path.to_path_buf(),
        format: Format::Thk.name(),
        reason,
    }
}

/// Blocks that a thread reads at a time, of all that a file has: some 64,000 k-mers.
const BLOCKS_OF_PART: usize = 64;

/// The partitions of a file, for any number of threads.
pub(crate) struct Partitions<K> {
    reader: Arc<Reader>,
    index: Arc<Index<K>>,
}

impl<K: Kmer> Partitions<K> {
    /// The number of parts of similar size that the records can be read in, whatever their partitions.
    pub(crate) fn parts(&self) -> usize {
        self.index.entries.len().div_ceil(BLOCKS_OF_PART)
    }

    /// The records of one of these parts.
    pub(crate) fn part(&self, part: usize) -> Records<K> {
        let start = part * BLOCKS_OF_PART;
        let end = self.index.entries.len().min(start + BLOCKS_OF_PART);
        Records::new(self.blocks(start..end))
    }

    fn blocks(&self, blocks: Range<usize>) -> Cursor<K> {
        let entries = &self.index.entries[blocks.clone()];
        let bytes: usize = entries.iter().map(|entry| entry.length as usize).sum();
        self.reader
            .cursor(&self.index, blocks, READ_AHEAD.min(bytes))
    }

    /// The records, k-mers ascending, of the `part`th of `parts` partitions: as many as the file has, or fewer that each
    /// stand for several of them, side by side.
    pub(crate) fn records(&self, part: usize, parts: usize) -> Records<K> {
        let layout = &self.reader.layout;
        let each = layout.partitions as usize / parts;
        let mut finer: Vec<Cursor<K>> = (part * each..(part + 1) * each)
            .map(|partition| self.index.blocks_of(partition))
            .filter(|blocks| !blocks.is_empty())
            .map(|blocks| self.blocks(blocks))
            .collect();
        match finer.len() {
            0 => Records::from_vec(Vec::new()),
            1 => Records::new(finer.remove(0)),
            _ => Records::new(Ranges::new(finer, layout.k, self.reader.input.path())),
        }
    }
}

/// Reads a run of blocks.
pub(super) struct Cursor<K> {
    reader: Arc<Reader>,
    index: Arc<Index<K>>,
    blocks: Range<usize>,
    read_ahead: usize,
    buffer: Vec<u8>,
    buffer_offset: u64,
}

impl<K: Kmer> Cursor<K> {
    /// The first k-mers of all blocks that are to come.
    pub(super) fn firsts(&self) -> impl Iterator<Item = K> {
        let entries = &self.index.entries[self.blocks.clone()];
        entries.iter().map(|entry| entry.first)
    }

    /// The first k-mer of the next block, which need not be read for that.
    pub(super) fn next_first(&self) -> Option<K> {
        let entries = &self.index.entries[self.blocks.clone()];
        entries.first().map(|entry| entry.first)
    }
}

impl<K: Kmer> Source<K> for Cursor<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        let Some(number) = self.blocks.next() else {
            return Ok(());
        };
        let entry = self.index.entries[number];
        let (offset, length) = (entry.offset, entry.length as usize);
        let end = self.buffer_offset + self.buffer.len() as u64;
        if offset < self.buffer_offset || offset + length as u64 > end {
            // The index was checked: no block reaches beyond its offset.
            let left = self.reader.layout.index_offset - offset;
            let wanted = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(self.read_ahead.max(length));
            self.buffer.resize(wanted, 0);
            self.buffer_offset = offset;
            self.reader.input.read_at(&mut self.buffer, offset)?;
        }
        let start = (offset - self.buffer_offset) as usize;
        let block = &self.buffer[start..start + length];
        let wrong = |what: &str| {
            self.reader
                .damaged(format!("block {number} at byte {offset} {what}"))
        };
        decode(block, entry.first, self.reader.layout.k, batch).map_err(wrong)?;
        if batch.len() != entry.records as usize {
            return Err(wrong("has another number of k-mers than the index says"));
        }
        let next = number as u64 + 1;
        let is_followed =
            self.reader.layout.sorted || self.index.starts.binary_search(&next).is_err();
        let following = self.index.entries.get(number + 1);
        if let (true, Some(following), Some(last)) = (is_followed, following, batch.last())
            && last.0 >= following.first
        {
            return Err(wrong("overlaps the next one"));
        }
        Ok(())
    }
}

/// Decoded blocks that are kept for later queries: at most 16 MB for k up to 32.
const CACHE: usize = 1024;

/// Finds single k-mers: one block each, unless it was read before.
pub(crate) struct Search<K> {
    reader: Reader,
    index: Arc<Index<K>>,
    rule: MinimizerRule,
    /// Block `n` is kept in slot `n % CACHE`, if it is there.
    cache: Vec<(usize, Vec<(K, u64)>)>,
    buffer: Vec<u8>,
}

impl<K: Kmer> Search<K> {
    /// The count of `kmer`, or `None`.
    pub(crate) fn find(&mut self, kmer: K) -> Result<Option<u64>> {
        let layout = &self.reader.layout;
        if layout.sorted {
            return self.find_in(0..self.index.entries.len(), kmer);
        }
        if layout.scheme == Partitioning::BY_MINIMIZER {
            let partition = self.rule.partition(kmer, layout.k);
            return self.find_in(self.index.blocks_of(partition), kmer);
        }
        for partition in 0..layout.partitions as usize {
            let found = self.find_in(self.index.blocks_of(partition), kmer)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn find_in(&mut self, blocks: Range<usize>, kmer: K) -> Result<Option<u64>> {
        let entries = &self.index.entries[blocks.clone()];
        let after = entries.partition_point(|entry| entry.first <= kmer);
        let Some(inside) = after.checked_sub(1) else {
            return Ok(None);
        };
        let records = self.block(blocks.start + inside)?;
        Ok(records
            .binary_search_by_key(&kmer, |record| record.0)
            .ok()
            .map(|at| records[at].1))
    }

    fn block(&mut self, number: usize) -> Result<&[(K, u64)]> {
        let slot = &mut self.cache[number % CACHE];
        if slot.0 != number {
            let entry = self.index.entries[number];
            slot.0 = usize::MAX;
            self.buffer.resize(entry.length as usize, 0);
            self.reader.input.read_at(&mut self.buffer, entry.offset)?;
            decode(&self.buffer, entry.first, self.reader.layout.k, &mut slot.1).map_err(
                |what| {
                    self.reader
                        .damaged(format!("block {number} at byte {} {what}", entry.offset))
                },
            )?;
            slot.0 = number;
        }
        Ok(&slot.1)
    }
}
