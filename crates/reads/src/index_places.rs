//! Where the index of a file lies: beside it, beside what a link leads to, or in a directory for indexes.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use thalweg_gzip::index::Index;

use crate::Error;
use crate::file::{Handle, InputFile};
use crate::open::fingerprint;

/// What the names of indexes end with, in the order in which they are looked for.
const ENDINGS: [&str; 2] = [".thw", ".mim"];

/// Links that are followed from one to the next: as many as Linux follows.
const LINKS: usize = 40;

/// The name of the index beside `path`.
pub fn index_path(path: &Path) -> PathBuf {
    with_ending(path.as_os_str(), ENDINGS[0])
}

/// The index of `path`, if there is one, looked for in this order: `path.thw`, then `path.mim`; the same beside each
/// file that a symbolic link leads to; and in `directory`, by the name of the file and its fingerprint (see
/// [`index_path_in`]). Whether it belongs to the file is not looked at here.
///
/// # Errors
/// What the system says, if the file must be read for its fingerprint.
pub fn find_index(path: &Path, directory: Option<&Path>) -> Result<Option<PathBuf>, Error> {
    if path.as_os_str() == "-" || !path.is_file() {
        return Ok(None);
    }
    let file = InputFile::new(Handle::open(path)?)?;
    index_of(&file, directory)
}

/// Where in `directory` the index of the file `path` goes, whose format is `ending` (`thw`, `mim` or `gzi`): files of the
/// same name in different places share none, and a copy elsewhere has the same.
///
/// # Errors
/// What the system says when the ends of the file are read.
pub fn index_path_in(directory: &Path, path: &Path, ending: &str) -> Result<PathBuf, Error> {
    let file = InputFile::new(Handle::open(path)?)?;
    path_in(directory, &file, ending)
}

/// As [`index_path_in`], of a file that is not there yet, whose [fingerprint](thalweg_gzip::index::IndexedFile::fingerprint) the
/// caller knows.
pub fn index_path_of(
    directory: &Path,
    file: &Path,
    fingerprint: &[u8; 16],
    ending: &str,
) -> PathBuf {
    in_directory(directory, file, fingerprint, ending)
}

/// As [`index_path_in`].
pub(crate) fn path_in(directory: &Path, file: &InputFile, ending: &str) -> Result<PathBuf, Error> {
    let names = names_of(file.path());
    // The file's own name, and not that of a link.
    let name = names.last().map_or(file.path(), PathBuf::as_path);
    Ok(in_directory(directory, name, &fingerprint(file)?, ending))
}

/// As [`find_index`], of a file that is open.
pub(crate) fn index_of(
    file: &InputFile,
    directory: Option<&Path>,
) -> Result<Option<PathBuf>, Error> {
    if file.regular().is_none() {
        return Ok(None);
    }
    let names = names_of(file.path());
    let beside = names.iter().flat_map(|name| {
        let name = name.as_os_str();
        ENDINGS.iter().map(move |ending| with_ending(name, ending))
    });
    if let Some(found) = beside.into_iter().find(|place| place.exists()) {
        return Ok(Some(found));
    }
    let Some(directory) = directory.filter(|directory| directory.is_dir()) else {
        return Ok(None);
    };
    let fingerprint = fingerprint(file)?;
    let inside = names.iter().flat_map(|name| {
        let endings = ENDINGS.iter().map(|ending| &ending[1..]);
        endings.map(|ending| in_directory(directory, name, &fingerprint, ending))
    });
    Ok(inside.into_iter().find(|place| place.exists()))
}

/// `path`, and what each link leads to, the file itself last.
fn names_of(path: &Path) -> Vec<PathBuf> {
    let mut names = vec![path.to_owned()];
    while names.len() <= LINKS
        && let Some(link) = names.last()
        && let Ok(target) = std::fs::read_link(link)
    {
        // An absolute target replaces the directory.
        let target = link.parent().unwrap_or(Path::new("")).join(target);
        names.push(target);
    }
    names
}

fn in_directory(directory: &Path, file: &Path, fingerprint: &[u8; 16], ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or(OsStr::new("-")).to_owned();
    name.push(".");
    fingerprint
        .iter()
        .for_each(|byte| name.push(format!("{byte:02x}")));
    name.push(".");
    name.push(ending);
    directory.join(name)
}

fn with_ending(path: &OsStr, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

/// An index, and where it was found.
pub(crate) struct FoundIndex {
    pub(crate) path: PathBuf,
    pub(crate) index: Index,
}
