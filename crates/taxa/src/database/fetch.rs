//! Pages of a database that does not fit into memory, asked for together before any of them is needed.
//!
//! Whoever reads a page that is not there waits for the disk, page after page. Disks answer many questions at once in not much
//! more time than one.

use std::ops::Range;

use super::header::{GROUP, PAGE, SectionName, directory_bases_offset};
use super::{TaxonDatabase, TaxonDatabaseHeader};

/// Pages of one database that will be needed. It has a buffer of its own: one for each thread.
#[derive(Debug)]
pub(crate) struct Fetch<'a> {
    database: &'a TaxonDatabase,
    /// In any order, some of them several times.
    pages: Vec<u64>,
}

impl<'a> Fetch<'a> {
    pub(crate) fn new(database: &'a TaxonDatabase) -> Self {
        Self {
            database,
            pages: Vec::new(),
        }
    }

    /// Adds what tells the records of a bucket.
    #[inline]
    pub(crate) fn add_bucket(&mut self, bucket: u64) {
        let header = &self.database.header;
        let directory = header.section(SectionName::Dirc).offset;
        let bases = directory + directory_bases_offset(&header.layout);
        self.add(directory + 4 * bucket, 8);
        self.add(bases + 8 * (bucket / GROUP), 8);
    }

    /// Adds records.
    #[inline]
    pub(crate) fn add_records(&mut self, records: &Range<u64>) {
        let header: &TaxonDatabaseHeader = &self.database.header;
        let bytes = header.layout.record_bytes() as u64;
        let first = header.section(SectionName::Recs).offset + records.start * bytes;
        self.add(first, (records.end - records.start) * bytes);
    }

    #[inline]
    fn add(&mut self, first: u64, bytes: u64) {
        if bytes > 0 {
            self.pages.extend(first / PAGE..=(first + bytes - 1) / PAGE);
        }
    }

    /// Asks for all that was added, and waits for none of it.
    pub(crate) fn ask(&mut self) {
        self.pages.sort_unstable();
        self.pages.dedup();
        let stretches = self.pages.chunk_by(|one, next| one + 1 == *next);
        for pages in stretches {
            self.database
                .will_need(pages[0] * PAGE, pages.len() as u64 * PAGE);
        }
        self.pages.clear();
    }
}
