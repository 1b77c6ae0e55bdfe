//! Charts of series, as inline SVG.
//!
//! A chart has a fixed coordinate system of 440 by 250 units and is scaled by the page;
//! at the width of a phone one unit is about 0.8 pixels, so that text of 12 units can
//! still be read. Colours are classes of the page's style sheet. All text comes from the
//! program, and is not escaped.

use std::fmt::Write;

use thalweg_files::thousands;

use crate::{Area, round_step};

const AREA: Area = Area {
    width: 440.0,
    height: 250.0,
    left: 52.0,
    // Half of the widest label below the end of the axis: of five letters, of 15 units on a phone, each of which is 0.64 of
    // that wide.
    right: 24.0,
    top: 10.0,
    bottom: 40.0,
};

/// So much of the step between ticks that is asked for is enough.
const ENOUGH: f64 = 0.999;

/// Points of a line, at most: all of the insert sizes. There are not many more pixels.
const POINTS: usize = 600;

/// Places that tell their values, at most: more would be too narrow to point at.
const PLACES: usize = 200;

/// One line, or row of bars, of a chart.
pub struct Series {
    /// Class of the style sheet.
    pub class: &'static str,
    /// For the legend.
    pub label: &'static str,
    /// Values at x = 0, 1, 2, ... of the chart; `None` where there is none.
    pub values: Vec<Option<f64>>,
}

/// The axes of a chart.
pub struct Axes {
    /// Text below the x axis.
    pub x_label: &'static str,
    /// Numbers that the values of a series belong to.
    pub x_scale: Scale,
    /// The bottom of the y axis, at most; steps are filled down to it.
    pub y_bottom: f64,
    /// The top of the y axis, at least.
    pub y_top: f64,
    /// True if y is a percentage, and is written with its sign.
    pub percent: bool,
    /// Bands of colour below the lines.
    pub bands: &'static [Band],
}

/// Numbers on the x axis.
#[derive(Clone, Copy, Debug)]
pub enum Scale {
    /// `first` and each whole number after it.
    Linear {
        /// The number of the first value.
        first: u64,
    },
    /// Ranges of whole numbers, so many for each power of ten: bin `b` begins at the first number from `10^(b / per_decade)`.
    Log {
        /// The bin of the first value.
        first: u32,
        /// Bins for each power of ten.
        per_decade: u32,
    },
}

/// A part of the y axis with a colour of its own.
#[derive(Debug)]
pub struct Band {
    /// Class of the style sheet.
    pub class: &'static str,
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub to: f64,
}

impl Scale {
    /// Returns the bin of `number` on a logarithmic scale; that of 0 is the bin of 1.
    pub fn bin(number: u64, per_decade: u32) -> u32 {
        let near = (number.max(1) as f64).log10() * f64::from(per_decade);
        // What rounding puts into a neighbour.
        let mut bin = near as u32;
        while Self::first_in(bin + 1, per_decade) <= number {
            bin += 1;
        }
        while bin > 0 && Self::first_in(bin, per_decade) > number {
            bin -= 1;
        }
        bin
    }

    /// Returns the first whole number of a bin.
    fn first_in(bin: u32, per_decade: u32) -> u64 {
        let exact = 10_f64.powf(f64::from(bin) / f64::from(per_decade));
        // A power of ten may come out a little too large.
        (exact - 1e-9 * exact).ceil() as u64
    }

    /// Returns the first and the last number of the values from `first` to `last`, counted from 0.
    fn numbers(self, first: usize, last: usize) -> (u64, u64) {
        match self {
            Self::Linear { first: zero } => (zero + first as u64, zero + last as u64),
            Self::Log {
                first: zero,
                per_decade,
            } => {
                let from = Self::first_in(zero + first as u32, per_decade);
                let next = Self::first_in(zero + last as u32 + 1, per_decade);
                (from, (next - 1).max(from))
            }
        }
    }

    /// Returns places for ticks among `count` values, with their labels.
    fn ticks(self, count: usize) -> Vec<(f64, String)> {
        match self {
            Self::Linear { first } => {
                let (first, step) = (
                    first as f64,
                    round_step(count as f64 / 5.0, ENOUGH).max(1.0),
                );
                let mut ticks = Vec::new();
                let mut tick = (first / step).ceil() * step;
                while tick <= first + count as f64 - 1.0 {
                    ticks.push((tick - first, label(tick, step, false)));
                    tick += step;
                }
                ticks
            }
            Self::Log { first, per_decade } => {
                let end = first as usize + count;
                let decades = count / per_decade as usize;
                // Two ticks more in each decade, if there are few.
                let within: &[f64] = if decades > 2 {
                    &[1.0]
                } else {
                    &[1.0, 2.0, 5.0]
                };
                let mut ticks = Vec::new();
                for decade in 0..=end as u32 / per_decade {
                    for times in within {
                        let number = times * 10_f64.powi(decade as i32);
                        // The left end of a bin is half a value before it.
                        let place = number.log10() * f64::from(per_decade) - f64::from(first) - 0.5;
                        if place > -1.0 && place < count as f64 {
                            ticks.push((place, label(number, number, false)));
                        }
                    }
                }
                ticks
            }
        }
    }
}

/// Lines, one for each series: the text of an `<svg>` element.
pub fn lines(series: &[Series], axes: &Axes) -> String {
    let mut frame = Frame::new(series, axes);
    for one in series {
        let mut path = String::new();
        let mut pen_down = false;
        for (x, value) in thinned(&one.values) {
            let Some(value) = value else {
                pen_down = false;
                continue;
            };
            let command = if pen_down { 'L' } else { 'M' };
            let (x, y) = (frame.x(x), frame.y(value));
            // Writing to a string does not fail.
            let _ = write!(path, "{command}{x:.1} {y:.1}");
            pen_down = true;
        }
        let _ = write!(
            frame.svg,
            "<path class=\"line {}\" d=\"{path}\"/>",
            one.class
        );
    }
    frame.tell(series, axes);
    frame.finish()
}

/// Steps filled down to the axis, one for each value; of several series, one before the
/// other.
pub fn steps(series: &[Series], axes: &Axes) -> String {
    let mut frame = Frame::new(series, axes);
    for one in series {
        let points = thinned(&one.values);
        let half = points
            .get(1)
            .map_or(0.5, |(second, _)| (second - points[0].0) / 2.0);
        let (mut path, mut last) = (String::new(), 0.0);
        for (x, value) in points {
            let y = frame.y(value.unwrap_or(0.0));
            let start = if path.is_empty() { 'M' } else { 'L' };
            last = frame.x(x + half);
            let first = frame.x(x - half);
            if path.is_empty() {
                let _ = write!(path, "{start}{first:.1} {:.1}", AREA.floor());
            }
            let _ = write!(path, "L{first:.1} {y:.1}H{last:.1}");
        }
        if !path.is_empty() {
            let _ = write!(path, "L{last:.1} {:.1}", AREA.floor());
        }
        let _ = write!(
            frame.svg,
            "<path class=\"area {}\" d=\"{path}\"/>",
            one.class
        );
    }
    frame.tell(series, axes);
    frame.finish()
}

/// At most [`POINTS`] points: where there are more values, the mean of as many as needed.
fn thinned(values: &[Option<f64>]) -> Vec<(f64, Option<f64>)> {
    let size = values.len().div_ceil(POINTS).max(1);
    let point = |(index, some): (usize, &[Option<f64>])| {
        let first = index * size;
        let x = first as f64 + (some.len() - 1) as f64 / 2.0;
        (x, mean(values, first, first + some.len() - 1))
    };
    values.chunks(size).enumerate().map(point).collect()
}

/// The mean of those that are known of the values `first` to `last`.
fn mean(values: &[Option<f64>], first: usize, last: usize) -> Option<f64> {
    let some = values.get(first..values.len().min(last + 1))?;
    let known: Vec<f64> = some.iter().flatten().copied().collect();
    let sum: f64 = known.iter().sum();
    (!known.is_empty()).then(|| sum / known.len() as f64)
}

/// The axes, and where things are in them.
struct Frame {
    svg: String,
    /// Values on the x axis.
    values: f64,
    bottom: f64,
    top: f64,
}

impl Frame {
    fn new(series: &[Series], axes: &Axes) -> Self {
        let longest = series.iter().map(|one| one.values.len()).max();
        let all = series.iter().flat_map(|one| thinned(&one.values));
        let highest = all
            .filter_map(|(_, value)| value)
            .fold(axes.y_top, f64::max);
        let step = round_step((highest - axes.y_bottom) / 4.0, ENOUGH);
        let bottom = (axes.y_bottom / step).floor() * step;
        let mut frame = Frame {
            svg: format!(
                "<svg viewBox=\"0 0 {} {}\" role=\"img\">",
                AREA.width, AREA.height
            ),
            values: longest.unwrap_or(0).max(1) as f64,
            bottom,
            top: (highest / step).ceil().max((bottom / step) + 1.0) * step,
        };
        for band in axes.bands {
            let [upper, lower] = [band.to, band.from].map(|value| frame.y(value));
            let _ = write!(
                frame.svg,
                "<rect class=\"{}\" x=\"{}\" y=\"{upper:.1}\" width=\"{}\" height=\"{:.1}\"/>",
                band.class,
                AREA.left,
                AREA.across(),
                lower - upper,
            );
        }
        let mut tick = frame.bottom;
        while tick <= frame.top + step * 0.001 {
            let y = frame.y(tick);
            let label = label(tick, step, axes.percent);
            let _ = write!(
                frame.svg,
                "<path class=\"grid\" d=\"M{} {y:.1}H{}\"/>\
                 <text class=\"y\" x=\"{}\" y=\"{:.1}\">{label}</text>",
                AREA.left,
                AREA.end(),
                AREA.left - 6.0,
                y + 4.0,
            );
            tick += step;
        }
        for (place, label) in axes.x_scale.ticks(frame.values as usize) {
            let _ = write!(
                frame.svg,
                "<text class=\"x\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
                frame.x(place),
                AREA.floor() + 16.0,
            );
        }
        let _ = write!(
            frame.svg,
            "<text class=\"x\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            AREA.center(),
            AREA.height - 6.0,
            axes.x_label,
        );
        frame
    }

    fn x(&self, value: f64) -> f64 {
        // Half a value of room on both sides, for steps.
        AREA.left + (value + 0.5) / self.values * AREA.across()
    }

    fn y(&self, value: f64) -> f64 {
        AREA.y(value - self.bottom, self.top - self.bottom)
    }

    /// Has each place of the x axis tell its values to who points at it: a strip that is not seen, with a title, which
    /// browsers show.
    fn tell(&mut self, series: &[Series], axes: &Axes) {
        // What the label says besides is of the axis as a whole.
        let name = axes.x_label.split([',', ';', '(']).next();
        let name = name.unwrap_or_default().trim_end();
        let count = series.iter().map(|one| one.values.len()).max();
        let count = count.unwrap_or(0);
        let size = count.div_ceil(PLACES).max(1);
        let (top, height) = (AREA.top, AREA.floor() - AREA.top);
        self.svg
            .push_str("<g class=\"told\" fill=\"none\" pointer-events=\"all\">");
        for first in (0..count).step_by(size) {
            let last = (first + size).min(count) - 1;
            let left = self.x(first as f64 - 0.5);
            let width = self.x(last as f64 + 0.5) - left;
            let _ = write!(
                self.svg,
                "<rect x=\"{left:.1}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\"><title>{name} "
            );
            let (from, to) = axes.x_scale.numbers(first, last);
            let _ = match from < to {
                true => write!(self.svg, "{}–{}:", thousands(from), thousands(to)),
                false => write!(self.svg, "{}:", thousands(from)),
            };
            let mut comma = "";
            for one in series {
                if let Some(value) = mean(&one.values, first, last) {
                    let value = told(value, axes.percent);
                    let _ = write!(self.svg, "{comma} {} {value}", one.label);
                    comma = ",";
                }
            }
            self.svg.push_str("</title></rect>");
        }
        self.svg.push_str("</g>");
    }

    fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }
}

/// A value for who wants to know it: counts are whole.
fn told(value: f64, percent: bool) -> String {
    match percent {
        true => format!("{value:.2}%"),
        false if value.fract() == 0.0 => thousands(value as u64),
        false => format!("{value:.1}"),
    }
}

/// A number at an axis whose ticks are so far apart.
fn label(value: f64, step: f64, percent: bool) -> String {
    let (scaled, suffix) = match value {
        _ if percent => (value, "%"),
        1e9.. => (value / 1e9, "G"),
        1e6.. => (value / 1e6, "M"),
        1e4.. => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let step = if value == 0.0 {
        step
    } else {
        step * scaled / value
    };
    let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    if scaled >= 1e3 && decimals == 0 {
        return thousands(scaled.round() as u64) + suffix;
    }
    format!("{scaled:.decimals$}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_as_long_as_the_step_needs() {
        assert_eq!(label(2_500_000.0, 500_000.0, false), "2.5M");
        assert_eq!(label(0.0, 0.5, true), "0.0%");
        assert_eq!(label(20.0, 10.0, false), "20");
        assert_eq!(label(4000.0, 1000.0, false), "4,000");
    }

    #[test]
    fn labels_of_the_x_axis_are_short_enough_for_its_end() {
        for values in [100_usize, 6006, 70_000, 999_999, 1 << 20] {
            let step = round_step(values as f64 / 5.0, ENOUGH);
            let mut tick = 0.0;
            while tick <= values as f64 {
                let text = label(tick, step, false);
                let half = text.len() as f64 * 0.64 * 15.0 / 2.0;
                assert!(half <= AREA.right, "{text}");
                tick += step;
            }
        }
    }

    #[test]
    fn long_series_are_thinned_to_means() {
        let values: Vec<_> = (0..1000).map(|value| Some(f64::from(value))).collect();
        let points = thinned(&values);
        assert_eq!(points.len(), 500);
        assert_eq!(points[0], (0.5, Some(0.5)));
        assert_eq!(points[499], (998.5, Some(998.5)));
        assert_eq!(thinned(&[None, Some(1.0)]), [(0.0, None), (1.0, Some(1.0))]);
    }

    #[test]
    fn each_place_tells_its_values() {
        let axes = |percent| Axes {
            x_label: "cycle, as far as it goes",
            x_scale: Scale::Linear { first: 1 },
            y_bottom: 0.0,
            y_top: 0.0,
            percent,
            bands: &[],
        };
        let series = |values: &[Option<f64>]| Series {
            class: "a",
            label: "A",
            values: values.to_vec(),
        };
        let both = [
            series(&[Some(1.0), None, Some(2.25)]),
            Series {
                label: "C",
                ..series(&[Some(3.0), Some(4.0)])
            },
        ];
        for (chart, titles) in [
            (
                lines(&both, &axes(false)),
                ["cycle 1: A 1, C 3", "cycle 2: C 4", "cycle 3: A 2.2"],
            ),
            (
                steps(&both, &axes(true)),
                [
                    "cycle 1: A 1.00%, C 3.00%",
                    "cycle 2: C 4.00%",
                    "cycle 3: A 2.25%",
                ],
            ),
        ] {
            let found: Vec<&str> = chart
                .split("<title>")
                .skip(1)
                .map(|rest| rest.split("</title>").next().unwrap())
                .collect();
            assert_eq!(found, titles);
        }
        // Of 1501 values, 8 share a place; the last one has 5.
        let many: Vec<_> = (0..1501).map(|value| Some(f64::from(value))).collect();
        let chart = steps(&[series(&many)], &axes(false));
        assert!(chart.contains("<title>cycle 1–8: A 3.5</title>"));
        assert!(chart.contains("<title>cycle 1,497–1,501: A 1,498</title>"));
        assert_eq!(chart.matches("<title>").count(), 188);
    }

    #[test]
    fn bins_of_a_logarithmic_scale_hold_each_number_once() {
        for per_decade in [1, 10, 20] {
            let mut next = 1;
            for bin in 0..per_decade * 6 {
                let scale = Scale::Log {
                    first: bin,
                    per_decade,
                };
                let first = Scale::first_in(bin, per_decade);
                let end = Scale::first_in(bin + 1, per_decade);
                assert_eq!(first, next, "bin {bin} of {per_decade}");
                for number in [first, end.saturating_sub(1).max(first)] {
                    if first < end {
                        assert_eq!(Scale::bin(number, per_decade), bin);
                    }
                }
                assert_eq!(scale.numbers(0, 0), (first, (end - 1).max(first)));
                next = end;
            }
            assert_eq!(next, 1_000_000);
        }
        assert_eq!(Scale::bin(0, 10), 0);
    }

    #[test]
    fn ticks_of_a_logarithmic_scale_are_powers_of_ten() {
        let scale = |first| Scale::Log {
            first,
            per_decade: 10,
        };
        let labels = |first, count| -> Vec<String> {
            let ticks = scale(first).ticks(count).into_iter();
            ticks.map(|(_, label)| label).collect()
        };
        assert_eq!(labels(20, 31), ["100", "1,000", "10k", "100k"]);
        assert_eq!(labels(25, 10), ["500", "1,000", "2,000"]);
        // A bin begins half a value before its place.
        assert_eq!(scale(20).ticks(31)[1], (9.5, String::from("1,000")));
    }

    #[test]
    fn the_y_axis_begins_where_it_is_asked_to() {
        let axes = Axes {
            x_label: "cycle",
            x_scale: Scale::Linear { first: 1 },
            y_bottom: 31.0,
            y_top: 40.0,
            percent: false,
            bands: &[
                Band {
                    class: "low",
                    from: 0.0,
                    to: 20.0,
                },
                Band {
                    class: "high",
                    from: 30.0,
                    to: 35.0,
                },
            ],
        };
        let series = [Series {
            class: "a",
            label: "A",
            values: vec![Some(35.0)],
        }];
        let chart = lines(&series, &axes);
        // From 30 to 40: 35 is in the middle, and the upper band is the lower half; the other one has no height.
        assert!(chart.contains("d=\"M234.0 110.0\""), "{chart}");
        assert!(chart.contains(
            "<rect class=\"high\" x=\"52\" y=\"110.0\" width=\"364\" height=\"100.0\"/>"
        ));
        assert!(
            chart.contains(
                "<rect class=\"low\" x=\"52\" y=\"210.0\" width=\"364\" height=\"0.0\"/>"
            )
        );
        assert!(chart.contains(">30</text>") && !chart.contains(">20</text>"));
    }

    #[test]
    fn nothing_makes_an_empty_chart() {
        let axes = Axes {
            x_label: "cycle",
            x_scale: Scale::Linear { first: 1 },
            y_bottom: 0.0,
            y_top: 0.0,
            percent: false,
            bands: &[],
        };
        for values in [vec![], vec![None], vec![Some(0.0)]] {
            let series = [Series {
                class: "a",
                label: "A",
                values,
            }];
            for chart in [lines(&series, &axes), steps(&series, &axes)] {
                assert!(
                    chart.ends_with("</svg>") && !chart.contains("NaN"),
                    "{chart}"
                );
            }
        }
    }
}
