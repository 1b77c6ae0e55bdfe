//! Names that are not to outlive the process, and the list of them.
//!
//! Whoever makes such a name enters it under the same lock, so that [`remove_unfinished`] sees all there are. Most files
//! have no name until they are whole, and are not here.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tempfile::TempPath;

use crate::names::directory_of;

/// The names that there are now.
static NAMES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// What is to be done before there is one.
static PREPARE: OnceLock<fn()> = OnceLock::new();

/// Has `prepare` called each time before a temporary name or an [unfinished](crate::Unfinished) file is made, by the thread
/// that makes it: for a command that begins to wait for signals only when it has something to remove, or to tell. The first
/// call of this counts.
pub fn before_temporary_names(prepare: fn()) {
    let _ = PREPARE.set(prepare);
}

/// Removes everything that has a temporary name, for a process that ends now.
///
/// As long as what this returns is there, no such name is made or given up: who wants to waits. So nothing comes after
/// it, and whoever finds its file gone has no time to complain.
pub fn remove_unfinished() -> Ending {
    let names = lock();
    for name in names.iter() {
        let _ = fs::remove_file(name);
    }
    Ending { _names: names }
}

/// The same for a process that cannot wait, as it may be whoever makes such a name at this moment: nothing is removed then.
pub fn remove_unfinished_now() {
    if let Ok(names) = NAMES.try_lock() {
        for name in names.iter() {
            let _ = fs::remove_file(name);
        }
    }
}

/// Keeps temporary names from being made.
#[must_use = "what is made after it was dropped is not removed"]
#[derive(Debug)]
pub struct Ending {
    _names: MutexGuard<'static, BTreeSet<PathBuf>>,
}

/// The name of something that must not outlive the process. Dropping it removes what has the name; so does
/// [`remove_unfinished`].
#[derive(Debug)]
pub struct TemporaryName {
    /// `None` when it was given up.
    path: Option<TempPath>,
}

impl TemporaryName {
    /// An empty file, to be written to, in `directory`, with a name that begins with `prefix` and ends with random letters.
    /// None but the user may open it.
    ///
    /// # Errors
    /// What the system said, without the random name.
    pub fn create(directory: &Path, prefix: &str) -> io::Result<(File, Self)> {
        create(directory, &OsString::from(prefix), 0o600)
    }

    /// A name that the user chose, for something that `make` makes of it, such as a named pipe.
    ///
    /// # Errors
    /// What `make` told.
    pub fn make(path: &Path, make: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<Self> {
        prepare();
        let mut names = lock();
        make(path)?;
        enter(&mut names, path)
    }

    /// What is there now. Others that know the directory know it, too.
    pub fn path(&self) -> &Path {
        self.path.as_deref().unwrap_or(Path::new(""))
    }

    /// Makes it `path`, a name that stays. If that is taken, it `replaces` what has it, or fails.
    ///
    /// # Errors
    /// What the system said; what had the temporary name is gone then.
    pub fn persist(mut self, path: &Path, replaces: bool) -> io::Result<()> {
        let mut names = lock();
        let Some(temporary) = self.path.take() else {
            return Ok(());
        };
        names.remove(&*temporary);
        let outcome = match replaces {
            true => temporary.persist(path),
            false => temporary.persist_noclobber(path),
        };
        outcome.map_err(|error| error.error)
    }
}

impl Drop for TemporaryName {
    fn drop(&mut self) {
        let mut names = lock();
        if let Some(temporary) = self.path.take() {
            names.remove(&*temporary);
        }
    }
}

/// A file with a temporary name beside `path`, with the permissions that the umask gives any other file.
pub(crate) fn create_beside(path: &Path) -> io::Result<(File, TemporaryName)> {
    create(directory_of(path), &prefix_of(path), 0o666)
}

/// `link` gives what has no name a temporary one beside `path`, which then becomes `path`. Nothing is left between the two:
/// whoever ends the process waits for both.
#[cfg(target_os = "linux")]
pub(crate) fn replace_by_link(
    path: &Path,
    link: impl Fn(&Path) -> io::Result<()>,
) -> io::Result<()> {
    let _names = lock();
    with_random_names(directory_of(path), &prefix_of(path), |temporary| {
        link(temporary)?;
        removed_when_dropped(temporary)
    })?
    .persist(path)
    .map_err(|error| error.error)
}

/// A file in `directory` whose name is gone before anybody can end the process.
pub(crate) fn create_nameless(directory: &Path) -> io::Result<File> {
    let _names = lock();
    with_random_names(directory, &OsString::from(".thalweg."), |temporary| {
        // What others may not read while it has a name they may not read without one, either.
        let file = create_new(temporary, 0o600)?;
        fs::remove_file(temporary)?;
        Ok(file)
    })
}

fn create(directory: &Path, prefix: &OsString, mode: u32) -> io::Result<(File, TemporaryName)> {
    prepare();
    let mut names = lock();
    with_random_names(directory, prefix, |path| {
        let file = create_new(path, mode)?;
        Ok((file, enter(&mut names, path)?))
    })
}

fn enter(names: &mut BTreeSet<PathBuf>, path: &Path) -> io::Result<TemporaryName> {
    let path = removed_when_dropped(path)?;
    names.insert(path.to_path_buf());
    Ok(TemporaryName { path: Some(path) })
}

/// What has this name, from whichever directory it may be seen later.
fn removed_when_dropped(path: &Path) -> io::Result<TempPath> {
    TempPath::try_from_path(path).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}

/// An empty file of that name, with the permissions that the umask leaves of `mode`.
#[cfg_attr(not(unix), expect(unused_variables))]
fn create_new(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    options.open(path)
}

/// A file of this name begins so while it is unfinished. Names of up to 255 bytes are possible nearly everywhere: of a very
/// long one nothing is said.
fn prefix_of(path: &Path) -> OsString {
    const LONG: usize = 200;
    let mut prefix = OsString::from(".");
    if let Some(name) = path.file_name().filter(|name| name.len() <= LONG) {
        prefix.push(name);
        prefix.push(".");
    }
    prefix
}

/// Calls `make` with one name after the other until one is free.
fn with_random_names<T>(
    directory: &Path,
    prefix: &OsString,
    mut make: impl FnMut(&Path) -> io::Result<T>,
) -> io::Result<T> {
    loop {
        let mut name = prefix.clone();
        name.push(random_letters());
        match make(&directory.join(name)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            outcome => return outcome,
        }
    }
}

/// Nine of 36 letters: 46 bits.
fn random_letters() -> String {
    // Keys of a hash table, which the system makes so that nobody can guess them.
    let mut number = RandomState::new().build_hasher().finish();
    let letter = |_| {
        let digit = (number % 36) as u32;
        number /= 36;
        char::from_digit(digit, 36).unwrap_or('x')
    };
    (0..9).map(letter).collect()
}

pub(crate) fn prepare() {
    if let Some(prepare) = PREPARE.get() {
        prepare();
    }
}

fn lock() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    NAMES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_listed(path: &Path) -> bool {
        lock().contains(path)
    }

    #[test]
    fn a_name_is_listed_while_it_is_there() {
        let directory = tempfile::tempdir().unwrap();
        let target = directory.path().join("a");
        let create = || {
            let (_, name) = create_beside(&target).unwrap();
            let path = name.path().to_owned();
            assert!(path.exists() && is_listed(&path));
            (name, path)
        };
        let (name, path) = create();
        drop(name);
        assert!(!path.exists() && !is_listed(&path));
        for (replaces, succeeds) in [(false, true), (true, true), (false, false)] {
            let (name, path) = create();
            assert_eq!(name.persist(&target, replaces).is_ok(), succeeds);
            assert!(!path.exists() && !is_listed(&path) && target.exists());
        }
    }

    #[test]
    fn errors_have_no_random_names() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no").join("file");
        let error = create_beside(&missing).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(!error.to_string().contains("file\""), "{error}");
        let made = TemporaryName::make(&missing, |_| Err(io::ErrorKind::Unsupported.into()));
        assert_eq!(made.unwrap_err().kind(), io::ErrorKind::Unsupported);
        assert!(!is_listed(&missing));
    }

    #[test]
    fn names_differ_and_long_ones_fit() {
        assert_ne!(random_letters(), random_letters());
        assert_eq!(random_letters().len(), 9);
        let directory = tempfile::tempdir().unwrap();
        create_beside(&directory.path().join("n".repeat(255))).unwrap();
    }

    #[test]
    fn nothing_is_seen_of_a_nameless_file() {
        let directory = tempfile::tempdir().unwrap();
        let _file = create_nameless(directory.path()).unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}
