//! Looks at every byte of a database.

use super::header::{LARGE, PAGE, PIECE, SECTIONS, SectionName};
use super::input::fault;
use super::{TaxonDatabase, open, walk};
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
        self.check_pieces(go_on)?;
        self.references()?;
        self.log()?;
        self.check_all(go_on)
            .map_err(|error| error.in_file(&self.path))
    }

    /// Checks the checksums of directory, records and overflow.
    ///
    /// # Errors
    /// One is wrong, or those of `go_on`.
    pub(crate) fn check_pieces(&self, go_on: &GoOn<'_>) -> Result<()> {
        self.read_in_order();
        let sums = open::section(&self.bytes, &self.header, SectionName::Sums);
        let mut sums = sums.as_chunks().0.iter();
        for name in LARGE {
            let section = open::section(&self.bytes, &self.header, name);
            for (i, piece) in section.chunks(PIECE as usize).enumerate() {
                go_on()?;
                let sum = sums.next().map(|bytes| u32::from_le_bytes(*bytes));
                if sum != Some(crc32fast::hash(piece)) {
                    let what = format!("the checksum of its MiB {i} is wrong");
                    return Err(fault(name, &what).in_file(&self.path));
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
                return Err(fault(name, "before it is something where zeros belong"));
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
                "its k-mers are not as many as the header says",
            )),
        }
    }
}
