//! NCBI's accession2taxid: hundreds of millions of lines, of which those are kept that are asked for.

use std::collections::HashMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::header;
use crate::text::{Lines, parse_number, parse_taxid, shown};
use crate::{ErrorKind, Result, Taxid};

/// The taxids of accessions that are asked for before the files are read.
///
/// Files have four columns, `accession`, `accession.version`, `taxid` and `gi`, and a first line that says so
/// (`nucl_gb.accession2taxid`, `nucl_wgs…`, `dead_nucl…`), or two, `accession.version` and `taxid` (`prot….FULL`).
/// <https://ftp.ncbi.nlm.nih.gov/pub/taxonomy/accession2taxid/README>.
///
/// Where files disagree, the one that is read first counts: read the dead ones last. Lines with taxid 0, which NCBI gives to
/// what is in no taxon, are passed over.
///
/// Memory: the accessions asked for, twice, however large the files are.
#[derive(Debug, Default)]
pub struct Accessions {
    with_version: HashMap<Box<[u8]>, Option<Taxid>>,
    without_version: HashMap<Box<[u8]>, Option<Taxid>>,
    /// Which files were read, for messages.
    paths: Vec<PathBuf>,
}

impl Accessions {
    /// One that asks for nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for the accession in the name of a sequence, see [`header::accession`].
    pub fn want(&mut self, name: &[u8]) {
        let accession = header::accession(name);
        let without_version = header::without_version(accession);
        if !self.without_version.contains_key(without_version) {
            self.without_version.insert(without_version.into(), None);
        }
        if without_version.len() < accession.len() && !self.with_version.contains_key(accession) {
            self.with_version.insert(accession.into(), None);
        }
    }

    /// Whether nothing was asked for.
    pub fn is_empty(&self) -> bool {
        self.without_version.is_empty()
    }

    /// Whether all that was asked for is known, so that no further file needs to be read. Cost: linear.
    pub fn are_all_known(&self) -> bool {
        let mut all = self
            .with_version
            .values()
            .chain(self.without_version.values());
        all.all(Option::is_some)
    }

    /// Reads a file, keeping what was asked for. `path` is for messages.
    ///
    /// # Errors
    /// It cannot be read; a line has fewer than two fields; or of an accession that was asked for the taxid is no number below
    /// 2^32. Of others it is not looked at. Or the first line is that of a table of other names and taxids.
    pub fn read(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        self.paths.push(path.to_owned());
        let mut lines = Lines::new(input, path);
        while let Some((line, place)) = lines.next()? {
            let mut fields = line.split(|byte| *byte == b'\t');
            let (Some(first), Some(second)) = (fields.next(), fields.next()) else {
                return Err(place.error(ErrorKind::MissingFields {
                    needed: 2,
                    found: 1,
                    separator: "tab-separated",
                }));
            };
            let (accession, versioned, taxid) = match fields.next() {
                Some(third) => (first, second, third),
                None => (header::without_version(first), first, second),
            };
            if place.line() == 1 && is_of_map(line) {
                return Err(place.error(ErrorKind::NotAccessions { name: shown(first) }));
            }
            let Some(known) = self.without_version.get_mut(accession) else {
                continue;
            };
            if place.line() == 1 && taxid == b"taxid" {
                continue;
            }
            if parse_number(taxid) == Some(0) {
                continue;
            }
            let taxid = place.taxid(taxid)?;
            known.get_or_insert(taxid);
            if let Some(known) = self.with_version.get_mut(versioned) {
                known.get_or_insert(taxid);
            }
        }
        Ok(())
    }

    /// The files that were read.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// The taxid of the accession in the name of a sequence: with its version, else without. `None` if it was not asked for, or
    /// no file had it.
    pub fn taxid(&self, name: &[u8]) -> Option<Taxid> {
        let accession = header::accession(name);
        let exact = self.with_version.get(accession).copied().flatten();
        let any = || {
            let known = self.without_version.get(header::without_version(accession));
            known.copied().flatten()
        };
        exact.or_else(any)
    }
}

/// Whether a line is one of `seqid2taxid.map`, or of a user's table: a name that is no accession, and a taxid.
fn is_of_map(line: &[u8]) -> bool {
    let mut fields = line.split(|byte| *byte == b'\t');
    match (fields.next(), fields.next(), fields.next()) {
        (Some(name), Some(taxid), None) => {
            !header::is_accession(name) && parse_taxid(taxid.trim_ascii()).is_some()
        }
        _ => false,
    }
}
