//! What is told of a sample as a whole, as text.

use std::path::{Path, PathBuf};

use thalweg::taxa::Taxonomy;
use thalweg::taxa::report::{Listed, Tally};
use thalweg::taxa::sample::Profile;

use crate::process::exit::Failure;

/// How reports are written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReportStyle {
    pub(crate) listed: Listed,
    /// Paths of names and numbers, as kraken2 --use-mpa-style has them.
    pub(crate) mpa: bool,
    /// With k-mers, and distinct ones.
    pub(crate) kmers: bool,
}

/// A text beside the report.
#[derive(Clone, Debug)]
pub(crate) struct TextOutput {
    /// What the user asked for it with.
    pub(crate) option: &'static str,
    pub(crate) name: PathBuf,
    pub(crate) text: Text,
}

/// What such a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    Presence,
    Krona,
    CamiProfile,
}

/// The text of a report.
pub(crate) fn write_report(
    tally: &Tally,
    profile: Option<&Profile>,
    taxonomy: &Taxonomy,
    style: ReportStyle,
) -> Result<Vec<u8>, Failure> {
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

impl Text {
    /// Whether more is needed for it than numbers of reads.
    pub(crate) fn needs_profile(self) -> bool {
        self != Self::Krona
    }

    /// The text for the sample of this name.
    pub(crate) fn write(
        self,
        sample: &str,
        tally: &Tally,
        profile: Option<&Profile>,
        taxonomy: &Taxonomy,
    ) -> Result<Vec<u8>, Failure> {
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
