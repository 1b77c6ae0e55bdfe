//! A file that has no name yet, or where the file system has no such files, a temporary one.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::names::directory_of;
use crate::temporary_name::{TemporaryName, create_beside, prepare};

/// A file that appears under its name only when it is whole.
///
/// It lies in the directory of that name, with the permissions that the user's umask gives any other file, or those of the file
/// that it replaces. Dropped before
/// it is named, it leaves nothing. Nor does the end of the process, however it comes, where the file system has files without
/// names; elsewhere [`remove_unfinished`](crate::remove_unfinished) is to be called by who is told to end.
///
/// It is written to in order ([`Write`]), or by any number of threads at places of the open [`file`](Self::file). A failed
/// write is told once, by the call that failed.
///
/// ```
/// use std::io::Write;
/// use thalweg_files::Unfinished;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("counts.tsv");
/// let mut file = Unfinished::create(&path)?;
/// file.write_all(b"ACG\t3\n")?;
/// let whole = file.seal(true)?;
/// assert!(!path.exists());
/// whole.name()?;
/// assert_eq!(std::fs::read(&path)?, b"ACG\t3\n");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
    file: File,
    temporary: Option<TemporaryName>,
    replaces: bool,
    pending: Pending,
}

impl Unfinished {
    /// An empty file that will be `path`. A link of that name is replaced, not followed: see [`resolve`](crate::resolve).
    ///
    /// # Errors
    /// What the system said of the directory; [`AlreadyExists`](io::ErrorKind::AlreadyExists) if a pipe or device has the
    /// name, which no file is to replace.
    pub fn create(path: &Path) -> io::Result<Self> {
        check_replaceable(path)?;
        prepare();
        match create_unnamed(directory_of(path), 0o666) {
            Ok(file) => Ok(Self::new(path, file, None)),
            // Not all file systems have files without names, networked ones mostly not.
            Err(_) => Self::create_named(path),
        }
    }

    /// The same with a temporary name in any case, so that it need not stay open when it is whole: for very many.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_named(path: &Path) -> io::Result<Self> {
        check_replaceable(path)?;
        let (file, temporary) = create_beside(path)?;
        Ok(Self::new(path, file, Some(temporary)))
    }

    fn new(path: &Path, file: File, temporary: Option<TemporaryName>) -> Self {
        keep_mode(path, &file);
        Self {
            pending: Pending::new(),
            path: path.to_owned(),
            file,
            temporary,
            replaces: true,
        }
    }

    /// Whether it replaces an older file of its name when it gets it, as it does if nothing is said. Otherwise that is an error
    /// ([`AlreadyExists`](io::ErrorKind::AlreadyExists)).
    #[must_use]
    pub fn replacing(mut self, replaces: bool) -> Self {
        self.replaces = replaces;
        self
    }

    /// Its final name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open file, which can also be read.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Ends the writing. If it is to `outlive` a power failure, this waits for the disk. What can fail for lack of room
    /// has been done then, and it only lacks its name.
    ///
    /// # Errors
    /// What the system said. Where data are sent only when a file is closed, as on NFS, a full disk shows itself here.
    pub fn seal(self, outlive: bool) -> io::Result<Whole> {
        if outlive {
            self.file.sync_all()?;
        }
        let nameless = match self.temporary {
            Some(temporary) => {
                close(self.file)?;
                Nameless::Closed(temporary)
            }
            None => Nameless::Open(self.file),
        };
        Ok(Whole {
            path: self.path,
            nameless,
            replaces: self.replaces,
            outlives: outlive,
            _pending: self.pending,
        })
    }
}

/// What becomes of a file that is there keeps its permissions: whoever let others read or run it, or nobody, still does. What
/// cannot be kept is no reason to fail.
#[cfg(unix)]
fn keep_mode(path: &Path, file: &File) {
    use std::os::unix::fs::PermissionsExt;

    if let Ok(old) = std::fs::symlink_metadata(path)
        && old.is_file()
    {
        let mode = old.permissions().mode() & 0o777;
        let _ = file.set_permissions(std::fs::Permissions::from_mode(mode));
    }
}

#[cfg(not(unix))]
fn keep_mode(_path: &Path, _file: &File) {}

/// Files that lack their names yet.
static PENDING: AtomicUsize = AtomicUsize::new(0);

/// Files that have got theirs.
static NAMED: AtomicUsize = AtomicUsize::new(0);

/// How many files have got their names, if others still lack theirs: of 0, a process that ends now has written nothing that stays.
pub fn named_so_far() -> Option<usize> {
    // Whoever asks may be late by a file.
    (PENDING.load(Ordering::Relaxed) > 0).then(named)
}

/// How many files have got their names since the process began.
pub fn named() -> usize {
    NAMED.load(Ordering::Relaxed)
}

/// One of [`PENDING`].
#[derive(Debug)]
struct Pending;

impl Pending {
    fn new() -> Self {
        PENDING.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        PENDING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Other programs would find a file where they look for a pipe or device.
fn check_replaceable(path: &Path) -> io::Result<()> {
    let is_other = |data: std::fs::Metadata| {
        let kind = data.file_type();
        !(kind.is_file() || kind.is_dir() || kind.is_symlink())
    };
    match std::fs::symlink_metadata(path).is_ok_and(is_other) {
        true => Err(io::Error::new(
            io::ErrorKind::AlreadyExists,
            "a pipe or device has this name",
        )),
        false => Ok(()),
    }
}

impl Write for Unfinished {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn write_vectored(&mut self, slices: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.file.write_vectored(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file whose bytes are safe and that only lacks its name; gone when it is dropped.
#[derive(Debug)]
pub struct Whole {
    path: PathBuf,
    nameless: Nameless,
    replaces: bool,
    outlives: bool,
    _pending: Pending,
}

#[derive(Debug)]
enum Nameless {
    /// It would be gone if it were closed.
    Open(File),
    /// It has a temporary name.
    Closed(TemporaryName),
}

impl Whole {
    /// Its final name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name. If it is to outlive a power failure, so is the name, where the file system can do that to a
    /// directory.
    ///
    /// # Errors
    /// What the system said. The file did not appear then, unless the last to fail was to close it.
    pub fn name(self) -> io::Result<()> {
        name_all([self]).map_err(|error| error.source)
    }

    fn name_alone(self) -> io::Result<()> {
        match self.nameless {
            Nameless::Closed(temporary) => {
                temporary.persist(&self.path, self.replaces)?;
                NAMED.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
            Nameless::Open(file) => {
                link(&file, &self.path, self.replaces)?;
                NAMED.fetch_add(1, Ordering::Relaxed);
                close(file)
            }
        }
    }
}

/// Of several files that are whole, one did not get its name.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", path.display())]
pub struct NamingError {
    /// The name.
    pub path: PathBuf,
    /// What the system said.
    pub source: io::Error,
    /// The names of those that had theirs before, and have them still.
    pub named: Vec<PathBuf>,
}

/// Gives all of them their names, one behind the other: as closely as that can be, as all are whole before the first one gets
/// its name. Their directories are told to keep the names once they all have them.
///
/// # Errors
/// The first that failed, and which ones were named before. It and those behind it are gone.
pub fn name_all(files: impl IntoIterator<Item = Whole>) -> Result<(), NamingError> {
    let mut named = Vec::new();
    let mut directories = BTreeSet::new();
    let mut outcome = Ok(());
    for file in files {
        let path = file.path.clone();
        let outlives = file.outlives;
        match file.name_alone() {
            Ok(()) => {}
            Err(source) => {
                outcome = Err((path, source));
                break;
            }
        }
        if outlives {
            directories.insert(directory_of(&path).to_owned());
        }
        named.push(path);
    }
    #[cfg(unix)]
    for directory in directories {
        // Some file systems cannot do that to a directory, and the files are whole.
        let _ = File::open(directory).and_then(|directory| directory.sync_all());
    }
    outcome.map_err(|(path, source)| NamingError {
        path,
        source,
        named,
    })
}

/// A file without a name in `directory`, where the file system has such, and they can get one.
#[cfg(target_os = "linux")]
pub(crate) fn create_unnamed(directory: &Path, mode: u32) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // It is named by way of this.
    std::fs::metadata("/proc/self/fd")?;
    File::options()
        .read(true)
        .write(true)
        .mode(mode)
        .custom_flags(nix::fcntl::OFlag::O_TMPFILE.bits())
        .open(directory)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn create_unnamed(_directory: &Path, _mode: u32) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

/// A name that is taken cannot be linked to: the file gets a temporary one first, and is renamed.
#[cfg(target_os = "linux")]
fn link(file: &File, path: &Path, replaces: bool) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, AtFlags};
    use std::os::fd::AsRawFd;
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
    let link = |to: &Path| {
        nix::unistd::linkat(AT_FDCWD, &*itself, AT_FDCWD, to, AtFlags::AT_SYMLINK_FOLLOW)
            .map_err(io::Error::from)
    };
    match link(path) {
        Err(error) if replaces && error.kind() == io::ErrorKind::AlreadyExists => {
            crate::temporary_name::replace_by_link(path, link)
        }
        outcome => outcome,
    }
}

#[cfg(not(target_os = "linux"))]
fn link(_file: &File, _path: &Path, _replaces: bool) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Closes a file with the failure that std drops: where data are sent only now, as on NFS, a full disk shows itself here.
///
/// # Errors
/// What the system said.
#[cfg(unix)]
pub fn close(file: File) -> io::Result<()> {
    nix::unistd::close(std::os::fd::OwnedFd::from(file)).map_err(io::Error::from)
}

/// Closes a file; what is told of that on some systems is not here.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn close(file: File) -> io::Result<()> {
    drop(file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let name = |entry: io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
        let mut names = Vec::from_iter(entries.map(|entry| name(entry).into_string().unwrap()));
        names.sort();
        names
    }

    type Create = fn(&Path) -> io::Result<Unfinished>;

    /// Also as on file systems that have no files without names.
    const KINDS: [Create; 2] = [Unfinished::create_named, Unfinished::create];

    #[cfg(unix)]
    #[test]
    fn what_is_replaced_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for create in KINDS {
            for mode in [0o600, 0o644, 0o755, 0o666] {
                std::fs::write(&path, b"old").unwrap();
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
                let mut file = create(&path).unwrap();
                file.write_all(b"new").unwrap();
                assert_eq!(std::fs::read(&path).unwrap(), b"old");
                file.seal(false).unwrap().name().unwrap();
                assert_eq!(std::fs::read(&path).unwrap(), b"new");
                let found = std::fs::metadata(&path).unwrap().permissions().mode();
                assert_eq!(found & 0o777, mode);
            }
            std::fs::remove_file(&path).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        for create in KINDS {
            let error = create(&path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        }
        assert_eq!(names(directory.path()), ["socket"]);
    }

    #[test]
    fn what_is_not_named_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let names = || names(directory.path());
        for (i, create) in KINDS.into_iter().cycle().take(4).enumerate() {
            let before = names();
            drop(create(&path).unwrap());
            drop(create(&path).unwrap().seal(false).unwrap());
            assert_eq!(names(), before);
            let mut unfinished = create(&path).unwrap();
            assert_eq!(names().len() > before.len(), unfinished.temporary.is_some());
            write!(unfinished, "{i}").unwrap();
            unfinished.seal(true).unwrap().name().unwrap();
            assert_eq!(names(), ["a"]);
            assert_eq!(std::fs::read(&path).unwrap(), i.to_string().as_bytes());
        }
    }

    #[test]
    fn an_older_file_stays_if_it_is_to() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for create in KINDS {
            std::fs::write(&path, "older").unwrap();
            let unfinished = create(&path).unwrap().replacing(false);
            let error = unfinished.seal(false).unwrap().name().unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read(&path).unwrap(), b"older");
            assert_eq!(names(directory.path()), ["a"]);
        }
    }

    #[test]
    fn a_set_tells_which_ones_have_their_names() {
        let directory = tempfile::tempdir().unwrap();
        for create in KINDS {
            let paths = ["a", "b", "c", "d"].map(|name| directory.path().join(name));
            let whole = |path: &PathBuf| {
                let unfinished = create(path).unwrap().replacing(false);
                unfinished.seal(true).unwrap()
            };
            let files = paths.each_ref().map(whole);
            assert!(!paths[0].exists());
            // Somebody else was faster.
            std::fs::write(&paths[2], "").unwrap();
            let error = name_all(files).unwrap_err();
            assert_eq!(error.path, paths[2]);
            assert_eq!(error.named, paths[..2]);
            assert_eq!(names(directory.path()), ["a", "b", "c"]);
            for path in &paths[..3] {
                std::fs::remove_file(path).unwrap();
            }
            name_all(paths.each_ref().map(whole)).unwrap();
            assert_eq!(names(directory.path()), ["a", "b", "c", "d"]);
            for path in paths {
                std::fs::remove_file(path).unwrap();
            }
        }
    }

    /// Several writers, each at its places.
    #[cfg(unix)]
    #[test]
    fn threads_write_at_their_places() {
        use std::os::unix::fs::FileExt;
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        let unfinished = Unfinished::create(&path).unwrap();
        std::thread::scope(|scope| {
            for (at, text) in [(4, "EFGH"), (0, "ABCD")] {
                let file = unfinished.file();
                scope.spawn(move || file.write_all_at(text.as_bytes(), at).unwrap());
            }
        });
        unfinished.seal(true).unwrap().name().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"ABCDEFGH");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_are_those_of_other_files() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode();
        let other = directory.path().join("other");
        std::fs::write(&other, "").unwrap();
        for create in KINDS {
            let path = directory.path().join("a");
            let whole = create(&path).unwrap().seal(true).unwrap();
            whole.name().unwrap();
            assert_eq!(mode(&path), mode(&other));
        }
    }
}
