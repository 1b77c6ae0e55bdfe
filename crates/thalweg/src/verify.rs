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

//!
//! Readers stop at the first fault of a file. To have all faults of the records of FASTQ listed, also of mates, there is
//! [`LintSettings`]; `rules` has what is asked of records, `four_lines` reads them whatever is in them, `names` finds those
//! that come more than once, and `step` where mates fall out of step.

mod four_lines;
mod lint;
mod names;
mod rules;
mod step;

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_reads::{IndexUse, Listener, VerifyOptions, VerifyReport, find_index, verify_unless};

pub use self::lint::{LintReport, LintSettings, OutOfStep, RecordFault};
pub use self::rules::FaultCode;
use crate::index::IndexChoice;
use crate::inputs::MissingEnds;
use crate::{Control, Fault, MessageKind, Outcomes, notes};

/// Which files are verified, and how. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct VerifySettings {
    /// FASTQ, FASTA or BAM files, compressed or not.
    pub files: Vec<PathBuf>,
    /// Whether everything is decoded, and not only the hash of a file compared with that in its index. A file without index
    /// is always decoded.
    pub full: bool,
    /// Which indexes are used; those that are to be kept and are missing are made first.
    pub indexes: IndexChoice,
    /// Threads in all; by default as many as there are cores.
    pub threads: usize,
    /// True if BGZF, BAM or text, must end with its end-of-file block. So by default.
    pub check_end: bool,
}

impl VerifySettings {
    /// `files` against their indexes, where they have some.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            full: false,
            indexes: IndexChoice::default(),
            threads: Budget::all_cores().threads(),
            check_end: true,
        }
    }

    /// Whether all that is asked for goes together.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(&self) -> Result<(), Fault> {
        self.indexes.check(&self.files)
    }

    /// Verify all files, and go on where one is at fault: what came of each, in their order.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and that it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Outcomes<VerifyReport>, Fault> {
        self.check()?;
        self.prepare(control)?;
        let mut verified = Vec::with_capacity(self.files.len());
        for (place, file) in self.files.iter().enumerate() {
            let outcome = self.verify(place, control);
            control.check()?;
            verified.push((file.clone(), outcome));
        }
        Ok(verified)
    }

    /// Make the indexes that were named and are not there, if they are to be kept.
    ///
    /// # Errors
    /// As [`build_missing`](crate::index::build_missing).
    pub fn prepare(&self, control: &Control) -> Result<(), Fault> {
        let budget = Budget::new(self.threads);
        self.indexes.build_named(&self.files, budget, control)
    }

    /// Verify the file at this place among all, after [`prepare`](Self::prepare).
    ///
    /// # Errors
    /// The first thing that is wrong with it, or that it was cancelled.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn verify(&self, place: usize, control: &Control) -> Result<VerifyReport, Fault> {
        let file = &self.files[place];
        let directory = self.indexes.directory.as_deref();
        if !self.check_end {
            notes::cut(file).for_each(|note| control.tell(note));
        }
        let (index, budget) = (self.indexes.of_places(&[place]), Budget::new(self.threads));
        index.build_all_missing(std::slice::from_ref(file), budget, control)?;
        let index = match index.files.first() {
            Some(path) => IndexUse::At(path.clone()),
            None => index.using,
        };
        let has_index = match &index {
            IndexUse::Never => false,
            IndexUse::Auto => find_index(file, directory)?.is_some(),
            _ => true,
        };
        let ends = MissingEnds::default();
        let mut options = VerifyOptions {
            full: self.full || !has_index,
            index,
            index_directory: self.indexes.directory.clone(),
            budget,
            check_end: self.check_end,
            on_missing_end: (!self.check_end).then(|| Listener::new(ends.note())),
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
        if let Ok(VerifyReport {
            index_is_unchecked: true,
            ..
        }) = &outcome
        {
            let text = format!(
                "{}: the index has no checksums of chunks, and was not compared with the file: --full does that",
                file.display()
            );
            control.say(MessageKind::Warning, text);
        }
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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn gzip(directory: &Path, name: &str) -> PathBuf {
        let path = directory.join(name);
        let file = std::fs::File::create(&path).unwrap();
        let mut file = flate2::write::GzEncoder::new(file, flate2::Compression::new(1));
        file.write_all(&b"@r\nACGT\n+\nIIII\n".repeat(1000))
            .unwrap();
        file.finish().unwrap();
        path
    }

    #[test]
    fn damage_of_one_file_does_not_hide_the_others() {
        let directory = tempfile::tempdir().unwrap();
        let [damaged, sound] = ["a.fq.gz", "b.fq.gz"].map(|name| gzip(directory.path(), name));
        let mut bytes = std::fs::read(&damaged).unwrap();
        let crc = bytes.len() - 8;
        bytes[crc] ^= 1;
        std::fs::write(&damaged, bytes).unwrap();
        let settings = VerifySettings::new([&damaged, &sound]);
        let verified = settings.run(&Control::default()).unwrap();
        let fault = verified[0].1.as_ref().unwrap_err();
        assert!(fault.is_data() && fault.hint().is_some(), "{fault}");
        assert_eq!(verified[1].1.as_ref().unwrap().records, Some(1000));
    }

    #[test]
    fn an_index_that_is_to_be_kept_is_made_first() {
        let directory = tempfile::tempdir().unwrap();
        let file = gzip(directory.path(), "a.fq.gz");
        let settings = VerifySettings {
            indexes: IndexChoice {
                save: true,
                ..IndexChoice::default()
            },
            ..VerifySettings::new([&file])
        };
        let verified = settings.run(&Control::default()).unwrap();
        let report = verified[0].1.as_ref().unwrap();
        assert!(report.indexed && report.hash_matches);
        assert!(directory.path().join("a.fq.gz.thw").exists());
    }

    #[test]
    fn who_cancels_gets_no_report() {
        let directory = tempfile::tempdir().unwrap();
        let file = gzip(directory.path(), "a.fq.gz");
        let cancel = AtomicBool::new(true);
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        assert!(
            VerifySettings::new([&file])
                .run(&control)
                .unwrap_err()
                .is_cancelled()
        );
    }
}
