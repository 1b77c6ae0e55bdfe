//! Which database kraken2's `--db` means.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use thalweg::taxa::find_database;

use crate::process::exit::Failure;

/// The database of a name: a file, the same with `.tht` behind it, or the one of a directory. Names without a slash are looked
/// for in the directories of `KRAKEN2_DB_PATH`, or here. Without a name it is `KRAKEN2_DEFAULT_DB`.
pub(super) fn find(name: Option<&Path>) -> Result<PathBuf, Failure> {
    let default = std::env::var_os("KRAKEN2_DEFAULT_DB").map(PathBuf::from);
    let Some(name) = name.map(Path::to_owned).or(default) else {
        return Err(Failure::usage(
            "no database given",
            "give one with --db or $KRAKEN2_DEFAULT_DB: a file built with `thalweg taxa build`",
        ));
    };
    let directories = std::env::var_os("KRAKEN2_DB_PATH");
    let paths = match (&directories, name.components().count()) {
        (Some(directories), 1) => places(directories, &name),
        _ => vec![name.clone()],
    };
    for path in &paths {
        if let Some(found) = at(path)? {
            return Ok(found);
        }
    }
    Err(Failure::usage(
        format!("{}: no such database", name.display()),
        match directories {
            Some(_) => {
                "it was looked for in the directories of $KRAKEN2_DB_PATH; a name with a slash is a path"
            }
            None => "use a file built with `thalweg taxa build`",
        },
    ))
}

/// The name in each of the directories, of which an empty one is this one.
fn places(directories: &OsStr, name: &Path) -> Vec<PathBuf> {
    std::env::split_paths(directories)
        .map(|directory| directory.join(name))
        .collect()
}

/// The database at a path, if there is one.
fn at(path: &Path) -> Result<Option<PathBuf>, Failure> {
    if path.is_dir() {
        return Ok(Some(find_database(path)?));
    }
    let mut with_ending = path.as_os_str().to_owned();
    with_ending.push(".tht");
    let candidates = [path.to_owned(), with_ending.into()];
    let found = candidates.into_iter().find(|path| path.exists());
    Ok(found.map(|path| find_database(&path)).transpose()?)
}
