//! Threads as ranks: what tests run, and what the exchange is meant to be.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{Arrived, Exchange, Lost, Tag};

/// How long messages take. The default is no time.
#[derive(Clone, Default)]
pub struct Delays(Option<Arc<Delay>>);

type Delay = dyn Fn(usize, usize, Tag) -> Duration + Send + Sync;

impl Delays {
    /// What `delay` says of a message from one rank to another.
    pub fn new(delay: impl Fn(usize, usize, Tag) -> Duration + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(delay)))
    }

    fn of(&self, from: usize, to: usize, tag: Tag) -> Duration {
        let delay = self.0.as_ref().map(|delay| delay(from, to, tag));
        delay.unwrap_or_default()
    }
}

/// The end of one rank, of an exchange within a process.
pub struct InProcess {
    rank: usize,
    office: Arc<Office>,
    delays: Delays,
    /// Barriers that this rank has come to.
    barriers: usize,
}

/// What all ranks share.
struct Office {
    boxes: Vec<Mutex<VecDeque<Letter>>>,
    /// Of each sender, letters that nobody has taken.
    under_way: Vec<AtomicUsize>,
    spare: Vec<Mutex<Vec<Vec<u8>>>>,
    arrivals_at_barriers: AtomicUsize,
    is_aborted: AtomicBool,
}

struct Letter {
    arrived: Arrived,
    at: Instant,
}

/// Buffers that a rank keeps.
const SPARE: usize = 16;

impl InProcess {
    /// The ends of so many ranks.
    pub fn new(ranks: usize, delays: Delays) -> Vec<Self> {
        let office = Arc::new(Office {
            boxes: (0..ranks).map(|_| Mutex::default()).collect(),
            under_way: (0..ranks).map(|_| AtomicUsize::new(0)).collect(),
            spare: (0..ranks).map(|_| Mutex::default()).collect(),
            arrivals_at_barriers: AtomicUsize::new(0),
            is_aborted: AtomicBool::new(false),
        });
        let end = |rank| Self {
            rank,
            office: Arc::clone(&office),
            delays: delays.clone(),
            barriers: 0,
        };
        (0..ranks).map(end).collect()
    }

    fn check(&self) -> Result<(), Lost> {
        match self.office.is_aborted.load(Ordering::Acquire) {
            true => Err(Lost("another rank has ended the job".to_owned())),
            false => Ok(()),
        }
    }
}

impl Exchange for InProcess {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.office.boxes.len()
    }

    fn send(&mut self, to: usize, tag: Tag, bytes: Vec<u8>) -> Result<(), Lost> {
        self.check()?;
        assert_ne!(to, self.rank, "a message to oneself");
        self.office.under_way[self.rank].fetch_add(1, Ordering::AcqRel);
        let arrived = Arrived {
            from: self.rank,
            tag,
            bytes,
        };
        let at = Instant::now() + self.delays.of(self.rank, to, tag);
        lock(&self.office.boxes[to]).push_back(Letter { arrived, at });
        Ok(())
    }

    fn under_way(&mut self) -> Result<usize, Lost> {
        self.check()?;
        Ok(self.office.under_way[self.rank].load(Ordering::Acquire))
    }

    fn receive(&mut self) -> Result<Option<Arrived>, Lost> {
        self.check()?;
        let mut letters = lock(&self.office.boxes[self.rank]);
        let now = Instant::now();
        // A letter waits for those that its sender has sent before.
        let mut late = Vec::new();
        let place = letters.iter().position(|letter| {
            let is_next = letter.at <= now && !late.contains(&letter.arrived.from);
            late.push(letter.arrived.from);
            is_next
        });
        let Some(letter) = place.and_then(|place| letters.remove(place)) else {
            return Ok(None);
        };
        drop(letters);
        let arrived = letter.arrived;
        // The memory goes back to its sender; what is given on is a copy, as it is between processes.
        let copy = arrived.bytes.clone();
        let mut bytes = arrived.bytes;
        bytes.clear();
        let mut spare = lock(&self.office.spare[arrived.from]);
        if spare.len() < SPARE {
            spare.push(bytes);
        }
        drop(spare);
        self.office.under_way[arrived.from].fetch_sub(1, Ordering::AcqRel);
        Ok(Some(Arrived {
            bytes: copy,
            ..arrived
        }))
    }

    fn spare(&mut self) -> Option<Vec<u8>> {
        lock(&self.office.spare[self.rank]).pop()
    }

    fn begin_barrier(&mut self) -> Result<(), Lost> {
        self.check()?;
        self.barriers += 1;
        let arrivals = &self.office.arrivals_at_barriers;
        arrivals.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    fn is_barrier_over(&mut self) -> Result<bool, Lost> {
        self.check()?;
        // Nobody comes to the next one before this is over.
        let arrivals = self.office.arrivals_at_barriers.load(Ordering::Acquire);
        Ok(arrivals >= self.barriers * self.ranks())
    }

    fn abort(&mut self, _: u8) {
        self.office.is_aborted.store(true, Ordering::Release);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_one_sender_stay_in_order() {
        let slow = |_, _, tag| match tag {
            Tag::Ask => Duration::from_millis(20),
            _ => Duration::ZERO,
        };
        let mut ends = InProcess::new(2, Delays::new(slow));
        let (mut other, mut one) = (ends.pop().unwrap(), ends.pop().unwrap());
        one.send(1, Tag::Ask, vec![1]).unwrap();
        one.send(1, Tag::Deal, vec![2]).unwrap();
        assert_eq!(one.under_way(), Ok(2));
        assert!(other.receive().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(30));
        for expected in [1, 2] {
            assert_eq!(other.receive().unwrap().unwrap().bytes, [expected]);
        }
        assert_eq!(one.under_way(), Ok(0));
        assert_eq!(one.spare().map(|spare| spare.len()), Some(0));
    }

    #[test]
    fn a_barrier_is_over_when_all_have_come() {
        let mut ends = InProcess::new(3, Delays::default());
        for _ in 0..3 {
            for rank in 0..3 {
                assert!((0..rank).all(|before| !ends[before].is_barrier_over().unwrap()));
                ends[rank].begin_barrier().unwrap();
            }
            assert!(ends.iter_mut().all(|end| end.is_barrier_over().unwrap()));
        }
        ends[1].abort(2);
        assert!(ends[0].is_barrier_over().is_err());
        assert!(ends[2].receive().is_err());
    }
}
