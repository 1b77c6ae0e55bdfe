//! Which indexes a job uses.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_reads::{Error, IndexOptions, IndexUse, ReaderOptions, find_index};

use super::build_missing;
use thalweg_write::check_plain;

use crate::inputs::check_index_files;
use crate::{Control, Fault};

/// Which indexes a job uses, and which it keeps. By default those that are there, and none that is not.
#[derive(Clone, Debug, Default)]
pub struct IndexChoice {
    /// What is done about indexes that were not named: [`Auto`](IndexUse::Auto), [`Require`](IndexUse::Require) or
    /// [`Never`](IndexUse::Never).
    pub using: IndexUse,
    /// The index of each file, in the order of the files; none if they are to be looked for.
    pub files: Vec<PathBuf>,
    /// Where indexes are looked for, and kept, that do not lie beside their files.
    pub directory: Option<PathBuf>,
    /// Whether those that are missing are made, and kept.
    pub save: bool,
}

impl IndexChoice {
    /// Whether it goes together with these files.
    ///
    /// # Errors
    /// [`Fault::Usage`]; [`NotWritten`](thalweg_write::Error::NotWritten) of the name of one that is to be made.
    pub fn check(&self, files: &[PathBuf]) -> Result<(), Fault> {
        check_index_files(files, &self.files, matches!(self.using, IndexUse::Never))?;
        // What is there already is read, whatever its name.
        let is_made = |named: &&PathBuf| self.save && !named.exists();
        let mut made = self.files.iter().filter(is_made);
        Ok(made.try_for_each(|named| check_plain(named))?)
    }

    /// That of the files at these places among all: an index that was named goes with its file.
    pub fn of_places(&self, places: &[usize]) -> Self {
        let named = |&place: &usize| self.files.get(place).cloned();
        Self {
            files: places.iter().filter_map(named).collect(),
            ..self.clone()
        }
    }

    /// Have all files of `options` read so, with `budget` for indexes that fall out.
    pub fn choose(&self, options: ReaderOptions, budget: Budget) -> ReaderOptions {
        let options = options
            .index(self.using.clone())
            .index_files(&self.files)
            .index_directory(self.directory.clone());
        match self.save && self.files.is_empty() {
            true => options.save_indexes(saved(budget)),
            false => options,
        }
    }

    /// Make the indexes that were named for `files` and are not there, if they are to be kept.
    ///
    /// # Errors
    /// As [`build_missing`].
    pub fn build_named(
        &self,
        files: &[PathBuf],
        budget: Budget,
        control: &Control,
    ) -> Result<(), Fault> {
        if !self.save {
            return Ok(());
        }
        files.iter().zip(&self.files).try_for_each(|(file, named)| {
            build_missing(file, Some(named), None, &saved(budget), control).map(drop)
        })
    }

    /// Make the indexes that `files` lack, if they are to be kept and none was named: of files of which only a part is read, none
    /// falls out.
    ///
    /// # Errors
    /// As [`build_missing`].
    pub fn build_all_missing(
        &self,
        files: &[PathBuf],
        budget: Budget,
        control: &Control,
    ) -> Result<(), Fault> {
        if !self.save || !self.files.is_empty() {
            return Ok(());
        }
        let directory = self.directory.as_deref();
        files.iter().try_for_each(|file| {
            build_missing(file, None, directory, &saved(budget), control).map(drop)
        })
    }

    /// The index by which the file at this place among all is cut, if there is one.
    ///
    /// # Errors
    /// What the system says, if the file must be read for it.
    pub fn of_file(&self, file: &Path, place: usize) -> Result<Option<PathBuf>, Error> {
        match (&self.using, self.files.get(place)) {
            (IndexUse::Never, _) => Ok(None),
            (_, Some(named)) => Ok(Some(named.clone())),
            _ => find_index(file, self.directory.as_deref()),
        }
    }
}

fn saved(budget: Budget) -> IndexOptions {
    IndexOptions {
        budget,
        ..IndexOptions::default()
    }
}
