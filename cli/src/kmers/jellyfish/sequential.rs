//! Databases that come by pipes, as Jellyfish reads them where it reads in order: `jellyfish histo <(zcat x.jf.gz)`

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use thalweg::kmers::Error;
use thalweg::kmers::database::{self, Database};

use crate::kmers::{Fault, TemporaryName};

/// Calls `work` with the database of this name. What comes by a pipe goes to a temporary file first, as a database is
/// read from its end, too.
pub(super) fn with<T>(
    path: &Path,
    work: impl FnOnce(&Database) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let is_pipe = std::fs::metadata(path).is_ok_and(|data| data.file_type().is_fifo());
    if !is_pipe {
        return work(&database::open(path)?);
    }
    let directory = std::env::temp_dir();
    let copy = TemporaryName::new(&directory)?;
    let mut pipe = File::open(path).map_err(|error| Error::io(path, error))?;
    File::create(copy.path())
        .and_then(|mut file| io::copy(&mut pipe, &mut file))
        .map_err(|error| Error::temporary(&directory, error))?;
    let outcome = database::open(copy.path())
        .map_err(Fault::from)
        .and_then(|database| work(&database));
    if let Err(Fault::Kmers(_)) = outcome {
        tell!(
            "thalweg: note: {} is a pipe; what came by it was put into {}, a temporary file",
            path.display(),
            copy.path().display()
        );
    }
    outcome
}
