//! Which database kraken2's `--db` means.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::exit::Failure;

/// What a Kraken 2 database is known by.
const HASH: &str = "hash.k2d";

/// The database of a name: a file, the same with `.tht` behind it, or the one of a directory. Names without a slash are looked
/// for in the directories of `KRAKEN2_DB_PATH`, or here. Without a name it is `KRAKEN2_DEFAULT_DB`.
pub(super) fn find(name: Option<&Path>) -> Result<PathBuf, Failure> {
    let default = std::env::var_os("KRAKEN2_DEFAULT_DB").map(PathBuf::from);
    let Some(name) = name.map(Path::to_owned).or(default) else {
        return Err(Failure::usage(
            "no database is named",
            "name one by --db or $KRAKEN2_DEFAULT_DB: a file that thalweg taxa build has made",
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
        format!("{}: there is no such database", name.display()),
        match directories {
            Some(_) => {
                "it was looked for in the directories of $KRAKEN2_DB_PATH; a name with a slash is a path"
            }
            None => "name a file that thalweg taxa build has made",
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
        return of_directory(path).map(Some);
    }
    let mut with_ending = path.as_os_str().to_owned();
    with_ending.push(".tht");
    let candidates = [path.to_owned(), with_ending.into()];
    Ok(candidates.into_iter().find(|path| path.exists()))
}

/// The only database of a directory.
fn of_directory(directory: &Path) -> Result<PathBuf, Failure> {
    let entries = std::fs::read_dir(directory).map_err(|error| Failure::io(directory, error))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension() == Some(OsStr::new("tht")))
        .collect();
    found.sort();
    let name = directory.display();
    match &found[..] {
        [only] => Ok(only.clone()),
        [] if directory.join(HASH).exists() => {
            let there = ["taxonomy", "library"].map(|part| directory.join(part).is_dir());
            let hint = match there {
                [true, true] => format!(
                    "build one of the same genomes: thalweg taxa build --taxonomy {name}/taxonomy {name}/library -o {name}/database.tht"
                ),
                _ => format!(
                    "build one of its genomes, which are not there any more: thalweg taxa build --taxonomy TAXDUMP GENOMES... -o {name}/database.tht"
                ),
            };
            Err(Failure::usage(
                format!("{name}: a database of kraken2, which tells no k-mers"),
                &hint,
            ))
        }
        [] => Err(Failure::usage(
            format!("{name}: a directory without a database"),
            "name a file that thalweg taxa build has made",
        )),
        _ => Err(Failure::usage(
            format!("{name}: a directory of {} databases", found.len()),
            "name one of its files",
        )),
    }
}
