//! What came of a cleaning.

use std::borrow::Cow;
use std::path::PathBuf;

use thalweg_qc::counts::Counts;
use thalweg_qc::duplication::DuplicationSummary;
use thalweg_qc::overrepresented::Overrepresented;
use thalweg_qc::report::{
    CleaningReport, ReportedAdapters, ReportedContaminant, ReportedContaminants, ReportedPolyG,
    ReportedSequences, ReportedSource, ReportedSteps,
};
use thalweg_qc::statistics::ReadStatistics;
use thalweg_qc::{Config, FastpVersion, Mode, Options};

use super::hints::doubt_encoding;
use super::reading::is_unseen;
use super::reports::fastp_version;
use super::{CleanSettings, Contaminant};

/// What was found of the reads, and what became of them.
#[derive(Debug)]
#[non_exhaustive]
pub struct Cleaned {
    /// What was asked for, but for what a program that is followed ignores of it.
    pub settings: CleanSettings,
    /// What the steps did, with the adapters that were found.
    pub config: Config,
    /// What became of the reads.
    pub counts: Counts,
    /// Reads as they came, of read 1 and read 2; nothing without reports, and of single reads nothing of the second.
    pub before: [ReadStatistics; 2],
    /// Reads as they go, in the same order; of merging, merged reads as the first.
    pub after: [ReadStatistics; 2],
    /// Frequent sequences before and after, by mate, if they were looked for.
    pub overrepresented: Option<[[Vec<Overrepresented>; 2]; 2]>,
    /// Copies among the reads, if they were counted.
    pub duplication: Option<DuplicationSummary>,
    /// Of what reads were removed for, the bases of the k-mers, in the order of the settings.
    pub contaminant_lengths: Vec<usize>,
    /// Bases of the longest read, as it came.
    pub longest: usize,
    /// Two and two of the first reads have the same name, and are taken as single reads.
    pub looks_interleaved: bool,
}

impl Cleaned {
    /// Reads that pass; of pairs, both mates.
    pub fn passed(&self) -> u64 {
        let filtering = &self.counts.filtering;
        filtering.passed - filtering.removed_duplicates
    }

    /// Adapters of read 1 and read 2 that nobody named, and that were found.
    pub fn found_adapters(&self) -> [Option<&[u8]>; 2] {
        let options = self.config.options();
        let given = [&options.adapter_sequence, &options.adapter_sequence_r2];
        [0, 1].map(|mate| match given[mate] {
            Some(_) => None,
            None => self.config.adapter_sequence(mate),
        })
    }

    /// Why qualities may not count from where it was said, if there is a doubt.
    pub fn doubted_encoding(&self) -> Option<&'static str> {
        doubt_encoding(&self.config, &self.before)
    }

    /// Returns advice for long reads that fail by limits for short ones, if many do; none where fastp is followed.
    pub fn why_long_reads_fail(&self) -> Option<String> {
        let options = self.config.options();
        let filtering = options
            .mode
            .is_correct()
            .then_some(&self.counts.filtering)?;
        filtering.why_long_reads_fail(options, self.longest)
    }

    /// What fastp prints of it, where it is followed.
    pub fn as_fastp(&self) -> Option<String> {
        let is_told = !self.config.mode().is_correct() && !self.settings.reports.no_report;
        is_told.then(|| self.report().terminal(self.config.options()))
    }

    /// The version of fastp that is followed, or whose report is written, as fastp tells it.
    pub fn fastp_version(&self) -> &'static str {
        fastp_version(self.config.mode())
    }

    /// All of it as a report, which can be written as JSON or HTML.
    pub fn report(&self) -> CleaningReport<'_> {
        let (config, reports) = (&self.config, &self.settings.reports);
        let options = config.options();
        let is_correct = config.mode().is_correct();
        let mates = if options.paired { 2 } else { 1 };
        let mates_after = if options.merge { 1 } else { mates };
        let (version, schema) = match config.mode() {
            Mode::Correct => (
                concat!(env!("CARGO_PKG_VERSION"), "-thalweg"),
                FastpVersion::V1_3,
            ),
            mode @ Mode::Fastp(schema) => (fastp_version(mode), schema),
        };
        let sample = reports.sample.as_deref().unwrap_or_default();
        let title = match (&reports.report_title, config.mode()) {
            (Some(title), _) => Cow::from(title),
            (None, Mode::Correct) if sample.is_empty() => Cow::from("thalweg qc report"),
            (None, Mode::Correct) => Cow::from(format!("{sample}: thalweg qc report")),
            (None, Mode::Fastp(_)) => Cow::from("fastp report"),
        };
        let inputs = self.settings.in1.iter().chain(&self.settings.in2);
        let name = |path: &PathBuf| path.display().to_string();
        CleaningReport {
            version,
            schema,
            title,
            command: reports.command.as_deref().unwrap_or_default(),
            source: ReportedSource {
                sample,
                date: reports.date.as_deref().unwrap_or_default(),
                inputs: inputs.map(name).collect(),
            },
            before: &self.before[..mates],
            after: &self.after[..mates_after],
            counts: &self.counts,
            steps: ReportedSteps {
                low_complexity: options.low_complexity_filter || options.dust.is_some(),
                correction: options.paired && (options.correction || options.merge),
                front_adapters: config.cuts_front_adapters(),
                poly_g: self.reported_poly_g(),
                poly_a: options.trim_poly_a,
                poly_x: options.trim_poly_x,
                merging: options.merge,
                unmerged: options.merge && is_correct,
                duplicates: options.dedup && is_correct,
                by_index: is_correct && has_index_filter(options),
                fixed_fronts: is_correct && cuts(options.trim_front1, options.trim_front2),
                fixed_tails: is_correct && cuts(options.trim_tail1, options.trim_tail2),
                tails: self.settings.doubts_tails(),
                adapter_cutting: !options.disable_adapter_trimming,
                adapters: self.reported_adapters(),
            },
            contaminants: self.reported_contaminants(),
            duplication: self.duplication.clone(),
            overrepresented: (self.overrepresented.as_ref()).map(|[before, after]| {
                ReportedSequences {
                    before: slices(&before[..mates]),
                    after: slices(&after[..mates_after]),
                    sampling: reports.overrepresentation_sampling.into(),
                }
            }),
        }
    }

    /// Reads that were removed for each contaminant, and for none before it, in the order of the settings.
    pub fn removed(&self) -> impl Iterator<Item = (&Contaminant, u64)> {
        let removed = self.counts.contaminants.iter().copied();
        let removed = removed.chain(std::iter::repeat(0));
        self.settings.remove.contaminants.iter().zip(removed)
    }

    fn reported_contaminants(&self) -> Option<ReportedContaminants<'_>> {
        let settings = &self.settings.remove;
        let each = self.removed().zip(&self.contaminant_lengths);
        let each = each.map(|((contaminant, reads), &k)| ReportedContaminant {
            name: contaminant.name(),
            k,
            reads,
        });
        (!settings.contaminants.is_empty()).then(|| ReportedContaminants {
            least_kmers: settings.least,
            least_fraction: settings.fraction,
            each: each.collect(),
        })
    }

    /// Why tails of G were cut, if they were and fastp, which says nothing of it, is not followed.
    fn reported_poly_g(&self) -> Option<ReportedPolyG<'_>> {
        let config = &self.config;
        (config.trims_poly_g() && config.mode().is_correct()).then(|| ReportedPolyG {
            instrument: config.two_colour_instrument(),
        })
    }

    /// What there was to cut, as far as a report tells it.
    fn reported_adapters(&self) -> Option<ReportedAdapters<'_>> {
        let (config, settings) = (&self.config, &self.settings);
        let options = config.options();
        let adapters = ReportedAdapters {
            read1: config.adapter_sequence(0),
            read2: config.adapter_sequence(1),
        };
        // fastp says nothing of what it cuts by a list alone.
        let has_list = config.mode().is_correct() && !options.adapter_fasta.is_empty();
        // Nor of single reads among which it finds no adapter; where it does not look for one, it reports that none was cut.
        let lanes = [settings.in1.clone()];
        let is_awaited =
            settings.steps.adapter_sequence.is_none() && is_unseen(config.mode(), &lanes);
        let has_adapters = options.paired || adapters.read1.is_some() || has_list || is_awaited;
        (!options.disable_adapter_trimming && has_adapters).then_some(adapters)
    }
}

/// Whether so many bases are cut off either mate.
fn cuts(first: usize, second: Option<usize>) -> bool {
    first > 0 || second.is_some_and(|bases| bases > 0)
}

/// Whether reads are removed by the index in their names.
fn has_index_filter(options: &Options) -> bool {
    !(options.filter_by_index1.is_empty() && options.filter_by_index2.is_empty())
}

fn slices(mates: &[Vec<Overrepresented>]) -> Vec<&[Overrepresented]> {
    mates.iter().map(Vec::as_slice).collect()
}
