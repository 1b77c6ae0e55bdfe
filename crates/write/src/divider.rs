//! Which file of a split output each record goes to.
//!
//! That follows from the records before it, and for some rules from the packs of the
//! input before it. So whoever divides sees all pieces of the output in their order,
//! and keeps a few numbers; what is cut out of the text is worked out elsewhere.

use std::num::NonZeroU64;

use crate::split::Rule;

/// Consecutive records of a piece that go to one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    pub(crate) file: u64,
    pub(crate) records: u64,
}

/// Where a split output stands between two pieces.
#[derive(Clone, Debug)]
pub(crate) struct Divider {
    rule: Rule,
    /// The file that got the last record, or is to get the next one.
    file: u64,
    /// Records in it since its turn began.
    records: u64,
    /// Packs of the input that ended since then.
    packs: u64,
    /// What its records weigh.
    weight: u64,
}

impl Divider {
    pub(crate) fn new(rule: Rule) -> Self {
        Self {
            rule,
            file: 0,
            records: 0,
            packs: 0,
            weight: 0,
        }
    }

    /// Divide the next piece. `pack_ends` are the numbers of its records that there
    /// were when packs of the input ended, in order; `weights` are those of its records. No share is empty.
    pub(crate) fn divide(
        &mut self,
        records: u64,
        pack_ends: &[u64],
        weights: &[u64],
    ) -> Vec<Share> {
        let mut shares = Vec::new();
        match self.rule {
            Rule::Every { .. } | Rule::Dealt { .. } | Rule::Shares { .. } => {
                self.take(records, &mut shares)
            }
            Rule::Weighing { least } => {
                // Records of which nobody says what they weigh weigh nothing.
                let weights = weights.iter().copied().chain(std::iter::repeat(0));
                for (_, weight) in (0..records).zip(weights) {
                    if self.weight >= least.get() {
                        self.turn();
                    }
                    self.take(1, &mut shares);
                    self.weight = self.weight.saturating_add(weight);
                }
            }
            Rule::FullPacks { .. } | Rule::PackShares { .. } => {
                let mut taken = 0;
                for &end in pack_ends {
                    let end = end.clamp(taken, records);
                    self.take(end - taken, &mut shares);
                    taken = end;
                    self.end_pack();
                }
                self.take(records - taken, &mut shares);
            }
        }
        shares
    }

    /// How many files there are if the output ends here. The end of the input ends a pack.
    pub(crate) fn files(&self) -> u64 {
        match self.rule {
            Rule::Every { .. } | Rule::Weighing { .. } => self.file + 1,
            Rule::Dealt { files, .. }
            | Rule::PackShares { files, .. }
            | Rule::Shares { files, .. } => files.get(),
            Rule::FullPacks { least } => self.file + 1 + u64::from(self.records >= least.get()),
        }
    }

    fn take(&mut self, mut left: u64, shares: &mut Vec<Share>) {
        while left > 0 {
            let room = self.room();
            if room == 0 {
                self.turn();
                continue;
            }
            let taken = room.min(left);
            self.records = self.records.saturating_add(taken);
            left -= taken;
            match shares.last_mut() {
                Some(share) if share.file == self.file => share.records += taken,
                _ => shares.push(Share {
                    file: self.file,
                    records: taken,
                }),
            }
        }
    }

    /// Records that the file may still get before another one's turn.
    fn room(&self) -> u64 {
        match self.rule {
            Rule::Every { records } | Rule::Dealt { records, .. } => records.get() - self.records,
            Rule::Shares { files, records } => match self.file + 1 < files.get() {
                true => share(self.file, files, records) - self.records,
                false => u64::MAX,
            },
            Rule::FullPacks { .. } | Rule::PackShares { .. } | Rule::Weighing { .. } => u64::MAX,
        }
    }

    fn end_pack(&mut self) {
        self.packs += 1;
        let is_full = match self.rule {
            Rule::Every { .. }
            | Rule::Dealt { .. }
            | Rule::Shares { .. }
            | Rule::Weighing { .. } => false,
            Rule::FullPacks { least } => self.records >= least.get(),
            Rule::PackShares { files, packs } => {
                self.packs >= packs.get() && self.file + 1 < files.get()
            }
        };
        if is_full {
            self.turn();
        }
    }

    /// Let another file have its turn.
    fn turn(&mut self) {
        self.file = match self.rule {
            Rule::Dealt { files, .. } => (self.file + 1) % files.get(),
            _ => self.file + 1,
        };
        (self.records, self.packs, self.weight) = (0, 0, 0);
    }
}

/// How many of all records file number `file` gets.
fn share(file: u64, files: NonZeroU64, records: u64) -> u64 {
    let end = |file| u128::from(records) * u128::from(file) / u128::from(files.get());
    // No more than all.
    (end(file + 1) - end(file)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(number: u64) -> NonZeroU64 {
        NonZeroU64::new(number).unwrap()
    }

    /// What becomes of a read of the input.
    #[derive(Clone, Debug)]
    struct Run {
        rule: Rule,
        /// Reads of the input to a pack.
        pack: usize,
        /// Whether each read of the input passes.
        reads: Vec<bool>,
        /// Reads of the input to a piece; what is left is one more.
        pieces: Vec<usize>,
    }

    fn runs() -> impl Strategy<Value = Run> {
        let few = || (1_u64..8).prop_map(number);
        let rule = prop_oneof![
            few().prop_map(|records| Rule::Every { records }),
            (few(), few()).prop_map(|(files, records)| Rule::Dealt { files, records }),
            few().prop_map(|least| Rule::FullPacks { least }),
            (few(), few()).prop_map(|(files, packs)| Rule::PackShares { files, packs }),
            (few(), 0..60_u64).prop_map(|(files, records)| Rule::Shares { files, records }),
            (1..40_u64).prop_map(|least| Rule::Weighing {
                least: number(least)
            }),
        ];
        let reads = prop::collection::vec(any::<bool>(), 0..60);
        let pieces = prop::collection::vec(0..9_usize, 0..12);
        (rule, 1..7_usize, reads, pieces).prop_map(|(rule, pack, reads, pieces)| Run {
            rule,
            pack,
            reads,
            pieces,
        })
    }

    /// The file of each read that passes, and how many files there are: read by read,
    /// pack by pack, with the whole input at hand.
    fn oracle(run: &Run) -> (Vec<u64>, u64) {
        let passing = run.reads.iter().filter(|passes| **passes).count() as u64;
        let mut files = Vec::new();
        match run.rule {
            Rule::Every { records } => {
                files.extend((0..passing).map(|rank| rank / records));
                (files, passing.div_ceil(records.get()).max(1))
            }
            Rule::Dealt {
                files: count,
                records,
            } => {
                files.extend((0..passing).map(|rank| rank / records % count));
                (files, count.get())
            }
            Rule::PackShares {
                files: count,
                packs,
            } => {
                for (rank, _) in run.reads.iter().enumerate().filter(|(_, passes)| **passes) {
                    let pack = (rank / run.pack) as u64;
                    files.push((pack / packs).min(count.get() - 1));
                }
                (files, count.get())
            }
            Rule::Shares {
                files: count,
                records,
            } => {
                for rank in 0..passing {
                    // The file is the last one that begins no later than there.
                    let begins = |file: &u64| file * records / count <= rank;
                    let file = (0..count.get()).rfind(begins).unwrap();
                    files.push(file);
                }
                (files, count.get())
            }
            Rule::Weighing { least } => {
                let mut weights = vec![0];
                for rank in 0..passing {
                    if *weights.last().unwrap() >= least.get() {
                        weights.push(0);
                    }
                    files.push(weights.len() as u64 - 1);
                    *weights.last_mut().unwrap() += weight(rank);
                }
                (files, weights.len() as u64)
            }
            Rule::FullPacks { least } => {
                let mut sizes = vec![0];
                for pack in run.reads.chunks(run.pack) {
                    for _ in pack.iter().filter(|passes| **passes) {
                        files.push(sizes.len() as u64 - 1);
                        *sizes.last_mut().unwrap() += 1;
                    }
                    if *sizes.last().unwrap() >= least.get() {
                        sizes.push(0);
                    }
                }
                (files, sizes.len() as u64)
            }
        }
    }

    /// What the read of this rank weighs.
    fn weight(rank: u64) -> u64 {
        rank * rank % 13
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_are_divided_alike(run in runs()) {
            let mut divider = Divider::new(run.rule);
            let (mut files, mut rank, mut passed) = (Vec::new(), 0_usize, 0);
            for size in run.pieces.iter().copied().chain([usize::MAX]) {
                let reads = &run.reads[rank..rank.saturating_add(size).min(run.reads.len())];
                let (mut records, mut pack_ends) = (0, Vec::new());
                for passes in reads {
                    if rank > 0 && rank % run.pack == 0 {
                        pack_ends.push(records);
                    }
                    records += u64::from(*passes);
                    rank += 1;
                }
                let weights: Vec<u64> = (passed..passed + records).map(weight).collect();
                passed += records;
                let shares = divider.divide(records, &pack_ends, &weights);
                prop_assert!(shares.iter().all(|share| share.records > 0));
                let turns = shares.windows(2);
                prop_assert!(turns.clone().all(|pair| pair[0].file != pair[1].file));
                for share in shares {
                    files.extend((0..share.records).map(|_| share.file));
                }
            }
            let (wanted, count) = oracle(&run);
            prop_assert_eq!(files, wanted);
            prop_assert_eq!(divider.files(), count);
        }
    }

    #[test]
    fn ends_that_cannot_be_are_moved_to_where_they_can() {
        let mut divider = Divider::new(Rule::FullPacks { least: number(2) });
        let share = |file, records| Share { file, records };
        assert_eq!(divider.divide(3, &[9, 1], &[]), [share(0, 3)]);
        assert_eq!(divider.divide(1, &[], &[]), [share(1, 1)]);
    }
}
