//! Opening a file: what it is, and the index beside it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thalweg_files::ReadFrom;
use thalweg_formats::{
    BINARY_FORMATS, BinaryFormat, FileFormat, FileKind, FormatError, Records, Rendered, Scanner,
    is_colour_space,
};
use thalweg_gzip::Event;
use thalweg_gzip::index::{FINGERPRINT_SPAN, Index, IndexedFile};

use crate::batch::BufferPool;
use crate::bytes::{Bytes, sequential};
use crate::file::{Handle, InputFile};
use crate::first_mates::FirstMates;
use crate::index_places::{FoundIndex, index_of};
use crate::{Compression, Error, ErrorKind, Format, FormatErrorKind, sniff};

/// What to do about the index beside a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IndexUse {
    /// Use the one that [`find_index`](crate::find_index) finds, if there is one.
    #[default]
    Auto,
    /// Read as if there were none.
    Never,
    /// It is an error if there is none.
    Require,
    /// Use this one, which lies somewhere else.
    At(PathBuf),
}

/// What a file is looked at for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expected<'a> {
    /// All bytes are wanted, and no records.
    pub(crate) text: bool,
    /// Of files that are not text, their records' are wanted: what is in the files are reads.
    pub(crate) rendered: bool,
    /// Formats of records that the caller knows.
    pub(crate) formats: &'a [&'static dyn BinaryFormat],
}

impl Expected<'_> {
    pub(crate) const RECORDS: Self = Self {
        text: false,
        rendered: false,
        formats: &[],
    };

    pub(crate) const TEXT: Self = Self {
        text: true,
        rendered: false,
        formats: &[],
    };
}

/// Which index is used, and where it is looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexSearch<'a> {
    pub(crate) index_use: &'a IndexUse,
    /// Where else than beside the file.
    pub(crate) directory: Option<&'a Path>,
}

impl IndexSearch<'_> {
    pub(crate) const NONE: Self = Self {
        index_use: &IndexUse::Never,
        directory: None,
    };
}

/// Bytes of the first record's name line that are kept: the longest in use have
/// some hundred.
const FIRST_HEAD: usize = 1024;

/// The first line without its marker.
fn first_head(data: &[u8]) -> Vec<u8> {
    let line = data.split(|byte| *byte == b'\n').next().unwrap_or(&[]);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let head = line.get(1..).unwrap_or(&[]);
    head[..head.len().min(FIRST_HEAD)].to_vec()
}

/// Records whose names are taken of data that are no text.
const RENDERED_HEADS: usize = 64;

/// Header lines of the first records of a file.
#[derive(Default)]
struct FirstHeads {
    lines: Vec<Vec<u8>>,
    /// True if a record after these has a fault, which whoever reads it reports: more data give no more lines.
    has_fault: bool,
}

/// The header lines of the first records of such a file, at most so many; none where a header of the file is longer than
/// `data`.
fn rendered_heads(format: FileFormat, data: &[u8], most: usize) -> Result<FirstHeads, FormatError> {
    let (mut header, mut ends, mut rendered) = (format.header(), Vec::new(), Rendered::default());
    let from = header.pass(data, false)?;
    if !header.is_over() {
        return Ok(FirstHeads::default());
    }
    // What was found before a fault counts.
    let scanned = Scanner::new(format).scan(data, from, false, most, &mut ends);
    format.render(data, &ends, &mut rendered)?;
    let (text, lines) = (rendered.text(), rendered.ends());
    let records = Records::new(text, 0, format.text_format(), lines);
    let short = |head: &[u8]| head[..head.len().min(FIRST_HEAD)].to_vec();
    Ok(FirstHeads {
        lines: records.heads().map(short).collect(),
        has_fault: scanned.is_err(),
    })
}

/// Bytes of data whose records are looked for behind a header, which is of so many at most: that of BAM may name each scaffold of
/// a draft genome.
const LONGEST_HEADER: usize = 64 << 20;

/// Uncompressed bytes looked at to tell the format of a regular file: enough
/// to meet a wrapped record behind some short ones.
const PREFIX: usize = 64 * 1024;

/// The same of a stream, which may have a writer that waits for us elsewhere.
const STREAM_PREFIX: usize = 4 * 1024;

/// Bytes from which the names of records are taken that tell how mates are named. The same of files and of streams, so
/// that both are judged alike.
const HEADS_SPAN: usize = STREAM_PREFIX;

/// Records whose names are taken in any case: with fewer, what numbers reads looks like what tells mates apart.
pub(crate) const LEAST_HEADS: usize = 2;

/// A file, what is in it, and its index.
pub(crate) struct OpenedFile {
    pub(crate) file: Arc<InputFile>,
    pub(crate) format: FileFormat,
    pub(crate) is_bgzf: bool,
    pub(crate) first_head: Vec<u8>,
    /// True if any of the first records has colours instead of bases.
    pub(crate) is_colour_space: bool,
    /// What the first records say of mates, where all others must agree.
    pub(crate) first_mates: Option<FirstMates>,
    pub(crate) index: Option<Arc<Index>>,
    /// Where that lies.
    pub(crate) index_path: Option<PathBuf>,
    /// The bytes that were looked at, ready to be read on sequentially.
    pub(crate) bytes: Bytes,
}

impl OpenedFile {
    pub(crate) fn new(
        handle: Handle,
        search: IndexSearch<'_>,
        expected: Expected<'_>,
        pool: &Arc<BufferPool>,
    ) -> Result<Self, Error> {
        let file = Arc::new(InputFile::new(handle)?);
        let found = find_index(&file, search)?;
        let mut bytes = sequential(&file, pool)?;
        let format = peek(&file, &mut bytes, expected)?;
        if file.regular().is_some() {
            file.check_end(format)?;
        }
        let first_head = match format {
            FileFormat::Text(_) => first_head(bytes.data()),
            FileFormat::Binary(_) => rendered_heads(format, bytes.data(), 1)
                .unwrap_or_default()
                .lines
                .pop()
                .unwrap_or_default(),
        };
        let is_colour_space = !expected.text && has_colours(format, bytes.data());
        let is_bgzf = matches!(&bytes, Bytes::Gzip(decoder) if decoder.is_bgzf());
        if let (Some(found), false) = (&found, expected.text) {
            check_format(&file, &found.index, format)?;
        }
        let (index, index_path) = found
            .map(|found| (Arc::new(found.index), found.path))
            .unzip();
        Ok(Self {
            file,
            format,
            is_bgzf,
            first_head,
            is_colour_space,
            first_mates: None,
            index,
            index_path,
            bytes,
        })
    }

    /// Returns whether the first records have first and second ones of pairs, in a format in which records say so.
    ///
    /// # Errors
    /// What reading on gave.
    pub(crate) fn tells_pairs(&mut self) -> Result<bool, Error> {
        let first_mates = self.look_at_mates()?;
        Ok(first_mates.is_some_and(FirstMates::are_pairs))
    }

    /// Returns which mates the first records are, in a format in which records say so; `None` if there are none. A header is passed
    /// over, whose length does not matter; what is wrong with the data is told by whoever reads them.
    ///
    /// # Errors
    /// What reading on gave.
    pub(crate) fn look_at_mates(&mut self) -> Result<Option<FirstMates>, Error> {
        let FileFormat::Binary(format) = self.format else {
            return Ok(None);
        };
        loop {
            let data = self.bytes.data();
            let is_over = self.bytes.event() == Some(Event::End) || data.len() >= LONGEST_HEADER;
            let mut header = self.format.header();
            let Ok(start) = header.pass(data, false) else {
                return Ok(None);
            };
            if header.is_over() {
                // The same of a file and of a pipe, however much of it is there.
                let looked_at = &data[..data.len().min(start + PREFIX)];
                let mut ends = Vec::new();
                // What was found before a fault counts.
                let scanned = format.scan(looked_at, start, false, RENDERED_HEADS, &mut ends);
                let has_enough = scanned.is_err()
                    || looked_at.len() == start + PREFIX
                    || ends.len() >= 2 * RENDERED_HEADS;
                if has_enough || is_over {
                    let records = ends.as_chunks::<2>().0;
                    let record = |&[first, last]: &[u32; 2]| &data[first as usize..=last as usize];
                    let mates = records.iter().map(record).map(|record| format.mate(record));
                    return Ok(FirstMates::of(mates));
                }
            }
            if is_over {
                return Ok(None);
            }
            if self.bytes.event() == Some(Event::Full) {
                self.bytes.make_room();
            }
            self.bytes.advance_alone(&self.file)?;
        }
    }

    /// The header lines of the first records, of what has been looked at.
    fn heads(&self, least: usize) -> FirstHeads {
        let data = &self.bytes.data()[..self.bytes.data().len().min(PREFIX)];
        if let FileFormat::Binary(_) = self.format {
            let of_fault = |_| FirstHeads {
                lines: Vec::new(),
                has_fault: true,
            };
            return rendered_heads(self.format, data, RENDERED_HEADS).unwrap_or_else(of_fault);
        }
        let mut heads = FirstHeads::default();
        let mut start = 0;
        let mut scanner = Scanner::new(self.format);
        let mut ends = Vec::new();
        while let Some(length) = data[start..].iter().position(|byte| *byte == b'\n')
            && (start + length < HEADS_SPAN || heads.lines.len() < least)
        {
            heads.lines.push(first_head(&data[start..]));
            ends.clear();
            scanner.reset();
            match scanner.scan(data, start, false, 1, &mut ends) {
                Ok(next) if !ends.is_empty() => start = next,
                outcome => {
                    heads.has_fault = outcome.is_err();
                    break;
                }
            }
        }
        heads
    }
}

/// Returns whether any of the first records of text has colours instead of bases: the same of files and of streams.
fn has_colours(format: FileFormat, data: &[u8]) -> bool {
    let FileFormat::Text(text_format) = format else {
        return false;
    };
    let is_whole = data.len() <= HEADS_SPAN;
    let data = &data[..data.len().min(HEADS_SPAN)];
    let mut ends = Vec::new();
    // What was found before a fault counts.
    let _ = Scanner::new(format).scan(data, 0, is_whole, usize::MAX, &mut ends);
    let mut records = Records::new(data, 0, text_format, &ends);
    records.any(|record| is_colour_space(&record.sequence()))
}

/// The header lines of the first records of files in step: those within [`HEADS_SPAN`], and `least` of each file if it has
/// so many within [`PREFIX`].
///
/// # Errors
/// What reading on of a stream gave.
pub(crate) fn first_heads(
    set: &mut [OpenedFile],
    least: usize,
) -> Result<Vec<Vec<Vec<u8>>>, Error> {
    loop {
        let heads: Vec<_> = set.iter().map(|opened| opened.heads(least)).collect();
        // A writer of several pipes waits for us at another one while nothing more can come of one with a fault.
        let lacks = |(opened, heads): &(&mut OpenedFile, &FirstHeads)| {
            let is_over = opened.bytes.event().is_some() || opened.bytes.data().len() >= PREFIX;
            heads.lines.len() < least && !heads.has_fault && !is_over
        };
        // The one with the fewest, as the writer of several pipes may wait for us at another.
        let poorest = set.iter_mut().zip(&heads).filter(lacks);
        match poorest.min_by_key(|(_, heads)| heads.lines.len()) {
            Some((opened, _)) => opened.bytes.advance_alone(&opened.file)?,
            None => return Ok(heads.into_iter().map(|heads| heads.lines).collect()),
        }
    }
}

/// Decode the first bytes and look at them.
///
/// If only `text` is wanted, bytes are bytes: but not those of a compressed file whose beginning is damaged, which
/// has NUL bytes, or a name that tells it.
pub(crate) fn peek(
    file: &Arc<InputFile>,
    bytes: &mut Bytes,
    expected: Expected<'_>,
) -> Result<FileFormat, Error> {
    let Expected {
        text,
        rendered,
        formats,
    } = expected;
    let enough = match file.regular() {
        Some(_) => PREFIX,
        None => STREAM_PREFIX,
    };
    while bytes.event().is_none() && bytes.data().len() < enough {
        bytes.advance_alone(file)?;
    }
    let at_end = bytes.event() == Some(Event::End);
    let mut known = formats.iter().chain(BINARY_FORMATS);
    if let Some(format) = known.find(|format| format.sniff(bytes.data())) {
        return Ok(FileFormat::Binary(*format));
    }
    let format = format_of(file, bytes.data(), at_end);
    if rendered && FileKind::of(bytes.data()) == Some(FileKind::SAM) {
        return format.map(FileFormat::from);
    }
    if file.compression() != Compression::None {
        return match text {
            true => Ok(format.unwrap_or(Format::Fastq).into()),
            false => format.map(FileFormat::from),
        };
    }
    // The same of a file and of a pipe, whatever more there is.
    let first = &bytes.data()[..bytes.data().len().min(STREAM_PREFIX)];
    // Who looks at records tells which one has such a byte, but for headers.
    let looked_at = match text {
        true => first,
        false => first.split(|&byte| byte == b'\n').next().unwrap_or(first),
    };
    let has_nul = memchr::memchr(0, looked_at).is_some();
    let is_named_compressed = is_plain_named_compressed(file);
    let is_binary = has_nul || is_named_compressed && FileKind::has_binary(first);
    match format {
        Ok(_) if is_binary => Err(of_other_kind(file, FileKind::BINARY)),
        Err(_) if text && !has_nul && !is_named_compressed => Ok(Format::Fastq.into()),
        format => format.map(FileFormat::from),
    }
}

/// The format of records that begin with `data`.
fn format_of(file: &InputFile, data: &[u8], at_end: bool) -> Result<Format, Error> {
    let kind = match Compression::sniff(data) {
        Compression::None => FileKind::of(data),
        _ => Some(FileKind::COMPRESSED_TWICE),
    };
    if let Some(kind) = kind {
        return Err(of_other_kind(file, kind));
    }
    sniff(data, at_end)
        .map_err(|error| {
            let offset = error.offset as u64;
            let is_of_record = error.kind == FormatErrorKind::LoneReturn;
            Error::new(ErrorKind::Format(error))
                .in_file(file.path())
                .at_record(is_of_record.then_some(0))
                .at_text_offset(offset)
        })
        .and_then(|format| match format {
            // Line ends alone are no compressed file.
            None if !data.is_empty() && is_plain_named_compressed(file) => {
                Err(of_other_kind(file, FileKind::BLANK))
            }
            // Without records any format will do.
            format => Ok(format.unwrap_or(Format::Fastq)),
        })
}

fn is_plain_named_compressed(file: &InputFile) -> bool {
    file.compression() == Compression::None && Compression::promised(file.path()).is_some()
}

fn of_other_kind(file: &InputFile, kind: FileKind) -> Error {
    let inside = file.compression();
    Error::new(ErrorKind::OtherKind { kind, inside }).in_file(file.path())
}

fn find_index(file: &InputFile, search: IndexSearch<'_>) -> Result<Option<FoundIndex>, Error> {
    let at_fault = |error| Error::new(ErrorKind::Index(error)).in_file(file.path());
    let path = match search.index_use {
        IndexUse::Never => return Ok(None),
        IndexUse::At(path) => {
            std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
            if file.regular().is_none() {
                // Nothing of it can be compared, nor begun in the middle.
                return Err(Error::new(ErrorKind::NotSeekable).in_file(file.path()));
            }
            Some(path.clone())
        }
        IndexUse::Auto | IndexUse::Require => index_of(file, search.directory)?,
    };
    let required = !matches!(search.index_use, IndexUse::Auto);
    let Some(path) = path else {
        // Plain files need none.
        return match (required, file.compression()) {
            (false, _) => Ok(None),
            (_, Compression::None) if Compression::promised(file.path()).is_none() => Ok(None),
            _ => Err(Error::new(ErrorKind::NoIndex).in_file(file.path())),
        };
    };
    let index = Index::open(&path).map_err(at_fault)?;
    if !index.has_records {
        return Err(Error::new(ErrorKind::NoRecordsInIndex).in_file(&path));
    }
    check_identity(file, &index)?;
    if index.checkpoints.is_empty() {
        // There is nothing to begin at, so nobody would look at the file. The indexes that we make all have one.
        return match required {
            true => Err(Error::new(ErrorKind::Unsupported(
                "an index without a checkpoint cannot share out records",
            ))
            .in_file(&path)),
            false => Ok(None),
        };
    }
    Ok(Some(FoundIndex { path, index }))
}

/// Refuse the index of another file, as far as that is cheap to see. What
/// slips through is caught by the checksum of each chunk.
fn check_identity(file: &InputFile, index: &Index) -> Result<(), Error> {
    let other = |what: String| Err(Error::new(ErrorKind::OtherFile(what)).in_file(file.path()));
    let size = file.size().unwrap_or(0);
    let indexed = index.identity.compressed_size;
    if indexed != 0 && indexed != size {
        return other(format!("{indexed} bytes were indexed, the file has {size}"));
    }
    if let Some(expected) = index.identity.head_tail
        && fingerprint(file)? != expected
    {
        return other("its first or last bytes differ".to_owned());
    }
    if file.compression() != Compression::Gzip {
        return other("that was gzip, this is not".to_owned());
    }
    Ok(())
}

/// [`IndexedFile::fingerprint`] of a regular file.
pub(crate) fn fingerprint(file: &InputFile) -> Result<[u8; 16], Error> {
    let at_fault = |error| Error::io(file.path(), error);
    let Some(open) = file.regular() else {
        return Err(Error::new(ErrorKind::NotSeekable).in_file(file.path()));
    };
    let size = file.size().unwrap_or(0);
    let read = |offset: u64| {
        let mut bytes = Vec::new();
        ReadFrom::new(Arc::clone(open), offset)
            .take(FINGERPRINT_SPAN)
            .read_to_end(&mut bytes)
            .map(|_| bytes)
    };
    let head = read(0).map_err(at_fault)?;
    let tail = read(size.saturating_sub(FINGERPRINT_SPAN)).map_err(at_fault)?;
    Ok(IndexedFile::fingerprint(size, &head, &tail))
}

fn check_format(file: &InputFile, index: &Index, format: FileFormat) -> Result<(), Error> {
    let same = match index.record_format {
        // Of wrapped records, the first ones may be on four lines.
        Some(FileFormat::Text(Format::FastqMultiline)) => {
            format == Format::Fastq || format == Format::FastqMultiline
        }
        Some(indexed) => format == indexed,
        // Indexes that do not say leave it to the checks of the reader.
        None => true,
    };
    if same || index.record_count == 0 {
        return Ok(());
    }
    Err(Error::new(ErrorKind::OtherFile(
        "it has records of another format".to_owned(),
    ))
    .in_file(file.path()))
}
