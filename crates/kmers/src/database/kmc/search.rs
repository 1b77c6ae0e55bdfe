//! Finds single k-mers in a database of version 0.

use super::reader::{MAGIC_BYTES, Reader};
use crate::database::row::Row;
use crate::error::Result;
use crate::kmer::Kmer;

/// Records of the prefixes before and behind that are read, too: an entry of the table that is wrong by less shows there, by
/// suffixes that do not ascend. One that is wrong by more is mostly beyond its neighbours, as few records share a prefix.
const BESIDE: u64 = 32;

/// One read of the table, then a binary search among the records of the prefix.
#[derive(Debug)]
pub(crate) struct Search {
    reader: Reader,
    buffer: Vec<u8>,
}

impl Search {
    pub(crate) fn new(reader: &Reader) -> Self {
        Self {
            reader: reader.clone(),
            buffer: Vec::new(),
        }
    }

    /// The count of `kmer`, or `None`.
    pub(crate) fn find<K: Kmer>(&mut self, kmer: K) -> Result<Option<u64>> {
        let reader = &self.reader;
        let prefix = reader.header.prefix_of(kmer);
        let [before, start, end, behind] = self.starts(prefix)?;
        let row = Row {
            input: &reader.suffixes,
            format: reader.header.header.format,
            offset: MAGIC_BYTES,
            bytes: reader.record_bytes(),
            beside: BESIDE,
        };
        let parse = |number: u64, record: &[u8]| {
            let entry = match number {
                number if number < start => prefix.saturating_sub(1),
                number if number < end => prefix,
                _ => prefix + 1,
            };
            reader.parse::<K>(entry, record)
        };
        row.find(&kmer, start..end, before..behind, &mut self.buffer, parse)
    }

    /// Where the records begin of the prefix before, of this one, of the next one, and of the one behind that.
    fn starts(&self, prefix: u64) -> Result<[u64; 4]> {
        let reader = &self.reader;
        let (entries, total) = (reader.entries(), reader.header.total);
        let first = prefix.saturating_sub(1);
        let mut bytes = [0; 4 * 8];
        let there = (entries - first).min(4) as usize;
        let offset = MAGIC_BYTES + 8 * first;
        (reader.prefixes).read_at(&mut bytes[..8 * there], offset)?;
        // Of four in a row, from `first` on; the first prefix has none before it.
        let (words, _) = bytes.as_chunks::<8>();
        let mut starts = [total; 4];
        let shift = usize::from(prefix == 0);
        for (start, word) in starts[shift..].iter_mut().zip(&words[..there]) {
            *start = u64::from_le_bytes(*word);
        }
        if prefix == 0 {
            starts[0] = 0;
        }
        match starts.is_sorted() && starts[3] <= total && (prefix > 0 || starts[1] == 0) {
            true => Ok(starts),
            false => Err(reader.wrong_entry(prefix)),
        }
    }
}
