//! What the user says of indexes: which, where, and whether one is made.

use std::path::{Path, PathBuf};

use thalweg::index::build_missing;
use thalweg::inputs::check_index_files;
use thalweg::{Budget, IndexOptions, IndexUse, ReaderOptions};

use crate::input::budget;
use crate::options::{Common, IndexChoice, IndexMode};
use crate::output::refuse_compressed;
use crate::process::exit::Failure;
use crate::process::hearing::drawn;
use crate::process::signals::wait_for_them;

/// Have the library use the indexes that the user chose, and keep those that fall out.
pub(crate) fn choose(options: ReaderOptions, index: &IndexChoice, budget: Budget) -> ReaderOptions {
    let options = options
        .index(beside(index))
        .index_files(&index.index_files)
        .index_directory(index.directory.path());
    match index.index == IndexMode::Save && index.index_files.is_empty() {
        true => {
            // Any thread may be the one that saves it.
            wait_for_them();
            options.save_indexes(saved(budget))
        }
        false => options,
    }
}

fn saved(budget: Budget) -> IndexOptions {
    IndexOptions {
        budget,
        ..IndexOptions::default()
    }
}

/// The same for a job of the library.
pub(crate) fn to_library(index: &IndexChoice) -> thalweg::index::IndexChoice {
    let save = index.index == IndexMode::Save;
    if save {
        // Any thread may be the one that saves it.
        wait_for_them();
    }
    thalweg::index::IndexChoice {
        using: beside(index),
        files: index.index_files.clone(),
        directory: index.directory.path(),
        save,
    }
}

/// What the library is to do about indexes that have no name of their own.
pub(crate) fn beside(index: &IndexChoice) -> IndexUse {
    match index.index {
        IndexMode::Never => IndexUse::Never,
        IndexMode::Require => IndexUse::Require,
        IndexMode::Auto | IndexMode::Save => IndexUse::Auto,
    }
}

/// An index belongs to one file.
pub(crate) fn check(files: &[PathBuf], index: &IndexChoice) -> Result<(), Failure> {
    let none_is_used = index.index == IndexMode::Never;
    check_index_files(files, &index.index_files, none_is_used)?;
    // What is there already is read, whatever its name.
    let is_made = |named: &&PathBuf| index.index == IndexMode::Save && !named.exists();
    let mut made = index.index_files.iter().filter(is_made);
    made.try_for_each(|named| refuse_compressed(named))
}

/// Build the indexes that were named for `files` and are not there, if they are to be kept; `draws` their progress.
pub(crate) fn save_named(
    files: &[PathBuf],
    index: &IndexChoice,
    budget: Budget,
    draws: bool,
) -> Result<(), Failure> {
    if index.index != IndexMode::Save {
        return Ok(());
    }
    files
        .iter()
        .zip(&index.index_files)
        .try_for_each(|(file, destination)| save(file, destination, budget, draws))
}

/// Build the index of a gzip file that has none, and keep it where it is looked for.
pub(crate) fn save_if_missing(
    file: &Path,
    index: &IndexChoice,
    budget: Budget,
    draws: bool,
) -> Result<(), Failure> {
    let directory = index.directory.path();
    build(file, None, directory.as_deref(), budget, draws)
}

/// Build the indexes of all `files` that have none, of which only a part is read, so that none falls out; if indexes are to be kept.
pub(crate) fn save_all_missing(
    files: &[PathBuf],
    index: &IndexChoice,
    common: &Common,
) -> Result<(), Failure> {
    if index.index != IndexMode::Save || !index.index_files.is_empty() {
        return Ok(());
    }
    let save = |file: &PathBuf| save_if_missing(file, index, budget(common), common.draws());
    files.iter().try_for_each(save)
}

fn save(file: &Path, destination: &Path, budget: Budget, draws: bool) -> Result<(), Failure> {
    if file.is_file() && !destination.exists() {
        refuse_compressed(destination)?;
    }
    build(file, Some(destination), None, budget, draws)
}

fn build(
    file: &Path,
    destination: Option<&Path>,
    directory: Option<&Path>,
    budget: Budget,
    draws: bool,
) -> Result<(), Failure> {
    drawn(draws, file, |control| {
        build_missing(file, destination, directory, &saved(budget), control)
    })?;
    Ok(())
}
