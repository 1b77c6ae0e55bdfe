//! The one place where workers meet: what waits, what is to be done, who may do it.
//!
//! Nothing in here takes longer than moving pointers (and, for a split output,
//! counting packs and creating a file): compressing and writing are tasks that are taken out, done
//! without the lock, and reported back.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thalweg_flow::{Gate, Place};

use crate::Error;
use crate::divider::Share;
use crate::line::Line;
use crate::stream::{Full, Part, Sealed, Stream, Write, Written};

/// Text of one piece for one output.
pub(crate) struct Text {
    pub(crate) bytes: Vec<u8>,
    pub(crate) records: u64,
    /// How many of the records there were when packs of the input ended.
    pub(crate) pack_ends: Vec<u64>,
    /// Where the records end, if that was said.
    pub(crate) ends: Vec<usize>,
    /// What the records weigh, if that was said.
    pub(crate) weights: Vec<u64>,
    /// Which files of a split output they go to, once that is known.
    pub(crate) shares: Vec<Share>,
}

/// Work that a worker takes on.
pub(crate) enum Task {
    /// Write bytes to a file, or to the only pipe.
    Write(usize, Write),
    /// Cut and compress a batch.
    Press(Place, Vec<Text>),
    /// Write to several pipes, whichever has room; wait for room if that is true.
    Pipes(Vec<(usize, Write)>, bool),
    /// Make sure that a file is safe.
    Seal(usize, Full),
}

pub(crate) struct Room {
    state: Mutex<State>,
    gate: Arc<Gate>,
    ahead: u64,
    /// Whether several outputs are pipes, whose readers may read them in step.
    in_step: bool,
}

struct State {
    /// Batches whose files are not known yet: those before them were not divided.
    counting: Line<Vec<Text>>,
    presses: VecDeque<(Place, Vec<Text>)>,
    /// Compressed batches whose offsets are not known yet.
    placing: Line<Vec<Vec<Part>>>,
    streams: Vec<Stream>,
    /// Writes of each ticket that are placed but not done.
    unwritten: BTreeMap<u64, usize>,
    pipes_busy: bool,
    failed: bool,
    /// Whether all batches have been handed in.
    ending: bool,
}

impl Room {
    pub(crate) fn new(mut streams: Vec<Stream>, ahead: u64) -> Self {
        let pipes = streams.iter_mut().filter(|stream| stream.is_direct());
        let mut pipes: Vec<_> = pipes.collect();
        let in_step = pipes.len() > 1;
        if in_step {
            pipes.iter_mut().for_each(|pipe| pipe.never_wait());
        }
        Self {
            in_step,
            state: Mutex::new(State {
                counting: Line::new(),
                presses: VecDeque::new(),
                placing: Line::new(),
                streams,
                unwritten: BTreeMap::new(),
                pipes_busy: false,
                failed: false,
                ending: false,
            }),
            gate: Arc::new(Gate::new(ahead)),
            ahead: ahead.max(1),
        }
    }

    pub(crate) fn gate(&self) -> &Arc<Gate> {
        &self.gate
    }

    /// Hand in a batch whose files depend on the records before it.
    pub(crate) fn count(&self, place: Place, texts: Vec<Text>) -> Result<(), Error> {
        let mut state = self.running()?;
        let state = &mut *state;
        if !state.counting.insert(place, texts) {
            return Err(misplaced(place));
        }
        while let Some((place, mut texts)) = state.counting.pop() {
            for (text, stream) in texts.iter_mut().zip(&mut state.streams) {
                text.shares = stream.divide(text.records, &text.pack_ends, &text.weights);
            }
            state.presses.push_back((place, texts));
        }
        Ok(())
    }

    /// Hand in a compressed batch: it, and all that waited for it, get their offsets.
    pub(crate) fn place(&self, place: Place, parts: Vec<Vec<Part>>) -> Result<(), Error> {
        let mut state = self.running()?;
        let state = &mut *state;
        if !state.placing.insert(place, parts) {
            return Err(misplaced(place));
        }
        while let Some((place, parts)) = state.placing.pop() {
            for (stream, parts) in state.streams.iter_mut().zip(parts) {
                for part in parts {
                    if stream.place(part, place.ticket)? {
                        *state.unwritten.entry(place.ticket).or_default() += 1;
                    }
                }
            }
        }
        self.gate.advance(state.finished());
        Ok(())
    }

    /// Something to do, if there is anything. What frees memory comes first. Without `with_pipes`, pipes are served only
    /// if nobody else would come to do it.
    pub(crate) fn task(&self, with_pipes: bool) -> Result<Option<Task>, Error> {
        let mut state = self.running()?;
        let state = &mut *state;
        for (number, stream) in state.streams.iter_mut().enumerate() {
            if stream.is_direct() && (self.in_step || stream.busy) {
                continue;
            }
            if let Some(write) = stream.queue.pop_front() {
                stream.busy = stream.is_direct();
                return Ok(Some(Task::Write(number, write)));
            }
        }
        if let Some((place, texts)) = state.presses.pop_front() {
            return Ok(Some(Task::Press(place, texts)));
        }
        for (number, stream) in state.streams.iter_mut().enumerate() {
            if let Some(full) = stream.full.pop_front() {
                return Ok(Some(Task::Seal(number, full)));
            }
        }
        if !self.in_step || state.pipes_busy {
            return Ok(None);
        }
        // If the next ticket may begin, somebody will come back with it, so there is
        // no need to wait here; if it may not, only this can let it begin.
        let must_wait =
            state.ending || state.placing.ticket() >= state.finished().saturating_add(self.ahead);
        if !with_pipes && !must_wait {
            return Ok(None);
        }
        let pipes = state.streams.iter_mut().enumerate();
        let first = |(number, stream): (usize, &mut Stream)| {
            let is_pipe = stream.is_direct();
            let write = is_pipe.then(|| stream.queue.pop_front()).flatten()?;
            Some((number, write))
        };
        let writes: Vec<_> = pipes.filter_map(first).collect();
        state.pipes_busy = !writes.is_empty();
        Ok(state.pipes_busy.then_some(Task::Pipes(writes, must_wait)))
    }

    /// A write is done.
    pub(crate) fn written(&self, stream: usize, file: u64, ticket: Option<u64>) {
        let mut state = self.lock();
        state.streams[stream].busy = false;
        state.written(stream, file, ticket);
        self.gate.advance(state.finished());
    }

    /// Pipes were served: what was written, and what is left.
    pub(crate) fn served(&self, done: Vec<(usize, u64, Option<u64>)>, left: Vec<(usize, Write)>) {
        let mut state = self.lock();
        state.pipes_busy = false;
        for (stream, write) in left {
            state.streams[stream].queue.push_front(write);
        }
        for (stream, file, ticket) in done {
            state.written(stream, file, ticket);
        }
        self.gate.advance(state.finished());
    }

    /// A file is safe.
    pub(crate) fn sealed(&self, stream: usize, (file, sealed, written): (u64, Sealed, Written)) {
        self.lock().streams[stream].keep(file, sealed, written);
    }

    /// Close everything because of `error`, and return what to report: an error
    /// after the first is a consequence of it.
    pub(crate) fn fail(&self, error: Error) -> Error {
        let first = !self.close();
        if first { error } else { Error::Stopped }
    }

    /// Send everybody home and remove what was written. Returns whether that had
    /// been done before.
    pub(crate) fn close(&self) -> bool {
        let mut state = self.lock();
        let before = std::mem::replace(&mut state.failed, true);
        state.counting.clear();
        state.presses.clear();
        state.placing.clear();
        state.streams.iter_mut().for_each(Stream::clear);
        drop(state);
        self.gate.close();
        before
    }

    /// All batches are there: let nothing be added to the files that are open.
    pub(crate) fn end(&self, tickets: u64) -> Result<(), Error> {
        let mut state = self.running()?;
        let counted = state.counting.is_complete(0) || state.counting.is_complete(tickets);
        if !counted || !state.placing.is_complete(tickets) {
            let ticket = state.placing.ticket();
            return Err(Error::Incomplete { ticket, tickets });
        }
        state.ending = true;
        state.streams.iter_mut().for_each(Stream::end);
        Ok(())
    }

    /// Open and end one more file that has to be there without records. Returns
    /// whether there was one.
    pub(crate) fn end_missing(&self) -> Result<bool, Error> {
        let mut state = self.running()?;
        let mut any = false;
        for stream in &mut state.streams {
            any |= stream.open_missing()?;
        }
        state.streams.iter_mut().for_each(Stream::end);
        Ok(any)
    }

    /// All files, sealed.
    pub(crate) fn take_sealed(&self) -> Result<Vec<Vec<(Sealed, Written)>>, Error> {
        let mut state = self.running()?;
        let tickets = state.placing.ticket();
        let ticket = state.finished();
        let sealed: Option<_> = state.streams.iter_mut().map(Stream::take_sealed).collect();
        sealed.ok_or(Error::Incomplete { ticket, tickets })
    }

    fn running(&self) -> Result<MutexGuard<'_, State>, Error> {
        let state = self.lock();
        if state.failed {
            return Err(Error::Stopped);
        }
        Ok(state)
    }

    /// Nothing in this file panics halfway through a change.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Tickets below this one are placed and written.
    fn finished(&self) -> u64 {
        let placed = self.placing.ticket();
        let written = self.unwritten.keys().next().copied();
        written.map_or(placed, |ticket| ticket.min(placed))
    }

    fn written(&mut self, stream: usize, file: u64, ticket: Option<u64>) {
        if let Some(ticket) = ticket
            && let Some(left) = self.unwritten.get_mut(&ticket)
        {
            *left -= 1;
            if *left == 0 {
                self.unwritten.remove(&ticket);
            }
        }
        self.streams[stream].done(file);
    }
}

fn misplaced(place: Place) -> Error {
    Error::Misplaced {
        ticket: place.ticket,
        piece: place.piece,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OutputOptions, ordinal};
    use std::fs::File;

    /// Who served pipes without waiting, as the next ticket was still to come, and finds that it came meanwhile, has
    /// to serve them on: the one who brought it found them busy and went to wait at the gate.
    #[test]
    fn pipes_that_were_busy_when_the_last_ticket_came_are_served_on() {
        let directory = tempfile::tempdir().unwrap();
        let mut readers = Vec::new();
        let streams = ["a", "b"].map(|name| {
            let path = directory.path().join(name);
            nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
            // So that neither end waits for the other to be opened.
            readers.push(File::options().read(true).write(true).open(&path).unwrap());
            Stream::open(OutputOptions::new(&path)).unwrap()
        });
        let room = Room::new(streams.into(), 2);
        let place = |ticket| {
            let part = || Part {
                file: 0,
                records: 1,
                bytes: vec![b'A'; 10],
            };
            let parts = vec![vec![part()], vec![part()]];
            room.place(ordinal(ticket), parts).unwrap();
        };
        place(0);
        let Some(Task::Pipes(writes, false)) = room.task(true).unwrap() else {
            panic!("the next ticket may begin, so nobody waits for room");
        };
        place(1);
        assert!(room.task(true).unwrap().is_none(), "the pipes are busy");
        room.served(Vec::new(), writes);
        let Some(Task::Pipes(writes, true)) = room.task(false).unwrap() else {
            panic!("no ticket may begin, so somebody has to wait for room");
        };
        assert_eq!(writes.len(), 2);
    }
}
