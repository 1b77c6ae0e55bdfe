//! The k-mers of a database that was counted, as records for other programs.

use std::path::PathBuf;

use thalweg_kmers::database::{self, DatabaseFormat, SortOptions};
use thalweg_write as write;

use super::{Fault, Target};
use crate::trace::{KmerTrace, TraceOutput, TraceSettings};
use crate::{Budget, Control};

/// A trace that is begun.
pub(super) struct TraceOfCount<'a>(KmerTrace<'a>);

impl<'a> TraceOfCount<'a> {
    /// Where it goes, if one is asked for. Its k-mers are read from the database, which must be a file that can be read, then.
    pub(super) fn output(
        trace: Option<&TraceSettings>,
        target: Option<&Target>,
        inputs: &[PathBuf],
    ) -> Result<Option<TraceOutput>, Fault> {
        let (Some(trace), Some(target)) = (trace, target) else {
            return Ok(None);
        };
        let is_text = matches!(target.format, DatabaseFormat::Tsv | DatabaseFormat::Fasta);
        let is_compressed =
            is_text && write::OutputFormat::of_name(&target.path) != write::OutputFormat::Plain;
        if write::is_stream(&target.path) || is_compressed {
            return Err(Fault::usage(
                "--trace has what the database has, which cannot be read from a pipe or compressed text",
                "name a file for it, such as -o counts.thk",
            ));
        }
        trace.output(inputs).map(Some)
    }

    /// One that has nothing but its header yet: before the counting, as what cannot be written is told then.
    pub(super) fn create(output: &'a TraceOutput) -> Result<Self, Fault> {
        Ok(Self(KmerTrace::create(output)?))
    }

    /// What the database has, as records.
    pub(super) fn write(
        self,
        target: &Target,
        budget: Budget,
        control: &Control,
    ) -> Result<(), Fault> {
        let sorting = SortOptions {
            memory: usize::try_from(budget.memory()).unwrap_or(usize::MAX),
            directory: target.temporary_directory.clone(),
        };
        let database = database::open(&target.path)?;
        (self.0).write(&database, &sorting, budget.threads(), control)?;
        Ok(())
    }
}
