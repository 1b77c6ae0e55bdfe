use std::sync::{Arc, Mutex, PoisonError};

use thalweg_flow::{Closed, Failure, Gate, Place, Sequencer, SequencerError, Stop, run, run_or};
use thalweg_gzip::LANES;
use thalweg_reads::{Batch, Error, ErrorKind, Reader, SharedReader};
use thalweg_write::Outputs;

use crate::batches::as_they_are;
use crate::turns::Turns;
use crate::{Batches, Reads, Source};

/// Threads that share out the batches of some [`Reads`](crate::Reads).
pub struct Workers {
    reader: Arc<Reader>,
}

impl Workers {
    pub(crate) fn new(reader: Arc<Reader>) -> Self {
        Self { reader }
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.reader.budget().threads()
    }

    /// Bytes on disk read so far and in all (if known), while workers run.
    pub fn progress(&self) -> impl Fn() -> (u64, Option<u64>) + Send + Sync + 'static {
        let reader = Arc::clone(&self.reader);
        move || reader.progress()
    }

    /// The batches in the order of the input, as [`into_iter`](IntoIterator::into_iter) gives them, with all the work done
    /// beside the caller, also if it is that of one thread: so [`Batches::next_within`] waits no longer than it says.
    pub fn beside(self) -> Batches {
        Batches::beside(&self, as_they_are())
    }

    /// What the threads make of the batches that they read, in the order of the input: for a consumer that asks for
    /// values one by one, where [`map_in_order`](Self::map_in_order) would call it.
    ///
    /// `add` puts a batch to what was made of those just before it, `None` at first, and tells whether that is to be
    /// given now. At the end of a claim it is given anyhow, unless it is `None`. So a value has batches of one claim: of
    /// a run of an indexed file, or of a part of a plain one; of files that are decoded in order, each batch is a claim.
    /// A batch may be [empty](Batch::is_empty).
    ///
    /// As of [`into_iter`](IntoIterator::into_iter), one thread is the caller's own, unless all is to be `beside` it.
    pub fn made_in_order<T: Send + 'static>(
        self,
        beside: bool,
        add: impl Fn(&mut Option<T>, Batch) -> bool + Send + Sync + 'static,
    ) -> Batches<T> {
        match beside {
            true => Batches::beside(&self, Arc::new(add)),
            false => Batches::new(&self, Arc::new(add)),
        }
    }

    /// Give each batch to the accumulator of the thread that read it, in no
    /// particular order, and merge the accumulators.
    ///
    /// The calling thread is one of the workers. Use it where order does not
    /// matter (counts, sums, tables): no thread waits for the batch of another, and
    /// several files that can only be decoded in order are decoded at the same time.
    ///
    /// # Errors
    /// The first fault that a worker meets; of files that are decoded at the same
    /// time, the first in the order of the files.
    pub fn fold<T: Send>(
        self,
        start: impl Fn() -> T + Sync,
        each: impl Fn(&mut T, &Batch) + Sync,
        merge: impl Fn(&mut T, T),
    ) -> Result<T, Error> {
        let parts = self.run(|mut worker, stop| {
            let mut part = start();
            while let Some(batch) = worker.next_batch()?
                && !stop.is_stopped()
            {
                each(&mut part, &batch);
            }
            Ok(part)
        })?;
        let mut whole = start();
        for part in parts {
            merge(&mut whole, part);
        }
        Ok(whole)
    }

    /// Give each batch to the state of the thread that read it, in no particular
    /// order, and return what becomes of the states: for work whose parts are put
    /// together by something else than the calling thread alone.
    ///
    /// `start` and `end` are called once for each thread, on that thread, which the
    /// state never leaves; `end` also when another thread has failed.
    ///
    /// # Errors
    /// The first failure of `start`, `each` or `end`, or a fault as of
    /// [`fold`](Self::fold).
    pub fn gather<S, T: Send, E: From<Error> + Send>(
        self,
        start: impl Fn() -> Result<S, E> + Sync,
        each: impl Fn(&mut S, &Batch) -> Result<(), E> + Sync,
        end: impl Fn(S) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        self.run(|mut worker, stop| {
            let mut state = start()?;
            while let Some(batch) = worker.next_batch()?
                && !stop.is_stopped()
            {
                each(&mut state, &batch)?;
            }
            end(state)
        })
    }

    /// As [`gather`](Self::gather), of `groups` of files that are opened by `open` when the first of `threads` threads comes
    /// to them, and closed when the last one leaves them. No more than two groups are open at the same time: for more files
    /// than may be open.
    ///
    /// # Errors
    /// As [`gather`](Self::gather), and the first failure of `open`.
    pub fn gather_in_turn<S, T: Send, E: From<Error> + Send>(
        threads: usize,
        groups: usize,
        open: impl Fn(usize) -> Result<Reads, E> + Sync,
        start: impl Fn() -> Result<S, E> + Sync,
        each: impl Fn(&mut S, &Batch) -> Result<(), E> + Sync,
        end: impl Fn(S) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let turns = Turns::new(groups);
        finish(run(threads, |number, stop| {
            let mut state = start()?;
            for group in 0..groups {
                let open = || open(group).map(|reads| reads.workers(threads).reader);
                let Some(inside) = turns.enter(group, stop, open)? else {
                    continue;
                };
                let mut worker = inside.reader().worker_in_any_order(number);
                while let Some(batch) = worker.next_batch()?
                    && !stop.is_stopped()
                {
                    each(&mut state, &batch)?;
                }
            }
            end(state)
        }))
    }

    /// As [`gather`](Self::gather), of what this process is given of inputs that are [shared](thalweg_reads::ReaderOptions::claim_table) with
    /// others.
    ///
    /// # Errors
    /// As [`gather`](Self::gather).
    pub fn gather_claims<S, T: Send, E: From<Error> + Send>(
        threads: usize,
        shared: &Arc<SharedReader>,
        start: impl Fn() -> Result<S, E> + Sync,
        each: impl Fn(&mut S, &Batch) -> Result<(), E> + Sync,
        end: impl Fn(S) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        finish(run(threads, |number, stop| {
            let mut worker = shared.worker(number);
            let mut state = start()?;
            while let Some(batch) = worker.next_batch()?
                && !stop.is_stopped()
            {
                each(&mut state, &batch)?;
            }
            end(state)
        }))
    }

    /// Call `each` for every batch, on the thread that read it.
    ///
    /// # Errors
    /// The first failure of `each`, or a fault as of [`fold`](Self::fold).
    pub fn for_each<E: From<Error> + Send>(
        self,
        each: impl Fn(&Batch) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.run(|mut worker, stop| {
            while let Some(batch) = worker.next_batch()?
                && !stop.is_stopped()
            {
                each(&batch)?;
            }
            Ok(())
        })
        .map(|_| ())
    }

    /// Turn each batch into something with `work`, in parallel, and give the
    /// results to `sink` in the order of the input, one at a time.
    ///
    /// At most as many batches wait for their turn as fit the memory of the
    /// budget, but at least one chunk's.
    ///
    /// # Errors
    /// The first failure of `work` or `sink`, or the first fault that a worker
    /// meets. What was given to `sink` before is a prefix of the whole.
    pub fn map_in_order<T: Send, E: From<Error> + Send>(
        self,
        work: impl Fn(Batch) -> Result<T, E> + Sync,
        sink: impl FnMut(T) -> Result<(), E> + Send,
    ) -> Result<(), E> {
        let sequencer = Sequencer::new(self.ahead());
        let sink = Mutex::new(sink);
        let reader = &self.reader;
        let work = |number, _: &Stop| {
            let mut worker = reader.worker(number, Some(Arc::clone(sequencer.gate())));
            while let Some(batch) = unless_stopped(worker.next_batch())? {
                let place = batch.place();
                let value = work(batch)?;
                if !commit(&sequencer, place, value, &sink)? {
                    break;
                }
            }
            Ok(())
        };
        let outcome = run_or(self.threads(), work, || sequencer.close());
        finish::<(), E>(outcome)?;
        Ok(all_came_out(&sequencer, reader.tickets())?)
    }

    /// As [`map_in_order`](Self::map_in_order), with the cause of a failure instead of the message that reading was stopped
    /// because of it: `is_consequence` tells that one.
    ///
    /// # Errors
    /// As [`map_in_order`](Self::map_in_order).
    pub fn map_in_order_of<T: Send, E: From<Error> + Send>(
        self,
        work: impl Fn(Batch) -> Result<T, E> + Sync,
        mut sink: impl FnMut(T) -> Result<(), E> + Send,
        is_consequence: impl Fn(&E) -> bool,
    ) -> Result<(), E> {
        let cause = Mutex::new(None);
        let outcome = self.map_in_order(work, |value| {
            sink(value).map_err(|failure| {
                let mut cause = cause.lock().unwrap_or_else(PoisonError::into_inner);
                cause.get_or_insert(failure);
                Error::new(ErrorKind::Stopped).into()
            })
        });
        let cause = cause.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.map_err(|failure| match cause {
            Some(cause) if is_consequence(&failure) => cause,
            _ => failure,
        })
    }

    /// Run `work` on every thread, each with its own share of the batches, and
    /// return what each returned, and how many tickets the batches had in all.
    ///
    /// No ticket begins before `gate` lets it: for output that is written in order
    /// by whoever owns the gate, such as [`write::Outputs`](crate::write::Outputs).
    /// `on_failure` is called when a thread fails or panics; it must let go all who
    /// wait at the gate.
    ///
    /// # Errors
    /// The first failure of `work`.
    pub fn run_behind<T: Send, E: From<Error> + Send>(
        self,
        gate: &Arc<Gate>,
        work: impl Fn(&mut Source) -> Result<T, E> + Sync,
        on_failure: impl Fn() + Sync,
    ) -> Result<(Vec<T>, u64), E> {
        let reader = &self.reader;
        let threads = self.threads();
        let run = |number, _: &Stop| {
            let worker = reader.worker(number, Some(Arc::clone(gate)));
            work(&mut Source::new(worker))
        };
        let parts = finish(run_or(threads, run, on_failure))?;
        Ok((parts, reader.tickets()))
    }

    /// [`run_behind`](Self::run_behind) the gate of `outputs`, which are closed when a thread fails.
    ///
    /// The other threads are told to stop then, and may be noted before the one that failed: the first failure is returned
    /// that is no consequence of another, as `is_consequence` has it.
    ///
    /// # Errors
    /// As [`run_behind`](Self::run_behind).
    pub fn run_into<T: Send, E: From<Error> + Send>(
        self,
        outputs: &Outputs,
        work: impl Fn(&mut Source) -> Result<T, E> + Sync,
        is_consequence: impl Fn(&E) -> bool + Sync,
    ) -> Result<(Vec<T>, u64), E> {
        let cause = Mutex::new(None);
        let noted = |source: &mut _| {
            work(source).map_err(|failure| {
                if !is_consequence(&failure) {
                    let mut cause = cause.lock().unwrap_or_else(PoisonError::into_inner);
                    cause.get_or_insert(failure);
                }
                Error::new(ErrorKind::Stopped).into()
            })
        };
        let outcome = self.run_behind(outputs.gate(), noted, || outputs.close());
        match cause.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(cause) => Err(cause),
            None => outcome,
        }
    }

    /// How many pieces of work may be unfinished at once, for ordered output.
    pub fn ahead(&self) -> u64 {
        let fitting = self.reader.budget().memory() / self.reader.largest_piece();
        fitting.clamp(1, (self.threads() * LANES) as u64 + 2)
    }

    pub(crate) fn reader(&self) -> &Arc<Reader> {
        &self.reader
    }

    fn run<T: Send, E: From<Error> + Send>(
        self,
        work: impl Fn(thalweg_reads::Worker, &Stop) -> Result<T, E> + Sync,
    ) -> Result<Vec<T>, E> {
        let reader = &self.reader;
        finish(run(self.threads(), |number, stop| {
            work(reader.worker_in_any_order(number), stop)
        }))
    }
}

impl IntoIterator for Workers {
    type Item = Result<Batch, Error>;
    type IntoIter = Batches;

    /// The batches in the order of the input. With one thread the iterator does
    /// the work when asked; with more, so many threads work beside the caller.
    fn into_iter(self) -> Batches {
        Batches::new(&self, as_they_are())
    }
}

/// A worker that was stopped has no more batches: the fault is that of the one
/// who closed the sequencer, which may not have been noted yet.
pub(crate) fn unless_stopped<T>(outcome: Result<Option<T>, Error>) -> Result<Option<T>, Error> {
    match outcome {
        Err(error) if matches!(error.kind(), ErrorKind::Stopped) => Ok(None),
        outcome => outcome,
    }
}

/// Returns whether to go on: another worker may have closed the sequencer.
fn commit<T, E: From<Error>>(
    sequencer: &Sequencer<T>,
    place: Place,
    value: T,
    sink: &Mutex<impl FnMut(T) -> Result<(), E>>,
) -> Result<bool, E> {
    // Only the one whose turn it is writes, so the lock is never waited for.
    let write = |value| (sink.lock().unwrap_or_else(PoisonError::into_inner))(value);
    match sequencer.commit(place, value, write) {
        Ok(()) => Ok(true),
        Err(SequencerError::Write(error)) => Err(error),
        Err(SequencerError::Closed) => Ok(false),
    }
}

/// No read is lost in silence: all batches of so many tickets must have left the sequencer.
pub(crate) fn all_came_out<T>(sequencer: &Sequencer<T>, tickets: u64) -> Result<(), Error> {
    match sequencer.is_complete(tickets) {
        Ok(true) => Ok(()),
        Ok(false) | Err(Closed) => Err(Error::new(ErrorKind::Incomplete)),
    }
}

pub(crate) fn finish<T, E: From<Error>>(outcome: Result<Vec<T>, Failure<E>>) -> Result<Vec<T>, E> {
    outcome.map_err(|failure| match failure {
        Failure::Failed(error) => error,
        Failure::Panicked(what) => Error::new(ErrorKind::Panicked(what)).into(),
        Failure::NoThread(reason) => Error::new(ErrorKind::NoThread(reason)).into(),
    })
}
