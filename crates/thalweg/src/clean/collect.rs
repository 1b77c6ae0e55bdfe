//! What is collected about the reads for the reports.

use thalweg_qc::overrepresented::{Candidates, Occurrences};
use thalweg_qc::statistics::{LetterRule, Stages};
use thalweg_qc::{Mode, Observer};

use super::fastqc::FastqcSeen;
use super::findings::Findings;
use crate::trace::Followed;

/// Statistics of both mates, and frequent sequences, if somebody wants them.
pub(crate) struct Collectors<'a> {
    stages: Option<[Stages; 2]>,
    frequent: Option<Frequent<'a>>,
    /// What FastQC's reports are made of.
    pub(crate) fastqc: Option<FastqcSeen>,
}

/// Frequent sequences before and after the steps, by mate.
struct Frequent<'a> {
    candidates: &'a [Candidates; 2],
    sampling: u64,
    /// Count reads after the steps by their own ranks, as fastp does.
    own_ranks: bool,
    rank: u64,
    ranks_after: [u64; 2],
    before: [Occurrences; 2],
    after: [Occurrences; 2],
}

impl<'a> Collectors<'a> {
    /// `report` tells whether there will be any; frequent sequences are to be counted in one of so many reads.
    pub(crate) fn new(
        mode: Mode,
        report: bool,
        candidates: Option<(&'a [Candidates; 2], u64)>,
        fastqc: Option<FastqcSeen>,
    ) -> Self {
        let is_correct = mode.is_correct();
        let rule = match is_correct {
            true => LetterRule::Plain,
            false => LetterRule::Fastp,
        };
        Self {
            stages: report.then(|| [Stages::new(rule), Stages::new(rule)]),
            frequent: candidates.map(|(candidates, sampling)| Frequent {
                candidates,
                sampling,
                own_ranks: !is_correct,
                rank: 0,
                ranks_after: [0; 2],
                before: Default::default(),
                after: Default::default(),
            }),
            fastqc,
        }
    }

    pub(crate) fn finish(self, findings: &mut Findings) {
        if let Some(mut stages) = self.stages {
            for (mate, stages) in stages.iter_mut().enumerate() {
                (findings.before[mate], findings.after[mate]) = stages.take();
            }
        }
        if let Some(frequent) = self.frequent {
            findings.frequent_before = frequent.before;
            findings.frequent_after = frequent.after;
        }
        findings.fastqc = self.fastqc.map(FastqcSeen::finish);
    }
}

/// An observer that goes by ranks.
pub(crate) trait ByRank: Observer {
    /// How many reads or pairs came before the next one.
    fn set_rank(&mut self, rank: u64);

    /// The name of the next one, as it came, and what follows that.
    fn set_head(&mut self, mate: usize, head: &[u8]);
}

impl ByRank for Collectors<'_> {
    #[inline]
    fn set_rank(&mut self, rank: u64) {
        if let Some(frequent) = &mut self.frequent {
            frequent.rank = rank;
        }
    }

    #[inline]
    fn set_head(&mut self, mate: usize, head: &[u8]) {
        if let Some(fastqc) = &mut self.fastqc {
            fastqc.set_head(mate, head);
        }
    }
}

impl ByRank for Followed<'_, Collectors<'_>> {
    #[inline]
    fn set_rank(&mut self, rank: u64) {
        self.seen.set_rank(rank);
        self.tracer.set_rank(rank);
    }

    #[inline]
    fn set_head(&mut self, mate: usize, head: &[u8]) {
        self.seen.set_head(mate, head);
    }
}

impl Frequent<'_> {
    fn before(&mut self, mate: usize, bases: &[u8]) {
        if self.rank.is_multiple_of(self.sampling) {
            self.before[mate].add(bases, &self.candidates[mate]);
        }
    }

    fn after(&mut self, mate: usize, bases: &[u8]) {
        let rank = match self.own_ranks {
            true => self.ranks_after[mate],
            false => self.rank,
        };
        self.ranks_after[mate] += 1;
        if rank.is_multiple_of(self.sampling) {
            self.after[mate].add(bases, &self.candidates[mate]);
        }
    }
}

impl Observer for Collectors<'_> {
    #[inline]
    fn unchanged(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        if let Some(stages) = &mut self.stages {
            stages[mate].unchanged(bases, qualities);
        }
        if let Some(fastqc) = &mut self.fastqc {
            fastqc.unchanged(mate, bases, qualities);
        }
        if let Some(frequent) = &mut self.frequent {
            frequent.before(mate, bases);
            frequent.after(mate, bases);
        }
    }

    #[inline]
    fn before(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        if let Some(stages) = &mut self.stages {
            stages[mate].before(bases, qualities);
        }
        if let Some(fastqc) = &mut self.fastqc {
            fastqc.before(mate, bases, qualities);
        }
        if let Some(frequent) = &mut self.frequent {
            frequent.before(mate, bases);
        }
    }

    #[inline]
    fn after(&mut self, mate: usize, bases: &[u8], qualities: &[u8]) {
        if let Some(stages) = &mut self.stages {
            stages[mate].after(bases, qualities);
        }
        if let Some(fastqc) = &mut self.fastqc {
            fastqc.after(mate, bases, qualities);
        }
        if let Some(frequent) = &mut self.frequent {
            frequent.after(mate, bases);
        }
    }
}
