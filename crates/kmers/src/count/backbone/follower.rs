//! What one worker knows of the backbone.

use super::{
    Backbone, Steps,
    anchors::Stretch,
    builder::{Builder, Verdict},
    join::Rest,
};
use crate::count::encode::Encoded;
use std::sync::{
    Arc, OnceLock,
    atomic::{AtomicBool, Ordering},
};

/// k-mers after which a worker looks at how many of them it has found.
const BLOCK: u64 = 1 << 20;

/// Where fewer than a quarter of the k-mers are found, looking for them costs more than it spares.
const LEAST_FOUND: u64 = 4;

/// Where workers get the backbone from the one that builds it.
#[derive(Debug)]
pub(in crate::count) struct Meeting {
    is_claimed: AtomicBool,
    /// Nothing while it is being built, `None` if it was given up.
    outcome: OnceLock<Option<Arc<Backbone>>>,
    k: usize,
    /// Bases that it may have.
    most: usize,
    expected: Option<u64>,
    /// Matches that each worker may count, so that all weights fit 32 bits.
    matches: u32,
}

impl Meeting {
    /// Of `threads` workers that count k-mers, of which so many are expected, by a backbone of `most` bases at most; 0 for none.
    pub(in crate::count) fn new(
        k: usize,
        most: usize,
        expected: Option<u64>,
        threads: usize,
    ) -> Self {
        Self {
            is_claimed: AtomicBool::new(false),
            outcome: match most {
                0 => OnceLock::from(None),
                _ => OnceLock::new(),
            },
            k,
            most,
            expected,
            matches: u32::MAX / u32::try_from(threads).unwrap_or(u32::MAX),
        }
    }
}

/// A segment that waits until the memory has come that finding it needs.
#[derive(Debug, Default)]
pub(in crate::count) struct Ahead {
    pub(in crate::count) encoded: Encoded,
    first: Option<(Stretch, (usize, usize))>,
}

/// One worker's part.
#[derive(Debug)]
pub(in crate::count) struct Follower {
    meeting: Arc<Meeting>,
    state: State,
    /// k-mers of this block, and those of them that were found.
    taken: u64,
    found: u64,
    /// Matches that may be counted yet.
    matches: u32,
    rest: Option<Rest>,
    waiting: super::Waiting,
}

#[derive(Debug)]
enum State {
    /// Somebody else is building, or nobody yet.
    Waiting,
    Building(Box<Builder>),
    Following(Arc<Backbone>, Steps),
    /// Nothing is looked for any more. What was counted before still counts.
    Resting(Option<(Arc<Backbone>, Steps)>),
}

impl Follower {
    pub(in crate::count) fn new(meeting: Arc<Meeting>) -> Self {
        Self {
            state: State::Waiting,
            taken: 0,
            found: 0,
            matches: meeting.matches,
            rest: None,
            waiting: Default::default(),
            meeting,
        }
    }

    /// Whether any k-mers may be counted here.
    #[inline(always)]
    pub(in crate::count) fn is_awake(&self) -> bool {
        !matches!(self.state, State::Resting(_))
    }

    /// Counts what is found of the `runs` of valid bases, of k or more each, and leaves in them what is not. `left` is a buffer, whose
    /// content means nothing. Tells how many k-mers were counted.
    #[inline(always)]
    pub(in crate::count) fn take(
        &mut self,
        encoded: &Encoded,
        runs: &mut Vec<(usize, usize)>,
        left: &mut Vec<(usize, usize)>,
    ) -> u64 {
        let overlap = self.meeting.k - 1;
        let mut counted = 0;
        left.clear();
        match &mut self.state {
            State::Following(backbone, steps) => {
                for &run in &*runs {
                    let located = backbone.locate(encoded, run, steps, &mut self.waiting, left);
                    self.taken += (run.1 - run.0 - overlap) as u64;
                    counted += located.kmers as u64;
                    self.matches = self.matches.saturating_sub(located.matches as u32);
                }
                self.found += counted;
            }
            State::Building(builder) => {
                for &run in &*runs {
                    let located = builder.take(encoded, run, left);
                    counted += located.kmers as u64;
                    self.matches = self.matches.saturating_sub(located.matches as u32);
                }
            }
            State::Waiting | State::Resting(_) => {
                self.look();
                return 0;
            }
        }
        std::mem::swap(runs, left);
        self.look();
        counted
    }

    /// Whether reads are looked for in a backbone that is done.
    #[inline(always)]
    pub(in crate::count) fn is_following(&self) -> bool {
        matches!(self.state, State::Following(..) | State::Building(_))
    }

    /// Asks for what finding the segment `new` needs first, and the segment `older`, for which that was done before, next.
    #[inline(always)]
    pub(in crate::count) fn approach(&self, k: usize, new: &mut Ahead, older: &Ahead) {
        let (backbone, steps) = match &self.state {
            State::Following(backbone, steps) => (&**backbone, steps),
            State::Building(builder) => (&builder.backbone, &builder.steps),
            State::Waiting | State::Resting(_) => return,
        };
        new.first = (new.encoded.runs(k).next())
            .and_then(|run| Some((backbone.approach(&new.encoded, run)?, run)));
        if let Some((stretch, run)) = older.first {
            backbone.ask(stretch, run, steps);
        }
    }

    /// Looks whether to go on as before.
    #[inline(always)]
    fn look(&mut self) {
        match &mut self.state {
            State::Following(..) if self.taken < BLOCK && self.matches > MATCHES_OF_RUNS => {}
            State::Resting(_) => {}
            _ => self.change(),
        }
    }

    #[cold]
    #[inline(never)]
    fn change(&mut self) {
        let state = std::mem::replace(&mut self.state, State::Resting(None));
        self.state = match state {
            State::Waiting => match self.meeting.outcome.get() {
                Some(Some(backbone)) => {
                    let steps = vec![0; backbone.text.end() + 1];
                    State::Following(Arc::clone(backbone), steps)
                }
                Some(None) => State::Resting(None),
                None if self.meeting.is_claimed.swap(true, Ordering::Relaxed) => State::Waiting,
                None => {
                    let Meeting {
                        k, most, expected, ..
                    } = *self.meeting;
                    State::Building(Box::new(Builder::new(k, most, expected)))
                }
            },
            State::Building(mut builder) => match self.verdict(&mut builder) {
                Verdict::GoOn if self.matches > MATCHES_OF_RUNS => State::Building(builder),
                verdict => {
                    builder.waiting.flush(&mut builder.steps);
                    let Builder {
                        backbone, steps, ..
                    } = *builder;
                    let backbone = Arc::new(backbone);
                    let is_done = verdict == Verdict::Done;
                    let outcome = is_done.then(|| Arc::clone(&backbone));
                    // Nobody else has claimed it.
                    let _ = self.meeting.outcome.set(outcome);
                    match is_done {
                        true => State::Following(backbone, steps),
                        false => State::Resting(Some((backbone, steps))),
                    }
                }
            },
            State::Following(backbone, mut steps) => {
                self.waiting.flush(&mut steps);
                let found = std::mem::take(&mut self.found);
                let taken = std::mem::take(&mut self.taken);
                if found < taken / LEAST_FOUND || self.matches <= MATCHES_OF_RUNS {
                    State::Resting(Some((backbone, steps)))
                } else {
                    State::Following(backbone, steps)
                }
            }
            resting => resting,
        };
    }

    fn verdict(&mut self, builder: &mut Builder) -> Verdict {
        let verdict = builder.verdict();
        self.rest = builder.take_rest();
        verdict
    }

    /// What is to be cut, too.
    #[inline(always)]
    pub(in crate::count) fn take_rest(&mut self) -> Option<Rest> {
        self.rest.take()
    }

    /// The backbone, if there is one, and what was counted by it.
    pub(in crate::count) fn finish(mut self) -> Option<(Arc<Backbone>, Steps)> {
        match self.state {
            State::Waiting => None,
            State::Building(mut builder) => {
                builder.waiting.flush(&mut builder.steps);
                Some((Arc::new(builder.backbone), builder.steps))
            }
            State::Following(backbone, mut steps) => {
                self.waiting.flush(&mut steps);
                Some((backbone, steps))
            }
            State::Resting(held) => held,
        }
    }
}

/// Matches that the runs of one segment can have, and more.
const MATCHES_OF_RUNS: u32 = 1 << 12;
