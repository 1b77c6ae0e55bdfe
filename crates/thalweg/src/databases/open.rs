//! Databases opened, and what is to be said of them at once.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use thalweg_kmers::Result;
use thalweg_kmers::database::{self, Database, DatabaseFormat, InputShare, Part};

use crate::{Control, MessageKind};

/// Opens a database. Of a part of one, or of a shard of its input, a warning tells that it is not all.
///
/// # Errors
/// If it cannot be read, or is none.
pub fn open_database(path: impl AsRef<Path>, control: &Control) -> Result<Database> {
    let database = open_any(path.as_ref(), control)?;
    if let Some(part) = Part::of(&database)? {
        let text = format!(
            "{}: this database is only part {} of {}; join all parts with `thalweg kmers join`",
            database.path().display(),
            part.number,
            part.of
        );
        control.say(MessageKind::Warning, text);
    }
    if let Some(share) = InputShare::of(&database)? {
        let text = format!(
            "{}: this database covers only shard {} of {}; merge all shards with `thalweg kmers merge`",
            database.path().display(),
            share.number,
            share.of
        );
        control.say(MessageKind::Warning, text);
    }
    Ok(database)
}

/// Opens several databases, which may be parts of one.
///
/// # Errors
/// If one cannot be read, or is none.
pub fn open_databases(paths: &[PathBuf], control: &Control) -> Result<Vec<Database>> {
    paths.iter().map(|path| open_any(path, control)).collect()
}

/// Opens a database. Text that ends within a line is warned of: nothing else tells that its last count may be a part of one.
fn open_any(path: &Path, control: &Control) -> Result<Database> {
    let database = database::open(path)?;
    let is_text = matches!(
        database.header().format,
        DatabaseFormat::Tsv | DatabaseFormat::Fasta | DatabaseFormat::JellyfishText
    );
    // What cannot be read is told by whoever reads all of it.
    if is_text && lacks_line_end(path).unwrap_or(false) {
        let text = format!(
            "{}: its last line has no line feed: if the file was cut off there, the last count may have \
             lost digits",
            path.display()
        );
        control.say(MessageKind::Warning, text);
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
