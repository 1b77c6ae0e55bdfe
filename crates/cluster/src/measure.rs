//! How large partitions are in what all workers have cut first, and who owns them then.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the workers of a rank and the thread that exchanges tell each other about partitions.
pub(crate) struct Measure {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    weights: Vec<u64>,
    /// Workers that have not told what they know.
    missing: usize,
    owners: Option<Arc<[u16]>>,
    is_closed: bool,
    waited: Duration,
}

impl Measure {
    pub(crate) fn new(partitions: usize, workers: usize) -> Self {
        Self {
            state: Mutex::new(State {
                weights: vec![0; partitions],
                missing: workers,
                owners: None,
                is_closed: false,
                waited: Duration::ZERO,
            }),
            changed: Condvar::new(),
        }
    }

    /// What one worker has found; each tells it once.
    pub(crate) fn tell(&self, weights: &[u32]) {
        let mut state = self.lock();
        for (sum, &more) in state.weights.iter_mut().zip(weights) {
            *sum += u64::from(more);
        }
        state.missing -= 1;
    }

    /// The sums of all workers, when all have told theirs.
    pub(crate) fn weights(&self) -> Option<Vec<u64>> {
        let state = self.lock();
        (state.missing == 0).then(|| state.weights.clone())
    }

    /// Say who owns each partition.
    pub(crate) fn set_owners(&self, owners: Vec<u16>) {
        self.lock().owners = Some(owners.into());
        self.changed.notify_all();
    }

    /// Wait until somebody owns each partition; `None` if all is over.
    pub(crate) fn wait_for_owners(&self) -> Option<Arc<[u16]>> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(owners) = &state.owners {
                return Some(Arc::clone(owners));
            }
            let start = Instant::now();
            state = (self.changed.wait(state)).unwrap_or_else(PoisonError::into_inner);
            state.waited += start.elapsed();
        }
    }

    /// Let all go who wait: the work has failed.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// How long workers have waited, added up.
    pub(crate) fn waited(&self) -> Duration {
        self.lock().waited
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
