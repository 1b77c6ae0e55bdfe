use std::{fmt, io, path::Path};

use thalweg_files::{ListTextError, Location, TemporaryError, counted, write_readable};

use crate::Taxid;
use crate::database::VERSION;

/// Why a taxonomy, or what says to which taxa sequences belong, could not be read: what happened, in which file, and where.
#[derive(thiserror::Error)]
#[error("{}{}{kind}", location.head(), line_head(*line))]
pub struct Error {
    kind: Box<ErrorKind>,
    location: Location,
    line: Option<u64>,
}

/// What a caller can tell apart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file could not be read or written.
    #[error("{0}")]
    Io(io::Error),
    /// A line of more bytes than any sound file has.
    #[error("a line of more than {limit} bytes")]
    LongLine {
        /// The most that is read.
        limit: usize,
    },
    /// A text in another encoding.
    #[error("{0}")]
    List(ListTextError),
    /// A line has fewer fields than it must.
    #[error("{}, expected at least {needed} ({separator})", counted(*found as u64, "field"))]
    MissingFields {
        /// Fields that are needed.
        needed: usize,
        /// Fields that are there.
        found: usize,
        /// The separator, in words.
        separator: &'static str,
    },
    /// A taxid is no number, is 0, or is more than 2^32 - 1.
    #[error("{found:?} is not a taxid: taxids are numbers from 1 to 4294967295")]
    BadTaxid {
        /// What stands there.
        found: String,
    },
    /// A table has a name where the taxid belongs.
    #[error("{found:?} is not a taxid: taxids are numbers from 1 to 4294967295")]
    NameForTaxid {
        /// What stands there.
        found: String,
    },
    /// A table has something else between its columns than tabs.
    #[error("no tab: columns are separated by {found} here")]
    OtherSeparator {
        /// By what, in words.
        found: &'static str,
    },
    /// The taxonomy does not have the taxid of a row of a table.
    #[error("taxid {taxid} of {name:?} {}{}", missing_how(*is_deleted), more_rows(*more))]
    UnknownRow {
        /// What the row names.
        name: String,
        /// The taxid.
        taxid: Taxid,
        /// True if the taxonomy had it once.
        is_deleted: bool,
        /// Number of other rows like this.
        more: usize,
    },
    /// A row of a table names sequences that need not be of one taxon, or contradicts another row.
    #[error("{what}{}", more_rows(*more))]
    RowConflict {
        /// What it names, and what is wrong with that.
        what: String,
        /// Number of other rows like this.
        more: usize,
    },
    /// A name or a rank is not UTF-8, or has a control character, which would break reports.
    #[error("{what} {found:?} is not text in UTF-8 without control characters")]
    BadText {
        /// Of which field it is.
        what: &'static str,
        /// What stands there, as far as it is text.
        found: String,
    },
    /// A node stands twice, with different parents or ranks.
    #[error("taxid {taxid} stands here for the second time, with another parent or rank{}", of_line(*first))]
    NodeTwice {
        /// The node.
        taxid: Taxid,
        /// Where it stood first.
        first: Option<u64>,
    },
    /// The parent of a node is no node.
    #[error("the parent of taxid {taxid} is {parent}, which is not among the nodes")]
    MissingParent {
        /// The node.
        taxid: Taxid,
        /// The parent that it names.
        parent: Taxid,
    },
    /// A node is its own ancestor.
    #[error("taxid {taxid} is an ancestor of itself")]
    Cycle {
        /// One of the circle.
        taxid: Taxid,
    },
    /// More than one node has no parent.
    #[error("taxid {second} is a root, and so is {first}: a taxonomy has one")]
    TwoRoots {
        /// The one found first.
        first: Taxid,
        /// The other one.
        second: Taxid,
    },
    /// A stored taxonomy is none: a node stands where it does not belong, or its taxid stands twice or is 0.
    #[error(
        "node {node} of the stored taxonomy is not in depth-first order by taxid, or its taxid stands twice"
    )]
    OutOfOrder {
        /// The number of the node.
        node: u32,
    },
    /// There are no nodes.
    #[error("no nodes: the taxonomy is empty")]
    NoNodes,
    /// No node has a scientific name.
    #[error("none of the nodes has a scientific name here")]
    NoNames,
    /// A lineage has no name in it.
    #[error("a lineage without a name")]
    NoLineage,
    /// A name in a lineage has no rank before it where others have, or has one where others have none.
    #[error(
        "{found:?} begins with none of sk__ d__ r__ k__ p__ c__ o__ f__ g__ s__ t__, or other lineages have no such prefixes"
    )]
    BadPrefix {
        /// What stands there.
        found: String,
    },
    /// Ranks in a lineage are not in order.
    #[error("{found:?} comes after a name of the same rank, or of a lower one")]
    RankOrder {
        /// What stands there.
        found: String,
    },
    /// A lineage without prefixes is longer than there are ranks for.
    #[error("a lineage of more than {limit} names without prefixes, which say their ranks")]
    LongLineage {
        /// As many as there may be.
        limit: usize,
    },
    /// A name has two lineages.
    #[error("{name:?} stands here for the second time, with another lineage")]
    TwoLineages {
        /// The name.
        name: String,
    },
    /// A name has two taxids.
    #[error("{name:?} has two taxids, {first} before and {second} here")]
    TwoTaxa {
        /// The name.
        name: String,
        /// The one that it had.
        first: Taxid,
        /// The other one.
        second: Taxid,
    },
    /// More different ranks than there is room for.
    #[error("more than {limit} different ranks")]
    TooManyRanks {
        /// As many as there may be.
        limit: usize,
    },
    /// More nodes than there is room for.
    #[error("more than {limit} nodes")]
    TooManyNodes {
        /// As many as there may be.
        limit: usize,
    },
    /// A file of another kind.
    #[error("this is not a taxon database (.tht)")]
    NotADatabase,
    /// A database of a version of the format that is not read, such as one that came later.
    #[error("a database of format version {version}, but this program reads version {VERSION}")]
    DatabaseVersion {
        /// That version.
        version: u16,
    },
    /// A database of a kind that is not known.
    #[error("a database that cannot be read: {what}")]
    OtherDatabase {
        /// What it has.
        what: String,
    },
    /// A database that was cut short, or to which something was appended.
    #[error("the database has {found} bytes, but must have {told}: it was {}", cut_or_appended(*told, *found))]
    DatabaseSize {
        /// Bytes that it should have.
        told: u64,
        /// Bytes that it has.
        found: u64,
    },
    /// A database that cannot be as it was written.
    #[error("the database is damaged: {what}")]
    DamagedDatabase {
        /// What is wrong.
        what: String,
    },
    /// A database that somebody wrote to while it was used.
    #[error("the database changed while it was used: {what}")]
    DatabaseChanged {
        /// What is not as it was.
        what: String,
    },
    /// A part of a database where a whole one is needed.
    #[error("this is part {number} of {of} of a taxon database")]
    PartOfDatabase {
        /// Which one, from 1.
        number: u32,
        /// How many there are.
        of: u32,
    },
    /// Databases, or parts, of which none can be made together.
    #[error("cannot be merged: {what}")]
    NotMergeable {
        /// Why.
        what: String,
    },
    /// Two taxonomies that contradict each other.
    #[error("taxid {taxid} {what}")]
    TaxonomiesDiffer {
        /// What they contradict each other in.
        taxid: Taxid,
        /// What one says of it, and what the other.
        what: String,
    },
    /// Of what it was to hold no database can be made.
    #[error("no database can be made: {what}")]
    NoDatabase {
        /// Why.
        what: String,
    },
    /// An option of a build contradicts another or makes no sense.
    #[error("{0}")]
    BadOption(String),
    /// The memory limit does not hold even the smallest buffers of a build.
    #[error("a memory limit of {limit} bytes is too low: at least {needed} are needed")]
    Memory {
        /// The limit, in bytes.
        limit: u64,
        /// About the least that works, in bytes.
        needed: u64,
    },
    /// The sets of taxa of a build take more than their part of the memory limit.
    #[error(
        "the sets of taxa that k-mers are of do not fit into {limit} bytes, their part of the memory limit"
    )]
    MemoryOfSets {
        /// That part, in bytes.
        limit: u64,
    },
    /// The system refused memory.
    #[error("{bytes} bytes of memory could not be had")]
    NoRoom {
        /// How much was asked for.
        bytes: u64,
    },
    /// A temporary file could not be made, written or read.
    #[error("{0}")]
    Temporary(TemporaryError),
    /// Sequences could not be cut into super-k-mers, or these not be kept.
    #[error("{0}")]
    SuperKmers(thalweg_superkmers::Error),
    /// More taxa with sequences than there is room for.
    #[error("sequences of more than {limit} taxa")]
    TooManyLeaves {
        /// As many as there may be.
        limit: usize,
    },
    /// More different sets of taxa than there is room for.
    #[error("k-mers are of more than {limit} different sets of taxa")]
    TooManySets {
        /// As many as there may be.
        limit: usize,
    },
    /// Sequences are of no taxon that the taxonomy knows.
    #[error("no known taxon for {}: {some}{}", number_of_sequences(*sequences), behind_semicolon(taxids))]
    Unmapped {
        /// How many.
        sequences: u64,
        /// Names and files of the first ones.
        some: String,
        /// The first taxids that the taxonomy does not have, and what names them; empty if there are none.
        taxids: String,
    },
    /// No sequence at all is of a known taxon, or there is none.
    #[error("{}", no_sequence_left(told))]
    NothingMapped {
        /// What an error of those that are of none says; empty if there are no sequences.
        told: String,
    },
    /// There are sequences, and no k-mer is in them.
    #[error(
        "no k-mers: no sequence has {k} consecutive bases{}",
        if *is_masked { " that are not of low complexity" } else { "" }
    )]
    NoKmers {
        /// Bases of a k-mer.
        k: usize,
        /// Whether stretches of low complexity are left out.
        is_masked: bool,
    },
    /// A table of names and taxids where one of accessions belongs.
    #[error("{name:?} is not an accession: this is not an accession2taxid file")]
    NotAccessions {
        /// The first name.
        name: String,
    },
    /// A file of a taxdump where a table of lineages belongs.
    #[error("this is one of the files of a taxdump, not a table of lineages")]
    FileOfTaxdump,
    /// A table of names and taxids where one of lineages belongs.
    #[error("{found:?} is not a lineage: this is a table of taxids")]
    NotALineage {
        /// What stands there.
        found: String,
    },
    /// Who was [asked](crate::GoOn) whether to go on said no.
    #[error("stopped, as was asked for")]
    Cancelled,
    /// The system refused a thread.
    #[error("no thread could be started: {0}")]
    NoThread(String),
    /// A thread panicked, which is an error in this program.
    #[error("internal error: {0}")]
    Panicked(String),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_readable(f, self, self.hint())
    }
}

impl Error {
    /// `kind`, of no file that is known.
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self {
            kind: Box::new(kind),
            location: Location::default(),
            line: None,
        }
    }

    /// What a [`GoOn`] says where work is to stop.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled)
    }

    /// In the file `path`, if that is known. That work was to stop is a matter of no file.
    #[must_use]
    pub fn in_file(mut self, path: &Path) -> Self {
        if !path.as_os_str().is_empty() && !matches!(*self.kind, ErrorKind::Cancelled) {
            self.location = self.location.in_file(path);
        }
        self
    }

    /// In this line, counted from 1; 0 is none.
    pub(crate) fn at_line(mut self, line: u64) -> Self {
        self.line = (line > 0).then_some(line);
        self
    }

    /// `source`, which happened to the file `path`.
    pub fn io(path: &Path, source: io::Error) -> Self {
        Self::new(ErrorKind::Io(source)).in_file(path)
    }

    /// What happened.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// In which file.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// In which line of it, counted from 1.
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// Whether the data are at fault, and not the machine.
    pub fn is_data(&self) -> bool {
        !matches!(
            *self.kind,
            ErrorKind::Io(_)
                | ErrorKind::DatabaseVersion { .. }
                | ErrorKind::OtherDatabase { .. }
                | ErrorKind::PartOfDatabase { .. }
                | ErrorKind::NotMergeable { .. }
                | ErrorKind::NoDatabase { .. }
                | ErrorKind::BadOption(_)
                | ErrorKind::Memory { .. }
                | ErrorKind::MemoryOfSets { .. }
                | ErrorKind::NoRoom { .. }
                | ErrorKind::Temporary(_)
                | ErrorKind::SuperKmers(_)
                | ErrorKind::Cancelled
                | ErrorKind::NoThread(_)
                | ErrorKind::Panicked(_)
        )
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        Some(match *self.kind {
            ErrorKind::Io(_) => return None,
            ErrorKind::List(ref error) => error.hint(),
            ErrorKind::LongLine { .. } => {
                "this is not a text file of the expected kind; names of compressed files need their extension"
            }
            ErrorKind::MissingFields { .. } => "check that it is the right file and complete",
            ErrorKind::BadTaxid { .. } => {
                "check that it is the right file and that its columns are in order"
            }
            ErrorKind::NameForTaxid { .. } => {
                "a row has the name of a sequence or a file, a tab, and a taxid: names.dmp has the taxids of taxa"
            }
            ErrorKind::OtherSeparator { found } => match found {
                "semicolons" => {
                    "save the table as text with tabs, or convert it: `tr ';' '\\t' <TABLE >NEW`"
                }
                "commas" => {
                    "save the table as text with tabs, or convert it: `tr , '\\t' <TABLE >NEW`"
                }
                _ => {
                    "save the table as text with tabs, or convert it: `tr -s ' ' '\\t' <TABLE >NEW`"
                }
            },
            ErrorKind::UnknownRow { .. } => {
                "use taxonomy and taxids from the same release, or correct them, or skip these sequences with --skip-unmapped"
            }
            ErrorKind::RowConflict { .. } => {
                "give file and sequence in --taxa (`a.fa:contig_1`, a tab, the taxid), or files only (`a.fa`)"
            }
            ErrorKind::BadText { .. } => {
                "convert the file, for example with `iconv -f latin1 -t utf-8`, or correct the line"
            }
            ErrorKind::NodeTwice { .. } => "keep one of the two lines",
            ErrorKind::MissingParent { .. } => {
                "nodes.dmp is incomplete, or of another release: take all files from one taxdump; in a taxonomy of your own, add the parent"
            }
            ErrorKind::Cycle { .. } => {
                "give one node of the circle another parent; only the root may be its own"
            }
            ErrorKind::TwoRoots { .. } => {
                "put both below a common root, which is its own parent (taxid 1, by custom)"
            }
            ErrorKind::OutOfOrder { .. } => "the database is damaged: build it again",
            ErrorKind::NoNodes => "check that it is the right file and complete",
            ErrorKind::NoNames => {
                "names.dmp belongs to other nodes, or lacks the class `scientific name` in its fourth column"
            }
            ErrorKind::NoLineage => "leave the line out, or give the lineage",
            ErrorKind::BadPrefix { .. } | ErrorKind::LongLineage { .. } => {
                "write all names with the prefixes of their ranks, as GTDB does (`d__Bacteria;p__…;s__…`)"
            }
            ErrorKind::RankOrder { .. } => {
                "write lineages from the top: domain first, species last"
            }
            ErrorKind::TwoLineages { .. } | ErrorKind::TwoTaxa { .. } => {
                "keep one of the two lines"
            }
            ErrorKind::TooManyRanks { .. } => "check that the third column is the rank",
            ErrorKind::TooManyNodes { .. } => "leave out what has no sequences",
            ErrorKind::NotADatabase => {
                "build one with `thalweg taxa build`; `classify` takes the database first, then the reads"
            }
            ErrorKind::DatabaseVersion { .. } | ErrorKind::OtherDatabase { .. } => {
                "read it with the version of thalweg that made it, or build it again"
            }
            ErrorKind::DatabaseSize { .. } => "copy it once more, or build it again",
            ErrorKind::DamagedDatabase { .. } => {
                "copy it once more, or build it again; `thalweg taxa verify` checks all of a database"
            }
            ErrorKind::DatabaseChanged { .. } => {
                "run again; a database in use is replaced by a new file that is renamed, not by writing to it"
            }
            ErrorKind::PartOfDatabase { .. } => "merge all parts first: `thalweg taxa merge`",
            ErrorKind::NotMergeable { .. } => {
                "databases must have the same k, minimizers and masking; for parts, give all parts of one build"
            }
            ErrorKind::TaxonomiesDiffer { .. } => "build both from one release of the taxonomy",
            ErrorKind::NoDatabase { .. } => return None,
            ErrorKind::Memory { .. } | ErrorKind::MemoryOfSets { .. } => {
                "raise the memory limit, or use fewer threads"
            }
            ErrorKind::NoRoom { .. } => {
                "use a machine with more memory, or ask for less to be counted"
            }
            ErrorKind::Temporary(_) => "name another directory for temporary files",
            ErrorKind::Unmapped { ref taxids, .. } if !taxids.is_empty() => {
                "use taxonomy and taxids from the same release, or correct them, or skip these sequences with --skip-unmapped"
            }
            ErrorKind::NothingMapped { ref told } if told.is_empty() => {
                "check that they are the right files and complete"
            }
            ErrorKind::NothingMapped { .. } => {
                "give taxids by --taxa TABLE, in headers (`kraken:taxid|562`) or by --accessions, from the same release as the taxonomy"
            }
            ErrorKind::NoKmers { .. } => "check that they are the right files",
            ErrorKind::NotAccessions { .. } => {
                "--map takes seqid2taxid.map of kraken2, --taxa a table of your own"
            }
            ErrorKind::FileOfTaxdump => "use the directory that it is in",
            ErrorKind::NotALineage { .. } => {
                "--taxonomy takes a directory with nodes.dmp and names.dmp, or a table of lineages (`d__Bacteria;p__…;s__…`); --taxa takes one of taxids"
            }
            ErrorKind::Unmapped { .. } => {
                "give taxids by --taxa TABLE, in headers (`kraken:taxid|562`) or by --accessions, or skip these sequences with --skip-unmapped"
            }
            ErrorKind::TooManyLeaves { .. } => "give sequences to their species instead of strains",
            ErrorKind::TooManySets { .. } => "have strains folded, or leave out close relatives",
            ErrorKind::BadOption(_)
            | ErrorKind::SuperKmers(_)
            | ErrorKind::Cancelled
            | ErrorKind::NoThread(_)
            | ErrorKind::Panicked(_) => return None,
        })
    }
}

impl From<TemporaryError> for Error {
    fn from(error: TemporaryError) -> Self {
        Self::new(ErrorKind::Temporary(error))
    }
}

impl From<thalweg_superkmers::Error> for Error {
    fn from(error: thalweg_superkmers::Error) -> Self {
        match error {
            thalweg_superkmers::Error::Temporary { directory, source } => {
                TemporaryError { directory, source }.into()
            }
            error => Self::new(ErrorKind::SuperKmers(error)),
        }
    }
}

fn number_of_sequences(number: u64) -> String {
    match number {
        1 => "1 sequence".to_owned(),
        _ => format!("{number} sequences"),
    }
}

fn missing_how(is_deleted: bool) -> &'static str {
    if is_deleted {
        return "was deleted from the taxonomy";
    }
    "is not in the taxonomy"
}

fn more_rows(more: usize) -> String {
    match more {
        0 => String::new(),
        1 => " (and 1 more row like this)".to_owned(),
        _ => format!(" (and {more} more rows like this)"),
    }
}

fn behind_semicolon(text: &str) -> String {
    match text.is_empty() {
        true => String::new(),
        false => format!("; {text}"),
    }
}

fn no_sequence_left(told: &str) -> String {
    match told.is_empty() {
        true => "the genome files have no sequences".to_owned(),
        false => format!("no sequences left for the database: {told}"),
    }
}

fn line_head(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!("line {line}: "))
}

fn cut_or_appended(told: u64, found: u64) -> &'static str {
    match found < told {
        true => "truncated",
        false => "appended to",
    }
}

fn of_line(line: Option<u64>) -> String {
    line.map_or_else(String::new, |line| format!(" than in line {line}"))
}

/// Asked now and then, by any thread, whether work that takes long goes on: its error ends it.
pub type GoOn<'a> = dyn Fn() -> Result<()> + Sync + 'a;

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
