//! Short k-mers: one counter for each that there can be.
//!
//! Up to k = 11 all 4^k counters of 8 bytes take 32 MiB at most, while super-k-mers
//! of a few bases would cost more memory than the reads. Each worker counts the strand as it reads
//! it, one addition per k-mer; the two strands of a k-mer are added up in the end.

use super::{sink::Sink, stage2::Sums};
use crate::{error::Result, kmer::Kmer, options::CountOptions};
use thalweg_superkmers::{Kernel, encode::Encoded};

/// The longest k-mers that are counted so.
const MAX_K: usize = 11;

/// Entries of a piece that the sink gets.
const PIECE: usize = 1 << 14;

/// The counters of one worker.
#[derive(Debug)]
pub(super) struct Direct {
    k: usize,
    /// By k-mer as it was read.
    counts: Vec<u64>,
}

impl Direct {
    /// Bytes of the counters, or `None` if k is too long for them.
    pub(super) fn memory(k: usize) -> Option<u64> {
        (k <= MAX_K).then(|| 8 << (2 * k))
    }

    pub(super) fn new(k: usize) -> Self {
        Self {
            k,
            counts: vec![0; 1 << (2 * k)],
        }
    }

    /// Counts the k-mers of all valid runs; returns their number.
    pub(super) fn add(&mut self, encoded: &Encoded) -> u64 {
        let k = self.k;
        let mask = self.counts.len() - 1;
        let (mut kmers, mut from) = (0, 0);
        while let Some((start, end)) = encoded.next_run(from, k) {
            let mut kmer = 0;
            for i in start..end {
                let code = encoded.packed()[i / 32] >> (2 * (i % 32)) & 3;
                kmer = (kmer << 2 | code as usize) & mask;
                if i + 1 - start >= k {
                    self.counts[kmer] += 1;
                }
            }
            kmers += (end - start + 1 - k) as u64;
            from = end;
        }
        kmers
    }

    /// Adds the counters of another worker.
    pub(super) fn merge(&mut self, other: &Self) {
        for (to, from) in self.counts.iter_mut().zip(&other.counts) {
            *to += from;
        }
    }

    /// Hands all k-mers to `sink`, as its only partition.
    pub(super) fn finish<K: Kmer>(
        &self,
        options: &CountOptions,
        kernel: Kernel,
        sink: &dyn Sink<K>,
    ) -> Result<Sums> {
        let mut sums = Sums::new(kernel);
        let (mut entries, mut kept) = (Vec::with_capacity(PIECE), Vec::new());
        for (number, &count) in self.counts.iter().enumerate() {
            let kmer = number as u64;
            let partner = kmer.reverse_complement(self.k);
            let count = if !options.canonical() || partner == kmer {
                count
            } else if kmer < partner {
                count + self.counts[partner as usize]
            } else {
                continue;
            };
            if count > 0 {
                entries.push((K::from_words(&kmer.to_words()), count));
            }
            if entries.len() == PIECE {
                sums.hand_on(options, 0, &entries, &mut kept, sink)?;
                entries.clear();
            }
        }
        sums.hand_on(options, 0, &entries, &mut kept, sink)?;
        sink.end(0)?;
        sums.settle(options);
        Ok(sums)
    }
}
