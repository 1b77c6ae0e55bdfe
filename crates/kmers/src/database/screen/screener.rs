//! Reads judged by the k-mers of a database: minimizers to the filter, and what passes to be looked up.

use std::fmt;

use thalweg_superkmers::Kernel;
use thalweg_superkmers::encode::Encoded;
use thalweg_superkmers::minimizer::single::class_of;
use thalweg_superkmers::minimizer::{Minimizers, partition};
use thalweg_superkmers::pieces::for_each_piece;

use super::filter::Place;
use super::look_up::{InTable, Sum, look_up};
use super::threshold::Threshold;
use super::{All, KmerScreen};
use crate::kmer::{Alphabet, Kmer};

/// Letters of a sequence that are looked at together; what is found of them stays in the caches.
pub(super) const PIECE: usize = 4096;

/// Judges reads by a [`KmerScreen`]. It has buffers of its own.
pub struct Screener<K> {
    screen: KmerScreen<K>,
    kernel: Kernel,
    encoded: Encoded,
    /// Those of the filter.
    minimizers: Minimizers,
    /// Those that choose partitions, where there are some.
    places: Minimizers,
    /// A piece of a sequence on several lines, or of several sequences.
    letters: Vec<u8>,
    /// Stretches whose minimizers are looked for in the filter.
    candidates: Vec<(usize, usize, Place)>,
    /// Windows that are to be looked up: the first, and the one behind the last.
    stretches: Vec<(usize, usize)>,
}

impl<K: Kmer> Screener<K> {
    /// For one thread; letters of `alphabet` are bases.
    pub(super) fn new(screen: KmerScreen<K>, alphabet: Alphabet) -> Self {
        Self {
            screen,
            kernel: Kernel::best(),
            encoded: Encoded::new(alphabet),
            minimizers: Minimizers::default(),
            places: Minimizers::default(),
            letters: Vec::new(),
            candidates: Vec::new(),
            stretches: Vec::new(),
        }
    }

    /// Whether enough k-mers of the sequences are in the database, those of all sequences taken together. Each sequence is made of
    /// lines; k-mers with a letter that is no base do not count.
    #[inline]
    pub fn reaches<'a, L>(
        &mut self,
        sequences: impl IntoIterator<Item = L>,
        threshold: Threshold,
    ) -> bool
    where
        L: IntoIterator<Item = &'a [u8]>,
    {
        // Between sequences stands a letter that is none.
        let lines = sequences.into_iter().enumerate();
        let mut lines = lines.flat_map(|(number, lines)| {
            let between: &[u8] = if number == 0 { b"" } else { b"\n" };
            std::iter::once(between).chain(lines)
        });
        let mut sum = Sum::default();
        let mut letters = std::mem::take(&mut self.letters);
        letters.clear();
        // Few are longer than a piece, and all is known of a shorter one before anything is looked up.
        let longer = lines.find(|line| {
            let fits = letters.len() + line.len() <= PIECE;
            if fits {
                letters.extend_from_slice(line);
            }
            !fits
        });
        match longer {
            None => self.look(&letters, 0, threshold, &mut sum),
            Some(line) => {
                let start = std::mem::take(&mut letters);
                let all = [&*start, line].into_iter().chain(lines.map(shorter));
                let overlap = self.screen.k - 1;
                let look = |piece: &[u8]| {
                    self.look(piece, u64::MAX, threshold, &mut sum);
                    Ok::<(), std::convert::Infallible>(())
                };
                let Ok(_) = for_each_piece(all, PIECE, overlap, &mut letters, look);
            }
        }
        self.letters = letters;
        threshold.is_reached(sum.found, sum.all)
    }

    /// Looks at letters, behind which so many more k-mers may come, until it is known whether the threshold is reached; then `sum` says
    /// so.
    fn look(&mut self, letters: &[u8], may_come: u64, threshold: Threshold, sum: &mut Sum) {
        let Self {
            screen,
            kernel,
            encoded,
            minimizers,
            candidates,
            stretches,
            ..
        } = self;
        let k = screen.k;
        stretches.clear();
        candidates.clear();
        let is_known = may_come > 0 && threshold.is_reached(sum.found, may_come);
        if letters.len() < k || is_known {
            return;
        }
        kernel.encode(encoded, letters, b"", 0);
        if screen.filter.is_some() {
            kernel.minimizers(minimizers, encoded, k, screen.m);
        }
        let (mut all, mut passing, mut from) = (0, 0, 0);
        while let Some((start, end)) = encoded.next_run(from, k) {
            from = end;
            let windows = start..end + 1 - k;
            all += windows.len() as u64;
            match &screen.filter {
                Some(filter) => {
                    // All are asked for before the first is looked at.
                    let each = minimizers.stretches(windows);
                    candidates.extend(each.map(|(stretch, least)| {
                        (stretch.start, stretch.end, filter.ask(class_of(least)))
                    }));
                }
                None => {
                    passing += windows.len() as u64;
                    stretches.push((windows.start, windows.end));
                }
            }
        }
        if let Some(filter) = &screen.filter {
            for &(start, end, place) in &*candidates {
                if filter.has(place) {
                    passing += (end - start) as u64;
                    stretches.push((start, end));
                }
            }
        }
        sum.all += all;
        sum.may_come = may_come;
        // If all that pass were found, would they do?
        if may_come == 0 && !threshold.is_reached(sum.found + passing, sum.all) {
            return;
        }
        if passing > 0 {
            self.find(passing, threshold, sum);
        }
    }

    /// Looks up the stretches, of so many k-mers, until the threshold is reached or cannot be reached any more.
    fn find(&mut self, passing: u64, threshold: Threshold, sum: &mut Sum) {
        let Self {
            screen,
            kernel,
            encoded,
            places,
            stretches,
            ..
        } = self;
        let (k, canonical) = (screen.k, screen.canonical);
        let bits = screen.rule.map(|(length, partitions)| {
            kernel.minimizers(places, encoded, k, usize::from(length));
            partitions.trailing_zeros()
        });
        let least = places.least();
        let windows = stretches.iter().flat_map(|&(start, end)| start..end);
        let kmers = windows.map(|window| {
            let [forward, backward] = encoded.strands::<K>(window, k);
            let kmer = match canonical {
                true => forward.min(backward),
                false => forward,
            };
            (bits.map(|bits| partition(least[window], bits)), kmer)
        });
        match &screen.kmers {
            All::Table(loaded, counts) => {
                let table = InTable(&loaded.table, counts);
                look_up(&table, kmers, passing, threshold, sum);
            }
            All::Sorted(sorted) => look_up(&**sorted, kmers, passing, threshold, sum),
        }
    }
}

/// The same line, for as long as lines before it live.
fn shorter<'a: 'b, 'b>(line: &'a [u8]) -> &'b [u8] {
    line
}

impl<K> fmt::Debug for Screener<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screener")
            .field("k", &self.screen.k)
            .finish_non_exhaustive()
    }
}
