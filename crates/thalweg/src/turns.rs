//! Groups of files that threads read one after the other, no more than two at a time.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use thalweg_flow::Stop;
use thalweg_reads::Reader;

/// Who is where.
pub(crate) struct Turns {
    groups: Mutex<Vec<Turn>>,
    left: Condvar,
}

#[derive(Default)]
struct Turn {
    /// Open from the first thread's coming to the last one's leaving.
    reader: Option<Arc<Reader>>,
    inside: usize,
    /// A thread has found nothing more to claim: whoever comes now has nothing to do.
    is_over: bool,
}

/// A thread that reads a group, until this is dropped.
pub(crate) struct Inside<'a> {
    reader: Option<Arc<Reader>>,
    turns: &'a Turns,
    group: usize,
}

impl Turns {
    pub(crate) fn new(groups: usize) -> Self {
        Self {
            groups: Mutex::new((0..groups).map(|_| Turn::default()).collect()),
            left: Condvar::new(),
        }
    }

    /// Come to a group, and open it if nobody has; `None` if there is nothing left of it to do, or all was stopped.
    ///
    /// Waits until the last but one group before it is closed. Whoever reads that waits for nobody here.
    pub(crate) fn enter<E>(
        &self,
        group: usize,
        stop: &Stop,
        open: impl FnOnce() -> Result<Arc<Reader>, E>,
    ) -> Result<Option<Inside<'_>>, E> {
        let mut groups = self.lock();
        loop {
            if groups[group].is_over || stop.is_stopped() {
                return Ok(None);
            }
            let before = &groups[..group.saturating_sub(1)];
            if groups[group].reader.is_some() || before.iter().all(|turn| turn.inside == 0) {
                break;
            }
            groups = self
                .left
                .wait(groups)
                .unwrap_or_else(PoisonError::into_inner);
        }
        let turn = &mut groups[group];
        let reader = match &turn.reader {
            Some(reader) => Arc::clone(reader),
            // Whoever comes meanwhile has nothing to do before it is open.
            None => Arc::clone(turn.reader.insert(open()?)),
        };
        turn.inside += 1;
        Ok(Some(Inside {
            reader: Some(reader),
            turns: self,
            group,
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Turn>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside<'_> {
    /// The files of the group.
    pub(crate) fn reader(&self) -> &Arc<Reader> {
        self.reader
            .as_ref()
            .expect("it is there until this is dropped")
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        // Before others hear that there is room.
        self.reader = None;
        let mut groups = self.turns.lock();
        let turn = &mut groups[self.group];
        turn.is_over = true;
        turn.inside -= 1;
        if turn.inside == 0 {
            turn.reader = None;
        }
        self.turns.left.notify_all();
    }
}
