use std::io;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

/// A thread that does one job after the other while its owner goes on: for what waits, not for what computes.
///
/// Dropping it waits for the jobs that were given.
///
/// ```
/// use thalweg_flow::Background;
///
/// let mut background = Background::start(|n: u64| n * n)?;
/// background.give(3);
/// background.give(4);
/// assert_eq!((background.take(), background.take()), (Some(9), Some(16)));
/// assert_eq!(background.take(), None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Background<T, R> {
    /// Taken when no more jobs come.
    jobs: Option<Sender<T>>,
    results: Receiver<R>,
    under_way: usize,
    thread: Option<JoinHandle<()>>,
}

impl<T: Send + 'static, R: Send + 'static> Background<T, R> {
    /// Start the thread.
    ///
    /// # Errors
    /// If the system has no thread to give.
    pub fn start(mut work: impl FnMut(T) -> R + Send + 'static) -> io::Result<Self> {
        let (jobs, given) = channel();
        let (done, results) = channel();
        let thread = Builder::new().spawn(move || {
            for job in given {
                // Nobody takes it who is about to drop this.
                let _ = done.send(work(job));
            }
        })?;
        Ok(Self {
            jobs: Some(jobs),
            results,
            under_way: 0,
            thread: Some(thread),
        })
    }

    /// One more job. Never blocks.
    pub fn give(&mut self, job: T) {
        self.under_way += 1;
        // A thread that has panicked takes none, which `take` tells.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
    }

    /// Jobs that were given and whose results were not taken.
    pub fn under_way(&self) -> usize {
        self.under_way
    }

    /// The result of the oldest job whose result was not taken, or `None` if there is none. Waits for it.
    ///
    /// # Panics
    /// If the work has panicked.
    pub fn take(&mut self) -> Option<R> {
        if self.under_way == 0 {
            return None;
        }
        self.under_way -= 1;
        let result = self.results.recv();
        if result.is_err()
            && let Some(Err(panic)) = self.thread.take().map(JoinHandle::join)
        {
            resume_unwind(panic);
        }
        result.ok()
    }
}

impl<T, R> Drop for Background<T, R> {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_done_in_order() {
        let mut background = Background::start(|n: usize| n + 1).unwrap();
        (0..100).for_each(|n| background.give(n));
        assert_eq!(background.under_way(), 100);
        let results: Vec<_> = std::iter::from_fn(|| background.take()).collect();
        assert_eq!(results, (1..=100).collect::<Vec<_>>());
    }

    #[test]
    fn dropping_waits() {
        let (sender, receiver) = channel();
        let mut background = Background::start(move |n: u32| sender.send(n)).unwrap();
        background.give(7);
        drop(background);
        assert_eq!(receiver.try_recv(), Ok(7));
    }

    #[test]
    fn a_panic_reaches_the_owner() {
        let mut background = Background::start(|n: u32| assert_eq!(n, 1, "not one")).unwrap();
        background.give(1);
        background.give(2);
        background.give(1);
        background.take();
        let take = std::panic::AssertUnwindSafe(|| background.take());
        let panic = std::panic::catch_unwind(take).unwrap_err();
        assert!(panic.downcast_ref::<String>().unwrap().contains("not one"));
    }
}
