//! Files that the command line names: adapters, contaminants, limits.

use std::path::Path;

use thalweg::fastqc::{Limits, ListError, Named, parse_list};
use thalweg::files::read_text_list;

use crate::process::exit::Failure;

/// Names and sequences.
pub(crate) fn list(path: &Path) -> Result<Vec<Named>, Failure> {
    let list = parse_list(&text(path)?).map_err(|error| malformed(path, &error))?;
    match list.is_empty() {
        true => Err(Failure::usage(
            format!("{}: has no sequences", path.display()),
            "each line has a name, a tab and a sequence",
        )),
        false => Ok(list),
    }
}

/// FastQC's `limits.txt`.
pub(crate) fn limits(path: &Path) -> Result<Limits, Failure> {
    Limits::parse(&text(path)?).map_err(|error| malformed(path, &error))
}

fn text(path: &Path) -> Result<String, Failure> {
    read_text_list(path).map_err(|error| Failure::io(path, error))
}

fn malformed(path: &Path, error: &ListError) -> Failure {
    Failure::usage(
        format!("{}: {error}", path.display()),
        "lines that begin with # are comments",
    )
}
