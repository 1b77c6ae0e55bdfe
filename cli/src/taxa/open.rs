//! A database to look reads up in, and its way into memory.

use std::path::Path;
use std::sync::Arc;

use thalweg::taxa::Populating;
use thalweg::taxa::database::Database;

use crate::count::memory::unused;
use crate::exit::Failure;

/// An open database, which is on its way into memory if it fits there.
pub(super) struct Opened {
    pub(super) database: Arc<Database>,
    /// `None` if it is there, or does not fit.
    _populating: Option<Populating>,
}

/// Open the database of this name: mapped, or with all of it read before.
pub(super) fn open(path: &Path, preload: bool) -> Result<Opened, Failure> {
    let database = Arc::new(match preload {
        true => Database::preload(path)?,
        false => Database::open(path)?,
    });
    let fits = unused().is_some_and(|bytes| database.header().file_bytes <= bytes);
    let populating = match !preload && fits {
        // Without a thread for it, pages come when they are looked at.
        true => Populating::start(&database).ok(),
        false => None,
    };
    Ok(Opened {
        database,
        _populating: populating,
    })
}
