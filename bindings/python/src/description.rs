//! A description of what is to be read, without open handles: it can be pickled, and goes to other processes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use thalweg::{Budget, ReaderOptions};

use crate::errors;
use crate::grouping::Grouping;
use crate::parameters::index_use;
use crate::stamp::{self, Stamp};

/// What is to be read, and how.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Description {
    /// Files in step, for each set of files that follow one another.
    pub(crate) sets: Vec<Vec<PathBuf>>,
    pub(crate) interleaved: bool,
    pub(crate) check_names: bool,
    pub(crate) check_end: bool,
    /// 0 for all cores.
    pub(crate) threads: usize,
    /// "auto", "never" or "require".
    pub(crate) index: String,
    pub(crate) part: Part,
    /// What the files were when they were opened first, in their order.
    pub(crate) stamps: Vec<Stamp>,
}

/// Which of the records.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Part {
    All,
    Shard { number: u64, of: u64 },
    Ranks { start: u64, end: u64 },
}

impl Part {
    fn state(&self) -> Option<(&'static str, u64, u64)> {
        match *self {
            Self::All => None,
            Self::Shard { number, of } => Some(("shard", number, of)),
            Self::Ranks { start, end } => Some(("records", start, end)),
        }
    }

    /// What was pickled.
    pub(crate) fn of_state(state: Option<(String, u64, u64)>) -> PyResult<Self> {
        match state {
            None => Ok(Self::All),
            Some((kind, number, of)) if kind == "shard" && number < of => {
                Ok(Self::Shard { number, of })
            }
            Some((kind, start, end)) if kind == "records" => Ok(Self::Ranks { start, end }),
            Some(_) => Err(errors::of_value("part", "'shard' or 'records'")),
        }
    }
}

impl Description {
    /// How they are opened.
    ///
    /// # Errors
    /// If a file is not what it was.
    pub(crate) fn options(
        &self,
        py: Python<'_>,
        cancel: &Arc<AtomicBool>,
    ) -> PyResult<ReaderOptions> {
        stamp::check(py, &self.sets, &self.stamps)?;
        let options = ReaderOptions::new()
            .interleaved(self.interleaved)
            .check_names(self.check_names)
            .check_end(self.check_end)
            .index(index_use(&self.index)?)
            .budget(self.budget())
            .cancel(cancel);
        let options = self.sets.iter().fold(options, ReaderOptions::mates);
        Ok(match self.part {
            Part::All => options,
            Part::Shard { number, of } => options.shard(number, of),
            Part::Ranks { start, end } => options.records(start..end),
        })
    }

    /// What is pickled: the parameters of `restore`.
    pub(crate) fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self {
            sets,
            interleaved,
            check_names,
            check_end,
            threads,
            index,
            part,
            stamps,
        } = self;
        let state = (
            names(sets),
            *interleaved,
            *check_names,
            *check_end,
            *threads,
            index,
            part.state(),
            stamps.clone(),
        );
        state.into_pyobject(py)
    }

    /// Whether all are files that can be read more than once, and need not be waited for.
    pub(crate) fn is_regular(&self) -> bool {
        self.stamps.iter().all(Option::is_some)
    }

    fn budget(&self) -> Budget {
        match self.threads {
            0 => Budget::all_cores(),
            threads => Budget::new(threads),
        }
    }

    /// Which of the records belong together.
    pub(crate) fn grouping(&self) -> Grouping {
        match self.interleaved {
            true => Grouping::Interleaved,
            false => Grouping::InStep,
        }
    }

    /// Whether iterations give tuples.
    pub(crate) fn has_mates(&self) -> bool {
        self.interleaved || self.sets.first().is_some_and(|set| set.len() > 1)
    }
}

/// Names of files as Python has them.
pub(crate) fn names(sets: &[Vec<PathBuf>]) -> Vec<Vec<OsString>> {
    let name = |path: &PathBuf| path.clone().into_os_string();
    let of_set = |set: &Vec<PathBuf>| set.iter().map(name).collect();
    sets.iter().map(of_set).collect()
}
