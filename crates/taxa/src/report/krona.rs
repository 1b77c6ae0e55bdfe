//! Reads by lineage, as Krona's `ktImportText` reads them.
//!
//! ```text
//! 310   Unclassified
//! 12
//! 9678  Bacteria  Pseudomonadota  …
//! ```
//! Fields are separated by tabs: how many reads are of this very taxon, then the names on the way to it from below the
//! root. Those of the root itself have no names: Krona gives them to the whole.

use std::io::{self, Write};
use std::path::Path;

use super::{CallTally, in_order};
use crate::Result;
use crate::taxonomy::Taxonomy;
use crate::text;

impl CallTally {
    /// Writes reads by lineage, in the order of the report. `path` is for messages.
    ///
    /// # Errors
    /// What the system said.
    pub fn write_krona(
        &self,
        taxonomy: &Taxonomy,
        mut output: impl Write,
        path: &Path,
    ) -> Result<()> {
        text::written(self.write_lineages(taxonomy, &mut output), path)?;
        text::written(output.flush(), path)
    }

    fn write_lineages(&self, taxonomy: &Taxonomy, output: &mut impl Write) -> io::Result<()> {
        if self.unclassified > 0 {
            writeln!(output, "{}\tUnclassified", self.unclassified)?;
        }
        let clades = self.clades(taxonomy);
        let mut lineage: Vec<&str> = Vec::new();
        for (node, depth) in in_order(taxonomy, &clades, |node| clades[node.0 as usize] > 0) {
            lineage.truncate((depth as usize).saturating_sub(1));
            if node != Taxonomy::ROOT {
                lineage.push(taxonomy.name(node));
            }
            if self.direct(node) > 0 {
                write!(output, "{}", self.direct(node))?;
                for name in &lineage {
                    write!(output, "\t{name}")?;
                }
                writeln!(output)?;
            }
        }
        Ok(())
    }
}
