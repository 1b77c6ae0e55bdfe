//! Files that are put behind one another by their bytes, with the index of the whole.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_gzip::index::{FINGERPRINT_SPAN, Index, IndexedFile};
use thalweg_reads::{
    Compression, Error, ErrorKind, FilePlan, IndexOptions, IndexUse, ReaderOptions,
    build_index_unless, index_path, index_path_of,
};
use thalweg_write::WholeFile;

use crate::index::IndexFormat;
use crate::{Control, Fault, Reads};

/// Puts compressed files, such as the lanes of a sample, behind one another, as `cat` of the system does: nothing is
/// decoded but the ends of files, where that can be.
///
/// Where all files have an index, that of the whole follows from theirs ([`Index::join`]). The output and its index get their
/// names together.
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
    /// Whether the index of the whole is written, if all files have one.
    pub wants_index: bool,
    /// Whether it is written in any case, if they are of gzip: files without an index are decoded for it, and so are checked.
    pub makes_index: bool,
    /// Where it goes, if not beside the output. The directory is made if it is not there.
    pub index_directory: Option<PathBuf>,
}

/// What came of it.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Joined {
    /// Bytes of the whole.
    pub bytes: u64,
    /// Records in it, if all indexes tell theirs.
    pub records: Option<u64>,
    /// The index of the whole, if one was written. It has no BLAKE3 of the whole, for which all of it would have to be read
    /// once more.
    pub index: Option<Index>,
    /// The first file that has no index.
    pub unindexed: Option<PathBuf>,
    /// Files that were taken as they are: only decoding all of them would tell whether they are whole.
    pub unchecked: Vec<PathBuf>,
}

/// A file, looked at before anything is written.
struct Part {
    plan: FilePlan,
    file: File,
    bytes: u64,
    is_checked: bool,
    budget: Budget,
}

impl JoinJob {
    /// Look at all files, put them behind one another, and make the index.
    ///
    /// # Errors
    /// [`Fault::Usage`] if there are no files, or they cannot be one, which is seen before anything is written; the first fault of reading or
    /// writing; that it was cancelled. Neither the output nor its index appears then.
    pub fn run(&self, control: &Control) -> Result<Joined, Fault> {
        // One that cannot be written is told before all the reading.
        let mut output = WholeFile::open(&self.output)?;
        let parts = self.look(control)?;
        let unindexed = parts.iter().find(|part| part.plan.index.is_none());
        let unindexed = unindexed.map(|part| part.plan.path.clone());
        let is_gzip = parts.iter().all(|part| part.plan.compression == "gzip");
        let indexes = match unindexed {
            None if self.wants_index => Some(self.indexes(&parts, control)?),
            _ if self.makes_index && is_gzip => Some(self.indexes(&parts, control)?),
            _ => None,
        };
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
        let index = indexes.map(|indexes| join_indexes(&indexes, &parts, output.path()));
        let index = index.transpose()?;
        let sealed = index.as_ref().map(|index| {
            let place = self.place(index, output.path())?;
            let sealed = index.seal(&place);
            sealed.map_err(|error| Fault::from(index_error(&place, error)))
        });
        output.finish_with(sealed.transpose()?)?;
        let records = match &index {
            Some(index) => Some(index.record_count),
            None => parts.iter().map(|part| part.plan.records).sum(),
        };
        let unchecked = parts.into_iter().filter(|part| !part.is_checked);
        Ok(Joined {
            bytes: all,
            records,
            index,
            unindexed,
            unchecked: unchecked.map(|part| part.plan.path).collect(),
        })
    }

    /// Where the index of the output goes, which has no name yet.
    fn place(&self, index: &Index, output: &Path) -> Result<PathBuf, Fault> {
        let Some(directory) = &self.index_directory else {
            return Ok(index_path(&self.output));
        };
        std::fs::create_dir_all(directory).map_err(|error| Fault::io(directory, error))?;
        let fingerprint = index.identity.head_tail.unwrap_or_default();
        let ending = IndexFormat::Thw.ending();
        Ok(index_path_of(directory, output, &fingerprint, ending))
    }

    /// The index of each file: those that lack one are decoded for it.
    fn indexes(&self, parts: &[Part], control: &Control) -> Result<Vec<Index>, Fault> {
        let options = IndexOptions {
            budget: parts[0].budget,
            ..IndexOptions::default()
        };
        let progress = |done, size| {
            control.progress(|| (done, Some(size)));
            control.check()
        };
        let index = |part: &Part| match &part.plan.index {
            Some(path) => Index::open(path).map_err(|error| index_error(path, error)),
            None => build_index_unless(&part.plan.path, None, &options, &progress),
        };
        Ok(parts.iter().map(index).collect::<Result<_, _>>()?)
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
        let Some(last) = parts.len().checked_sub(1) else {
            return Err(Fault::usage("no files to join", "name one or more"));
        };
        for (number, part) in parts.iter_mut().enumerate() {
            control.check()?;
            part.is_checked = self.check_end(number, part, number < last, control)?;
        }
        Ok(parts)
    }

    fn open(&self, number: usize, path: &Path) -> Result<Part, Fault> {
        let join = |what: &str| refused(format!("{}: {what}", path.display()));
        let at_fault = |error| Error::io(path, error);
        if path.as_os_str() == "-" {
            return Err(refused(
                "the standard input has no name that shows its compression, and no end that could be read first".into(),
            ));
        }
        let file = File::open(path).map_err(at_fault)?;
        let metadata = file.metadata().map_err(at_fault)?;
        if metadata.is_dir() {
            return Err(Fault::io(path, io::ErrorKind::IsADirectory.into()));
        }
        if !metadata.is_file() {
            return Err(join(
                "is a pipe or a device, whose end cannot be looked at first",
            ));
        }
        // What is compressed by its name is refused as it is opened.
        if metadata.len() == 0 && Compression::of_no_data(path).is_none() {
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
            is_checked: false,
            budget: Budget::new(reads.threads()),
        })
    }

    fn options(&self, number: usize, path: &Path) -> ReaderOptions {
        let options = self.options.clone().file(path);
        match self.index_files.get(number) {
            Some(index) => options.index_files([index]),
            None => options,
        }
    }

    /// Refuse a file that ends inside a record, and one that `is_followed` and has padding at its end, or a last record that would
    /// go on with the first of the next one: without its line end, which may be that of an empty line of qualities. Of large files of gzip that have no
    /// blocks and no index, only decoding all of them would tell: whether the end was looked at.
    fn check_end(
        &self,
        number: usize,
        part: &Part,
        is_followed: bool,
        control: &Control,
    ) -> Result<bool, Fault> {
        let path = &part.plan.path;
        if is_followed && part.plan.compression == "gzip" && ends_in_padding(part)? {
            return Err(refused(format!(
                "{}: NUL bytes follow its last member, and would stand between two members, where they look like a hole",
                path.display()
            )));
        }
        let is_fasta = !part.plan.format.has_qualities();
        let is_open = match part.plan.records {
            _ if is_fasta && part.plan.compression == "plain" => Some(lacks_line_end(part)?),
            Some(records) if records > 0 && part.plan.indexed => {
                let last = self.options(number, path).records(records - 1..records);
                last_is_open(Reads::open(last)?, control)?
            }
            Some(_) if part.plan.indexed => Some(false),
            _ => self.last_part_is_open(part, control)?,
        };
        match is_open {
            Some(true) if is_followed => Err(refused(format!(
                "{}: its last line has no end, and would go on with the first one of the next file",
                path.display()
            ))),
            is_open => Ok(is_open.is_some()),
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
                    // It is decoded for its index anyway.
                    Err(_) if self.makes_index && part.plan.compression == "gzip" => {
                        parts = 1;
                        continue;
                    }
                    Err(_) => return Ok(None),
                },
            };
            let is_open = last_is_open(reads, control)?;
            if is_open.is_some() || parts == 1 {
                return Ok(Some(is_open.unwrap_or(false)));
            }
            // There may be no record in so small a part.
            parts /= 2;
        }
    }
}

/// Whether the last byte of a plain file is none of a line end.
fn lacks_line_end(part: &Part) -> Result<bool, Error> {
    Ok(last_bytes::<1>(part)? != [b'\n'])
}

/// Whether NUL bytes follow the last member of gzip, as devices with blocks leave them.
///
/// A member ends in its CRC-32 and its length (RFC 1952), the four bytes of which are NUL only if it holds nothing (or just so
/// many times 4 GiB). One that holds nothing, as the last block of BGZF, has a CRC-32 of NUL bytes, too, behind the end of an
/// empty block of deflate: `03 00`, or `ff ff` if it is stored.
fn ends_in_padding(part: &Part) -> Result<bool, Error> {
    let last: [u8; 10] = last_bytes(part)?;
    let zeros = last.iter().rev().take_while(|&&byte| byte == 0).count();
    let is_empty_member = match zeros {
        8 => last[..2] == [0xff; 2],
        9 => last[0] == 3,
        _ => false,
    };
    Ok(zeros >= 4 && !is_empty_member)
}

/// The bytes that a file ends with, which has as many.
fn last_bytes<const N: usize>(part: &Part) -> Result<[u8; N], Error> {
    let mut last = [0; N];
    let mut file = &part.file;
    file.seek(SeekFrom::End(-(N as i64)))
        .and_then(|_| file.read_exact(&mut last))
        .and_then(|()| file.seek(SeekFrom::Start(0)))
        .map_err(|error| Error::io(&part.plan.path, error))?;
    Ok(last)
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
        "without --join, `cat` reads such files, and packs them anew",
    )
}

fn refuse_unlike(first: &FilePlan, other: &FilePlan) -> Result<(), Fault> {
    let unlike = |one: &str, two: &str| {
        format!(
            "{} is {one}, and {} is {two}",
            first.path.display(),
            other.path.display()
        )
    };
    if first.compression != other.compression {
        return Err(refused(unlike(first.compression, other.compression)));
    }
    match first.format.has_qualities() == other.format.has_qualities() {
        true => Ok(()),
        false => Err(Fault::usage(
            unlike(first.format_name, other.format_name),
            "concatenate files of one format; `thalweg cat --fasta` writes both as FASTA",
        )),
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

fn index_error(path: &Path, error: thalweg_gzip::index::IndexError) -> Error {
    Error::new(ErrorKind::Index(error)).in_file(path)
}

fn join_indexes(indexes: &[Index], parts: &[Part], whole: &Path) -> Result<Index, Error> {
    let identity = IndexedFile {
        compressed_size: 0,
        blake3: None,
        head_tail: Some(fingerprint(parts)?),
    };
    Index::join(indexes, identity).map_err(|error| index_error(whole, error))
}

/// That of the files behind one another.
fn fingerprint(parts: &[Part]) -> Result<[u8; 16], Error> {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    for part in parts {
        let room = FINGERPRINT_SPAN - head.len() as u64;
        head.extend(some(part, 0, part.bytes.min(room))?);
    }
    for part in parts.iter().rev() {
        let length = part.bytes.min(FINGERPRINT_SPAN - tail.len() as u64);
        let mut before = some(part, part.bytes - length, length)?;
        before.append(&mut tail);
        tail = before;
    }
    let size = parts.iter().map(|part| part.bytes).sum();
    Ok(IndexedFile::fingerprint(size, &head, &tail))
}

/// Bytes of a file.
fn some(part: &Part, from: u64, length: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; length as usize];
    let read = part.file.read_exact_at(&mut bytes, from);
    read.map_err(|error| Error::io(&part.plan.path, error))?;
    Ok(bytes)
}
