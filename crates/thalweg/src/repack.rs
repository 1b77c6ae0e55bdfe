//! Whole records, chosen and packed anew: what `thalweg cat` does besides decompressing.
//!
//! A *template* is what stays together: a record, mates of equal rank, or two neighbours of an interleaved file.
//!
//! - [`Layout`]: what text each output gets of a template.
//! - [`NameList`], [`Motif`]: which templates are wanted; [`Choice`] holds either.
//! - [`RankKeys`], [`SampleSize`]: which templates a seed draws, and how many of them.
//! - [`RepackJob`]: templates that are chosen by themselves, to outputs; [`SampleJob`]: those that are drawn.
//! - [`filter_reads`], [`filter_pairs`]: files through a function of the caller's, in one call; with a
//!   [`Control`](crate::Control): [`filter_reads_with`], [`filter_pairs_with`].
//! - [`JoinJob`]: files behind one another, without a look at their records.
//!
//! The outputs are [`write::Outputs`](crate::write::Outputs), opened by the caller, and get what they get in the order of
//! the input, the same for every number of threads.

mod candidates;
mod choice;
mod filter;
mod job;
mod join_job;
mod layout;
mod motif;
mod name_list;
mod rank_keys;
mod sample_job;
mod spool;

pub use choice::{Choice, Drawn, Wanted};
pub use filter::{filter_pairs, filter_pairs_with, filter_reads, filter_reads_with};
pub use job::{RepackJob, Repacked};
pub(crate) use join_job::last_is_open;
pub use join_job::{JoinJob, Joined};
pub use layout::Layout;
pub use motif::{Motif, MotifError};
pub use name_list::NameList;
pub use rank_keys::{DEFAULT_SEED, RankKeys};
pub use sample_job::{SampleJob, SampleSize, Sampled};

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use thalweg_write::{OutputOptions, Outputs, Split};

    use super::*;
    use crate::control::stopping;
    use crate::index::build_missing;
    use crate::{Budget, Control, Fault, ReaderOptions, Reads, Workers};

    /// Two files of reads, which are mates, of more than one batch each.
    fn reads(directory: &Path) -> [PathBuf; 2] {
        let files = ["1.fq", "2.fq"].map(|name| directory.join(name));
        let read = |number: usize| format!("@r{number}\nACGTTGCA\n+\nIIIIIIII\n");
        let text: String = (0..200_000).map(read).collect();
        files
            .iter()
            .for_each(|file| std::fs::write(file, &text).unwrap());
        files
    }

    fn workers(files: &[PathBuf]) -> Workers {
        let options = files.iter().fold(ReaderOptions::new(), ReaderOptions::file);
        let options = options.budget(Budget::new(2));
        Reads::open(options).unwrap().all_workers()
    }

    fn outputs(options: OutputOptions, workers: &Workers) -> Outputs {
        Outputs::open(vec![options], workers.ahead()).unwrap()
    }

    #[test]
    fn jobs_that_are_stopped_leave_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let files = reads(directory.path());
        let path = |name: &str| directory.path().join(name);
        let indexed = path("1.fq.gz");
        let text = std::fs::read(&files[0]).unwrap();
        let compressor = flate2::Compression::new(1);
        let mut gzip =
            flate2::write::GzEncoder::new(std::fs::File::create(&indexed).unwrap(), compressor);
        std::io::Write::write_all(&mut gzip, &text).unwrap();
        gzip.finish().unwrap();
        let options = crate::IndexOptions::default();
        build_missing(&indexed, None, None, &options, &Control::default()).unwrap();
        let (layout, many) = (
            Layout::default(),
            std::num::NonZeroU64::new(50_000).unwrap(),
        );
        let all = RepackJob {
            choice: Choice::All,
            invert: false,
            layout,
        };
        stopping::midway(directory.path(), |control| {
            let workers = workers(&files);
            let outputs = outputs(OutputOptions::new(path("all.fq.gz")), &workers);
            all.run(workers, outputs, control)
        });
        stopping::midway(directory.path(), |control| {
            let workers = workers(&files);
            let split = Split::every(many).at_braces();
            let options = OutputOptions::new(path("part_{}.fq")).split(split);
            let outputs = outputs(options, &workers);
            all.run(workers, outputs, control)
        });
        // Drawn while they are read, or by what indexes would tell.
        for (name, templates) in [("a.fq", None), ("b.fq", Some(vec![200_000]))] {
            let job = SampleJob {
                size: SampleSize::Reads(1000),
                keys: RankKeys::new(DEFAULT_SEED),
                layout,
                templates,
                memory: 1 << 20,
                directory: directory.path().to_owned(),
            };
            let file = match job.templates {
                Some(_) => &indexed,
                None => &files[0],
            };
            stopping::midway(directory.path(), |control| {
                let workers = workers(std::slice::from_ref(file));
                let outputs = outputs(OutputOptions::new(path(name)), &workers);
                job.run(workers, outputs, control)
            });
        }
    }

    /// Nothing is read, and nobody is asked before the end.
    #[test]
    fn a_sample_of_nothing_is_not_written_when_it_is_stopped() {
        let directory = tempfile::tempdir().unwrap();
        let files = [directory.path().join("empty.fq")];
        std::fs::write(&files[0], "").unwrap();
        let job = SampleJob {
            size: SampleSize::Reads(1000),
            keys: RankKeys::new(DEFAULT_SEED),
            layout: Layout::default(),
            templates: None,
            memory: 1 << 20,
            directory: directory.path().to_owned(),
        };
        let run = |control: &Control| {
            let workers = workers(&files);
            let options = OutputOptions::new(directory.path().join("a.fq"));
            let outputs = outputs(options, &workers);
            job.run(workers, outputs, control)
        };
        stopping::at_once(directory.path(), run);
        run(&Control::default()).unwrap();
    }

    #[test]
    fn files_that_are_filtered_or_joined_in_vain_leave_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let files = reads(directory.path());
        let path = |name: &str| directory.path().join(name);
        stopping::midway(directory.path(), |control| {
            filter_reads_with(&files, path("kept.fq"), control, |_| true)
        });
        stopping::midway(directory.path(), |control| {
            let outputs = [path("kept1.fq"), path("kept2.fq.gz")];
            filter_pairs_with(files.clone(), outputs, control, |_, _| true)
        });
        let join = JoinJob {
            files: files.to_vec(),
            options: ReaderOptions::new(),
            index_files: Vec::new(),
            output: path("joined.fq"),
            wants_index: true,
            makes_index: false,
            index_directory: None,
        };
        stopping::midway(directory.path(), |control| join.run(control));
        let (cancel, reads) = (std::sync::atomic::AtomicBool::new(true), || {
            Reads::open(ReaderOptions::new().file(&files[0])).unwrap()
        });
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        assert!(Fault::from(last_is_open(reads(), &control).unwrap_err()).is_cancelled());
        let is_open = last_is_open(reads(), &Control::default()).unwrap();
        assert_eq!(is_open, Some(false));
        let none = JoinJob {
            files: Vec::new(),
            ..join
        };
        let fault = none.run(&Control::default()).unwrap_err();
        assert!(matches!(fault, Fault::Usage { .. }), "{fault}");
        stopping::at_once(directory.path(), |control| {
            NameList::read(&files[0], control).map_err(Fault::from)
        });
        assert!(NameList::read(&files[0], &Control::default()).is_ok());
    }
}
