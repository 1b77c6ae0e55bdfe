//! What a sample is of, beyond calls: which taxa are there, and how much of each.
//!
//! ```text
//! hits and call of each read ─► Observer, one for each thread ─► Observed ─► Profile: a row for each taxon
//!                                  │                                           ├ presence: ratio, identity, yes or no
//!                                  ├ k-mers by node          (evidence)        └ abundance
//!                                  ├ bits of k-mers seen     (seen: shared by all threads)
//!                                  └ equal reads by species  (classes)
//! ```
//! All sums are of whole numbers: the same whoever was given which read.

mod abundance;
mod classes;
mod evidence;
mod profile;
mod seen;

pub use evidence::{Evidence, Observed, SampleObserver};
pub use profile::{Presence, PresenceTest, Profile, Row};

use thalweg_superkmers::Kernel;

use crate::Result;
use crate::classify::Stored;
use crate::database::TaxonDatabase;
use seen::KmersSeen;

/// One sample, of which all threads have a [`SampleObserver`].
///
/// Memory: a bit for each number of [`Places`](crate::lookup::Places), which is two bytes for a record and a seventh of
/// the database's size or less; and of each observer 32 bytes for a node, and up to 64 MiB of classes of reads.
#[derive(Debug)]
pub struct Sample<'a> {
    database: &'a TaxonDatabase,
    sets: Stored<'a>,
    kernel: Kernel,
    seen: KmersSeen,
}

impl<'a> Sample<'a> {
    /// Of which nothing was seen yet.
    ///
    /// # Errors
    /// [`ErrorKind::NoRoom`](crate::ErrorKind::NoRoom): the memory for its bits cannot be had.
    pub fn new(database: &'a TaxonDatabase, kernel: Kernel) -> Result<Self> {
        Ok(Self {
            database,
            sets: Stored {
                sets: database.sets(),
                species: database.species(),
            },
            kernel,
            seen: KmersSeen::new(crate::lookup::Places::number(database))?,
        })
    }

    /// What one thread needs.
    pub fn observer(&self) -> SampleObserver<'_> {
        SampleObserver::new(self.database, &self.sets, self.kernel, &self.seen)
    }
}
