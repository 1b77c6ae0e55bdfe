//! From reads to statistics.

use thalweg_scan::{QualityCounters, are_bases};

use super::cycles::{self, CycleCounters};
use super::kmers::KmerCounters;
use super::{Cycle, ReadStatistics};

/// Which letters count as which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LetterRule {
    /// Lower case counts as upper case; everything but A, C, G, T and N is "anything else".
    #[default]
    Plain,
    /// As fastp has it: by the lowest three bits of the letter, so that, for example, K
    /// counts as C; but 5-mers are counted in upper case only.
    Fastp,
}

impl LetterRule {
    /// The place in [`Cycle`] of a letter.
    fn class(self, letter: u8) -> usize {
        match self {
            LetterRule::Plain => match letter.to_ascii_uppercase() {
                b'A' => 0,
                b'C' => 1,
                b'G' => 2,
                b'T' => 3,
                b'N' => 4,
                _ => 5,
            },
            LetterRule::Fastp => match letter & 7 {
                1 => 0,
                3 => 1,
                7 => 2,
                4 => 3,
                6 => 4,
                _ => 5,
            },
        }
    }
}

/// Makes [`ReadStatistics`] from reads.
///
/// Holds about 64 KiB for reads of 150 bases, and 1 MiB of address space, of which the
/// system provides what is used: 10 to 50 KiB.
pub struct Collector {
    rule: LetterRule,
    statistics: ReadStatistics,
    cycles: CycleCounters,
    qualities: QualityCounters,
    kmers: KmerCounters,
    /// Places of other letters than A, C, G and T in the read at hand.
    others: Vec<u32>,
}

impl Collector {
    /// An empty collector.
    pub fn new(rule: LetterRule) -> Self {
        Collector {
            rule,
            statistics: ReadStatistics::default(),
            cycles: CycleCounters::default(),
            qualities: QualityCounters::new(),
            kmers: KmerCounters::new(),
            others: Vec::new(),
        }
    }

    /// Count one read. `quality` has one byte for each base; where one of the two is
    /// longer, its rest is ignored.
    #[inline]
    pub fn add(&mut self, sequence: &[u8], quality: &[u8]) {
        debug_assert_eq!(sequence.len(), quality.len());
        let length = sequence.len().min(quality.len());
        let (sequence, quality) = (&sequence[..length], &quality[..length]);
        let statistics = &mut self.statistics;
        statistics.reads += 1;
        let told_apart = length.min(ReadStatistics::CYCLE_LIMIT);
        if told_apart >= statistics.lengths.len() {
            statistics.lengths.resize(told_apart + 1, 0);
        }
        let cycles = length.min(ReadStatistics::CYCLE_LIMIT + 1);
        if cycles > statistics.cycles.len() {
            statistics.cycles.resize(cycles, Cycle::default());
        }
        statistics.lengths[told_apart] += 1;

        self.qualities.add(quality, &mut statistics.qualities);
        let near = length.min(ReadStatistics::CYCLE_LIMIT);
        let wide = &mut statistics.cycles;
        self.cycles.add(&sequence[..near], &quality[..near], wide);
        // Left are the 5-mers of a clean read, and the other bases of one that is not.
        if near == length && are_bases(sequence) {
            self.kmers.add_clean(sequence, &mut statistics.kmers);
        } else {
            self.add_unclean(sequence, quality);
        }
    }

    /// The statistics of all reads so far, which begin anew.
    pub fn take(&mut self) -> ReadStatistics {
        self.cycles.drain_into(&mut self.statistics.cycles);
        self.qualities.drain_into(&mut self.statistics.qualities);
        self.kmers.drain_into(&mut self.statistics.kmers);
        std::mem::take(&mut self.statistics)
    }

    /// The statistics of all reads.
    pub fn finish(mut self) -> ReadStatistics {
        self.take()
    }

    #[inline(never)]
    fn add_unclean(&mut self, sequence: &[u8], quality: &[u8]) {
        let (wide, others) = (&mut self.statistics.cycles, &mut self.others);
        let class = |letter| self.rule.class(letter);
        let (near, far) = sequence.split_at(sequence.len().min(ReadStatistics::CYCLE_LIMIT));
        let (near_quality, far_quality) = quality.split_at(near.len());
        cycles::find_others(near, others);
        cycles::add_others(near, near_quality, others, wide, class);

        // For 5-mers the whole read counts, and lower case may.
        if !far.is_empty() {
            cycles::add_beyond(far, far_quality, wide, class);
            cycles::find_others(sequence, others);
        }
        let fold_case = self.rule == LetterRule::Plain;
        let is_other =
            |place: &usize| !(fold_case && matches!(sequence[*place], b'a' | b'c' | b'g' | b't'));
        let places = others.iter().map(|&place| place as usize).filter(is_other);
        self.kmers
            .add_between(sequence, places, &mut self.statistics.kmers);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::statistics::oracle;

    /// Reads of up to 100 bases; most of them as long as each other and of ASCII
    /// qualities, so that all ways to count them are gone.
    fn reads() -> impl Strategy<Value = Vec<(Vec<u8>, Vec<u8>)>> {
        let base = || {
            prop_oneof![
                60 => prop::sample::select(b"ACGT".to_vec()),
                1 => prop::sample::select(b"NacgtnRYK.-\0\xff".to_vec()),
            ]
        };
        let read = move |lengths: std::ops::Range<usize>, last: u8| {
            let read = prop::collection::vec((base(), 0..=last), lengths);
            read.prop_map(|read| read.into_iter().unzip())
        };
        (0_usize..100).prop_flat_map(move |length| {
            let read = prop_oneof![
                6 => read(length..length + 1, 127),
                2 => read(0..100, 127),
                1 => read(0..100, 255),
            ];
            prop::collection::vec(read, 0..600)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn counts_what_a_loop_over_all_bases_counts(reads in reads()) {
            for rule in [LetterRule::Plain, LetterRule::Fastp] {
                let mut collector = Collector::new(rule);
                for (sequence, quality) in &reads {
                    collector.add(sequence, quality);
                }
                prop_assert_eq!(collector.finish(), oracle::statistics(&reads, rule));
            }
        }

        #[test]
        fn parts_merge_in_any_order_and_grouping(reads in reads(), cuts in any::<[prop::sample::Index; 2]>()) {
            let mut cuts = cuts.map(|cut| cut.index(reads.len() + 1));
            cuts.sort();
            let part = |range: std::ops::Range<usize>| oracle::statistics(&reads[range], LetterRule::Plain);
            let (a, b, c) = (part(0..cuts[0]), part(cuts[0]..cuts[1]), part(cuts[1]..reads.len()));
            let merged = |parts: &[&ReadStatistics]| {
                let mut sum = ReadStatistics::default();
                parts.iter().for_each(|part| sum.merge(part));
                sum
            };
            let whole = part(0..reads.len());
            prop_assert_eq!(&merged(&[&a, &b, &c]), &whole);
            prop_assert_eq!(&merged(&[&c, &a, &b]), &whole);
            prop_assert_eq!(&merged(&[&a, &merged(&[&c, &b])]), &whole);
        }
    }

    #[test]
    fn full_counters_lose_nothing() {
        // All in the same counters, more often than a u8 counts to, with the largest bytes.
        let mut collector = Collector::new(LetterRule::Plain);
        for _ in 0..1000 {
            for highest in [255, 127] {
                collector.add(b"GGGGGGGGGGGGGGGGG", &[highest; 17]);
            }
        }
        let statistics = collector.finish();
        for cycle in [0, 16] {
            let cycle = statistics.cycle(cycle);
            let sum = 1000 * (255 + 127);
            assert_eq!((cycle.letters[2], cycle.quality_bytes[2]), (2000, sum));
        }
        assert_eq!(statistics.kmer(b"GGGGG"), 26_000);
        assert_eq!(statistics.qualities()[255], 17_000);
    }

    #[test]
    fn a_read_longer_than_the_limit_is_counted_to_its_end() {
        let reads = [
            ReadStatistics::CYCLE_LIMIT,
            ReadStatistics::CYCLE_LIMIT + 1,
            ReadStatistics::CYCLE_LIMIT * 3 / 2,
        ]
        .map(|length| {
            let sequence = b"ACGTTGCAN"
                .iter()
                .copied()
                .cycle()
                .take(length)
                .collect::<Vec<u8>>();
            (sequence, vec![b'I'; length])
        });
        let mut collector = Collector::new(LetterRule::Plain);
        for (sequence, quality) in &reads {
            collector.add(sequence, quality);
        }
        let statistics = collector.finish();
        assert_eq!(statistics, oracle::statistics(&reads, LetterRule::Plain));
        assert_eq!(statistics.cycles().len(), ReadStatistics::CYCLE_LIMIT + 1);
    }

    #[test]
    fn taking_begins_anew() {
        let mut collector = Collector::new(LetterRule::Plain);
        collector.add(b"ACGTA", b"IIIII");
        assert_eq!(collector.take().kmer(b"ACGTA"), 1);
        assert_eq!(collector.take(), ReadStatistics::default());
    }
}
