//! The report for whoever looks on: the lines that fastp prints on standard error at its end.

use std::fmt::{Display, Write};

use super::CleaningReport;
use super::number::SixDigits;
use crate::statistics::ReadStatistics;
use crate::{FastpVersion, Options};

pub(super) fn terminal(report: &CleaningReport<'_>, options: &Options) -> String {
    let mut out = String::new();
    let merged = report.steps.merging;
    for (side, statistics) in [("before", report.before), ("after", report.after)] {
        for (mate, statistics) in (1..).zip(statistics) {
            match merged && side == "after" {
                true => line(&mut out, "Merged and filtered:"),
                false => line(&mut out, format_args!("Read{mate} {side} filtering:")),
            }
            reads(&mut out, statistics, report.schema);
            line(&mut out, "");
        }
    }
    line(&mut out, "Filtering result:");
    for (what, count) in filtering(report, options) {
        line(&mut out, format_args!("{what}: {count}"));
    }
    if let Some(duplication) = &report.duplication {
        let single = match report.is_paired() {
            true => "",
            false => " (may be overestimated since this is SE data)",
        };
        let percent = SixDigits(duplication.rate() * 100.0);
        line(
            &mut out,
            format_args!("\nDuplication rate{single}: {percent}%"),
        );
    }
    if report.is_paired() {
        let peak = report.counts.insert_sizes.peak().0;
        line(
            &mut out,
            format_args!("\nInsert size peak (evaluated by paired-end reads): {peak}"),
        );
    }
    if merged {
        merging(&mut out, report);
    }
    out
}

fn line(out: &mut String, line: impl Display) {
    let _ = writeln!(out, "{line}");
}

fn reads(out: &mut String, statistics: &ReadStatistics, schema: FastpVersion) {
    let bases = statistics.bases();
    line(out, format_args!("total reads: {}", statistics.reads()));
    line(out, format_args!("total bases: {bases}"));
    let qualities: &[u8] = match schema {
        FastpVersion::V0_23 => &[20, 30],
        FastpVersion::V1_3 => &[20, 30, 40],
    };
    for &quality in qualities {
        let good = statistics.bases_from_quality(quality);
        let percent = percent(good, bases);
        line(out, format_args!("Q{quality} bases: {good}({percent}%)"));
    }
}

/// What is told of the filters and steps, as far as they were asked for.
fn filtering<'a>(
    report: &CleaningReport<'_>,
    options: &Options,
) -> impl Iterator<Item = (&'a str, u64)> {
    let (counts, steps) = (report.counts, report.steps);
    let filtering = counts.filtering;
    let by_length = !options.disable_length_filtering;
    let dimers = steps.adapter_cutting && report.schema == FastpVersion::V1_3;
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    let rows = [
        (true, "reads passed filter", filtering.passed),
        (
            true,
            "reads failed due to low quality",
            filtering.low_quality,
        ),
        (true, "reads failed due to too many N", filtering.too_many_n),
        (
            by_length,
            "reads failed due to too short",
            filtering.too_short,
        ),
        (
            by_length && options.length_limit > 0,
            "reads failed due to too long",
            filtering.too_long,
        ),
        (
            steps.low_complexity,
            "reads failed due to low complexity",
            filtering.low_complexity,
        ),
        (
            dimers,
            "reads failed due to adapter dimer",
            filtering.adapter_dimer,
        ),
        (
            steps.adapter_cutting,
            "reads with adapter trimmed",
            counts.adapters.trimmed_reads,
        ),
        (
            steps.adapter_cutting,
            "bases trimmed due to adapters",
            counts.adapters.trimmed_bases,
        ),
        (
            steps.poly_x,
            "reads with polyX in 3' end",
            sum(&counts.poly_x.reads),
        ),
        (
            steps.poly_x,
            "bases trimmed in polyX tail",
            sum(&counts.poly_x.bases),
        ),
        (
            steps.correction,
            "reads corrected by overlap analysis",
            counts.correction.reads,
        ),
        (
            steps.correction,
            "bases corrected by overlap analysis",
            counts.correction.bases,
        ),
    ];
    rows.into_iter()
        .filter(|(shown, ..)| *shown)
        .map(|(_, what, count)| (what, count))
}

fn merging(out: &mut String, report: &CleaningReport<'_>) {
    let pairs = report.counts.merged_pairs;
    line(out, format_args!("\nRead pairs merged: {pairs}"));
    let reads = |statistics: &[ReadStatistics]| statistics.first().map_or(0, ReadStatistics::reads);
    let (before, after) = (reads(report.before), reads(report.after));
    if after > 0 {
        let (of_pairs, of_reads) = (percent(pairs, before), percent(pairs, after));
        line(out, format_args!("% of original read pairs: {of_pairs}%"));
        line(out, format_args!("% in reads after filtering: {of_reads}%"));
    }
    line(out, "");
}

/// A part of a whole in percent; of nothing, what C++ writes of 0 divided by 0.
fn percent(part: u64, whole: u64) -> String {
    match whole {
        0 => String::from("-nan"),
        _ => SixDigits(part as f64 * 100.0 / whole as f64).to_string(),
    }
}
