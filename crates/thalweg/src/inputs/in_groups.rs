//! Files that follow one another, also more of them than may be open at the same time.

use std::fs::Metadata;
use std::ops::Range;
use std::path::PathBuf;

use thalweg_reads::FilePlan;

use crate::Reads;

/// Files that are all open, or that are opened some at a time.
pub struct Inputs<'a, E> {
    pub(crate) open: Option<Reads>,
    /// Those to be opened, in their order, by their places.
    pub(crate) groups: Vec<Range<usize>>,
    pub(crate) opener: Opener<'a, E>,
    plans: Vec<FilePlan>,
}

/// Opens the files at these places; says what there is to say of them if it is asked to (`true`).
type Opener<'a, E> = Box<dyn Fn(Range<usize>, bool) -> Result<Reads, E> + Sync + 'a>;

impl<'a, E> Inputs<'a, E> {
    /// Look at all files with `opener`, and leave them open if there are not too many.
    ///
    /// Pipes are opened once and stay open, however many they are. No more than `most` files may be open at the same time.
    ///
    /// # Errors
    /// Those of `opener`.
    pub fn open(
        files: &[PathBuf],
        most: usize,
        opener: impl Fn(Range<usize>, bool) -> Result<Reads, E> + Sync + 'a,
    ) -> Result<Self, E> {
        // Others than these are open, too: outputs, temporary files, and files of two groups while one ends.
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
    ///
    /// # Errors
    /// Those of `opener`.
    pub fn all(
        files: &[PathBuf],
        opener: impl Fn(Range<usize>, bool) -> Result<Reads, E> + Sync + 'a,
    ) -> Result<Self, E> {
        let reads = opener(0..files.len(), true)?;
        Ok(Self {
            plans: reads.plan(),
            open: Some(reads),
            groups: Vec::new(),
            opener: Box::new(opener),
        })
    }

    /// How each file will be read.
    pub fn plans(&self) -> &[FilePlan] {
        &self.plans
    }

    /// Call `read` with all files, or with some of them after the others.
    ///
    /// # Errors
    /// Those of opening, and of `read`.
    pub fn each(self, mut read: impl FnMut(Reads) -> Result<(), E>) -> Result<(), E> {
        if let Some(reads) = self.open {
            return read(reads);
        }
        for group in self.groups {
            read((self.opener)(group, false)?)?;
        }
        Ok(())
    }
}
