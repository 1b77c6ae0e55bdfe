//! Looks at every byte of a database.

use super::header::{LARGE, PAGE, PIECE, SECTIONS, SectionName};
use super::input::fault;
use super::{TaxonDatabase, walk};
use crate::{GoOn, Result};

impl TaxonDatabase {
    /// Checks every byte: all checksums, that nothing lies between sections, the order of buckets and of records, and that
    /// they are as many k-mers as the header says. Cost: each k-mer is sorted among those of its minimizer.
    ///
    /// # Errors
    /// The first damage that is found.
    pub fn verify(&self) -> Result<()> {
        self.verify_unless(&|| Ok(()))
    }

    /// The same, as long as `go_on` says so.
    ///
    /// # Errors
    /// As [`verify`](Self::verify), and those of `go_on`.
    pub fn verify_unless(&self, go_on: &GoOn<'_>) -> Result<()> {
        self.check_pages(go_on)?;
        self.references()?;
        self.log()?;
        self.check_all(go_on)
            .map_err(|error| error.in_file(&self.path))?;
        self.check_unchanged()
    }

    /// Checks the checksums of directory, records and overflow: of all of their pages.
    ///
    /// # Errors
    /// One is wrong, or those of `go_on`.
    pub(crate) fn check_pages(&self, go_on: &GoOn<'_>) -> Result<()> {
        self.read_in_order();
        let pages = self.pages();
        for section in 0..LARGE.len() {
            for page in 0..pages.number(section) {
                if page.is_multiple_of((PIECE / PAGE) as usize) {
                    go_on()?;
                }
                if !pages.check_page(section, page) {
                    return self.check_looked_up();
                }
            }
        }
        Ok(())
    }

    fn check_all(&self, go_on: &GoOn<'_>) -> Result<()> {
        let mut sections = SECTIONS.map(|name| (self.header.section(name), name));
        sections.sort_unstable_by_key(|(section, _)| (section.offset, section.length));
        let mut end = PAGE;
        for (section, name) in sections {
            let gap = self.bytes.get(end as usize..section.offset as usize);
            if gap.is_none_or(|gap| gap.iter().any(|&byte| byte != 0)) {
                return Err(fault(name, "non-zero padding before it"));
            }
            end = section.offset + section.length;
        }
        if end != self.header.file_bytes {
            return Err(fault(
                SectionName::Sums,
                "the file does not end with the last section",
            ));
        }
        let view = self.view();
        let counts = walk::walk(&view, self.header.values(), |_| go_on())?;
        let header = &self.header;
        let is_told = counts.kmers == header.kmers
            && counts.entries == header.entries
            && counts.overflow_kmers == header.overflow_kmers
            && counts.overflow_minimizers == view.overflow_minimizers() as u64;
        match is_told {
            true => Ok(()),
            false => Err(fault(
                SectionName::Recs,
                "its number of k-mers differs from the header",
            )),
        }
    }
}
