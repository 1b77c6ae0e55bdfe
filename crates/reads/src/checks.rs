//! Which of the faults that several workers find in what one decodes in order is the first.
//!
//! ```text
//! decoded in order:  batch 0     batch 1     batch 2     each a ticket; taken in that order
//! checked at once:   |-----|     |--fault    |---------| by the worker that took it, while others decode
//! a fault of 1:      wait until 0 has been checked; told if 0 has none
//! ```
//! A stream cannot be read a second time to find its first fault, as parts of regular files are.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::Error;

/// The checks of one section's batches.
#[derive(Default)]
pub(crate) struct Checks {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// Tickets of what is being checked.
    under_way: BTreeSet<u64>,
    /// The lowest ticket that had a fault.
    first_fault: Option<u64>,
    /// That fault, if it was noted for whoever comes to the end.
    noted: Option<Error>,
}

/// The check of one batch; dropping it ends it.
pub(crate) struct Check {
    checks: Arc<Checks>,
    ticket: u64,
}

impl Checks {
    /// Begin the check of `ticket`, which lasts from its decoding on. Tickets must be begun in their order.
    pub(crate) fn begin(self: &Arc<Self>, ticket: u64) -> Check {
        self.lock().under_way.insert(ticket);
        Check {
            checks: Arc::clone(self),
            ticket,
        }
    }

    /// Whether a fault has been found.
    pub(crate) fn has_fault(&self) -> bool {
        self.lock().first_fault.is_some()
    }

    /// Whether a fault has been found before this ticket.
    pub(crate) fn has_fault_before(&self, ticket: u64) -> bool {
        self.lock().first_fault.is_some_and(|first| first < ticket)
    }

    /// Once nothing more is decoded: wait until the checks that have begun have ended, and give the ticket of the first
    /// fault, if there is one, and to the first who asks also that.
    pub(crate) fn noted(&self) -> Option<(u64, Option<Error>)> {
        let mut state = self.wait_while(self.lock(), |state| !state.under_way.is_empty());
        let ticket = state.first_fault?;
        Some((ticket, state.noted.take()))
    }

    /// Wait until there is a fault or all checks that have begun have ended, and tell whether there is one.
    ///
    /// Behind a fault nobody may take what has been decoded, so those checks may never end.
    pub(crate) fn wait_for_fault(&self) -> bool {
        let may_come = |state: &State| state.first_fault.is_none() && !state.under_way.is_empty();
        let state = self.wait_while(self.lock(), may_come);
        state.first_fault.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while<'a>(
        &self,
        state: MutexGuard<'a, State>,
        condition: impl Fn(&State) -> bool,
    ) -> MutexGuard<'a, State> {
        self.ended
            .wait_while(state, |state| condition(state))
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Check {
    /// Note a fault, if it is the first so far, for whoever comes to the end.
    pub(crate) fn note(self, fault: Error) {
        let mut state = self.checks.lock();
        if state.first_fault.is_none_or(|first| self.ticket < first) {
            state.first_fault = Some(self.ticket);
            state.noted = Some(fault);
        }
    }

    /// Note a fault, wait for the checks of all tickets before this one, and tell whether it is the first.
    ///
    /// If it is not, the worker that has the first tells that one. Nobody waits for long: what comes before this one
    /// has been taken before it, a check waits for nothing else, and the lowest ticket's for none.
    pub(crate) fn fails_first(self) -> bool {
        let mut state = self.checks.lock();
        let lowest = state
            .first_fault
            .map_or(self.ticket, |first| first.min(self.ticket));
        state.first_fault = Some(lowest);
        state.under_way.remove(&self.ticket);
        self.checks.ended.notify_all();
        let is_before = |state: &State| state.under_way.range(..self.ticket).next().is_some();
        let state = self.checks.wait_while(state, is_before);
        state.first_fault == Some(self.ticket)
    }
}

impl Drop for Check {
    fn drop(&mut self) {
        self.checks.lock().under_way.remove(&self.ticket);
        self.checks.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_later_fault_waits_and_is_not_told() {
        let checks = Arc::new(Checks::default());
        let earlier = checks.begin(0);
        let later = checks.begin(1);
        let later = std::thread::spawn(move || later.fails_first());
        while !checks.has_fault() {
            std::thread::yield_now();
        }
        assert!(!later.is_finished());
        assert!(earlier.fails_first());
        assert!(!later.join().unwrap());
        assert!(checks.wait_for_fault());
    }

    #[test]
    fn a_later_fault_is_told_if_all_before_are_good() {
        let checks = Arc::new(Checks::default());
        let earlier = checks.begin(0);
        let later = checks.begin(1);
        let later = std::thread::spawn(move || later.fails_first());
        drop(earlier);
        assert!(later.join().unwrap());
    }

    #[test]
    fn nobody_waits_for_a_check_behind_a_fault() {
        let checks = Arc::new(Checks::default());
        let (faulty, _not_taken) = (checks.begin(0), checks.begin(1));
        assert!(faulty.fails_first());
        assert!(checks.wait_for_fault());
    }
}
