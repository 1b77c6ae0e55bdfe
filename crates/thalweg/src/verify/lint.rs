//! All faults of the records of files: the job behind `thalweg verify --mates` and `--faults`.
//!
//! ```text
//! regular files ──► all threads: are they sound? ──► yes: done
//!                                               └──► no: as below
//! all others    ──► one thread, four lines at a time, in the order of the input ──► faults with their places
//! ```
//! Most files are sound, and only the others need to be read by lines.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use thalweg_files::TemporaryError;
use thalweg_flow::Budget;
use thalweg_formats::BinaryFormat;
use thalweg_formats::Format;
use thalweg_formats::bam::BAM;
use thalweg_reads::{
    Batch, Block, Error, ErrorKind, Listener, ReaderOptions, Statistics, bgzf_end_error,
};

use super::VerifySettings;
use super::four_lines::{FourLineReader, not_fastq};
use super::names::{NameHash, NamePlace, Names, hash};
use super::rules::{BASES, FaultCode, common_name, judge, single_name};
use super::step::{Step, Steps};
use crate::index::IndexChoice;
use crate::inputs::{self, MissingEnds};
use crate::{Control, Fault};

/// Which files are judged, and by which rules. All fields can be set; [`new`](Self::new) has the defaults.
#[derive(Clone, Debug)]
pub struct LintSettings {
    /// FASTQ, compressed or not; `-` is the standard input.
    pub files: Vec<PathBuf>,
    /// Whether the files are mates of each other. Not so by default.
    pub mates: bool,
    /// Whether mates follow each other in each file. Not so by default.
    pub interleaved: bool,
    /// Rules that are not asked for. None by default.
    pub disabled: Vec<FaultCode>,
    /// How many faults of each code are listed of each file; all are counted. 100 by default.
    pub listed: u64,
    /// Whether everything is checked that a file is compared with in its index, and not only its hash. Not so by default.
    pub full: bool,
    /// Which indexes are used.
    pub indexes: IndexChoice,
    /// Threads, and bytes that may be held; half of these are for names.
    pub budget: Budget,
    /// Where names go that find no room in memory; that of the system by default.
    pub directory: PathBuf,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,
    /// True if BGZF must end with its end-of-file block. So by default.
    pub check_end: bool,
}

/// What is wrong with a file, or with files that are mates of each other.
#[derive(Debug)]
pub struct LintReport {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Records of each file that were judged.
    pub records: u64,
    /// Faults in the order of their records, as far as they are listed.
    pub faults: Vec<RecordFault>,
    /// How many faults of each code there are in all; of those that there are none of, nothing.
    pub totals: BTreeMap<FaultCode, u64>,
    /// Where mates fall out of step first, if they do. All pairs behind it count as faults. Behind it, a pair is listed only
    /// where another record is missing or its name fits no neighbour.
    pub out_of_step: Option<OutOfStep>,
    /// Why it was not read to its end, or cannot be what it seems to be.
    pub error: Option<Fault>,
    /// How many of each code and file are listed.
    listed: BTreeMap<(FaultCode, usize), u64>,
}

/// Where mates fall out of step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct OutOfStep {
    /// The rank of the first record, counted from 0, whose mate has another name.
    pub record: u64,
    /// Which of the files lacks records there, counted from 0.
    pub file: usize,
    /// How many it lacks; of interleaved mates an odd number of them, told as 1.
    pub lacking: u64,
}

/// One fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordFault {
    /// Which rule is broken.
    pub code: FaultCode,
    /// Which of the files has it, counted from 0.
    pub file: usize,
    /// The rank of the record, counted from 0.
    pub record: u64,
    /// The byte of the uncompressed data that is at fault, counted from 0: the line's first where no byte is.
    pub offset: u64,
    /// What is wrong.
    pub what: String,
}

impl LintReport {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.totals.is_empty() && self.error.is_none()
    }

    /// Whether all pairs of mates that were judged, two of them or more, have different names, and not as they fell out of step.
    pub fn names_never_agree(&self) -> bool {
        let pairs = match self.files.len() as u64 {
            // Interleaved.
            1 => self.records / 2,
            files => self.records * (files - 1),
        };
        let differ = self.totals.get(&FaultCode::MateNames);
        pairs > 1 && differ == Some(&pairs) && self.out_of_step.is_none()
    }

    /// How many faults there are in all.
    pub fn total(&self) -> u64 {
        self.totals.values().sum()
    }
}

impl LintSettings {
    /// `files` as single reads, by all rules and all cores.
    pub fn new<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self {
            files: files.into_iter().map(Into::into).collect(),
            mates: false,
            interleaved: false,
            disabled: Vec::new(),
            listed: 100,
            full: false,
            indexes: IndexChoice::default(),
            budget: Budget::all_cores(),
            directory: std::env::temp_dir(),
            on_wait: None,
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
        match self.mates {
            true => inputs::check_mates(&self.files),
            false => Ok(()),
        }
    }

    /// Judge all files: one report for mates, else one for each file. A file at fault does not keep the next from being judged.
    ///
    /// # Errors
    /// Those of [`check`](Self::check), and that it was cancelled.
    pub fn run(&self, control: &Control) -> Result<Vec<LintReport>, Fault> {
        self.check()?;
        self.indexes
            .build_named(&self.files, self.budget, control)?;
        let all: Vec<usize> = (0..self.files.len()).collect();
        let sets = match self.mates {
            true => all.chunks(all.len().max(1)),
            false => all.chunks(1),
        };
        sets.map(|places| self.judge_set(places, control)).collect()
    }

    /// What is wrong with a file by its index, if it has one; and with one that has no bytes, not even those of no reads.
    fn compare_with_index(&self, place: usize, control: &Control) -> Option<Fault> {
        let file = &self.files[place];
        let metadata = file.metadata().ok().filter(Metadata::is_file)?;
        let index = self.indexes.of_file(file, place).ok().flatten();
        if index.is_none() && metadata.len() > 0 {
            let error = bgzf_end_error(file).ok().flatten();
            return error.filter(|_| self.check_end).map(Fault::from);
        }
        let verify = VerifySettings {
            full: self.full,
            indexes: self.indexes.clone(),
            threads: self.budget.threads(),
            check_end: self.check_end,
            ..VerifySettings::new(&self.files)
        };
        verify.verify(place, control).err()
    }

    /// Judge the files at these places, which are read in step.
    fn judge_set(&self, places: &[usize], control: &Control) -> Result<LintReport, Fault> {
        let set = Set {
            settings: self,
            places,
        };
        let mut report = LintReport {
            files: places
                .iter()
                .map(|&place| self.files[place].clone())
                .collect(),
            records: 0,
            faults: Vec::new(),
            totals: BTreeMap::new(),
            out_of_step: None,
            error: None,
            listed: BTreeMap::new(),
        };
        let by_index = places
            .iter()
            .find_map(|&place| self.compare_with_index(place, control));
        control.check()?;
        let can_be_read_again = report.files.iter().all(|file| file.is_file());
        let screened = match can_be_read_again {
            true => set.screen(control),
            false => Ok(None),
        };
        control.check()?;
        match screened {
            Ok(Some(records)) => report.records = records,
            // What the system refuses once it refuses again.
            Err(fault) if !fault.is_data() => report.error = Some(fault),
            screened => {
                report.error = set.list(&mut report, control).err();
                control.check()?;
                // What four lines do not show, such as damage of an index; but a rule that is not asked for is none of it.
                if report.is_sound() && self.disabled.is_empty() {
                    report.error = screened.err();
                }
            }
        }
        report.error = report.error.or(by_index);
        report
            .faults
            .sort_by_key(|fault| (fault.record, fault.file, fault.code));
        Ok(report)
    }
}

/// Bytes that a record may have for all threads to read it, however many there are.
const LEAST_RECORD: u64 = 64 * 1024;

/// Files that are judged together.
#[derive(Clone, Copy)]
struct Set<'a> {
    settings: &'a LintSettings,
    places: &'a [usize],
}

/// Why all threads stop looking.
enum NotSound {
    /// There is a fault of a record, to be found again with its place.
    Fault,
    Failed(Fault),
}

impl From<Error> for NotSound {
    fn from(error: Error) -> Self {
        Self::Failed(Fault::Reads(error))
    }
}

impl From<TemporaryError> for NotSound {
    fn from(error: TemporaryError) -> Self {
        Self::Failed(no_room(error))
    }
}

impl Set<'_> {
    /// Whether the files have no fault at all, by all threads: the number of records of each if so.
    ///
    /// # Errors
    /// What keeps records from being read.
    fn screen(self, control: &Control) -> Result<Option<u64>, Fault> {
        let ends = MissingEnds::default();
        let reads = inputs::open(self.reading().on_missing_end(ends.note()), control)?;
        for plan in reads.plan() {
            let is = plan.format_name;
            if is == BAM.name() || plan.format == Format::Fasta {
                return Err(not_fastq(&plan.path, is));
            }
        }
        let workers = reads.all_workers();
        let position = workers.progress();
        let names = Mutex::new(self.names());
        let counts = workers.gather(
            || Ok((Statistics::new(false), Vec::new())),
            |(statistics, hashes), batch| {
                control.progress(&position);
                control.check()?;
                if !self.is_sound(batch, statistics) {
                    return Err(NotSound::Fault);
                }
                self.add_names(batch, hashes);
                let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
                for hash in hashes.drain(..) {
                    names.add(hash, NamePlace::default())?;
                }
                Ok(())
            },
            |(statistics, _)| Ok(statistics.reads()),
        );
        ends.say(control);
        let records: u64 = match counts {
            Ok(counts) => counts.into_iter().sum(),
            Err(NotSound::Fault) => return Ok(None),
            // Read by lines, it takes no more than the limit, or is refused as too long.
            Err(NotSound::Failed(Fault::Reads(error)))
                if matches!(error.kind(), ErrorKind::LongRecord { .. }) =>
            {
                return Ok(None);
            }
            Err(NotSound::Failed(fault)) => return Err(fault),
        };
        let names = names.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut are_unique = true;
        let repeated = names.find_repeated(|_, _| are_unique = false);
        repeated.map_err(no_room)?;
        let of_each = records / self.places.len() as u64;
        Ok(are_unique.then_some(of_each))
    }

    /// Whether no rule is broken but those that a reader has: that lines begin as they must, that lengths are the same, and
    /// that qualities are some. Records that came before are in the statistics, and so are these then.
    fn is_sound(self, batch: &Batch, statistics: &mut Statistics) -> bool {
        let blocks = batch.blocks();
        let are_four_lines = |block: &Block| block.records().format() == Format::Fastq;
        if !blocks.iter().all(are_four_lines) {
            return false;
        }
        blocks.iter().for_each(|block| statistics.add_block(block));
        let are_bases = || {
            let letters = statistics.letters();
            let bases: u64 = BASES.iter().map(|&base| letters.count(base)).sum();
            letters.total() == bases
        };
        (self.lacks(FaultCode::Alphabet) || are_bases())
            && (self.lacks(FaultCode::Complete) || statistics.shortest() != Some(0))
            && self.have_names_of_mates(blocks)
    }

    fn have_names_of_mates(self, blocks: &[Block]) -> bool {
        if self.lacks(FaultCode::MateNames) {
            return true;
        }
        let same = |(one, other): (&[u8], &[u8])| common_name(one) == common_name(other);
        let Some((first, others)) = blocks.split_first() else {
            return true;
        };
        let mut neighbours = first.records().heads();
        let mut pairs = std::iter::from_fn(|| Some((neighbours.next()?, neighbours.next()?)));
        (!self.settings.interleaved || pairs.all(same))
            && others.iter().all(|other| {
                let mut pairs = first.records().heads().zip(other.records().heads());
                pairs.all(same)
            })
    }

    /// Names that are not to come again.
    fn add_names(self, batch: &Batch, hashes: &mut Vec<NameHash>) {
        if self.lacks(FaultCode::DuplicateName) {
            return;
        }
        let step = if self.settings.interleaved { 2 } else { 1 };
        let heads = batch.records().heads().step_by(step);
        hashes.extend(heads.map(|head| hash(self.unique_part(head))));
    }

    /// What of a name, without its `@`, no other record of the file has: mates share theirs.
    fn unique_part(self, name: &[u8]) -> &[u8] {
        match self.settings.mates || self.settings.interleaved {
            true => common_name(name),
            false => single_name(name),
        }
    }

    /// List all faults, by one thread.
    ///
    /// # Errors
    /// What keeps files from being read to their ends, and that these do not go together.
    fn list(self, report: &mut LintReport, control: &Control) -> Result<(), Fault> {
        let longest = usize::try_from(self.longest_line()).unwrap_or(usize::MAX);
        let files = report.files.clone();
        let readers = files.iter().map(|file| FourLineReader::open(file, longest));
        let mut readers = readers.collect::<Result<Vec<_>, _>>()?;
        let mut names = self.names();
        let outcome = self.list_lines(&mut readers, &mut names, report, control);
        let mut found = |place: NamePlace, first: NamePlace| {
            let what = format!("record {} has the same name", first.rank + 1);
            let fault = RecordFault {
                code: FaultCode::DuplicateName,
                file: 0,
                record: place.rank,
                offset: place.offset,
                what,
            };
            self.note(report, fault);
        };
        // Ordered, so that those that are listed are the first.
        let mut repeated = Vec::new();
        let listed = self.settings.listed;
        let mut more = 0;
        names
            .find_repeated(|place, first| {
                keep_least(&mut repeated, (place, first), listed, &mut more)
            })
            .map_err(no_room)?;
        repeated.sort_unstable();
        repeated
            .into_iter()
            .for_each(|(place, first)| found(place, first));
        if more > 0 {
            *report.totals.entry(FaultCode::DuplicateName).or_default() += more;
        }
        outcome?;
        let mut ends = readers.iter().filter(|_| self.settings.check_end);
        ends.try_for_each(FourLineReader::check_end)
    }

    fn list_lines(
        self,
        readers: &mut [FourLineReader],
        names: &mut Names,
        report: &mut LintReport,
        control: &Control,
    ) -> Result<(), Fault> {
        let interleaved = self.settings.interleaved;
        // The name of the first mate, of which the second one is next.
        let mut waiting = Vec::new();
        // Of each file and its mates in the first one; of interleaved ones there is one.
        let mut steps: Vec<Steps> = readers.iter().map(|_| Steps::default()).collect();
        loop {
            let rank = report.records;
            if rank.is_multiple_of(4096) {
                control.progress(|| readers[0].progress());
                control.check()?;
            }
            let mut ended = None;
            let mut has_more = None;
            for (file, reader) in readers.iter_mut().enumerate() {
                match reader.next()? {
                    Some(_) => has_more = Some(file),
                    None => ended = Some(file),
                }
            }
            match (ended, has_more) {
                (None, _) => {}
                (Some(_), None) if interleaved && rank % 2 == 1 => {
                    let error = Error::new(ErrorKind::OddInterleaved);
                    return Err(Fault::Reads(error.in_file(&report.files[0])));
                }
                (Some(_), None) => return Ok(()),
                (Some(shorter), Some(longer)) => {
                    let error = Error::new(ErrorKind::UnequalFiles {
                        shorter: report.files[shorter].clone(),
                        longer: report.files[longer].clone(),
                        longer_has: None,
                    });
                    return Err(Fault::Reads(error.at_record(Some(rank))));
                }
            }
            for (file, reader) in readers.iter().enumerate() {
                judge(reader.lines(), |(code, line, place, what)| {
                    let fault = RecordFault {
                        code,
                        file,
                        record: rank,
                        offset: reader.offset(line) + place as u64,
                        what,
                    };
                    self.note(report, fault);
                });
            }
            let first = readers[0].lines()[0];
            for (file, reader) in readers.iter().enumerate().skip(1) {
                self.compare(first, reader, file, &mut steps[file], report);
            }
            let is_second = interleaved && rank % 2 == 1;
            if is_second {
                self.compare(&waiting, &readers[0], 0, &mut steps[0], report);
            }
            if interleaved && !is_second {
                waiting.clear();
                waiting.extend_from_slice(first);
            }
            if !is_second && !self.lacks(FaultCode::DuplicateName) {
                let name = first.strip_prefix(b"@").unwrap_or(first);
                let offset = readers[0].offset(0);
                let name = hash(self.unique_part(name));
                names
                    .add(name, NamePlace { rank, offset })
                    .map_err(no_room)?;
            }
            report.records += 1;
        }
    }

    /// Compare the name of the last record of a reader with its mate's.
    fn compare(
        self,
        first: &[u8],
        reader: &FourLineReader,
        file: usize,
        steps: &mut Steps,
        report: &mut LintReport,
    ) {
        if self.lacks(FaultCode::MateNames) {
            return;
        }
        let (one, other) = (common_name(first), common_name(reader.lines()[0]));
        let step = steps.next(report.records, one, other);
        if step == Step::Same {
            return;
        }
        *report.totals.entry(FaultCode::MateNames).or_default() += 1;
        let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
        match step {
            Step::Differs => {
                let fault = RecordFault {
                    code: FaultCode::MateNames,
                    file,
                    record: report.records,
                    offset: reader.offset(0),
                    what: format!(
                        "name '{}' does not match its mate '{}'",
                        name(other),
                        name(one)
                    ),
                };
                self.list_fault(report, fault);
            }
            Step::Apart { since, lacking } => {
                let lacks = OutOfStep {
                    record: since,
                    // Of interleaved mates there is no other file.
                    file: if lacking < 0 { 0 } else { file },
                    lacking: match self.settings.interleaved {
                        true => 1,
                        false => lacking.unsigned_abs(),
                    },
                };
                self.fall_out_of_step(report, file, lacks);
            }
            Step::Same | Step::Known => {}
        }
    }

    /// Say where the mates of a file fall out of step, in place of all pairs since then.
    fn fall_out_of_step(self, report: &mut LintReport, file: usize, lacks: OutOfStep) {
        let is_alike = |fault: &RecordFault| {
            fault.code == FaultCode::MateNames && fault.file == file && fault.record >= lacks.record
        };
        let before = report.faults.len();
        (report.faults).retain(|fault| !is_alike(fault) || fault.record == lacks.record);
        let removed = (before - report.faults.len()) as u64;
        if let Some(listed) = report.listed.get_mut(&(FaultCode::MateNames, file)) {
            *listed -= removed;
        }
        let what = match (self.settings.interleaved, lacks.lacking) {
            (true, _) => ": a record is missing".to_owned(),
            (false, 1) => format!(": {} lacks a record", report.files[lacks.file].display()),
            (false, more) => {
                let file = report.files[lacks.file].display();
                format!(": {file} lacks {more} records")
            }
        };
        if let Some(first) = report.faults.iter_mut().find(|fault| is_alike(fault)) {
            first.what.push_str(&what);
            first
                .what
                .push_str(", and mates are out of step from here on");
        }
        report.out_of_step.get_or_insert(lacks);
    }

    /// Count a fault, and list it if there are not too many of its kind.
    fn note(self, report: &mut LintReport, fault: RecordFault) {
        if !self.lacks(fault.code) {
            *report.totals.entry(fault.code).or_default() += 1;
            self.list_fault(report, fault);
        }
    }

    /// List a fault if there are not too many of its kind.
    fn list_fault(self, report: &mut LintReport, fault: RecordFault) {
        let listed = report.listed.entry((fault.code, fault.file)).or_default();
        if *listed < self.settings.listed {
            *listed += 1;
            report.faults.push(fault);
        }
    }

    /// Whether a rule is not asked for.
    fn lacks(self, code: FaultCode) -> bool {
        self.settings.disabled.contains(&code)
    }

    fn names(self) -> Names {
        Names::new(
            self.settings.budget.memory() / 2,
            self.settings.directory.clone(),
        )
    }

    /// Bytes that a line may have.
    fn longest_line(self) -> u64 {
        self.settings.budget.memory() / 16
    }

    /// Bytes that a record may have where all threads read: each may hold four, of as many streams of gzip.
    fn longest_record(self) -> u64 {
        let budget = self.settings.budget;
        let share = budget.memory() / (8 * budget.threads() as u64);
        self.longest_line().min(share.max(LEAST_RECORD))
    }

    /// How records are read.
    fn reading(self) -> ReaderOptions {
        let settings = self.settings;
        let files = self.places.iter().map(|&place| &settings.files[place]);
        let reading = match settings.mates {
            true => ReaderOptions::new().mates(files),
            false => files.fold(ReaderOptions::new(), ReaderOptions::file),
        };
        let reading = inputs::tell_of_waits(reading, settings.on_wait.as_ref());
        let indexes = settings.indexes.of_places(self.places);
        indexes
            .choose(reading, settings.budget)
            .budget(settings.budget)
            .interleaved(settings.interleaved)
            .check_names(false)
            .check_letters(true)
            .max_record(Some(self.longest_record()))
    }
}

/// Keep the least of all that come, `most` of them, and count the others.
fn keep_least<T: Ord>(kept: &mut Vec<T>, new: T, most: u64, others: &mut u64) {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    kept.push(new);
    if kept.len() >= most.saturating_mul(2).max(most + 1) {
        kept.sort_unstable();
        *others += (kept.len() - most) as u64;
        kept.truncate(most);
    }
}

/// Names could not be put aside, or read again.
fn no_room(error: TemporaryError) -> Fault {
    Fault::usage(
        error.to_string(),
        "names wait there to be compared with all others: set TMPDIR to a directory with room, let more of them be in \
         memory (--memory), or leave S007 out (--disable S007)",
    )
}
