//! Which names occur more than once, in bounded memory.
//!
//! ```text
//! name ──► 128 bits of BLAKE3, with its place ──► memory ──► sorted runs in a file without a name
//!                                                        all runs merged: equal hashes are neighbours
//! ```
//! Two names that differ have the same 128 bits so rarely, and cannot be made to, that a hash stands for its name.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::IoSlice;
use std::path::PathBuf;

use thalweg_files::{TemporaryError, UnnamedFile};

/// A name's hash.
pub(super) type NameHash = u128;

/// The hash of a name.
#[inline]
pub(super) fn hash(name: &[u8]) -> NameHash {
    let [low, _] = *blake3::hash(name).as_bytes().as_chunks::<16>().0 else {
        unreachable!("a hash has 32 bytes");
    };
    NameHash::from_le_bytes(low)
}

/// Where a name stands: the rank of its record, and where that begins in the uncompressed data.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct NamePlace {
    pub(super) rank: u64,
    pub(super) offset: u64,
}

/// Ordered by hash, then by rank.
type Entry = (NameHash, NamePlace);

/// Bytes of an entry in a file.
const SIZE: usize = 32;
/// Entries that are written together.
const TOGETHER: usize = 16 * 1024;
/// Entries of a run that are read at once, at least.
const LEAST: usize = 128;

/// Names with their places.
pub(super) struct Names {
    entries: Vec<Entry>,
    /// Entries that memory may hold.
    most: usize,
    directory: PathBuf,
    file: Option<UnnamedFile>,
    /// Where runs begin and end in the file.
    runs: Vec<(u64, u64)>,
}

impl Names {
    /// None yet. What needs more than `memory` bytes goes to a file in `directory`.
    pub(super) fn new(memory: u64, directory: PathBuf) -> Self {
        let most = usize::try_from(memory / SIZE as u64).unwrap_or(usize::MAX);
        Self {
            entries: Vec::new(),
            most: most.max(LEAST),
            directory,
            file: None,
            runs: Vec::new(),
        }
    }

    /// Add one.
    pub(super) fn add(&mut self, hash: NameHash, place: NamePlace) -> Result<(), TemporaryError> {
        if self.entries.len() == self.most {
            self.put_away()?;
        }
        // A vector that doubles would have more than it may.
        if self.entries.len() == self.entries.capacity() {
            let more = self
                .entries
                .len()
                .max(LEAST)
                .min(self.most - self.entries.len());
            self.entries.reserve_exact(more);
        }
        self.entries.push((hash, place));
        Ok(())
    }

    /// Tell of each name that is not the first of its kind: where it stands, and where the first does. In no order that means
    /// something.
    pub(super) fn find_repeated(
        mut self,
        mut tell: impl FnMut(NamePlace, NamePlace),
    ) -> Result<(), TemporaryError> {
        let mut first: Option<Entry> = None;
        let mut take = |entry: Entry| match first {
            Some((hash, place)) if hash == entry.0 => tell(entry.1, place),
            _ => first = Some(entry),
        };
        if self.file.is_none() {
            self.entries.sort_unstable();
            self.entries.into_iter().for_each(take);
            return Ok(());
        }
        self.put_away()?;
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        self.entries = Vec::new();
        let at_once = (self.most / self.runs.len()).max(LEAST);
        let mut runs: Vec<Run> = self.runs.iter().map(|&run| Run::new(run)).collect();
        let mut next = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            next.extend(
                run.next(&file, at_once)?
                    .map(|entry| Reverse((entry, number))),
            );
        }
        while let Some(Reverse((entry, number))) = next.pop() {
            take(entry);
            let entry = runs[number].next(&file, at_once)?;
            next.extend(entry.map(|entry| Reverse((entry, number))));
        }
        Ok(())
    }

    /// Make a run of what is in memory.
    fn put_away(&mut self) -> Result<(), TemporaryError> {
        self.entries.sort_unstable();
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(UnnamedFile::create(&self.directory)?),
        };
        let start = file.bytes();
        let mut bytes = Vec::with_capacity(SIZE * TOGETHER.min(self.entries.len()));
        for entries in self.entries.chunks(TOGETHER) {
            bytes.clear();
            for (hash, place) in entries {
                bytes.extend_from_slice(&hash.to_le_bytes());
                bytes.extend_from_slice(&place.rank.to_le_bytes());
                bytes.extend_from_slice(&place.offset.to_le_bytes());
            }
            file.append(&mut [IoSlice::new(&bytes)])?;
        }
        self.runs.push((start, file.bytes()));
        self.entries.clear();
        Ok(())
    }
}

/// A sorted run, from its next entry on.
struct Run {
    next: u64,
    end: u64,
    bytes: Vec<u8>,
    taken: usize,
}

impl Run {
    fn new((next, end): (u64, u64)) -> Self {
        Self {
            next,
            end,
            bytes: Vec::new(),
            taken: 0,
        }
    }

    fn next(
        &mut self,
        file: &UnnamedFile,
        at_once: usize,
    ) -> Result<Option<Entry>, TemporaryError> {
        if self.taken == self.bytes.len() {
            let left = usize::try_from(self.end - self.next).unwrap_or(usize::MAX);
            self.bytes.resize(left.min(at_once.saturating_mul(SIZE)), 0);
            file.read(&mut self.bytes, self.next)?;
            self.next += self.bytes.len() as u64;
            self.taken = 0;
        }
        let entry = self.bytes[self.taken..].first_chunk::<SIZE>();
        self.taken += entry.map_or(0, |entry| entry.len());
        Ok(entry.map(|entry| {
            let [low, high] = [0, 16].map(|at| {
                let mut half = [0; 16];
                half.copy_from_slice(&entry[at..at + 16]);
                u128::from_le_bytes(half)
            });
            let place = NamePlace {
                rank: high as u64,
                offset: (high >> 64) as u64,
            };
            (low, place)
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// By a map of all names.
    fn slowly(names: &[String]) -> Vec<(u64, u64)> {
        let mut first = HashMap::new();
        let mut repeated = Vec::new();
        for (rank, name) in (0..).zip(names) {
            match first.get(name) {
                Some(&first) => repeated.push((rank, first)),
                None => {
                    first.insert(name, rank);
                }
            }
        }
        repeated
    }

    #[test]
    fn repeated_names_are_found_in_any_memory() {
        let directory = tempfile::tempdir().unwrap();
        for (number, kinds) in [
            (0, 1),
            (1, 1),
            (5000, 1),
            (5000, 40),
            (5000, 100_000),
            (700, 600),
        ] {
            let mut state = 12_345_u64;
            let names: Vec<String> = (0..number)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    format!("read{}", (state >> 33) % kinds)
                })
                .collect();
            for memory in [0, 10_000, 100_000, 1 << 30] {
                let mut all = Names::new(memory, directory.path().to_owned());
                for (rank, name) in (0..).zip(&names) {
                    let offset = rank * 10;
                    let place = NamePlace { rank, offset };
                    all.add(hash(name.as_bytes()), place).unwrap();
                }
                let mut found = Vec::new();
                let tell = |place: NamePlace, first: NamePlace| {
                    assert_eq!(place.offset, place.rank * 10);
                    found.push((place.rank, first.rank));
                };
                all.find_repeated(tell).unwrap();
                found.sort_unstable();
                assert_eq!(found, slowly(&names), "{number} {kinds} {memory}");
            }
        }
    }
}
