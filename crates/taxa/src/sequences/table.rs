//! Tables of two columns: a name and a taxid.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::matched::{Collected, RowSet, UnmatchedRows};
use crate::taxonomy::Found;
use crate::text::{Lines, parse_taxid, shown};
use crate::{Error, ErrorKind, Result, Taxid, Taxonomy};

/// Names of sequences or of files with their taxids: `seqid2taxid.map` of kraken2 or KrakenUniq, a table that a user wrote, or
/// the first column of a table of lineages.
#[derive(Debug)]
pub struct Table {
    rows: HashMap<Box<[u8]>, TableRow>,
    /// By what is left of a file's name, a colon, and the name of a sequence; `None` where that is ambiguous.
    of_both: HashMap<Box<[u8]>, Option<TableRow>>,
    /// By what is left of a name if it is a file's; `None` where that is ambiguous, or if none is a file's.
    stems: Option<HashMap<Box<[u8]>, Option<TableRow>>>,
    /// Where names were read, for messages.
    paths: Vec<PathBuf>,
}

/// A name of a table, and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// The taxid.
    pub taxid: Taxid,
    /// Counted from 0 in the order in which rows were added.
    number: u32,
    /// Which of the paths of its table it was read from, if from any.
    path: Option<u32>,
    /// Counted from 1; 0 if it is not known.
    line: u32,
}

/// What the second column is called in first lines that name the columns, but for capitals and what is between words.
const HEADS: [&str; 8] = [
    "taxid",
    "taxonid",
    "taxonomyid",
    "ncbitaxid",
    "ncbitaxonid",
    "ncbitaxonomyid",
    "speciestaxid",
    "taxon",
];

impl Table {
    /// One without names, of sequences and files.
    pub fn new() -> Self {
        Self {
            rows: HashMap::new(),
            of_both: HashMap::new(),
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

    /// Reads lines of a name, a tab and a taxid; further columns are not looked at, nor lines that begin with `#`. A first line
    /// may name the columns: it calls the second one `taxid` or the like. `path` is for messages.
    ///
    /// # Errors
    /// It cannot be read; a line has fewer than two fields; a taxid is no number from 1 to 2^32 - 1; a name has two taxids.
    pub fn read(&mut self, input: impl BufRead, path: &Path) -> Result<()> {
        self.paths.push(path.to_owned());
        let mut lines = Lines::new(input, path);
        let mut is_first = true;
        while let Some((line, place)) = lines.next()? {
            if line[0] == b'#' {
                continue;
            }
            let mut fields = line.split(|byte| *byte == b'\t').map(<[u8]>::trim_ascii);
            let (Some(name), Some(taxid)) = (fields.next(), fields.next()) else {
                return Err(place.error(without_tab(line)));
            };
            if std::mem::take(&mut is_first) && is_head(taxid) {
                continue;
            }
            let taxid = parse_taxid(taxid).ok_or_else(|| place.error(no_taxid(taxid)))?;
            (self.insert(name, taxid, place.line())).map_err(|kind| place.error(kind))?;
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
                    (self.insert(name, taxid, place.line())).map_err(|kind| place.error(kind))?;
                }
                (Some(b"ACCNUM"), Some(_), Some(_)) => accessions += 1,
                (_, second, _) => {
                    return Err(place.error(ErrorKind::MissingFields {
                        needed: 3,
                        found: 1 + usize::from(second.is_some()),
                        separator: "tab-separated, the first TAXID or ACCNUM",
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
        (self.insert(name, taxid, 0)).map_err(Error::new)
    }

    /// Adds a name that was read in a line of the last path; 0 is none.
    fn insert(&mut self, name: &[u8], taxid: Taxid, line: u64) -> Result<(), ErrorKind> {
        let row = TableRow {
            taxid,
            number: u32::try_from(self.rows.len()).unwrap_or(u32::MAX),
            path: self.paths.len().checked_sub(1).map(|last| last as u32),
            line: u32::try_from(line).unwrap_or(0),
        };
        match self.rows.entry(name.into()) {
            Entry::Vacant(entry) => {
                entry.insert(row);
            }
            Entry::Occupied(entry) if entry.get().taxid == taxid => return Ok(()),
            Entry::Occupied(entry) => {
                return Err(ErrorKind::TwoTaxa {
                    name: shown(name),
                    first: entry.get().taxid,
                    second: taxid,
                });
            }
        }
        let add = |rows: &mut HashMap<Box<[u8]>, Option<TableRow>>, name: Box<[u8]>| {
            let known = rows.entry(name).or_insert(Some(row));
            *known = known.filter(|known| known.taxid == taxid);
        };
        if let Some(stems) = &mut self.stems {
            add(stems, stem(name).into());
        }
        for (file, sequence) in files_and_sequences(name) {
            add(&mut self.of_both, both(stem(file), sequence).into());
        }
        Ok(())
    }

    /// The files that were read.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// How many names it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The taxid of the sequence of this name, all of which must agree.
    pub fn of_sequence(&self, name: &[u8]) -> Option<Taxid> {
        Some(self.row_of_sequence(name)?.taxid)
    }

    /// The row of [`of_sequence`](Self::of_sequence).
    pub fn row_of_sequence(&self, name: &[u8]) -> Option<TableRow> {
        self.rows.get(name).copied()
    }

    /// The taxid of a sequence of a file, where both are named: `a.fa:contig_1`. What stands before the colon is compared as
    /// [`of_file`](Self::of_file) does.
    pub fn of_both(&self, file: &Path, sequence: &[u8]) -> Option<Taxid> {
        Some(self.row_of_both(file, sequence)?.taxid)
    }

    fn row_of_both(&self, file: &Path, sequence: &[u8]) -> Option<TableRow> {
        if self.of_both.is_empty() {
            return None;
        }
        let path = file.as_os_str().as_encoded_bytes();
        if let Some(row) = self.rows.get(&both(path, sequence)[..]) {
            return Some(*row);
        }
        let stem = stem(path);
        if let Some(row) = self.of_both.get(&both(stem, sequence)[..]) {
            return *row;
        }
        *self.of_both.get(&both(assembly(stem)?, sequence)[..])?
    }

    /// The taxid of a file: of the path as it is given; else of what is left of its name, and of those in the table, without
    /// directories, `.gz`, `.bgz`, `.bz2`, `.xz` or `.zst`, and `.fa`, `.fna`, `.fasta`, `.ffn`, `.fas` or `.fsa`; else of the
    /// accession of an assembly that the name begins with (`GCF_000005845.2_ASM584v2_genomic.fna.gz`). Before accessions in
    /// the table `RS_` and `GB_` may stand, as GTDB has them.
    ///
    /// `None` also if files of different directories are meant that are called the same: nothing is guessed.
    pub fn of_file(&self, path: &Path) -> Option<Taxid> {
        Some(self.row_of_file(path)?.taxid)
    }

    /// The row of [`of_file`](Self::of_file).
    pub fn row_of_file(&self, path: &Path) -> Option<TableRow> {
        let path = path.as_os_str().as_encoded_bytes();
        if let Some(row) = self.rows.get(path) {
            return Some(*row);
        }
        let stems = self.stems.as_ref()?;
        let stem = stem(path);
        if let Some(row) = stems.get(stem) {
            return *row;
        }
        *stems.get(assembly(stem)?)?
    }

    /// Adds the rows that name a sequence of a file, alone or with the file, to `matched`.
    pub(crate) fn match_sequence(&self, file: &Path, name: &[u8], matched: &mut RowSet) {
        let rows = [self.row_of_sequence(name), self.row_of_both(file, name)];
        let rows = rows.into_iter().flatten();
        rows.for_each(|row| matched.insert(row.number));
    }

    /// Adds the row that names a file to `matched`.
    pub(crate) fn match_file(&self, file: &Path, matched: &mut RowSet) {
        if let Some(row) = self.row_of_file(file) {
            matched.insert(row.number);
        }
    }

    /// Returns the rows that are not `matched`, for each file that rows were read from and that has some. A row that says the same as
    /// another one, of a file that is called the same, is matched with that.
    pub(crate) fn unmatched(&self, matched: &RowSet) -> Vec<UnmatchedRows> {
        let paths = self.paths.iter().map(|path| Collected::new(path));
        let mut collected = Vec::from_iter(paths);
        for (name, row) in &self.rows {
            let Some(collected) = row.path.and_then(|path| collected.get_mut(path as usize)) else {
                continue;
            };
            if !matched.contains(row.number) && !self.is_like_one_of(name, matched) {
                collected.add(row.number, name);
            }
        }
        let rows = collected.into_iter().map(|rows| rows.into_rows(shown));
        rows.flatten().collect()
    }

    /// Returns whether a row of this name is like one that is matched, but for the directory or the ending of a file.
    fn is_like_one_of(&self, name: &[u8], matched: &RowSet) -> bool {
        let is_matched = |row: Option<&Option<TableRow>>| {
            row.copied()
                .flatten()
                .is_some_and(|row| matched.contains(row.number))
        };
        let of_file = self.stems.as_ref().and_then(|stems| stems.get(stem(name)));
        is_matched(of_file)
            || files_and_sequences(name).any(|(file, sequence)| {
                is_matched(self.of_both.get(&both(stem(file), sequence)[..]))
            })
    }

    /// The file that a row was read from, and the line, counted from 1; 0 if it is not known.
    pub fn place(&self, row: TableRow) -> (Option<&Path>, u64) {
        let path = row.path.and_then(|path| self.paths.get(path as usize));
        (path.map(PathBuf::as_path), row.line.into())
    }

    /// Returns whether the taxonomy has the taxids of all rows that were read from files for which `is_asked`.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownRow`] if not, of the first one.
    pub fn check_taxids(
        &self,
        taxonomy: &Taxonomy,
        is_asked: impl Fn(&Path) -> bool,
    ) -> Result<()> {
        let mut first: Option<(&[u8], TableRow)> = None;
        let mut unknown = 0;
        for (name, row) in &self.rows {
            let is_known = taxonomy.node(row.taxid).is_some();
            if is_known || !self.place(*row).0.is_some_and(&is_asked) {
                continue;
            }
            unknown += 1;
            if first.is_none_or(|(_, first)| row.number < first.number) {
                first = Some((name, *row));
            }
        }
        let Some((name, row)) = first else {
            return Ok(());
        };
        let (path, line) = self.place(row);
        let error = Error::new(ErrorKind::UnknownRow {
            name: shown(name),
            taxid: row.taxid,
            is_deleted: matches!(taxonomy.find(row.taxid), Found::Deleted),
            more: unknown - 1,
        });
        Err(error.in_file(path.unwrap_or(Path::new(""))).at_line(line))
    }
}

impl Default for Table {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the error of a line without a tab.
fn without_tab(line: &[u8]) -> ErrorKind {
    let separators = [(b',', "commas"), (b';', "semicolons"), (b' ', "blanks")];
    let found = separators.iter().find(|(byte, _)| line.contains(byte));
    match found {
        Some((_, found)) => ErrorKind::OtherSeparator { found },
        None => ErrorKind::MissingFields {
            needed: 2,
            found: 1,
            separator: "tab-separated",
        },
    }
}

fn no_taxid(field: &[u8]) -> ErrorKind {
    let found = shown(field);
    if field.first().is_some_and(u8::is_ascii_alphabetic) {
        return ErrorKind::NameForTaxid { found };
    }
    ErrorKind::BadTaxid { found }
}

fn is_head(field: &[u8]) -> bool {
    let letters = field.iter().filter(|byte| byte.is_ascii_alphanumeric());
    let letters = Vec::from_iter(letters.map(u8::to_ascii_lowercase));
    HEADS.iter().any(|head| head.as_bytes() == letters)
}

/// The ways to read a name as that of a file and that of a sequence of it. The colon of `kraken:taxid|N` is none of these.
fn files_and_sequences(name: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let colons = (1..name.len().saturating_sub(1)).filter(|&at| name[at] == b':');
    let halves = colons.map(|at| (&name[..at], &name[at + 1..]));
    halves
        .filter(|(file, sequence)| !(file.ends_with(b"kraken") && sequence.starts_with(b"taxid|")))
}

fn both(file: &[u8], sequence: &[u8]) -> Vec<u8> {
    [file, b":", sequence].concat()
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
    fn names_of_files_and_sequences_have_a_colon() {
        let all = |name: &'static str| Vec::from_iter(files_and_sequences(name.as_bytes()));
        assert_eq!(all("a.fa:c_1"), [(&b"a.fa"[..], &b"c_1"[..])]);
        assert_eq!(all("a:b:c").len(), 2);
        for none in [
            "",
            ":",
            "a:",
            ":a",
            "a",
            "kraken:taxid|5",
            "x|kraken:taxid|5",
        ] {
            assert!(all(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn heads_name_the_second_column() {
        for head in ["taxid", "Tax_ID", "NCBI taxonomy-id", "Taxon"] {
            assert!(is_head(head.as_bytes()), "{head}");
        }
        for none in ["", "562", "Escherichia coli", "name"] {
            assert!(!is_head(none.as_bytes()), "{none}");
        }
    }

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
