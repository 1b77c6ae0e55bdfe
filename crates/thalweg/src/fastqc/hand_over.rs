//! Batches on their way from who counted them to the ledgers, and from there to whoever is free.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use thalweg_fastqc::{Kept, Ledger, Notes, Settings, Standing};
use thalweg_flow::{Bringer, Gate, Pile, Place, Sequencer, SequencerError};
use thalweg_reads::{Error, ErrorKind};

/// What a batch brings to one report.
pub struct ReportEntry<K> {
    /// What depends on the reads before it.
    pub notes: Notes,
    /// The reads themselves.
    pub kept: K,
}

/// Enters batches into the ledgers of one report or several, whichever thread comes first.
///
/// Threads [hand in](Self::hand_in) batches as they come. Whoever brings the one whose turn it is enters it and all that waited
/// for it; then [any thread](Self::take) may look at what is left to do for them. A thread that has read its last batch
/// [stays](Self::wait) for those of others.
pub struct HandOver<K> {
    sequencer: Sequencer<Vec<ReportEntry<K>>>,
    ledgers: Mutex<Vec<Ledger>>,
    entered: Pile<Vec<(ReportEntry<K>, Standing)>>,
}

impl<K: Kept> HandOver<K> {
    /// For so many reports, of batches of which at most `ahead` tickets may be unfinished: [its gate](Self::gate) sees to it.
    pub fn new(settings: &Arc<Settings>, reports: usize, ahead: u64) -> Self {
        Self {
            sequencer: Sequencer::new(ahead),
            ledgers: Mutex::new((0..reports).map(|_| Ledger::new(settings)).collect()),
            entered: Pile::new(),
        }
    }

    /// Holds back who is too far ahead.
    pub fn gate(&self) -> &Arc<Gate> {
        self.sequencer.gate()
    }

    /// Bring what a batch has for each report, in their order.
    ///
    /// # Errors
    /// [`ErrorKind::Stopped`] if it was [closed](Self::close).
    pub fn hand_in(&self, place: Place, entries: Vec<ReportEntry<K>>) -> Result<(), Error> {
        let enter = |entries: Vec<ReportEntry<K>>| {
            let mut ledgers = lock(&self.ledgers);
            let entered = entries
                .into_iter()
                .zip(&mut *ledgers)
                .map(|(entry, ledger)| {
                    let standing = ledger.enter(&entry.notes, &entry.kept);
                    (entry, standing)
                });
            let entered = entered.collect();
            drop(ledgers);
            self.entered.push(entered);
            Ok::<_, std::convert::Infallible>(())
        };
        match self.sequencer.commit(place, entries, enter) {
            Ok(()) => Ok(()),
            Err(SequencerError::Closed) => Err(Error::new(ErrorKind::Stopped)),
            Err(SequencerError::Write(never)) => match never {},
        }
    }

    /// To be kept while there may be batches to hand in, however that ends.
    pub fn bringer(&self) -> Bringer<'_, Vec<(ReportEntry<K>, Standing)>> {
        self.entered.bringer()
    }

    /// A batch that was entered, if there is any.
    pub fn take(&self) -> Option<Vec<(ReportEntry<K>, Standing)>> {
        self.entered.take()
    }

    /// The same, for those who hand in no more: waits for batches of others.
    pub fn wait(&self) -> Option<Vec<(ReportEntry<K>, Standing)>> {
        self.entered.wait()
    }

    /// Nobody waits for batches that will not come.
    pub fn close(&self) {
        self.sequencer.close();
    }

    /// The ledgers of all reports.
    ///
    /// # Errors
    /// [`ErrorKind::Incomplete`] if not all batches of so many tickets were entered.
    pub fn finish(self, tickets: u64) -> Result<Vec<Ledger>, Error> {
        match self.sequencer.is_complete(tickets) {
            Ok(true) => Ok(self
                .ledgers
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner)),
            _ => Err(Error::new(ErrorKind::Incomplete)),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
