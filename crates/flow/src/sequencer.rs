//! Results in order, without a thread that does nothing but order them.
//!
//! Work is numbered by tickets, and the work of one ticket may come in several
//! pieces. Whoever commits the piece that is next in line writes it, and then
//! all that wait behind it; everybody else leaves their piece and goes on.
//!
//! ```text
//! commit(place, value):
//!     put value into the waiting room
//!     if nobody is writing:
//!         while the next place in line is in the waiting room:
//!             take it out; unlock; write it; lock; next place
//! ```
//!
//! What the waiting room holds is bounded by the [`Gate`], which tickets pass
//! before they begin.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::gate::{Closed, Gate};
use crate::sync::{Mutex, lock};

/// Where a value stands in the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Number of the piece of work, without gaps from 0.
    pub ticket: u64,
    /// Number of the piece within its ticket, without gaps from 0.
    pub piece: u64,
    /// Whether this is the last piece of its ticket.
    pub last: bool,
}

/// Why a commit did not take place.
#[derive(Debug, PartialEq, Eq)]
pub enum SequencerError<E> {
    /// Writing failed; this caller gets the reason, everybody else `Closed`.
    Write(E),
    /// Another worker failed, or the sequencer was closed.
    Closed,
}

/// Puts the values that workers commit into the order of their places.
#[derive(Debug)]
pub struct Sequencer<T> {
    room: Mutex<Room<T>>,
    gate: Arc<Gate>,
}

#[derive(Debug)]
struct Room<T> {
    waiting: BTreeMap<(u64, u64), (T, bool)>,
    next: (u64, u64),
    writing: bool,
    closed: bool,
}

impl<T> Sequencer<T> {
    /// A sequencer that lets `ahead` tickets be unfinished at once.
    pub fn new(ahead: u64) -> Self {
        Self {
            room: Mutex::new(Room {
                waiting: BTreeMap::new(),
                next: (0, 0),
                writing: false,
                closed: false,
            }),
            gate: Arc::new(Gate::new(ahead)),
        }
    }

    /// The gate that tickets pass before they begin.
    pub fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Hand over `value`; it is written, by this caller or another, when all
    /// places before it have been. `write` is called for every value that this
    /// caller gets to write, in order.
    ///
    /// # Errors
    /// [`SequencerError::Write`] if `write` failed here: the sequencer is then
    /// closed. [`SequencerError::Closed`] if it was closed before.
    pub fn commit<E>(
        &self,
        place: Place,
        value: T,
        mut write: impl FnMut(T) -> Result<(), E>,
    ) -> Result<(), SequencerError<E>> {
        let mut room = lock(&self.room);
        if room.closed {
            return Err(SequencerError::Closed);
        }
        let before = room
            .waiting
            .insert((place.ticket, place.piece), (value, place.last));
        debug_assert!(before.is_none(), "two values for {place:?}");
        if room.writing {
            return Ok(());
        }
        room.writing = true;
        // A panic in `write` must not leave the others waiting for ever.
        let closer = CloseOnUnwind(self);
        let outcome = loop {
            let next = room.next;
            let Some((value, last)) = room.waiting.remove(&next) else {
                break Ok(());
            };
            drop(room);
            let written = write(value);
            room = lock(&self.room);
            if let Err(error) = written {
                break Err(SequencerError::Write(error));
            }
            if room.closed {
                break Err(SequencerError::Closed);
            }
            room.next = if last {
                (next.0 + 1, 0)
            } else {
                (next.0, next.1 + 1)
            };
            if last {
                self.gate.advance(next.0 + 1);
            }
        };
        room.writing = false;
        drop(room);
        std::mem::forget(closer);
        if outcome.is_err() {
            self.close();
        }
        outcome
    }

    /// Send everybody home and drop what waits. Used when a worker fails.
    pub fn close(&self) {
        let mut room = lock(&self.room);
        room.closed = true;
        room.waiting.clear();
        drop(room);
        self.gate.close();
    }

    /// Whether everything that was committed has been written, and tickets
    /// `0..tickets` are all finished.
    ///
    /// # Errors
    /// [`Closed`] if the sequencer was closed.
    pub fn is_complete(&self, tickets: u64) -> Result<bool, Closed> {
        let room = lock(&self.room);
        if room.closed {
            return Err(Closed);
        }
        Ok(room.waiting.is_empty() && room.next == (tickets, 0))
    }
}

struct CloseOnUnwind<'a, T>(&'a Sequencer<T>);

impl<T> Drop for CloseOnUnwind<'_, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}
