//! The report of a sample as text.

use std::path::Path;

use thalweg::taxa::Taxonomy;
use thalweg::taxa::report::{Listed, Tally};

use crate::exit::Failure;

/// How reports are written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportStyle {
    pub(crate) listed: Listed,
    /// Paths of names and numbers, as kraken2 --use-mpa-style has them.
    pub(crate) mpa: bool,
}

/// The text of a report.
pub(crate) fn write_report(
    tally: &Tally,
    taxonomy: &Taxonomy,
    style: ReportStyle,
) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    match style.mpa {
        true => tally.write_mpa(taxonomy, style.listed, &mut text, Path::new(""))?,
        false => tally.write(taxonomy, style.listed, &mut text, Path::new(""))?,
    }
    Ok(text)
}
