//! The engine: slices of sequence in, sorted lists of (k-mer, count) out.
//!
//! ```text
//! stage 1, every worker for itself: reads -> super-k-mers -> buffers by partition
//! stage 2, every partition by one worker: merge equal super-k-mers -> bins or table -> sorted counts -> sink
//! ```
//! The files lie so, too: `stage1`, which cuts by [`thalweg_superkmers`], `stage2`, and in `kernel` its hot loops for each
//! set of instructions.
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
//! | slab | up to 2 MiB | a large page of the system: far fewer faults |
//! | segment | 2048 k-mers | its 16 bytes per base stay in the first-level cache |
//! | bins | keys / 8, 32,768 at most | neighbouring ones fill groups of 64; larger ones are sorted without registers |
//! | sorting | up to k = 29 and from 33 to 61, where keys have 6 bits for weights; at 30, 31, 62 and 63 where fewer than 3 records on average became one, 2 if k-mers have two words | see `by_sorting` |
//! | load | 5/8 of the count table, 1/2 of the merging table | longer searches cost more than clearing |
//! | memory | 3/4 for chunks, what is left for tables | tables adapt to any size, chunks spill |
//!
//! # Measured
//!
//! What each of these ideas gave, what is left, and what did not work: `docs/design/counting.md`.
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
//! }).map_err(|_| Error::Cancelled)?;
//! let list = List(Mutex::new(Vec::new()));
//! let totals = counter.finish(shares, &list)?;
//! // ACG CGT GTT and AAC ACG, of which CGT = ACG and GTT = AAC on the other strand.
//! assert_eq!((totals.kmers, totals.distinct), (5, 2));
//! # Ok::<(), Error>(())
//! ```

mod countable;
mod direct;
mod kernel;
mod plan;
mod sink;
mod split;
mod stage1;
mod stage2;
mod totals;

use crate::{
    error::{Error, Result, of_threads},
    kmer::Kmer,
    options::CountOptions,
};
use direct::Direct;
pub(crate) use kernel::sorting::Sortable;
use plan::Plan;
pub use sink::{NoSink, Sink};
use split::Split;
pub use stage1::{CountWorker, OtherLetters, Share};
use stage2::{PartitionCounter, Sums};
pub(crate) use stage2::{
    bins::Entries,
    distinct::{COUNT_BITS, DistinctSorter},
    sort::sort_by_upper,
};
use std::ops::Range;
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicUsize, Ordering},
};
use thalweg_flow::{Budget, Claims, run};
pub use thalweg_superkmers::partition::{BlockSink, Chunks, Inbox};
use thalweg_superkmers::{
    Kernel, Scheme,
    partition::{Ledger, SealedStore, Store},
    spill::Spill,
};
pub use totals::CountTotals;

/// A count in the making: gives out [`CountWorker`]s and takes their [`Share`]s back.
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
    pub fn worker(&self) -> Result<CountWorker> {
        self.worker_with_chunks(|chunks| chunks)
    }

    /// A worker for one thread, whose full blocks go to what `sink` makes of the chunks that [`Self::worker`] would have.
    ///
    /// Of several processes that count together, each has such workers: the blocks of partitions that it does not own go
    /// to who does, and there into an [`Self::inbox`]; those of its own go to the chunks. [`CountWorker::finish`] gives the sink
    /// back: what the chunks hold becomes a share by [`Share::of_blocks`]. A sink that has no use for them lets them
    /// go: they take next to no memory while they are empty.
    ///
    /// # Errors
    ///
    /// As [`Self::worker`]; [`Error::BadOption`] if k-mers have a counter each, and so are in no blocks:
    /// [`CountOptions::with_blocks_only`] is for that.
    pub fn worker_with<S: BlockSink>(
        &self,
        sink: impl FnOnce(Chunks) -> S,
    ) -> Result<CountWorker<S>> {
        self.check_blocks()?;
        self.worker_with_chunks(sink)
    }

    fn worker_with_chunks<S: BlockSink>(
        &self,
        sink: impl FnOnce(Chunks) -> S,
    ) -> Result<CountWorker<S>> {
        // A count of those given out, tied to no other memory.
        if self.workers.fetch_add(1, Ordering::Relaxed) >= self.plan.threads {
            return Err(Error::BadOption(format!(
                "more workers than the {} threads of the budget",
                self.plan.threads
            )));
        }
        let shape = self.plan.shape;
        let chunks = Chunks::new(shape, Arc::clone(&self.ledger), self.spill());
        let store = Store::with_sink(shape, sink(chunks));
        Ok(CountWorker::new(
            self.plan,
            &self.options,
            self.kernel,
            store,
        ))
    }

    /// What takes blocks that were cut elsewhere, by the same [`Self::scheme`]; [`Share::of_blocks`] has them counted.
    ///
    /// Its chunks are beside those of the workers: one for each partition that has blocks, and more as memory allows.
    ///
    /// # Errors
    ///
    /// As [`Self::worker_with`].
    pub fn inbox(&self) -> Result<Inbox> {
        self.check_blocks()?;
        let ledger = Arc::clone(&self.ledger);
        let Plan { scheme, shape, .. } = self.plan;
        Ok(Inbox::new(scheme, shape, ledger, self.spill())?)
    }

    fn spill(&self) -> Spill {
        let directory = self.options.temporary_directory();
        Spill::new(directory, self.plan.shape.partitions)
    }

    /// That there are blocks.
    fn check_blocks(&self) -> Result<()> {
        match self.plan.direct {
            true => Err(Error::BadOption(format!(
                "k-mers of {} bases have a counter each, and no blocks",
                self.options.k()
            ))),
            false => Ok(()),
        }
    }

    /// Number of partitions that the sink of [`Self::finish`] will see: one if k-mers have a counter each. It depends on what
    /// is known of the input, on memory and on threads.
    pub fn partitions(&self) -> usize {
        match self.plan.direct {
            true => 1,
            false => self.plan.shape.partitions,
        }
    }

    /// Number of partitions for a database of what these shares hold. It depends on k and on the number of k-mers alone, unless
    /// [`CountOptions::with_partitions`] has set it: the same reads make the same database, however they came.
    pub fn database_partitions(&self, shares: &[Share]) -> usize {
        let kmers = shares.iter().map(|share| share.totals.kmers).sum();
        plan::database_partitions(&self.options, kmers)
    }

    /// What decides to which partition a k-mer belongs; where k-mers have a counter each, they do not go by it.
    pub fn scheme(&self) -> Scheme {
        self.plan.scheme
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
    pub fn finish<K: Kmer>(&self, shares: Vec<Share>, sink: &impl Sink<K>) -> Result<CountTotals> {
        let totals = self.finish_part(shares, sink)?;
        totals.check()?;
        Ok(totals)
    }

    /// As [`Self::finish`], with another number of partitions: [`Self::database_partitions`], for example.
    ///
    /// Neighbours are counted as one where there are fewer. Where there are more, each k-mer finds its own when it is counted,
    /// which takes about as long as counting it, and a thread hands several partitions on in turns.
    ///
    /// # Errors
    ///
    /// As [`Self::finish`]; [`Error::BadOption`] unless it is a power of two up to 16384.
    pub fn finish_as<K: Kmer>(
        &self,
        shares: Vec<Share>,
        partitions: usize,
        sink: &impl Sink<K>,
    ) -> Result<CountTotals> {
        // One number is checked in one place.
        self.options.clone().with_partitions(partitions)?;
        let own = self.partitions();
        let totals = match partitions.checked_div(own) {
            Some(parts @ 2..) => {
                let split = Split::new(sink, self.plan.scheme, own, parts)?;
                self.finish_groups(shares, own, &split)?
            }
            _ => self.finish_groups(shares, partitions, sink)?,
        };
        totals.check()?;
        Ok(totals)
    }

    /// As [`Self::finish`], of one of several processes, which count what others have cut and others what it has: only the
    /// totals of all, merged, can be [checked](CountTotals::check).
    ///
    /// Partitions of which there are no blocks are empty.
    ///
    /// # Errors
    ///
    /// As [`Self::finish`], but for [`Error::Totals`].
    pub fn finish_part<K: Kmer>(
        &self,
        shares: Vec<Share>,
        sink: &impl Sink<K>,
    ) -> Result<CountTotals> {
        self.finish_groups(shares, self.partitions(), sink)
    }

    /// Counts neighbouring partitions as one, so that there are so many groups.
    fn finish_groups<K: Kmer>(
        &self,
        shares: Vec<Share>,
        groups: usize,
        sink: &dyn Sink<K>,
    ) -> Result<CountTotals> {
        if self.options.k() > K::MAX_K {
            return Err(Error::BadK {
                k: self.options.k(),
                max: K::MAX_K,
            });
        }
        countable::finish(self, shares, groups, sink)
    }

    fn finish_direct<K: Kmer>(
        &self,
        shares: Vec<Share>,
        sink: &dyn Sink<K>,
    ) -> Result<CountTotals> {
        let mut totals = CountTotals::default();
        let mut all: Option<Direct> = None;
        for share in shares {
            totals.add_share(&share);
            match (&mut all, share.direct) {
                (Some(all), Some(more)) => all.merge(&more),
                (all, more) => *all = more,
            }
        }
        let all = all.unwrap_or_else(|| Direct::new(self.options.k()));
        totals.add_sums(&all.finish(&self.options, self.kernel, sink)?);
        Ok(totals)
    }

    fn finish_records<K: Kmer, const N: usize>(
        &self,
        shares: Vec<Share>,
        groups: usize,
        sink: &dyn Sink<K>,
    ) -> Result<CountTotals> {
        let mut totals = CountTotals::default();
        let mut stores = Vec::with_capacity(shares.len());
        for share in shares {
            totals.add_share(&share);
            stores.extend(share.store);
        }
        let width = self.plan.shape.partitions / groups;
        let of_group = |group: usize| group * width..(group + 1) * width;
        let order = order(&stores, groups, of_group);
        // A partition that does not fit into a table is read once for each part that does: writing the rest of
        // the records, too, costs less.
        let fits = {
            let memory = self.memory_left(&stores);
            move |kmers| PartitionCounter::<K, N>::memory_for(kmers) <= memory
        };
        let spilled = stores.iter().any(|store| store.spilled() > 0);
        // Of several processes, others own those that are empty here.
        let is_filled = |&&group: &&usize| words(&stores, of_group(group)) > 0;
        let filled = order.iter().take_while(is_filled).count().max(1);
        if spilled && !fits(totals.kmers / filled as u64) {
            // Of all its k-mers, few may be different. One of the ordinary partitions, counted for this alone, tells.
            let mut ordinary = self.counter::<K, N>(&stores);
            let group = order[filled / 2];
            ordinary.count(of_group(group), group, &NoSink)?;
            if !fits(ordinary.finish().distinct) {
                self.spill_all(&mut stores)?;
                totals.spilled_bytes = stores.iter().map(SealedStore::spilled).sum();
            }
        }
        let claims = Claims::new(order.len() as u64);
        let all: Vec<Sums> = run(self.plan.threads, |_, stop| {
            let mut counter = self.counter::<K, N>(&stores);
            while let Some(next) = claims.claim().filter(|_| !stop.is_stopped()) {
                let group = order[next as usize];
                counter.count(of_group(group), group, sink)?;
            }
            Ok(counter.finish())
        })
        .map_err(of_threads::<Error>)?;
        for sums in &all {
            totals.add_sums(sums);
        }
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
        .map_err(of_threads::<Error>)?;
        Ok(())
    }
}

/// The groups, those with most records first: the last claims are small ones.
fn order(
    stores: &[SealedStore],
    groups: usize,
    of_group: impl Fn(usize) -> Range<usize>,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups).collect();
    order.sort_by_cached_key(|&group| std::cmp::Reverse(words(stores, of_group(group))));
    order
}

/// Words of the records of some partitions, in all stores.
fn words(stores: &[SealedStore], partitions: Range<usize>) -> u64 {
    let of_store = |store: &SealedStore| -> u64 {
        let words = partitions.clone().map(|partition| store.words(partition));
        words.sum()
    };
    stores.iter().map(of_store).sum()
}
