//! What has to see the reads in the order of the input: ranks, and copies of earlier reads.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use thalweg_flow::{Bringer, Pile, Sequencer, SequencerError};
use thalweg_qc::duplication::{Deduplicator, Fingerprint};
use thalweg_qc::{Mode, usual_letters};
use thalweg_reads::{Batch, Block};

/// Gives batches their ranks, and marks copies, whichever thread comes first.
///
/// Threads hand in batches as they come. Whoever brings the one whose turn it is takes
/// care of it and of all that waited for it; then any thread may take them. A thread that has read its last batch stays for
/// those that wait for others: with a few large parts, one thread would do most of the work.
pub(crate) struct InOrder {
    paired: bool,
    mode: Mode,
    sequencer: Sequencer<Waiting>,
    state: Mutex<State>,
    ready: Pile<Ranked>,
}

struct State {
    next_rank: u64,
    deduplicator: Option<Deduplicator>,
}

struct Waiting {
    batch: Batch,
    fingerprints: Vec<Fingerprint>,
}

/// A batch, and what its place in the input says about it.
pub(crate) struct Ranked {
    pub(crate) batch: Batch,
    /// How many reads or pairs came before it.
    pub(crate) first_rank: u64,
    /// For each read or pair whether an equal one came before; empty if nobody wants to know.
    pub(crate) copies: Vec<bool>,
}

impl InOrder {
    pub(crate) fn new(paired: bool, dedup: bool, mode: Mode) -> Self {
        Self {
            paired,
            mode,
            // The gate of the outputs bounds how far ahead anybody is.
            sequencer: Sequencer::new(u64::MAX),
            state: Mutex::new(State {
                next_rank: 0,
                deduplicator: dedup.then(Deduplicator::new),
            }),
            ready: Pile::new(),
        }
    }

    pub(crate) fn hand_in(&self, batch: Batch) {
        let wanted = lock(&self.state).deduplicator.is_some();
        let fingerprints = match wanted {
            true => fingerprints(&batch, self.paired, self.mode),
            false => Vec::new(),
        };
        let rank = |waiting: Waiting| {
            let Waiting {
                batch,
                fingerprints,
            } = waiting;
            let mut state = lock(&self.state);
            let first_rank = state.next_rank;
            let mates_in_file = if self.paired && batch.blocks().len() == 1 {
                2
            } else {
                1
            };
            state.next_rank += (batch.len() / mates_in_file) as u64;
            let mut copies = Vec::new();
            if let Some(deduplicator) = &mut state.deduplicator {
                deduplicator.mark(&fingerprints, &mut copies);
            }
            self.ready.push(Ranked {
                batch,
                first_rank,
                copies,
            });
            Ok::<_, std::convert::Infallible>(())
        };
        let place = batch.place();
        let waiting = Waiting {
            batch,
            fingerprints,
        };
        match self.sequencer.commit(place, waiting, rank) {
            // Nobody closes it: whoever fails closes the outputs, where all others stop.
            Ok(()) | Err(SequencerError::Closed) => {}
            Err(SequencerError::Write(never)) => match never {},
        }
    }

    /// To be kept while there may be batches to hand in, however that ends.
    pub(crate) fn reader(&self) -> Bringer<'_, Ranked> {
        self.ready.bringer()
    }

    pub(crate) fn take(&self) -> Option<Ranked> {
        self.ready.take()
    }

    /// The same, for those who hand in no more: waits for batches of others.
    pub(crate) fn wait(&self) -> Option<Ranked> {
        self.ready.wait()
    }
}

fn fingerprints(batch: &Batch, paired: bool, mode: Mode) -> Vec<Fingerprint> {
    /// What the steps would compare.
    fn compared(bases: &[u8], as_they_are: bool) -> Cow<'_, [u8]> {
        match as_they_are {
            true => Cow::Borrowed(bases),
            false => usual_letters(bases),
        }
    }
    let as_they_are = !mode.is_correct() || batch.blocks().iter().all(Block::has_usual_letters);
    match paired {
        true => batch
            .pairs()
            .map(|(left, right)| {
                let (left, right) = (left.sequence(), right.sequence());
                Fingerprint::of_pair(
                    &compared(&left, as_they_are),
                    &compared(&right, as_they_are),
                )
            })
            .collect(),
        false => batch
            .records()
            .map(|record| Fingerprint::of_read(&compared(&record.sequence(), as_they_are)))
            .collect(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
