//! The index of a compressed file, as data: where decoding can start, which record comes next, and what is needed to
//! start there.
//!
//! Nothing in here decodes the compressed file. Whoever does pushes what it finds into an [`IndexBuilder`] (all in
//! memory, can be thinned) or an [`IndexWriter`] (windows go to the file as they come); whoever reads opens an
//! [`Index`] and asks it for checkpoints and windows.
//!
//! Three formats are understood, told apart by content: `.thw` (ours, specified in `docs/formats/index.md`), `.mim`
//! version 0 (read and written) and BGZF's `.gzi` (read and written, see [`gzi`]).
//!
//! Modules, in the order of the data's flow:
//! * `checkpoint`: one place where decoding can start;
//! * `window`: the coding of the bytes before a checkpoint;
//! * `builder`, `writer`: from pushes to an index in memory or in a file;
//! * `join`: from the indexes of files to that of all of them behind one another;
//! * `thw`, `mim`, [`gzi`]: the formats;
//! * `validate`: the rules that every index obeys, whoever wrote it.

mod builder;
mod checkpoint;
mod column;
mod cursor;
mod error;
pub mod gzi;
mod join;
mod mim;
mod source;
mod summary;
mod thw;
mod validate;
mod window;
mod windows;
mod writer;

use std::path::Path;
use std::sync::Arc;

use thalweg_files::ReadAt;

use thalweg_formats::FileFormat;

pub use builder::IndexBuilder;
pub use checkpoint::Checkpoint;
pub use error::IndexError;
pub use summary::{Container, FINGERPRINT_SPAN, IndexedFile, Summary};
pub use window::{EncodedWindow, References, WINDOW_SIZE};
pub use writer::IndexWriter;

use source::Source;
use windows::Windows;

/// Which format an [`Index`] came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Built in this process by an [`IndexBuilder`].
    Built,
    /// Read from a `.thw` file.
    Thw,
    /// Read from a `.mim` file.
    Mim,
    /// Read from a `.gzi` file: no record information, no hash, and sizes only after [`Index::set_sizes`].
    Gzi,
}

/// An index of one gzip or BGZF file.
///
/// Cheap to share between threads: [`Index::window`] takes `&self` and reads the index file at a position, without a
/// cursor. Every index obeys these rules, checked when it is read, built or written: bit offsets increase strictly;
/// uncompressed offsets, ranks and record offsets never decrease; all lie within the sizes; `record_offset` is at or
/// after `output_offset`; equal ranks mean equal record offsets.
#[derive(Debug)]
#[non_exhaustive]
pub struct Index {
    /// Which compressed file this is the index of.
    pub identity: IndexedFile,
    /// How the compressed file is framed.
    pub container: Container,
    /// How the records are written; `None` of any other format, or if it is not known.
    pub record_format: Option<FileFormat>,
    /// Whether `record_count` and the record fields of the checkpoints mean anything.
    pub has_records: bool,
    /// Uncompressed bytes of the whole file, over all members.
    pub output_size: u64,
    /// Records in the whole file; 0 if `has_records` is false.
    pub record_count: u64,
    /// What the user stored with the index.
    pub metadata: Option<serde_json::Value>,
    /// Places where decoding can start, in file order.
    pub checkpoints: Vec<Checkpoint>,
    /// The format that this index was read from.
    pub origin: Origin,
    windows: Windows,
}

impl Index {
    /// Opens an index file of any known format, told by its content.
    ///
    /// Reads everything but the windows of a `.thw` file, which stay in the file until [`Index::window`] asks for
    /// one; the file stays open. The windows of a `.mim` file are one compressed stream, so they are read at once and
    /// kept in memory, re-encoded (about 10 KB each: nothing says which bytes could go).
    ///
    /// # Errors
    /// [`IndexError::Io`] names the file; [`IndexError::NotAnIndex`], [`IndexError::TooNew`] and
    /// [`IndexError::Damaged`] say what is wrong with it. Never panics, and allocates no more than a small multiple
    /// of the file's size, whatever the content.
    pub fn open(path: &Path) -> Result<Index, IndexError> {
        Self::read(Source::open(path)?)
    }

    /// Reads an index from memory: as [`Index::open`], for indexes that came over a network or from a fuzzer.
    ///
    /// # Errors
    /// As [`Index::open`], except that there is no file to fail.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Index, IndexError> {
        Self::from_source(Arc::new(bytes), Path::new(""))
    }

    /// Reads an index from whatever can be read at any place; `path` is for messages only. As [`Index::open`] else.
    ///
    /// # Errors
    /// As [`Index::open`].
    pub fn from_source(source: Arc<dyn ReadAt>, path: &Path) -> Result<Index, IndexError> {
        Self::read(Source::new(source, path)?)
    }

    /// Number of chunks; chunk `i` runs from checkpoint `i` to checkpoint `i + 1` or the end of the file.
    pub fn chunks(&self) -> usize {
        self.checkpoints.len()
    }

    /// Fills `window` with the bytes right before a checkpoint and returns how many there are.
    ///
    /// The bytes are right-aligned: with a return value of `n` they are `window[32768 - n..]`, and the rest is zero.
    /// `n` is 0 where a member starts and 32,768 in most other places. Bytes that no later data refers to may be
    /// zeros instead of what the file has there. Costs one positioned read, and little besides.
    ///
    /// # Errors
    /// [`IndexError::NoSuchCheckpoint`]; [`IndexError::Damaged`] if the stored window fails its checksum;
    /// [`IndexError::Io`].
    pub fn window(
        &self,
        checkpoint: usize,
        window: &mut [u8; WINDOW_SIZE],
    ) -> Result<usize, IndexError> {
        if checkpoint >= self.checkpoints.len() {
            return Err(IndexError::NoSuchCheckpoint {
                checkpoint,
                checkpoints: self.checkpoints.len(),
            });
        }
        let length = self.windows.decode(checkpoint, window)?;
        if length as u64 > self.checkpoints[checkpoint].output_offset {
            let reason =
                format!("the window of checkpoint {checkpoint} reaches back past the start");
            return Err(IndexError::damaged("windows", 0, reason));
        }
        Ok(length)
    }

    /// The chunk whose batch holds the record of this rank: the one in which the record starts.
    ///
    /// `None` if the file has no such record or the index knows nothing of records. O(log chunks).
    pub fn chunk_of_record(&self, rank: u64) -> Option<usize> {
        if !self.has_records || rank >= self.record_count {
            return None;
        }
        self.checkpoints
            .partition_point(|checkpoint| checkpoint.record_rank <= rank)
            .checked_sub(1)
    }

    /// The uncompressed offset at which a chunk ends.
    ///
    /// # Panics
    /// If there is no such chunk.
    pub fn chunk_end(&self, chunk: usize) -> u64 {
        assert!(
            chunk < self.checkpoints.len(),
            "chunk {chunk} of {}",
            self.checkpoints.len()
        );
        self.checkpoints
            .get(chunk + 1)
            .map_or(self.output_size, |next| next.output_offset)
    }

    /// Returns whether a chunk that starts within a member has no checksum, as in indexes of other programs: if its window is wrong, only
    /// the checksum of the whole member shows it.
    pub fn lacks_checksums(&self) -> bool {
        let mut checkpoints = self.checkpoints.iter().enumerate();
        checkpoints
            .any(|(number, checkpoint)| checkpoint.crc32.is_none() && self.windows.has(number))
    }

    /// Bytes that the windows occupy in their stored form.
    pub fn windows_size(&self) -> u64 {
        self.windows.stored_size()
    }

    /// Supplies the sizes that a `.gzi` file does not hold.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] if a checkpoint lies outside them.
    pub fn set_sizes(&mut self, compressed_size: u64, output_size: u64) -> Result<(), IndexError> {
        let mut summary = self.summary();
        summary.identity.compressed_size = compressed_size;
        summary.output_size = output_size;
        validate::check(&summary, &self.checkpoints)
            .map_err(|fault| fault.in_section("checkpoints"))?;
        self.identity.compressed_size = compressed_size;
        self.output_size = output_size;
        Ok(())
    }

    /// Writes the index as a `.thw` file, which appears under `path` only when it is whole.
    ///
    /// # Errors
    /// [`IndexError::Io`] if the directory cannot be written; nothing is left behind. [`IndexError::Damaged`] if the
    /// index breaks its own rules (the fields are public) or a window cannot be read.
    pub fn write(&self, path: &Path) -> Result<(), IndexError> {
        self.writer(path)?.finish(&self.summary())
    }

    /// The same file whole, but without its name, which it can get together with other files
    /// ([`thalweg_files::name_all`]); gone when it is dropped.
    ///
    /// # Errors
    /// As [`Index::write`].
    pub fn seal(&self, path: &Path) -> Result<thalweg_files::Whole, IndexError> {
        self.writer(path)?.seal(&self.summary())
    }

    fn writer(&self, path: &Path) -> Result<IndexWriter, IndexError> {
        let mut writer = IndexWriter::create(path)?;
        for (number, checkpoint) in self.checkpoints.iter().enumerate() {
            writer.push_encoded(*checkpoint, &self.windows.encoded(number)?)?;
        }
        Ok(writer)
    }

    /// Writes the index as a `.mim` file of version 0, which appears under `path` only when it is whole.
    ///
    /// # Errors
    /// [`IndexError::NotRepresentable`] without record information or without the hash of the compressed file, both
    /// of which the format demands; otherwise as [`Index::write`].
    pub fn write_mim(&self, path: &Path) -> Result<(), IndexError> {
        mim::write(self, path)
    }

    /// Everything but the checkpoints and windows.
    pub fn summary(&self) -> Summary {
        Summary {
            identity: self.identity.clone(),
            container: self.container,
            record_format: self.record_format,
            has_records: self.has_records,
            output_size: self.output_size,
            record_count: self.record_count,
            metadata: self.metadata.clone(),
        }
    }

    fn read(source: Source) -> Result<Index, IndexError> {
        let mut magic = [0; 8];
        let available = source.len().min(8) as usize;
        source.read_exact_at(&mut magic[..available], 0)?;
        if magic == thw::MAGIC {
            thw::read(source)
        } else if magic == mim::MAGIC {
            mim::read(&source)
        } else {
            gzi::read_index(&source)
        }
    }

    fn assemble(
        summary: Summary,
        checkpoints: Vec<Checkpoint>,
        windows: Windows,
        origin: Origin,
    ) -> Index {
        Index {
            identity: summary.identity,
            container: summary.container,
            record_format: summary.record_format,
            has_records: summary.has_records,
            output_size: summary.output_size,
            record_count: summary.record_count,
            metadata: summary.metadata,
            checkpoints,
            origin,
            windows,
        }
    }
}

/// Whether a file whose first 8 bytes are `start` is meant to be a `.thw` or a `.mim` index, sound or not.
///
/// A `.gzi` has no magic bytes.
pub fn is_index(start: &[u8]) -> bool {
    start.starts_with(&thw::MAGIC) || start.starts_with(&mim::MAGIC)
}
