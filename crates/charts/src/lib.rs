//! Charts as SVG, without a script, readable offline.
//!
//! - [`lines`] and [`steps`]: whole charts of [`Series`] over a row of numbers, for a page with a style sheet.
//! - [`Area`], [`round_step`], [`escape`]: parts of them, for pictures of another kind.
//!
//! ```
//! use thalweg_charts::{Axes, Scale, Series, lines};
//!
//! let axes = Axes {
//!     x_label: "cycle",
//!     x_scale: Scale::Linear { first: 1 },
//!     y_bottom: 0.0,
//!     y_top: 40.0,
//!     percent: false,
//!     bands: &[],
//! };
//! let series = Series {
//!     class: "mean",
//!     label: "mean quality",
//!     values: vec![Some(36.5), None, Some(30.25)],
//! };
//! let svg = lines(&[series], &axes);
//! assert!(svg.starts_with("<svg") && svg.contains("class=\"line mean\""));
//! ```
#![forbid(unsafe_code)]

mod area;
mod series;

pub use area::{Area, escape, round_step};
pub use series::{Axes, Band, Scale, Series, lines, steps};
