//! A file that has no name yet, or where the file system has no such files, a temporary one.
//!
//! `thalweg-write` has the like for text; neither crate knows the other.

use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::TempPath;

/// Dropped before it is named, it leaves nothing; of a process that is killed, what had a temporary name stays.
#[derive(Debug)]
pub(super) struct Unfinished {
    pub(super) file: File,
    temporary: Option<TempPath>,
}

impl Unfinished {
    /// In the directory of `path`, with the permissions that the user's umask gives any other file.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        if let Ok(file) = create_unnamed(path) {
            return Ok(Self {
                file,
                temporary: None,
            });
        }
        let (file, temporary) = create_named(path)?.into_parts();
        Ok(Self {
            file,
            temporary: Some(temporary),
        })
    }

    /// Gives it its name; an older file of that name is replaced.
    pub(super) fn name(self, path: &Path) -> io::Result<()> {
        match self.temporary {
            Some(temporary) => temporary.persist(path).map_err(|error| error.error),
            None => name(&self.file, path),
        }
    }
}

fn create_named(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix);
    // Temporary files are private by default; a database is as public as the umask makes any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(super::directory(path))
}

#[cfg(target_os = "linux")]
fn create_unnamed(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // It is named by way of this.
    std::fs::metadata("/proc/self/fd")?;
    std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .mode(0o666)
        .custom_flags(nix::fcntl::OFlag::O_TMPFILE.bits())
        .open(super::directory(path))
}

/// A name that is taken cannot be linked to: the file gets a temporary one first, and is renamed.
#[cfg(target_os = "linux")]
fn name(file: &File, path: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use std::os::fd::AsRawFd;
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |to: &Path| {
        nix::unistd::linkat(AT_FDCWD, &*itself, AT_FDCWD, to, AtFlags::AT_SYMLINK_FOLLOW)
            .map_err(io::Error::from)
    };
    match link(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let temporary = create_named(path)?.into_temp_path();
            std::fs::remove_file(&temporary)?;
            link(&temporary)?;
            temporary.persist(path).map_err(|error| error.error)
        }
        outcome => outcome,
    }
}

#[cfg(not(target_os = "linux"))]
fn create_unnamed(_path: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(target_os = "linux"))]
fn name(_file: &File, _path: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Also as on file systems that have no files without names.
    #[test]
    fn what_is_not_named_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let names = || {
            let entries = std::fs::read_dir(directory.path()).unwrap();
            let mut names = Vec::from_iter(entries.map(|entry| entry.unwrap().file_name()));
            names.sort();
            names
        };
        let named = || {
            let (file, temporary) = create_named(&path).unwrap().into_parts();
            Unfinished {
                file,
                temporary: Some(temporary),
            }
        };
        let create = || Unfinished::create(&path).unwrap();
        for (i, create) in [&named as &dyn Fn() -> Unfinished, &create]
            .into_iter()
            .cycle()
            .take(4)
            .enumerate()
        {
            let before = names();
            drop(create());
            assert_eq!(names(), before);
            let mut unfinished = create();
            assert_eq!(names().len() > before.len(), unfinished.temporary.is_some());
            write!(unfinished.file, "{i}").unwrap();
            unfinished.name(&path).unwrap();
            assert_eq!(names(), ["a"]);
            assert_eq!(std::fs::read(&path).unwrap(), i.to_string().as_bytes());
        }
    }
}
