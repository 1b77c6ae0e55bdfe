//! What is counted of reads in any order.

mod letters;
mod qualities;

use std::collections::BTreeMap;
use std::sync::Arc;

use thalweg_scan::{Qualities, count_equal};

pub(crate) use self::letters::LetterGrid;
pub(crate) use self::qualities::{QualityGrid, VALUES};
use crate::adapters::AdapterSearch;
use crate::gc_model::looked_at;
use crate::notes::Note;
use crate::{Settings, keys::KeyHasher};

/// Counts of one worker; those of all are merged.
#[derive(Clone)]
pub struct Tally {
    settings: Arc<Settings>,
    hasher: KeyHasher,
    search: AdapterSearch,
    longest_adapter: usize,
    /// Of the read at hand, adapters that count only if a longer read came before.
    doubtful: Vec<(usize, usize)>,
    pub(crate) counts: Counts,
}

/// What was counted.
#[derive(Clone, Default)]
pub(crate) struct Counts {
    pub(crate) reads: u64,
    /// Reads that the instrument's filter left out.
    pub(crate) flagged: u64,
    /// Reads by length; only those that there are.
    pub(crate) lengths: Lengths,
    pub(crate) letters: LetterGrid,
    pub(crate) qualities: QualityGrid,
    /// Non-empty reads by mean quality letter.
    pub(crate) means: Vec<u64>,
    /// Of each adapter, reads by where it begins first.
    pub(crate) hits: Vec<BTreeMap<usize, u64>>,
}

/// Reads by length.
#[derive(Clone, Default)]
pub(crate) struct Lengths {
    short: Vec<u64>,
    long: BTreeMap<usize, u64>,
}

/// Lengths from which on reads are so few that a tree holds them.
const LONG: usize = 1 << 12;

impl Lengths {
    #[inline]
    fn add(&mut self, length: usize, reads: u64) {
        if length >= LONG {
            *self.long.entry(length).or_default() += reads;
            return;
        }
        if length >= self.short.len() {
            self.short.resize(length + 1, 0);
        }
        self.short[length] += reads;
    }

    /// Each length that there is, upwards, and its reads.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, u64)> + '_ {
        let short = self.short.iter().copied().enumerate();
        let long = self.long.iter().map(|(&length, &reads)| (length, reads));
        short.filter(|(_, reads)| *reads > 0).chain(long)
    }
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(settings: &Arc<Settings>) -> Self {
        Tally {
            settings: Arc::clone(settings),
            hasher: KeyHasher::new(),
            search: AdapterSearch::new(&settings.adapters),
            longest_adapter: settings.longest_adapter(),
            doubtful: Vec::new(),
            counts: Counts {
                means: vec![0; 256],
                hits: vec![BTreeMap::new(); settings.adapters.len()],
                ..Counts::default()
            },
        }
    }

    /// Count a read: bases in upper case, and as many qualities. What is returned is to be noted: it depends on the reads
    /// before.
    ///
    /// # Panics
    /// If there are not as many qualities as bases.
    #[inline]
    pub fn add(&mut self, bases: &[u8], qualities: &[u8]) -> Note<'_> {
        assert_eq!(bases.len(), qualities.len(), "a quality for each base");
        let counts = &mut self.counts;
        let length = bases.len();
        counts.reads += 1;
        counts.lengths.add(length, 1);
        counts.letters.add(bases);
        counts.qualities.add(qualities);
        if length > 0 {
            let mut sum = Qualities::default();
            thalweg_scan::qualities(qualities, &mut sum);
            // Of letters from `!` on, the sum of what is above it is not negative.
            let mean = sum.sum.unsigned_abs() / length as u64 + u64::from(b'!');
            counts.means[mean as usize % 256] += 1;
        }
        self.doubtful.clear();
        let (longest, doubtful) = (self.longest_adapter, &mut self.doubtful);
        self.search.find(bases, |adapter, start| {
            match length > longest && start + longest <= length {
                true => *counts.hits[adapter].entry(start).or_default() += 1,
                false => doubtful.push((adapter, start)),
            }
        });
        let looked_at = looked_at(length);
        let letters = &bases[..looked_at];
        let gc = count_equal(letters, b'G') + count_equal(letters, b'C');
        Note {
            hash: self.hasher.hash(self.settings.key(bases)),
            gc: (looked_at as u32, gc as u32),
            length,
            doubtful: &self.doubtful,
        }
    }

    /// Count a read that the instrument's filter left out, and of which nothing else is looked at.
    pub fn add_flagged(&mut self) {
        self.counts.flagged += 1;
    }

    /// What was counted, for a report or several.
    pub(crate) fn finish(mut self) -> Counts {
        self.counts.letters.settle();
        self.counts
    }
}

impl Counts {
    /// Add what `other` has counted.
    pub(crate) fn merge(&mut self, other: Self) {
        self.reads += other.reads;
        self.flagged += other.flagged;
        other
            .lengths
            .iter()
            .for_each(|(length, reads)| self.lengths.add(length, reads));
        self.letters.merge(&other.letters);
        self.qualities.merge(other.qualities);
        if self.means.is_empty() {
            self.means = vec![0; 256];
        }
        self.means
            .iter_mut()
            .zip(other.means)
            .for_each(|(own, other)| *own += other);
        self.hits
            .resize(self.hits.len().max(other.hits.len()), BTreeMap::new());
        for (own, other) in self.hits.iter_mut().zip(other.hits) {
            for (start, reads) in other {
                *own.entry(start).or_default() += reads;
            }
        }
    }

    /// The longest read.
    pub(crate) fn longest(&self) -> usize {
        self.lengths
            .iter()
            .next_back()
            .map_or(0, |(length, _)| length)
    }
}
