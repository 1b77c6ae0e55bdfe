//! The charts of one mate, and of fragments.

use thalweg_charts::{Axes, Band, Scale, Series, lines, steps};

use super::super::{cycles, mean_quality, ratio};
use super::lengths::has_long_reads;
use crate::statistics::{Cycle, ReadStatistics};

/// A letter, or G and C together, with a line of its own.
struct Letter {
    label: &'static str,
    /// Label of its line before the steps.
    before: &'static str,
    /// Classes of the style sheet.
    class: &'static str,
    dashed: &'static str,
    /// Its place in [`Cycle`], or [`GC`].
    place: usize,
}

/// The place of G and C together, which no letter has.
const GC: usize = 6;

macro_rules! letter {
    ($label:literal, $class:literal, $place:expr) => {
        Letter {
            label: $label,
            before: concat!($label, " before"),
            class: $class,
            dashed: concat!($class, " dashed"),
            place: $place,
        }
    };
}

const LETTERS: [Letter; 6] = [
    letter!("A", "A", 0),
    letter!("C", "C", 1),
    letter!("G", "G", 2),
    letter!("T", "T", 3),
    letter!("N", "N", 4),
    letter!("G and C", "mean", GC),
];

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

/// The last cycle that is shown is reached by one read of so many: the few longer reads would take the place of all others,
/// and show nothing but chance.
const READS_TO_LAST: u64 = 1000;

/// Cycles that are shown.
fn shown(statistics: &ReadStatistics) -> &[Cycle] {
    let told = &statistics.cycles()[..cycles(statistics)];
    let last = told
        .iter()
        .rposition(|cycle| cycle.total().saturating_mul(READS_TO_LAST) >= statistics.reads());
    &told[..last.map_or(0, |last| last + 1)]
}

/// Windows that make a line of long reads: at their ends, where few reads are, single positions show nothing but chance.
const WINDOWS: usize = 300;

/// Returns a value for each position; if reads are long, of a window around it.
fn by_position(
    statistics: &ReadStatistics,
    value: impl Fn(&Cycle) -> Option<f64>,
) -> Vec<Option<f64>> {
    let shown = shown(statistics);
    let reach = shown.len() / WINDOWS / 2;
    let mut window = Cycle::default();
    let mut values = Vec::with_capacity(shown.len());
    for end in 0..shown.len() + reach {
        if let Some(cycle) = shown.get(end) {
            window.merge(cycle);
        }
        if let Some(before) = end.checked_sub(2 * reach + 1) {
            window.remove(&shown[before]);
        }
        if end >= reach {
            values.push(value(&window));
        }
    }
    values
}

/// Bands of the chart of mean qualities.
const QUALITY_BANDS: &[Band] = &[
    Band {
        class: "q0",
        from: 0.0,
        to: 20.0,
    },
    Band {
        class: "q20",
        from: 20.0,
        to: 30.0,
    },
    Band {
        class: "q30",
        from: 30.0,
        to: 100.0,
    },
];

/// The least span of the axis of qualities, so that small differences look small.
const QUALITY_SPAN: f64 = 10.0;

/// Bins of lengths for each power of ten.
const BINS: u32 = 20;

/// Reads before or after the steps.
pub(super) struct Side<'a> {
    /// "before", "after" or "merged".
    pub(super) name: &'static str,
    pub(super) statistics: &'a ReadStatistics,
}

impl Side<'_> {
    fn is_before(&self) -> bool {
        self.name == "before"
    }

    /// Returns the name as a heading.
    pub(super) fn title(&self) -> &'static str {
        match self.name {
            "before" => "Before",
            "merged" => "Merged",
            _ => "After",
        }
    }

    fn class(&self) -> &'static str {
        if self.is_before() { "before" } else { "after" }
    }

    fn key(&self) -> Key {
        Key {
            class: self.class(),
            label: self.name,
        }
    }
}

/// Returns all charts of a mate. `sides` are before and, if there are any, after the steps; each chart shows both.
pub(super) fn figures(sides: &[Side<'_>]) -> Vec<Figure> {
    vec![
        mean_qualities(sides),
        letters_by_cycle(sides),
        qualities(sides),
        match sides.iter().any(|side| has_long_reads(side.statistics)) {
            true => long_lengths(sides),
            false => lengths(sides),
        },
    ]
}

/// Returns the mean quality of each letter by cycle: where they differ, chemistry does.
pub(super) fn letter_qualities(sides: &[Side<'_>]) -> Figure {
    by_letter(
        "Mean quality of each base, by position",
        sides,
        &LETTERS[..4],
        quality,
        |series| quality_axes(sides, series),
    )
}

fn mean_qualities(sides: &[Side<'_>]) -> Figure {
    let mean = |cycle: &Cycle| mean_quality(cycle.quality_bytes.iter().sum(), cycle.total());
    let series: Vec<Series> = sides
        .iter()
        .map(|side| Series {
            class: side.class(),
            label: side.name,
            values: by_position(side.statistics, mean),
        })
        .collect();
    let mut legend: Vec<Key> = sides.iter().map(Side::key).collect();
    for (class, label) in [
        ("q30", "Q30 or more"),
        ("q20", "Q20 to Q30"),
        ("q0", "below Q20"),
    ] {
        legend.push(Key { class, label });
    }
    Figure {
        title: "Mean quality by position",
        chart: lines(&series, &quality_axes(sides, &series)),
        legend,
    }
}

fn quality_axes(sides: &[Side<'_>], series: &[Series]) -> Axes {
    let values = || series.iter().flat_map(|one| &one.values).flatten();
    let highest = values().copied().fold(0.0, f64::max);
    let lowest = values().copied().fold(highest, f64::min);
    Axes {
        y_bottom: lowest.min(highest - QUALITY_SPAN).max(0.0),
        bands: QUALITY_BANDS,
        ..by_cycle(sides, highest, false)
    }
}

fn letters_by_cycle(sides: &[Side<'_>]) -> Figure {
    let content = |cycle: &Cycle, place: usize| {
        let part = match place {
            GC => cycle.letters[1] + cycle.letters[2],
            _ => cycle.letters[place],
        };
        (cycle.total() > 0).then(|| ratio(part, cycle.total()) * 100.0)
    };
    by_letter("Bases by position", sides, &LETTERS, content, |series| {
        let values = series.iter().flat_map(|one| &one.values).flatten();
        by_cycle(sides, values.copied().fold(50.0, f64::max), true)
    })
}

/// A chart with a line for each letter and side: dashed before the steps, if there is another side.
fn by_letter(
    title: &'static str,
    sides: &[Side<'_>],
    letters: &[Letter],
    value: impl Fn(&Cycle, usize) -> Option<f64>,
    axes: impl Fn(&[Series]) -> Axes,
) -> Figure {
    let is_compared = sides.len() > 1;
    let mut series = Vec::new();
    for side in sides {
        let is_dashed = is_compared && side.is_before();
        series.extend(letters.iter().map(|letter| Series {
            class: if is_dashed {
                letter.dashed
            } else {
                letter.class
            },
            label: if is_dashed {
                letter.before
            } else {
                letter.label
            },
            values: by_position(side.statistics, |cycle| value(cycle, letter.place)),
        }));
    }
    let mut legend: Vec<Key> = letters
        .iter()
        .map(|letter| Key {
            class: letter.class,
            label: letter.label,
        })
        .collect();
    if is_compared {
        legend.push(Key {
            class: "dashed",
            label: "dashed: before",
        });
    }
    Figure {
        title,
        chart: lines(&series, &axes(&series)),
        legend,
    }
}

fn qualities(sides: &[Side<'_>]) -> Figure {
    let counts: Vec<&[u64]> = sides
        .iter()
        .map(|side| &side.statistics.qualities()[33..])
        .collect();
    let (first, used) = used(&counts);
    Figure {
        title: "Bases by quality",
        chart: shares(
            "quality",
            Scale::Linear {
                first: first as u64,
            },
            &classes(sides, used),
        ),
        legend: sides.iter().map(Side::key).collect(),
    }
}

fn lengths(sides: &[Side<'_>]) -> Figure {
    let counts: Vec<&[u64]> = sides
        .iter()
        .map(|side| {
            let lengths = side.statistics.lengths();
            &lengths[..lengths.len().min(longest(sides) + 1)]
        })
        .collect();
    let (first, used) = used(&counts);
    Figure {
        title: "Reads by length",
        chart: shares(
            match sides
                .iter()
                .any(|side| side.statistics.lengths().len() > longest(sides) + 1)
            {
                true => "length (bp); fewer than one read in 1,000 is longer",
                false => "length (bp)",
            },
            Scale::Linear {
                first: first as u64,
            },
            &classes(sides, used),
        ),
        legend: sides.iter().map(Side::key).collect(),
    }
}

/// Long reads by length, in bins of a logarithmic scale.
fn long_lengths(sides: &[Side<'_>]) -> Figure {
    let bins: Vec<Vec<u64>> = sides
        .iter()
        .map(|side| {
            let mut bins = Vec::new();
            for (length, &count) in side.statistics.lengths().iter().enumerate() {
                let bin = Scale::bin(length as u64, BINS) as usize;
                bins.resize(bins.len().max(bin + 1), 0);
                bins[bin] += count;
            }
            bins
        })
        .collect();
    let borrowed: Vec<&[u64]> = bins.iter().map(Vec::as_slice).collect();
    let (first, used) = used(&borrowed);
    Figure {
        title: "Reads by length",
        chart: shares(
            "length (bp), logarithmic",
            Scale::Log {
                first: first as u32,
                per_decade: BINS,
            },
            &classes(sides, used),
        ),
        legend: sides.iter().map(Side::key).collect(),
    }
}

/// Returns the first place at which any count is above 0, and the counts from there to the last such place.
fn used(counts: &[&[u64]]) -> (usize, Vec<Vec<u64>>) {
    let is_used = |place: &usize| {
        let mut counts = counts.iter();
        counts.any(|counts| counts.get(*place).is_some_and(|&count| count > 0))
    };
    let most = counts.iter().map(|counts| counts.len()).max().unwrap_or(0);
    let first = (0..most).find(is_used).unwrap_or(0);
    let end = (first..most)
        .rev()
        .find(is_used)
        .map_or(first, |last| last + 1);
    let in_range = |counts: &&[u64]| {
        let end = end.min(counts.len());
        counts[first.min(end)..end].to_vec()
    };
    (first, counts.iter().map(in_range).collect())
}

fn classes(
    sides: &[Side<'_>],
    counts: Vec<Vec<u64>>,
) -> Vec<(&'static str, &'static str, Vec<u64>)> {
    let sides = sides.iter().map(|side| (side.class(), side.name));
    sides
        .zip(counts)
        .map(|((class, name), counts)| (class, name, counts))
        .collect()
}

/// Cycles that charts show of any side.
fn longest(sides: &[Side<'_>]) -> usize {
    let longest = sides.iter().map(|side| shown(side.statistics).len()).max();
    longest.unwrap_or(0)
}

fn by_cycle(sides: &[Side<'_>], y_top: f64, percent: bool) -> Axes {
    let all = sides.iter().map(|side| cycles(side.statistics)).max();
    Axes {
        x_label: match longest(sides) < all.unwrap_or(0) {
            true => "position in read (bp); fewer than one read in 1,000 is longer",
            false => "position in read (bp)",
        },
        x_scale: Scale::Linear { first: 1 },
        y_bottom: 0.0,
        y_top,
        percent,
        bands: &[],
    }
}

fn quality(cycle: &Cycle, place: usize) -> Option<f64> {
    mean_quality(cycle.quality_bytes[place], cycle.letters[place])
}

/// Pairs by insert size, up to the longest that occurs.
pub(super) fn insert_sizes(histogram: &[u64]) -> String {
    let longest = histogram.iter().rposition(|&count| count > 0).unwrap_or(0);
    let shown = histogram[..histogram.len().min(longest.max(99) + 1)].to_vec();
    let (label, pairs) = ("insert size (bp)", [("after", "pairs", shown)]);
    stepped(
        label,
        Scale::Linear { first: 0 },
        false,
        &pairs,
        |count, _| count as f64,
    )
}

/// Counts as steps, in percent of their sum, so that two sides can be compared. Each has a class, a name and values.
pub(super) fn shares(
    x_label: &'static str,
    x_scale: Scale,
    counts: &[(&'static str, &'static str, Vec<u64>)],
) -> String {
    stepped(x_label, x_scale, true, counts, |count, sum| {
        ratio(count, sum) * 100.0
    })
}

fn stepped(
    x_label: &'static str,
    x_scale: Scale,
    percent: bool,
    counts: &[(&'static str, &'static str, Vec<u64>)],
    value: impl Fn(u64, u64) -> f64,
) -> String {
    let series: Vec<Series> = counts
        .iter()
        .map(|(class, label, counts)| {
            let sum = counts.iter().sum();
            Series {
                class,
                label,
                values: counts
                    .iter()
                    .map(|&count| Some(value(count, sum)))
                    .collect(),
            }
        })
        .collect();
    let axes = Axes {
        x_label,
        x_scale,
        y_bottom: 0.0,
        y_top: 0.0,
        percent,
        bands: &[],
    };
    steps(&series, &axes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::{Collector, LetterRule};

    #[test]
    fn lines_of_long_reads_are_means_of_windows() {
        for (length, reach) in [(599, 0), (600, 1), (1850, 3)] {
            let mut collector = Collector::new(LetterRule::Plain);
            let qualities: Vec<u8> = (0..length).map(|at| b'#' + (at * 7 % 40) as u8).collect();
            collector.add(&vec![b'A'; length], &qualities);
            let statistics = collector.finish();
            let values = by_position(&statistics, |cycle| quality(cycle, 0));
            assert_eq!(values.len(), length);
            for (at, value) in values.into_iter().enumerate() {
                let window = &qualities[at.saturating_sub(reach)..length.min(at + reach + 1)];
                let sum: f64 = window.iter().map(|&byte| f64::from(byte - 33)).sum();
                let expected = sum / window.len() as f64;
                assert!((value.unwrap() - expected).abs() < 1e-9, "{length}: {at}");
            }
        }
    }

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
            let says = |chart: &Figure| chart.chart.contains("1,000");
            let charts = figures(&[Side {
                name: "before",
                statistics: &statistics,
            }]);
            // Qualities and bases by cycle, and lengths; not the distribution of qualities.
            let told = charts.iter().filter(|chart| says(chart)).count();
            assert_eq!(told, if wanted == 4 { 3 } else { 0 });
        }
        assert!(shown(&ReadStatistics::default()).is_empty());
    }
}
