//! What lies where an index should go.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use thalweg_gzip::index::{Index, is_index};
use thalweg_reads::{ErrorKind, IndexOptions, IndexUse, ReaderOptions, hash_file};

use super::IndexFormat;
use crate::Fault;

/// Fine if it is what we would write.
pub(super) fn keep_or_refuse(
    file: &Path,
    existing: &Path,
    options: &IndexOptions,
) -> Result<Index, Fault> {
    let refuse = |why: &str| {
        Err(Fault::usage(
            format!("{}: exists, {why}", existing.display()),
            "replace it with --force, or write another one with -o",
        ))
    };
    match is_up_to_date(file, existing, options) {
        Ok(index) if options.metadata.is_none() || index.metadata == options.metadata => Ok(index),
        Ok(_) => refuse("with other metadata"),
        Err(why) => refuse(&why),
    }
}

/// Even who insists replaces nothing but an index, be it damaged or outdated.
pub(super) fn refuse_other_files(existing: &Path, format: IndexFormat) -> Result<(), Fault> {
    let fail = |error| Fault::io(existing, error);
    let metadata = std::fs::metadata(existing).map_err(fail)?;
    if !metadata.is_file() {
        return Err(Fault::usage(
            format!("{}: exists, but is not a regular file", existing.display()),
            "an index needs a name of its own; -o - is not possible",
        ));
    }
    let mut start = Vec::new();
    let open = File::open(existing).map_err(fail)?;
    open.take(8).read_to_end(&mut start).map_err(fail)?;
    // A .gzi begins with a number: only its name tells.
    let is_gzi = format == IndexFormat::Gzi && existing.extension().is_some_and(|end| end == "gzi");
    if start.is_empty() || is_index(&start) || is_gzi {
        return Ok(());
    }
    Err(Fault::usage(
        format!("{}: exists, but is not an index", existing.display()),
        "not even --force replaces other files: choose another name with -o",
    ))
}

fn is_up_to_date(file: &Path, existing: &Path, options: &IndexOptions) -> Result<Index, String> {
    let index = Index::open(existing).map_err(|_| "but is not a usable index")?;
    if !index.has_records {
        return Err("but has no records".to_owned());
    }
    // The reader refuses an index of another file.
    ReaderOptions::new()
        .file(file)
        .index(IndexUse::At(existing.to_owned()))
        .open()
        .map_err(|error| match error.kind() {
            ErrorKind::OtherFile(_) => "but does not match the file".to_owned(),
            _ => format!("but cannot be used: {error}"),
        })?;
    if index.identity.head_tail.is_none()
        && let Some(expected) = index.identity.blake3
    {
        // Formats without a fingerprint: look at the whole file.
        let open = File::open(file).map_err(|error| error.to_string())?;
        let size = open.metadata().map_err(|error| error.to_string())?.len();
        let hash = hash_file(&open, size, options.budget.threads());
        if hash.map_err(|error| error.to_string())? != expected {
            return Err("but does not match the file".to_owned());
        }
    }
    Ok(index)
}
