//! Files that are put behind one another by their bytes, with the index of the whole.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use thalweg_gzip::index::{FINGERPRINT_SPAN, Identity, Index};
use thalweg_reads::{Error, ErrorKind, FilePlan, IndexUse, ReaderOptions};
use thalweg_write::WholeFile;

use crate::{Control, Fault, Reads};

/// Puts compressed files, such as the lanes of a sample, behind one another, as `cat` of the system does: nothing is
/// decoded but the ends of files that have an index.
///
/// Where all files have an index, that of the whole follows from theirs ([`Index::join`]).
#[derive(Clone, Debug)]
pub struct JoinJob {
    /// Files of one format, and with one kind of compression.
    pub files: Vec<PathBuf>,
    /// How each is opened: which indexes are used. Files that are added to it are none of the caller's.
    pub options: ReaderOptions,
    /// The index of each file, if they were named.
    pub index_files: Vec<PathBuf>,
    /// Where their bytes go; `-` is the standard output.
    pub output: PathBuf,
    /// Whether the index of the whole is wanted.
    pub wants_index: bool,
}

/// What came of it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Joined {
    /// Bytes of the whole.
    pub bytes: u64,
    /// Records in it, if all indexes tell theirs.
    pub records: Option<u64>,
    /// The index of the whole, if all files have one and it is wanted: not written anywhere. It has no BLAKE3 of the
    /// whole, for which all of it would have to be read once more.
    pub index: Option<Index>,
    /// The first file that has no index.
    pub unindexed: Option<PathBuf>,
}

/// A file, looked at before anything is written.
struct Part {
    plan: FilePlan,
    file: File,
    bytes: u64,
}

impl JoinJob {
    /// Look at all files, put them behind one another, and make the index.
    ///
    /// # Errors
    /// [`Fault::Usage`] if there are no files, or they cannot be one, which is seen before anything is written; the first fault of reading or
    /// writing; that it was cancelled. No output appears then, unless it was the one that could not be read once more, for its
    /// index.
    pub fn run(&self, control: &Control) -> Result<Joined, Fault> {
        let parts = self.look(control)?;
        let unindexed = parts.iter().find(|part| part.plan.index.is_none());
        let unindexed = unindexed.map(|part| part.plan.path.clone());
        let indexes = match self.wants_index && unindexed.is_none() {
            true => Some(open_indexes(&parts)?),
            false => None,
        };
        let mut output = WholeFile::open(&self.output)?;
        let name = output.path().to_owned();
        let all = parts.iter().map(|part| part.bytes).sum();
        let mut copied = 0;
        for part in &parts {
            copy(part, &mut output, |bytes| {
                control.check()?;
                copied += bytes;
                control.progress(|| (copied, Some(all)));
                Ok(())
            })?;
        }
        control.check()?;
        output.finish()?;
        let index = indexes.map(|indexes| join_indexes(&indexes, &name));
        Ok(Joined {
            bytes: all,
            records: parts.iter().map(|part| part.plan.records).sum(),
            index: index.transpose()?,
            unindexed,
        })
    }

    /// Whether the files can be one.
    fn look(&self, control: &Control) -> Result<Vec<Part>, Fault> {
        let mut parts: Vec<Part> = Vec::with_capacity(self.files.len());
        for (number, path) in self.files.iter().enumerate() {
            control.check()?;
            let part = self.open(number, path)?;
            if let Some(first) = parts.first() {
                refuse_unlike(&first.plan, &part.plan)?;
            }
            parts.push(part);
        }
        let Some((_, followed)) = parts.split_last() else {
            return Err(Fault::usage("no files to join", "name one or more"));
        };
        for (number, part) in followed.iter().enumerate() {
            self.check_end(number, part, control)?;
        }
        Ok(parts)
    }

    fn open(&self, number: usize, path: &Path) -> Result<Part, Fault> {
        let join = |what: &str| refused(format!("{}: {what}", path.display()));
        let at_fault = |error| Error::io(path, error);
        let file = File::open(path).map_err(at_fault)?;
        let metadata = file.metadata().map_err(at_fault)?;
        if !metadata.is_file() {
            return Err(join("is no file whose bytes could be looked at first"));
        }
        if metadata.len() == 0 {
            return Err(join(
                "it has 0 bytes: whatever was to write it wrote nothing",
            ));
        }
        let reads = Reads::open(self.options(number, path))?;
        let plan = reads.plan().swap_remove(0);
        if plan.format_name == "BAM" {
            return Err(join("BAM has a header, which would stand in the middle"));
        }
        Ok(Part {
            plan,
            file,
            bytes: metadata.len(),
        })
    }

    fn options(&self, number: usize, path: &Path) -> ReaderOptions {
        let options = self.options.clone().file(path);
        match self.index_files.get(number) {
            Some(index) => options.index_files([index]),
            None => options,
        }
    }

    /// Refuse a file whose last record would go on with the first of the next one: without its line end, which may be that of
    /// an empty line of qualities. Of large files of gzip that have no blocks and no index, only decoding all of them would tell.
    fn check_end(&self, number: usize, part: &Part, control: &Control) -> Result<(), Fault> {
        let path = &part.plan.path;
        let is_fasta = !part.plan.format.has_qualities();
        let is_open = match part.plan.records {
            _ if is_fasta && part.plan.compression == "plain" => Some(lacks_line_end(part)?),
            Some(records) if records > 0 && part.plan.indexed => {
                let last = self.options(number, path).records(records - 1..records);
                last_is_open(Reads::open(last)?, control)?
            }
            Some(_) if part.plan.indexed => None,
            _ => self.last_part_is_open(part, control)?,
        };
        match is_open {
            Some(true) => Err(refused(format!(
                "{}: its last line has no end, and would go on with the first one of the next file",
                path.display()
            ))),
            _ => Ok(()),
        }
    }

    /// The same by the last part of a file that can be cut into parts without an index, or by all of one that is small or
    /// plain; `None` of others.
    fn last_part_is_open(&self, part: &Part, control: &Control) -> Result<Option<bool>, Fault> {
        let mut parts = (part.bytes / SIZE_OF_PART).max(1);
        loop {
            let options = self.options.clone().index(IndexUse::Never);
            let options = options.file(&part.plan.path);
            let reads = match parts {
                1 => Reads::open(options)?,
                _ => match Reads::open(options.shard(parts - 1, parts)) {
                    Ok(reads) => reads,
                    // What is wrapped cannot be cut.
                    Err(_) if part.plan.compression == "plain" => {
                        parts = 1;
                        continue;
                    }
                    Err(_) => return Ok(None),
                },
            };
            let is_open = last_is_open(reads, control)?;
            if is_open.is_some() || parts == 1 {
                return Ok(is_open);
            }
            // There may be no record in so small a part.
            parts /= 2;
        }
    }
}

/// Whether the last byte of a plain file is none of a line end.
fn lacks_line_end(part: &Part) -> Result<bool, Error> {
    let mut last = [0];
    let mut file = &part.file;
    file.seek(SeekFrom::End(-1))
        .and_then(|_| file.read_exact(&mut last))
        .and_then(|()| file.seek(SeekFrom::Start(0)))
        .map_err(|error| Error::io(&part.plan.path, error))?;
    Ok(last != [b'\n'])
}

/// Bytes of the part of a file by which its last record is looked at.
const SIZE_OF_PART: u64 = 1 << 20;

/// Whether the last record of what is read lacks the end of its last line; `None` if there is no record.
///
/// # Errors
/// Those of reading; if the job was cancelled.
pub(crate) fn last_is_open(reads: Reads, control: &Control) -> Result<Option<bool>, Error> {
    let mut is_open = None;
    for batch in reads.workers(1) {
        control.check()?;
        let batch = batch?;
        let records = batch.blocks()[0].records();
        let last = records.len().checked_sub(1);
        let last = last.and_then(|last| records.get(last));
        is_open = last.map(|last| last.lacks_line_end()).or(is_open);
    }
    Ok(is_open)
}

/// Files cannot be put behind one another by their bytes: why.
fn refused(what: String) -> Fault {
    Fault::usage(
        what,
        "without --join, `cat` reads the records of such files, and packs them anew",
    )
}

fn refuse_unlike(first: &FilePlan, other: &FilePlan) -> Result<(), Fault> {
    let unlike = |one: &str, two: &str| {
        Err(refused(format!(
            "{} is {one}, and {} is {two}",
            first.path.display(),
            other.path.display()
        )))
    };
    if first.compression != other.compression {
        return unlike(first.compression, other.compression);
    }
    match first.format.has_qualities() == other.format.has_qualities() {
        true => Ok(()),
        false => unlike(first.format_name, other.format_name),
    }
}

/// Bytes that are copied between two looks at whether to stop.
const AT_ONCE: u64 = 64 << 20;

/// All bytes of a part, of which there must be as many as when it was looked at. `go_on` is told of some at a time.
fn copy(
    part: &Part,
    output: &mut WholeFile,
    mut go_on: impl FnMut(u64) -> Result<(), Error>,
) -> Result<(), Fault> {
    let path = &part.plan.path;
    let mut copied = 0;
    loop {
        let more = output.copy_from(&part.file, AT_ONCE);
        let more = more.map_err(|error| match error {
            thalweg_write::CopyError::Read(error) => Fault::from(Error::io(path, error)),
            thalweg_write::CopyError::Write(error) => error.into(),
        })?;
        if more == 0 {
            break;
        }
        copied += more;
        go_on(more)?;
    }
    match copied == part.bytes {
        true => Ok(()),
        false => Err(Error::new(ErrorKind::Changed).in_file(path).into()),
    }
}

fn open_indexes(parts: &[Part]) -> Result<Vec<Index>, Error> {
    let open = |part: &Part| {
        let path = part.plan.index.as_deref().unwrap_or(Path::new(""));
        Index::open(path).map_err(|error| Error::new(ErrorKind::Index(error)).in_file(path))
    };
    parts.iter().map(open).collect()
}

fn join_indexes(parts: &[Index], whole: &Path) -> Result<Index, Error> {
    let fingerprint = fingerprint(whole).map_err(|error| Error::io(whole, error))?;
    let identity = Identity {
        compressed_size: 0,
        blake3: None,
        head_tail: Some(fingerprint),
    };
    let index = Index::join(parts, identity);
    index.map_err(|error| Error::new(ErrorKind::Index(error)).in_file(whole))
}

fn fingerprint(path: &Path) -> io::Result<[u8; 16]> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut read = |from: u64| {
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        (&mut file).take(FINGERPRINT_SPAN).read_to_end(&mut bytes)?;
        io::Result::Ok(bytes)
    };
    let (head, tail) = (read(0)?, read(size.saturating_sub(FINGERPRINT_SPAN))?);
    Ok(Identity::fingerprint(size, &head, &tail))
}
