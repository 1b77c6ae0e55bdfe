//! Reads Jellyfish's files.

use std::cmp::Ordering;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::header::{JellyfishHeader, damaged};
use crate::database::input::Input;
use crate::database::number::read_number;
use crate::database::records::BATCH;
use crate::database::{Format, Header, Records, Source, Totals, text};
use crate::error::{Error, Result};
use crate::kmer::{Kmer, byte_len};

/// An open file.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    input: Arc<Input>,
    header: JellyfishHeader,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Reader> {
        let input = Input::open(path)?;
        let header = JellyfishHeader::read(&input)?;
        Ok(Reader {
            input: Arc::new(input),
            header,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header.header
    }

    /// What the records add up to, if one of us wrote the file.
    pub(crate) fn totals(&self) -> Option<Totals> {
        self.header.totals
    }

    /// The records in the order of the file. If it says what they add up to, that is checked at the end.
    pub(crate) fn records<K: Kmer>(&self) -> Result<Records<K>> {
        self.checked_records(self.ascends().then_some(Ascent::OfKmers))
    }

    /// The same; that they come in the order of their places is checked, too, which takes longer than to read them.
    pub(crate) fn verified_records<K: Kmer>(&self) -> Result<Records<K>> {
        self.checked_records(Some(match self.ascends() {
            true => Ascent::OfKmers,
            false => Ascent::OfPlaces,
        }))
    }

    /// Whether places in the table that the file was written from ascend with the k-mers, as they do in ours.
    fn ascends(&self) -> bool {
        self.header.matrix.keeps_order(self.header.mask)
    }

    fn checked_records<K: Kmer>(&self, ascent: Option<Ascent>) -> Result<Records<K>> {
        let records = self.records_that_ascend(ascent)?;
        Ok(match self.header.totals {
            None => records,
            Some(stored) => Records::new(Checked {
                records,
                stored,
                found: Totals::default(),
                reader: self.clone(),
            }),
        })
    }

    fn records_that_ascend<K: Kmer>(&self, ascent: Option<Ascent>) -> Result<Records<K>> {
        let header = &self.header;
        header.header.check_type::<K>()?;
        if header.header.format == Format::JellyfishText {
            let reader =
                text::Reader::with_header(self.input.path(), header.header.clone(), header.offset);
            return reader.records();
        }
        let mut input = Input::reader(self.input.path())?;
        input
            .seek_relative(header.offset as i64)
            .map_err(|source| Error::io(self.input.path(), source))?;
        Ok(Records::new(Binary {
            reader: self.clone(),
            input,
            left: header.header.distinct.unwrap_or(0),
            ascent,
            last: None,
            buffer: Vec::new(),
        }))
    }

    /// What finds single k-mers in a binary file.
    pub(crate) fn search(&self) -> Search {
        Search {
            reader: self.clone(),
            buffer: Vec::new(),
        }
    }

    fn record_bytes(&self) -> usize {
        byte_len(self.header.header.k) + self.header.counter_bytes
    }

    /// Where a k-mer was in the table.
    fn place<K: Kmer>(&self, kmer: K) -> u64 {
        self.header.matrix.position(kmer) & self.header.mask
    }

    #[inline(always)]
    fn parse<K: Kmer>(&self, record: &[u8]) -> Result<(K, u64)> {
        let k = self.header.header.k;
        let (letters, counter) = record.split_at(byte_len(k));
        let kmer = read_number(letters, k)
            .ok_or_else(|| damaged(self.input.path(), "a k-mer beyond 4^k".into()))?;
        let mut count = [0; 8];
        count[..counter.len()].copy_from_slice(counter);
        Ok((kmer, u64::from_le_bytes(count)))
    }
}

/// Records of a file that says what they add up to.
struct Checked<K: Kmer> {
    records: Records<K>,
    stored: Totals,
    found: Totals,
    reader: Reader,
}

impl<K: Kmer> Source<K> for Checked<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        self.records.fill(batch)?;
        batch.iter().for_each(|&(_, count)| self.found.add(count));
        if batch.is_empty() && self.found != self.stored {
            let (found, stored) = (&self.found, &self.stored);
            let reason = format!(
                "its {} k-mers add up to {}, but it says {} and {}",
                found.distinct, found.total, stored.distinct, stored.total
            );
            return Err(damaged(self.reader.input.path(), reason));
        }
        Ok(())
    }
}

/// In which order records come.
#[derive(Clone, Copy, Debug)]
enum Ascent {
    OfKmers,
    /// Of the places in the table that the file was written from, and of k-mers that share one.
    OfPlaces,
}

struct Binary<K> {
    reader: Reader,
    input: BufReader<File>,
    left: u64,
    /// What is checked.
    ascent: Option<Ascent>,
    /// The latest k-mer, behind its place if these ascend.
    last: Option<(u64, K)>,
    buffer: Vec<u8>,
}

impl<K: Kmer> Source<K> for Binary<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<()> {
        batch.clear();
        let records = self.left.min(BATCH as u64) as usize;
        self.left -= records as u64;
        let bytes = self.reader.record_bytes();
        self.buffer.resize(records * bytes, 0);
        self.input
            .read_exact(&mut self.buffer)
            .map_err(|source| Error::io(self.reader.input.path(), source))?;
        for record in self.buffer.chunks_exact(bytes) {
            let (kmer, count) = self.reader.parse(record)?;
            if let Some(ascent) = self.ascent {
                let this = match ascent {
                    Ascent::OfKmers => (0, kmer),
                    Ascent::OfPlaces => (self.reader.place(kmer), kmer),
                };
                if self.last >= Some(this) {
                    let what = "its k-mers are out of order".to_owned();
                    return Err(damaged(self.reader.input.path(), what));
                }
                self.last = Some(this);
            }
            batch.push((kmer, count));
        }
        Ok(())
    }
}

/// Finds single k-mers by binary search: about log2(number of k-mers) small reads each.
#[derive(Debug)]
pub(crate) struct Search {
    reader: Reader,
    buffer: Vec<u8>,
}

impl Search {
    /// The count of `kmer`, or `None`.
    pub(crate) fn find<K: Kmer>(&mut self, kmer: K) -> Result<Option<u64>> {
        let header = &self.reader.header;
        let wanted = (self.reader.place(kmer), kmer);
        let (mut low, mut high) = (0, header.header.distinct.unwrap_or(0));
        let bytes = self.reader.record_bytes();
        self.buffer.resize(bytes, 0);
        while low < high {
            let middle = low + (high - low) / 2;
            let offset = header.offset + middle * bytes as u64;
            self.reader.input.read_at(&mut self.buffer, offset)?;
            let (found, count) = self.reader.parse::<K>(&self.buffer)?;
            match (self.reader.place(found), found).cmp(&wanted) {
                Ordering::Equal => return Ok(Some(count)),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Ok(None)
    }
}
