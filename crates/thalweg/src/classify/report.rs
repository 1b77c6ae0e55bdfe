//! What is told of a sample as a whole, as text.

use std::path::{Path, PathBuf};

use thalweg_taxa::Taxonomy;
use thalweg_taxa::report::{CallTally, Listed};
use thalweg_taxa::sample::Profile;

use crate::Fault;

/// How reports are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReportStyle {
    /// Which taxa.
    pub listed: Listed,
    /// Paths of names and numbers, as kraken2 --use-mpa-style has them.
    pub mpa: bool,
    /// With k-mers, and distinct ones.
    pub kmers: bool,
}

/// A text beside the report.
#[derive(Clone, Debug)]
pub struct TextOutput {
    /// What errors call it: the option that asked for it.
    pub option: &'static str,
    /// Where it goes.
    pub name: PathBuf,
    /// What it is.
    pub text: SampleText,
}

/// What such a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleText {
    /// Which taxa are there, as a table.
    Presence,
    /// Reads by lineage, for Krona.
    Krona,
    /// Abundances, as CAMI's profiling has them.
    CamiProfile,
}

/// The text of a report.
pub(super) fn write_report(
    tally: &CallTally,
    profile: Option<&Profile>,
    taxonomy: &Taxonomy,
    style: ReportStyle,
) -> Result<Vec<u8>, Fault> {
    let mut text = Vec::new();
    let (listed, path) = (style.listed, Path::new(""));
    let with_kmers = profile.filter(|_| style.kmers);
    match (style.mpa, with_kmers) {
        (true, _) => tally.write_mpa(taxonomy, listed, &mut text, path)?,
        (false, None) => tally.write(taxonomy, listed, &mut text, path)?,
        (false, Some(profile)) => {
            let evidence = profile.evidence();
            tally.write_with_kmers(taxonomy, listed, evidence, &mut text, path)?;
        }
    }
    Ok(text)
}

impl SampleText {
    /// Whether more is needed for it than numbers of reads.
    pub(super) fn needs_profile(self) -> bool {
        self != Self::Krona
    }

    /// The text for the sample of this name.
    pub(super) fn write(
        self,
        sample: &str,
        tally: &CallTally,
        profile: Option<&Profile>,
        taxonomy: &Taxonomy,
    ) -> Result<Vec<u8>, Fault> {
        let mut text = Vec::new();
        let path = Path::new("");
        match (self, profile) {
            (Self::Krona, _) => tally.write_krona(taxonomy, &mut text, path)?,
            (Self::Presence, Some(profile)) => profile.write(taxonomy, tally, &mut text, path)?,
            (Self::CamiProfile, Some(profile)) => {
                profile.write_cami(taxonomy, sample, &mut text, path)?;
            }
            // It was not asked for.
            (Self::Presence | Self::CamiProfile, None) => {}
        }
        Ok(text)
    }
}
