//! A picture with a column for each row of a table.

use std::fmt::Write;

use thalweg_charts::{Area, escape, round_step};

const AREA: Area = Area {
    width: 720.0,
    height: 320.0,
    left: 56.0,
    right: 16.0,
    top: 10.0,
    bottom: 44.0,
};

/// Labels below the axis, at most.
const LABELS: usize = 12;

/// Values from the lower edge to the upper one.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    step: f64,
    percent: bool,
}

impl Scale {
    pub(super) fn new(low: f64, high: f64, percent: bool) -> Self {
        let step = round_step((high - low) / 5.0, 0.999);
        Scale {
            low,
            high: low + ((high - low) / step).ceil().max(1.0) * step,
            step,
            percent,
        }
    }

    /// From 0 to the highest of `values`.
    pub(super) fn of(values: &[f64], percent: bool) -> Self {
        let finite = values.iter().copied().filter(|value| value.is_finite());
        Self::new(0.0, finite.fold(0.0, f64::max), percent)
    }

    fn label(&self, value: f64) -> String {
        let decimals = (-self.step.log10().floor()).clamp(0.0, 6.0) as usize;
        match value {
            _ if self.percent => format!("{value:.decimals$}%"),
            1e6.. => format!("{}M", value / 1e6),
            1e4.. => format!("{}k", value / 1e3),
            _ => format!("{value:.decimals$}"),
        }
    }
}

/// A picture that is being drawn.
pub(super) struct Plot {
    svg: String,
    columns: usize,
    scale: Scale,
}

// Writing to a string does not fail.
impl Plot {
    pub(super) fn new(labels: &[String], what: &str, scale: Scale) -> Self {
        let mut plot = Plot {
            svg: start(labels, what),
            columns: labels.len().max(1),
            scale,
        };
        let ticks = ((scale.high - scale.low) / scale.step).round() as usize;
        for tick in 0..=ticks {
            let value = scale.low + tick as f64 * scale.step;
            let y = plot.y(value);
            let (left, end) = (AREA.left, AREA.end());
            let _ = write!(
                plot.svg,
                "<path class=\"grid\" d=\"M{left} {y:.1}H{end}\"/>\
                 <text class=\"y\" x=\"{}\" y=\"{:.1}\">{}</text>",
                left - 6.0,
                y + 4.0,
                scale.label(value),
            );
        }
        plot
    }

    /// Colour all between two values.
    pub(super) fn band(&mut self, class: &str, low: f64, high: f64) {
        let (top, bottom) = (self.y(high), self.y(low));
        if bottom > top {
            self.rectangle(class, AREA.left, top, AREA.across(), bottom - top);
        }
    }

    /// A line from one value to another, in the middle of a column.
    pub(super) fn stem(&mut self, column: usize, low: f64, high: f64) {
        let (x, top, bottom) = (self.x(column as f64 + 0.5), self.y(high), self.y(low));
        let _ = write!(
            self.svg,
            "<path class=\"stem\" d=\"M{x:.1} {top:.1}V{bottom:.1}\"/>"
        );
    }

    /// A rectangle between two values.
    pub(super) fn bar(&mut self, class: &str, column: usize, low: f64, high: f64) {
        let (left, right) = (self.x(column as f64 + 0.15), self.x(column as f64 + 0.85));
        let (top, bottom) = (self.y(high), self.y(low));
        self.rectangle(class, left, top, right - left, (bottom - top).max(1.0));
    }

    /// A short line at a value.
    pub(super) fn tick(&mut self, class: &str, column: usize, value: f64) {
        let (left, right) = (self.x(column as f64 + 0.15), self.x(column as f64 + 0.85));
        let y = self.y(value);
        let _ = write!(
            self.svg,
            "<path class=\"line {class}\" d=\"M{left:.1} {y:.1}H{right:.1}\"/>"
        );
    }

    /// A line through the columns; it is interrupted where there is no value.
    pub(super) fn line(&mut self, class: &str, values: impl Iterator<Item = Option<f64>>) {
        let mut path = String::new();
        let mut command = 'M';
        for (column, value) in values.enumerate() {
            let Some(value) = value.filter(|value| value.is_finite()) else {
                command = 'M';
                continue;
            };
            let (x, y) = (self.x(column as f64 + 0.5), self.y(value));
            let _ = write!(path, "{command}{x:.1} {y:.1}");
            command = 'L';
        }
        let _ = write!(self.svg, "<path class=\"line {class}\" d=\"{path}\"/>");
    }

    pub(super) fn finish(mut self) -> String {
        self.svg.push_str("</svg>");
        self.svg
    }

    fn rectangle(&mut self, class: &str, x: f64, y: f64, width: f64, height: f64) {
        rectangle(&mut self.svg, class, x, y, width, height);
    }

    fn x(&self, column: f64) -> f64 {
        AREA.left + column / self.columns as f64 * AREA.across()
    }

    fn y(&self, value: f64) -> f64 {
        AREA.y(value - self.scale.low, self.scale.high - self.scale.low)
    }
}

/// A picture of colours: a row for each of `rows`, which have a value for each column.
pub(super) fn heat(labels: &[String], what: &str, rows: &[Vec<f64>]) -> String {
    let mut svg = start(labels, what);
    let high = (AREA.floor() - AREA.top) / rows.len().max(1) as f64;
    let wide = AREA.across() / labels.len().max(1) as f64;
    rectangle(
        &mut svg,
        "cold",
        AREA.left,
        AREA.top,
        AREA.across(),
        AREA.floor() - AREA.top,
    );
    for (row, values) in rows.iter().enumerate() {
        let y = AREA.top + row as f64 * high;
        let mut column = 0;
        // Neighbours of the same colour are one.
        for same in values.chunk_by(|one, other| shade(*one) == shade(*other)) {
            if let Some(class) = shade(same[0]) {
                let x = AREA.left + column as f64 * wide;
                rectangle(&mut svg, class, x, y, wide * same.len() as f64, high);
            }
            column += same.len();
        }
    }
    svg.push_str("</svg>");
    svg
}

/// The colour of a value; most have that of the ground.
fn shade(value: f64) -> Option<&'static str> {
    match value {
        ..=-5.0 => Some("hot"),
        ..=-2.0 => Some("warm"),
        ..=-1.0 => Some("mild"),
        _ => None,
    }
}

fn rectangle(svg: &mut String, class: &str, x: f64, y: f64, width: f64, height: f64) {
    let _ = write!(
        svg,
        "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
    );
}

fn start(labels: &[String], what: &str) -> String {
    let mut svg = format!(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\">",
        AREA.width, AREA.height
    );
    let every = labels.len().div_ceil(LABELS).max(1);
    for (column, label) in labels.iter().enumerate().step_by(every) {
        let x = AREA.left + (column as f64 + 0.5) / labels.len() as f64 * AREA.across();
        let y = AREA.floor() + 16.0;
        let _ = write!(
            svg,
            "<text class=\"x\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
            escape(label)
        );
    }
    let (x, y) = (AREA.center(), AREA.height - 6.0);
    let _ = write!(
        svg,
        "<text class=\"x\" x=\"{x:.1}\" y=\"{y:.1}\">{}</text>",
        escape(what)
    );
    svg
}
