//! Whether files are what they were, and whole: the job behind `thalweg verify`.
//!
//! ```no_run
//! use thalweg::Control;
//! use thalweg::verify::VerifySettings;
//!
//! let mut settings = VerifySettings::new(["reads.fastq.gz"]);
//! settings.full = true;
//! for (file, verified) in settings.run(&Control::default())? {
//!     println!("{}: {:?} records", file.display(), verified?.records);
//! }
//! # Ok::<(), thalweg::Fault>(())
//! ```

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_reads::{IndexUse, Listener, VerifyOptions, VerifyReport, find_index, verify_unless};

use crate::inputs::{MissingEnds, check_index_files, say_if_cut};
use crate::{Control, Fault};

/// Which files are verified, and how. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct VerifySettings {
    /// FASTQ, FASTA or BAM files, compressed or not.
    pub files: Vec<PathBuf>,
    /// Whether everything is decoded, and not only the hash of a file compared with that in its index. A file without index
    /// is always decoded.
    pub full: bool,
    /// Which indexes are used: [`Auto`](IndexUse::Auto), by default, [`Require`](IndexUse::Require) or
    /// [`Never`](IndexUse::Never).
    pub index: IndexUse,
    /// The index of each file, in the order of the files; none if they are to be looked for.
    pub index_files: Vec<PathBuf>,
    /// Where indexes are looked for that do not lie beside their files.
    pub index_directory: Option<PathBuf>,
    /// Threads in all; by default as many as there are cores.
    pub threads: usize,
}

/// What came of each file.
pub type Verified = Vec<(PathBuf, Result<VerifyReport, Fault>)>;

impl VerifySettings {
    /// `files` against their indexes, where they have some.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            full: false,
            index: IndexUse::Auto,
            index_files: Vec::new(),
            index_directory: None,
            threads: Budget::all_cores().threads(),
        }
    }

    /// Whether all that is asked for goes together.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(&self) -> Result<(), Fault> {
        let none_is_used = matches!(self.index, IndexUse::Never);
        check_index_files(&self.files, &self.index_files, none_is_used)
    }

    /// Verify all files, and go on where one is at fault.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and that it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Verified, Fault> {
        self.check()?;
        let mut verified = Vec::with_capacity(self.files.len());
        for (place, file) in self.files.iter().enumerate() {
            let outcome = self.verify(place, control);
            control.check()?;
            verified.push((file.clone(), outcome));
        }
        Ok(verified)
    }

    /// Verify the file at this place among all.
    ///
    /// # Errors
    /// The first thing that is wrong with it, or that it was cancelled.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn verify(&self, place: usize, control: &Control) -> Result<VerifyReport, Fault> {
        let file = &self.files[place];
        say_if_cut(file, control);
        let index = match self.index_files.get(place) {
            Some(path) => IndexUse::At(path.clone()),
            None => self.index.clone(),
        };
        let has_index = match &index {
            IndexUse::Never => false,
            IndexUse::Auto => find_index(file, self.index_directory.as_deref())?.is_some(),
            _ => true,
        };
        let ends = MissingEnds::default();
        let mut options = VerifyOptions {
            full: self.full || !has_index,
            index,
            index_directory: self.index_directory.clone(),
            budget: Budget::new(self.threads),
            on_missing_end: Some(Listener::new(ends.note())),
        };
        let outcome = verify_once(file, &options, control).and_then(|report| {
            match options.full || report.hash_matches {
                true => Ok(report),
                // An index without a hash leaves only this.
                false => {
                    options.full = true;
                    verify_once(file, &options, control)
                }
            }
        });
        ends.say(control);
        outcome
    }
}

fn verify_once(
    file: &Path,
    options: &VerifyOptions,
    control: &Control,
) -> Result<VerifyReport, Fault> {
    let progress = |done, size| {
        control.progress(|| (done, Some(size).filter(|&size| size > 0)));
        control.check()
    };
    Ok(verify_unless(file, options, &progress)?)
}
