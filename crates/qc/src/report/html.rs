//! The report for people: one page that needs nothing else.
//!
//! `templates/report.html` holds the page; here is what goes into it. Whatever comes from
//! the user (title, command, sequences) is escaped by the template; marked as safe are
//! only the charts, whose text is all from here.

mod figures;
mod heat;
mod lengths;

use askama::Template;
use thalweg_charts::Scale;
use thalweg_files::{percent, thousands};

use super::number::SixDigits;
use super::{CleaningReport, ratio};
use crate::counts::AdapterCounts;
use crate::duplication::DuplicationSummary;
use crate::overrepresented::Overrepresented;
use crate::statistics::ReadStatistics;
use figures::{Figure, Side, figures, insert_sizes, letter_qualities, shares};
use heat::{Heat, heat};
use lengths::{has_long_reads, longest, n50};

/// Rows of a table that may have thousands.
const ROWS: usize = 20;

/// Inputs that are named.
const INPUTS: usize = 8;

/// Rows of a table of adapters, most of which are the same one, cut at other places.
const ADAPTER_ROWS: usize = 10;

/// Reads per cut of a sequence that is listed if no adapter is known: mates overlap by chance, too.
const READS_TO_SHOW: u64 = 10_000;

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

/// Sequences that were cut from one end of one mate.
struct Adapters {
    is_front: bool,
    given: Option<String>,
    /// Reads that were cut.
    reads: String,
    table: Table,
}

struct Counted {
    sequence: String,
    count: String,
    percent: String,
}

/// References that reads were removed for.
struct Contaminants {
    /// The least that a read has in common with one.
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
    /// Charts that few look at.
    more_figures: Vec<Figure>,
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
        sequencing: sequencing(report),
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

/// Returns whether reads are single or pairs, with the length of the longest.
fn sequencing(report: &CleaningReport<'_>) -> String {
    let bases = |statistics: &ReadStatistics| match longest(statistics) {
        length if length as usize >= ReadStatistics::CYCLE_LIMIT => {
            format!("{} bases or more", thousands(length))
        }
        length => format!("{} bases", thousands(length)),
    };
    match report.before {
        [first, second, ..] if longest(first) == longest(second) => {
            format!("paired end, reads of up to {}", bases(first))
        }
        [first, second, ..] => format!(
            "paired end, read 1 of up to {}, read 2 of up to {}",
            bases(first),
            bases(second)
        ),
        [reads] => format!("single end, reads of up to {}", bases(reads)),
        [] => String::from("no reads"),
    }
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
        format!("{} ({})", thousands(part), percent(part, bases))
    };
    let mean = |mates: &[ReadStatistics], mate: usize| {
        mates.get(mate).map_or(String::from("–"), |statistics| {
            format!("{:.1}", ratio(statistics.bases(), statistics.reads()))
        })
    };
    row("Reads", &|mates| {
        thousands(sum(mates, ReadStatistics::reads))
    });
    row("Bases", &|mates| {
        thousands(sum(mates, ReadStatistics::bases))
    });
    for (name, quality) in [
        ("Bases of Q20 or more", 20),
        ("Bases of Q30 or more", 30),
        ("Bases of Q40 or more", 40),
    ] {
        row(name, &|mates| {
            part(mates, sum(mates, |mate| mate.bases_from_quality(quality)))
        });
    }
    row("GC content", &|mates| {
        let gc = sum(mates, |mate| mate.letters()[1] + mate.letters()[2]);
        percent(gc, sum(mates, ReadStatistics::bases))
    });
    if report.is_paired() {
        row("Mean length, read 1", &|mates| mean(mates, 0));
        row("Mean length, read 2", &|mates| mean(mates, 1));
    } else {
        row("Mean length", &|mates| mean(mates, 0));
    }
    if report.before.iter().any(has_long_reads) {
        let of_first = |mates: &[ReadStatistics], value: fn(&ReadStatistics) -> u64| {
            mates
                .first()
                .map_or(String::from("–"), |reads| thousands(value(reads)))
        };
        row("N50 of lengths", &|mates| of_first(mates, n50));
        row("Longest read", &|mates| of_first(mates, longest));
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
        reads: thousands(reads),
        percent: percent(reads, total),
        width: ratio(reads, total) * 100.0,
    };
    shown.map(share).collect()
}

/// Returns the steps that changed reads, with the reads and bases of each.
fn extra(report: &CleaningReport<'_>) -> Vec<Row> {
    let (counts, steps) = (report.counts, report.steps);
    let sum = |counts: &[u64; 4]| counts.iter().sum::<u64>();
    let adapters = (counts.adapters.trimmed_reads, counts.adapters.trimmed_bases);
    let front = &counts.front_adapters;
    let front = (front.trimmed_reads, front.trimmed_bases);
    let poly_g = (counts.poly_g.reads, counts.poly_g.bases);
    let poly_g_name = match steps.poly_g.and_then(|cut| cut.instrument) {
        Some(_) => {
            "Poly-G tails cut: the instrument calls G where there is no signal (-G keeps them)"
        }
        None => "Poly-G tails cut (-g)",
    };
    let poly_a = &counts.poly_a;
    let poly_a = (poly_a.reads.iter().sum(), poly_a.bases.iter().sum());
    let poly_a_name = match report.is_paired() {
        true => "Poly-A tails cut (of read 2: poly-T at the start)",
        false => "Poly-A tails cut",
    };
    let poly_x = (sum(&counts.poly_x.reads), sum(&counts.poly_x.bases));
    let corrected = (counts.correction.reads, counts.correction.bases);
    let unmerged = (counts.uncounted.reads, counts.uncounted.bases);
    let fronts = (counts.fronts.reads, counts.fronts.bases);
    let tails = (counts.tails.reads, counts.tails.bases);
    let mut rows = Vec::new();
    for (shown, name, (reads, bases)) in [
        (
            steps.fixed_fronts,
            "Bases cut from the start (-f, -F)",
            fronts,
        ),
        (
            steps.fixed_tails && !steps.tails,
            "Bases cut from the end (-t, -T)",
            tails,
        ),
        (steps.front_adapters, "Adapters cut at the 5' end", front),
        (steps.adapter_cutting, "Adapters cut", adapters),
        (steps.poly_g.is_some(), poly_g_name, poly_g),
        (steps.poly_a, poly_a_name, poly_a),
        (steps.poly_x, "Poly-X tails cut", poly_x),
        (steps.correction, "Bases corrected", corrected),
        (steps.unmerged, "Written without merging", unmerged),
        (
            steps.tails,
            "Bases cut from the end (-t, -T; the number of threads is -w)",
            tails,
        ),
    ] {
        if shown {
            rows.push(Row {
                name,
                before: thousands(reads),
                after: thousands(bases),
            });
        }
    }
    let removed = counts.filtering.removed_duplicates;
    for (shown, name, reads) in [
        (!steps.duplicates, "Copies removed", removed),
        (true, "Merged", 2 * counts.merged_pairs),
        (
            steps.unmerged,
            "Passed without merging, not written",
            counts.discarded,
        ),
    ] {
        if shown && reads > 0 {
            rows.push(Row {
                name,
                before: thousands(reads),
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
        count: thousands(one.reads),
        percent: percent(one.reads, reads),
    });
    let what = match report.is_paired() {
        true => "pair",
        false => "read",
    };
    let mut asked = match contaminants.least_kmers {
        1 => format!("A {what} is removed if it has one k-mer of a contaminant."),
        least => format!(
            "A {what} is removed if it has {} k-mers of one contaminant.",
            thousands(least)
        ),
    };
    if contaminants.least_fraction > 0.0 {
        let share = SixDigits(100.0 * contaminants.least_fraction);
        asked =
            format!("A {what} is removed if {share}% of its k-mers are those of one contaminant.");
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
                reads: thousands(cut_reads(&counts.front_adapters, mate)),
                table: cuts(title, &counts.front_adapters, mate, 1),
            });
        }
    }
    if let Some(given) = steps.adapters {
        let titles = [("Read 1", given.read1), ("Read 2", given.read2)];
        for (mate, (title, given)) in titles.into_iter().enumerate().take(mates) {
            let least = match given {
                Some(_) => 1,
                None => report.before[mate].reads().div_ceil(READS_TO_SHOW),
            };
            all.push(Adapters {
                is_front: false,
                given: given.map(text),
                reads: thousands(cut_reads(&counts.adapters, mate)),
                table: cuts(title, &counts.adapters, mate, least),
            });
        }
    }
    all
}

/// Returns the reads of one mate that were cut.
fn cut_reads(counts: &AdapterCounts, mate: usize) -> u64 {
    let table = [&counts.read1, &counts.read2][mate];
    table.values().sum::<u64>() + counts.untabulated[mate]
}

/// Returns the sequences that were cut from one mate most often, and from `least` reads.
fn cuts(title: &'static str, counts: &AdapterCounts, mate: usize, least: u64) -> Table {
    let table = [&counts.read1, &counts.read2][mate];
    let total = cut_reads(counts, mate);
    let mut list: Vec<(&[u8], u64)> = table.iter().map(|(key, &count)| (&**key, count)).collect();
    list.sort_unstable_by_key(|&(sequence, count)| (std::cmp::Reverse(count), sequence));
    let rows: Vec<Counted> = list
        .iter()
        .take(ADAPTER_ROWS)
        .take_while(|&&(_, count)| count >= least)
        .map(|&(sequence, count)| Counted {
            sequence: text(sequence),
            count: thousands(count),
            percent: percent(count, total),
        })
        .collect();
    Table {
        title,
        more: list.len() - rows.len(),
        rows,
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
        distinct: thousands(summary.distinct),
        exact: summary.exact,
        chart: shares(
            "copies",
            Scale::Linear { first: 1 },
            &[(
                "after",
                "sequences",
                summary.levels[..last.max(9) + 1].to_vec(),
            )],
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
        let mut sides = vec![Side {
            name: "before",
            statistics: before,
        }];
        sides.extend(after.map(|statistics| Side {
            name: match report.steps.merging {
                true => "merged",
                false => "after",
            },
            statistics,
        }));
        let lists = sequences.map(|some| [some.before.get(mate), some.after.get(mate)]);
        let lists = lists.into_iter().flatten().zip(&sides);
        Some(Mate {
            name,
            figures: figures(&sides),
            more_figures: vec![letter_qualities(&sides)],
            kmers: sides
                .iter()
                .map(|side| heat(side.title(), side.statistics))
                .collect(),
            sequences: lists
                .filter_map(|(list, side)| {
                    let sampling = report.overrepresented.as_ref()?.sampling;
                    Some(frequent(
                        side.title(),
                        list?,
                        side.statistics.bases(),
                        sampling,
                    ))
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
        count: thousands(one.count * sampling),
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
