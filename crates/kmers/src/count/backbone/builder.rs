//! The backbone in the making.

use super::{
    Backbone, Steps,
    anchors::{Place, Stretches},
    join::{Rest, join},
    text::{Bases, Text},
};
use crate::count::encode::Encoded;

/// k-mers between looking at how many of them are new.
const BLOCK: u64 = 1 << 18;

/// So many blocks are taken before it is decided whether to go on: of a genome of 100 million bases, a hundredth of
/// a million k-mers has come before.
const BLOCKS_TO_BEGIN: u64 = 4;

/// Pieces are joined when there have been so many blocks, and whenever there are twice as many.
const BLOCKS_TO_JOIN: u64 = 16;

/// A k-mer must come so often, on average, that a backbone of all is worth its while.
const LEAST_COVERAGE: f64 = 4.0;

/// The text is long enough when so few k-mers are new: what comes later would make it no better.
const FEW: f64 = 1.0 / 8.0;

/// It is no backbone for reads of which more than this is new.
const MANY: f64 = 0.5;

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    GoOn,
    /// The text is a backbone.
    Done,
    /// It will be none.
    GiveUp,
}

/// Appends what is new of the reads that one worker takes, and counts all that it has appended or found.
#[derive(Debug)]
pub(super) struct Builder {
    pub(super) backbone: Backbone,
    pub(super) steps: Steps,
    /// Bases of the text at most.
    most: usize,
    /// All k-mers that are expected, if that is known.
    expected: Option<u64>,
    blocks: u64,
    /// k-mers of this block, and those of them that were new.
    taken: u64,
    new: u64,
    /// k-mers and new ones of all blocks.
    all_taken: u64,
    all_new: u64,
    /// The new share of the block half as many blocks ago.
    share_before: f64,
    left: Vec<(usize, usize)>,
    /// What the last joining left.
    rest: Option<Rest>,
    pub(super) waiting: super::Waiting,
}

impl Builder {
    /// Of a text of so many bases at most.
    pub(super) fn new(k: usize, most: usize, expected: Option<u64>) -> Self {
        let mut steps = Vec::with_capacity(most + Text::FIRST + 1);
        steps.resize(Text::FIRST + 1, 0);
        Self {
            backbone: Backbone::with_room(k, most),
            steps,
            most,
            expected,
            blocks: 0,
            taken: 0,
            new: 0,
            all_taken: 0,
            all_new: 0,
            share_before: 1.0,
            left: Vec::new(),
            rest: None,
            waiting: Default::default(),
        }
    }

    /// Counts the k-mers of a run, or leaves some to be cut; tells how many it has counted and by how many matches or pieces.
    pub(super) fn take(
        &mut self,
        encoded: &Encoded,
        run: (usize, usize),
        left: &mut Vec<(usize, usize)>,
    ) -> super::Located {
        let k = self.backbone.k;
        let mut new = std::mem::take(&mut self.left);
        let mut located =
            self.backbone
                .locate(encoded, run, &mut self.steps, &mut self.waiting, &mut new);
        self.taken += (run.1 - run.0 - (k - 1)) as u64;
        for piece in new.drain(..) {
            let kmers = piece.1 - piece.0 - (k - 1);
            self.new += kmers as u64;
            if self.backbone.text.end() + (piece.1 - piece.0) > self.most {
                left.push(piece);
                continue;
            }
            self.append(encoded, piece);
            located.kmers += kmers;
            located.matches += 1;
        }
        self.left = new;
        located
    }

    fn append(&mut self, encoded: &Encoded, (start, end): (usize, usize)) {
        let Backbone { k, text, anchors } = &mut self.backbone;
        let first = text.end();
        text.push(Bases::new(&encoded.packed, start, end));
        self.steps.resize(text.end() + 1, 0);
        let kmers = end - start - (*k - 1);
        self.steps[first] = self.steps[first].wrapping_add(1);
        self.steps[first + kmers] = self.steps[first + kmers].wrapping_sub(1);
        for stretch in Stretches::new(encoded, start, end) {
            let place = Place {
                at: first + (stretch.at - start),
                is_reverse: stretch.is_reverse,
            };
            anchors.insert(stretch, place);
        }
    }

    /// To be asked from time to time.
    pub(super) fn verdict(&mut self) -> Verdict {
        if self.taken < BLOCK {
            return Verdict::GoOn;
        }
        let share = self.new as f64 / self.taken as f64;
        self.all_taken += std::mem::take(&mut self.taken);
        self.all_new += std::mem::take(&mut self.new);
        self.blocks += 1;
        if share <= FEW {
            self.join();
            return Verdict::Done;
        }
        let is_full = self.backbone.text.end() + self.most / 64 > self.most;
        let is_no_better = self.blocks.is_power_of_two()
            && share > 0.9 * std::mem::replace(&mut self.share_before, share);
        if (is_full || is_no_better) && share <= MANY {
            self.join();
            return Verdict::Done;
        }
        if is_full || self.blocks >= BLOCKS_TO_BEGIN && !self.is_worth_it(share) {
            return Verdict::GiveUp;
        }
        if self.blocks >= BLOCKS_TO_JOIN && self.blocks.is_power_of_two() {
            self.join();
        }
        Verdict::GoOn
    }

    fn join(&mut self) {
        let nothing = Backbone::with_room(self.backbone.k, 0);
        let old = std::mem::replace(&mut self.backbone, nothing);
        self.waiting.flush(&mut self.steps);
        let steps = std::mem::take(&mut self.steps);
        let (backbone, steps, rest) = join(old, steps, self.most);
        (self.backbone, self.steps) = (backbone, steps);
        self.rest = Some(rest);
    }

    /// What is to be cut after a verdict.
    pub(super) fn take_rest(&mut self) -> Option<Rest> {
        self.rest.take()
    }

    /// Whether what is to be expected would be found often enough in a text that holds it. Of a random read, a share of e^(-t / g)
    /// is new when t of g different k-mers have come.
    fn is_worth_it(&self, share: f64) -> bool {
        let different = self.all_taken as f64 / -share.ln().min(-f64::EPSILON);
        let coverage = match self.expected {
            Some(expected) => expected as f64 / different,
            None => f64::INFINITY,
        };
        different <= self.most as f64 && coverage >= LEAST_COVERAGE
    }
}
