//! Databases that come by pipes, as Jellyfish reads them where it reads in order: `jellyfish histo <(zcat x.jf.gz)`

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use thalweg::count::TemporaryDatabase;
use thalweg::kmers::Error;
use thalweg::kmers::database::Database;

use crate::jobs::kmers::{Fault, open_database};

/// Calls `work` with the database of this name, as [`with_all`].
pub(super) fn with<T>(
    path: &Path,
    work: impl FnOnce(&Database) -> Result<T, Fault>,
) -> Result<T, Fault> {
    with_all(&[path], |databases| work(&databases[0]))
}

/// Calls `work` with the databases of these names. What comes by a pipe goes to a temporary file first, as a database is
/// read from its end, too.
pub(super) fn with_all<T>(
    paths: &[impl AsRef<Path>],
    work: impl FnOnce(&[Database]) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let mut copies = Vec::new();
    let outcome = open(paths, &mut copies).and_then(|databases| work(&databases));
    let told = |fault: Fault, (_, copy): &(_, TemporaryDatabase)| fault.told_by(copy);
    let outcome = outcome.map_err(|fault| copies.iter().fold(fault, told));
    if let Err(Fault::Kmers(_)) = outcome {
        for (pipe, copy) in copies {
            tell!(
                "thalweg: note: {} is a pipe; what came by it was put into {}, a temporary file",
                pipe.display(),
                copy.path().display()
            );
        }
    }
    outcome
}

/// Opens all, and adds the pipes among them and what they were copied to.
fn open<'a>(
    paths: &'a [impl AsRef<Path>],
    copies: &mut Vec<(&'a Path, TemporaryDatabase)>,
) -> Result<Vec<Database>, Fault> {
    let mut databases = Vec::new();
    for path in paths {
        let path = path.as_ref();
        let is_pipe = std::fs::metadata(path).is_ok_and(|data| data.file_type().is_fifo());
        if !is_pipe {
            databases.push(open_database(path)?);
            continue;
        }
        let directory = std::env::temp_dir();
        let copy = TemporaryDatabase::new(&directory)?;
        let mut pipe = File::open(path).map_err(|error| Error::io(path, error))?;
        File::create(copy.path())
            .and_then(|mut file| io::copy(&mut pipe, &mut file))
            .map_err(|error| Error::temporary(&directory, error))?;
        copies.push((path, copy));
        let (_, copy) = &copies[copies.len() - 1];
        databases.push(open_database(copy.path())?);
    }
    Ok(databases)
}
