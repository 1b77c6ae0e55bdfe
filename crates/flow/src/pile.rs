use std::collections::VecDeque;

use crate::sync::{Condvar, Mutex, lock};

/// Work that some workers bring, and any of them does, in the order in which it came.
///
/// A worker that brings no more stays until nobody does: else it would leave work to others that lay in wait for
/// something of theirs.
#[derive(Debug)]
pub struct Pile<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    items: VecDeque<T>,
    bringers: usize,
}

/// One who may bring work to a [`Pile`], until it is dropped.
#[derive(Debug)]
pub struct Bringer<'a, T> {
    pile: &'a Pile<T>,
}

impl<T> Pile<T> {
    /// With nothing on it, and nobody who brings any.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(State {
                items: VecDeque::new(),
                bringers: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// One more who may bring work: to be kept as long as that is so, and dropped before [`Pile::wait`].
    pub fn bringer(&self) -> Bringer<'_, T> {
        lock(&self.state).bringers += 1;
        Bringer { pile: self }
    }

    /// Puts work on the pile.
    pub fn push(&self, item: T) {
        lock(&self.state).items.push_back(item);
        self.changed.notify_one();
    }

    /// What came first, if there is any. Never blocks.
    pub fn take(&self) -> Option<T> {
        lock(&self.state).items.pop_front()
    }

    /// The same; waits while there is none and somebody may bring some. `None` if nobody may.
    pub fn wait(&self) -> Option<T> {
        let mut state = lock(&self.state);
        loop {
            if let Some(item) = state.items.pop_front() {
                return Some(item);
            }
            if state.bringers == 0 {
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }
}

impl<T> Default for Pile<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Bringer<'_, T> {
    fn drop(&mut self) {
        let mut state = lock(&self.pile.state);
        state.bringers -= 1;
        if state.bringers == 0 {
            drop(state);
            self.pile.changed.notify_all();
        }
    }
}
