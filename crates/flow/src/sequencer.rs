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

/// The values that wait, and the line in which they do. Only what moves a value is compiled for each type of values.
#[derive(Debug)]
struct Room<T> {
    seats: Vec<Option<T>>,
    line: Line,
}

/// The order of what waits, as numbers of seats.
#[derive(Debug, Default)]
struct Line {
    waiting: BTreeMap<(u64, u64), Seat>,
    free: Vec<usize>,
    seats: usize,
    next: (u64, u64),
    writing: bool,
    closed: bool,
}

#[derive(Clone, Copy, Debug)]
struct Seat {
    number: usize,
    /// True if its value is the last one of its ticket.
    last: bool,
}

impl Line {
    /// Gives out the seat of a value, which is at most one past the seats given out so far.
    fn sit(&mut self, place: Place) -> usize {
        let number = self.free.pop().unwrap_or_else(|| {
            self.seats += 1;
            self.seats - 1
        });
        let last = place.last;
        let before = self
            .waiting
            .insert((place.ticket, place.piece), Seat { number, last });
        debug_assert!(before.is_none(), "two values for {place:?}");
        number
    }

    /// Frees the seat of the value that is next in line, if it is there.
    fn call(&mut self) -> Option<Seat> {
        let seat = self.waiting.remove(&self.next)?;
        self.free.push(seat.number);
        Some(seat)
    }

    /// Goes on to the next place, and returns the number of tickets done if that ended one.
    fn step(&mut self, last: bool) -> Option<u64> {
        let (ticket, piece) = self.next;
        self.next = if last {
            (ticket + 1, 0)
        } else {
            (ticket, piece + 1)
        };
        last.then_some(ticket + 1)
    }
}

impl<T> Room<T> {
    fn put(&mut self, place: Place, value: T) {
        let number = self.line.sit(place);
        if number == self.seats.len() {
            self.seats.push(Some(value));
        } else {
            self.seats[number] = Some(value);
        }
    }

    fn take(&mut self) -> Option<(T, bool)> {
        let seat = self.line.call()?;
        let value = self.seats[seat.number].take();
        Some((value.expect("a seat in the line has a value"), seat.last))
    }
}

impl<T> Sequencer<T> {
    /// A sequencer that lets `ahead` tickets be unfinished at once.
    pub fn new(ahead: u64) -> Self {
        Self {
            room: Mutex::new(Room {
                seats: Vec::new(),
                line: Line::default(),
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
        if room.line.closed {
            return Err(SequencerError::Closed);
        }
        room.put(place, value);
        if room.line.writing {
            return Ok(());
        }
        room.line.writing = true;
        // A panic in `write` must not leave the others waiting for ever.
        let closer = CloseOnUnwind(self);
        let outcome = loop {
            let Some((value, last)) = room.take() else {
                break Ok(());
            };
            drop(room);
            let written = write(value);
            room = lock(&self.room);
            if let Err(error) = written {
                break Err(SequencerError::Write(error));
            }
            if room.line.closed {
                break Err(SequencerError::Closed);
            }
            if let Some(tickets) = room.line.step(last) {
                self.gate.advance(tickets);
            }
        };
        room.line.writing = false;
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
        room.line.closed = true;
        // Nobody takes a seat of a line that is closed.
        room.line.waiting.clear();
        room.seats.clear();
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
        if room.line.closed {
            return Err(Closed);
        }
        Ok(room.line.waiting.is_empty() && room.line.next == (tickets, 0))
    }
}

struct CloseOnUnwind<'a, T>(&'a Sequencer<T>);

impl<T> Drop for CloseOnUnwind<'_, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}
