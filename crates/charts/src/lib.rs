//! Charts as SVG, without a script, readable offline.
//!
//! - [`lines`] and [`steps`]: whole charts of [`Series`] over a row of numbers, for a page with a style sheet.
//! - [`Area`], [`round_step`], [`escape`]: what they, and pictures of another kind, are drawn with.
//!
//! ```
//! use thalweg_charts::{Axes, Series, lines};
//!
//! let axes = Axes {
//!     x_label: "cycle",
//!     x_first: 1.0,
//!     y_top: 40.0,
//!     percent: false,
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
pub use series::{Axes, Series, lines, steps};
