use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use thalweg_flow::{Crew, Failure, Gate, Place, Sequencer, Stop};
use thalweg_reads::{Batch, Error, ErrorKind, Reader, Worker};

use crate::Workers;
use crate::workers::{all_came_out, unless_stopped};

/// The batches of some files, or what is [made of them](Workers::made_in_order), in the order of the input.
///
/// Dropping it early stops the threads behind it. After an error there are no
/// more batches.
pub struct Batches<T = Batch> {
    reader: Arc<Reader>,
    source: Source<T>,
}

/// What comes out: nothing at the end of a claim of which all was given before.
type Made<T> = Option<T>;

/// Adds a batch to what there is of its claim; tells whether that is to be given.
pub(crate) type Add<T> = Arc<dyn Fn(&mut Made<T>, Batch) -> bool + Send + Sync>;

/// Batches as they are.
pub(crate) fn as_they_are() -> Add<Batch> {
    Arc::new(|made, batch| {
        *made = Some(batch);
        true
    })
}

enum Source<T> {
    /// One thread: the caller's own.
    Inline {
        maker: Box<Maker<T>>,
        sequencer: Arc<Sequencer<Made<T>>>,
        ready: VecDeque<T>,
    },
    Threads {
        values: Receiver<T>,
        sequencer: Arc<Sequencer<Made<T>>>,
        crew: Option<Crew<(), Error>>,
    },
    Done,
}

impl<T: Send + 'static> Batches<T> {
    pub(crate) fn new(workers: &Workers, add: Add<T>) -> Self {
        if workers.threads() > 1 {
            return Self::beside(workers, add);
        }
        let sequencer = Arc::new(Sequencer::new(workers.ahead()));
        let reader = Arc::clone(workers.reader());
        let maker = Box::new(Maker::new(&reader, 0, sequencer.gate(), add));
        Self {
            reader,
            source: Source::Inline {
                maker,
                sequencer,
                ready: VecDeque::new(),
            },
        }
    }

    /// All work is done by threads beside the caller, also if it is one.
    pub(crate) fn beside(workers: &Workers, add: Add<T>) -> Self {
        let sequencer = Arc::new(Sequencer::new(workers.ahead()));
        let reader = Arc::clone(workers.reader());
        let threads = workers.threads();
        // Two per thread: one in the consumer's hands, one on the way.
        let (sender, values) = sync_channel(2 * threads);
        let shared = Arc::clone(&sequencer);
        let read_by = Arc::clone(&reader);
        let work = move |number, stop: &Stop| {
            let mut maker = Maker::new(&read_by, number, shared.gate(), Arc::clone(&add));
            let send = |made: Made<T>| made.map_or(Ok(()), |value| sender.send(value));
            while let Some((place, made)) = unless_stopped(maker.next())?
                && !stop.is_stopped()
            {
                // Fails if the consumer left, or another worker failed.
                if shared.commit(place, made, send).is_err() {
                    break;
                }
            }
            Ok(())
        };
        let closer = Arc::clone(&sequencer);
        let crew = Crew::start(threads, work, move || closer.close());
        Self {
            reader,
            source: Source::Threads {
                values,
                sequencer,
                crew: Some(crew),
            },
        }
    }
}

/// One worker, and what it makes.
struct Maker<T> {
    worker: Worker,
    add: Add<T>,
    /// Claims that are under way: a worker may decode some side by side.
    claims: Vec<Claim<T>>,
}

struct Claim<T> {
    ticket: u64,
    /// What was not given.
    made: Made<T>,
    /// How many values were given of it.
    given: u64,
}

impl<T> Maker<T> {
    fn new(reader: &Arc<Reader>, number: usize, gate: &Arc<Gate>, add: Add<T>) -> Self {
        Self {
            worker: reader.worker(number, Some(Arc::clone(gate))),
            add,
            claims: Vec::new(),
        }
    }

    /// The next value, and where it stands among all.
    fn next(&mut self) -> Result<Option<(Place, Made<T>)>, Error> {
        while let Some(batch) = self.worker.next_batch()? {
            let Place { ticket, last, .. } = batch.place();
            let found = self.claims.iter().position(|claim| claim.ticket == ticket);
            let at = found.unwrap_or_else(|| {
                self.claims.push(Claim {
                    ticket,
                    made: None,
                    given: 0,
                });
                self.claims.len() - 1
            });
            let claim = &mut self.claims[at];
            if (self.add)(&mut claim.made, batch) || last {
                let (piece, made) = (claim.given, claim.made.take());
                claim.given += 1;
                if last {
                    self.claims.swap_remove(at);
                }
                let place = Place {
                    ticket,
                    piece,
                    last,
                };
                return Ok(Some((place, made)));
            }
        }
        Ok(None)
    }
}

impl<T: Send + 'static> Batches<T> {
    /// As [`next`](Iterator::next), for a caller with other things to look at: `None` if no batch has come within `time`.
    ///
    /// Where the caller does the work itself, it takes as long as it takes.
    pub fn next_within(&mut self, time: Duration) -> Option<Option<Result<T, Error>>> {
        if let Source::Threads { values, .. } = &self.source {
            match values.recv_timeout(time) {
                Ok(value) => return Some(Some(Ok(value))),
                Err(RecvTimeoutError::Timeout) => return None,
                // `next` tells why there are no more.
                Err(RecvTimeoutError::Disconnected) => {}
            }
        }
        Some(self.next())
    }

    /// Have the threads stop without waiting until they do, as dropping would: one that waits for a pipe ends when
    /// something comes of that.
    pub fn leave(mut self) {
        if let Source::Threads {
            sequencer, crew, ..
        } = &mut self.source
        {
            sequencer.close();
            if let Some(crew) = crew.take() {
                crew.leave();
            }
        }
    }
}

impl<T: Send + 'static> Iterator for Batches<T> {
    type Item = Result<T, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let outcome = match &mut self.source {
            Source::Inline {
                maker,
                sequencer,
                ready,
            } => match next_inline(maker, sequencer, ready).transpose() {
                None => all_came_out(sequencer, self.reader.tickets())
                    .err()
                    .map(Err),
                outcome => outcome,
            },
            Source::Threads {
                values,
                sequencer,
                crew,
            } => match values.recv() {
                Ok(value) => Some(Ok(value)),
                Err(_) => crew.take().and_then(|crew| match crew.join() {
                    Ok(_) => all_came_out(sequencer, self.reader.tickets())
                        .err()
                        .map(Err),
                    Err(Failure::Failed(error)) => Some(Err(error)),
                    Err(Failure::NoThread(reason)) => {
                        Some(Err(Error::new(ErrorKind::NoThread(reason))))
                    }
                    Err(Failure::Panicked(what)) => {
                        Some(Err(Error::new(ErrorKind::Panicked(what))))
                    }
                }),
            },
            Source::Done => None,
        };
        if !matches!(outcome, Some(Ok(_))) {
            self.source = Source::Done;
        }
        outcome
    }
}

fn next_inline<T>(
    maker: &mut Maker<T>,
    sequencer: &Sequencer<Made<T>>,
    ready: &mut VecDeque<T>,
) -> Result<Option<T>, Error> {
    while ready.is_empty() {
        let Some((place, made)) = maker.next()? else {
            return Ok(None);
        };
        let outcome = sequencer.commit(place, made, |made| {
            ready.extend(made);
            Ok::<(), Error>(())
        });
        if outcome.is_err() {
            return Err(Error::new(ErrorKind::Stopped));
        }
    }
    Ok(ready.pop_front())
}

impl<T> Drop for Batches<T> {
    fn drop(&mut self) {
        if let Source::Threads { sequencer, .. } = &self.source {
            // Workers that wait at the gate, or for room in the channel, go home;
            // the receiver and then the crew are dropped after this.
            sequencer.close();
        }
    }
}
