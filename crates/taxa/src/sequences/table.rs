//! Tables of two columns: a name and a taxid.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use crate::text::{Lines, shown};
use crate::{Error, ErrorKind, Result, Taxid};

/// Names of sequences or of files with their taxids: `seqid2taxid.map` of kraken2 or KrakenUniq, a table that a user wrote, or
/// the first column of a table of lineages.
#[derive(Debug)]
pub struct Table {
    taxids: HashMap<Box<[u8]>, Taxid>,
    /// By what is left of a name if it is a file's; `None` where that is ambiguous, or if none is a file's.
    stems: Option<HashMap<Box<[u8]>, Option<Taxid>>>,
    /// Where names were read, for messages.
    paths: Vec<PathBuf>,
}

impl Table {
    /// One without names, of sequences and files.
    pub fn new() -> Self {
        Self {
            taxids: HashMap::new(),
            stems: Some(HashMap::new()),
            paths: Vec::new(),
        }
    }

    /// One without names, of sequences alone, which takes half the memory.
    pub fn of_sequences() -> Self {
        Self {
            stems: None,
            ..Self::new()
        }
    }

    /// Reads lines of a name, a tab and a taxid; further columns are not looked at, nor lines that begin with `#`. `path` is
    /// for messages.
    ///
    /// # Errors
    /// It cannot be read; a line has fewer than two fields; a taxid is no number from 1 to 2^32 - 1; a name has two taxids.
    pub fn read(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        self.paths.push(path.to_owned());
        let mut lines = Lines::new(input, path);
        while let Some((line, place)) = lines.next()? {
            if line[0] == b'#' {
                continue;
            }
            let mut fields = line.split(|byte| *byte == b'\t');
            let (Some(name), Some(taxid)) = (fields.next(), fields.next()) else {
                return Err(place.error(ErrorKind::MissingFields {
                    needed: 2,
                    found: 1,
                    separator: "a tab",
                }));
            };
            let taxid = place.taxid(taxid.trim_ascii())?;
            (self.insert(name.trim_ascii(), taxid)).map_err(|kind| place.error(kind))?;
        }
        Ok(())
    }

    /// Reads a `prelim_map.txt` of a library of kraken2: lines of `TAXID`, a name and a taxid, or of `ACCNUM`, a name and an
    /// accession, of which it tells how many there are. `path` is for messages.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn read_preliminary(&mut self, input: impl BufRead, path: &Path) -> Result<u64> {
        self.paths.push(path.to_owned());
        let mut lines = Lines::new(input, path);
        let mut accessions = 0;
        while let Some((line, place)) = lines.next()? {
            let mut fields = line.split(|byte| *byte == b'\t').map(<[u8]>::trim_ascii);
            match (fields.next(), fields.next(), fields.next()) {
                (Some(b"TAXID"), Some(name), Some(taxid)) => {
                    let taxid = place.taxid(taxid)?;
                    (self.insert(name, taxid)).map_err(|kind| place.error(kind))?;
                }
                (Some(b"ACCNUM"), Some(_), Some(_)) => accessions += 1,
                (_, second, _) => {
                    return Err(place.error(ErrorKind::MissingFields {
                        needed: 3,
                        found: 1 + usize::from(second.is_some()),
                        separator: "a tab, of which the first is TAXID or ACCNUM",
                    }));
                }
            }
        }
        Ok(accessions)
    }

    /// Adds a name.
    ///
    /// # Errors
    /// It has another taxid already.
    pub fn add(&mut self, name: &[u8], taxid: Taxid) -> Result<()> {
        (self.insert(name, taxid)).map_err(Error::new)
    }

    fn insert(&mut self, name: &[u8], taxid: Taxid) -> Result<(), ErrorKind> {
        match self.taxids.entry(name.into()) {
            Entry::Vacant(entry) => {
                entry.insert(taxid);
            }
            Entry::Occupied(entry) if *entry.get() == taxid => return Ok(()),
            Entry::Occupied(entry) => {
                return Err(ErrorKind::TwoTaxa {
                    name: shown(name),
                    first: *entry.get(),
                    second: taxid,
                });
            }
        }
        if let Some(stems) = &mut self.stems {
            let known = stems.entry(stem(name).into()).or_insert(Some(taxid));
            *known = known.filter(|known| *known == taxid);
        }
        Ok(())
    }

    /// The files that were read.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How many names it has.
    pub fn len(&self) -> usize {
        self.taxids.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.taxids.is_empty()
    }

    /// The taxid of the sequence of this name, all of which must agree.
    pub fn of_sequence(&self, name: &[u8]) -> Option<Taxid> {
        self.taxids.get(name).copied()
    }

    /// The taxid of a file: of the path as it is given; else of what is left of its name, and of those in the table, without
    /// directories, `.gz`, `.bgz`, `.bz2`, `.xz` or `.zst`, and `.fa`, `.fna`, `.fasta`, `.ffn`, `.fas` or `.fsa`; else of the
    /// accession of an assembly that the name begins with (`GCF_000005845.2_ASM584v2_genomic.fna.gz`). Before accessions in
    /// the table `RS_` and `GB_` may stand, as GTDB has them.
    ///
    /// `None` also if files of different directories are meant that are called the same: nothing is guessed.
    pub fn of_file(&self, path: &Path) -> Option<Taxid> {
        let path = path.as_os_str().as_encoded_bytes();
        if let Some(taxid) = self.taxids.get(path) {
            return Some(*taxid);
        }
        let stems = self.stems.as_ref()?;
        let stem = stem(path);
        if let Some(taxid) = stems.get(stem) {
            return *taxid;
        }
        *stems.get(assembly(stem)?)?
    }
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

/// What is left of a file's name without what differs between copies of it.
fn stem(path: &[u8]) -> &[u8] {
    let is_separator = |byte: &u8| *byte == b'/' || cfg!(windows) && *byte == b'\\';
    let name = path.rsplit(is_separator).next().unwrap_or(path);
    let name = without_one_of(name, &[".gz", ".bgz", ".bz2", ".xz", ".zst"]);
    let name = without_one_of(name, &[".fa", ".fna", ".fasta", ".ffn", ".fas", ".fsa"]);
    match name.split_at_checked(3) {
        Some((b"RS_" | b"GB_", accession)) if assembly(accession) == Some(accession) => accession,
        _ => name,
    }
}

fn without_one_of<'n>(name: &'n [u8], endings: &[&str]) -> &'n [u8] {
    let without = |ending: &&str| {
        let start = name.len().checked_sub(ending.len())?;
        let (stem, found) = name.split_at(start);
        found
            .eq_ignore_ascii_case(ending.as_bytes())
            .then_some(stem)
    };
    endings.iter().find_map(without).unwrap_or(name)
}

/// The accession of an assembly with its version, that `name` begins with: `GCF_000005845.2`, `GCA_…`.
fn assembly(name: &[u8]) -> Option<&[u8]> {
    let digits = |bytes: &[u8]| {
        bytes
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let rest = name.strip_prefix(b"GCF_").or(name.strip_prefix(b"GCA_"))?;
    let number = digits(rest);
    let version = digits(rest[number..].strip_prefix(b".")?);
    (number > 0 && version > 0).then(|| &name[..4 + number + 1 + version])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_of_files() {
        for (path, found) in [
            ("a/b/ecoli.fna.gz", "ecoli"),
            ("ecoli.FA", "ecoli"),
            ("ecoli", "ecoli"),
            ("x.y.fasta.zst", "x.y"),
            ("x.gz.fa", "x.gz"),
            ("NC_000913.3", "NC_000913.3"),
            ("RS_GCF_000005845.2", "GCF_000005845.2"),
            ("RS_GCF_000005845.2_x", "RS_GCF_000005845.2_x"),
            ("dir/", ""),
        ] {
            assert_eq!(stem(path.as_bytes()), found.as_bytes(), "{path}");
        }
        let name = b"GCF_000005845.2_ASM584v2_genomic";
        assert_eq!(assembly(name), Some(&b"GCF_000005845.2"[..]));
        for none in ["GCF_.2", "GCF_1", "GCF_1.", "XGCF_1.2", "GC"] {
            assert_eq!(assembly(none.as_bytes()), None, "{none}");
        }
    }
}
