//! The charts of one mate, and of fragments.

use thalweg_charts::{Axes, Series, lines, steps};

use super::super::{cycles, mean_quality, ratio};
use crate::statistics::{Cycle, ReadStatistics};

/// Letters with their places in [`Cycle`] and classes of the style sheet.
const LETTERS: [(&str, usize); 5] = [("A", 0), ("C", 1), ("G", 2), ("T", 3), ("N", 4)];

/// A chart with a heading and a legend.
pub(super) struct Figure {
    pub(super) title: &'static str,
    pub(super) chart: String,
    pub(super) legend: Vec<Key>,
}

/// What a colour stands for.
pub(super) struct Key {
    pub(super) class: &'static str,
    pub(super) label: &'static str,
}

/// Of how many reads one reaches the last cycle that is shown: the few that go on would take the place of all others, and
/// show nothing but chance.
const READS_TO_LAST: u64 = 1000;

/// Cycles that are shown.
fn shown(statistics: &ReadStatistics) -> &[Cycle] {
    let told = &statistics.cycles()[..cycles(statistics)];
    let last = told
        .iter()
        .rposition(|cycle| cycle.total().saturating_mul(READS_TO_LAST) >= statistics.reads());
    &told[..last.map_or(0, |last| last + 1)]
}

/// All charts of a mate; `sides` are before and, if there are any, after the steps.
pub(super) fn figures(sides: &[(&'static str, &ReadStatistics)]) -> Vec<Figure> {
    let mut figures = Vec::new();
    let top_quality = sides
        .iter()
        .flat_map(|(_, side)| shown(side))
        .flat_map(|cycle| [0, 1, 2, 3].map(|place| quality(cycle, place)))
        .flatten()
        .fold(40.0, f64::max);
    for (side, statistics) in sides {
        let cycles = shown(statistics);
        let mut series = letters(cycles, &LETTERS[..4], quality);
        series.push(Series {
            class: "mean",
            label: "mean",
            values: cycles
                .iter()
                .map(|cycle| mean_quality(cycle.quality_bytes.iter().sum(), cycle.total()))
                .collect(),
        });
        let axes = by_cycle(statistics, top_quality, false);
        figures.push(Figure {
            title: match *side {
                "Before" => "Mean quality by cycle, before",
                "After" => "Mean quality by cycle, after",
                _ => "Mean quality by cycle, merged",
            },
            chart: lines(&series, &axes),
            legend: legend(&series),
        });
    }
    let content = |cycle: &Cycle, place: usize| {
        (cycle.total() > 0).then(|| ratio(cycle.letters[place], cycle.total()) * 100.0)
    };
    let gc = |cycle: &Cycle| Some(content(cycle, 1)? + content(cycle, 2)?);
    let top_content = sides
        .iter()
        .flat_map(|(_, side)| shown(side))
        .flat_map(|cycle| {
            [
                gc(cycle),
                content(cycle, 0),
                content(cycle, 3),
                content(cycle, 4),
            ]
        })
        .flatten()
        .fold(50.0, f64::max);
    for (side, statistics) in sides {
        let cycles = shown(statistics);
        let mut series = letters(cycles, &LETTERS, content);
        series.push(Series {
            class: "mean",
            label: "G and C",
            values: cycles.iter().map(gc).collect(),
        });
        figures.push(Figure {
            title: match *side {
                "Before" => "Bases by cycle, before",
                "After" => "Bases by cycle, after",
                _ => "Bases by cycle, merged",
            },
            chart: lines(&series, &by_cycle(statistics, top_content, true)),
            legend: legend(&series),
        });
    }
    let class = |side: &str| if side == "Before" { "before" } else { "after" };
    let overlaid = |values: &dyn Fn(&ReadStatistics) -> Vec<u64>| -> Vec<(&'static str, Vec<u64>)> {
        let sides = sides
            .iter()
            .map(|(side, statistics)| (class(side), values(statistics)));
        sides.collect()
    };
    let keys = || {
        let key = |(label, _): &(&'static str, _)| Key {
            class: class(label),
            label,
        };
        sides.iter().map(key).collect()
    };
    let qualities = overlaid(&|statistics| {
        let used = statistics.qualities()[33..]
            .iter()
            .rposition(|&count| count > 0);
        statistics.qualities()[33..=33 + used.unwrap_or(0).max(41)].to_vec()
    });
    figures.push(Figure {
        title: "Bases by quality",
        chart: shares("quality", 0.0, &borrowed(&qualities)),
        legend: keys(),
    });
    let longest = sides.iter().map(|(_, side)| shown(side).len()).max();
    let longest = longest.unwrap_or(0);
    let is_cut = sides
        .iter()
        .any(|(_, side)| side.lengths().len() > longest + 1);
    let lengths = overlaid(&|statistics| {
        let lengths = statistics.lengths();
        lengths[..lengths.len().min(longest + 1)].to_vec()
    });
    figures.push(Figure {
        title: "Reads by length",
        chart: shares(
            match is_cut {
                true => "length in bases; fewer than one read in 1000 is longer",
                false => "length in bases",
            },
            0.0,
            &borrowed(&lengths),
        ),
        legend: keys(),
    });
    figures
}

fn borrowed<'a>(owned: &'a [(&'static str, Vec<u64>)]) -> Vec<(&'static str, &'a [u64])> {
    owned
        .iter()
        .map(|(class, values)| (*class, values.as_slice()))
        .collect()
}

fn by_cycle(statistics: &ReadStatistics, y_top: f64, percent: bool) -> Axes {
    Axes {
        x_label: match shown(statistics).len() < cycles(statistics) {
            true => "cycle, as far as one read in 1000 goes",
            false => "cycle",
        },
        x_first: 1.0,
        y_top,
        percent,
    }
}

fn quality(cycle: &Cycle, place: usize) -> Option<f64> {
    mean_quality(cycle.quality_bytes[place], cycle.letters[place])
}

fn letters(
    cycles: &[Cycle],
    letters: &[(&'static str, usize)],
    value: impl Fn(&Cycle, usize) -> Option<f64>,
) -> Vec<Series> {
    let series = |&(label, place): &(&'static str, usize)| Series {
        class: label,
        label,
        values: cycles.iter().map(|cycle| value(cycle, place)).collect(),
    };
    letters.iter().map(series).collect()
}

fn legend(series: &[Series]) -> Vec<Key> {
    let key = |one: &Series| Key {
        class: one.class,
        label: one.label,
    };
    series.iter().map(key).collect()
}

/// Pairs by insert size, up to the longest that occurs.
pub(super) fn insert_sizes(histogram: &[u64]) -> String {
    let longest = histogram.iter().rposition(|&count| count > 0).unwrap_or(0);
    let shown = &histogram[..histogram.len().min(longest.max(99) + 1)];
    let (label, pairs) = ("insert size in bases", [("after", shown)]);
    stepped(label, 0.0, false, &pairs, |count, _| count as f64)
}

/// Counts as steps, in percent of their sum, so that two sides can be compared.
pub(super) fn shares(
    x_label: &'static str,
    x_first: f64,
    counts: &[(&'static str, &[u64])],
) -> String {
    stepped(x_label, x_first, true, counts, |count, sum| {
        ratio(count, sum) * 100.0
    })
}

fn stepped(
    x_label: &'static str,
    x_first: f64,
    percent: bool,
    counts: &[(&'static str, &[u64])],
    value: impl Fn(u64, u64) -> f64,
) -> String {
    let series: Vec<Series> = counts
        .iter()
        .map(|&(class, counts)| {
            let sum = counts.iter().sum();
            Series {
                class,
                label: class,
                values: counts
                    .iter()
                    .map(|&count| Some(value(count, sum)))
                    .collect(),
            }
        })
        .collect();
    let axes = Axes {
        x_label,
        x_first,
        y_top: 0.0,
        percent,
    };
    steps(&series, &axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Collector, LetterRule};

    #[test]
    fn charts_end_where_fewer_than_one_read_in_a_thousand_goes_on() {
        for (others, wanted) in [(999, 9), (1000, 4)] {
            let mut collector = Collector::new(LetterRule::Plain);
            collector.add(b"ACGTACGTA", &[b'I'; 9]);
            for _ in 0..others {
                collector.add(b"ACGT", &[b'I'; 4]);
            }
            let statistics = collector.finish();
            assert_eq!(shown(&statistics).len(), wanted);
            let says = |chart: &Figure| chart.chart.contains("1000");
            let charts = figures(&[("Before", &statistics)]);
            // Qualities and bases by cycle, and lengths; not the distribution of qualities.
            let told = charts.iter().filter(|chart| says(chart)).count();
            assert_eq!(told, if wanted == 4 { 3 } else { 0 });
        }
        assert!(shown(&ReadStatistics::default()).is_empty());
    }
}
