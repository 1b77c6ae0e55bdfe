//! Threads that stop together.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use crate::Stop;

/// Why a group of workers did not finish.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure<E> {
    /// The first worker that failed, in time, gave this reason.
    Failed(E),
    /// A worker panicked with this message.
    Panicked(String),
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
    let stop = Stop::new();
    let first_failure = Mutex::new(None);
    let guarded = |worker: usize| {
        let outcome = catch_unwind(AssertUnwindSafe(|| work(worker, &stop)));
        let failure = match outcome {
            Ok(Ok(value)) => return Some(value),
            Ok(Err(error)) => Failure::Failed(error),
            Err(panic) => Failure::Panicked(panic_message(panic.as_ref())),
        };
        stop.stop();
        first_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(failure);
        None
    };
    let values: Vec<Option<T>> = std::thread::scope(|scope| {
        let guarded = &guarded;
        let others: Vec<_> = (1..threads)
            .map(|worker| scope.spawn(move || guarded(worker)))
            .collect();
        let mut values = vec![guarded(0)];
        for other in others {
            values.push(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        values
    });
    match first_failure
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
    {
        Some(failure) => Err(failure),
        None => Ok(values.into_iter().flatten().collect()),
    }
}

/// Threads that outlive the call that started them: for iterators.
///
/// Dropping the crew raises its [`Stop`] and joins.
#[derive(Debug)]
pub struct Crew<T, E> {
    stop: Arc<Stop>,
    threads: Vec<JoinHandle<Result<T, E>>>,
}

impl<T: Send + 'static, E: Send + 'static> Crew<T, E> {
    /// Start `threads` threads (at least one) on `work(worker, stop)`.
    pub fn start<F>(threads: usize, work: F) -> Self
    where
        F: Fn(usize, &Stop) -> Result<T, E> + Send + Sync + 'static,
    {
        let stop = Arc::new(Stop::new());
        let work = Arc::new(work);
        let threads = (0..threads.max(1))
            .map(|worker| {
                let stop = Arc::clone(&stop);
                let work = Arc::clone(&work);
                std::thread::spawn(move || {
                    let outcome = catch_unwind(AssertUnwindSafe(|| work(worker, &stop)));
                    if !matches!(outcome, Ok(Ok(_))) {
                        stop.stop();
                    }
                    outcome.unwrap_or_else(|panic| resume_unwind(panic))
                })
            })
            .collect();
        Self { stop, threads }
    }

    /// The flag that the workers look at.
    pub fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    /// Wait for all workers.
    ///
    /// # Errors
    /// The failure of the worker with the lowest number that failed.
    pub fn join(mut self) -> Result<Vec<T>, Failure<E>> {
        let mut values = Vec::new();
        let mut failure = None;
        for thread in self.threads.drain(..) {
            match thread.join() {
                Ok(Ok(value)) => values.push(value),
                Ok(Err(error)) => {
                    failure.get_or_insert(Failure::Failed(error));
                }
                Err(panic) => {
                    failure.get_or_insert(Failure::Panicked(panic_message(panic.as_ref())));
                }
            }
        }
        failure.map_or(Ok(values), Err)
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
