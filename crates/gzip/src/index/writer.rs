//! A `.thw` file that grows on disk and appears under its name only when it is whole.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use thalweg_files::{Unfinished, Whole};

use super::windows::Entry;
use super::{Checkpoint, EncodedWindow, IndexError, References, Summary, thw, validate};

/// Writes a `.thw` file checkpoint by checkpoint.
///
/// Windows go to an [unfinished](Unfinished) file in the same directory as they come, so that memory holds only some 70
/// bytes per checkpoint. It gets its name in [`IndexWriter::finish`].
#[derive(Debug)]
pub struct IndexWriter {
    path: PathBuf,
    file: BufWriter<Unfinished>,
    checkpoints: Vec<Checkpoint>,
    entries: Vec<Entry>,
    position: u64,
}

impl IndexWriter {
    /// Creates the file that will be `path`.
    ///
    /// # Errors
    /// [`IndexError::Io`] if the directory does not exist or cannot be written.
    pub fn create(path: &Path) -> Result<IndexWriter, IndexError> {
        let mut file = create(path)?;
        let header = thw::header();
        file.write_all(&header)
            .map_err(|error| IndexError::io(path, "write", error))?;
        Ok(IndexWriter {
            path: path.to_path_buf(),
            file,
            checkpoints: Vec::new(),
            entries: Vec::new(),
            position: header.len() as u64,
        })
    }

    /// Adds the next checkpoint, in file order; see [`IndexBuilder::push`](super::IndexBuilder::push).
    ///
    /// # Errors
    /// [`IndexError::Io`], for example when the disk is full.
    pub fn push(
        &mut self,
        checkpoint: Checkpoint,
        window: &[u8],
        references: Option<&References>,
    ) -> Result<(), IndexError> {
        self.push_encoded(checkpoint, &EncodedWindow::encode(window, references))
    }

    /// As [`IndexWriter::push`], with a window that was encoded elsewhere, perhaps on another thread.
    ///
    /// # Errors
    /// [`IndexError::Io`], for example when the disk is full.
    pub fn push_encoded(
        &mut self,
        checkpoint: Checkpoint,
        window: &EncodedWindow,
    ) -> Result<(), IndexError> {
        let bytes = window.as_bytes();
        self.file
            .write_all(bytes)
            .map_err(|error| IndexError::io(&self.path, "write", error))?;
        let length = bytes.len() as u32;
        self.entries.push(Entry {
            offset: self.position,
            length,
            crc32: crc32fast::hash(bytes),
        });
        self.position += u64::from(length);
        self.checkpoints.push(checkpoint);
        Ok(())
    }

    /// Number of checkpoints so far.
    pub fn len(&self) -> usize {
        self.checkpoints.len()
    }

    /// Whether there are no checkpoints yet.
    pub fn is_empty(&self) -> bool {
        self.checkpoints.is_empty()
    }

    /// Writes the tables, makes the file durable and gives it its name; an older file of that name is replaced.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] if what was pushed breaks the rules that [`Index`](super::Index) states;
    /// [`IndexError::NotRepresentable`] if the metadata is larger than 16 MiB; [`IndexError::Io`]. The file under
    /// the final name is then as it was before.
    pub fn finish(self, summary: &Summary) -> Result<(), IndexError> {
        let path = self.path.clone();
        let named = self.seal(summary)?.name();
        named.map_err(|error| IndexError::io(&path, "write", error))
    }

    /// The same without its name, which it can get together with other files ([`thalweg_files::name_all`]).
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn seal(mut self, summary: &Summary) -> Result<Whole, IndexError> {
        validate::check(summary, &self.checkpoints)
            .map_err(|fault| fault.in_section("checkpoints"))?;
        let body = thw::body(summary, &self.checkpoints, &self.entries)?;
        let write = self
            .file
            .write_all(&body)
            .and_then(|()| self.file.write_all(&thw::footer(self.position)));
        write.map_err(|error| IndexError::io(&self.path, "write", error))?;
        seal(self.file)
    }
}

/// A new, empty file that will be `path`.
pub(super) fn create(path: &Path) -> Result<BufWriter<Unfinished>, IndexError> {
    let file = Unfinished::create(path).map_err(|error| IndexError::io(path, "create", error))?;
    Ok(BufWriter::new(file))
}

/// Writes what waits, and makes the file durable.
fn seal(file: BufWriter<Unfinished>) -> Result<Whole, IndexError> {
    let path = file.get_ref().path().to_path_buf();
    let seal = || file.into_inner()?.seal(true);
    seal().map_err(|error| IndexError::io(&path, "write", error))
}

/// The same, and gives it its name.
pub(super) fn finish(file: BufWriter<Unfinished>) -> Result<(), IndexError> {
    let path = file.get_ref().path().to_path_buf();
    let named = seal(file)?.name();
    named.map_err(|error| IndexError::io(&path, "write", error))
}
