use crate::sync::{Condvar, Mutex, lock};

/// Keeps work from running too far ahead of what is finished.
///
/// Tickets `t` with `t < finished + ahead` may begin. The lowest unfinished
/// ticket may always begin, so somebody can always go on.
#[derive(Debug)]
pub struct Gate {
    state: Mutex<State>,
    moved: Condvar,
    ahead: u64,
}

#[derive(Debug)]
struct State {
    finished: u64,
    closed: bool,
}

/// The gate was closed because a worker failed or the consumer went away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

impl Gate {
    /// A gate that lets `ahead` tickets (at least one) be unfinished at once.
    pub fn new(ahead: u64) -> Self {
        Self {
            state: Mutex::new(State {
                finished: 0,
                closed: false,
            }),
            moved: Condvar::new(),
            ahead: ahead.max(1),
        }
    }

    /// Whether `ticket` may begin now. Never blocks.
    ///
    /// # Errors
    /// [`Closed`] if the gate was closed.
    pub fn admits(&self, ticket: u64) -> Result<bool, Closed> {
        let state = lock(&self.state);
        if state.closed {
            return Err(Closed);
        }
        Ok(ticket < state.finished.saturating_add(self.ahead))
    }

    /// Wait until `ticket` may begin.
    ///
    /// The caller must not itself hold up a lower ticket.
    ///
    /// # Errors
    /// [`Closed`] if the gate was closed, before or while waiting.
    pub fn wait(&self, ticket: u64) -> Result<(), Closed> {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                return Err(Closed);
            }
            if ticket < state.finished.saturating_add(self.ahead) {
                return Ok(());
            }
            state = self
                .moved
                .wait(state)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Say that all tickets below `finished` are done.
    pub fn advance(&self, finished: u64) {
        let mut state = lock(&self.state);
        if finished > state.finished {
            state.finished = finished;
            drop(state);
            self.moved.notify_all();
        }
    }

    /// Send everybody home: all waits, present and future, end in [`Closed`].
    pub fn close(&self) {
        lock(&self.state).closed = true;
        self.moved.notify_all();
    }
}
