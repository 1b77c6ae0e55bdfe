//! Threads that stop together.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use crate::Stop;

/// Why a group of workers did not finish.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure<E> {
    /// The first worker that failed, in time, gave this reason.
    Failed(E),
    /// A worker panicked with this message.
    Panicked(String),
    /// The system said this when it was asked for one more thread.
    NoThread(String),
}

/// Run `work(worker, stop)` on `threads` threads, the calling one included,
/// and return what each gave, in the order of the workers.
///
/// When one fails or panics, `stop` is raised; the others are expected to
/// look at it between two pieces of work.
///
/// # Errors
/// The first failure in time. A panic is caught and becomes
/// [`Failure::Panicked`], so that the caller can still clean up.
pub fn run<T, E, F>(threads: usize, work: F) -> Result<Vec<T>, Failure<E>>
where
    T: Send,
    E: Send,
    F: Fn(usize, &Stop) -> Result<T, E> + Sync,
{
    run_or(threads, work, || {})
}

/// As [`run`], and call `on_failure` when a worker has failed: to wake those
/// that wait for it. It is called after the failure has been noted, so that the
/// failures of those who are woken never pass for the first.
///
/// # Errors
/// As [`run`].
pub fn run_or<T, E, F, C>(threads: usize, work: F, on_failure: C) -> Result<Vec<T>, Failure<E>>
where
    T: Send,
    E: Send,
    F: Fn(usize, &Stop) -> Result<T, E> + Sync,
    C: Fn() + Sync,
{
    let stop = Stop::new();
    let first_failure = Mutex::new(None);
    let fail = |failure| {
        first_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(failure);
        stop.stop();
        on_failure();
    };
    let values: Vec<Mutex<Option<T>>> = (0..threads.max(1)).map(|_| Mutex::new(None)).collect();
    let body = |worker: usize| match work(worker, &stop) {
        Ok(value) => {
            *values[worker]
                .lock()
                .unwrap_or_else(PoisonError::into_inner) = Some(value)
        }
        Err(error) => fail(Failure::Failed(error)),
    };
    run_bodies(threads, &body, &|trouble| {
        fail(match trouble {
            Trouble::Panicked(message) => Failure::Panicked(message),
            Trouble::NoThread(message) => Failure::NoThread(message),
        });
    });
    let value = |slot: Mutex<Option<T>>| slot.into_inner().unwrap_or_else(PoisonError::into_inner);
    match first_failure
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        Some(failure) => Err(failure),
        None => Ok(values.into_iter().filter_map(value).collect()),
    }
}

/// Why a worker gave neither a value nor an error.
enum Trouble {
    /// It panicked with this message.
    Panicked(String),
    /// The system said this when it was asked for a thread.
    NoThread(String),
}

/// Calls `body(worker)` on `threads` threads, the calling one included. What starts and joins threads is compiled once, and not
/// for each job.
fn run_bodies(
    threads: usize,
    body: &(dyn Fn(usize) + Sync),
    on_trouble: &(dyn Fn(Trouble) + Sync),
) {
    let guarded = |worker: usize| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(worker))) {
            on_trouble(Trouble::Panicked(panic_message(panic.as_ref())));
        }
    };
    std::thread::scope(|scope| {
        let guarded = &guarded;
        let mut others = Vec::with_capacity(threads.saturating_sub(1));
        let mut are_all = true;
        for worker in 1..threads {
            match Builder::new().spawn_scoped(scope, move || guarded(worker)) {
                Ok(thread) => others.push(thread),
                // The work may be shared out among exactly so many.
                Err(error) => {
                    on_trouble(Trouble::NoThread(error.to_string()));
                    are_all = false;
                    break;
                }
            }
        }
        if are_all {
            guarded(0);
        }
        for other in others {
            other.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// Threads that outlive the call that started them: for iterators.
///
/// Dropping the crew raises its [`Stop`] and joins.
#[derive(Debug)]
pub struct Crew<T, E> {
    stop: Arc<Stop>,
    first_failure: Arc<Mutex<Option<Failure<E>>>>,
    threads: Vec<JoinHandle<Option<T>>>,
}

impl<T: Send + 'static, E: Send + 'static> Crew<T, E> {
    /// Start `threads` threads (at least one) on `work(worker, stop)`, and call
    /// `on_failure` when one has failed, as [`run_or`] does.
    pub fn start<F, C>(threads: usize, work: F, on_failure: C) -> Self
    where
        F: Fn(usize, &Stop) -> Result<T, E> + Send + Sync + 'static,
        C: Fn() + Send + Sync + 'static,
    {
        let stop = Arc::new(Stop::new());
        let first_failure = Arc::new(Mutex::new(None));
        let shared = Arc::new((work, on_failure));
        let spawned: Vec<io::Result<_>> = (0..threads.max(1))
            .map(|worker| {
                let stop = Arc::clone(&stop);
                let first_failure = Arc::clone(&first_failure);
                let shared = Arc::clone(&shared);
                Builder::new().spawn(move || {
                    let (work, on_failure) = &*shared;
                    let outcome = catch_unwind(AssertUnwindSafe(|| work(worker, &stop)));
                    let failure = match outcome {
                        Ok(Ok(value)) => return Some(value),
                        Ok(Err(error)) => Failure::Failed(error),
                        Err(panic) => Failure::Panicked(panic_message(panic.as_ref())),
                    };
                    first_failure
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert(failure);
                    stop.stop();
                    on_failure();
                    None
                })
            })
            .collect();
        let mut threads = Vec::with_capacity(spawned.len());
        for thread in spawned {
            match thread {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    first_failure
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .get_or_insert(Failure::NoThread(error.to_string()));
                    stop.stop();
                    (shared.1)();
                }
            }
        }
        Self {
            stop,
            first_failure,
            threads,
        }
    }

    /// The flag that the workers look at.
    pub fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    /// Tell the workers to stop, and do not wait until they do: for who cannot wait for what a worker waits for.
    pub fn leave(mut self) {
        self.stop.stop();
        self.threads.clear();
    }

    /// Wait for all workers.
    ///
    /// # Errors
    /// The first failure in time.
    pub fn join(mut self) -> Result<Vec<T>, Failure<E>> {
        let values: Vec<Option<T>> = self
            .threads
            .drain(..)
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect();
        let failure = self
            .first_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match failure {
            Some(failure) => Err(failure),
            None => Ok(values.into_iter().flatten().collect()),
        }
    }
}

impl<T, E> Drop for Crew<T, E> {
    fn drop(&mut self) {
        self.stop.stop();
        for thread in self.threads.drain(..) {
            // A worker's panic was its own; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a worker panicked".to_owned())
}
