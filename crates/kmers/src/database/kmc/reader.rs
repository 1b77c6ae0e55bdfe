//! Reads KMC's databases.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::header::{KmcHeader, damaged, names};
use crate::database::input::Input;
use crate::database::number::read_number;
use crate::database::records::BATCH;
use crate::database::{Header, Records, Source};
use crate::error::{Error, Result};
use crate::kmer::{Kmer, byte_len};

/// An open database.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    prefixes: Arc<Input>,
    suffixes: Arc<Input>,
    header: KmcHeader,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Reader> {
        let (prefixes, suffixes) = names(path);
        let (prefixes, suffixes) = (Input::open(&prefixes)?, Input::open(&suffixes)?);
        let header = KmcHeader::read(&prefixes, &suffixes)?;
        Ok(Reader {
            prefixes: Arc::new(prefixes),
            suffixes: Arc::new(suffixes),
            header,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header.header
    }

    /// The records in the order of the file.
    pub(crate) fn records<K: Kmer>(&self) -> Result<Records<K>> {
        self.header.header.check_type::<K>()?;
        let open = |input: &Input| -> Result<BufReader<File>> {
            let mut reader = Input::reader(input.path())?;
            reader
                .seek_relative(4)
                .map_err(|source| Error::io(input.path(), source))?;
            Ok(reader)
        };
        Ok(Records::new(Listing {
            prefixes: open(&self.prefixes)?,
            suffixes: open(&self.suffixes)?,
            reader: self.clone(),
            record: 0,
            entry: 0,
            begun: 0,
            next_start: None,
            last: None,
            buffer: Vec::new(),
        }))
    }

    /// What finds single k-mers in a database of version 0.
    pub(crate) fn search(&self) -> Search {
        Search {
            reader: self.clone(),
            buffer: Vec::new(),
        }
    }

    fn entries(&self) -> u64 {
        self.header.tables << (2 * self.header.prefix)
    }

    fn record_bytes(&self) -> usize {
        self.header.suffix_bytes() + self.header.counter_bytes
    }

    /// The k-mer of entry `entry` of the tables and a record, and its count.
    #[inline(always)]
    fn parse<K: Kmer>(&self, entry: u64, record: &[u8]) -> Result<(K, u64)> {
        let (suffix, counter) = record.split_at(self.header.suffix_bytes());
        let prefix = entry & ((1 << (2 * self.header.prefix)) - 1);
        // 64 bytes of the longest k-mer, and the eight that the prefix is written with.
        let mut number = [0; 72];
        for (byte, suffix) in number.iter_mut().zip(suffix.iter().rev()) {
            *byte = *suffix;
        }
        number[suffix.len()..suffix.len() + 8].copy_from_slice(&prefix.to_le_bytes());
        let k = self.header.header.k;
        let kmer = read_number(&number[..byte_len(k)], k)
            .ok_or_else(|| damaged(self.suffixes.path(), "a k-mer beyond 4^k".into()))?;
        let mut count = [0; 8];
        count[..counter.len()].copy_from_slice(counter);
        Ok((
            kmer,
            if counter.is_empty() {
                1
            } else {
                u64::from_le_bytes(count)
            },
        ))
    }
}

struct Listing<K> {
    reader: Reader,
    prefixes: BufReader<File>,
    suffixes: BufReader<File>,
    /// The number of the next record.
    record: u64,
    /// How many entries of the tables were read.
    entry: u64,
    /// How many entries begin at or before the next record; it belongs to the last of them.
    begun: u64,
    /// The last entry that was read: the first record that is not of the entries before it.
    next_start: Option<u64>,
    /// The latest k-mer, and the table that it is in.
    last: Option<(u64, K)>,
    buffer: Vec<u8>,
}

impl<K: Kmer> Listing<K> {
    /// The next entry of the tables; the number of all records behind the last.
    fn read_start(&mut self) -> Result<u64> {
        let total = self.reader.header.total;
        if self.entry == self.reader.entries() {
            return Ok(total);
        }
        let mut start = [0; 8];
        self.prefixes
            .read_exact(&mut start)
            .map_err(|source| Error::io(self.reader.prefixes.path(), source))?;
        let start = u64::from_le_bytes(start);
        if start < self.next_start.unwrap_or(0) || start > total || self.entry == 0 && start != 0 {
            return Err(damaged(
                self.reader.prefixes.path(),
                format!("entry {} of the table of prefixes is wrong", self.entry),
            ));
        }
        self.entry += 1;
        Ok(start)
    }
}

impl<K: Kmer> Listing<K> {
    /// The k-mers of a table ascend; in a damaged file they may not, and those that are looked up are then not found.
    #[inline(always)]
    fn check_order(&mut self, kmer: K) -> Result<()> {
        let table = (self.begun - 1) >> (2 * self.reader.header.prefix);
        if self.last >= Some((table, kmer)) {
            let what = format!("its k-mers are out of order at record {}", self.record);
            return Err(damaged(self.reader.suffixes.path(), what));
        }
        self.last = Some((table, kmer));
        Ok(())
    }
}

impl<K: Kmer> Source<K> for Listing<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        if self.next_start.is_none() {
            self.next_start = Some(self.read_start()?);
        }
        let left = self.reader.header.total - self.record;
        let records = left.min(BATCH as u64) as usize;
        let bytes = self.reader.record_bytes();
        self.buffer.resize(records * bytes, 0);
        self.suffixes
            .read_exact(&mut self.buffer)
            .map_err(|source| Error::io(self.reader.suffixes.path(), source))?;
        // A record of no bytes (k = p, all counts 1) cannot be cut out of a buffer.
        for i in 0..records {
            while self.next_start.is_some_and(|start| start <= self.record) {
                self.begun = self.entry;
                self.next_start = Some(self.read_start()?);
            }
            let record = &self.buffer[i * bytes..(i + 1) * bytes];
            let (kmer, count) = self.reader.parse(self.begun - 1, record)?;
            self.check_order(kmer)?;
            batch.push((kmer, count));
            self.record += 1;
        }
        Ok(())
    }
}

/// Finds single k-mers: one read of the table, then a binary search among the records of the prefix.
#[derive(Debug)]
pub(crate) struct Search {
    reader: Reader,
    buffer: Vec<u8>,
}

impl Search {
    /// The count of `kmer`, or `None`.
    pub(crate) fn find<K: Kmer>(&mut self, kmer: K) -> Result<Option<u64>> {
        let header = &self.reader.header;
        let mut number = Vec::new();
        kmer.write_le_bytes(header.header.k, &mut number);
        let mut prefix = [0; 8];
        let high = &number[header.suffix_bytes()..];
        prefix[..high.len()].copy_from_slice(high);
        let prefix = u64::from_le_bytes(prefix);

        let start = |entry: u64| -> Result<u64> {
            if entry == self.reader.entries() {
                return Ok(header.total);
            }
            let mut start = [0; 8];
            self.reader.prefixes.read_at(&mut start, 4 + 8 * entry)?;
            Ok(u64::from_le_bytes(start))
        };
        let (mut low, mut high) = (start(prefix)?, start(prefix + 1)?);
        if low > high || high > header.total {
            return Err(damaged(
                self.reader.prefixes.path(),
                format!("entry {prefix} of the table of prefixes is wrong"),
            ));
        }
        let bytes = self.reader.record_bytes();
        self.buffer.resize(bytes, 0);
        while low < high {
            let middle = low + (high - low) / 2;
            let offset = 4 + middle * bytes as u64;
            self.reader.suffixes.read_at(&mut self.buffer, offset)?;
            let (found, count) = self.reader.parse::<K>(prefix, &self.buffer)?;
            match found.cmp(&kmer) {
                Ordering::Equal => return Ok(Some(count)),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }
}
