//! A `.thw` file that grows on disk and appears under its name only when it is whole.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::windows::Entry;
use super::{Checkpoint, EncodedWindow, IndexError, References, Summary, thw, validate};

/// Writes a `.thw` file checkpoint by checkpoint.
///
/// Windows go to a file without a name in the same directory as they come, so that memory holds only some 70 bytes
/// per checkpoint and an interrupted process leaves nothing. It is copied to a temporary name, and that renamed, in
/// [`IndexWriter::finish`]: indexes are small.
#[derive(Debug)]
pub struct IndexWriter {
    path: PathBuf,
    file: BufWriter<File>,
    checkpoints: Vec<Checkpoint>,
    entries: Vec<Entry>,
    position: u64,
}

impl IndexWriter {
    /// Creates the nameless file beside `path`.
    ///
    /// # Errors
    /// [`IndexError::Io`] if the directory does not exist or cannot be written.
    pub fn create(path: &Path) -> Result<IndexWriter, IndexError> {
        let file = tempfile::tempfile_in(directory(path))
            .map_err(|error| IndexError::io(path, "create", error))?;
        let mut file = BufWriter::new(file);
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
    pub fn finish(mut self, summary: &Summary) -> Result<(), IndexError> {
        validate::check(summary, &self.checkpoints)
            .map_err(|fault| fault.in_section("checkpoints"))?;
        let body = thw::body(summary, &self.checkpoints, &self.entries)?;
        let write = self
            .file
            .write_all(&body)
            .and_then(|()| self.file.write_all(&thw::footer(self.position)));
        write.map_err(|error| IndexError::io(&self.path, "write", error))?;
        let mut file = self
            .file
            .into_inner()
            .map_err(|error| IndexError::io(&self.path, "write", error.into_error()))?;
        let mut named = create_beside(&self.path)?;
        file.rewind()
            .and_then(|()| std::io::copy(&mut file, named.as_file_mut()))
            .map_err(|error| IndexError::io(&self.path, "write", error))?;
        persist(named, &self.path)
    }
}

/// A new, empty file in the directory of `path`, removed when it is dropped.
pub(super) fn create_beside(path: &Path) -> Result<NamedTempFile, IndexError> {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    // Temporary files are private by default; an index is as public as the user's umask makes any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder
        .tempfile_in(directory(path))
        .map_err(|error| IndexError::io(path, "create", error))
}

/// Makes the file durable and gives it its name.
pub(super) fn persist(file: NamedTempFile, path: &Path) -> Result<(), IndexError> {
    file.as_file()
        .sync_all()
        .map_err(|error| IndexError::io(path, "write", error))?;
    file.persist(path)
        .map_err(|error| IndexError::io(path, "write", error.error))?;
    // Makes the new name durable, too. Some file systems cannot do that to a directory, and the file is whole anyway.
    #[cfg(unix)]
    let _ = std::fs::File::open(directory(path)).and_then(|directory| directory.sync_all());
    Ok(())
}

fn directory(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}
