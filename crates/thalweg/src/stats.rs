//! Statistics of files: the job behind `thalweg stats`.
//!
//! ```no_run
//! use thalweg::Control;
//! use thalweg::stats::StatsSettings;
//!
//! for file in StatsSettings::new(["reads.fastq.gz"]).run(&Control::default())? {
//!     println!("{}: {} reads", file.path.display(), file.statistics.reads());
//! }
//! # Ok::<(), thalweg::Fault>(())
//! ```
//!
//! - `first_record`: what kind of sequences a file is of; `seqkit`: the tables of `seqkit stats`.

mod first_record;
mod seqkit;

use std::collections::HashSet;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thalweg_flow::Budget;
use thalweg_formats::BinaryFormat;
use thalweg_formats::bam::BAM;
use thalweg_reads::{Batch, Error, Listener, ReaderOptions, Statistics};

pub use self::first_record::{FirstRecord, SequenceKind};
pub use self::seqkit::{SeqkitLayout, seqkit_table};
use crate::index::IndexChoice;
use crate::inputs::{self, MissingEnds};
use crate::{Control, Fault, Message, MessageKind, Outcomes, notes};

/// Files that are open at the same time: each takes a descriptor or two and, if it can only be decoded in order, half a MiB.
const AT_ONCE: usize = 64;

/// Which files are counted, and how they are read. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct StatsSettings {
    /// FASTQ, FASTA or BAM, compressed or not; `-` is the standard input.
    pub files: Vec<PathBuf>,
    /// Whether qualities are counted, too. Not so by default.
    pub qualities: bool,
    /// Whether it is told what the first record of each file has. Not so by default.
    pub first_records: bool,
    /// Whether the files are mates, which must match. Not so by default.
    pub mates: bool,
    /// Whether mates follow each other in each file, which must match. Not so by default.
    pub interleaved: bool,
    /// Whether mates may have any names. Not so by default.
    pub ignore_names: bool,
    /// Which indexes are used.
    pub indexes: IndexChoice,
    /// Threads, and bytes that what is read may hold; all cores by default.
    pub budget: Budget,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,
    /// Bytes that a record may have, [if there is a limit](ReaderOptions::max_record).
    pub max_record: Option<u64>,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](ReaderOptions::check_end)). So by default.
    pub check_end: bool,
}

/// What one file has.
#[derive(Clone, Debug)]
pub struct FileStatistics {
    /// The file.
    pub path: PathBuf,
    /// What its format is called.
    pub format: &'static str,
    /// Sums over its records.
    pub statistics: Statistics,
    /// What its first record has, if that was asked for.
    pub first_record: FirstRecord,
}

/// Of one file.
struct Count {
    /// What its format is called, which is known when there has been a record.
    format: Option<&'static str>,
    statistics: Statistics,
    first_record: FirstRecord,
}

impl StatsSettings {
    /// Single reads of `files`, without their qualities, by all cores.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            qualities: false,
            first_records: false,
            mates: false,
            interleaved: false,
            ignore_names: false,
            indexes: IndexChoice::default(),
            budget: Budget::all_cores(),
            on_wait: None,
            max_record: None,
            check_end: true,
        }
    }

    /// Whether all that is asked for goes together.
    ///
    /// # Errors
    /// [`Fault::Usage`].
    pub fn check(&self) -> Result<(), Fault> {
        self.indexes.check(&self.files)?;
        inputs::check_standard_input(&self.files)?;
        inputs::check_names_matter(self.ignore_names, self.mates || self.interleaved)?;
        match self.mates {
            true => inputs::check_mates(&self.files),
            false => Ok(()),
        }
    }

    /// Count each file for itself. The statistics come in the order of the files.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); the first fault in the order of the files; that it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Vec<FileStatistics>, Fault> {
        let mut counted = Vec::with_capacity(self.files.len());
        self.count_all(control, |place, outcome| {
            counted.push((place, outcome?));
            Ok(())
        })?;
        let counted = in_order(counted);
        counted.iter().for_each(|file| say_if_empty(file, control));
        Ok(counted)
    }

    /// As [`run`](Self::run), and go on behind a file that has a fault, to tell what came of each. Mates are one matter: a fault of
    /// one is a fault of all. So are several pipes, which are read at the same time.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); a fault of mates or of several pipes, or one that is of no file; an index with a name of its own
    /// that cannot be made; that it was cancelled.
    pub fn run_each(&self, control: &Control) -> Result<Outcomes<FileStatistics>, Fault> {
        let mut outcomes = Vec::with_capacity(self.files.len());
        self.count_all(control, |place, outcome| {
            outcomes.push((place, (self.files[place].clone(), outcome)));
            Ok(())
        })?;
        let outcomes = in_order(outcomes);
        let counted = outcomes.iter().flat_map(|(_, outcome)| outcome);
        counted.for_each(|file| say_if_empty(file, control));
        Ok(outcomes)
    }

    /// Count all files, and call `take` with the place of each and what came of it, until that fails.
    fn count_all(
        &self,
        control: &Control,
        mut take: impl FnMut(usize, Result<FileStatistics, Fault>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.check()?;
        (self.indexes).build_named(&self.files, self.budget, control)?;
        let mut together = self.read_together().into_iter();
        together.try_for_each(|places| self.count_some(&places, control, &mut take))
    }

    /// Files that are read at the same time, by their places among all.
    fn read_together(&self) -> Vec<Vec<usize>> {
        let all: Vec<usize> = (0..self.files.len()).collect();
        if self.mates {
            return vec![all];
        }
        let is_regular = |place: &usize| !is_pipe(&self.files[*place]);
        // Pipes may have one writer, who writes to them in step or opens one when another has been read.
        let (mut pipes, _): (Vec<usize>, Vec<usize>) =
            all.iter().partition(|place| !is_regular(place));
        let mut together = Vec::new();
        for run in all.chunk_by(|a, b| is_regular(a) && is_regular(b)) {
            match run {
                [pipe] if !is_regular(pipe) && self.interleaved => together.push(vec![*pipe]),
                [pipe] if !is_regular(pipe) => together.push(std::mem::take(&mut pipes)),
                files => together.extend(files.chunks(AT_ONCE).map(<[usize]>::to_vec)),
            }
        }
        together.retain(|places| !places.is_empty());
        together
    }

    /// Count files that are read at the same time; if that fails, one after the other: so the faults of each are told, whatever
    /// thread met which one first, and files that cannot all be open at the same time are counted all the same.
    fn count_some(
        &self,
        places: &[usize],
        control: &Control,
        take: &mut impl FnMut(usize, Result<FileStatistics, Fault>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if let [place] = *places {
            return take(place, self.count_one(place, control)?);
        }
        let said = Mutex::new(HashSet::new());
        let says = |message: Message| {
            let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
            if said.insert(message.text.clone()) {
                control.tell(message);
            }
        };
        // What is said of files that are read once more was said before.
        let once = Control {
            says: Some(&says),
            ..*control
        };
        let can_be_read_again = !places.iter().any(|&place| is_pipe(&self.files[place]));
        match self.count(places, &once) {
            Ok(counted) => {
                let mut counted = places.iter().zip(counted);
                counted.try_for_each(|(&place, counted)| take(place, Ok(counted)))
            }
            Err(fault) if self.mates || !can_be_read_again => Err(fault),
            Err(_) => places.iter().try_for_each(|&place| {
                control.check()?;
                take(place, self.count_one(place, &once)?)
            }),
        }
    }

    /// What came of one file.
    ///
    /// # Errors
    /// Faults that are none of this file.
    fn count_one(
        &self,
        place: usize,
        control: &Control,
    ) -> Result<Result<FileStatistics, Fault>, Fault> {
        match self.count(&[place], control) {
            Err(fault) if !is_of_a_file(&fault) => Err(fault),
            outcome => Ok(outcome.map(|mut counted| counted.remove(0))),
        }
    }

    /// Read files, in step or one after the other, and count each for itself.
    fn count(&self, places: &[usize], control: &Control) -> Result<Vec<FileStatistics>, Fault> {
        let ends = MissingEnds::default();
        let reading = self.reading(places).on_missing_end(ends.note());
        let reads = inputs::open(reading, control)?;
        let plans = reads.plan();
        notes::colour_space(&plans).for_each(|note| control.tell(note));
        let formats: Vec<&str> = plans.iter().map(|plan| plan.format_name).collect();
        let workers = reads.all_workers();
        let position = workers.progress();
        let shares = workers.gather(
            || Ok(Vec::new()),
            |counts, batch| {
                self.add(counts, batch);
                control.progress(&position);
                control.check()
            },
            Ok::<Vec<Count>, Error>,
        );
        ends.say(control);
        let mut counts = Vec::new();
        for share in shares? {
            for (file, other) in share.iter().enumerate() {
                let count = self.of_file(&mut counts, file);
                count.format = count.format.or(other.format);
                count.statistics.merge(&other.statistics);
                count.first_record.merge(&other.first_record);
            }
        }
        let counts = counts
            .into_iter()
            .chain(std::iter::repeat_with(|| self.none()));
        let counts = places.iter().zip(formats).zip(counts);
        counts
            .map(|((&place, planned), count)| {
                Ok(FileStatistics {
                    path: self.files[place].clone(),
                    format: count.format.unwrap_or(planned),
                    first_record: self.first_record(place, &count)?,
                    statistics: count.statistics,
                })
            })
            .collect()
    }

    /// What was seen of the first record; where the file was cut into parts whose ranks nobody knew, it is read again.
    fn first_record(&self, place: usize, count: &Count) -> Result<FirstRecord, Fault> {
        let Count {
            statistics,
            first_record,
            ..
        } = count;
        let file = &self.files[place];
        let is_asked_for = self.first_records && statistics.reads() > 0;
        match is_asked_for && !first_record.is_known() && file.is_file() {
            true => {
                // Not all of the file is read, and no index falls out.
                let index = IndexChoice {
                    save: false,
                    ..self.indexes.of_places(&[place])
                };
                let budget = Budget::new(1);
                let reading = index.choose(ReaderOptions::new(), budget).budget(budget);
                FirstRecord::read(file, reading.long_sequences_in_pieces(0))
            }
            false => Ok(*first_record),
        }
    }

    /// How the files at these places are read.
    fn reading(&self, places: &[usize]) -> ReaderOptions {
        let files = places.iter().map(|&place| &self.files[place]);
        let reading = match self.mates {
            true => ReaderOptions::new().mates(files),
            false => files.fold(ReaderOptions::new(), ReaderOptions::file),
        };
        let reading = inputs::tell_of_waits(reading, self.on_wait.as_ref());
        let indexes = self.indexes.of_places(places);
        indexes
            .choose(reading, self.budget)
            .budget(self.budget)
            .interleaved(self.interleaved)
            .check_names(!self.ignore_names)
            .check_letters(true)
            .max_record(self.max_record)
            .check_end(self.check_end)
            .long_sequences_in_pieces(0)
            .pipes_as_they_come(true)
    }

    fn add(&self, counts: &mut Vec<Count>, batch: &Batch) {
        let first = batch.set() * batch.blocks().len();
        for (file, block) in (first..).zip(batch.blocks()) {
            let count = self.of_file(counts, file);
            // Of a pipe that is read as data come it is known now.
            count.format = Some(match block.raw_records() {
                Some(_) => BAM.name(),
                None => block.format().name(),
            });
            count.statistics.add_block(block);
            if self.first_records {
                count.first_record.add_block(block);
            }
        }
    }

    /// Those of a file; a thread has none for files behind the last that it has read of.
    fn of_file<'a>(&self, counts: &'a mut Vec<Count>, file: usize) -> &'a mut Count {
        while counts.len() <= file {
            counts.push(self.none());
        }
        &mut counts[file]
    }

    /// Nothing counted yet.
    fn none(&self) -> Count {
        Count {
            format: None,
            statistics: Statistics::new(self.qualities),
            first_record: FirstRecord::default(),
        }
    }
}

/// What came of files, which were counted in any order, in the order of their places.
fn in_order<T>(mut of_places: Vec<(usize, T)>) -> Vec<T> {
    of_places.sort_by_key(|(place, _)| *place);
    of_places
        .into_iter()
        .map(|(_, of_place)| of_place)
        .collect()
}

/// Whether a file can be read once only, and in order. One that is not there is none.
fn is_pipe(file: &Path) -> bool {
    let is_other = |data: Metadata| !data.is_file() && !data.is_dir();
    file.as_os_str() == "-" || std::fs::metadata(file).is_ok_and(is_other)
}

/// Say so of a file without a read.
fn say_if_empty(file: &FileStatistics, control: &Control) {
    if file.statistics.reads() == 0 {
        let text = format!("{}: no reads", file.path.display());
        control.say(MessageKind::Note, text);
    }
}

/// Whether others than the file that a fault names can be counted all the same.
fn is_of_a_file(fault: &Fault) -> bool {
    match fault {
        Fault::Reads(error) => error.location().path.is_some(),
        fault => matches!(fault, Fault::Io { .. }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;

    fn two_files(directory: &tempfile::TempDir) -> [PathBuf; 2] {
        let paths = ["a.fq", "b.fa"].map(|name| directory.path().join(name));
        std::fs::write(&paths[0], "@a\nACGTN\n+\nIIIII\n").unwrap();
        std::fs::write(&paths[1], ">b\nAC\n>c\nGGGG\n").unwrap();
        paths
    }

    #[test]
    fn each_file_has_its_own() {
        let directory = tempfile::tempdir().unwrap();
        let settings = StatsSettings::new(two_files(&directory));
        let counted = settings.run(&Control::default()).unwrap();
        let told: Vec<_> = counted
            .iter()
            .map(|file| {
                (
                    file.format,
                    file.statistics.reads(),
                    file.statistics.bases(),
                )
            })
            .collect();
        assert_eq!(told, [("FASTQ", 1, 5), ("FASTA", 2, 6)]);
    }

    #[test]
    fn what_came_of_each_file_is_told_in_their_order() {
        let directory = tempfile::tempdir().unwrap();
        let [good, other] = two_files(&directory);
        let bad = directory.path().join("bad.fq");
        std::fs::write(&bad, "@a\nACGT\n+\nII\n").unwrap();
        let files = [
            good.clone(),
            bad.clone(),
            directory.path().join("none"),
            other,
        ];
        let settings = StatsSettings::new(&files);
        let outcomes = settings.run_each(&Control::default()).unwrap();
        let told: Vec<_> = outcomes
            .iter()
            .map(|(path, outcome)| match outcome {
                Ok(file) => (path.clone(), Ok(file.statistics.reads())),
                Err(fault) => (path.clone(), Err(fault.is_data())),
            })
            .collect();
        let expected = [Ok(1), Err(true), Err(false), Ok(2)];
        assert_eq!(told, Vec::from_iter(files.into_iter().zip(expected)));
        let fault = settings.run(&Control::default()).unwrap_err();
        assert!(fault.to_string().contains("bad.fq"), "{fault}");
        // Mates are one matter.
        let mates = StatsSettings {
            mates: true,
            ..StatsSettings::new([good, bad])
        };
        assert!(mates.run_each(&Control::default()).is_err());
    }

    #[test]
    fn who_cancels_gets_no_result() {
        let directory = tempfile::tempdir().unwrap();
        let cancel = AtomicBool::new(true);
        let control = Control {
            cancel: Some(&cancel),
            ..Control::default()
        };
        let settings = StatsSettings::new(two_files(&directory));
        let outcome = settings.run(&control);
        assert!(outcome.unwrap_err().is_cancelled());
        let outcomes = settings.run_each(&control);
        assert!(outcomes.unwrap_err().is_cancelled());
    }

    #[test]
    fn files_that_do_not_go_together_are_refused() {
        let settings = StatsSettings {
            mates: true,
            ..StatsSettings::new(["a.fq"])
        };
        assert!(
            settings
                .check()
                .unwrap_err()
                .to_string()
                .contains("two files")
        );
    }
}
