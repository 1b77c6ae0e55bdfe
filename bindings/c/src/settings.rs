//! What is to be read, and how.

#![allow(unsafe_code)]

use std::ffi::{c_char, c_int};
use std::path::PathBuf;

use thalweg::{Budget, IndexUse, ReaderOptions};

use crate::error::{Failure, let_go, status};
use crate::pointers::{self, path, slice, unique};

/// Indexes are used where there are some.
pub const THALWEG_INDEX_AUTO: c_int = 0;
/// Indexes are not looked for.
pub const THALWEG_INDEX_NEVER: c_int = 1;
/// A gzip file without an index is an error.
pub const THALWEG_INDEX_REQUIRE: c_int = 2;

/// What is to be read, and how: files that follow one another, each alone or with its mates.
#[derive(Clone)]
pub struct Settings {
    /// Files in step, for each of those that follow one another.
    sets: Vec<Vec<PathBuf>>,
    pub(crate) interleaved: bool,
    check_names: bool,
    check_end: bool,
    index: IndexUse,
    /// 0 for all cores.
    threads: usize,
    memory: Option<u64>,
    part: Part,
}

#[derive(Clone)]
enum Part {
    All,
    Shard { number: u64, of: u64 },
    Ranks { start: u64, end: u64 },
}

impl Settings {
    fn new() -> Self {
        Self {
            sets: Vec::new(),
            interleaved: false,
            check_names: true,
            check_end: true,
            index: IndexUse::Auto,
            threads: 0,
            memory: None,
            part: Part::All,
        }
    }

    /// Of files in step.
    pub(crate) fn of_set(set: Vec<PathBuf>) -> Self {
        let mut settings = Self::new();
        settings.sets.push(set);
        settings
    }

    pub(crate) fn options(&self) -> Result<ReaderOptions, Failure> {
        if self.sets.is_empty() {
            return Err(Failure::usage("no file is named in these settings"));
        }
        let budget = match self.threads {
            0 => Budget::all_cores(),
            threads => Budget::new(threads),
        };
        let options = ReaderOptions::new()
            .interleaved(self.interleaved)
            .check_names(self.check_names)
            .check_end(self.check_end)
            .index(self.index.clone())
            .budget(
                self.memory
                    .map_or(budget, |bytes| budget.with_memory(bytes)),
            );
        let options = self.sets.iter().fold(options, ReaderOptions::mates);
        Ok(match self.part {
            Part::All => options,
            Part::Shard { number, of } => options.shard(number, of),
            Part::Ranks { start, end } => options.records(start..end),
        })
    }

    /// Whether all are files that can be read more than once, and need not be waited for.
    pub(crate) fn is_regular(&self) -> bool {
        self.sets.iter().flatten().all(|path| path.is_file())
    }
}

/// New settings: no file yet, all cores, indexes where there are some.
///
/// @return A handle for thalweg_settings_free().
// SAFETY: no other item of this library has that name.
#[unsafe(no_mangle)]
pub extern "C" fn thalweg_settings_new() -> *mut Settings {
    Box::into_raw(Box::new(Settings::new()))
}

/// Let go of settings. What was opened with them does not need them any more.
///
/// # Safety
/// `settings` is NULL, or comes from thalweg_settings_new(), and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_free(settings: *mut Settings) {
    // SAFETY: the caller's promise.
    let_go(unsafe { pointers::take(settings) });
}

/// Add a file, which follows those that were added before. "-" is the standard input.
///
/// # Safety
/// `settings` comes from thalweg_settings_new(); `path` ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_add_file(
    settings: *mut Settings,
    path: *const c_char,
) -> c_int {
    status(|| {
        // SAFETY: the caller's promise.
        let settings = unsafe { of(settings)? };
        // SAFETY: the same.
        let path = unsafe { pointers::path(path)? };
        settings.add(vec![path])
    })
}

/// Add files that are read in step: record i of each belongs together. They follow those that were added before,
/// which must be as many in step.
///
/// # Safety
/// `settings` comes from thalweg_settings_new(); `paths` are `number` paths, each of which ends with NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_add_mates(
    settings: *mut Settings,
    paths: *const *const c_char,
    number: usize,
) -> c_int {
    status(|| {
        // SAFETY: the caller's promise.
        let settings = unsafe { of(settings)? };
        // SAFETY: the same.
        let paths = unsafe { slice(paths, number, "the array of paths")? };
        // SAFETY: the same, of each of them.
        let set = paths.iter().map(|start| unsafe { path(*start) });
        settings.add(set.collect::<Result<_, _>>()?)
    })
}

impl Settings {
    fn add(&mut self, set: Vec<PathBuf>) -> Result<(), Failure> {
        if set.is_empty() {
            return Err(Failure::usage("no file is named"));
        }
        if self
            .sets
            .first()
            .is_some_and(|first| first.len() != set.len())
        {
            return Err(Failure::usage(
                "files are in step with as many as those before",
            ));
        }
        self.sets.push(set);
        Ok(())
    }
}

/// Records 2i and 2i + 1 of each file are mates (they are not, by default).
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_interleaved(
    settings: *mut Settings,
    interleaved: bool,
) -> c_int {
    // SAFETY: the caller's promise.
    status(|| unsafe { set(settings, |settings| settings.interleaved = interleaved) })
}

/// Whether mates must have the same name, but for what tells them apart (they must, by default).
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_check_names(
    settings: *mut Settings,
    check_names: bool,
) -> c_int {
    // SAFETY: the caller's promise.
    status(|| unsafe { set(settings, |settings| settings.check_names = check_names) })
}

/// Whether BAM must end with the end-of-file block of BGZF (it must, by default): a writer that was killed leaves BAM
/// without it.
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_check_end(
    settings: *mut Settings,
    check_end: bool,
) -> c_int {
    // SAFETY: the caller's promise.
    status(|| unsafe { set(settings, |settings| settings.check_end = check_end) })
}

/// Whether there may be so many, as of [`Budget::MOST_THREADS`].
pub(crate) fn check_threads(threads: usize) -> Result<(), Failure> {
    const MOST: usize = Budget::MOST_THREADS;
    match threads {
        0..=MOST => Ok(()),
        _ => Err(Failure::usage(format!("{threads} threads: at most {MOST}"))),
    }
}

/// How many threads decode: with 1, that which asks for records; 0 (by default) for as many as there are cores; no more
/// than 1024.
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_threads(
    settings: *mut Settings,
    threads: usize,
) -> c_int {
    status(|| {
        check_threads(threads)?;
        // SAFETY: the caller's promise.
        unsafe { set(settings, |settings| settings.threads = threads) }
    })
}

/// Bytes that what is read ahead may take; at least what one thread needs is taken. 1 GiB by default.
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_memory(settings: *mut Settings, bytes: u64) -> c_int {
    // SAFETY: the caller's promise.
    status(|| unsafe { set(settings, |settings| settings.memory = Some(bytes)) })
}

/// What to do about indexes: one of THALWEG_INDEX_...
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_index(
    settings: *mut Settings,
    index: c_int,
) -> c_int {
    status(|| {
        let index = match index {
            THALWEG_INDEX_AUTO => IndexUse::Auto,
            THALWEG_INDEX_NEVER => IndexUse::Never,
            THALWEG_INDEX_REQUIRE => IndexUse::Require,
            other => {
                return Err(Failure::usage(format!(
                    "{other} is not one of THALWEG_INDEX_..."
                )));
            }
        };
        // SAFETY: the caller's promise.
        unsafe { set(settings, |settings| settings.index = index) }
    })
}

/// Read one of `of` parts of about equal size, which together have every record once: that of this number, from 0. A
/// gzip file needs an index for that. The command counts from 1: its `--shard 1/8` is number 0 of 8.
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_shard(
    settings: *mut Settings,
    number: u64,
    of: u64,
) -> c_int {
    status(|| {
        if number >= of {
            return Err(Failure::usage(format!(
                "there is no shard {number} of {of}"
            )));
        }
        // SAFETY: the caller's promise.
        unsafe {
            set(settings, |settings| {
                settings.part = Part::Shard { number, of }
            })
        }
    })
}

/// Read the records from rank `start` up to `end`, which is not read; ranks count from 0, and UINT64_MAX is the end of
/// the file. Mates count as one. With an index only what holds them is decoded. For one file, or files in step.
///
/// # Safety
/// `settings` comes from thalweg_settings_new().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn thalweg_settings_set_records(
    settings: *mut Settings,
    start: u64,
    end: u64,
) -> c_int {
    status(|| {
        if start > end {
            return Err(Failure::usage(format!("records from {start} up to {end}")));
        }
        // SAFETY: the caller's promise.
        unsafe {
            set(settings, |settings| {
                settings.part = Part::Ranks { start, end }
            })
        }
    })
}

/// # Safety
/// As of [`unique`].
unsafe fn of<'a>(settings: *mut Settings) -> Result<&'a mut Settings, Failure> {
    // SAFETY: the caller's promise.
    unsafe { unique(settings, "the settings") }
}

/// # Safety
/// As of [`unique`].
unsafe fn set(settings: *mut Settings, change: impl FnOnce(&mut Settings)) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    change(unsafe { of(settings)? });
    Ok(())
}
