//! Readers that a caller has, in the place of files.

use std::fmt;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A reader, for the first who opens it: copies of options share it.
#[derive(Clone)]
pub(crate) struct Given(Arc<Mutex<Option<Source>>>);

type Source = Box<dyn Read + Send>;

impl Given {
    pub(crate) fn new(source: impl Read + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(source)))))
    }

    /// The reader; `None` if it was taken.
    pub(crate) fn take(&self) -> Option<Source> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Given")
    }
}

/// A reader that notes whether it has failed: its errors may look like those of a codec's library.
pub(crate) struct NotedRead {
    source: Source,
    has_failed: Arc<AtomicBool>,
}

impl NotedRead {
    pub(crate) fn new(source: Source, has_failed: Arc<AtomicBool>) -> Self {
        Self { source, has_failed }
    }
}

impl Read for NotedRead {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let outcome = self.source.read(buffer);
        if let Err(error) = &outcome
            && error.kind() != io::ErrorKind::Interrupted
        {
            // Seen by who gets the error.
            self.has_failed.store(true, Ordering::Relaxed);
        }
        outcome
    }
}
