//! A sample: reads in; labels, reads and a report out.

use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::Reads;
use thalweg::taxa::ClassifyJob;
use thalweg::taxa::classify::Rule;
use thalweg::taxa::database::Database;
use thalweg::taxa::label::Columns;
use thalweg::taxa::report::Tally;
use thalweg::write::{self, Level};

use super::outputs::{self, Outputs};
use super::report::{ReportStyle, write_report};
use crate::arguments::{Common, IndexChoice, Pairing};
use crate::exit::Failure;
use crate::input;
use crate::output::Output;
use crate::progress::Progress;

/// What all samples have in common.
pub(crate) struct Labelling<'a> {
    pub(crate) database: &'a Database,
    /// Its name.
    pub(crate) path: &'a Path,
    pub(crate) rule: Rule,
    pub(crate) columns: Columns,
    pub(crate) least_quality: u8,
    pub(crate) style: ReportStyle,
    pub(crate) level: Level,
    pub(crate) index: &'a IndexChoice,
    pub(crate) common: &'a Common,
}

/// Reads, and what becomes of them.
pub(crate) struct Sample {
    /// Files one after the other: each one file, or the two of mates.
    pub(crate) lanes: Vec<Vec<PathBuf>>,
    pub(crate) interleaved: bool,
    pub(crate) ignore_names: bool,
    pub(crate) outputs: Outputs,
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
        let roles = roles.collect::<Result<Vec<_>, _>>()?.concat();
        outputs::check(&roles, &inputs)
    }

    /// Label a sample, whose outputs appear when all is done. They were [checked](Self::check).
    pub(crate) fn run(&self, sample: &Sample) -> Result<(), Failure> {
        let start = Instant::now();
        let streams = sample.outputs.streams(sample.is_paired(), self.level)?;
        let reads = self.open(sample)?;
        let workers = reads.all_workers();
        let report = sample.outputs.report.as_deref();
        let report = report.map(Output::create).transpose()?;
        let outputs = write::Outputs::open(streams.options, workers.ahead())?;
        let job = ClassifyJob {
            database: self.database,
            rule: self.rule.clone(),
            columns: self.columns,
            interleaved: sample.interleaved,
            least_quality: self.least_quality,
            streams: streams.streams,
        };
        let names: Vec<_> = sample.roles()?.into_iter().map(|(_, name)| name).collect();
        let of_outputs = |failure: Failure| failure.of_outputs(&names);
        let progress = Progress::start(self.common, &sample.lanes[0][0], workers.progress());
        let done = job.run(workers, &outputs, || ());
        drop(progress);
        let done = done.map_err(Failure::from).map_err(of_outputs)?;
        // Whoever is interrupted before the first file has its name has none.
        let report = report
            .map(|report| self.report(&done.tally, report))
            .transpose()?;
        outputs
            .finish(done.tickets)
            .map_err(Failure::from)
            .map_err(of_outputs)?;
        report.map_or(Ok(()), Output::finish)?;
        if !self.common.quiet {
            for line in done.tally.closing_lines(start.elapsed()).lines() {
                tell!("{line}");
            }
        }
        Ok(())
    }

    fn open(&self, sample: &Sample) -> Result<Reads, Failure> {
        let pairing = Pairing {
            mates: sample.lanes.iter().any(|lane| lane.len() > 1),
            interleaved: sample.interleaved,
            ignore_names: sample.ignore_names,
        };
        let options = input::options_of_lanes(&sample.lanes, &pairing, self.index, self.common)?;
        let reads = input::open(options.check_letters(true), self.common)?;
        if !self.common.quiet {
            input::warn_of_repeats(&reads.plan());
        }
        if !sample.outputs.reads.is_empty() {
            input::refuse_two_formats(&reads, "classify them one after the other")?;
        }
        Ok(reads)
    }

    fn report(&self, tally: &Tally, mut report: Output) -> Result<Output, Failure> {
        report.write(&write_report(tally, self.database.taxonomy(), self.style)?)?;
        Ok(report)
    }
}
