//! What names that a user gives stand for.

use std::fs;
use std::path::{Path, PathBuf};

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
