//! What was found and done, for programs (JSON, as fastp writes it) and people (HTML, and
//! the lines that fastp prints).

mod html;
mod json;
mod number;
mod terminal;

use std::borrow::Cow;

use crate::FastpVersion;
use crate::Options;
use crate::counts::{AdapterCounts, Counts};
use crate::duplication::DuplicationSummary;
use crate::overrepresented::Overrepresented;
use crate::statistics::ReadStatistics;

/// Everything that a report tells. Borrowed from whoever collected it.
#[derive(Clone, Debug)]
pub struct CleaningReport<'a> {
    /// The version that the JSON report states as fastp's, such as "1.3.6"; MultiQC shows it.
    pub version: &'a str,
    /// Which version's JSON to write.
    pub schema: FastpVersion,
    /// The heading of the HTML report; any text.
    pub title: Cow<'a, str>,
    /// The command line; any text.
    pub command: &'a str,
    /// What the reads are of, and when they were looked at.
    pub source: ReportedSource<'a>,
    /// The reads before the steps: one or two mates.
    pub before: &'a [ReadStatistics],
    /// The reads after the steps: as many mates as before, or one if mates were merged.
    pub after: &'a [ReadStatistics],
    /// What the steps did.
    pub counts: &'a Counts,
    /// Steps that are reported only if they were asked for.
    pub steps: ReportedSteps<'a>,
    /// What reads were removed for, if that was asked for; fastp removes none.
    pub contaminants: Option<ReportedContaminants<'a>>,
    /// Copies among the reads, if looked for.
    pub duplication: Option<DuplicationSummary>,
    /// Frequent sequences, if looked for, in the order of `before` and `after`.
    pub overrepresented: Option<ReportedSequences<'a>>,
}

/// What reads are of, as the HTML report tells it; any texts, and none of what is empty.
#[derive(Clone, Debug, Default)]
pub struct ReportedSource<'a> {
    /// The sample.
    pub sample: &'a str,
    /// The day.
    pub date: &'a str,
    /// The inputs, each by the name that it was given.
    pub inputs: Vec<String>,
}

/// Which steps a report mentions.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportedSteps<'a> {
    /// Reads of low complexity were filtered.
    pub low_complexity: bool,
    /// Bases were corrected.
    pub correction: bool,
    /// Adapters at the 5' end were cut.
    pub front_adapters: bool,
    /// Tails of G were cut, and that is reported; fastp reports nothing of it.
    pub poly_g: Option<ReportedPolyG<'a>>,
    /// Tails of A were cut.
    pub poly_a: bool,
    /// Tails of one base were cut.
    pub poly_x: bool,
    /// Mates were merged: what is reported after the steps is about merged reads.
    pub merging: bool,
    /// Reads that are not merged are told apart from those, which fastp does not do.
    pub unmerged: bool,
    /// Copies were removed, and are told apart from reads that pass. fastp counts them among these.
    pub duplicates: bool,
    /// Reads were removed because of the index in their names, and are counted. fastp counts them
    /// nowhere.
    pub by_index: bool,
    /// Fixed numbers of bases were cut off the starts of reads.
    pub fixed_fronts: bool,
    /// Fixed numbers of bases were cut off their tails.
    pub fixed_tails: bool,
    /// What `-t` and `-T` cut is told, and that they are not the number of threads.
    pub tails: bool,
    /// Cutting adapters was not switched off.
    pub adapter_cutting: bool,
    /// What there was to cut: always for pairs, for single reads if an adapter was given or
    /// detected, or (but for fastp) a list of them given.
    pub adapters: Option<ReportedAdapters<'a>>,
}

/// Why tails of G were cut.
#[derive(Clone, Copy, Debug)]
pub struct ReportedPolyG<'a> {
    /// The serial number of the instrument, which calls G where there is no signal; `None` if cutting was asked for.
    pub instrument: Option<&'a str>,
}

/// Adapters that were given or detected; `None` where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportedAdapters<'a> {
    /// Of first (or single) reads.
    pub read1: Option<&'a [u8]>,
    /// Of second reads.
    pub read2: Option<&'a [u8]>,
}

/// Contaminants that reads were compared with, by k-mers.
#[derive(Clone, Debug)]
pub struct ReportedContaminants<'a> {
    /// k-mers that a read, or a pair, had to have in common with one.
    pub least_kmers: u64,
    /// The share of its k-mers, from 0 to 1.
    pub least_fraction: f64,
    /// Each of them, in the order in which reads were compared with them.
    pub each: Vec<ReportedContaminant<'a>>,
}

/// One of them.
#[derive(Clone, Debug)]
pub struct ReportedContaminant<'a> {
    /// What it is called; any text.
    pub name: Cow<'a, str>,
    /// Bases of its k-mers.
    pub k: usize,
    /// Reads that were removed for it, and for none before it.
    pub reads: u64,
}

/// Frequent sequences by mate.
#[derive(Clone, Debug, Default)]
pub struct ReportedSequences<'a> {
    /// Before the steps.
    pub before: Vec<&'a [Overrepresented]>,
    /// After the steps.
    pub after: Vec<&'a [Overrepresented]>,
    /// One of so many reads was looked at.
    pub sampling: u64,
}

impl CleaningReport<'_> {
    /// The report as fastp's JSON: its keys, order, layout and numbers, but with strings
    /// properly escaped, and with `adapter_cutting_5p`, `polyg_trimming`, `polya_trimming`, `tail_trimming`, `merging`,
    /// `unmerged_after_filtering`, `contaminants` and the numbers of removed reads where these are asked for, which
    /// fastp does not know.
    pub fn json(&self) -> String {
        json::json(self)
    }

    /// The report as one page that needs no other file and no network.
    pub fn html(&self) -> String {
        html::html(self)
    }

    /// The lines that fastp prints of it on standard error, each with a line feed. `options` are those of
    /// the steps.
    pub fn terminal(&self, options: &Options) -> String {
        terminal::terminal(self, options)
    }

    /// Reads that pass and are kept; for fastp also copies that are removed.
    fn passed(&self) -> u64 {
        let filtering = &self.counts.filtering;
        match self.steps.duplicates {
            true => filtering.passed - filtering.removed_duplicates,
            false => filtering.passed,
        }
    }

    /// Bases of the longest read, as it came.
    fn longest(&self) -> usize {
        let lengths = self.before.iter().map(|mate| mate.lengths().len());
        lengths.max().unwrap_or(0).saturating_sub(1)
    }

    fn is_paired(&self) -> bool {
        self.before.len() > 1
    }

    /// "paired end (150 cycles + 150 cycles)".
    fn sequencing(&self) -> String {
        match self.before {
            [first, second, ..] => format!(
                "paired end ({} cycles + {} cycles)",
                cycles(first),
                cycles(second)
            ),
            [first] => format!("single end ({} cycles)", cycles(first)),
            [] => String::from("single end (0 cycles)"),
        }
    }
}

/// Cycles that are told apart.
fn cycles(statistics: &ReadStatistics) -> usize {
    statistics.cycles().len().min(ReadStatistics::CYCLE_LIMIT)
}

/// A part of a whole; 0 of nothing.
fn ratio(part: u64, whole: u64) -> f64 {
    match whole {
        0 => 0.0,
        _ => part as f64 / whole as f64,
    }
}

/// Average quality of bases whose quality bytes have this sum, if there are bases.
fn mean_quality(quality_bytes: u64, bases: u64) -> Option<f64> {
    const OFFSET: i128 = 33;
    let sum = i128::from(quality_bytes) - OFFSET * i128::from(bases);
    (bases > 0).then(|| sum as f64 / bases as f64)
}

/// Sequences that were cut as adapter of one mate: those that make up the share `least` of all,
/// by length and then alphabet, and how many were others.
fn adapter_list(counts: &AdapterCounts, mate: usize, least: f64) -> (Vec<(&[u8], u64)>, u64) {
    let table = [&counts.read1, &counts.read2][mate];
    let total = table.values().sum::<u64>() + counts.untabulated[mate];
    let mut list: Vec<(&[u8], u64)> = table
        .iter()
        .filter(|&(_, &count)| ratio(count, total) >= least)
        .map(|(sequence, &count)| (&**sequence, count))
        .collect();
    list.sort_unstable_by_key(|&(sequence, _)| (sequence.len(), sequence));
    let others = total - list.iter().map(|(_, count)| count).sum::<u64>();
    (list, others)
}
