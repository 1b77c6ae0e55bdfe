//! The page of all samples.

use std::path::Path;

use thalweg_taxa::Taxonomy;
use thalweg_taxa::report::Page;

use super::Labelled;
use crate::{Fault, OutputFile};

/// A page that appears when it is whole.
pub struct SamplesPage<'a> {
    page: Page<'a>,
    output: OutputFile,
    samples: usize,
}

impl<'a> SamplesPage<'a> {
    /// A page without samples, which goes to `path`. `rule` is how reads were called by `database`.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn create(
        path: &Path,
        taxonomy: &'a Taxonomy,
        database: &Path,
        rule: &str,
    ) -> Result<Self, Fault> {
        let name = database.file_name().unwrap_or(database.as_os_str());
        let notes = format!(
            "database {} \u{b7} rule {rule} \u{b7} thalweg {}",
            name.to_string_lossy(),
            env!("CARGO_PKG_VERSION")
        );
        Ok(Self {
            page: Page::new(taxonomy, "Taxonomic composition", notes),
            output: OutputFile::create(path)?,
            samples: 0,
        })
    }

    /// Add a sample. Its profile is shown if it has one.
    pub fn add(&mut self, name: &str, labelled: Labelled) {
        self.page.add(name, &labelled.tally, labelled.profile);
        self.samples += 1;
    }

    /// Write it, if there is any sample. Those that `failed` are named on it.
    ///
    /// # Errors
    /// What the system says about it.
    pub fn finish(mut self, failed: &[&str]) -> Result<(), Fault> {
        if self.samples == 0 {
            return Ok(());
        }
        if !failed.is_empty() {
            self.page.note(&format!(
                "not shown, as they failed: {} of {} samples: {}",
                failed.len(),
                failed.len() + self.samples,
                failed.join(", ")
            ));
        }
        self.output.write(self.page.render().as_bytes())?;
        self.output.finish()
    }
}
