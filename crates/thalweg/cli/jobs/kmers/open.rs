//! Databases opened, and what is to be said of them at once, which is said to all users.

use std::path::Path;

use thalweg::databases;
use thalweg::kmers::Result;
use thalweg::kmers::database::Database;

use crate::process::hearing::always_heard;

/// Opens a database. Of a part of one, or of a shard of its input, a warning tells that it is not all.
pub(crate) fn open_database(path: impl AsRef<Path>) -> Result<Database> {
    always_heard(|control| databases::open_database(path, control))
}
