//! The engine: slices of sequence in, sorted lists of (k-mer, count) out.
//!
//! ```text
//! stage 1, every worker for itself: reads -> super-k-mers -> buffers by partition
//! stage 2, every partition by one worker: merge equal super-k-mers -> bins or table -> sorted counts -> sink
//! ```
//!
//! A super-k-mer is a longest stretch of bases whose k-mers have the same *minimizer*, the
//! least of their m-mers in a random order that is the same on both strands. Equal
//! k-mers have equal minimizers, so the minimizer decides the partition, and a
//! partition holds all occurrences of its k-mers: nothing is shared between
//! threads, and a table that fits the cache counts it.
//!
//! # Algorithm
//!
//! ```text
//! worker, for each segment of 2048 k-mers of a sequence:
//!   encode both strands in 2 bits per base; note letters that are no bases        (encode)
//!   v[i]     = hash of the canonical m-mer at i, its lowest bit the strand,
//!              its highest bit clear if the m-mer is an open syncmer              (minimizer)
//!   least[i] = min(v[i .. i + k - m + 1])
//!   for each stretch of equal least[i], at most k - m + 1 k-mers long:               (cut)
//!     record = its bases from the strand of the minimizer, and an end mark        (record)
//!     append record, packed, to partition remix(least) of this worker's store     (partition)
//!       no memory left: write all chunks to this worker's unnamed file            (spill)
//!
//! then for each partition, claimed by one worker, largest first:                  (stage2)
//!   for each record of it in all stores: weight[record] += 1                      (merge)
//!   keys have bits for weights, or few records became one: for each k-mer of a light record,  (by_sorting)
//!     its weight below it, into a bin by its upper bits;                     (expand, bins)
//!     sort groups of bins of up to 64 keys, sum up equal ones                       (network)
//!   the others: those that begin or end another one become part of it              (fold)
//!     for each k-mer, canonical or as it is:
//!       count[k-mer] += weight                                            (expand, batch, table)
//!       no memory left: drop the upper half of the keys, come back for them
//!     collect, sort                                                                (sort)
//!   histogram; filter; sink
//! check: sum of all counts = k-mers read
//! ```
//!
//! k-mers of up to 11 bases have a counter each instead (`direct`).
//!
//! # Constants
//!
//! | what | value | why |
//! |---|---|---|
//! | m | 11 to k = 32, 13 to 40, then 15 | see `minimizer_length`: fewest records without uneven partitions |
//! | partitions | 64 to 4096, of 100,000 to 200,000 bases where that is between; of more than 3.3 G and 6.6 G bases (by the size of the input: half of FASTQ) 8192 and 16,384; 4096 if nothing is known; fewer if memory is short | 30 to 60 thousand different k-mers at 1.9x, of one word in a table of 0.75 to 1.5 MiB, which the second-level cache holds; see also `plan` |
//! | record | 1, 2, 4, 8 or 16 words | the power of two that holds 2k - m bases and the end mark |
//! | stage of a partition | 256 bytes, and 64 or 128 more for the end of a packed record | four cache lines per copy; those of 2048 partitions, 512 to 768 KiB, stay in the second-level cache |
//! | chunk | 8 KiB, less if memory is short | half a chunk per partition and worker is lost: 4 MiB of 1024, 16 MiB of 4096 |
//! | slab | up to 2 MiB | a large page of the system: 80,000 faults less at 96x, 0.15 of 0.8 s in the system |
//! | segment | 2048 k-mers | its 16 bytes per base stay in the first-level cache |
//! | bins | keys / 8, 32,768 at most | neighbouring ones fill groups of 64; larger ones are sorted without registers |
//! | sorting | up to k = 29 and from 33 to 61, where keys have 6 bits for weights; at 30, 31, 62 and 63 where fewer than 3 records on average became one, 2 if k-mers have two words | see `by_sorting` |
//! | load | 5/8 of the count table, 1/2 of the merging table | longer searches cost more than clearing |
//! | memory | 3/4 for chunks, what is left for tables | tables adapt to any size, chunks spill |
//!
//! # Measured
//!
//! Sapphire Rapids at 2.0 GHz nominal, one core, processor time; 1.7 M simulated reads of 150 bases of a genome of
//! 2.7 Mb (96x) and of 49 genomes (1.9x), in memory; ns per k-mer of stage 1 + stage 2, sorted and handed on
//! (`examples/count.rs`). Both sets have 2048 partitions. The machine is shared: a run may take half as long again. The
//! bytes and the times are those of before the changes below.
//!
//! | set, k | k-mers | different | AVX-512 | AVX2 | scalar | bytes/k-mer |
//! |---|---|---|---|---|---|---|
//! | 96x, 31 | 202.2 M | 6.7 M | 3.7 + 2.6 | 5.5 + 2.7 | 10.2 + 3.7 | 1.46 |
//! | 96x, 21 | 219.6 M | 6.6 M | 3.7 + 2.7 | | | 1.22 |
//! | 96x, 55 | 161.0 M | 6.9 M | 4.4 + 7.3 | | | 1.78 |
//! | 1.9x, 31 | 202.2 M | 76.6 M | 3.3 + 9.3 | 5.1 + 14.2 | 11.4 + 15.5 | 1.46 |
//! | 1.9x, 21 | 219.6 M | 75.3 M | 3.7 + 7.6 | | | 1.22 |
//! | 1.9x, 55 | 161.0 M | 75.2 M | 4.4 + 21 | 6.4 + 28 | | 1.78 |
//!
//! Totals and different k-mers equal KMC's 3.2.1, and those of Jellyfish 2.3.0
//! (with singletons) on 150,000 reads of the second set at k = 7, 21, 31, 55 and 100.
//!
//! Since these figures (each by alternating runs of `examples/count`, or of `count` with the database written):
//! - equal k-mers are added up by vectors and blocks are packed by more of them: 0.87 of the processor time at 1.9x
//!   (AVX-512; `avx512/sums.rs`, `database/thk/pack.rs`);
//! - records are written past the caches (`partition/stream.rs`) and both strands are encoded in registers (AVX-512): 0.65 of
//!   stage 1 at 96x and 1.9x;
//! - a line of records is compared at once when merging (`merge.rs`): 0.9 of stage 2 at 12x, 0.95 at 0.24x;
//! - k-mers of two words are cut, looked up, sorted and added up by vectors, too, and all lines of their buckets are asked for
//!   in advance (AVX-512; `avx512/wide.rs`): at k = 55 0.6 of stage 2 at 96x, 0.8 at 1.9x, 0.65 and 0.68 at 12x and 0.24x;
//! - groups are sorted in registers with AVX2, too (`avx2/network.rs`), and k-mers of one word are cut into bins by vectors:
//!   0.74 of its stage 2 at 1.9x, k = 31, and 0.8 at k = 55;
//! - which counts are small is told by vectors of bytes (`clamped.rs`), for the histogram and for the blocks of the database:
//!   0.88 of the processor time at 1.9x with two threads, 0.93 with one;
//! - records that begin or end another one become part of it (`fold.rs`), so that the table gets most k-mers once: at 96x 0.68
//!   of stage 2 with AVX-512, 0.47 with AVX2 and 0.50 without either at k = 55, 0.9 at k = 31; at 12x, k = 55, where such k-mers
//!   were sorted before, 0.76;
//! - m-mers that are open syncmers come before all others (`minimizer`): 0.90 of the super-k-mers at k = 31, 0.86 at 21, so 1.46
//!   bytes per k-mer instead of 1.63 at k = 31, 1.22 instead of 1.43 at 21, 1.78 instead of 1.91 at 55, and 1.00 instead of 1.13
//!   spilled at k = 31. With AVX-512 0.95 of stage 2 and 0.95 to 1.05 of stage 1, with AVX2 1.06 of both, without either 1.1
//!   (Zen 5);
//! - equal k-mers of two words stay in any order when their groups are sorted: 0.92 of stage 2 at k = 55, 1.9x;
//! - which of the sorted k-mers of two words differ from the one before is found once, and summing up writes each where the next
//!   entry belongs; their gaps are packed by vectors, too (`avx512/sums.rs`, `database/thk/pack/avx512.rs`): 0.93 of the processor
//!   time at k = 55, 1.9x, database written (Zen 4);
//! - the database goes to the disk past the cache of pages (`database/output/past_cache.rs`): 0.88 of it with one thread, 0.89
//!   with two; with five blocks on their way instead of three, 0.94 with two;
//! - records are folded before their k-mers are sorted, too, if these have two words: at k = 55 0.91 of stage 2 at 1.9x, where
//!   115 M keys become 81 M; and whatever has weights of 6 bits or more is sorted, at any coverage: at 96x 0.87 of stage 2 at k =
//!   21, 0.88 at 55, at 12x 0.65 and 0.67 (Zen 4, as all that follows; with AVX2 0.9 at 96x, without either as long as before).
//! - records of more than one word wait as bytes (`packed.rs`): 1.13 bytes per k-mer instead of 1.46 at k = 31, 1.16 instead of
//!   1.78 at 55, and 1.07 spilled as they lie. 0.80 and 0.69 of the memory of the process; with all in memory 1.00 to 1.02 of the
//!   time at k = 31, 0.93 to 1.00 at 55; with a limit of 256 MiB 0.85 of it at 96x and 0.90 at 1.9x, of 128 MiB 0.82 and 0.73
//!   (k = 31, Zen 5, two threads);
//! - inputs of more than 3.3 G bases, 6.6 GB of FASTQ, have 8192 or 16,384 partitions instead of 4096, those of unknown size 4096
//!   instead of 1024: at 5.5 G bases (13 GB of FASTQ, a random genome of 1.5 Gb, k = 31) 0.82 of the time with the database
//!   written, 0.88 without, and 0.83 with `--memory 1Gi`; 0.79 at k = 21 and 0.81 at 55; 4096 instead of 1024 0.62, and 0.80 where
//!   it comes by a pipe (Zen 5, two threads). Databases are 2 % larger. 16,384 there: as long as 8192; 0.2 ns per k-mer more in
//!   stage 1, as much less in stage 2;
//! - a record's words are cut out of words that begin in neighbouring bytes, not of neighbouring words, whose bits one
//!   instruction shifts that AMD's processors take apart into six; and what they are cut with is at hand (`cut.rs`): 0.89 of
//!   stage 1 of one long sequence at k = 31, 0.83 at 55, 0.97 at 21, with AVX2 0.89 to 0.92, without either 0.92 (Zen 5); 0.96 of
//!   the processor time of reads at 96x, k = 31, 0.98 at 55, database written.
//!
//! What is left, k = 31, one thread, database written (before records were packed):
//! - at 96x: cutting records 17 %, the system 16 %, merging 14 %, folding and cutting k-mers 10 %, minimizers 10 %, sorting 6 %,
//!   chunks 5 %, encoding 4 %, the table 4 %;
//! - at 1.9x: bins and sorting 33 %, packing the database 11 %, merging 7 %, the system 9 %, cutting k-mers 7 %, the
//!   histogram 2 %, heavy k-mers 4 %, and some 15 % for stage 1;
//! - k = 55 at 96x: the system 17 %, cutting records 12 %, folding and cutting k-mers 12 %, minimizers 9 %, sorting 8 %, merging
//!   8 %, the table 6 %, chunks 5 %, packing 4 %; at 1.9x: bins and sorting 37 %, packing 15 %, minimizers 6 %, cutting k-mers
//!   and records 5 % each.
//!
//! From gzip without an index, 96x, k = 31, two threads: 0.78 s, where decoding alone (`cat`) takes 0.48 (Zen 4; 1.52 times as long on
//! Zen 5). That is 0.46 s of the processor's time for decoding and 0.95 for counting. Of 0.53 s in which the file is decoded, one of the
//! threads waits for 17 %: to cut a slab takes less than to decode one. Stage 2 takes the other 0.24. More cores than two would
//! leave little but the decoder.
//!
//! Of bins and sorting at 1.9x, about half is bringing the keys into 8192 bins, ten times the lines that the first-level cache
//! holds.
//!
//! With less memory (1.9x, k = 31), the same checksum over all k-mers and counts, before records were packed:
//!
//! | limit | bytes/k-mer in memory | spilled | ns per k-mer |
//! |---|---|---|---|
//! | 4 GiB | 1.46 | 0 | 3.3 + 9.3 |
//! | 256 MiB | 0.99 | 0.70 | 4.6 + 10.7 |
//! | 64 MiB | 0.24 | 1.00 | 5.2 + 11.9 |
//! | 16 MiB | 0.06 | 1.04 | 5.0 + 12.4 |
//!
//! # Rejected
//!
//! Measured here:
//! - one pass of sorting into bins of two, then insertion: 1.3 s against 0.9 s (see `sort`).
//! - buckets that begin anywhere: a quarter of stage 2 at 1.9x went into lines read twice (see `table`).
//! - building the first k-mer of a record base by base, and asking for no bucket in advance: 46 against
//!   39 ns per k-mer at k = 55, 1.9x.
//!
//! - sorting by three digits of 8 bits instead of two of 11: 0.98 of stage 2 at 1.9x.
//! - 1024 or 4096 partitions instead of 2048: 1.02 and 0.93 of stage 2, 0.95 and 1.05 of stage 1.
//! - the table for all k-mers: 1.5 times stage 2 at 1.9x, k = 31, and twice at k = 55 (before it had those vectors).
//! - bins of 16 or 32 keys on average instead of 8: 1.07 and 1.3 of stage 2 at 1.9x, as groups are less full.
//! - sorting at 96x with weights of 2 or 4 bits: 1.2 of stage 2 at k = 31, 1.15 at 62, 1.6 at 63; as long with 6 bits at k = 29.
//! - folding before k-mers of one word are sorted: 1.1 of stage 2 at 1.9x, k = 31, 1.2 at k = 21, and no less at 96x.
//! - folding with a place for each root in tables of their numbers, looked up one end after the other: as fast as lines of eight
//!   that are compared at once, though its branches cannot be predicted; asking for its lines in advance: 0.99.
//! - bins in two steps, 64, 128 or 256 buckets of chained chunks as the k-mers are cut, then the bins of one bucket in the
//!   first-level cache: 1.0 to 1.05 of stage 2 at 1.9x, k = 31, and 1.0 to 1.07 at k = 55. Either step takes as long as
//!   the misses of the first-level cache that it spares.
//! - k-mers of up to three or four keys instead of two, before they are heavy: 0.98 to 1.0 and 1.02 of stage 2 at 1.9x.
//! - a loop over an array of pairs for the sorting network: the rows went to memory and back, 1.12 of stage 2.
//! - asking for the lines of 24 keys in advance when these are put into bins: 1.02 of the time at 1.9x, k = 31 and 55 (Zen 4).
//! - bins in large pages: 0.98 to 1.02 of the time at 1.9x, on a machine that took as long again for other runs.
//! - k-mers of two words, AVX-512: 4096 partitions instead of 2048, 1.0 to 1.07 of the time.
//! - cutting records in a closure: the compiler kept it apart, without the kernel's instructions; 1.2 of stage 1.
//! - a fence behind every stage that goes past the caches, so that a worker could change its thread: 1.3 of stage 1, about
//!   what they gain.
//! - where 16 records begin, how long they are and their partitions, all by vectors, and masks for their ends from a table:
//!   40 instead of 80 instructions for each, 1.0 of stage 1.
//! - chunks of 4, 2 and 1 KiB instead of 8: 1.0, 1.05 and 1.1 of both stages; 1.60 instead of 1.63 bytes per k-mer with the
//!   smallest.
//! - 4096 partitions again, since records are written past the caches: 1.1 of stage 1 and 1.02 of stage 2 at 1.9x, k = 31.
//!
//! - finding reads in a text of the first ones, and counting each by two steps at the ends of its match instead of cutting it
//!   (commit d134f16, taken back): the first 9 M of 202 M k-mers, joined where pieces overlap, make 2.7 M bases. At 96x, k = 31,
//!   1.3 M super-k-mers instead of 17.9 M, 0.41 of stage 2 and a third of the memory of one thread; but stage 1, which waits for
//!   its anchors, text and steps, takes as long as before. Database written: 0.80 of the time with one thread,
//!   0.94 to 0.97 with two, 0.79 to 0.87 from gzip without an index; 1.17 at k = 21 and 1.12 at 55 with one thread; 1.14 at
//!   1.9x with two, though it gives up after 1.6 M k-mers there (Zen 4, few runs each, of three states of it). Those were runs of a
//!   machine where new memory was dear. When it was quiet, the last state took 1.06 of the time with one thread, 1.19 with two and
//!   1.03 from gzip: looking reads up was 36 % of the processor's time, as text, anchors and steps are beyond the second-level cache.
//! - packed records, unpacked a block at a time, each waiting for the length of the one before: 1.3 times as long as two blocks in
//!   turns, 1.02 of the time at 96x, k = 31.
//! - the room for the longest record's end behind every stage: 1.04 of the time at 1.9x, k = 21, whose records have no need of it.
//!
//! By the study that this design follows (Zen 5, 2.2 ns per k-mer in all at k = 31 and 60x):
//! - sorting all k-mers by radix: 8.1 to 11.0 ns per k-mer against 0.95 to 2.4 for merging and hashing.
//! - hashing without merging super-k-mers: 2.3 against 0.95 at 60x, 4.9 against 2.4 at 2x.
//! - making super-k-mers canonical by comparison in stage 2: 6 ns per record, where the
//!   minimizer's strand costs nothing and loses 0.002 % of the merging.
//! - a rolling hash with a monotone queue for minimizers: 11.8 against 1.2 ns for stage 1.
//! - lanes for reads instead of positions (crate simd-minimizers): 4.5 ns for minimizers alone.
//! - merging early, in epochs, to save memory: 0.56 to 0.86 s at 60x, and more memory at 2x.
//! - m = 9 at k = 21: partitions 4.2 times the mean instead of 2.1.
//! - m = 10 or 9 at k = 31 (Zen 5, medians of seven runs in turns): 1.58 and 1.51 bytes per k-mer instead of 1.63, but 1.09
//!   and 1.13 of stage 2 at 1.9x, whose partitions are less even; at 96x no difference. m = 13 or 11 at k = 55: 1.85 and 1.78
//!   bytes instead of 1.91, 0.95 of stage 1, 1.03 and 1.04 of stage 2.
//!
//! # Example
//!
//! ```
//! use thalweg_flow::{Budget, Failure, run};
//! use thalweg_kmers::{Error, count::{Counter, Sink}, options::CountOptions};
//! use std::sync::Mutex;
//!
//! struct List(Mutex<Vec<(u64, u64)>>);
//!
//! impl Sink<u64> for List {
//!     fn accept(&self, _partition: usize, entries: &[(u64, u64)]) -> Result<(), Error> {
//!         self.0.lock().expect("no thread panics").extend(entries);
//!         Ok(())
//!     }
//! }
//!
//! let counter = Counter::new(CountOptions::new(3)?, Budget::new(2))?;
//! let reads = [&b"ACGTT"[..], b"AACGN"];
//! let shares = run::<_, Error, _>(2, |thread, _stop| {
//!     let mut worker = counter.worker()?;
//!     worker.add(reads[thread])?;
//!     worker.into_share()
//! }).map_err(|_| Error::Stopped)?;
//! let list = List(Mutex::new(Vec::new()));
//! let totals = counter.finish(shares, &list)?;
//! // ACG CGT GTT and AAC ACG, of which CGT = ACG and GTT = AAC on the other strand.
//! assert_eq!((totals.kmers, totals.distinct), (5, 2));
//! # Ok::<(), Error>(())
//! ```

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod batch;
mod bins;
mod by_sorting;
mod countable;
mod cut;
mod direct;
mod distinct;
mod encode;
mod expand;
mod fold;
mod kernel;
mod merge;
mod plan;
pub(crate) mod record;
mod sink;
mod small_counts;
mod sort;
mod stage2;
mod table;
mod totals;
mod worker;

use crate::{
    error::{Error, Result, of_threads},
    kmer::Kmer,
    options::CountOptions,
    partition::{Ledger, SealedStore, Store},
    spill::Spill,
};
pub(crate) use bins::Entries;
pub(crate) use by_sorting::Sortable;
pub(crate) use countable::Countable;
use direct::Direct;
pub(crate) use distinct::{COUNT_BITS, DistinctSorter};
pub(crate) use encode::Encoded;
pub(crate) use kernel::Kernel;
use plan::Plan;
pub use sink::{NoSink, Sink};
pub(crate) use sort::sort_by_upper;
use stage2::{PartitionCounter, Sums};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use thalweg_flow::{Budget, Claims, run};
pub use totals::Totals;
pub use worker::{Share, Worker};

/// A count in the making: gives out [`Worker`]s and takes their [`Share`]s back.
#[derive(Debug)]
pub struct Counter {
    options: CountOptions,
    plan: Plan,
    kernel: Kernel,
    ledger: Arc<Ledger>,
    workers: AtomicUsize,
}

impl Counter {
    /// Plans a count; allocates nothing yet.
    ///
    /// `budget.memory()` bounds all large buffers of all workers together, `budget.threads()` is the
    /// number of workers that can be had.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if that is less than 1 MiB per thread; [`Error::BadOption`] for instructions that
    /// this processor does not have.
    pub fn new(options: CountOptions, budget: Budget) -> Result<Self> {
        let plan = Plan::new(&options, &budget)?;
        Ok(Self {
            kernel: Kernel::choose(options.kernel()).ok_or_else(|| {
                let names: Vec<_> = Kernel::names().collect();
                Error::BadOption(format!("this processor runs {}", names.join(", ")))
            })?,
            ledger: Arc::new(Ledger::new(plan.chunk_memory)),
            workers: AtomicUsize::new(0),
            plan,
            options,
        })
    }

    /// A worker for one thread.
    ///
    /// # Errors
    ///
    /// [`Error::BadOption`] if as many as the budget has threads have been given out.
    pub fn worker(&self) -> Result<Worker> {
        // A count of those given out, tied to no other memory.
        if self.workers.fetch_add(1, Ordering::Relaxed) >= self.plan.threads {
            return Err(Error::BadOption(format!(
                "more workers than the {} threads of the budget",
                self.plan.threads
            )));
        }
        let shape = self.plan.shape;
        let spill = Spill::new(self.options.temporary_directory(), shape.partitions);
        let store = Store::new(shape, Arc::clone(&self.ledger), spill);
        Ok(Worker::new(self.plan, &self.options, self.kernel, store))
    }

    /// Number of partitions that the sink will see: one if k-mers have a counter each.
    pub fn partitions(&self) -> usize {
        match self.plan.direct {
            true => 1,
            false => self.plan.shape.partitions,
        }
    }

    /// What is counted.
    pub fn options(&self) -> &CountOptions {
        &self.options
    }

    /// Name of the instructions used: for a log.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// Counts what all workers have taken and hands it to `sink`, on the budget's threads.
    ///
    /// `K` must be wide enough for k; [`dispatch`](crate::kmer::dispatch) picks it.
    ///
    /// # Errors
    ///
    /// [`Error::BadK`] if `K` is too narrow, [`Error::Temporary`], [`Error::Totals`] if the
    /// counts do not sum up to the k-mers read, and the sink's.
    pub fn finish<K: Kmer>(&self, shares: Vec<Share>, sink: &impl Sink<K>) -> Result<Totals> {
        if self.options.k() > K::MAX_K {
            return Err(Error::BadK {
                k: self.options.k(),
                max: K::MAX_K,
            });
        }
        K::finish(self, shares, sink)
    }

    fn finish_direct<K: Kmer>(&self, shares: Vec<Share>, sink: &dyn Sink<K>) -> Result<Totals> {
        let mut totals = Totals::default();
        let mut all: Option<Direct> = None;
        for share in shares {
            totals.add_share(&share);
            match (&mut all, share.direct) {
                (Some(all), Some(more)) => all.merge(&more),
                (all, more) => *all = more,
            }
        }
        let all = all.unwrap_or_else(|| Direct::new(self.plan.k));
        totals.add_sums(&all.finish(&self.options, self.kernel, sink)?);
        totals.check()?;
        Ok(totals)
    }

    fn finish_records<K: Kmer, const N: usize>(
        &self,
        shares: Vec<Share>,
        sink: &dyn Sink<K>,
    ) -> Result<Totals> {
        let mut totals = Totals::default();
        let mut stores = Vec::with_capacity(shares.len());
        for share in shares {
            totals.add_share(&share);
            stores.push(share.store);
        }
        let order = self.order(&stores);
        // A partition that does not fit into a table is read once for each part that does: writing the rest of
        // the records, too, costs less.
        let fits = {
            let memory = self.memory_left(&stores);
            move |kmers| PartitionCounter::<K, N>::memory_for(kmers) <= memory
        };
        let spilled = stores.iter().any(|store| store.spilled() > 0);
        if spilled && !fits(totals.kmers / order.len() as u64) {
            // Of all its k-mers, few may be different. One of the ordinary partitions, counted for this alone, tells.
            let mut ordinary = self.counter::<K, N>(&stores);
            ordinary.count(order[order.len() / 2], &NoSink)?;
            if !fits(ordinary.finish().distinct) {
                self.spill_all(&mut stores)?;
                totals.spilled_bytes = stores.iter().map(SealedStore::spilled).sum();
            }
        }
        let claims = Claims::new(order.len() as u64);
        let all: Vec<Sums> = run(self.plan.threads, |_, stop| {
            let mut counter = self.counter::<K, N>(&stores);
            while let Some(next) = claims.claim().filter(|_| !stop.is_stopped()) {
                counter.count(order[next as usize], sink)?;
            }
            Ok(counter.finish())
        })
        .map_err(of_threads)?;
        for sums in &all {
            totals.add_sums(sums);
        }
        totals.check()?;
        Ok(totals)
    }

    /// Tables for one thread.
    fn counter<'a, K: Kmer, const N: usize>(
        &'a self,
        stores: &'a [SealedStore],
    ) -> PartitionCounter<'a, K, N> {
        let memory = self.memory_left(stores);
        PartitionCounter::new(&self.options, stores, self.kernel, memory)
    }

    /// What each thread has for its tables.
    fn memory_left(&self, stores: &[SealedStore]) -> u64 {
        let used: u64 = stores.iter().map(SealedStore::memory).sum();
        self.plan.memory.saturating_sub(used) / self.plan.threads as u64
    }

    /// Writes all records to temporary files, each store by one thread.
    fn spill_all(&self, stores: &mut [SealedStore]) -> Result<()> {
        let waiting = Mutex::new(stores.iter_mut());
        let next = || {
            let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.next()
        };
        run(self.plan.threads, |_, stop| {
            while let Some(store) = next().filter(|_| !stop.is_stopped()) {
                store.spill_all()?;
            }
            Ok(())
        })
        .map_err(of_threads)?;
        Ok(())
    }

    /// The partitions, those with most records first: the last claims are small ones.
    fn order(&self, stores: &[SealedStore]) -> Vec<usize> {
        let size =
            |&partition: &usize| -> u64 { stores.iter().map(|store| store.words(partition)).sum() };
        let mut order: Vec<usize> = (0..self.plan.shape.partitions).collect();
        order.sort_by_cached_key(|partition| std::cmp::Reverse(size(partition)));
        order
    }
}
