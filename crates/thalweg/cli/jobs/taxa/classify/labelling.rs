//! A sample: reads in; labels, reads and a report out.

use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::Reads;
use thalweg::classify::ClassifyJob;
use thalweg::taxa::Kernel;
use thalweg::taxa::classify::Rule;
use thalweg::taxa::database::Database;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::Tally;
use thalweg::taxa::sample::{self, PresenceTest, Profile};
use thalweg::write::{self, Level};

use super::outputs::{self, Outputs};
use super::report::{ReportStyle, Text, write_report};
use crate::input;
use crate::options::bam::tell_of_pairs;
use crate::options::{Common, IndexChoice, Pairing};
use crate::output::Output;
use crate::process::exit::Failure;
use crate::process::hearing::heard;

/// What all samples have in common.
pub(crate) struct Labelling<'a> {
    pub(crate) database: &'a Database,
    /// Whether it is larger than the memory that is unused.
    pub(crate) is_large: bool,
    /// Bytes of reads that are looked up together in the order of the database.
    pub(crate) sweep: Option<u64>,
    /// Its name.
    pub(crate) path: &'a Path,
    pub(crate) rule: Rule,
    pub(crate) columns: Columns,
    pub(crate) least_quality: u8,
    pub(crate) style: ReportStyle,
    /// When a taxon is there.
    pub(crate) test: PresenceTest,
    /// The page of all samples, which needs profiles of them.
    pub(crate) page: Option<&'a Path>,
    pub(crate) level: Level,
    pub(crate) index: &'a IndexChoice,
    /// Bytes that a record may have, if there is a limit.
    pub(crate) max_record: Option<u64>,
    pub(crate) common: &'a Common,
}

/// Reads, and what becomes of them.
pub(crate) struct Sample {
    pub(crate) name: String,
    /// Files one after the other: each one file, or the two of mates.
    pub(crate) lanes: Vec<Vec<PathBuf>>,
    pub(crate) interleaved: bool,
    pub(crate) ignore_names: bool,
    pub(crate) outputs: Outputs,
}

/// What came of a sample.
pub(crate) struct Labelled {
    pub(crate) tally: Tally,
    /// If anything needed it.
    pub(crate) profile: Option<Profile>,
}

impl Sample {
    pub(crate) fn is_paired(&self) -> bool {
        self.interleaved || self.lanes.iter().any(|lane| lane.len() > 1)
    }

    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.lanes.iter().flatten().cloned().collect()
    }

    /// All names of outputs, with the options that ask for them.
    pub(crate) fn roles(&self) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
        self.outputs.roles(self.is_paired())
    }
}

impl Labelling<'_> {
    /// Refuse outputs of `samples` that would overwrite each other, an input, or the database.
    pub(crate) fn check(&self, samples: &[Sample]) -> Result<(), Failure> {
        let mut inputs: Vec<PathBuf> = samples.iter().flat_map(Sample::files).collect();
        inputs.push(self.path.to_owned());
        let roles = samples.iter().map(Sample::roles);
        let mut roles = roles.collect::<Result<Vec<_>, _>>()?.concat();
        roles.extend(self.page.map(|page| ("--html", page.to_owned())));
        outputs::check(&roles, &inputs)
    }

    /// Label a sample, whose outputs appear when all is done. They were [checked](Self::check).
    pub(crate) fn run(&self, sample: &Sample) -> Result<Labelled, Failure> {
        let start = Instant::now();
        let (database, taxonomy) = (self.database, self.database.taxonomy());
        let streams = (sample.outputs).streams(
            &sample.name,
            &sample.files(),
            sample.is_paired(),
            self.level,
        )?;
        let reads = self.open(sample)?;
        let workers = reads.all_workers();
        let report = sample.outputs.report.as_deref();
        let report = report.map(Output::create).transpose()?;
        let texts = sample.outputs.texts.iter();
        let texts = texts.map(|text| Ok((text.text, Output::create(&text.name)?)));
        let texts = texts.collect::<Result<Vec<(Text, Output)>, Failure>>()?;
        // Sweeps hold back what comes before, and bound what waits by themselves.
        let ahead = self.sweep.map_or(workers.ahead(), |_| u64::MAX);
        let outputs = write::Outputs::open(streams.options, ahead)?;
        let names: Vec<_> = sample.roles()?.into_iter().map(|(_, name)| name).collect();
        let of_outputs = |failure: Failure| failure.of_outputs(&names);
        let observed = self.needs_profile(sample);
        let observed = observed.then(|| sample::Sample::new(database, Kernel::best()));
        let observed = observed.transpose()?;
        let collector = || observed.as_ref().map(sample::Sample::observer);
        let done = heard(self.common, &sample.lanes[0][0], |control| {
            let job = ClassifyJob {
                database,
                is_large: self.is_large,
                sweep: self.sweep,
                rule: self.rule.clone(),
                columns: self.columns,
                interleaved: sample.interleaved,
                least_quality: self.least_quality,
                streams: streams.streams,
                control,
            };
            job.run(workers, &outputs, collector)
        });
        let done = done.map_err(Failure::from).map_err(of_outputs)?;
        let (tally, tickets) = (done.tally, done.tickets);
        let observed = done.collected.map(sample::Observer::finish);
        let profile = observed.map(|observed| Profile::new(database, &tally, &observed, self.test));
        // Whoever is interrupted before the first file has its name has none.
        let mut whole = Vec::new();
        if let Some(mut report) = report {
            let text = write_report(&tally, profile.as_ref(), taxonomy, self.style)?;
            report.write(&text)?;
            whole.push(report);
        }
        for (text, mut output) in texts {
            let text = text.write(&sample.name, &tally, profile.as_ref(), taxonomy)?;
            output.write(&text)?;
            whole.push(output);
        }
        outputs
            .finish(tickets)
            .map_err(Failure::from)
            .map_err(of_outputs)?;
        whole.into_iter().try_for_each(Output::finish)?;
        if !self.common.quiet {
            for line in tally.closing_lines(start.elapsed()).lines() {
                tell!("{line}");
            }
        }
        Ok(Labelled { tally, profile })
    }

    /// Whether any output of a sample tells more than numbers of reads.
    fn needs_profile(&self, sample: &Sample) -> bool {
        let texts = sample.outputs.texts.iter();
        self.page.is_some()
            || self.style.kmers && sample.outputs.report.is_some()
            || texts.into_iter().any(|text| text.text.needs_profile())
    }

    fn open(&self, sample: &Sample) -> Result<Reads, Failure> {
        let pairing = Pairing {
            mates: sample.lanes.iter().any(|lane| lane.len() > 1),
            interleaved: sample.interleaved,
            ignore_names: sample.ignore_names,
        };
        let options = input::options_of_lanes(&sample.lanes, &pairing, self.index, self.common)?;
        let options = options.check_letters(true).max_record(self.max_record);
        let reads = input::open(options, self.common)?;
        if !self.common.quiet {
            input::warn_of_repeats(&reads.plan());
            if !sample.is_paired() {
                tell_of_pairs(&reads.plan(), "--interleaved");
            }
        }
        if !sample.outputs.reads.is_empty() {
            input::refuse_two_formats(&reads, "classify them one after the other")?;
        }
        Ok(reads)
    }
}
