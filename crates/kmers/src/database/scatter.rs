//! From partitions, which come in any order, to ranges of k-mers in their order, by all threads.
//!
//! ```text
//! range of a k-mer = its upper bits
//!
//! stage 2, each thread, for each sorted piece of a partition:                        (lane)
//!   append each k-mer to its range's buffer of this thread: runs of one range follow each other
//!   a full buffer is kept, or goes to this thread's unnamed file
//!
//! then each range, claimed by one thread, in order:                                  (ranges)
//!   read what all threads have of it, sort it, format it                              (stored)
//!   write it when all ranges before it are written
//! ```
//!
//! A record is written once and read once, 8 bytes of it at k = 31, unless its range is too large for the memory: then it is
//! split once more, or, if too many of its k-mers begin with the same 16 bases, sorted in runs that are merged.
//!
//! `docs/design/counting.md` ("In order") has what was tried instead.

mod lane;
mod ranges;
mod record;
mod stored;

use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use self::lane::{Lane, SMALLEST_BUFFER};
pub use self::ranges::Ranges;
use self::record::Shape;
use self::stored::Stored;
use crate::count::Sink;
use crate::error::Result;
use crate::kmer::Kmer;
use crate::options::CountOptions;
use thalweg_superkmers::Kernel;

/// Bytes of a range's buffer: larger ones save no time when they are read back.
const LARGEST_BUFFER: usize = 8 << 10;

/// There are fewer ranges rather than smaller buffers: each that is full is read back by a call of the system.
const SMALL_BUFFER: u64 = 1 << 10;

/// The most bits of a k-mer that tell its range.
const MAX_BITS: usize = 12;

/// Bases of the input for each range, or up to twice as many: at most some 110,000 different k-mers at a coverage of 2 and
/// more (74,000 of `hiseq.fastq`), of which a core's cache holds most while they are sorted, even if they are of two words.
const BASES_OF_RANGE: u64 = 200_000;

/// Bytes of full buffers that are kept where nothing is known of the input. Where its bases are known it is a byte for each:
/// about as much again as the first stage has taken, so that a count in order takes at most twice the memory.
const MOST_KEPT: u64 = 256 << 20;

/// Ranges where nothing is known of the input. 4096, as there are partitions then, take more memory, and more time of all but
/// large inputs.
const ORDINARY: u64 = 1024;

/// The sink of a count whose k-mers are wanted in one order.
///
/// Every thread that hands on partitions has a buffer for each range; all of them take no more than the memory given, or
/// 768 bytes a thread. Full buffers are kept in memory up to as many bytes as the input has bases, if that much was given.
#[derive(Debug)]
pub struct Scatter<K: Kmer> {
    shape: Shape,
    buffer_bytes: usize,
    /// Bytes of full buffers that a thread keeps.
    kept_bytes: u64,
    directory: PathBuf,
    /// Those that no thread uses right now.
    lanes: Mutex<Vec<Lane>>,
    kernel: Kernel,
    kmers: PhantomData<fn(K)>,
}

impl<K: Kmer> Scatter<K> {
    /// For what is counted, by so many threads; `memory` in bytes is for all of them.
    ///
    /// # Errors
    /// [`Error::Temporary`](crate::Error::Temporary) if `directory` takes no temporary file.
    pub fn new(
        options: &CountOptions,
        threads: usize,
        memory: u64,
        directory: &Path,
    ) -> Result<Self> {
        let k = options.k();
        let bases = options.expected_bases();
        let ranges = bases
            .map_or(ORDINARY, |bases| bases / BASES_OF_RANGE)
            .max(2);
        let mut bits = (ranges.ilog2() as usize).min(MAX_BITS).min(2 * k);
        let buffer = |bits: usize| memory / (threads * Lane::buffers(1 << bits)) as u64;
        while bits > 1 && buffer(bits) < SMALL_BUFFER {
            bits -= 1;
        }
        let shape = Shape::new::<K>(k, bits);
        let buffer_bytes = usize::try_from(buffer(bits)).unwrap_or(LARGEST_BUFFER);
        let buffer_bytes = buffer_bytes.clamp(SMALLEST_BUFFER, LARGEST_BUFFER);
        let filled = (threads * Lane::buffers(1 << bits) * buffer_bytes) as u64;
        let kept = memory
            .saturating_sub(filled)
            .min(bases.unwrap_or(MOST_KEPT));
        let kept_bytes = kept / threads as u64;
        // A directory that takes no file is told at once.
        let first = Lane::new(&shape, buffer_bytes, kept_bytes, directory)?;
        Ok(Self {
            buffer_bytes,
            kept_bytes,
            shape,
            directory: directory.to_owned(),
            lanes: Mutex::new(vec![first]),
            // A name that there is not is refused by the count.
            kernel: Kernel::choose(options.kernel()).unwrap_or(Kernel::SCALAR),
            kmers: PhantomData,
        })
    }

    /// All that was handed on, range by range.
    ///
    /// # Errors
    /// [`Error::Temporary`](crate::Error::Temporary) if what waits in memory cannot be written.
    pub fn finish(self) -> Result<Ranges<K>> {
        let mut lanes = (self.lanes.into_inner()).unwrap_or_else(PoisonError::into_inner);
        lanes.iter_mut().try_for_each(Lane::seal)?;
        Ok(Ranges {
            stored: Stored::new(self.shape, self.buffer_bytes, self.directory, lanes),
            kernel: self.kernel,
        })
    }

    fn lanes(&self) -> std::sync::MutexGuard<'_, Vec<Lane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Kmer> Sink<K> for Scatter<K> {
    fn accept(&self, _partition: usize, entries: &[(K, u64)]) -> Result<()> {
        let idle = self.lanes().pop();
        let mut lane = match idle {
            Some(lane) => lane,
            None => Lane::new(
                &self.shape,
                self.buffer_bytes,
                self.kept_bytes,
                &self.directory,
            )?,
        };
        lane.take(&self.shape, entries)?;
        self.lanes().push(lane);
        Ok(())
    }
}
