use std::collections::{BTreeMap, VecDeque};

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
///
/// There may be several makers ([`Relay::of`]), each of which makes its own items in order: a worker is lent some of them at
/// once, while others make with others.
#[derive(Debug)]
pub struct Relay<M, T> {
    state: Mutex<State<M, T>>,
    /// Something lies ready, or makers are at home again.
    changed: Condvar,
}

#[derive(Debug)]
struct State<M, T> {
    /// By their numbers.
    at_home: BTreeMap<usize, M>,
    /// How many are lent to workers.
    away: usize,
    /// How many one worker is lent at most, for now, and turns since that was changed.
    at_once: usize,
    turns: u32,
    /// Those that have no more, by their numbers.
    done: BTreeMap<usize, M>,
    /// A worker has panicked while it made.
    broken: bool,
    /// With their weights, the oldest first.
    ready: VecDeque<(T, u64)>,
    weight: u64,
}

/// Turns in which nobody has to wait before one more maker is lent at once.
const CALM: u32 = 64;

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
    /// There are no more; it is not asked again. Of several makers, this is said of the last one.
    End,
}

impl<M, T> Relay<M, T> {
    /// Items that `maker` will make.
    pub fn new(maker: M) -> Self {
        Self::of([maker])
    }

    /// Items that `makers`, numbered from 0, will make.
    pub fn of(makers: impl IntoIterator<Item = M>) -> Self {
        Self {
            state: Mutex::new(State {
                at_home: makers.into_iter().enumerate().collect(),
                away: 0,
                at_once: usize::MAX,
                turns: 0,
                done: BTreeMap::new(),
                broken: false,
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
        mut make: impl FnMut(&mut M, bool) -> Result<Made<T>, E>,
    ) -> Result<Option<T>, E> {
        self.next_of(ahead, 1, |makers, some_are_ready| {
            make(&mut makers[0].1, some_are_ready)
        })
    }

    /// As [`next`](Self::next); a worker that would have to wait calls `meanwhile` instead, again and again as long as that says
    /// that it did something. It should not take long, as nobody else can have what this worker would take.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn next_or<E>(
        &self,
        ahead: u64,
        mut make: impl FnMut(&mut M, bool) -> Result<Made<T>, E>,
        mut meanwhile: impl FnMut() -> bool,
    ) -> Result<Option<T>, E> {
        let make = |makers: &mut [(usize, M)], some_are_ready: bool| {
            make(&mut makers[0].1, some_are_ready)
        };
        self.next_with(ahead, 1, make, Some(&mut meanwhile))
    }

    /// As [`next`](Self::next), with up to `at_once` makers: `make` is lent those of the lowest numbers that are at home, at
    /// least one, with their numbers. So no more of them are begun than workers can make with.
    ///
    /// They are fewer after a worker had to wait because none were left for it, and more again when none has waited for a while.
    ///
    /// `make` may change their order, as the one of which it says [`Made::End`] must be the last.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn next_of<E>(
        &self,
        ahead: u64,
        at_once: usize,
        make: impl FnMut(&mut [(usize, M)], bool) -> Result<Made<T>, E>,
    ) -> Result<Option<T>, E> {
        self.next_with(ahead, at_once, make, None)
    }

    /// As [`next_of`](Self::next_of), and as [`next_or`](Self::next_or) where a worker would have to wait.
    ///
    /// # Errors
    /// As [`next`](Self::next).
    pub fn next_of_or<E>(
        &self,
        ahead: u64,
        at_once: usize,
        make: impl FnMut(&mut [(usize, M)], bool) -> Result<Made<T>, E>,
        mut meanwhile: impl FnMut() -> bool,
    ) -> Result<Option<T>, E> {
        self.next_with(ahead, at_once, make, Some(&mut meanwhile))
    }

    fn next_with<E>(
        &self,
        ahead: u64,
        at_once: usize,
        mut make: impl FnMut(&mut [(usize, M)], bool) -> Result<Made<T>, E>,
        mut meanwhile: Option<&mut dyn FnMut() -> bool>,
    ) -> Result<Option<T>, E> {
        let mut state = lock(&self.state);
        let mut has_waited = false;
        // There was nothing to do meanwhile since something was last looked for.
        let mut is_idle = false;
        loop {
            let mut has_made = false;
            if let Some(turn) = self.turn(&mut state, ahead, at_once) {
                state = turn.take(state, ahead, &mut make)?;
                has_made = true;
            }
            if let Some(item) = state.take() {
                return Ok(Some(item));
            }
            if state.has_ended() {
                return Ok(None);
            }
            // Makers that turned out to have no more say nothing of the others.
            if has_made {
                continue;
            }
            if let (Some(meanwhile), false) = (&mut meanwhile, is_idle) {
                drop(state);
                is_idle = !meanwhile();
                state = lock(&self.state);
            } else {
                is_idle = false;
                if !has_waited {
                    state.lend_fewer();
                }
                has_waited = true;
                let waited = self.changed.wait(state);
                state = waited.unwrap_or_else(std::sync::PoisonError::into_inner);
            }
        }
    }

    /// Calls `see` with the maker, of several with one; `None` while workers make with all, and after one has panicked. Once
    /// [`next`](Self::next) has said that there are no more, it is at home.
    pub fn at_home<R>(&self, see: impl FnOnce(&mut M) -> R) -> Option<R> {
        let state = &mut *lock(&self.state);
        let mut makers = state.at_home.values_mut().chain(state.done.values_mut());
        makers.next().map(see)
    }

    /// The makers for one worker, if more items are wanted and there are some at home.
    fn turn(&self, state: &mut State<M, T>, ahead: u64, at_once: usize) -> Option<Turn<'_, M, T>> {
        if state.weight > ahead || state.broken || state.at_home.is_empty() {
            return None;
        }
        let at_once = state.lend_more(at_once.max(1));
        let some = || state.at_home.pop_first();
        let makers: Vec<_> = std::iter::from_fn(some).take(at_once).collect();
        state.away += makers.len();
        Some(Turn {
            relay: self,
            lent: makers.len(),
            makers,
            is_making: false,
        })
    }
}

impl<M, T> State<M, T> {
    fn take(&mut self) -> Option<T> {
        let (item, weight) = self.ready.pop_front()?;
        self.weight -= weight;
        Some(item)
    }

    fn lend_fewer(&mut self) {
        self.at_once = (self.at_once / 2).max(1);
        self.turns = 0;
    }

    /// For a turn: how many one worker is lent of `most`.
    fn lend_more(&mut self, most: usize) -> usize {
        self.turns += 1;
        if self.turns > CALM {
            self.at_once = self.at_once.saturating_add(1);
            self.turns = 0;
        }
        self.at_once = self.at_once.min(most);
        self.at_once
    }

    fn has_ended(&self) -> bool {
        // Of makers that are away, items may still come, also where a worker has panicked.
        self.away == 0 && (self.broken || self.at_home.is_empty())
    }
}

/// Makers away from home; at the latest they come back when this is dropped.
struct Turn<'a, M, T> {
    relay: &'a Relay<M, T>,
    makers: Vec<(usize, M)>,
    /// How many there were.
    lent: usize,
    /// So after a panic of `make`.
    is_making: bool,
}

impl<'a, M, T> Turn<'a, M, T> {
    /// Makes until enough lies ready, or these makers have no more.
    fn take<E>(
        mut self,
        mut state: MutexGuard<'a, State<M, T>>,
        ahead: u64,
        make: &mut impl FnMut(&mut [(usize, M)], bool) -> Result<Made<T>, E>,
    ) -> Result<MutexGuard<'a, State<M, T>>, E> {
        while !self.makers.is_empty() {
            let some_are_ready = !state.ready.is_empty();
            drop(state);
            self.is_making = true;
            let made = make(&mut self.makers, some_are_ready);
            self.is_making = false;
            let made = made?;
            state = lock(&self.relay.state);
            match made {
                Made::Item { item, weight } => {
                    let weight = weight.max(1);
                    state.ready.push_back((item, weight));
                    state.weight += weight;
                    if state.weight > ahead {
                        break;
                    }
                    self.relay.changed.notify_one();
                }
                // Others may have taken all that lay ready.
                Made::NotNow if state.ready.is_empty() => {}
                Made::NotNow => break,
                Made::End => state.done.extend(self.makers.pop()),
            }
        }
        // Nobody may see that nothing lies ready, and makers still away.
        self.bring_home(&mut state);
        Ok(state)
    }

    fn bring_home(&mut self, state: &mut State<M, T>) {
        state.away -= std::mem::take(&mut self.lent);
        match self.is_making {
            true => state.broken = true,
            false => state.at_home.extend(self.makers.drain(..)),
        }
        self.relay.changed.notify_all();
    }
}

impl<M, T> Drop for Turn<'_, M, T> {
    fn drop(&mut self) {
        if self.lent > 0 {
            let mut state = lock(&self.relay.state);
            self.bring_home(&mut state);
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn fewer_makers_are_lent_after_a_wait_and_more_after_a_while() {
        let relay = Relay::<_, ()>::of(0..8);
        let mut state = lock(&relay.state);
        let lent = |state: &mut State<_, _>| {
            let turn = relay.turn(state, 0, 4).unwrap();
            let lent = turn.lent;
            let mut turn = turn;
            turn.bring_home(state);
            lent
        };
        assert_eq!(lent(&mut state), 4);
        for expected in [2, 1, 1] {
            state.lend_fewer();
            assert_eq!(lent(&mut state), expected);
        }
        let turns = 3 * (CALM + 1);
        let all: Vec<usize> = (0..turns).map(|_| lent(&mut state)).collect();
        assert!(all.is_sorted() && all.ends_with(&[4]));
        assert_eq!(lent(&mut state), 4);
    }
}
