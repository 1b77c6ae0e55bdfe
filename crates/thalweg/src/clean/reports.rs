//! The reports: JSON and HTML.

use std::path::{Path, PathBuf};

use thalweg::qc::duplication::DuplicationSummary;
use thalweg::qc::overrepresented::Candidates;
use thalweg::qc::report::{Report, ReportedAdapters, ReportedSequences, ReportedSteps};
use thalweg::qc::{Config, FastpVersion, Mode, Options};

use super::command_line::command_line;
use super::findings::Findings;
use super::hints::doubts_tails;
use super::options::{AUTO, is_unseen};
use crate::options::qc::{HTML, JSON, QcArguments};
use crate::output::{Output, refuse_input};
use crate::process::exit::Failure;

/// The files that the reports go to: opened before anything is done, so that a report that
/// cannot be written does not cost a run.
pub(crate) struct Files {
    /// `None` once nobody reads it any more.
    json: Option<Output>,
    html: Option<Output>,
    /// The command line, as it is told there.
    command: String,
    /// What is to be told of that at the end.
    unread: Option<Failure>,
}

impl Files {
    /// Open both, neither of which may be an input, nor exist if that is forbidden.
    pub(crate) fn open(arguments: &QcArguments, lanes: &[Vec<PathBuf>]) -> Result<Self, Failure> {
        let inputs: Vec<PathBuf> = lanes.iter().flatten().cloned().collect();
        let (json, html) = (&arguments.reports.json, &arguments.reports.html);
        let as_fastp = arguments.running.fastp_compat.is_some();
        for path in [json, html] {
            refuse_input(path, &inputs)?;
            if arguments.files.dont_overwrite && path.is_file() {
                return Err(thalweg::write::Error::Exists { path: path.clone() }.into());
            }
        }
        Ok(Self {
            json: Some(create(json, as_fastp)?),
            html: Some(create(html, as_fastp)?),
            command: command_line(arguments, lanes),
            unread: None,
        })
    }

    fn write(&mut self, report: &Report<'_>, mode: Mode) -> Result<(), Failure> {
        let json = report.json();
        // fastp's has no line feed at its end.
        let json = match mode {
            Mode::Correct => &json,
            Mode::Fastp(_) => json.trim_end(),
        };
        let html = report.html();
        for (output, text) in [(&mut self.json, json), (&mut self.html, &html)] {
            let written = output.as_mut();
            let written = written.map_or(Ok(()), |output| output.write(text.as_bytes()));
            match written {
                // A reader of one that goes does not cost the other.
                Err(failure @ Failure::ClosedPipe { .. }) => {
                    *output = None;
                    self.unread = Some(failure);
                }
                written => written?,
            }
        }
        Ok(())
    }

    /// Give both their names.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let mut unread = self.unread;
        for output in [self.json, self.html].into_iter().flatten() {
            match output.finish() {
                Err(failure @ Failure::ClosedPipe { .. }) => unread = Some(failure),
                finished => finished?,
            }
        }
        unread.map_or(Ok(()), Err)
    }
}

/// What becomes of a run whose standard output nobody reads any more, with `failure`, so that it has no reports.
///
/// It is quiet if nobody has asked for them: then it says so, and no more.
pub(crate) fn unwritten(arguments: &QcArguments, failure: Failure) -> Failure {
    let reports = &arguments.reports;
    let paths = [(&reports.json, JSON), (&reports.html, HTML)];
    let is_kept = |path: &Path| path != Path::new("/dev/null");
    let files = paths.iter().filter(|(path, _)| is_kept(path));
    let names: Vec<String> = files.map(|(path, _)| path.display().to_string()).collect();
    if names.is_empty() {
        return failure;
    }
    let names = names.join(" and ");
    let is_asked = |(path, usual): &(&PathBuf, &str)| *path != Path::new(usual) && is_kept(path);
    if paths.iter().any(is_asked) {
        return Failure::usage(
            format!("standard output: nobody reads it any more, so there is no report: {names}"),
            "its reader ended before it had everything; --no_report makes none",
        );
    }
    if !arguments.running.quiet {
        tell!("thalweg: note: nobody reads the output any more, so there is no report: {names}");
    }
    failure
}

/// Reports are written whether they were asked for or not: say how to do without.
fn create(path: &Path, as_fastp: bool) -> Result<Output, Failure> {
    let created = match as_fastp {
        true => Output::create_plain(path),
        false => Output::create(path),
    };
    created.map_err(|failure| match failure {
        failure if failure.is_closed_stream() => failure,
        Failure::Io { path, error } => Failure::usage(
            format!("{}: {error}", path.display()),
            "reports go to fastp.json and fastp.html in the current directory unless -j and -h name other files; \
             --no_report makes none",
        ),
        other => other,
    })
}

/// Write the JSON and the HTML report; they have no names yet. Returns what fastp prints of them.
pub(crate) fn write(
    files: &mut Files,
    arguments: &QcArguments,
    lanes: &[Vec<PathBuf>],
    config: &Config,
    findings: &Findings,
    duplication: Option<DuplicationSummary>,
    candidates: Option<&[Candidates; 2]>,
) -> Result<String, Failure> {
    let options = config.options();
    let mates = if options.paired { 2 } else { 1 };
    let mates_after = if options.merge { 1 } else { mates };
    let sampling = u64::from(arguments.reports.overrepresentation_sampling);
    let frequent = candidates.map(|candidates| {
        [&findings.frequent_before, &findings.frequent_after].map(|occurrences| {
            [0, 1].map(|mate| occurrences[mate].frequent(&candidates[mate], sampling))
        })
    });
    let (version, schema) = match config.mode() {
        Mode::Correct => (
            concat!(env!("CARGO_PKG_VERSION"), "-thalweg"),
            FastpVersion::V1_3,
        ),
        mode @ Mode::Fastp(schema) => (fastp_version(mode), schema),
    };
    let adapters = ReportedAdapters {
        read1: config.adapter_sequence(0),
        read2: config.adapter_sequence(1),
    };
    // fastp says nothing of what it cuts by a list alone.
    let has_list = config.mode().is_correct() && !options.adapter_fasta.is_empty();
    // Nor of single reads among which it finds no adapter; where it does not look for one, it reports that none was cut.
    let is_awaited = arguments.adapters.adapter_sequence == AUTO && is_unseen(arguments, lanes);
    let has_adapters = options.paired || adapters.read1.is_some() || has_list || is_awaited;
    let title = match (&arguments.reports.report_title, config.mode()) {
        (Some(title), _) => title,
        (None, Mode::Correct) => "thalweg qc report",
        (None, Mode::Fastp(_)) => "fastp report",
    };
    let command = files.command.clone();
    let report = Report {
        version,
        schema,
        title,
        command: &command,
        before: &findings.before[..mates],
        after: &findings.after[..mates_after],
        counts: &findings.counts,
        steps: ReportedSteps {
            low_complexity: options.low_complexity_filter,
            correction: options.paired && (options.correction || options.merge),
            front_adapters: config.cuts_front_adapters(),
            poly_a: options.trim_poly_a,
            poly_x: options.trim_poly_x,
            merging: options.merge,
            unmerged: options.merge && config.mode().is_correct(),
            duplicates: options.dedup && config.mode().is_correct(),
            by_index: config.mode().is_correct() && has_index_filter(options),
            tails: doubts_tails(arguments),
            adapter_cutting: !options.disable_adapter_trimming,
            adapters: (!options.disable_adapter_trimming && has_adapters).then_some(adapters),
        },
        duplication,
        overrepresented: frequent.as_ref().map(|[before, after]| ReportedSequences {
            before: before[..mates].iter().map(Vec::as_slice).collect(),
            after: after[..mates_after].iter().map(Vec::as_slice).collect(),
            sampling,
        }),
    };
    files.write(&report, config.mode())?;
    Ok(report.terminal(options))
}

/// The version of fastp that is followed, as fastp tells it.
pub(crate) fn fastp_version(mode: Mode) -> &'static str {
    match mode {
        Mode::Fastp(FastpVersion::V0_23) => "0.23.2",
        Mode::Correct | Mode::Fastp(FastpVersion::V1_3) => "1.3.6",
    }
}

/// Whether reads are removed by the index in their names.
fn has_index_filter(options: &Options) -> bool {
    !(options.filter_by_index1.is_empty() && options.filter_by_index2.is_empty())
}
