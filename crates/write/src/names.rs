//! Names of files: the temporary, the final, and none at all.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::{AT_FDCWD, AtFlags, OFlag};
use tempfile::{NamedTempFile, TempPath};

/// Let the names of files outlive a power failure, too, where that is possible.
pub(crate) fn sync_directories<'a>(files: impl Iterator<Item = &'a Path>) {
    for directory in files.map(directory_of).collect::<BTreeSet<_>>() {
        if let Ok(directory) = File::open(directory) {
            let _ = directory.sync_all();
        }
    }
}

/// Whether `path` is a name of the standard output: `-`, or one that Linux has for it. If that is a file, what is written
/// goes where the one who opened it is, and does not replace it.
pub fn is_standard_output(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .iter()
        .any(|name| path == Path::new(name))
}

/// Whether `path` is the standard output, or a pipe or device that is there: something that is written to in order, and
/// that is never replaced by a file.
pub fn is_stream(path: &Path) -> bool {
    let is_other = |data: fs::Metadata| !data.is_file() && !data.is_dir();
    is_standard_output(path) || fs::metadata(path).is_ok_and(is_other)
}

/// Where a file will be that is written to `path`: its one name, however it was spelled.
///
/// A link stays: what it points to is written, whether that is there or not. Links
/// among the directories are followed now, so that the file goes to the same
/// directory when it gets its name. `path` itself, if its directory cannot be found.
pub fn resolve(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let Ok(resolved) = fs::canonicalize(&path) {
            return resolved;
        }
        let directory = fs::canonicalize(directory_of(&path));
        let (Ok(directory), Some(name)) = (directory, path.file_name()) else {
            break;
        };
        let resolved = directory.join(name);
        // What is there without a name of its own is a pipe behind /dev/stdout.
        match fs::read_link(&resolved) {
            Ok(target) if fs::metadata(&resolved).is_err() => path = directory.join(target),
            _ => return resolved,
        }
    }
    path
}

/// Linux follows no more links than this, either.
const LINKS: usize = 40;

/// The directory of a path, `.` if it names none.
pub fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

/// A file without a name, in the directory of `path`.
pub(crate) fn create_unnamed(path: &Path) -> io::Result<File> {
    fs::OpenOptions::new()
        .write(true)
        .mode(0o666)
        .custom_flags(OFlag::O_TMPFILE.bits())
        .open(directory_of(path))
}

/// A file with a temporary name in the directory of `path`, with the permissions
/// that the user's umask gives any other file.
pub(crate) fn create_named(path: &Path) -> io::Result<NamedTempFile> {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(path.file_name().unwrap_or_default());
    prefix.push(".");
    tempfile::Builder::new()
        .prefix(&prefix)
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(directory_of(path))
        .map_err(|error| {
            // `tempfile` says its path behind what happened; the caller knows a better one.
            match error.to_string().rsplit_once(" at path \"") {
                Some((cause, _)) => io::Error::new(error.kind(), cause),
                None => error,
            }
        })
}

/// Give an unnamed file its name. A name that is taken cannot be linked to, so the
/// file gets a temporary one first and is renamed: both take microseconds.
pub(crate) fn name(file: &File, path: &Path, overwrite: bool) -> io::Result<()> {
    let itself = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let link = |to: &Path| {
        nix::unistd::linkat(AT_FDCWD, &itself, AT_FDCWD, to, AtFlags::AT_SYMLINK_FOLLOW)
            .map_err(io::Error::from)
    };
    match link(path) {
        Err(error) if overwrite && error.kind() == io::ErrorKind::AlreadyExists => {
            let temporary = create_named(path)?.into_temp_path();
            fs::remove_file(&temporary)?;
            link(&temporary)?;
            persist(temporary, path, overwrite)
        }
        outcome => outcome,
    }
}

pub(crate) fn persist(temporary: TempPath, path: &Path, overwrite: bool) -> io::Result<()> {
    if overwrite {
        temporary.persist(path).map_err(|error| error.error)
    } else {
        temporary
            .persist_noclobber(path)
            .map_err(|error| error.error)
    }
}

/// Close with the failure that std drops: where data are sent only now, as on NFS,
/// a full disk shows itself here.
pub(crate) fn close(file: File) -> io::Result<()> {
    nix::unistd::close(OwnedFd::from(file)).map_err(io::Error::from)
}
