//! Reads KMC's databases.

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::header::{KmcHeader, damaged, names};
use crate::database::input::{Behind, Input};
use crate::database::number::read_number;
use crate::database::records::BATCH;
use crate::database::row::out_of_order;
use crate::database::{Header, KmerRecords, RecordSource};
use crate::error::{Error, Result};
use crate::kmer::{Kmer, byte_len};

/// What both files begin with.
pub(super) const MAGIC_BYTES: u64 = 4;

/// An open database.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    pub(super) prefixes: Arc<Input>,
    pub(super) suffixes: Arc<Input>,
    pub(super) header: KmcHeader,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Reader> {
        let (prefixes, suffixes) = names(path);
        for (missing, there) in [(&prefixes, &suffixes), (&suffixes, &prefixes)] {
            // Of a file with another name, the names of both are missing.
            let there = [there.as_path(), path]
                .into_iter()
                .find(|file| file.exists());
            if let Some(there) = there.filter(|_| !missing.exists()) {
                return Err(Error::HalfDatabase {
                    missing: missing.clone(),
                    there: there.to_path_buf(),
                });
            }
        }
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
    pub(crate) fn records<K: Kmer>(&self) -> Result<KmerRecords<K>> {
        self.header.header.check_type::<K>()?;
        let behind_magic = |input: &Arc<Input>| input.reader(MAGIC_BYTES);
        Ok(KmerRecords::new(Listing {
            prefixes: behind_magic(&self.prefixes),
            suffixes: behind_magic(&self.suffixes),
            reader: self.clone(),
            record: 0,
            entry: 0,
            begun: 0,
            next_start: None,
            last: None,
            buffer: Vec::new(),
        }))
    }

    pub(super) fn entries(&self) -> u64 {
        self.header.tables << (2 * self.header.prefix)
    }

    pub(super) fn record_bytes(&self) -> usize {
        self.header.suffix_bytes() + self.header.counter_bytes
    }

    pub(super) fn wrong_entry(&self, entry: u64) -> Error {
        damaged(
            self.prefixes.path(),
            format!("entry {entry} of the table of prefixes is wrong"),
        )
    }

    /// The k-mer of entry `entry` of the tables and a record, and its count.
    #[inline(always)]
    pub(super) fn parse<K: Kmer>(&self, entry: u64, record: &[u8]) -> Result<(K, u64)> {
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
    prefixes: BufReader<Behind>,
    suffixes: BufReader<Behind>,
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
            return Err(self.reader.wrong_entry(self.entry));
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
            let format = self.reader.header().format;
            return Err(out_of_order(
                self.reader.suffixes.path(),
                format,
                self.record,
            ));
        }
        self.last = Some((table, kmer));
        Ok(())
    }
}

impl<K: Kmer> RecordSource<K> for Listing<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        if self.next_start.is_none() {
            self.next_start = Some(self.read_start()?);
        }
        let left = self.reader.header.total - self.record;
        let records = left.min(BATCH as u64) as usize;
        if records == 0 {
            // Nothing comes behind the last record, and all entries say so.
            while self.entry < self.reader.entries() {
                self.next_start = Some(self.read_start()?);
            }
        }
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
