//! Which file is meant by the name of a database.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use thalweg_taxa::database::MAGIC;

use crate::Fault;

/// The files of a database of kraken2, of which the first is what it is known by.
const THEIRS: [&str; 3] = ["hash.k2d", "opts.k2d", "taxo.k2d"];

/// Databases of a directory that are named, at most.
const NAMED: usize = 5;

/// The database of this name: the file itself, or the only one of a directory.
///
/// # Errors
/// If a directory has none or several, and if it is a database of kraken2.
pub fn find_database(path: &Path) -> Result<PathBuf, Fault> {
    if path.is_dir() {
        return of_directory(path);
    }
    let is_theirs = |name: &OsStr| THEIRS.iter().any(|theirs| name == *theirs);
    match path.file_name().is_some_and(is_theirs) && path.exists() {
        true => {
            let directory = path.parent().unwrap_or(path);
            Err(theirs(match directory.as_os_str().is_empty() {
                true => Path::new("."),
                false => directory,
            }))
        }
        false => Ok(path.to_owned()),
    }
}

/// The same where `others` are named behind it, of which none is to be the database.
///
/// # Errors
/// As [`find_database`]; if it is none, but one of the others is.
pub fn find_database_before(path: &Path, others: &[PathBuf]) -> Result<PathBuf, Fault> {
    let file = find_database(path)?;
    let database = || others.iter().find(|other| has_mark(other) == Some(true));
    match (has_mark(&file), database()) {
        (Some(false), Some(database)) => Err(Fault::usage(
            format!(
                "{}: this is not a taxon database, but {} is",
                path.display(),
                database.display()
            ),
            "give the database first, before reads or genomes",
        )),
        _ => Ok(file),
    }
}

/// Whether a file begins as a database does; `None` of what cannot be asked without taking something from it.
fn has_mark(path: &Path) -> Option<bool> {
    if !path.metadata().is_ok_and(|data| data.is_file()) {
        return None;
    }
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    file.take(MAGIC.len() as u64).read_to_end(&mut start).ok()?;
    Some(start == MAGIC)
}

/// The only database of a directory.
fn of_directory(directory: &Path) -> Result<PathBuf, Fault> {
    let entries = std::fs::read_dir(directory).map_err(|error| Fault::io(directory, error))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension() == Some(OsStr::new("tht")))
        .collect();
    found.sort();
    let name = directory.display();
    match &found[..] {
        [only] => Ok(only.clone()),
        [] if directory.join(THEIRS[0]).exists() => Err(theirs(directory)),
        [] => Err(Fault::usage(
            format!("{name}: a directory without a database"),
            "use a database built with `thalweg taxa build`",
        )),
        all => {
            let some = all.iter().take(NAMED).filter_map(|path| path.file_name());
            let some = Vec::from_iter(some.map(OsStr::to_string_lossy)).join(", ");
            let more = match all.len() > NAMED {
                true => ", ...",
                false => "",
            };
            Err(Fault::usage(
                format!(
                    "{name}: a directory of {} databases: {some}{more}",
                    all.len()
                ),
                "use one of its files",
            ))
        }
    }
}

/// That the database of a directory is one of kraken2, and how to make ours.
fn theirs(directory: &Path) -> Fault {
    let name = directory.display();
    let there = ["taxonomy", "library"].map(|part| directory.join(part).is_dir());
    let hint = match there {
        [true, true] => format!(
            "build a database from the same genomes: thalweg taxa build --taxonomy {name}/taxonomy {name}/library -o {name}/database.tht"
        ),
        _ => format!(
            "build a new database from the original genomes: thalweg taxa build --taxonomy TAXDUMP GENOMES... -o {name}/database.tht"
        ),
    };
    Fault::usage(
        format!(
            "{name}: this is a kraken2 database: it stores hashes, from which k-mers cannot be read"
        ),
        hint,
    )
}
