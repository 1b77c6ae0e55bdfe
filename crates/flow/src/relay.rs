use std::collections::VecDeque;

use crate::sync::{Condvar, Mutex, MutexGuard, lock};

/// What can only be made in order, by one worker at a time, and is taken by all.
///
/// Whoever finds the maker at home makes items with it until enough of them lie ready, and takes the oldest; so does
/// whoever finds it away. A worker waits only where nothing lies ready and another one makes: where making takes longer
/// than all that the others do with it.
///
/// ```
/// use thalweg_flow::{Made, Relay, run};
///
/// let numbers = Relay::new(1..=100);
/// let make = |numbers: &mut std::ops::RangeInclusive<u64>, _: bool| -> Result<_, ()> {
///     Ok(numbers.next().map_or(Made::End, |item| Made::Item { item, weight: 1 }))
/// };
/// let sums = run::<u64, (), _>(4, |_, _| {
///     let mut sum = 0;
///     while let Some(number) = numbers.next(4, make)? {
///         sum += number;
///     }
///     Ok(sum)
/// })?;
/// assert_eq!(sums.iter().sum::<u64>(), 5050);
/// # Ok::<(), thalweg_flow::Failure<()>>(())
/// ```
#[derive(Debug)]
pub struct Relay<M, T> {
    state: Mutex<State<M, T>>,
    /// Something lies ready, or the maker is at home again.
    changed: Condvar,
}

#[derive(Debug)]
struct State<M, T> {
    /// `None` while a worker makes, and after one has panicked.
    maker: Option<M>,
    ended: bool,
    /// With their weights, the oldest first.
    ready: VecDeque<(T, u64)>,
    weight: u64,
}

/// What a maker gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made<T> {
    /// The next item, and what it weighs, in whatever unit; at least 1.
    Item {
        /// For whoever comes first.
        item: T,
        /// What it adds to what lies ready.
        weight: u64,
    },
    /// None for now, as it would have to wait: only where something lies ready.
    NotNow,
    /// There are no more; it is not asked again.
    End,
}

impl<M, T> Relay<M, T> {
    /// Items that `maker` will make.
    pub fn new(maker: M) -> Self {
        Self {
            state: Mutex::new(State {
                maker: Some(maker),
                ended: false,
                ready: VecDeque::new(),
                weight: 0,
            }),
            changed: Condvar::new(),
        }
    }

    /// The next item, in the order in which they were made; `None` when there are no more.
    ///
    /// `make` is called, by one worker at a time, until what lies ready weighs more than `ahead`: not at all, or once, where
    /// that is 0. It is told whether something lies ready, and may say [`Made::NotNow`] then instead of waiting.
    ///
    /// # Errors
    /// Those of `make`, to this worker alone; the next one asks it again.
    pub fn next<E>(
        &self,
        ahead: u64,
        make: impl FnMut(&mut M, bool) -> Result<Made<T>, E>,
    ) -> Result<Option<T>, E> {
        let mut state = lock(&self.state);
        loop {
            let is_wanted = !state.ended && state.weight <= ahead;
            if let Some(maker) = state.maker.take_if(|_| is_wanted) {
                let turn = Turn {
                    relay: self,
                    maker: Some(maker),
                };
                return turn.take(state, ahead, make);
            }
            if let Some(item) = state.take() {
                return Ok(Some(item));
            }
            if state.ended {
                return Ok(None);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Calls `see` with the maker; `None` while a worker makes, and after one has panicked. Once [`next`](Self::next) has
    /// said that there are no more, it is at home.
    pub fn at_home<R>(&self, see: impl FnOnce(&mut M) -> R) -> Option<R> {
        lock(&self.state).maker.as_mut().map(see)
    }
}

impl<M, T> State<M, T> {
    fn take(&mut self) -> Option<T> {
        let (item, weight) = self.ready.pop_front()?;
        self.weight -= weight;
        Some(item)
    }
}

/// The maker, away from home; at the latest it comes back when this is dropped.
struct Turn<'a, M, T> {
    relay: &'a Relay<M, T>,
    /// `None` while it makes, and so after a panic.
    maker: Option<M>,
}

impl<'a, M, T> Turn<'a, M, T> {
    /// Makes until enough lies ready, and takes the oldest.
    fn take<E>(
        mut self,
        mut state: MutexGuard<'a, State<M, T>>,
        ahead: u64,
        mut make: impl FnMut(&mut M, bool) -> Result<Made<T>, E>,
    ) -> Result<Option<T>, E> {
        while !state.ended {
            let some_are_ready = !state.ready.is_empty();
            drop(state);
            let made = self.make(some_are_ready, &mut make)?;
            state = lock(&self.relay.state);
            match made {
                Made::Item { item, weight } => {
                    let weight = weight.max(1);
                    state.ready.push_back((item, weight));
                    state.weight += weight;
                    if state.weight <= ahead {
                        self.relay.changed.notify_one();
                        continue;
                    }
                }
                // Others may have taken all that lay ready.
                Made::NotNow if state.ready.is_empty() => continue,
                Made::NotNow => {}
                Made::End => state.ended = true,
            }
            break;
        }
        let item = state.take();
        self.finish(state);
        Ok(item)
    }

    fn make<E>(
        &mut self,
        some_are_ready: bool,
        make: impl FnOnce(&mut M, bool) -> Result<Made<T>, E>,
    ) -> Result<Made<T>, E> {
        let Some(mut maker) = self.maker.take() else {
            return Ok(Made::End);
        };
        let made = make(&mut maker, some_are_ready);
        self.maker = Some(maker);
        made
    }

    /// Nobody may see that there is no more, and the maker still away.
    fn finish(mut self, mut state: MutexGuard<'_, State<M, T>>) {
        state.maker = self.maker.take();
        drop(state);
        self.relay.changed.notify_all();
        // It is at home; dropped, it would come back once more.
        std::mem::forget(self);
    }
}

impl<M, T> Drop for Turn<'_, M, T> {
    fn drop(&mut self) {
        let mut state = lock(&self.relay.state);
        state.maker = self.maker.take();
        state.ended |= state.maker.is_none();
        drop(state);
        self.relay.changed.notify_all();
    }
}
