//! Databases opened, and what is to be said of them at once.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use thalweg::kmers::Result;
use thalweg::kmers::database::{self, Database, Format, Part, Share};

/// Opens a database. Of a part of one, or of a shard of its input, a warning tells that it is not all.
pub(crate) fn open_database(path: impl AsRef<Path>) -> Result<Database> {
    let database = open_any(path.as_ref())?;
    if let Some(part) = Part::of(&database)? {
        tell!(
            "warning: {}: this is part {} of {} of a database: `thalweg kmers join` makes one of all parts",
            database.path().display(),
            part.number,
            part.of
        );
    }
    if let Some(share) = Share::of(&database)? {
        tell!(
            "warning: {}: this is of shard {} of {} of its input: `thalweg kmers merge` makes one of all shards",
            database.path().display(),
            share.number,
            share.of
        );
    }
    Ok(database)
}

/// Opens several databases, which may be parts of one.
pub(crate) fn open_databases(paths: &[PathBuf]) -> Result<Vec<Database>> {
    paths.iter().map(open_any).collect()
}

/// Opens a database. Text that ends within a line is warned of: nothing else tells that its last count may be a part of one.
fn open_any(path: impl AsRef<Path>) -> Result<Database> {
    let path = path.as_ref();
    let database = database::open(path)?;
    let is_text = matches!(
        database.header().format,
        Format::Tsv | Format::Fasta | Format::JellyfishText
    );
    // What cannot be read is told by whoever reads all of it.
    if is_text && lacks_line_end(path).unwrap_or(false) {
        tell!(
            "warning: {}: its last line has no line feed: if the file was cut off there, the last count may have \
             lost digits",
            path.display()
        );
    }
    Ok(database)
}

/// Whether a file that is not empty ends within a line.
fn lacks_line_end(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    if file.metadata()?.len() == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}
