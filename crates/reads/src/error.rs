use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use thalweg_files::{Location, counted, thousands, write_readable};
use thalweg_formats::bam::BAM;
use thalweg_formats::{BinaryFormat, FileKind, Format, may_be_mates};
use thalweg_gzip as gzip;
use thalweg_gzip::index::IndexError;

use crate::{Compression, FormatError, FormatErrorKind};

/// Why reads could not be read: what happened, in which file, and where.
///
/// `{:?}` shows it as `{}` does, with what to do: so `main` may return it.
pub struct Error {
    kind: Box<ErrorKind>,
    location: Location,
    seen: Option<Box<Error>>,
    /// The data were read through an index, which may be wrong instead of them.
    is_through_index: bool,
}

/// What a caller can tell apart.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system failed to open or read.
    Io(io::Error),
    /// The compressed data are at fault.
    Compressed(gzip::Error),
    /// The records are at fault.
    Format(FormatError),
    /// The file is plainly something else than FASTQ or FASTA.
    OtherKind {
        /// What it is.
        kind: FileKind,
        /// What the bytes that tell so are compressed with.
        inside: Compression,
    },
    /// The file has no bytes, where one that is compressed so has some even of no reads.
    NoData(Compression),
    /// BGZF ends without the empty block that is written last: it was truncated between two blocks.
    NoEnd,
    /// BGZF ends within a block: it was truncated there.
    CutBlock,
    /// The index beside the file cannot be used.
    Index(IndexError),
    /// An index is required and there is none.
    NoIndex,
    /// An index was named that lists blocks and no records, as those of bgzip (`.gzi`) do: it tells no way to share out reads.
    NoRecordsInIndex,
    /// A part was to be read through an index without checksums of chunks, and an index is required.
    UncheckedIndex,
    /// The file is sound, and its index is wrong, for this reason.
    WrongIndex(String),
    /// The file is not the one that was indexed.
    OtherFile(String),
    /// Files that are read in step have different numbers of records. The location's record is the first that the
    /// shorter one lacks: it has so many.
    UnequalFiles {
        /// The file that ended first.
        shorter: PathBuf,
        /// The file that has more.
        longer: PathBuf,
        /// How many those are, if an index says so.
        longer_has: Option<u64>,
    },
    /// Records of equal rank do not belong together.
    MatesDisagree {
        /// The other file.
        other: PathBuf,
        /// What the format of the first file is called.
        format: &'static str,
        /// Name in the file of the location.
        name: String,
        /// Name in the other file.
        other_name: String,
    },
    /// A file is taken as single reads, as its first records say, and a later one of this name says that it is the mate of another.
    MateAmongSingle(String),
    /// An interleaved file has an odd number of records.
    OddInterleaved,
    /// A part of the file does not begin where the part before it ended.
    BrokenSeam,
    /// Files without a fault were cut at a name that they have again elsewhere.
    NameComesAgain,
    /// A record is longer than [`ReaderOptions::max_record`](crate::ReaderOptions::max_record) allows.
    LongRecord {
        /// Bytes that it may have.
        most: u64,
    },
    /// Records were asked for that the file does not have.
    OutOfRange {
        /// How many records there are.
        records: u64,
    },
    /// The file changed while it was read.
    Changed,
    /// One process has another file under this name than the others.
    NotTheSame,
    /// What was asked for needs a file that can be read at any place.
    NotSeekable,
    /// Another format than this operation can handle.
    Unsupported(&'static str),
    /// Reading stopped because another worker failed or the consumer left.
    Stopped,
    /// Whoever started the job wanted it to stop.
    Cancelled,
    /// Part of what was read did not come out. That is a fault of this program.
    Incomplete,
    /// A worker panicked.
    Panicked(String),
    /// The system did not let another thread begin, for this reason.
    NoThread(String),
}

impl Error {
    /// An error of `kind` with nothing known about where.
    pub fn new(kind: ErrorKind) -> Self {
        Self {
            kind: Box::new(kind),
            location: Location::default(),
            seen: None,
            is_through_index: false,
        }
    }

    /// A failure of the operating system at `path`.
    pub fn io(path: &Path, error: io::Error) -> Self {
        Self::new(ErrorKind::Io(error)).in_file(path)
    }

    /// The same error in the file `path`.
    pub fn in_file(mut self, path: &Path) -> Self {
        self.location = self.location.in_file(path);
        self
    }

    /// The same error at the record of 0-based rank `record`.
    pub fn at_record(mut self, record: Option<u64>) -> Self {
        self.location = self.location.at_record(record);
        self
    }

    /// The same error at `offset` of the file on disk.
    pub fn at_offset(mut self, offset: u64) -> Self {
        self.location = self.location.at_offset(offset);
        self
    }

    /// The same error at `offset` of the uncompressed data.
    pub fn at_text_offset(mut self, offset: u64) -> Self {
        self.location = self.location.at_text_offset(offset);
        self
    }

    /// The same error of data that were read through an index.
    pub(crate) fn through_index(mut self) -> Self {
        self.is_through_index = true;
        self
    }

    /// The same error, which was met as `fault`.
    pub(crate) fn seen_as(mut self, fault: Error) -> Self {
        self.seen = Some(Box::new(fault));
        self
    }

    /// The fault of records by which damage of the compressed data was noticed, if it was.
    pub fn seen(&self) -> Option<&Error> {
        self.seen.as_deref()
    }

    /// What happened.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where it happened.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Whether the data are at fault, and not the machine, the usage, or a limit of this program.
    pub fn is_data(&self) -> bool {
        match &*self.kind {
            ErrorKind::Compressed(error) => error.is_data(),
            ErrorKind::Format(error) => error.kind != FormatErrorKind::TooLong,
            ErrorKind::Index(error) => !matches!(
                error,
                IndexError::Io { .. }
                    | IndexError::TooNew { .. }
                    | IndexError::NotRepresentable { .. }
            ),
            ErrorKind::Io(_)
            | ErrorKind::LongRecord { .. }
            | ErrorKind::NameComesAgain
            | ErrorKind::NoIndex
            | ErrorKind::NoRecordsInIndex
            | ErrorKind::UncheckedIndex
            | ErrorKind::OutOfRange { .. }
            | ErrorKind::NotSeekable
            | ErrorKind::Unsupported(_)
            | ErrorKind::Stopped
            | ErrorKind::Cancelled
            | ErrorKind::Incomplete
            | ErrorKind::Panicked(_)
            | ErrorKind::NoThread(_) => false,
            _ => true,
        }
    }

    /// Whether it is a fault of records that are whole, which their bytes may have from damage before they were checked.
    pub(crate) fn may_be_trace(&self) -> bool {
        self.stray_place().is_some()
            || matches!(
                *self.kind,
                ErrorKind::MatesDisagree { .. } | ErrorKind::MateAmongSingle(_)
            )
    }

    /// The place, in its line, of a byte that may not stand there, if that is what is wrong.
    pub(crate) fn stray_place(&self) -> Option<usize> {
        let ErrorKind::Format(error) = &*self.kind else {
            return None;
        };
        match error.kind {
            FormatErrorKind::StrayBase { place, .. }
            | FormatErrorKind::StrayQuality { place, .. } => Some(place),
            FormatErrorKind::FastqInFasta => Some(0),
            _ => None,
        }
    }

    /// Whether it only says that nothing has come yet, to a reader that waits for several streams at once.
    pub(crate) fn is_wait(&self) -> bool {
        match &*self.kind {
            ErrorKind::Io(error) => error.kind() == io::ErrorKind::WouldBlock,
            ErrorKind::Compressed(error) => is_wait(error),
            _ => false,
        }
    }

    /// Whether compressed data are not what they were.
    pub(crate) fn is_damage(&self) -> bool {
        matches!(&*self.kind, ErrorKind::Compressed(error) if error.is_damage())
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match &*self.kind {
            ErrorKind::Compressed(_) | ErrorKind::Format(_) | ErrorKind::OtherFile(_)
                if self.is_through_index =>
            {
                Some(THROUGH_INDEX)
            }
            ErrorKind::UncheckedIndex => {
                Some("make one that has them: `thalweg index FILE`; or read with --index auto")
            }
            ErrorKind::NoRecordsInIndex => Some(
                "make an index of records (.thw): `thalweg index FILE`; or read without it with --index never",
            ),
            ErrorKind::WrongIndex(_) => Some(
                "make the index again with `thalweg index --force`, or remove it; --index never reads without it",
            ),
            ErrorKind::Compressed(error) => error.hint(),
            ErrorKind::NoData(_) => {
                Some("the file is empty (0 bytes): write, copy or download it again")
            }
            ErrorKind::NoEnd => Some(
                "write the file again, or copy or download it again; --no-eof-check reads what is there",
            ),
            ErrorKind::CutBlock => Some("copy or download the file again and compare checksums"),
            ErrorKind::OtherKind { kind, .. } => Some(kind.way_out()),
            ErrorKind::Format(error) if error.kind == FormatErrorKind::NotSequenceData => Some(
                "FASTQ begins with '@' and FASTA with '>': is this file one of them? If it should be compressed, it is damaged",
            ),
            ErrorKind::Format(error) if error.kind == FormatErrorKind::FastqInFasta => {
                Some("name FASTA and FASTQ as two files, not joined into one")
            }
            ErrorKind::Format(error)
                if error.kind == FormatErrorKind::LoneReturn && error.found.contains(r"\x") =>
            {
                Some(format_hint(error))
            }
            ErrorKind::Format(error) if error.kind == FormatErrorKind::LoneReturn => Some(
                "if all lines end with carriage returns, convert them to newlines: `thalweg cat FILE | sed 's/\\r$//' | tr '\\r' '\\n' >FIXED`; if only one line has one, correct that line",
            ),
            ErrorKind::Format(error) if error.kind == FormatErrorKind::TooLong => Some(
                "of FASTA, shorter lines help (`fold -w 80 FILE`): `count`, `stats` and `kmers query -s` then take a sequence of any length in pieces",
            ),
            ErrorKind::Format(error) => Some(format_hint(error)),
            ErrorKind::Index(IndexError::Io { .. }) => Some(
                "is there room, and may you write there? -o and --index-dir put indexes somewhere else",
            ),
            ErrorKind::Index(IndexError::NotRepresentable { .. }) => {
                Some("keep less with the index (--metadata), or choose another --format")
            }
            ErrorKind::Index(_) => Some(
                "make the index again with `thalweg index --force`, or read without it with --index never",
            ),
            ErrorKind::OtherFile(_) => Some(
                "if the file was changed on purpose, make the index again with `thalweg index --force`, or read without it with --index never; if not, copy or download the file again",
            ),
            ErrorKind::NoThread(_) => {
                Some("ask for fewer with --threads, or let the system have more (`ulimit -u`)")
            }
            ErrorKind::NoIndex => {
                Some("make one: `thalweg index FILE`; --index never ignores an index that exists")
            }
            ErrorKind::UnequalFiles { .. } => Some(
                "the shorter file may be incomplete, the files may not be mates, or only one was filtered; for FASTQ, `thalweg verify --mates R1 R2` finds the first difference",
            ),
            ErrorKind::MatesDisagree { other, format, .. }
                if *format == BAM.name() && self.location.path.as_ref() == Some(other) =>
            {
                Some(
                    "mates must stand beside each other: `samtools collate -u -O FILE | thalweg ... -` puts them so. Where some reads have no mate, `thalweg cat -1 R1.fq.gz -2 R2.fq.gz -s SINGLE.fq.gz -0 OTHER.fq.gz FILE` separates them; `thalweg cat FILE | thalweg ... -` takes all as single reads",
                )
            }
            ErrorKind::MatesDisagree {
                name, other_name, ..
            } if may_be_mates(name.as_bytes(), other_name.as_bytes()) => Some(
                "these may be names of mates, or numbers of reads: the first records do not show which; if all are mates in the same order, use --ignore-names",
            ),
            ErrorKind::MatesDisagree { other, format, .. } => Some(mates_hint(
                self.location.path.as_ref() == Some(other),
                ![Format::Fasta.name(), BAM.name()].contains(format),
            )),
            ErrorKind::MateAmongSingle(_) => Some(
                "`thalweg cat -1 R1.fq.gz -2 R2.fq.gz -s SINGLE.fq.gz -0 OTHER.fq.gz FILE` separates pairs and single reads; `thalweg cat FILE | thalweg ... -` takes all as single reads",
            ),
            ErrorKind::OddInterleaved => Some(
                "copy or download the file again if it is incomplete; or it holds single reads, and is not interleaved: of BAM, `thalweg cat -1 R1.fq.gz -2 R2.fq.gz -s SINGLE.fq.gz -0 OTHER.fq.gz FILE` separates them",
            ),
            ErrorKind::NameComesAgain => Some(
                "give it through a pipe, as <(cat FILE), to have it read in order; gzip and BGZF can be indexed as well",
            ),
            ErrorKind::BrokenSeam => Some(
                "the file is malformed or was changed while it was read: check it with --threads 1 --index never",
            ),
            ErrorKind::LongRecord { .. } => Some(
                "use a larger --max-record, or omit it: the limit is meant for untrusted input",
            ),
            ErrorKind::OutOfRange { .. } => {
                Some("records are numbered from 0; the end is not included")
            }
            ErrorKind::Changed => Some("wait until the file is complete, then run again"),
            ErrorKind::NotTheSame => {
                Some("copy the file to every machine again, or name one that all of them see")
            }
            ErrorKind::NotSeekable => Some("name a regular file instead of a pipe"),
            _ => None,
        }
    }
}

/// The hint for corrupt data that were read through an index.
const THROUGH_INDEX: &str = "the file is damaged, or the index beside it is wrong: `thalweg verify --full FILE` shows which. Copy or download the file again and compare checksums; or make the index again (`thalweg index --force FILE`), or read without it (--index never)";

/// What to do about names that differ. Of FASTA and BAM no command lists them all.
fn mates_hint(are_in_one_file: bool, is_fastq: bool) -> &'static str {
    match (are_in_one_file, is_fastq) {
        (true, false) => {
            "check that the file is interleaved (read 1, read 2, ...): if so, a record before this point is missing or extra; if only the names differ, use --ignore-names"
        }
        (true, true) => {
            "check that the file is interleaved (read 1, read 2, ...): if so, a record before this point is missing or extra (`thalweg verify --interleaved FILE` finds it); if only the names differ, use --ignore-names"
        }
        (false, false) => {
            "the files are not in the same order, or not mates; if only the names differ, use --ignore-names"
        }
        (false, true) => {
            "the files are not in the same order, or not mates: `thalweg verify --mates R1 R2` lists the differences; if only the names differ, use --ignore-names"
        }
    }
}

/// What the bytes at the fault suggest.
fn format_hint(error: &FormatError) -> &'static str {
    use FormatErrorKind::{Malformed, MalformedHeader, Truncated};

    let begins = |bytes: &str| error.found.starts_with(&format!("\"{bytes}"));
    let is_text = begins("@") || error.found == "the end of the data";
    if error.kind == Truncated && is_text {
        return "the file is truncated, or still being written: copy or download it again and compare checksums";
    }
    if matches!(error.kind, Malformed(_) | MalformedHeader(_) | Truncated) {
        return "`samtools quickcheck FILE` finds out whether BAM is truncated, and `samtools view FILE` prints the records before the error; copy or download the file again and compare checksums";
    }
    if begins(r"\x00") {
        return "NUL bytes stand there, as a failed copy or a full disk leaves them: reads may be missing, and more may follow; copy or download the file again";
    }
    if begins(r"\x1f\x8b") {
        return "gzip data follow plain text there: name the files one by one, not joined into one";
    }
    if begins(r"\xef\xbb\xbf") {
        return "a byte order mark stands there, where another file was joined on: leave its three bytes out of that file (tail -c +4)";
    }
    "the file may be truncated, edited or corrupt: copy or download it again; `thalweg verify --faults FILE` lists all malformed FASTQ records"
}

/// The same of a decoder.
pub(crate) fn is_wait(error: &gzip::Error) -> bool {
    matches!(error.kind(), gzip::ErrorKind::Io(error) if error.kind() == io::ErrorKind::WouldBlock)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Both files are in the sentence.
        if !matches!(*self.kind, ErrorKind::UnequalFiles { .. }) {
            write!(f, "{}", self.location.head())?;
        }
        self.tell(f)?;
        match &self.seen {
            // Of the same file.
            Some(fault) => {
                write!(f, "; first symptom: ")?;
                fault.tell(f)
            }
            None => Ok(()),
        }
    }
}

impl Error {
    /// What happened, and where in the file.
    fn tell(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let location = &self.location;
        match &*self.kind {
            ErrorKind::Io(error) => write!(f, "{error}")?,
            ErrorKind::Compressed(error) => {
                write!(f, "{error}")?;
                if let Some(source) = std::error::Error::source(error) {
                    write!(f, ": {source}")?;
                }
            }
            ErrorKind::Format(error) => write!(f, "{error}")?,
            ErrorKind::NoData(compression) => {
                write!(
                    f,
                    "unexpected end of file: it has 0 bytes, which is not valid {}",
                    compression.name()
                )?;
            }
            ErrorKind::NoEnd => {
                write!(f, "truncated: there is no BGZF end-of-file block")?;
            }
            ErrorKind::CutBlock => write!(f, "truncated: the last BGZF block is incomplete")?,
            ErrorKind::OtherKind { kind, inside } => match inside {
                Compression::None => write!(f, "this is {}", kind.name())?,
                inside => write!(
                    f,
                    "inside of the {} data, this is {}",
                    inside.name(),
                    kind.name()
                )?,
            },
            ErrorKind::Index(error) => {
                write!(f, "index: {error}")?;
                if let Some(source) = std::error::Error::source(error) {
                    write!(f, ": {source}")?;
                }
            }
            ErrorKind::NoRecordsInIndex => {
                write!(
                    f,
                    "this index lists blocks (.gzi), not records, which reads are shared out by"
                )?;
            }
            ErrorKind::NoIndex => write!(f, "no index was found, but this needs one")?,
            ErrorKind::UncheckedIndex => {
                write!(
                    f,
                    "its index has no checksums of chunks, which a part needs"
                )?;
            }
            ErrorKind::WrongIndex(what) => {
                write!(f, "the index is wrong, and the file is sound: {what}")?;
            }
            ErrorKind::OtherFile(what) => {
                write!(f, "the index does not match the file: {what}")?;
            }
            ErrorKind::UnequalFiles {
                shorter,
                longer,
                longer_has,
            } => {
                let (shorter, longer) = (shorter.display(), longer.display());
                match (location.record, longer_has) {
                    (Some(has), Some(other_has)) => write!(
                        f,
                        "{shorter} has {}, but {longer} has {}",
                        counted(has, "record"),
                        thousands(*other_has)
                    )?,
                    (Some(has), None) => write!(
                        f,
                        "{shorter} has {}, but {longer} has at least {}",
                        counted(has, "record"),
                        thousands(has + 1)
                    )?,
                    (None, _) => write!(f, "{shorter} has fewer records than {longer}")?,
                }
                return Ok(());
            }
            ErrorKind::MatesDisagree {
                other,
                name,
                other_name,
                ..
            } => write!(
                f,
                "name '{name}' does not match '{other_name}' in {}",
                other.display()
            )?,
            ErrorKind::MateAmongSingle(name) => write!(
                f,
                "'{name}' is of a pair, by its flags, but the first reads of the file are not in pairs"
            )?,
            ErrorKind::OddInterleaved => {
                write!(f, "interleaved file with an odd number of records")?;
            }
            ErrorKind::NameComesAgain => {
                write!(
                    f,
                    "it has names that come again, and was cut at one of them"
                )?;
            }
            ErrorKind::BrokenSeam => {
                write!(
                    f,
                    "a part of the file does not begin where the part before it ended"
                )?;
            }
            ErrorKind::LongRecord { most } => {
                write!(f, "the record exceeds the limit of {most} bytes")?;
            }
            ErrorKind::OutOfRange { records } => {
                write!(f, "records out of range: there are {records}")?;
            }
            ErrorKind::Changed => write!(f, "the file changed while it was read")?,
            ErrorKind::NotTheSame => {
                write!(
                    f,
                    "its size or its ends differ from those of the file that the first process opened"
                )?;
            }
            ErrorKind::NotSeekable => write!(f, "this needs a regular file")?,
            ErrorKind::Unsupported(what) => write!(f, "{what}")?,
            ErrorKind::Stopped => write!(f, "reading was stopped")?,
            ErrorKind::Cancelled => write!(f, "stopped, as was asked for")?,
            ErrorKind::Incomplete => write!(
                f,
                "internal error, please report it: not all that was read came out"
            )?,
            ErrorKind::Panicked(what) => write!(f, "internal error, please report it: {what}")?,
            ErrorKind::NoThread(reason) => write!(f, "cannot start a thread: {reason}")?,
        }
        match &self.seen {
            None => write!(f, "{}", location.tail()),
            // It is the record of what was seen.
            Some(_) => {
                let location = Location {
                    record: None,
                    ..location.clone()
                };
                write!(f, "{}", location.tail())
            }
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_readable(f, self, self.hint())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // Display tells the causes already: they are part of one sentence.
        None
    }
}
