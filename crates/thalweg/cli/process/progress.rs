//! A line on the terminal that tells how far a command is.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::options::Common;
use crate::options::quantity::bytes;
use crate::process::signals::leave_to_others;
use crate::process::tell::harmless;

/// Between two drawings; short commands draw nothing at all.
const TICK: Duration = Duration::from_millis(250);

/// Columns of the file's name, so that the line fits 80 columns.
const NAME: usize = 24;

/// Draws until it is dropped, and then clears the line.
pub(crate) struct Progress {
    /// The thread and what stops it; none if there is nobody to look.
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Draw what `position` says: bytes done, and bytes in all if known.
    ///
    /// Nothing is drawn, and no thread started, unless stderr is a terminal.
    pub(crate) fn start(
        common: &Common,
        path: &Path,
        position: impl Fn() -> (u64, Option<u64>) + Send + 'static,
    ) -> Self {
        Self::start_if(common.draws(), path, position)
    }

    /// The same for commands with options of their own.
    pub(crate) fn start_if(
        wanted: bool,
        path: &Path,
        position: impl Fn() -> (u64, Option<u64>) + Send + 'static,
    ) -> Self {
        if !wanted || !std::io::stderr().is_terminal() {
            return Self { drawing: None };
        }
        let name = shorten(&harmless(&path.display().to_string()));
        let (stop, stopped) = channel::<()>();
        let start = Instant::now();
        let thread = std::thread::Builder::new().spawn(move || {
            leave_to_others();
            while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                let (done, total) = position();
                let line = line(&name, done, total, start.elapsed().as_secs_f64());
                let _ = write!(std::io::stderr(), "\r\x1b[K{line}");
            }
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        });
        Self {
            drawing: thread.ok().map(|thread| (stop, thread)),
        }
    }
}

impl Progress {
    /// Whether there is anybody to look.
    pub(crate) fn is_drawn(&self) -> bool {
        self.drawing.is_some()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((stop, thread)) = self.drawing.take() {
            drop(stop);
            let _ = thread.join();
        }
    }
}

/// A pair of functions: the first is told how far the building is, the second
/// tells it.
pub(crate) fn counter() -> (
    impl Fn(u64, u64) + Sync,
    impl Fn() -> (u64, Option<u64>) + Send + 'static,
) {
    let state = Arc::new((AtomicU64::new(0), AtomicU64::new(0)));
    let told = Arc::clone(&state);
    let report = move |done, total| {
        told.0.store(done, Ordering::Relaxed);
        told.1.store(total, Ordering::Relaxed);
    };
    let position = move || {
        let total = state.1.load(Ordering::Relaxed);
        (state.0.load(Ordering::Relaxed), Some(total))
    };
    (report, position)
}

fn line(name: &str, done: u64, total: Option<u64>, seconds: f64) -> String {
    let rate = done as f64 / seconds.max(0.001);
    let so_far = format!("{}/s", bytes(rate as u64));
    match total.filter(|&total| total > 0) {
        Some(total) => {
            let share = (done as f64 / total as f64).min(1.0);
            let left = (total.saturating_sub(done)) as f64 / rate.max(1.0);
            let bar = "#".repeat((share * 16.0) as usize);
            let minutes = left as u64 / 60;
            let rest = left as u64 % 60;
            format!(
                "{name} [{bar:-<16}] {:3.0}%  {so_far}  {minutes}:{rest:02} left",
                share * 100.0
            )
        }
        None => format!("{name}  {}  {so_far}", bytes(done)),
    }
}

/// The last part of a long name tells most.
fn shorten(name: &str) -> String {
    let count = name.chars().count();
    if count <= NAME {
        return name.to_owned();
    }
    std::iter::once('…')
        .chain(name.chars().skip(count - NAME + 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_fit_a_terminal() {
        let name = shorten(&"x".repeat(300));
        for (done, total) in [(0, Some(0)), (5, Some(10)), (u64::MAX, Some(1)), (7, None)] {
            let line = line(&name, done, total, 3.0);
            assert!(line.chars().count() <= 79, "{line}");
        }
        assert_eq!(
            line("f", 500, Some(1000), 1.0),
            "f [########--------]  50%  500 B/s  0:01 left"
        );
    }
}
