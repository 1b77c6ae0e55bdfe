//! A mapped database, brought into memory while reads are labelled already.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use thalweg_flow::Background;
use thalweg_taxa::database::TaxonDatabase;

/// Asks the system for all of a database, in the background: each page that is there when it is looked at saves a wait, and
/// the disk is read in order, in pieces that it grants. For databases that fit into memory; of others, what comes last would drive out what is needed.
///
/// Dropping it ends that.
#[derive(Debug)]
pub struct Populating {
    is_wanted: Arc<AtomicBool>,
    _thread: Background<Arc<TaxonDatabase>, ()>,
}

impl Populating {
    /// Begin.
    ///
    /// # Errors
    /// If the system has no thread to give.
    pub fn start(database: &Arc<TaxonDatabase>) -> io::Result<Self> {
        let is_wanted = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&is_wanted);
        let mut thread = Background::start(move |database: Arc<TaxonDatabase>| {
            database.populate_while(|| flag.load(Relaxed));
        })?;
        thread.give(Arc::clone(database));
        Ok(Self {
            is_wanted,
            _thread: thread,
        })
    }
}

impl Drop for Populating {
    fn drop(&mut self) {
        // The thread is waited for behind this.
        self.is_wanted.store(false, Relaxed);
    }
}
