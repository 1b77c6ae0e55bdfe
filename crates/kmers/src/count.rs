//! The engine: slices of sequence in, sorted lists of (k-mer, count) out.
//!
//! ```text
//! stage 1, every worker for itself: reads -> super-k-mers -> buffers by partition
//! stage 2, every partition by one worker: merge equal super-k-mers -> table -> sort -> sink
//! ```
//!
//! A super-k-mer is a longest stretch of bases whose k-mers have the same *minimizer*, the
//! least of their m-mers in a random order that is the same on both strands. Equal
//! k-mers have equal minimizers, so the minimizer decides the partition, and a
//! partition holds all occurrences of its k-mers: nothing is shared between
//! threads, and a table that fits the cache counts it.
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
//! let workers = run::<_, Error, _>(2, |thread, _stop| {
//!     let mut worker = counter.worker()?;
//!     worker.add(reads[thread])?;
//!     Ok(worker)
//! }).map_err(|_| Error::Stopped)?;
//! let list = List(Mutex::new(Vec::new()));
//! let totals = counter.finish(workers, &list)?;
//! // ACG CGT GTT and AAC ACG, of which CGT = ACG and GTT = AAC on the other strand.
//! assert_eq!((totals.kmers, totals.distinct), (5, 2));
//! # Ok::<(), Error>(())
//! ```

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod batch;
mod direct;
mod encode;
mod kernel;
mod merge;
mod plan;
pub(crate) mod record;
mod sink;
mod sort;
mod stage2;
mod table;
mod totals;
mod worker;

use crate::{
    error::{Error, Result},
    kmer::Kmer,
    options::CountOptions,
    partition::{Ledger, Store},
    spill::Spill,
};
use direct::Direct;
use kernel::Kernel;
use plan::Plan;
pub use sink::{NoSink, Sink};
use stage2::{PartitionCounter, Sums};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use thalweg_flow::{Budget, Claims, Failure, run};
pub use totals::Totals;
pub use worker::Worker;

/// A count in the making: gives out [`Worker`]s and takes them back.
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

    /// Number of partitions that the sink will see.
    pub fn partitions(&self) -> usize {
        self.plan.shape.partitions
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
    /// [`Error::BadK`] if `K` is too narrow, [`Error::Io`] for temporary files, [`Error::Totals`] if the
    /// counts do not sum up to the k-mers read, and the sink's.
    pub fn finish<K: Kmer>(&self, workers: Vec<Worker>, sink: &impl Sink<K>) -> Result<Totals> {
        if self.options.k() > K::MAX_K {
            return Err(Error::BadK {
                k: self.options.k(),
                max: K::MAX_K,
            });
        }
        if self.plan.direct {
            return self.finish_direct(workers, sink);
        }
        match self.plan.shape.record_words {
            1 => self.finish_records::<K, 1>(workers, sink),
            2 => self.finish_records::<K, 2>(workers, sink),
            4 => self.finish_records::<K, 4>(workers, sink),
            8 => self.finish_records::<K, 8>(workers, sink),
            _ => self.finish_records::<K, 16>(workers, sink),
        }
    }

    fn finish_direct<K: Kmer>(&self, workers: Vec<Worker>, sink: &impl Sink<K>) -> Result<Totals> {
        let mut totals = Totals::default();
        let mut all: Option<Direct> = None;
        for worker in workers {
            totals.add_worker(&worker);
            match (&mut all, worker.direct) {
                (Some(all), Some(more)) => all.merge(&more),
                (all, more) => *all = more,
            }
        }
        let all = all.unwrap_or_else(|| Direct::new(self.plan.k));
        totals.add_sums(&all.finish(&self.options, self.partitions(), sink)?);
        totals.check()?;
        Ok(totals)
    }

    fn finish_records<K: Kmer, const N: usize>(
        &self,
        workers: Vec<Worker>,
        sink: &impl Sink<K>,
    ) -> Result<Totals> {
        let mut totals = Totals::default();
        let mut stores = Vec::with_capacity(workers.len());
        for mut worker in workers {
            worker.store.seal()?;
            totals.add_worker(&worker);
            stores.push(worker.store);
        }
        let order = self.order(&stores);
        let used: u64 = stores.iter().map(Store::memory).sum();
        let memory = self.plan.memory.saturating_sub(used) / self.plan.threads as u64;
        let claims = Claims::new(order.len() as u64);
        let all: Vec<Sums> = run(self.plan.threads, |_, stop| {
            let mut counter =
                PartitionCounter::<K, N>::new(&self.options, &stores, self.kernel, memory);
            while let Some(next) = claims.claim().filter(|_| !stop.is_stopped()) {
                counter.count(order[next as usize], sink)?;
            }
            Ok(counter.sums)
        })
        .map_err(|failure| match failure {
            Failure::Failed(error) => error,
            Failure::Panicked(message) => Error::Sink(message.into()),
        })?;
        for sums in &all {
            totals.add_sums(sums);
        }
        totals.check()?;
        Ok(totals)
    }

    /// The partitions, those with most records first: the last claims are small ones.
    fn order(&self, stores: &[Store]) -> Vec<usize> {
        let size = |&partition: &usize| -> u64 {
            stores.iter().map(|store| store.records(partition)).sum()
        };
        let mut order: Vec<usize> = (0..self.plan.shape.partitions).collect();
        order.sort_by_cached_key(|partition| std::cmp::Reverse(size(partition)));
        order
    }
}
