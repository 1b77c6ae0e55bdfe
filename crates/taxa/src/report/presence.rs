//! Profiles as a table.
//!
//! Lines of fields that tabs separate, under a line with their names: `taxid`, `rank`, `name`, `reads` (of the taxon and
//! below), `direct` (of itself), `kmers` and `distinct` (of it and below), `expected` (distinct), `ratio`, `identity`,
//! `expected_reads`, `abundance`, `present` (`yes`, `no`, `-`). What a taxon has not is `-`. Taxa are in the order of the
//! report.

use std::io::{self, Write};
use std::path::Path;

use super::in_order;
use crate::Result;
use crate::report::CallTally;
use crate::sample::Profile;
use crate::taxonomy::Taxonomy;
use crate::text;

const NAMES: &str = "taxid\trank\tname\treads\tdirect\tkmers\tdistinct\texpected\tratio\tidentity\t\
                     expected_reads\tabundance\tpresent";

impl Profile {
    /// Writes the table. `path` is for messages.
    ///
    /// # Errors
    /// What the system said.
    pub fn write(
        &self,
        taxonomy: &Taxonomy,
        tally: &CallTally,
        mut output: impl Write,
        path: &Path,
    ) -> Result<()> {
        text::written(self.write_lines(taxonomy, tally, &mut output), path)?;
        text::written(output.flush(), path)
    }

    fn write_lines(
        &self,
        taxonomy: &Taxonomy,
        tally: &CallTally,
        output: &mut impl Write,
    ) -> io::Result<()> {
        writeln!(output, "{NAMES}")?;
        let clades = tally.clades(taxonomy);
        for (node, _) in in_order(taxonomy, &clades, |node| clades[node.0 as usize] > 0) {
            let Some(row) = self.row(node) else {
                continue;
            };
            write!(
                output,
                "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.1}\t{:.4}\t{:.4}\t",
                taxonomy.taxid(node),
                taxonomy.rank(node),
                taxonomy.name(node),
                row.reads,
                tally.direct(node),
                row.evidence.hits,
                row.evidence.distinct,
                row.expected,
                row.ratio,
                row.identity,
            )?;
            match row.expected_reads {
                Some(reads) => write!(output, "{reads:.1}\t")?,
                None => write!(output, "-\t")?,
            }
            match row.abundance {
                Some(share) => write!(output, "{share:.6}\t")?,
                None => write!(output, "-\t")?,
            }
            writeln!(output, "{}", row.verdict.word())?;
        }
        Ok(())
    }
}
