//! How many threads there are, and all of them at work on batches whose results are written in order.

use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use thalweg::{Batch, Budget, Workers};

/// As many threads as were asked for, or one for each core.
pub(crate) fn threads(asked: Option<NonZeroUsize>) -> usize {
    asked.map_or_else(|| Budget::all_cores().threads(), usize::from)
}

/// [`Workers::map_in_order`], with the cause of a failure instead of the message that reading was stopped because of it.
pub(crate) fn map_in_order<T: Send, E: From<thalweg::Error> + Send>(
    workers: Workers,
    work: impl Fn(Batch) -> Result<T, E> + Sync,
    mut sink: impl FnMut(T) -> Result<(), E> + Send,
    is_consequence: impl Fn(&E) -> bool,
) -> Result<(), E> {
    let cause = Mutex::new(None);
    let outcome = workers.map_in_order(work, |value| {
        sink(value).map_err(|failure| {
            let mut cause = cause.lock().unwrap_or_else(PoisonError::into_inner);
            cause.get_or_insert(failure);
            thalweg::Error::new(thalweg::ErrorKind::Stopped).into()
        })
    });
    outcome.map_err(|failure| {
        let cause = cause.into_inner().unwrap_or_else(PoisonError::into_inner);
        match cause {
            Some(cause) if is_consequence(&failure) => cause,
            _ => failure,
        }
    })
}
