//! Reads Jellyfish's files.

use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use super::checked::Checked;
use super::header::{JellyfishHeader, damaged};
use super::places::Places;
use crate::database::input::{Behind, Input};
use crate::database::number::read_number;
use crate::database::records::BATCH;
use crate::database::row::Row;
use crate::database::{DatabaseFormat, Header, KmerRecords, RecordSource, Totals, text};
use crate::error::{Error, Result};
use crate::kmer::{Kmer, byte_len};

/// An open file.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    input: Arc<Input>,
    header: JellyfishHeader,
    /// `None` where they ascend with the k-mers, as in our files.
    places: Option<Arc<Places>>,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Reader> {
        let input = Input::open(path)?;
        let header = JellyfishHeader::read(&input)?;
        let JellyfishHeader { matrix, mask, .. } = &header;
        let k = header.header.k;
        Ok(Reader {
            places: (!matrix.keeps_order(*mask)).then(|| Arc::new(Places::new(matrix, k, *mask))),
            input: Arc::new(input),
            header,
        })
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header.header
    }

    pub(super) fn path(&self) -> &Path {
        self.input.path()
    }

    /// What the records add up to, if one of us wrote the file.
    pub(crate) fn totals(&self) -> Option<Totals> {
        self.header.totals
    }

    /// What [`Sums`](super::sums::Sums) has of the records, if the file says it.
    pub(super) fn record_sum(&self) -> Option<u64> {
        self.header.record_sum
    }

    /// The records in the order of the file, which is checked; if the file says what they add up to, that is checked at
    /// the end.
    pub(crate) fn records<K: Kmer>(&self) -> Result<KmerRecords<K>> {
        let header = &self.header.header;
        header.check_type::<K>()?;
        let records = match header.format {
            DatabaseFormat::JellyfishText => {
                let input = Arc::clone(&self.input);
                text::Reader::with_header(input, header.clone(), self.header.offset).records()?
            }
            _ => KmerRecords::new(Binary {
                input: self.input.reader(self.header.offset),
                left: header.distinct.unwrap_or(0),
                buffer: Vec::new(),
                reader: self.clone(),
            }),
        };
        Ok(KmerRecords::new(Checked::new(records, self.clone())))
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

    /// By what the records are ordered: the place in the table that the file was written from, then the k-mer.
    #[inline]
    pub(super) fn key<K: Kmer>(&self, kmer: K) -> (u64, K) {
        let place = self.places.as_ref().map_or(0, |places| places.of(kmer));
        (place, kmer)
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

struct Binary {
    reader: Reader,
    input: BufReader<Behind>,
    left: u64,
    buffer: Vec<u8>,
}

impl<K: Kmer> RecordSource<K> for Binary {
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
            batch.push(self.reader.parse(record)?);
        }
        Ok(())
    }
}

/// Finds single k-mers by binary search: about log2(number of k-mers) - 4 small reads each.
#[derive(Debug)]
pub(crate) struct Search {
    reader: Reader,
    buffer: Vec<u8>,
}

impl Search {
    /// The count of `kmer`, or `None`.
    pub(crate) fn find<K: Kmer>(&mut self, kmer: K) -> Result<Option<u64>> {
        let reader = &self.reader;
        let header = &reader.header;
        let row = Row {
            input: &reader.input,
            format: header.header.format,
            offset: header.offset,
            bytes: reader.record_bytes(),
            beside: 2,
        };
        let all = 0..header.header.distinct.unwrap_or(0);
        row.find(
            &reader.key(kmer),
            all.clone(),
            all,
            &mut self.buffer,
            |_, record| {
                let (kmer, count) = reader.parse(record)?;
                Ok((reader.key::<K>(kmer), count))
            },
        )
    }
}
