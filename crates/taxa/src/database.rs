//! Databases of taxa, `.tht`: which references each k-mer is found in. The format is in docs/formats/taxa.md.
//!
//! ```text
//! entries in order ─► Writer ─► .tht ─┬─► open, preload ─► Database ─► Lookup
//!                                     │        └─ Header, Taxonomy, Species, Sets, NodeStatistics
//!                                     └─► verify, dump
//! ```
//! A database may come from anybody, and its file may be damaged. On opening, all is checked that is read then, and all numbers
//! of it that lead to others. A page of directory and records is compared with its checksum before the first use of anything in
//! it (`pages`), and numbers of it are checked each time they are used. So damage is an error, and never another answer.

mod fetch;
mod header;
mod input;
mod map;
mod minimizers;
mod open;
mod pages;
mod references;
mod sets;
mod stamp;
mod statistics;
mod summed;
mod taxa;
mod verify;
mod view;
mod walk;
mod writer;

mod dump;

use std::path::{Path, PathBuf};

pub(crate) use fetch::Fetch;
pub use header::{
    DatabasePart, MAGIC, MOST_PARTS, Making, Section, SectionName, TaxonDatabaseHeader, VERSION,
};
pub(crate) use minimizers::minimizers;
pub use references::{Reference, ReferenceSequences};
pub use sets::{Member, StoredSets};
pub use statistics::{GC_BINS, NodeStatistics};
pub(crate) use view::View;
pub(crate) use walk::walk_values;
pub(crate) use writer::records_of;
pub use writer::{Contents, MOST_RECORDS, TaxonDatabaseWriter, WriterPlan};

use crate::set::Species;
use crate::{Result, Taxonomy};
use header::LARGE;
use open::Bytes;
use pages::{PageStates, Pages};
use stamp::Stamp;

/// An open database. Any number of threads can look k-mers up in it: see [`TaxonLookup`](crate::lookup::TaxonLookup).
///
/// Memory: that of its taxonomy, sets and statistics, and a mapping of the file; if it was preloaded, the file.
#[derive(Debug)]
pub struct TaxonDatabase {
    path: PathBuf,
    bytes: Bytes,
    pages: PageStates,
    /// The file as it was when it was opened, if it is mapped.
    stamp: Option<Stamp>,
    header: TaxonDatabaseHeader,
    taxonomy: Taxonomy,
    species: Species,
    sets: StoredSets,
    statistics: Vec<NodeStatistics>,
}

impl TaxonDatabase {
    /// The file, as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is, and how large.
    pub fn header(&self) -> &TaxonDatabaseHeader {
        &self.header
    }

    /// Nodes that have references, and all above.
    pub fn taxonomy(&self) -> &Taxonomy {
        &self.taxonomy
    }

    /// Its leaves and their species.
    pub fn species(&self) -> &Species {
        &self.species
    }

    /// Its sets.
    pub fn sets(&self) -> &StoredSets {
        &self.sets
    }

    /// Of each node.
    pub fn statistics(&self) -> &[NodeStatistics] {
        &self.statistics
    }

    /// The reference sequences. They are read now.
    ///
    /// # Errors
    /// They are damaged.
    pub fn references(&self) -> Result<ReferenceSequences> {
        let bytes = self.checked_section(SectionName::Seqs)?;
        let leaves = self.species.leaf_nodes().len();
        let references = ReferenceSequences::from_bytes(bytes, &self.header, leaves);
        references.map_err(|error| error.in_file(&self.path))
    }

    /// How it was made: JSON.
    ///
    /// # Errors
    /// It is damaged.
    pub fn log(&self) -> Result<&str> {
        let bytes = self.checked_section(SectionName::Log)?;
        std::str::from_utf8(bytes)
            .map_err(|_| input::fault(SectionName::Log, "it is not UTF-8").in_file(&self.path))
    }

    /// Checks that look-ups have met no damage since it was opened. What they needed of a damaged page they were given as if it was
    /// not in the database; so no answer may be used before this was asked, as [`look_up`](crate::lookup::TaxonLookup::look_up) does.
    ///
    /// # Errors
    /// The first damage that any thread met.
    pub fn check_looked_up(&self) -> Result<()> {
        let damage = self.pages.damage();
        damage.map_err(|error| error.in_file(&self.path))
    }

    /// Checks that look-ups have met no damage, and that nobody wrote to the file since it was opened. To be asked when work with it is
    /// done, before what came of it gets its name: a page may change when it has been checked already. What was preloaded
    /// does not change.
    ///
    /// # Errors
    /// There is damage, or the size or the time of change is another one.
    pub fn check_unchanged(&self) -> Result<()> {
        self.check_looked_up()?;
        let stamp = self.stamp.as_ref();
        let unchanged = stamp.map_or(Ok(()), Stamp::check);
        unchanged.map_err(|error| error.in_file(&self.path))
    }

    /// Directory and records.
    pub(crate) fn view(&self) -> View<'_> {
        let pages = self.pages();
        let sections = LARGE.map(|name| open::section(&self.bytes, &self.header, name));
        View::new(sections, &self.header, pages, &self.path)
    }

    /// The pages of directory and records, with what they are checked by.
    fn pages(&self) -> Pages<'_> {
        let sections = LARGE.map(|name| open::section(&self.bytes, &self.header, name));
        let sums = open::section(&self.bytes, &self.header, SectionName::Sums);
        Pages::new(sections, sums, &self.header, &self.pages)
    }

    /// The bytes of taxonomy and leaves: equal ones are equal.
    pub(crate) fn taxa_bytes(&self) -> &[u8] {
        open::section(&self.bytes, &self.header, SectionName::Taxa)
    }

    fn checked_section(&self, name: SectionName) -> Result<&[u8]> {
        open::checked_section(&self.bytes, &self.header, name)
            .map_err(|error| error.in_file(&self.path))
    }
}
