//! The report of a sample as text.

use std::path::Path;

use thalweg::taxa::Taxonomy;
use thalweg::taxa::report::{Listed, Tally};

use crate::exit::Failure;

/// How reports are written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportStyle {
    pub(crate) listed: Listed,
}

/// The text of a report.
pub(crate) fn write_report(
    tally: &Tally,
    taxonomy: &Taxonomy,
    style: ReportStyle,
) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    tally.write(taxonomy, style.listed, &mut text, Path::new(""))?;
    Ok(text)
}
