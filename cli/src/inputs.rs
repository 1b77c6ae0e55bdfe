//! Files that follow one another, also more of them than may be open at the same time.

use std::fs::Metadata;
use std::ops::Range;
use std::path::PathBuf;

use thalweg::{FilePlan, Reads};

use crate::exit::Failure;
use crate::limits::most_open_files;

/// Files that are all open, or that are opened some at a time.
pub(crate) struct Inputs<'a> {
    pub(crate) open: Option<Reads>,
    /// Those to be opened, in their order, by their places.
    pub(crate) groups: Vec<Range<usize>>,
    pub(crate) opener: Opener<'a>,
    plans: Vec<FilePlan>,
}

/// Opens the files at these places; says what there is to say of them if it is asked to (`true`).
type Opener<'a> = Box<dyn Fn(Range<usize>, bool) -> Result<Reads, Failure> + Sync + 'a>;

impl<'a> Inputs<'a> {
    /// Look at all files with `opener`, and leave them open if there are not too many.
    ///
    /// Pipes are opened once and stay open, however many they are.
    pub(crate) fn open(
        files: &[PathBuf],
        opener: impl Fn(Range<usize>, bool) -> Result<Reads, Failure> + Sync + 'a,
    ) -> Result<Self, Failure> {
        // Others than these are open, too: outputs, temporary files, and files of two groups while one ends.
        let most = most_open_files();
        let at_once = (most / 4).max(1);
        let is_stream = |file: &PathBuf| {
            let is_other = |metadata: Metadata| !metadata.is_file() && !metadata.is_dir();
            file.as_os_str() == "-" || std::fs::metadata(file).is_ok_and(is_other)
        };
        if files.len() <= most / 2 || files.iter().any(is_stream) {
            return Self::all(files, opener);
        }
        let starts = (0..files.len()).step_by(at_once);
        let group = |start: usize| start..files.len().min(start + at_once);
        let groups: Vec<_> = starts.map(group).collect();
        let mut plans = Vec::with_capacity(files.len());
        for group in &groups {
            plans.extend(opener(group.clone(), true)?.plan());
        }
        Ok(Self {
            open: None,
            groups,
            opener: Box::new(opener),
            plans,
        })
    }

    /// All of them, in step or not.
    pub(crate) fn all(
        files: &[PathBuf],
        opener: impl Fn(Range<usize>, bool) -> Result<Reads, Failure> + Sync + 'a,
    ) -> Result<Self, Failure> {
        let reads = opener(0..files.len(), true)?;
        Ok(Self {
            plans: reads.plan(),
            open: Some(reads),
            groups: Vec::new(),
            opener: Box::new(opener),
        })
    }

    /// How each file will be read.
    pub(crate) fn plans(&self) -> &[FilePlan] {
        &self.plans
    }

    /// Call `read` with all files, or with some of them after the others.
    pub(crate) fn each<E: From<Failure>>(
        self,
        mut read: impl FnMut(Reads) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(reads) = self.open {
            return read(reads);
        }
        for group in self.groups {
            read((self.opener)(group, false)?)?;
        }
        Ok(())
    }
}
