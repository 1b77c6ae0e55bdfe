//! Counting by several processes: blocks cut in one are counted in another.

use std::sync::Mutex;
use thalweg_flow::Budget;
use thalweg_kmers::{
    Error, Kmer, Result,
    count::{CountTotals, CountWorker, Counter, Share, Sink},
    kmer::{KmerTask, dispatch},
    options::CountOptions,
};
use thalweg_superkmers::{
    packed::block_bytes,
    partition::{BlockSink, Chunks},
};

struct Random(u64);

impl Random {
    fn letters(&mut self, len: usize) -> Vec<u8> {
        let mut letter = || {
            self.0 = (self.0)
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99);
            match self.0 >> 56 {
                0 => b'N',
                _ => b"ACGT"[(self.0 >> 53) as usize % 4],
            }
        };
        (0..len).map(|_| letter()).collect()
    }
}

/// Blocks of partitions that another process has, on their way; the others stay.
struct Outbox {
    own: u32,
    processes: u32,
    record_words: usize,
    chunks: Chunks,
    sent: Vec<(usize, Vec<u8>)>,
}

/// The process that a partition belongs to.
fn owner(partition: usize, processes: u32) -> u32 {
    partition as u32 % processes
}

impl BlockSink for Outbox {
    fn append(&mut self, partition: usize, block: &[u64]) -> thalweg_superkmers::Result<()> {
        if owner(partition, self.processes) == self.own {
            return self.chunks.append(partition, block);
        }
        let bytes = block_bytes(block, self.record_words).into_owned();
        self.sent.push((partition, bytes));
        Ok(())
    }
}

/// All k-mers with their counts.
struct List<K>(Mutex<Vec<(K, u64)>>);

impl<K: Kmer> Sink<K> for List<K> {
    fn accept(&self, _: usize, entries: &[(K, u64)]) -> Result<()> {
        self.0.lock().expect("no panic").extend(entries);
        Ok(())
    }
}

struct Task {
    options: CountOptions,
    reads: Vec<Vec<u8>>,
    processes: u32,
    memory: u64,
}

impl KmerTask for Task {
    /// Whether anything was spilled.
    type Output = bool;

    fn run<K: Kmer>(self) -> bool {
        let k = self.options.k();
        let (expected, counts) = self.by_one::<K>();
        let (mut totals, found, spilled) = self.by_several::<K>();
        assert_eq!(found, counts, "k = {k}");
        totals.check().expect("all k-mers");
        assert_eq!(totals.kmers, expected.kmers);
        assert_eq!(totals.counted(), expected.counted());
        assert_eq!(totals.histogram, expected.histogram);
        assert_eq!(totals.other_letters, expected.other_letters);
        assert_eq!(totals.kept_kmers, expected.kept_kmers);
        assert_eq!(totals.super_kmers, expected.super_kmers);
        // One k-mer that nobody has counted shows.
        totals.kmers += 1;
        assert!(matches!(totals.check(), Err(Error::Totals { .. })));
        spilled
    }
}

impl Task {
    fn counter(&self) -> Counter {
        let budget = Budget::new(1).with_memory(self.memory);
        Counter::new(self.options.clone(), budget).expect("a plan")
    }

    fn by_one<K: Kmer>(&self) -> (CountTotals, Vec<(K, u64)>) {
        let counter = self.counter();
        let mut worker = counter.worker().expect("the first");
        for read in &self.reads {
            worker.add(read).expect("memory");
        }
        let list = List(Mutex::default());
        let shares = vec![worker.into_share().expect("memory")];
        let totals = counter.finish::<K>(shares, &list).expect("a result");
        (totals, sorted(list))
    }

    fn by_several<K: Kmer>(&self) -> (CountTotals, Vec<(K, u64)>, bool) {
        let counters: Vec<Counter> = (0..self.processes).map(|_| self.counter()).collect();
        let mut shares: Vec<Vec<Share>> = counters.iter().map(|_| Vec::new()).collect();
        let mut inboxes: Vec<_> = (counters.iter())
            .map(|counter| counter.inbox().expect("memory"))
            .collect();
        for (own, counter) in (0..self.processes).zip(&counters) {
            let sink = |chunks| Outbox {
                own,
                processes: self.processes,
                record_words: counter.scheme().record_words(),
                chunks,
                sent: Vec::new(),
            };
            let mut worker: CountWorker<Outbox> = counter.worker_with(sink).expect("the first");
            let reads = self.reads.iter().skip(own as usize);
            for (i, read) in reads.step_by(self.processes as usize).enumerate() {
                worker.add(read).expect("memory");
                // What is staged goes out at any time.
                if i == 10 {
                    worker.flush().expect("memory");
                }
            }
            let (share, Outbox { chunks, sent, .. }) = worker.finish().expect("memory");
            assert!(self.processes == 1 || !sent.is_empty());
            shares[own as usize].extend([share, Share::of_blocks(chunks.seal())]);
            for (partition, bytes) in sent {
                let to = owner(partition, self.processes) as usize;
                inboxes[to].append(partition, &bytes).expect("a block");
            }
        }
        for (shares, inbox) in shares.iter_mut().zip(inboxes) {
            shares.push(Share::of_blocks(inbox.seal()));
        }
        let list = List(Mutex::default());
        let mut all = CountTotals::default();
        for (counter, shares) in counters.iter().zip(shares) {
            let totals = counter.finish_part::<K>(shares, &list).expect("a result");
            assert!(self.processes == 1 || totals.check().is_err());
            // As another process gets them.
            all.merge(&CountTotals::from_bytes(&totals.to_bytes()).expect("totals"));
        }
        let spilled = all.spilled_bytes > 0;
        (all, sorted(list), spilled)
    }
}

fn sorted<K: Kmer>(list: List<K>) -> Vec<(K, u64)> {
    let mut all = list.0.into_inner().expect("no panic");
    all.sort_unstable();
    all
}

fn reads(genome: &[u8], number: usize) -> Vec<Vec<u8>> {
    (0..number)
        .map(|i| {
            let start = i * 7919 % (genome.len() - 150);
            genome[start..start + 150].to_vec()
        })
        .collect()
}

#[test]
fn several_processes_count_as_one() {
    let genome = Random(3).letters(20_000);
    for k in [8, 21, 31, 55, 100] {
        for (canonical, processes) in [(true, 1), (true, 2), (true, 5), (false, 3)] {
            let options = CountOptions::new(k).expect("a k").with_canonical(canonical);
            let options = options.with_blocks_only().with_partitions(64);
            let mut reads = reads(&genome, 2000);
            // Long ones, and some shorter than k.
            reads.extend([genome.clone(), genome[..7].to_vec(), b"NNN".to_vec()]);
            let task = Task {
                options: options.expect("a power"),
                reads,
                processes,
                memory: 1 << 30,
            };
            dispatch(k, task).expect("a k");
        }
    }
}

#[test]
fn foreign_blocks_are_spilled_like_others() {
    for k in [21, 31] {
        let options = CountOptions::new(k).expect("a k").with_partitions(16);
        let task = Task {
            options: options.expect("a power"),
            reads: vec![Random(9).letters(1_000_000), Random(8).letters(900_000)],
            processes: 2,
            memory: 1 << 20,
        };
        assert!(dispatch(k, task).expect("a k"), "k = {k}");
    }
}

#[test]
fn short_k_mers_with_counters_have_no_blocks() {
    let counter = Counter::new(CountOptions::new(8).expect("a k"), Budget::new(1)).expect("a plan");
    assert!(matches!(counter.inbox(), Err(Error::BadOption(_))));
    let worker = counter.worker_with(|chunks| chunks);
    assert!(matches!(worker, Err(Error::BadOption(_))));
}

/// Blocks of another k are no blocks, or are counted as what they are not: either way nobody takes them for granted.
#[test]
fn blocks_of_another_k_do_no_harm() {
    let genome = Random(3).letters(20_000);
    let counter = |k| {
        let options = CountOptions::new(k).expect("a k").with_partitions(16);
        Counter::new(options.expect("a power"), Budget::new(1)).expect("a plan")
    };
    let (one, other) = (counter(31), counter(33));
    let sink = |chunks| Outbox {
        own: 1,
        processes: 1,
        record_words: one.scheme().record_words(),
        chunks,
        sent: Vec::new(),
    };
    let mut worker = one.worker_with(sink).expect("the first");
    worker.add(&genome).expect("memory");
    let (_, outbox) = worker.finish().expect("memory");
    let mut inbox = other.inbox().expect("memory");
    let (mut taken, mut refused, mut kmers) = (0, 0, 0);
    for (partition, bytes) in outbox.sent {
        match inbox.append(partition, &bytes) {
            Ok(more) => {
                taken += 1;
                kmers += more;
            }
            Err(thalweg_superkmers::Error::BadBlock { .. }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 0 && taken + refused > 20, "{taken}, {refused}");
    let shares = vec![Share::of_blocks(inbox.seal())];
    let list = List::<u128>(Mutex::default());
    let totals = other.finish_part(shares, &list).expect("a result");
    assert_eq!(totals.counted(), u128::from(kmers));
    assert!(kmers == 0 || totals.check().is_err());
}
