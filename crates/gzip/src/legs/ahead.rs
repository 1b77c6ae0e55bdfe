//! A stream that is read ahead of whoever decodes it in order.
//!
//! ```text
//!    left behind | pieces                            | tail | not read
//!                     ^ decoder      legs ^    ^ ^
//! ```
//! Bytes are kept until the decoder has passed them. Where it comes to the end of what was read, it waits for the stream, as it would alone;
//! others read only what is there, and never wait. So what has come is decoded, whatever the writer does next.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::input::CAPACITY;

/// Bytes of a piece, and of a read: what a pipe holds, most often.
const PIECE: usize = 64 << 10;
/// Bytes kept behind the place up to which the decoder has read: those that it has not decoded, and some blocks before them. A leg
/// may begin there.
const BEHIND: u64 = CAPACITY as u64 + (384 << 10);

/// Whether a read of a stream would give something, or its end, at once. It may wait for a moment, if that is short.
pub(super) type IsReady = Box<dyn Fn() -> bool + Send + Sync>;

/// A stream, and what is kept of it.
pub(super) struct Ahead {
    is_ready: IsReady,
    state: Mutex<State>,
    /// Something has come, or nobody reads any more.
    changed: Condvar,
}

struct State {
    /// Away while somebody reads.
    reading: Option<Reading>,
    /// All of one length, the oldest first; and what follows them, which is shorter.
    pieces: VecDeque<Arc<Vec<u8>>>,
    tail: Vec<u8>,
    /// Offset of the first byte that is kept.
    start: u64,
    /// Nothing comes any more: the stream has ended, or there was a fault, which is for whoever decodes in order.
    is_over: bool,
    fault: Option<io::Error>,
    /// Memory of pieces that were left behind.
    spare: Vec<Vec<u8>>,
}

struct Reading {
    source: Box<dyn Read + Send>,
    room: Vec<u8>,
}

impl std::fmt::Debug for Ahead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ahead").finish_non_exhaustive()
    }
}

impl Ahead {
    /// A stream whose next byte lies at `offset`.
    pub(super) fn new(source: Box<dyn Read + Send>, offset: u64, is_ready: IsReady) -> Self {
        let room = vec![0; PIECE];
        Self {
            is_ready,
            state: Mutex::new(State {
                reading: Some(Reading { source, room }),
                pieces: VecDeque::new(),
                tail: Vec::new(),
                start: offset,
                is_over: false,
                fault: None,
                spare: Vec::new(),
            }),
            changed: Condvar::new(),
        }
    }

    /// How many bytes of the stream were read, and whether no more will come.
    pub(super) fn known(&self) -> (u64, bool) {
        let state = self.lock();
        (state.end(), state.is_over)
    }

    /// Read once more, if fewer than `wanted` bytes of the stream were read, nobody else reads, and something is there. Whether that was so.
    pub(super) fn read_ahead(&self, wanted: u64) -> bool {
        let mut state = self.lock();
        if state.is_over || state.end() >= wanted {
            return false;
        }
        let Some(reading) = state.reading.take() else {
            return false;
        };
        drop(state);
        let turn = Turn {
            ahead: self,
            reading: Some(reading),
        };
        (self.is_ready)() && turn.read().is_ok()
    }

    /// Read from `offset` on what is kept: none if there are none so far, or none any more.
    pub(super) fn read_kept(&self, offset: u64, buffer: &mut [u8]) -> usize {
        copy(self.lock(), offset, buffer).unwrap_or(0)
    }

    /// Read from `offset` on; wait where nothing has come. What lies far before is not needed any more.
    fn read_in_order(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.leave(offset);
        loop {
            let mut state = self.lock();
            if offset < state.end() {
                let lost = || io::Error::other("bytes of a stream that were not read");
                return copy(state, offset, buffer).ok_or_else(lost);
            }
            if let Some(fault) = state.fault.take() {
                return Err(fault);
            }
            if state.is_over {
                return Ok(0);
            }
            match state.reading.take() {
                Some(reading) => {
                    drop(state);
                    let turn = Turn {
                        ahead: self,
                        reading: Some(reading),
                    };
                    turn.read()?;
                }
                None => {
                    let waited = self.changed.wait(state);
                    drop(waited);
                }
            }
        }
    }

    /// Whoever decodes in order has come to `offset`.
    pub(super) fn leave(&self, offset: u64) {
        self.lock().leave(offset.saturating_sub(BEHIND));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Copy what is kept from `offset` on; none if that was left behind, or has not come. Not while others wait, if it can be helped.
fn copy(state: MutexGuard<'_, State>, offset: u64, buffer: &mut [u8]) -> Option<usize> {
    let place = usize::try_from(offset.checked_sub(state.start)?).ok()?;
    let put = |bytes: &[u8], buffer: &mut [u8]| {
        let length = bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&bytes[..length]);
        length
    };
    match state.pieces.get(place / PIECE).map(Arc::clone) {
        Some(piece) => {
            drop(state);
            Some(put(&piece[place % PIECE..], buffer))
        }
        None => {
            let tail = state.tail.get(place - state.pieces.len() * PIECE..)?;
            Some(put(tail, buffer))
        }
    }
}

impl State {
    fn end(&self) -> u64 {
        self.start + (self.pieces.len() * PIECE + self.tail.len()) as u64
    }

    fn append(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.tail.len()));
            self.tail.extend_from_slice(now);
            bytes = later;
            if self.tail.len() == PIECE {
                let fresh = self.spare.pop();
                let fresh = fresh.unwrap_or_else(|| Vec::with_capacity(PIECE));
                let whole = std::mem::replace(&mut self.tail, fresh);
                self.pieces.push_back(Arc::new(whole));
            }
        }
    }

    fn leave(&mut self, offset: u64) {
        while self.start + PIECE as u64 <= offset
            && let Some(piece) = self.pieces.pop_front()
        {
            self.start += PIECE as u64;
            if let Ok(mut spare) = Arc::try_unwrap(piece) {
                spare.clear();
                self.spare.push(spare);
            }
        }
    }
}

/// The right to read.
struct Turn<'a> {
    ahead: &'a Ahead,
    reading: Option<Reading>,
}

impl Turn<'_> {
    /// Read once, and keep what came. Errors are only those after which one may go on; others are kept.
    fn read(mut self) -> io::Result<()> {
        let Some(mut reading) = self.reading.take() else {
            return Ok(());
        };
        let outcome = reading.source.read(&mut reading.room);
        let mut state = self.ahead.lock();
        let outcome = match outcome {
            Ok(0) => {
                state.is_over = true;
                Ok(())
            }
            Ok(length) => {
                state.append(&reading.room[..length]);
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Err(error),
            Err(error) => {
                state.is_over = true;
                state.fault = Some(error);
                Ok(())
            }
        };
        drop(state);
        self.reading = Some(reading);
        outcome
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.ahead.lock();
        state.reading = self.reading.take();
        if state.reading.is_none() {
            // Reading has panicked: nobody may wait for what comes.
            state.is_over = true;
            state.fault = Some(io::Error::other("whoever read the stream has panicked"));
        }
        drop(state);
        self.ahead.changed.notify_all();
    }
}

/// The bytes of a stream from a place on.
pub(super) struct AheadReader {
    ahead: Arc<Ahead>,
    offset: u64,
    in_order: bool,
}

impl AheadReader {
    /// For whoever decodes in order.
    pub(super) fn in_order(ahead: &Arc<Ahead>, offset: u64) -> Self {
        Self {
            ahead: Arc::clone(ahead),
            offset,
            in_order: true,
        }
    }

    /// What is kept: behind that reading fails, unless the stream has ended.
    pub(super) fn kept(ahead: &Arc<Ahead>, offset: u64) -> Self {
        Self {
            ahead: Arc::clone(ahead),
            offset,
            in_order: false,
        }
    }
}

impl Read for AheadReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = match self.in_order {
            true => self.ahead.read_in_order(self.offset, buffer)?,
            false => match self.ahead.read_kept(self.offset, buffer) {
                0 if self.ahead.known() != (self.offset, true) => {
                    return Err(ErrorKind::WouldBlock.into());
                }
                length => length,
            },
        };
        self.offset += length as u64;
        Ok(length)
    }
}
