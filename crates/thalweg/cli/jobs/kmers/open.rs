//! Databases opened, and what is to be said of them at once, which is said to all users.

use std::path::{Path, PathBuf};

use thalweg::databases;
use thalweg::kmers::Result;
use thalweg::kmers::database::Database;

use crate::process::hearing::always_heard;

/// Opens a database. Of a part of one, or of a shard of its input, a warning tells that it is not all.
pub(crate) fn open_database(path: impl AsRef<Path>) -> Result<Database> {
    always_heard(|control| databases::open_database(path, control))
}

/// Opens several databases, which may be parts of one.
pub(crate) fn open_databases(paths: &[PathBuf]) -> Result<Vec<Database>> {
    always_heard(|control| databases::open_databases(paths, control))
}
