//! A sample: reads in; labels, reads and a report out.

use std::path::{Path, PathBuf};

use thalweg_flow::Budget;
use thalweg_reads::{FilePlan, Listener, ReaderOptions};
use thalweg_taxa::Kernel;
use thalweg_taxa::classify::{Posterior, Rule};
use thalweg_taxa::database::TaxonDatabase;
use thalweg_taxa::label::Columns;
use thalweg_taxa::report::{CallTally, MOST_INDENTED};
use thalweg_taxa::sample::{self, PresenceTest, Profile};
use thalweg_write::{self as write, Level, OutputContents, check_contents};

use super::ClassifyJob;
use super::open::LoadedDatabase;
use super::outputs::{self, SampleOutputs};
use super::report::{ReportStyle, SampleText, write_report};
use crate::index::IndexChoice;
use crate::inputs::{self, MissingEnds};
use crate::{Control, Fault, MessageKind, OutputFile, Reads, notes};

/// Labels for samples: the job behind `thalweg classify`. It has what all samples have in common, and all fields can be set;
/// [`new`](Self::new) has the defaults.
///
/// ```no_run
/// use std::path::Path;
/// use thalweg::Control;
/// use thalweg::classify::{ClassifySettings, Loading, SampleSettings, open_database};
///
/// let (path, control) = (Path::new("ref.tht"), Control::default());
/// let loaded = open_database(path, Loading::Mapped, &control)?;
/// let settings = ClassifySettings::new(&loaded, path);
/// let mut sample = SampleSettings::of_mates("r1.fq.gz", "r2.fq.gz");
/// sample.outputs.report = Some("sample.kreport".into());
/// let labelled = settings.run(&sample, &control)?;
/// println!("{} of {} pairs", labelled.tally.classified(), labelled.tally.reads());
/// # Ok::<(), thalweg::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClassifySettings<'a> {
    /// Where k-mers are looked up.
    pub database: &'a TaxonDatabase,
    /// Whether it is larger than the memory that is unused.
    pub is_large: bool,
    /// Bytes of reads that are looked up together in the order of the database, if that is wanted. Not so by default.
    pub sweep: Option<u64>,
    /// The name of the database, which no output may replace.
    pub path: &'a Path,
    /// How reads are called; by the posterior of species by default.
    pub rule: Rule,
    /// What labels have.
    pub columns: Columns,
    /// Letters of a lower quality than this are taken for no bases; 0, the default, for none of them.
    pub least_quality: u8,
    /// How reports are written.
    pub style: ReportStyle,
    /// When a taxon is there.
    pub test: PresenceTest,
    /// Where the page of all samples goes, if there is to be one: samples have profiles for it then. The page itself is
    /// [the caller's](super::SamplesPage).
    pub page: Option<&'a Path>,
    /// True if outputs may have names that say another format than is written, as kraken2 lets them. Not so by default.
    pub any_endings: bool,
    /// The options that pair mates next to each other, as notes name them.
    pub pairing_option: &'static str,
    /// How hard outputs are compressed.
    pub level: Level,
    /// Which indexes are used.
    pub indexes: IndexChoice,
    /// Bytes that a record may have, [if there is a limit](ReaderOptions::max_record).
    pub max_record: Option<u64>,
    /// True if BAM must end with the end-of-file block of BGZF ([`check_end`](ReaderOptions::check_end)). So by default.
    pub check_end: bool,
    /// Threads, and bytes that output may hold while it waits for its turn; all cores by default.
    pub budget: Budget,
    /// Who is told of pipes that are waited for.
    pub on_wait: Option<Listener>,
}

/// The reads of one sample, and what becomes of them.
#[derive(Clone, Debug)]
pub struct SampleSettings {
    /// What it is called in what is written.
    pub name: String,
    /// Files one after the other: each one file, or the two of mates.
    pub lanes: Vec<Vec<PathBuf>>,
    /// Whether mates follow each other in the same file. Not so by default.
    pub interleaved: bool,
    /// True if files of BAM are taken as interleaved, if the flags of their first records say that they are of pairs. So by
    /// default.
    pub pairs_by_flags: bool,
    /// Whether mates may have any names. Not so by default.
    pub ignore_names: bool,
    /// What is written; by default nothing.
    pub outputs: SampleOutputs,
}

/// What came of a sample.
#[derive(Debug)]
pub struct Labelled {
    /// How many reads are of which taxon.
    pub tally: CallTally,
    /// Which taxa are there, if anything that is written needed to know.
    pub profile: Option<Profile>,
}

impl SampleSettings {
    /// Single reads, of files that follow one another.
    pub fn of_files<P: Into<PathBuf>>(files: impl IntoIterator<Item = P>) -> Self {
        Self::of_lanes(files.into_iter().map(|file| vec![file.into()]).collect())
    }

    /// Pairs of mates.
    pub fn of_mates(first: impl Into<PathBuf>, second: impl Into<PathBuf>) -> Self {
        Self::of_lanes(vec![vec![first.into(), second.into()]])
    }

    /// Lanes that follow one another, each of one file or of mates. The sample is called after the first.
    pub fn of_lanes(lanes: Vec<Vec<PathBuf>>) -> Self {
        Self {
            name: sample_name(lanes.first().map_or(&[], Vec::as_slice)),
            lanes,
            interleaved: false,
            pairs_by_flags: true,
            ignore_names: false,
            outputs: SampleOutputs::default(),
        }
    }

    /// Returns whether reads are known to be of pairs before their files are open.
    pub fn is_paired(&self) -> bool {
        self.interleaved || self.has_mates()
    }

    /// All files, in their order.
    pub fn files(&self) -> Vec<PathBuf> {
        self.lanes.iter().flatten().cloned().collect()
    }

    /// All names of outputs, with the options that ask for them.
    ///
    /// # Errors
    /// [`Fault::Usage`] if a name does not go with reads of this kind.
    pub fn roles(&self) -> Result<Vec<(&'static str, PathBuf)>, Fault> {
        let paired = self.is_paired();
        match self.outputs.roles(paired) {
            // Their flags may say that they are, when they are open.
            Err(_) if self.may_be_paired() => self.outputs.roles(true),
            roles => roles,
        }
    }

    /// Returns whether the flags of records may tell that reads are of pairs, as far as names of files say.
    fn may_be_paired(&self) -> bool {
        let files = self.lanes.iter().flatten();
        !self.is_paired()
            && self.pairs_by_flags
            && files.into_iter().all(|file| inputs::may_be_bam(file))
    }

    fn check_lanes(&self) -> Result<(), Fault> {
        let mut sizes = self.lanes.iter().map(Vec::len);
        match sizes.find(|size| !(1..=2).contains(size)) {
            Some(size) => Err(Fault::usage(
                format!("{}: a lane has {size} files", self.name),
                "a lane is one file, or two files of mates",
            )),
            None => Ok(()),
        }
    }

    fn has_mates(&self) -> bool {
        self.lanes.iter().any(|lane| lane.len() > 1)
    }
}

impl<'a> ClassifySettings<'a> {
    /// Labels by a database that is called so.
    pub fn new(loaded: &'a LoadedDatabase, path: &'a Path) -> Self {
        let database = &*loaded.database;
        Self {
            database,
            is_large: loaded.is_large,
            sweep: None,
            path,
            rule: Rule::Posterior(Posterior::new(database.header().layout.scheme().k())),
            columns: Columns::default(),
            least_quality: 0,
            style: ReportStyle::default(),
            test: PresenceTest::default(),
            page: None,
            any_endings: false,
            pairing_option: "--interleaved",
            level: Level::default(),
            indexes: IndexChoice::default(),
            max_record: None,
            check_end: true,
            budget: Budget::all_cores(),
            on_wait: None,
        }
    }

    /// Refuse lanes that are neither a file nor two mates, and outputs of `samples` that would overwrite each other, an input, or
    /// the database, or whose names say another format than is written.
    ///
    /// # Errors
    /// [`Fault::Usage`], and those of names that cannot be written.
    pub fn check(&self, samples: &[SampleSettings]) -> Result<(), Fault> {
        let test = self.test.ratio;
        if !(test.is_finite() && test >= 0.0) {
            return Err(Fault::usage(
                format!("--present-ratio {test}: must be a finite number, at least 0"),
                "0.25 separates most relatives",
            ));
        }
        samples.iter().try_for_each(SampleSettings::check_lanes)?;
        let mut inputs: Vec<PathBuf> = samples.iter().flat_map(SampleSettings::files).collect();
        inputs.push(self.path.to_owned());
        let roles = samples.iter().map(SampleSettings::roles);
        let mut roles = roles.collect::<Result<Vec<_>, _>>()?.concat();
        roles.extend(self.page.map(|page| ("--html", page.to_owned())));
        outputs::check(&roles, &inputs)?;
        if let Some(page) = self.page {
            check_contents(page, &[OutputContents::Html])?;
        }
        (samples.iter()).try_for_each(|sample| self.check_endings(sample, &[]))
    }

    /// Refuses names that say another format than is written, unless any are accepted.
    fn check_endings(&self, sample: &SampleSettings, plans: &[FilePlan]) -> Result<(), Fault> {
        if self.any_endings {
            return Ok(());
        }
        sample.outputs.check_endings(plans)
    }

    /// Label a sample, whose outputs appear when all is done.
    ///
    /// # Errors
    /// Those of [`check`](Self::check); if reads cannot be read, or outputs not be written; if it was cancelled. No output is
    /// there, then, unless it was the naming of another that failed.
    pub fn run(&self, sample: &SampleSettings, control: &Control) -> Result<Labelled, Fault> {
        self.check(std::slice::from_ref(sample))?;
        let (database, taxonomy) = (self.database, self.database.taxonomy());
        let ends = MissingEnds::default();
        let reads = self.open(sample, &ends, control)?;
        let paired = sample.is_paired() || reads.is_interleaved();
        if paired != sample.is_paired() {
            // What # stands for in their names is known now.
            outputs::check(&sample.outputs.roles(paired)?, &sample.files())?;
        }
        self.check_endings(sample, &reads.plan())?;
        let streams =
            (sample.outputs).streams(&sample.name, &sample.files(), paired, self.level)?;
        let interleaved = reads.is_interleaved();
        let workers = reads.all_workers();
        let report = sample.outputs.report.as_deref();
        let report = report.map(OutputFile::create).transpose()?;
        let texts = sample.outputs.texts.iter();
        let texts = texts.map(|text| Ok((text.text, OutputFile::create(&text.name)?)));
        let texts = texts.collect::<Result<Vec<(SampleText, OutputFile)>, Fault>>()?;
        // Sweeps hold back what comes before, and bound what waits by themselves.
        let ahead = self.sweep.map_or(workers.ahead(), |_| u64::MAX);
        let outputs = write::Outputs::open(streams.options, ahead)?;
        let observed = self.needs_profile(sample);
        let observed = observed.then(|| sample::Sample::new(database, Kernel::best()));
        let observed = observed.transpose()?;
        let collector = || observed.as_ref().map(sample::Sample::observer);
        let job = ClassifyJob {
            database,
            is_large: self.is_large,
            sweep: self.sweep,
            rule: self.rule.clone(),
            columns: self.columns,
            interleaved,
            least_quality: self.least_quality,
            streams: streams.streams,
            control,
        };
        let done = job.run(workers, &outputs, collector);
        ends.say(control);
        let done = done?;
        let (tally, tickets) = (done.tally, done.tickets);
        let observed = done.collected.map(sample::SampleObserver::finish);
        let profile = observed.map(|observed| Profile::new(database, &tally, &observed, self.test));
        // Whoever is interrupted before the first file has its name has none.
        let mut whole = Vec::new();
        if let Some(mut report) = report {
            let depth = taxonomy.depths().into_iter().max().unwrap_or(0);
            if depth > MOST_INDENTED && !self.style.mpa {
                let text = format!(
                    "the taxonomy has {depth} levels, and reports indent names for {MOST_INDENTED}: whoever reads the tree from \
                     the indentation sees deeper taxa side by side"
                );
                control.say(MessageKind::Note, text);
            }
            let text = write_report(&tally, profile.as_ref(), taxonomy, self.style)?;
            report.write(&text)?;
            whole.push(report.seal()?);
        }
        for (text, mut output) in texts {
            let text = text.write(&sample.name, &tally, profile.as_ref(), taxonomy)?;
            output.write(&text)?;
            whole.push(output.seal()?);
        }
        control.check()?;
        outputs.finish_with(tickets, whole)?;
        Ok(Labelled { tally, profile })
    }

    /// Whether any output of a sample tells more than numbers of reads.
    fn needs_profile(&self, sample: &SampleSettings) -> bool {
        let texts = sample.outputs.texts.iter();
        self.page.is_some()
            || self.style.kmers && sample.outputs.report.is_some()
            || texts.into_iter().any(|text| text.text.needs_profile())
    }

    fn open(
        &self,
        sample: &SampleSettings,
        ends: &MissingEnds,
        control: &Control,
    ) -> Result<Reads, Fault> {
        let options = self.reading(sample, control)?.on_missing_end(ends.note());
        let reads = inputs::open(options, control)?;
        let plans = reads.plan();
        notes::repeats(&plans).for_each(|note| control.tell(note));
        notes::colour_space(&plans).for_each(|note| control.tell(note));
        if reads.is_interleaved() && !sample.interleaved {
            notes::taken_as_pairs(&plans)
                .into_iter()
                .for_each(|note| control.tell(note));
        } else if !sample.is_paired()
            && let Some(note) = notes::taken_as_single(&plans, self.pairing_option)
        {
            control.tell(note);
        }
        if !sample.outputs.reads.is_empty() {
            inputs::refuse_two_formats(&reads, "classify them one after the other")?;
        }
        Ok(reads)
    }

    /// How the files of a sample are read.
    fn reading(&self, sample: &SampleSettings, control: &Control) -> Result<ReaderOptions, Fault> {
        let (files, has_mates) = (sample.files(), sample.has_mates());
        self.indexes.check(&files)?;
        inputs::check_standard_input(&files)?;
        inputs::check_names_matter(sample.ignore_names, sample.is_paired())?;
        if has_mates {
            (sample.lanes.iter()).try_for_each(|lane| inputs::check_mates(lane))?;
        }
        self.indexes.build_named(&files, self.budget, control)?;
        let options = sample.lanes.iter();
        let options = options.fold(ReaderOptions::new(), |options, lane| match has_mates {
            true => options.mates(lane),
            false => lane.iter().fold(options, ReaderOptions::file),
        });
        let options = inputs::tell_of_waits(options, self.on_wait.as_ref());
        let options = self.indexes.choose(options, self.budget);
        Ok(options
            .interleaved(sample.interleaved)
            .pairs_by_flags(sample.pairs_by_flags)
            .check_names(!sample.ignore_names)
            .check_letters(true)
            .max_record(self.max_record)
            .check_end(self.check_end)
            .budget(self.budget))
    }
}

/// What a sample is called that nobody gave a name: that of the first file of its first lane, without endings and without what
/// tells mates.
fn sample_name(lane: &[PathBuf]) -> String {
    let first = lane.first().map_or(Path::new("-"), PathBuf::as_path);
    let name = first.file_name().unwrap_or_default().to_string_lossy();
    let mut name = &*name;
    if name == "-" || name.is_empty() {
        return "sample".to_owned();
    }
    for endings in [
        &[".gz", ".bgz", ".zst", ".bz2", ".xz"][..],
        &[".fastq", ".fq", ".fasta", ".fa", ".fna", ".bam", ".txt"],
    ] {
        let found = endings.iter().find_map(|ending| name.strip_suffix(ending));
        name = found.filter(|name| !name.is_empty()).unwrap_or(name);
    }
    if lane.len() > 1 {
        let endings = ["_R1_001", "_R1", "_1", ".R1", ".1"];
        let found = endings.iter().find_map(|ending| name.strip_suffix(ending));
        name = found.filter(|name| !name.is_empty()).unwrap_or(name);
    }
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Loading, SamplesPage, TextOutput, open_database};
    use crate::control::stopping;
    use crate::taxa::BuildSettings;
    use crate::trace::TraceSettings;

    #[test]
    fn samples_are_named_by_their_files() {
        let name = |files: &[&str]| sample_name(&Vec::from_iter(files.iter().map(PathBuf::from)));
        assert_eq!(name(&["/x/gut_R1.fastq.gz", "/x/gut_R2.fastq.gz"]), "gut");
        assert_eq!(name(&["gut_1.fq", "gut_2.fq"]), "gut");
        assert_eq!(name(&["gut_1.fq"]), "gut_1");
        assert_eq!(name(&["a.b.fa.zst"]), "a.b");
        assert_eq!(name(&["-"]), "sample");
        assert_eq!(name(&[".gz"]), ".gz");
        assert_eq!(name(&[]), "sample");
    }

    #[test]
    fn samples_are_labelled_and_those_that_are_stopped_leave_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        let genomes = [
            "ACGGTCATGCGTTAGCATTGACCAGTTACAGGATTTCAGGCTA",
            "TGGCATTCGGATACCAGTCAGGCTTAACGGATCTAGCCATGAC",
        ];
        let taxa =
            "a\td__B;p__C;c__D;o__E;f__F;g__G;s__G a\nb\td__B;p__C;c__D;o__E;f__F;g__G;s__G b\n";
        std::fs::write(path("taxa.tsv"), taxa).unwrap();
        for (name, letters) in ["a", "b"].into_iter().zip(genomes) {
            std::fs::write(
                path(&format!("{name}.fa")),
                format!(">{name}1\n{letters}\n"),
            )
            .unwrap();
        }
        let mut build = BuildSettings::new([path("a.fa"), path("b.fa")], path("ref.tht"));
        build.taxa.taxonomy = Some(path("taxa.tsv"));
        build.budget = Budget::new(1).with_memory(1 << 28);
        build.run(&Control::default()).unwrap();
        // Of three reads one is of a, one of b, and one of neither.
        let letters = [genomes[0], genomes[1], &"AC".repeat(21)];
        let read = |number: usize| format!(">r{number}\n{}\n", letters[number % 3]);
        let reads: String = (0..90_000).map(read).collect();
        std::fs::write(path("gut_1.fa"), reads).unwrap();

        let name = path("ref.tht");
        let loaded = open_database(&name, Loading::Preloaded, &Control::default()).unwrap();
        stopping::at_once(directory.path(), |control| {
            open_database(&name, Loading::Preloaded, control)
        });
        let mut settings = ClassifySettings::new(&loaded, &name);
        settings.budget = Budget::new(2);
        let mut sample = SampleSettings::of_files([path("gut_1.fa")]);
        assert_eq!(sample.name, "gut_1");
        sample.outputs = SampleOutputs {
            labels: Some(path("labels.tsv")),
            report: Some(path("report")),
            texts: vec![TextOutput {
                option: "--presence",
                name: path("presence.tsv"),
                text: SampleText::Presence,
            }],
            trace: Some(TraceSettings::new(path("trace.jsonl"))),
            ..SampleOutputs::default()
        };
        stopping::midway(directory.path(), |control| settings.run(&sample, control));
        let labels = std::fs::read_to_string(path("labels.tsv")).unwrap();
        let classified = labels
            .lines()
            .filter(|line| line.starts_with("C\t"))
            .count();
        assert_eq!((labels.lines().count(), classified), (90_000, 60_000));

        // A report that does not fit on the disk, which is seen when it is whole.
        std::fs::remove_file(path("labels.tsv")).unwrap();
        std::os::unix::fs::symlink("/dev/full", path("full.gz")).unwrap();
        let report = sample.outputs.report.replace(path("full.gz"));
        let fault = settings.run(&sample, &Control::default()).unwrap_err();
        assert!(fault.to_string().contains("full.gz"), "{fault}");
        assert!(!path("labels.tsv").exists());
        sample.outputs.report = report;

        // A page of two samples, and what two outputs cannot share.
        let page = path("page.html");
        settings.page = Some(&page);
        sample.outputs = SampleOutputs::default();
        let labelled = settings.run(&sample, &Control::default()).unwrap();
        assert_eq!(
            (labelled.tally.reads(), labelled.tally.classified()),
            (90_000, 60_000)
        );
        let taxonomy = settings.database.taxonomy();
        let mut pages = SamplesPage::create(&page, taxonomy, &name, "posterior").unwrap();
        pages.add("one", labelled);
        pages.finish(&["two"]).unwrap();
        assert!(std::fs::read_to_string(&page).unwrap().contains("two"));
        for files in [0, 3] {
            let lanes = vec![vec![path("gut_1.fa")], vec![path("gut_1.fa"); files]];
            let fault = settings.run(&SampleSettings::of_lanes(lanes), &Control::default());
            let told = format!("gut_1: a lane has {files} files");
            assert_eq!(fault.unwrap_err().to_string(), told);
        }
        sample.outputs.labels = Some(path("gut_1.fa"));
        let fault = settings.run(&sample, &Control::default()).unwrap_err();
        assert!(
            fault.to_string().contains("is an input file too"),
            "{fault}"
        );
        sample.outputs.labels = Some(page.clone());
        let fault = settings.run(&sample, &Control::default()).unwrap_err();
        assert!(fault.to_string().contains("name the same file"), "{fault}");
    }
}
