//! Records on their way from the partitions to the database: in temporary files, in order by partition.

use std::io::IoSlice;
use std::path::{Path, PathBuf};

use thalweg_files::{TemporaryError, UnnamedFile};

use crate::Result;
use crate::record::Entry;

/// Bytes of a record there: flanks, then the value with both numbers below it, then the set.
const BYTES: usize = 20;

/// Bits of each of the two numbers: they are at most 16.
const PLACE_BITS: u32 = 5;

/// Records that are written or read at once: 64 KiB.
const BATCH: usize = (64 << 10) / BYTES;

/// What one thread has written; the file is made with the first record.
#[derive(Debug)]
pub(super) struct EntryFile {
    directory: PathBuf,
    file: Option<UnnamedFile>,
    bytes: Vec<u8>,
    end: u64,
}

/// Where records lie that were written together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Which partition they are of.
    pub(super) partition: usize,
    /// Where they begin.
    offset: u64,
    /// How many they are.
    entries: usize,
}

impl EntryFile {
    /// Of no records yet, in a directory.
    pub(super) fn new(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            file: None,
            bytes: Vec::new(),
            end: 0,
        }
    }

    /// Bytes written.
    pub(super) fn bytes(&self) -> u64 {
        self.end
    }

    /// Writes records of a partition, and tells where they are.
    pub(super) fn append(&mut self, partition: usize, entries: &[Entry]) -> Result<Place> {
        let place = Place {
            partition,
            offset: self.end,
            entries: entries.len(),
        };
        for batch in entries.chunks(BATCH) {
            self.bytes.clear();
            for entry in batch {
                let numbers = u64::from(entry.lo) << PLACE_BITS | u64::from(entry.hi);
                let value = entry.value << (2 * PLACE_BITS) | numbers;
                self.bytes.extend_from_slice(&entry.flanks.to_le_bytes());
                self.bytes.extend_from_slice(&value.to_le_bytes());
                self.bytes.extend_from_slice(&entry.set.to_le_bytes());
            }
            let file = match &mut self.file {
                Some(file) => file,
                none => none.insert(UnnamedFile::create(&self.directory)?),
            };
            file.append(&mut [IoSlice::new(&self.bytes)])?;
            self.end += self.bytes.len() as u64;
        }
        Ok(place)
    }

    /// Shows the records of a place, some at a time, in the order in which they were written.
    pub(super) fn visit(
        &self,
        place: Place,
        mut see: impl FnMut(&mut [Entry]) -> Result<()>,
    ) -> Result<()> {
        let (mut offset, mut left) = (place.offset, place.entries);
        let (mut bytes, mut entries) = (Vec::new(), Vec::new());
        while left > 0 {
            let batch = left.min(BATCH);
            bytes.resize(batch * BYTES, 0);
            let missing = || TemporaryError {
                directory: self.directory.clone(),
                source: std::io::ErrorKind::NotFound.into(),
            };
            let file = self.file.as_ref().ok_or_else(missing)?;
            file.read(&mut bytes, offset)?;
            entries.clear();
            entries.extend(bytes.as_chunks::<BYTES>().0.iter().map(entry));
            see(&mut entries)?;
            offset += bytes.len() as u64;
            left -= batch;
        }
        Ok(())
    }
}

fn entry(bytes: &[u8; BYTES]) -> Entry {
    let number = |at: usize| {
        let word = bytes[at..].first_chunk();
        word.map_or(0, |bytes| u64::from_le_bytes(*bytes))
    };
    let set = bytes[16..].first_chunk();
    let value = number(8);
    let place = |shift: u32| (value >> shift) as u8 & ((1 << PLACE_BITS) - 1);
    Entry {
        value: value >> (2 * PLACE_BITS),
        flanks: number(0),
        lo: place(PLACE_BITS),
        hi: place(0),
        set: set.map_or(0, |bytes| u32::from_le_bytes(*bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let mut file = EntryFile::new(&std::env::temp_dir());
        let entry = |i: u64| Entry {
            value: (1 << 38) - 1 - i,
            flanks: u64::MAX - i * i,
            lo: (i % 17) as u8,
            hi: 16,
            set: u32::MAX - i as u32,
        };
        let all = Vec::from_iter((0..10_000).map(entry));
        let parts = [&all[..1], &all[1..1], &all[1..9000], &all[9000..]];
        let places = parts.map(|part| file.append(3, part).unwrap());
        assert_eq!(file.bytes(), 20 * 10_000);
        for (place, part) in places.into_iter().zip(parts) {
            assert_eq!(place.partition, 3);
            let mut found = Vec::new();
            let see = |entries: &mut [Entry]| {
                found.extend_from_slice(entries);
                Ok(())
            };
            file.visit(place, see).unwrap();
            assert!(found == part);
        }
    }
}
