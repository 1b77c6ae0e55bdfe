//! The page of all samples.

use std::path::Path;

use thalweg::taxa::Taxonomy;
use thalweg::taxa::report::Page;

use super::labelling::Labelled;
use crate::output::Output;
use crate::process::exit::Failure;

/// A page that appears when it is whole.
pub(crate) struct PageOutput<'a> {
    page: Page<'a>,
    output: Output,
    samples: usize,
}

impl<'a> PageOutput<'a> {
    /// A page without samples, which goes to `path`. `rule` is how reads were called by `database`.
    pub(crate) fn open(
        path: &Path,
        taxonomy: &'a Taxonomy,
        database: &Path,
        rule: &str,
    ) -> Result<Self, Failure> {
        let name = database.file_name().unwrap_or(database.as_os_str());
        let notes = format!(
            "database {} \u{b7} rule {rule} \u{b7} thalweg {}",
            name.to_string_lossy(),
            env!("CARGO_PKG_VERSION")
        );
        Ok(Self {
            page: Page::new(taxonomy, "What reads are of", notes),
            output: Output::create(path)?,
            samples: 0,
        })
    }

    /// Add a sample.
    pub(crate) fn add(&mut self, name: &str, labelled: Labelled) {
        self.page.add(name, &labelled.tally, labelled.profile);
        self.samples += 1;
    }

    /// Write it, if there is any sample. Those that `failed` are named on it.
    pub(crate) fn finish(mut self, failed: &[&str]) -> Result<(), Failure> {
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
