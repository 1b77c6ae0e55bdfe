//! One thread's buffers of all ranges.
//!
//! Full ones are kept as long as there is memory for more. The others go to the thread's file. Both are blocks of a
//! [chain](thalweg_superkmers::chain) for each range.

mod buffers;

use std::io::IoSlice;
use std::path::Path;

use thalweg_files::UnnamedFile;

use self::buffers::Buffers;
use super::record::{REACH, Shape};
use crate::error::{Error, Result};
use crate::kmer::Kmer;
use thalweg_superkmers::chain::{HEAD, Link};

/// A buffer that holds a few records of the longest k-mers.
pub(super) const SMALLEST_BUFFER: usize = 256;

/// Full buffers that are written at once, 256 KiB if they are of 8 KiB; more are no faster.
const WRITTEN_AT_ONCE: usize = 32;

/// In the place of a block: that it is the buffer of this number, and not in the file.
const IN_MEMORY: u64 = 1 << 63;

/// Fewer where there are few ranges, so that most memory is for these.
const RANGES_PER_WRITTEN: usize = 16;

const _: () = assert!(SMALLEST_BUFFER > HEAD + 2 * REACH);

/// Buffers of one size, and what went to the file when they were full.
#[derive(Debug)]
pub(super) struct Lane {
    buffer_bytes: usize,
    /// Each with room for the head of its block.
    buffers: Buffers,
    /// Which of them each range fills.
    filled: Vec<u32>,
    /// Bytes in that one, with its head.
    used: Vec<u32>,
    /// Those that are full and wait to be written.
    full: Vec<u32>,
    /// Those that take the place of written ones.
    empty: Vec<u32>,
    /// Those that take the place of kept ones.
    fresh: Vec<u32>,
    /// Records of each range, written ones too.
    records: Vec<u64>,
    /// The block of each range that was full last.
    newest: Vec<Link>,
    file: UnnamedFile,
    /// Bytes in it when all that is full is written.
    end: u64,
}

impl Lane {
    /// `buffer_bytes` is at least [`SMALLEST_BUFFER`]; full buffers of up to `kept_bytes` are kept.
    pub(super) fn new(
        shape: &Shape,
        buffer_bytes: usize,
        kept_bytes: u64,
        directory: &Path,
    ) -> Result<Self> {
        let ranges = shape.ranges();
        let others = Self::buffers(ranges) - ranges;
        Ok(Self {
            buffer_bytes,
            buffers: Buffers::new(buffer_bytes, ranges + others, kept_bytes),
            filled: (0..ranges as u32).collect(),
            used: vec![HEAD as u32; ranges],
            full: Vec::with_capacity(others),
            empty: (ranges as u32..).take(others).collect(),
            fresh: Vec::new(),
            records: vec![0; ranges],
            newest: vec![Link::default(); ranges],
            file: UnnamedFile::create(directory)?,
            end: 0,
        })
    }

    /// How many buffers that many ranges have.
    pub(super) fn buffers(ranges: usize) -> usize {
        ranges + (ranges / RANGES_PER_WRITTEN).clamp(1, WRITTEN_AT_ONCE)
    }

    /// Takes entries; runs of one range are the fastest.
    pub(super) fn take<K: Kmer>(&mut self, shape: &Shape, entries: &[(K, u64)]) -> Result<()> {
        match shape.shift_of_upper_word::<K>() {
            // Of most k-mers of two words it is the upper one alone that tells, which one shift takes.
            Some(shift) => self.take_by(shape, entries, |kmer| {
                shape.range_of_prefix((kmer.to_words()[1] >> shift) as u32)
            }),
            None => self.take_by(shape, entries, |kmer| shape.range_of(kmer)),
        }
    }

    /// `range_of` is that of `shape`.
    #[inline(always)]
    fn take_by<K: Kmer>(
        &mut self,
        shape: &Shape,
        entries: &[(K, u64)],
        range_of: impl Fn(K) -> usize,
    ) -> Result<()> {
        let Some(first) = entries.first() else {
            return Ok(());
        };
        let mut range = range_of(first.0);
        let mut used = self.used[range] as usize;
        let mut buffer = self.buffers.get_mut(self.filled[range]);
        let mut records = 0;
        for &(kmer, count) in entries {
            // One branch that cannot be predicted, where runs that are found first would be two.
            let other = range_of(kmer);
            if other != range {
                self.used[range] = used as u32;
                self.records[range] += std::mem::take(&mut records);
                range = other;
                used = self.used[range] as usize;
                buffer = self.buffers.get_mut(self.filled[range]);
            }
            // As much as this record may take, and as reading it may touch behind it.
            if used + 2 * REACH > buffer.len() {
                self.change_buffer(range, used)?;
                buffer = self.buffers.get_mut(self.filled[range]);
                used = HEAD;
            }
            let out = buffer[used..]
                .first_chunk_mut()
                .expect("twice its reach, as checked");
            used += shape.write(kmer, count, out);
            records += 1;
        }
        self.used[range] = used as u32;
        self.records[range] += records;
        Ok(())
    }

    /// Makes a block of a range's buffer, which has so many bytes, and gives the range an empty one.
    fn change_buffer(&mut self, range: usize, used: usize) -> Result<()> {
        let full = self.filled[range];
        let head = self.newest[range].to_bytes();
        self.buffers.get_mut(full)[..HEAD].copy_from_slice(&head);
        let fresh = match self.fresh.pop() {
            None if self.buffers.grow(&mut self.fresh) => self.fresh.pop(),
            fresh => fresh,
        };
        let bytes = used as u32;
        if let Some(fresh) = fresh {
            let offset = IN_MEMORY | u64::from(full);
            self.newest[range] = Link { offset, bytes };
            self.filled[range] = fresh;
            return Ok(());
        }
        let offset = self.end;
        self.newest[range] = Link { offset, bytes };
        self.end += self.buffer_bytes as u64;
        self.full.push(full);
        if self.empty.is_empty() {
            self.write_full()?;
        }
        self.filled[range] = self.empty.pop().expect("at least what was full");
        Ok(())
    }

    /// Writes what is full, so that it is empty.
    ///
    /// Whole buffers, not only what is used of them: these writes begin and end at multiples of 256 KiB then.
    fn write_full(&mut self) -> Result<()> {
        let buffer = |&full: &u32| IoSlice::new(self.buffers.get(full));
        let mut slices: Vec<_> = self.full.iter().map(buffer).collect();
        self.file.append(&mut slices)?;
        self.empty.append(&mut self.full);
        Ok(())
    }

    /// Ends the taking.
    pub(super) fn seal(&mut self) -> Result<()> {
        self.write_full()
    }

    /// Bytes that went to the file.
    pub(super) fn file_bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// What was read is not what was written.
    pub(super) fn changed(&self) -> Error {
        self.file.changed().into()
    }

    /// Records of a range.
    pub(super) fn records(&self, range: usize) -> u64 {
        self.records[range]
    }

    /// Shows the bytes of all records of a range, with [`REACH`] more behind them, once this is [sealed](Self::seal).
    ///
    /// `bytes` is used, and what it held is lost.
    pub(super) fn visit(
        &self,
        range: usize,
        bytes: &mut Vec<u8>,
        mut see: impl FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let file = &self.file;
        let used = self.used[range] as usize;
        see(&self.buffers.get(self.filled[range])[HEAD..used + REACH])?;
        let mut block = self.newest[range];
        while block.bytes > 0 {
            let length = block.bytes as usize;
            if length + REACH > self.buffer_bytes {
                return Err(file.changed().into());
            }
            let number = block.offset ^ IN_MEMORY;
            let block_bytes = if number >= IN_MEMORY {
                bytes.resize(length + REACH, 0);
                file.read(&mut bytes[..length], block.offset)?;
                &bytes[..]
            } else if number < self.buffers.len() as u64 {
                &self.buffers.get(number as u32)[..length + REACH]
            } else {
                return Err(file.changed().into());
            };
            let (head, records) =
                (block_bytes.split_first_chunk::<HEAD>()).ok_or_else(|| file.changed())?;
            block = Link::from_bytes(head);
            see(records)?;
        }
        Ok(())
    }
}
