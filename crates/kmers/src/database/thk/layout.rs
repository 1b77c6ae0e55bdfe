//! The fixed parts of a `.thk` file: header and index; docs/formats/kmers.md specifies them.

use super::bits::bit_length;
use super::block::{BLOCK, SHORTEST};
use super::partitioning::Partitioning;
use crate::kmer::{Kmer, MAX_K, byte_len};
use thalweg_superkmers::minimizer::MAX_M;

/// First bytes: a high bit, so that no text begins like this, the name, and line ends that a transfer as text spoils.
pub(crate) const MAGIC: [u8; 8] = *b"\x8bTHK\r\n\x1a\n";

/// Version that is written, and the newest that is read.
pub(super) const VERSION: u16 = 1;

/// Bytes of the header.
pub(super) const HEADER: usize = 128;

/// Most bytes of metadata: nobody writes more by hand, and a hostile file gets no more memory.
pub(super) const METADATA_LIMIT: u64 = 16 << 20;

/// Most partitions; a table of 8 bytes for each.
pub(super) const PARTITION_LIMIT: u32 = 1 << 24;

const CANONICAL: u8 = 1;
const SORTED: u8 = 2;

/// Why a header is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is damaged.
    Damaged(String),
    /// Its checksum is right, but it says what this version does not know.
    NotRead(String),
}

/// What the first 128 bytes say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) k: usize,
    pub(super) canonical: bool,
    /// Whether the partitions, one behind the other, are sorted.
    pub(super) sorted: bool,
    pub(super) partitions: u32,
    pub(super) distinct: u64,
    pub(super) total: u128,
    pub(super) unique: u64,
    pub(super) max_count: u64,
    /// Counts outside of these were left out.
    pub(super) kept: (u64, u64),
    pub(super) file_size: u64,
    /// Where the index begins, which is the end of the blocks.
    pub(super) index_offset: u64,
    pub(super) blocks: u64,
    pub(super) metadata_size: u64,
    pub(super) scheme: u8,
    pub(super) minimizer: u8,
    pub(super) index_crc: u32,
    pub(super) metadata_crc: u32,
}

impl Layout {
    pub(super) fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let mut put = |offset: usize, field: &[u8]| {
            bytes[offset..offset + field.len()].copy_from_slice(field);
        };
        let flag = |set: bool, flag: u8| if set { flag } else { 0 };
        put(0, &MAGIC);
        put(8, &VERSION.to_le_bytes());
        put(10, &[self.k as u8]);
        put(
            11,
            &[flag(self.canonical, CANONICAL) | flag(self.sorted, SORTED)],
        );
        put(12, &self.partitions.to_le_bytes());
        put(16, &self.distinct.to_le_bytes());
        put(24, &self.total.to_le_bytes());
        put(40, &self.unique.to_le_bytes());
        put(48, &self.max_count.to_le_bytes());
        put(56, &self.kept.0.to_le_bytes());
        put(64, &self.kept.1.to_le_bytes());
        put(72, &self.file_size.to_le_bytes());
        put(80, &self.index_offset.to_le_bytes());
        put(88, &self.blocks.to_le_bytes());
        put(96, &self.metadata_size.to_le_bytes());
        put(104, &[self.scheme, self.minimizer]);
        put(108, &self.index_crc.to_le_bytes());
        put(112, &self.metadata_crc.to_le_bytes());
        put(116, &(BLOCK as u32).to_le_bytes());
        let crc = crc32fast::hash(&bytes[..HEADER - 4]);
        bytes[HEADER - 4..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads the header of a file of `file_size` bytes.
    pub(super) fn parse(bytes: &[u8; HEADER], file_size: u64) -> Result<Layout, Refusal> {
        let word = |offset: usize| {
            u64::from_le_bytes(bytes[offset..offset + 8].try_into().expect("eight bytes"))
        };
        let half = |offset: usize| {
            u32::from_le_bytes(bytes[offset..offset + 4].try_into().expect("four bytes"))
        };
        let damaged = |reason: String| Err(Refusal::Damaged(reason));
        if bytes[..8] != MAGIC {
            return damaged("the first bytes are not those of a .thk file".into());
        }
        let version = u16::from_le_bytes([bytes[8], bytes[9]]);
        if crc32fast::hash(&bytes[..HEADER - 4]) != half(HEADER - 4) {
            return damaged(match version {
                0..=VERSION => "the header does not match its checksum".into(),
                newer => format!(
                    "the header does not match its checksum, or it is of a newer kind: it says version {newer}, \
                     and this program knows version {VERSION}"
                ),
            });
        }
        if version > VERSION {
            return Err(Refusal::NotRead(format!(
                "it has version {version}, and this program reads only up to {VERSION}"
            )));
        }
        let layout = Layout {
            k: usize::from(bytes[10]),
            canonical: bytes[11] & CANONICAL != 0,
            sorted: bytes[11] & SORTED != 0,
            partitions: half(12),
            distinct: word(16),
            total: u128::from(word(24)) | u128::from(word(32)) << 64,
            unique: word(40),
            max_count: word(48),
            kept: (word(56), word(64)),
            file_size: word(72),
            index_offset: word(80),
            blocks: word(88),
            metadata_size: word(96),
            scheme: bytes[104],
            minimizer: bytes[105],
            index_crc: half(108),
            metadata_crc: half(112),
        };
        let fault = |reason: &str| damaged(format!("the header is wrong: {reason}"));
        if layout.file_size != file_size {
            return damaged(format!(
                "the file has {file_size} bytes, but the header says {}: it is truncated, or something was appended",
                layout.file_size
            ));
        }
        if version == 0 {
            return fault("version 0");
        }
        if !(1..=MAX_K).contains(&layout.k) {
            return fault("k must be from 1 to 255");
        }
        if layout.partitions == 0 {
            return fault("no partition");
        }
        let not_read = |what: String| Err(Refusal::NotRead(what));
        if bytes[11] > 3 || bytes[106..108] != [0; 2] || bytes[120..124] != [0; 4] {
            return not_read("its header has flags that this program does not know".into());
        }
        if half(116) != BLOCK as u32 {
            return not_read(format!(
                "blocks of {} k-mers, and this program reads those of {BLOCK}",
                half(116)
            ));
        }
        if layout.partitions > PARTITION_LIMIT {
            return not_read(format!(
                "{} partitions, and this program reads up to {PARTITION_LIMIT}",
                layout.partitions
            ));
        }
        if layout.metadata_size > METADATA_LIMIT {
            return not_read(format!(
                "{} bytes of metadata, and this program reads up to {METADATA_LIMIT}",
                layout.metadata_size
            ));
        }
        let end = (layout.index_size())
            .and_then(|size| size.checked_add(layout.index_offset))
            .and_then(|end| end.checked_add(layout.metadata_size));
        if end != Some(file_size) || layout.index_offset < HEADER as u64 {
            return fault("its parts do not add up to the size of the file");
        }
        let room = (layout.index_offset - HEADER as u64) / SHORTEST as u64;
        if layout.blocks > room
            || layout.blocks > layout.distinct
            || layout.distinct.div_ceil(BLOCK as u64) > layout.blocks
        {
            return fault("an impossible number of blocks");
        }
        let m = usize::from(layout.minimizer);
        if layout.scheme == Partitioning::BY_MINIMIZER
            && (!layout.partitions.is_power_of_two() || !(1..=MAX_M.min(layout.k)).contains(&m))
        {
            return fault("an impossible rule of partitions");
        }
        if layout.unique > layout.distinct {
            return fault("more k-mers that occur once than k-mers");
        }
        Ok(layout)
    }

    /// Bytes of the index; `None` beyond 2^64.
    pub(super) fn index_size(&self) -> Option<u64> {
        let entry = 16 + byte_len(self.k) as u64;
        self.blocks
            .checked_mul(entry)?
            .checked_add(8 * u64::from(self.partitions))
    }
}

/// Where a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<K> {
    pub(super) first: K,
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) records: u32,
}

impl<K: Kmer> Entry<K> {
    /// Appends it as the index has it.
    pub(super) fn write(&self, k: usize, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.offset.to_le_bytes());
        out.extend_from_slice(&self.length.to_le_bytes());
        out.extend_from_slice(&self.records.to_le_bytes());
        self.first.write_le_bytes(k, out);
    }
}

/// All blocks, partition after partition.
#[derive(Debug)]
pub(super) struct Index<K> {
    /// The number of the first block of each partition, and the number of all.
    pub(super) starts: Vec<u64>,
    pub(super) entries: Vec<Entry<K>>,
}

impl<K: Kmer> Index<K> {
    /// Reads the index of a file with this header; `bytes` has the length that the header implies.
    pub(super) fn parse(bytes: &[u8], layout: &Layout) -> Result<Index<K>, String> {
        if crc32fast::hash(bytes) != layout.index_crc {
            return Err("the index does not match its checksum".into());
        }
        let fault = |reason: &str| Err(format!("the index is wrong: {reason}"));
        let word =
            |bytes: &[u8]| u64::from_le_bytes(bytes[..8].try_into().expect("at least eight bytes"));
        let half =
            |bytes: &[u8]| u32::from_le_bytes(bytes[..4].try_into().expect("at least four bytes"));
        let (starts, entries) = bytes.split_at(8 * layout.partitions as usize);
        let mut starts: Vec<u64> = starts.chunks_exact(8).map(word).collect();
        starts.push(layout.blocks);
        if starts[0] != 0 || !starts.is_sorted() {
            return fault("partitions out of order");
        }
        let entries: Option<Vec<Entry<K>>> = entries
            .chunks_exact(16 + byte_len(layout.k))
            .map(|entry| {
                Some(Entry {
                    offset: word(entry),
                    length: half(&entry[8..]),
                    records: half(&entry[12..]),
                    first: K::from_le_bytes(&entry[16..], layout.k)?,
                })
            })
            .collect();
        let Some(entries) = entries else {
            return fault("a k-mer beyond 4^k");
        };
        let (mut bytes, mut records) = (HEADER as u64, 0);
        for entry in &entries {
            let end = entry.offset.checked_add(u64::from(entry.length));
            if entry.offset < HEADER as u64
                || (entry.length as usize) < SHORTEST
                || end.is_none_or(|end| end > layout.index_offset)
                || entry.records == 0
                || entry.records > BLOCK as u32
            {
                return fault("a block lies outside of the file");
            }
            bytes += u64::from(entry.length);
            records += u64::from(entry.records);
        }
        if bytes != layout.index_offset || records != layout.distinct {
            return fault("the blocks do not add up to the totals");
        }
        for pair in starts.windows(2) {
            let partition = &entries[pair[0] as usize..pair[1] as usize];
            if !partition.is_sorted_by(|a, b| a.first < b.first) {
                return fault("blocks out of order");
            }
        }
        if layout.sorted && !entries.is_sorted_by(|a, b| a.first < b.first) {
            return fault("blocks out of order");
        }
        debug_assert!(
            entries
                .iter()
                .all(|e| bit_length(e.first) <= 2 * layout.k as u32)
        );
        Ok(Index { starts, entries })
    }

    /// The numbers of the blocks of a partition.
    pub(super) fn blocks_of(&self, partition: usize) -> std::ops::Range<usize> {
        self.starts[partition] as usize..self.starts[partition + 1] as usize
    }
}
