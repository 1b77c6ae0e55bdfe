//! Whether mates are in step: by their names, one pair at a time.
//!
//! One record that a file lacks, and no name behind it agrees with its mate's: that is one thing to tell, and not one for each
//! record. So names that differ are looked for among the last ones of the other file; those that come there, one behind the
//! other, tell by how many records the files are apart.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// So many records back a name is looked for.
const WINDOW: usize = 256;

/// So many pairs must say the same, one after the other: a name may come twice.
const AGREEING: u32 = 3;

/// So many pairs whose names differ, one after the other, are worth a line each: then they are no mates.
const WORTH_LISTING: u64 = 10;

/// After so many pairs that nothing explains, one after the other, nothing is looked for until names agree.
const SEARCHED: u64 = 4 * WINDOW as u64;

/// What is known of mates, read in step.
#[derive(Default)]
pub(super) struct Steps {
    /// Hashes of the last names of each since the last pair that agrees, the newest in front. Names may be long.
    recent: [VecDeque<u64>; 2],
    /// By how many records the second are ahead of their mates, as they lack some; below 0 the first ones are.
    ahead: i64,
    /// How far they may be ahead now, and how many pairs say so.
    presumed: Option<(i64, u32)>,
    /// The first pair since the last one that agreed.
    since: Option<u64>,
    /// Pairs that are not explained, one after the other.
    unexplained: u64,
}

/// What is to be said of a pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// The names are the same.
    Same,
    /// They differ.
    Differs,
    /// They differ, and no more need be said: they are as far apart as was told, or are no mates at all.
    Known,
    /// They differ, and so does all since the pair of rank `since`: there the second ones lack so many records more, or below 0
    /// the first ones.
    Apart { since: u64, lacking: i64 },
}

impl Steps {
    /// The names of the pair of this rank, as far as mates have them in common.
    pub(super) fn next(&mut self, rank: u64, first: &[u8], second: &[u8]) -> Step {
        if first == second {
            if self.is_out() {
                *self = Self::default();
            }
            return Step::Same;
        }
        for (recent, name) in self.recent.iter_mut().zip([first, second]) {
            let mut hasher = DefaultHasher::new();
            name.hash(&mut hasher);
            recent.truncate(WINDOW);
            recent.push_front(hasher.finish());
        }
        if self.ahead != 0 && self.agree(self.ahead) {
            (self.presumed, self.since, self.unexplained) = (None, None, 0);
            return Step::Known;
        }
        let since = *self.since.get_or_insert(rank);
        self.unexplained += 1;
        let found = match self.unexplained <= SEARCHED {
            true => self.find(),
            false => None,
        };
        self.presumed = match (self.presumed, found) {
            (Some((ahead, pairs)), Some(found)) if ahead == found => Some((ahead, pairs + 1)),
            (_, found) => found.map(|ahead| (ahead, 1)),
        };
        match self.presumed {
            Some((ahead, AGREEING)) => {
                let lacking = ahead - self.ahead;
                self.ahead = ahead;
                (self.presumed, self.since, self.unexplained) = (None, None, 0);
                Step::Apart { since, lacking }
            }
            _ if self.unexplained > WORTH_LISTING => Step::Known,
            _ => Step::Differs,
        }
    }

    /// Whether the pair before was none that agrees.
    fn is_out(&self) -> bool {
        !self.recent[0].is_empty()
    }

    /// How far the second ones are ahead, by the last pair: as little as may be.
    fn find(&self) -> Option<i64> {
        let distances = (1..=WINDOW as i64).flat_map(|distance| [distance, -distance]);
        let mut fitting = distances.filter(|&ahead| self.agree(ahead));
        fitting.next()
    }

    /// Whether the last pair fits this distance.
    fn agree(&self, ahead: i64) -> bool {
        let [first, second] = &self.recent;
        let back = ahead.unsigned_abs() as usize;
        let (one, other) = match ahead {
            0.. => (first.front(), second.get(back)),
            _ => (first.get(back), second.front()),
        };
        one.is_some() && one == other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of mates with these numbers for names, but for pairs that agree.
    fn told(first: &[u64], second: &[u64]) -> Vec<(u64, Step)> {
        let mut steps = Steps::default();
        let pairs = first.iter().zip(second).enumerate();
        let told = pairs.map(|(rank, (one, other))| {
            let rank = rank as u64;
            (
                rank,
                steps.next(rank, &one.to_be_bytes(), &other.to_be_bytes()),
            )
        });
        told.filter(|(_, step)| *step != Step::Same).collect()
    }

    fn but(lacking: &[u64]) -> Vec<u64> {
        (0..1000).filter(|rank| !lacking.contains(rank)).collect()
    }

    #[test]
    fn lost_records_are_told_once_each() {
        for (first, second, expected) in [
            (but(&[]), but(&[]), vec![]),
            (but(&[]), but(&[10]), vec![(10, 1)]),
            (but(&[0]), but(&[]), vec![(0, -1)]),
            (but(&[]), but(&[10, 11, 12, 13, 14]), vec![(10, 5)]),
            (but(&[]), but(&[10, 500]), vec![(10, 1), (500, 1)]),
            // In step again behind the second one.
            (but(&[500]), but(&[10]), vec![(10, 1)]),
            (
                but(&[500]),
                but(&[10, 20]),
                vec![(10, 1), (20, 1), (500, -1)],
            ),
        ] {
            let told = told(&first, &second);
            let found = told.iter().filter_map(|(_, step)| match *step {
                Step::Apart { since, lacking } => Some((since, lacking)),
                _ => None,
            });
            assert_eq!(found.collect::<Vec<_>>(), expected);
            let differs = told.iter().filter(|(_, step)| *step == Step::Differs);
            assert!(differs.count() <= 8 * expected.len());
        }
    }

    #[test]
    fn one_wrong_name_is_one() {
        let mut second = but(&[]);
        second[7] = 5000;
        // Of another record, as if it had been copied.
        second[20] = 18;
        let expected = [(7, Step::Differs), (20, Step::Differs)];
        assert_eq!(told(&but(&[]), &second), expected);
    }

    #[test]
    fn those_that_are_no_mates_are_told_a_few_times() {
        let second: Vec<u64> = (5000..6000).collect();
        let told = told(&but(&[]), &second);
        assert_eq!(told.len(), 1000);
        let listed = told.iter().filter(|(_, step)| *step == Step::Differs);
        assert_eq!(listed.count() as u64, WORTH_LISTING);
    }
}
