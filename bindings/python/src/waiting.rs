//! Work beside the interpreter's thread, which meanwhile hears signals and lets other threads of Python run.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyUserWarning};
use pyo3::prelude::*;
use thalweg::{Control, Fault, Message, MessageKind};
use thalweg_flow::{Crew, Failure};

use crate::errors;

/// How long a signal may wait.
pub(crate) const HEARS_AFTER: Duration = Duration::from_millis(50);

/// How long an interrupted job may take to clean up, before it is left to itself: one that waits for a pipe may for ever.
const CLEANS_UP_WITHIN: Duration = Duration::from_secs(2);

/// What `work` gives. A signal whose handler raises, as Ctrl-C does, sets `cancel`.
///
/// # Errors
/// The handler's exception, or a panic.
pub(crate) fn beside<T: Send + 'static>(
    py: Python<'_>,
    cancel: &Arc<AtomicBool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    let work = Mutex::new(Some(work));
    let crew = Crew::start(
        1,
        move |_, _| {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
            // Whoever waits may have gone.
            let _ = work.map(|work| sender.send(work()));
            Ok::<(), ()>(())
        },
        || (),
    );
    // One that nobody else can wait for; to be lent to other threads it must be in a lock.
    let mut receiver = Mutex::new(receiver);
    let mut wait = |time| {
        let receiver = receiver.get_mut().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(time)
    };
    loop {
        match py.detach(|| wait(HEARS_AFTER)) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(match crew.join() {
                    Err(Failure::Panicked(what)) => {
                        format!("internal error, please report it: {what}")
                    }
                    Err(Failure::NoThread(reason)) => format!("cannot start a thread: {reason}"),
                    _ => "internal error, please report it: nothing came of it".to_owned(),
                }));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    cancel.store(true, Ordering::Relaxed);
                    let over = py.detach(|| wait(CLEANS_UP_WITHIN));
                    if matches!(over, Err(RecvTimeoutError::Timeout)) {
                        crew.leave();
                    }
                    return Err(interrupt);
                }
            }
        }
    }
}

/// What a job of the library gives, which is stopped as of [`beside`]; what it warns of are Python's warnings.
///
/// # Errors
/// As [`beside`], that of the job, and a warning that is to be an exception.
pub(crate) fn job<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Control<'_>) -> Result<T, Fault> + Send + 'static,
) -> PyResult<T> {
    let cancel: Arc<AtomicBool> = Arc::default();
    let flag = Arc::clone(&cancel);
    let (outcome, warnings) = beside(py, &cancel, move || {
        let warnings = Mutex::new(Vec::new());
        let says = |message: Message| {
            if matches!(message.kind, MessageKind::Warning | MessageKind::Doubt) {
                let mut warnings = warnings.lock().unwrap_or_else(PoisonError::into_inner);
                warnings.push(message.text);
            }
        };
        let outcome = work(&Control {
            says: Some(&says),
            cancel: Some(&flag),
            ..Control::default()
        });
        let warnings = warnings.into_inner();
        (outcome, warnings.unwrap_or_else(PoisonError::into_inner))
    })?;
    warn(py, warnings)?;
    outcome.map_err(|fault| errors::of_fault(py, &fault))
}

/// Gives these texts as Python's warnings, of which the caller's line is the place.
///
/// # Errors
/// A warning that is to be an exception.
pub(crate) fn warn(py: Python<'_>, texts: impl IntoIterator<Item = String>) -> PyResult<()> {
    let class = py.get_type::<PyUserWarning>();
    for text in texts {
        // A text of ours has no NUL, but a name of a file in it might.
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        PyErr::warn(py, &class, &text, 1)?;
    }
    Ok(())
}
