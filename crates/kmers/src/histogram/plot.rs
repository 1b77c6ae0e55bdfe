//! The spectrum as a picture: SVG, without a script, readable offline.

use std::fmt::Write;

use thalweg_charts::{Area, escape, round_step};
use thalweg_files::thousands;

use super::{Estimate, Histogram};

const AREA: Area = Area {
    width: 800.0,
    height: 420.0,
    left: 80.0,
    right: 20.0,
    top: 48.0,
    bottom: 48.0,
};

/// Room that a label beside a line takes, so that those of neighbouring lines do not overlap.
const LABEL_HEIGHT: f64 = 12.0;

impl Histogram {
    /// Draws the number of distinct k-mers over their count.
    ///
    /// With an estimate, the picture reaches from 0 to five times the coverage of a place of one copy, high enough for
    /// the highest peak, so that errors leave it at the top; and the fitted model and the peaks are drawn.
    /// Without one it shows counts up to 100 or to where 99 % of the k-mers are, whichever is more. `title` is
    /// escaped.
    pub fn to_svg(&self, title: &str, estimate: Option<&Estimate>) -> String {
        let last = self.last_count(estimate);
        let highest = match estimate {
            Some(estimate) => {
                let peak = estimate.peaks.first().copied().unwrap_or(estimate.valley);
                self.get(peak).max(self.get(estimate.valley)) as f64 * 1.3
            }
            None => (1..=last).map(|count| self.get(count)).max().unwrap_or(0) as f64,
        };
        let (step_y, highest) = ticks(highest.max(1.0), 5.0);
        let (step_x, _) = ticks(last as f64, 10.0);
        let x = |count: f64| AREA.left + AREA.across() * count / last as f64;
        let y = |kmers: f64| AREA.y(kmers, highest);
        let Area {
            width,
            height,
            left,
            top,
            ..
        } = AREA;

        let mut svg = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            svg,
            r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="12">
<title>{0}</title>
<rect width="{width}" height="{height}" fill="#ffffff"/>
<text x="{left}" y="20" font-size="15">{0}</text>"##,
            escape(title)
        );
        for tick in 0..=(highest / step_y).round() as u64 {
            let kmers = tick as f64 * step_y;
            let _ = writeln!(
                svg,
                r##"<line x1="{left}" x2="{:.1}" y1="{1:.1}" y2="{1:.1}" stroke="#e0e0e0"/><text x="{2:.1}" y="{3:.1}" text-anchor="end">{4}</text>"##,
                AREA.end(),
                y(kmers),
                left - 6.0,
                y(kmers) + 4.0,
                short(kmers),
            );
        }
        for tick in 0..=(last as f64 / step_x).floor() as u64 {
            let count = tick as f64 * step_x;
            let _ = writeln!(
                svg,
                r##"<text x="{:.1}" y="{:.1}" text-anchor="middle">{}</text>"##,
                x(count),
                AREA.floor() + 18.0,
                short(count),
            );
        }
        let _ = writeln!(
            svg,
            r##"<text x="{:.1}" y="{:.1}" text-anchor="middle">count of a k-mer</text>
<text x="16" y="{2:.1}" text-anchor="middle" transform="rotate(-90 16 {2:.1})">distinct k-mers</text>"##,
            AREA.center(),
            height - 10.0,
            AREA.middle(),
        );

        // Bars as one outline: thousands of rectangles would make a large file.
        let _ = write!(
            svg,
            r##"<path fill="#9ecae1" d="M{:.1} {:.1}"##,
            x(0.5),
            y(0.0)
        );
        for count in 1..=last {
            let (from, to) = (count as f64 - 0.5, (count as f64 + 0.5).min(last as f64));
            let y = y(self.get(count) as f64);
            let _ = write!(svg, "L{:.1} {y:.1}L{:.1} {y:.1}", x(from), x(to));
        }
        let _ = writeln!(svg, r##"L{:.1} {:.1}Z"/>"##, x(last as f64), y(0.0));

        if let Some(estimate) = estimate {
            let points: Vec<String> = (estimate.valley..=last)
                .zip(&estimate.model)
                .map(|(count, kmers)| format!("{:.1},{:.1}", x(count as f64), y(*kmers)))
                .collect();
            let _ = writeln!(
                svg,
                r##"<polyline fill="none" stroke="#08519c" stroke-width="1.5" points="{}"/>"##,
                points.join(" ")
            );
            let mut marks = [
                (estimate.valley as f64, "errors to the left", 0),
                (estimate.coverage, "one copy", 1),
                (2.0 * estimate.coverage, "both copies", 1),
            ];
            marks.sort_by(|one, other| one.0.total_cmp(&other.0));
            let mut free = 0.0;
            for (count, label, decimals) in marks {
                let place = f64::max(x(count) + 3.0, free);
                free = place + LABEL_HEIGHT;
                let _ = writeln!(
                    svg,
                    r##"<line x1="{0:.1}" x2="{0:.1}" y1="{top}" y2="{1:.1}" stroke="#737373" stroke-dasharray="4 3"/><text x="{2:.1}" y="{3:.1}" font-size="10" transform="rotate(90 {2:.1} {3:.1})">{label} ({count:.decimals$})</text>"##,
                    x(count),
                    AREA.floor(),
                    place,
                    top + 2.0,
                );
            }
            let _ = writeln!(
                svg,
                r##"<text x="{left}" y="38">genome of about {} bases, heterozygosity {:.3}%, coverage {:.1}x, fit {:.3}</text>"##,
                thousands(estimate.genome_size),
                100.0 * estimate.heterozygosity,
                2.0 * estimate.coverage,
                estimate.fit,
            );
            if estimate.has_low_coverage() {
                let _ = writeln!(
                    svg,
                    r##"<text x="{:.1}" y="20" text-anchor="end" fill="#c5221f">low coverage: the estimate is uncertain below {:.0}x</text>"##,
                    AREA.end(),
                    Estimate::ENOUGH_COVERAGE
                );
            }
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The highest count in the picture.
    fn last_count(&self, estimate: Option<&Estimate>) -> u64 {
        if let Some(estimate) = estimate {
            return ((5.0 * estimate.coverage).ceil() as u64).max(estimate.valley + 10);
        }
        let all = u128::from(self.distinct());
        let mut sum = 0;
        (self.iter())
            .find(|&(_, kmers)| {
                sum += u128::from(kmers);
                100 * sum >= 99 * all
            })
            // A picture is 700 pixels wide, and a path of a million steps is too much for many a viewer.
            .map_or(100, |(count, _)| count.clamp(100, 20_000))
    }
}

/// A round distance of at most `wanted` + 1 ticks from 0 to `highest` or a little more, and that end.
fn ticks(highest: f64, wanted: f64) -> (f64, f64) {
    let step = round_step(highest / wanted, 1.0);
    (step, step * (highest / step).ceil())
}

/// A number with at most four digits and k, M or G.
fn short(number: f64) -> String {
    for (unit, name) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if number >= unit {
            let digits = format!("{:.2}", number / unit);
            let digits = digits.trim_end_matches('0').trim_end_matches('.');
            return format!("{digits}{name}");
        }
    }
    let digits = format!("{number:.2}");
    digits
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.0, "0"),
            (15.0, "15"),
            (2500.0, "2.5k"),
            (4_641_652.0, "4.64M"),
            (3e9, "3G"),
        ] {
            assert_eq!(short(number), text);
        }
    }

    #[test]
    fn ticks_are_round_and_reach_the_end() {
        assert_eq!(ticks(97.0, 10.0), (10.0, 100.0));
        assert_eq!(ticks(1.0, 5.0), (0.2, 1.0));
        assert_eq!(ticks(12_345.0, 5.0), (5000.0, 15_000.0));
    }

    #[test]
    fn a_picture_is_well_formed_and_escapes_its_title() {
        for histogram in [
            Histogram::new(),
            Histogram::from_iter([(1, 1000), (u64::MAX, 1)]),
            (1..100).map(|count| (count, 100_000 / count)).collect(),
        ] {
            let svg = histogram.to_svg("a < b & c", None);
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
            assert!(
                svg.contains("a &lt; b &amp; c") && !svg.contains("NaN") && !svg.contains("inf")
            );
            assert!(svg.len() < 1 << 20);
        }
    }
}
