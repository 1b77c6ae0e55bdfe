//! The reports: JSON, HTML, and a few lines on the terminal.

use std::path::Path;

use thalweg::qc::duplication::DuplicationSummary;
use thalweg::qc::overrepresented::Candidates;
use thalweg::qc::report::{Report, ReportedAdapters, ReportedSequences, ReportedSteps};
use thalweg::qc::{Config, FastpVersion, Mode};

use super::arguments::QcArguments;
use super::process::Findings;
use crate::exit::Failure;
use crate::output::Output;
use crate::quantity::thousands;

/// Write the JSON and the HTML report.
pub(crate) fn write(
    arguments: &QcArguments,
    config: &Config,
    findings: &Findings,
    duplication: Option<DuplicationSummary>,
    candidates: Option<&[Candidates; 2]>,
) -> Result<(), Failure> {
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
        Mode::Fastp(FastpVersion::V0_23) => ("0.23.2", FastpVersion::V0_23),
        Mode::Fastp(FastpVersion::V1_3) => ("1.3.6", FastpVersion::V1_3),
    };
    let adapters = ReportedAdapters {
        read1: config.adapter_sequence(0),
        read2: config.adapter_sequence(1),
    };
    let has_adapters = options.paired || adapters.read1.is_some();
    let command = std::env::args().collect::<Vec<_>>().join(" ");
    let report = Report {
        version,
        schema,
        title: &arguments.reports.report_title,
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
    put(&arguments.reports.json, &report.json())?;
    put(&arguments.reports.html, &report.html())
}

fn put(path: &Path, text: &str) -> Result<(), Failure> {
    let mut output = Output::create(path)?;
    output.write(text.as_bytes())?;
    output.finish()
}

/// Say in a few lines what became of the reads.
pub(crate) fn summarise(
    config: &Config,
    findings: &Findings,
    duplication: Option<&DuplicationSummary>,
) {
    let filtering = &findings.counts.filtering;
    let failed = [
        (filtering.low_quality, "low quality"),
        (filtering.too_many_n, "too many N"),
        (filtering.too_short, "too short"),
        (filtering.too_long, "too long"),
        (filtering.low_complexity, "low complexity"),
        (filtering.adapter_dimer, "adapter dimers"),
        (filtering.removed_by_index, "removed by index"),
        (filtering.removed_duplicates, "removed as duplicates"),
    ];
    let failed: Vec<String> = failed
        .into_iter()
        .filter(|(reads, _)| *reads > 0)
        .map(|(reads, why)| format!("{} {why}", thousands(reads)))
        .collect();
    let failed = match failed.is_empty() {
        true => "none failed".to_owned(),
        false => failed.join(", "),
    };
    eprintln!(
        "thalweg: {} reads pass; {failed}",
        thousands(filtering.passed - filtering.removed_duplicates)
    );
    let (options, counts) = (config.options(), &findings.counts);
    let (front, adapters) = (&counts.front_adapters, &counts.adapters);
    let poly_a = counts.poly_a;
    for (shown, what, reads, bases) in [
        (
            config.cuts_front_adapters(),
            "adapters at the 5' end",
            front.trimmed_reads,
            front.trimmed_bases,
        ),
        (
            !options.disable_adapter_trimming,
            "adapters",
            adapters.trimmed_reads,
            adapters.trimmed_bases,
        ),
        (
            options.trim_poly_a,
            "polyA",
            poly_a.reads.iter().sum(),
            poly_a.bases.iter().sum(),
        ),
    ] {
        if shown {
            let (reads, bases) = (thousands(reads), thousands(bases));
            eprintln!("thalweg: {what} cut from {reads} reads ({bases} bases)");
        }
    }
    if let Some(duplication) = duplication {
        eprintln!("thalweg: duplicates: {:.2} %", 100.0 * duplication.rate());
    }
}
