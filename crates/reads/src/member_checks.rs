//! Members of an indexed gzip file, checked by whoever reads all chunks of them.
//!
//! Chunks are decoded in any order by any thread; each tells what it has of members. When the last one is there, the
//! checksums of the parts give those of the members, which their trailers must state: so the first fault in the order of
//! the file is told, whoever read what.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thalweg_gzip::index::Index;
use thalweg_gzip::{ChunkMembers, MemberPart};

use crate::Error;
use crate::bytes::compressed_error;
use crate::file::InputFile;

/// What the chunks of one file have of members.
pub(crate) struct MemberChecks {
    state: Mutex<State>,
}

struct State {
    chunks: Vec<Option<ChunkMembers>>,
    /// Chunks that are still to come.
    left: usize,
}

impl MemberChecks {
    /// For the file of `index`, of which `wanted` chunks will be read to their ends.
    pub(crate) fn new(index: &Index, wanted: usize) -> Self {
        Self {
            state: Mutex::new(State {
                chunks: vec![None; index.chunks()],
                left: wanted,
            }),
        }
    }

    /// Take note of what chunk `chunk`, whose checksum was right, has of members; returns whether it was the last one.
    pub(crate) fn note(&self, chunk: usize, members: ChunkMembers) -> bool {
        let mut state = self.lock();
        // Another reader may have read it, too.
        match state.chunks.get_mut(chunk) {
            Some(known @ None) => *known = Some(members),
            _ => return false,
        }
        state.left = state.left.saturating_sub(1);
        state.left == 0
    }

    /// Check the members all of whose chunks are there; returns how many have been checked, here and by the decoders.
    ///
    /// # Errors
    /// Of the first one that is not what its trailer says, at that.
    pub(crate) fn check(&self, file: &InputFile) -> Result<u64, Error> {
        check(&self.lock().chunks).map_err(|error| compressed_error(file, error))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What several readers see of the same gzip files, each of which reads a shard of them by their indexes: members that no
/// single one reads whole can be checked when all have been read.
///
/// Given to each with [`ReaderOptions::check_together`](crate::ReaderOptions::check_together).
#[derive(Clone, Default)]
pub struct CommonChecks {
    files: Arc<Mutex<Vec<FileChecks>>>,
}

type FileChecks = (Arc<InputFile>, Arc<MemberChecks>);

impl CommonChecks {
    /// Check the members that have been read whole by all readers together.
    ///
    /// # Errors
    /// Of the first file in step, the first member that is not what its trailer says.
    pub fn finish(&self) -> Result<(), Error> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files
            .iter()
            .try_for_each(|(file, checks)| checks.check(file).map(drop))
    }

    /// Those of file number `number` in step, which has this index.
    pub(crate) fn of_file(
        &self,
        number: usize,
        file: &Arc<InputFile>,
        index: &Index,
    ) -> Arc<MemberChecks> {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if number >= files.len() {
            // Nobody knows which chunk is the last.
            let checks = MemberChecks::new(index, usize::MAX);
            files.push((Arc::clone(file), Arc::new(checks)));
        }
        let (_, checks) = &files[number.min(files.len() - 1)];
        Arc::clone(checks)
    }
}

impl fmt::Debug for CommonChecks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("CommonChecks")
            .finish_non_exhaustive()
    }
}

fn check(chunks: &[Option<ChunkMembers>]) -> Result<u64, thalweg_gzip::Error> {
    let mut members = 0;
    // What is known of the member that has begun; nothing where it began in a chunk that was not read.
    let mut begun = Some(Begun::default());
    for chunk in chunks {
        let Some(chunk) = chunk else {
            begun = None;
            continue;
        };
        if let Some(head) = &chunk.head {
            if let Some(begun) = &mut begun {
                begun.add(head);
            }
            let Some(trailer) = head.trailer else {
                continue;
            };
            if let Some(ended) = begun {
                trailer.check(ended.crc32, ended.length)?;
                members += 1;
            }
        }
        members += chunk.whole;
        let mut next = Begun::default();
        if let Some(tail) = &chunk.tail {
            next.add(tail);
        }
        begun = Some(next);
    }
    Ok(members)
}

/// The parts of a member so far.
#[derive(Clone, Copy, Default)]
struct Begun {
    crc32: u32,
    length: u64,
}

impl Begun {
    fn add(&mut self, part: &MemberPart) {
        let hasher = |crc32, length| crc32fast::Hasher::new_with_initial_len(crc32, length);
        let mut sum = hasher(self.crc32, self.length);
        sum.combine(&hasher(part.crc32, part.length));
        self.crc32 = sum.finalize();
        self.length += part.length;
    }
}
