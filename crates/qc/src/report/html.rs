//! The report for people: one page that needs nothing else.
//!
//! `templates/report.html` holds the page; here is what goes into it. Whatever comes from
//! the user (title, command, sequences) is escaped by the template; marked as safe are
//! only the charts, whose text is all from here.

mod figures;
mod heat;

use askama::Template;

use super::number::{SixDigits, grouped, percent};
use super::{CleaningReport, ratio};
use crate::counts::AdapterCounts;
use crate::duplication::DuplicationSummary;
use crate::overrepresented::Overrepresented;
use crate::statistics::ReadStatistics;
use figures::{Figure, figures, insert_sizes, shares};
use heat::{Heat, heat};

/// Rows of a table that may have thousands.
const ROWS: usize = 20;

/// Inputs that are named.
const INPUTS: usize = 8;

/// Rows of a table of adapters, most of which are the same one, cut at other places.
const ADAPTER_ROWS: usize = 10;

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    title: &'a str,
    sample: &'a str,
    date: &'a str,
    inputs: &'a [String],
    more_inputs: usize,
    few_pass: Option<&'static str>,
    command: &'a str,
    version: &'a str,
    sequencing: String,
    summary: Vec<Row>,
    after_note: &'static str,
    filtering: Vec<Share>,
    extra: Vec<Row>,
    contaminants: Option<Contaminants>,
    adapters: Vec<Adapters>,
    insert_size: Option<InsertSize>,
    duplication: Option<Copies>,
    mates: Vec<Mate>,
    sampling: u64,
}

/// A name and one or two values.
struct Row {
    name: &'static str,
    before: String,
    after: String,
}

/// A part of all reads.
struct Share {
    name: &'static str,
    class: &'static str,
    reads: String,
    percent: String,
    /// For the bar.
    width: f64,
}

/// Sequences with counts.
struct Table {
    title: &'static str,
    rows: Vec<Counted>,
    /// Rows that are not shown.
    more: usize,
}

/// What was cut of one end of one mate.
struct Adapters {
    is_front: bool,
    given: Option<String>,
    table: Table,
}

struct Counted {
    sequence: String,
    count: String,
    percent: String,
}

/// What reads were removed for.
struct Contaminants {
    /// What they had to have in common with it.
    asked: String,
    rows: Vec<Counted>,
}

struct InsertSize {
    peak: String,
    unknown: String,
    chart: String,
}

struct Copies {
    rate: String,
    distinct: String,
    exact: bool,
    chart: String,
}

struct Mate {
    name: &'static str,
    figures: Vec<Figure>,
    kmers: Vec<Heat>,
    sequences: Vec<Table>,
}

pub(super) fn html(report: &CleaningReport<'_>) -> String {
    let counts = report.counts;
    let merging = report.steps.merging;
    let pairs = &counts.insert_sizes;
    let source = &report.source;
    let shown = source.inputs.len().min(INPUTS);
    let page = Page {
        title: &report.title,
        sample: source.sample,
        date: source.date,
        inputs: &source.inputs[..shown],
        more_inputs: source.inputs.len() - shown,
        few_pass: counts
            .filtering
            .why_few_pass(report.passed(), report.longest()),
        command: report.command,
        version: report.version,
        sequencing: report.sequencing(),
        summary: summary(report),
        after_note: if merging { "merged reads" } else { "after" },
        filtering: filtering(report),
        extra: extra(report),
        contaminants: contaminants(report),
        adapters: adapters(report),
        insert_size: report.is_paired().then(|| InsertSize {
            peak: pairs.told_peak(),
            unknown: percent(
                pairs.unknown,
                pairs.unknown + pairs.histogram.iter().sum::<u64>(),
            ),
            chart: insert_sizes(&pairs.histogram),
        }),
        duplication: report.duplication.as_ref().map(copies),
        mates: mates(report),
        sampling: report
            .overrepresented
            .as_ref()
            .map_or(0, |some| some.sampling),
    };
    // Writing to a string fails only if a value cannot be displayed, and all can.
    page.render().unwrap_or_default()
}

fn summary(report: &CleaningReport<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name, value: &dyn Fn(&[ReadStatistics]) -> String| {
        rows.push(Row {
            name,
            before: value(report.before),
            after: value(report.after),
        });
    };
    fn sum(mates: &[ReadStatistics], of: impl Fn(&ReadStatistics) -> u64) -> u64 {
        mates.iter().map(of).sum()
    }
    let part = |mates: &[ReadStatistics], part: u64| {
        let bases = sum(mates, ReadStatistics::bases);
        format!("{} ({})", grouped(part), percent(part, bases))
    };
    let mean = |mates: &[ReadStatistics], mate: usize| {
        mates.get(mate).map_or(String::from("–"), |statistics| {
            format!("{:.1}", ratio(statistics.bases(), statistics.reads()))
        })
    };
    row("Reads", &|mates| grouped(sum(mates, ReadStatistics::reads)));
    row("Bases", &|mates| grouped(sum(mates, ReadStatistics::bases)));
    for (name, quality) in [
        ("Bases of Q20", 20),
        ("Bases of Q30", 30),
        ("Bases of Q40", 40),
    ] {
        row(name, &|mates| {
            part(mates, sum(mates, |mate| mate.bases_from_quality(quality)))
        });
    }
    row("G and C", &|mates| {
        let gc = sum(mates, |mate| mate.letters()[1] + mate.letters()[2]);
        percent(gc, sum(mates, ReadStatistics::bases))
    });
    if report.is_paired() {
        row("Mean length, read 1", &|mates| mean(mates, 0));
        row("Mean length, read 2", &|mates| mean(mates, 1));
    } else {
        row("Mean length", &|mates| mean(mates, 0));
    }
    rows
}

fn filtering(report: &CleaningReport<'_>) -> Vec<Share> {
    let counts = &report.counts.filtering;
    let all = [
        ("Passed", "pass", report.passed(), true),
        ("Low quality", "fail1", counts.low_quality, true),
        ("Too many N", "fail2", counts.too_many_n, true),
        (
            "Low complexity",
            "fail3",
            counts.low_complexity,
            report.steps.low_complexity,
        ),
        (
            "Adapter dimer",
            "fail4",
            counts.adapter_dimer,
            report.steps.adapter_cutting,
        ),
        (
            "Contaminated",
            "fail9",
            counts.contaminated,
            report.contaminants.is_some(),
        ),
        ("Too short", "fail5", counts.too_short, true),
        ("Too long", "fail6", counts.too_long, counts.too_long > 0),
        (
            "Removed by index",
            "fail7",
            counts.removed_by_index,
            counts.removed_by_index > 0,
        ),
        (
            "Removed as duplicates",
            "fail8",
            if report.steps.duplicates {
                counts.removed_duplicates
            } else {
                0
            },
            report.steps.duplicates,
        ),
    ];
    let total = all.iter().map(|(_, _, reads, _)| reads).sum();
    let shown = all.into_iter().filter(|(.., shown)| *shown);
    let share = |(name, class, reads, _)| Share {
        name,
        class,
        reads: grouped(reads),
        percent: percent(reads, total),
        width: ratio(reads, total) * 100.0,
    };
    shown.map(share).collect()
}

/// What was done to reads besides filtering.
fn extra(report: &CleaningReport<'_>) -> Vec<Row> {
    let (counts, steps) = (report.counts, report.steps);
    let sum = |counts: &[u64; 4]| counts.iter().sum::<u64>();
    let adapters = (counts.adapters.trimmed_reads, counts.adapters.trimmed_bases);
    let front = &counts.front_adapters;
    let front = (front.trimmed_reads, front.trimmed_bases);
    let poly_g = (counts.poly_g.reads, counts.poly_g.bases);
    let poly_g_name = match steps.poly_g.and_then(|cut| cut.instrument) {
        Some(_) => {
            "Tails of G cut, as the instrument calls G where there is no signal (not with -G)"
        }
        None => "Tails of G cut by -g",
    };
    let poly_a = &counts.poly_a;
    let poly_a = (poly_a.reads.iter().sum(), poly_a.bases.iter().sum());
    let poly_a_name = match report.is_paired() {
        true => "Tails of A (read 2: heads of T) cut",
        false => "Tails of A cut",
    };
    let poly_x = (sum(&counts.poly_x.reads), sum(&counts.poly_x.bases));
    let corrected = (counts.correction.reads, counts.correction.bases);
    let unmerged = (counts.uncounted.reads, counts.uncounted.bases);
    let fronts = (counts.fronts.reads, counts.fronts.bases);
    let tails = (counts.tails.reads, counts.tails.bases);
    let mut rows = Vec::new();
    for (shown, name, (reads, bases)) in [
        (steps.fixed_fronts, "Cut off starts by -f and -F", fronts),
        (
            steps.fixed_tails && !steps.tails,
            "Cut off tails by -t and -T",
            tails,
        ),
        (steps.front_adapters, "Adapters cut at the 5' end", front),
        (steps.adapter_cutting, "Adapters cut", adapters),
        (steps.poly_g.is_some(), poly_g_name, poly_g),
        (steps.poly_a, poly_a_name, poly_a),
        (steps.poly_x, "Tails of one base cut", poly_x),
        (steps.correction, "Bases corrected", corrected),
        (steps.unmerged, "Written, not merged", unmerged),
        (
            steps.tails,
            "Cut off tails by -t and -T (the number of threads is -w)",
            tails,
        ),
    ] {
        if shown {
            rows.push(Row {
                name,
                before: grouped(reads),
                after: grouped(bases),
            });
        }
    }
    let removed = counts.filtering.removed_duplicates;
    for (shown, name, reads) in [
        (!steps.duplicates, "Copies removed", removed),
        (true, "Merged", 2 * counts.merged_pairs),
        (
            steps.unmerged,
            "Passed, neither merged nor written",
            counts.discarded,
        ),
    ] {
        if shown && reads > 0 {
            rows.push(Row {
                name,
                before: grouped(reads),
                after: String::from("–"),
            });
        }
    }
    rows
}

/// Contaminants with the reads that were removed for them.
fn contaminants(report: &CleaningReport<'_>) -> Option<Contaminants> {
    let contaminants = report.contaminants.as_ref()?;
    let reads = report.before.iter().map(ReadStatistics::reads).sum();
    let rows = contaminants.each.iter().map(|one| Counted {
        sequence: format!("{} ({}-mers)", one.name, one.k),
        count: grouped(one.reads),
        percent: percent(one.reads, reads),
    });
    let what = match report.is_paired() {
        true => "pair",
        false => "read",
    };
    let mut asked = match contaminants.least_kmers {
        1 => format!("A {what} is removed for one k-mer of them"),
        least => format!(
            "A {what} is removed for {} k-mers of one of them",
            grouped(least)
        ),
    };
    if contaminants.least_fraction > 0.0 {
        let share = SixDigits(100.0 * contaminants.least_fraction);
        asked = format!("A {what} is removed if one of them has {share} % of its k-mers");
    }
    Some(Contaminants {
        asked,
        rows: rows.collect(),
    })
}

fn adapters(report: &CleaningReport<'_>) -> Vec<Adapters> {
    let (counts, steps) = (report.counts, report.steps);
    let mates = report.before.len().min(2);
    let mut all = Vec::new();
    if steps.front_adapters {
        let titles = ["Read 1, 5' end", "Read 2, 5' end"];
        for (mate, title) in titles.into_iter().enumerate().take(mates) {
            all.push(Adapters {
                is_front: true,
                given: None,
                table: cuts(title, &counts.front_adapters, mate),
            });
        }
    }
    if let Some(given) = steps.adapters {
        let titles = [("Read 1", given.read1), ("Read 2", given.read2)];
        for (mate, (title, given)) in titles.into_iter().enumerate().take(mates) {
            all.push(Adapters {
                is_front: false,
                given: given.map(text),
                table: cuts(title, &counts.adapters, mate),
            });
        }
    }
    all
}

/// What was cut of one mate most often.
fn cuts(title: &'static str, counts: &AdapterCounts, mate: usize) -> Table {
    let table = [&counts.read1, &counts.read2][mate];
    let total = table.values().sum::<u64>() + counts.untabulated[mate];
    let mut list: Vec<(&[u8], u64)> = table.iter().map(|(key, &count)| (&**key, count)).collect();
    list.sort_unstable_by_key(|&(sequence, count)| (std::cmp::Reverse(count), sequence));
    let rows = list
        .iter()
        .take(ADAPTER_ROWS)
        .map(|&(sequence, count)| Counted {
            sequence: text(sequence),
            count: grouped(count),
            percent: percent(count, total),
        });
    Table {
        title,
        rows: rows.collect(),
        more: list.len().saturating_sub(ADAPTER_ROWS),
    }
}

fn copies(summary: &DuplicationSummary) -> Copies {
    let last = summary
        .levels
        .iter()
        .rposition(|&count| count > 0)
        .unwrap_or(0);
    Copies {
        rate: percent(summary.reads - summary.distinct, summary.reads),
        distinct: grouped(summary.distinct),
        exact: summary.exact,
        chart: shares(
            "occurrences",
            1.0,
            &[("after", &summary.levels[..last.max(9) + 1])],
        ),
    }
}

fn mates(report: &CleaningReport<'_>) -> Vec<Mate> {
    let names = match (report.is_paired(), report.steps.merging) {
        (false, _) => ["Reads", ""],
        (true, false) => ["Read 1", "Read 2"],
        (true, true) => ["Read 1, and merged reads", "Read 2"],
    };
    let sequences = report.overrepresented.as_ref();
    let mate = |(mate, name): (usize, &'static str)| {
        let before = report.before.get(mate)?;
        let after = report.after.get(mate);
        let mut sides = vec![("Before", before)];
        sides.extend(after.map(|after| {
            (
                if report.steps.merging {
                    "Merged"
                } else {
                    "After"
                },
                after,
            )
        }));
        let lists = sequences.map(|some| [some.before.get(mate), some.after.get(mate)]);
        let lists = lists.into_iter().flatten().zip(&sides);
        Some(Mate {
            name,
            figures: figures(&sides),
            kmers: sides
                .iter()
                .map(|(title, side)| heat(title, side))
                .collect(),
            sequences: lists
                .filter_map(|(list, (title, side))| {
                    let sampling = report.overrepresented.as_ref()?.sampling;
                    Some(frequent(title, list?, side.bases(), sampling))
                })
                .collect(),
        })
    };
    names.into_iter().enumerate().filter_map(mate).collect()
}

fn frequent(title: &'static str, list: &[Overrepresented], bases: u64, sampling: u64) -> Table {
    let mut list: Vec<&Overrepresented> = list.iter().collect();
    let covered = |one: &Overrepresented| one.count * one.sequence.len() as u64;
    list.sort_by_key(|one| std::cmp::Reverse(covered(one)));
    let rows = list.iter().take(ROWS).map(|one| Counted {
        sequence: text(&one.sequence),
        count: grouped(one.count * sampling),
        percent: percent((covered(one) * sampling).min(bases), bases),
    });
    Table {
        title,
        rows: rows.collect(),
        more: list.len().saturating_sub(ROWS),
    }
}

fn text(sequence: &[u8]) -> String {
    String::from_utf8_lossy(sequence).into_owned()
}
