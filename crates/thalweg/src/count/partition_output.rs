//! A database of any format that is made of partitions, by several threads.

use thalweg_flow::Budget;
use thalweg_kmers::count::Sink;
use thalweg_kmers::database::{
    Database, DatabaseFormat, Description, Formatted, Scatter, Totals, thk,
};
use thalweg_kmers::options::CountOptions;
use thalweg_kmers::set_operations::copy_partitions;
use thalweg_kmers::{self as kmers, Kmer};

use super::Fault;
use super::database_output::DatabaseOutput;
use super::target::{Placement, Target};
use crate::Control;

/// Takes partitions from all threads. Dropped unfinished, it leaves nothing.
pub struct PartitionOutput<K: Kmer>(Kind<K>);

enum Kind<K: Kmer> {
    /// Our own format takes partitions as they come.
    Partitions(Box<Partitions<K>>),
    /// Other formats are sorted throughout: partitions become ranges of k-mers, which become bytes.
    Ranges(Box<Scatter<K>>, Budget),
}

struct Partitions<K: Kmer> {
    writer: thk::ThkWriter<K>,
    placement: Placement,
}

/// Of the memory allowed, the part that brings partitions into one order.
const SCATTER_SHARE: u64 = 8;

/// What of a budget is left for those who make the partitions.
pub fn left_for_partitions(budget: Budget, format: DatabaseFormat) -> Budget {
    let memory = budget.memory();
    match format {
        DatabaseFormat::Thk => budget,
        _ => budget.with_memory(memory - memory / SCATTER_SHARE),
    }
}

impl<K: Kmer> PartitionOutput<K> {
    /// For so many partitions of what `options` describe.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn create(
        target: &Target,
        description: &Description,
        partitions: usize,
        options: &CountOptions,
        budget: Budget,
    ) -> Result<Self, Fault> {
        if target.format == DatabaseFormat::Thk {
            let partitioning = thk::Partitioning::minimizers(partitions, description.k);
            return Self::create_partitioned(target, description, partitioning);
        }
        let for_buffers = budget.memory() / SCATTER_SHARE;
        let scatter = Scatter::new(
            options,
            budget.threads(),
            for_buffers,
            &target.temporary_directory,
        )?;
        let left = left_for_partitions(budget, target.format);
        Ok(Self(Kind::Ranges(Box::new(scatter), left)))
    }

    /// Returns whether partitions go to a file as they are, and not into one order.
    pub fn is_partitioned(&self) -> bool {
        matches!(self.0, Kind::Partitions(_))
    }

    /// Have `partitions` partitions by their minimizers, where it [is partitioned](Self::is_partitioned): nothing has come yet.
    /// A thread has so many of them open at a time.
    ///
    /// # Errors
    /// If something has come.
    pub fn set_partitions(
        &mut self,
        partitions: usize,
        k: usize,
        open: usize,
    ) -> Result<(), Fault> {
        if let Kind::Partitions(output) = &mut self.0 {
            let partitioning = thk::Partitioning::minimizers(partitions, k);
            output.writer.set_partitioning(partitioning, open)?;
        }
        Ok(())
    }

    /// Take over the partitions of `databases` as they are, if no two of them fill the same one, and all are of our own format:
    /// nothing is decoded. The totals; `None`, with nothing taken, if there is something to combine or to convert.
    ///
    /// # Errors
    /// Those of reading and writing; [`Cancelled`](kmers::Error::Cancelled) if the job was cancelled.
    pub fn copy(
        &self,
        databases: &[Database],
        partitions: usize,
        threads: usize,
        control: &Control,
    ) -> kmers::Result<Option<Totals>> {
        match &self.0 {
            Kind::Partitions(output) => {
                let goes_on = || control.check_kmers();
                copy_partitions(databases, partitions, threads, &output.writer, goes_on)
                    .map_err(|error| output.placement.told(error))
            }
            Kind::Ranges(..) => Ok(None),
        }
    }

    /// A file of our own format, whatever the target says, with partitions by this rule.
    ///
    /// # Errors
    /// If it cannot be written there.
    pub fn create_partitioned(
        target: &Target,
        description: &Description,
        partitioning: thk::Partitioning,
    ) -> Result<Self, Fault> {
        let placement = Placement::new(target)?;
        let writer = thk::ThkWriter::create(&placement.path, description, partitioning)
            .map_err(|error| placement.told(error))?;
        let partitions = Partitions { writer, placement };
        Ok(Self(Kind::Partitions(Box::new(partitions))))
    }

    /// All partitions have come: the file gets its name, if it has as many k-mers as were handed on. The bytes that went
    /// to a temporary file.
    ///
    /// `description` is what is known now; counts larger than `largest` are cut to that.
    ///
    /// # Errors
    /// If it has not, or cannot be written; if the job was cancelled.
    pub fn finish(
        self,
        target: &Target,
        description: &Description,
        largest: u64,
        handed_on: HandedOn,
        control: &Control,
    ) -> Result<u64, Fault> {
        control.check()?;
        let (scatter, budget) = match self.0 {
            Kind::Partitions(partitions) => {
                handed_on.check(&partitions.writer.totals())?;
                (partitions.writer.finish()).map_err(|error| partitions.placement.told(error))?;
                partitions.placement.finish(control)?;
                return Ok(0);
            }
            Kind::Ranges(scatter, budget) => (scatter, budget),
        };
        let ranges = scatter.finish()?;
        let mut output = DatabaseOutput::<K>::create(target, description)?;
        let Some(formatter) = output.formatter().cloned() else {
            return Err(kmers::Error::BadOption("no format to be sorted".into()).into());
        };
        let formatter = formatter.with_largest(largest);
        ranges.in_order::<_, Fault>(
            budget,
            formatter.record_bytes(),
            |records, bytes: &mut Formatted| Ok(formatter.extend(records, bytes)?),
            |bytes| {
                control.check()?;
                output.append(bytes)?;
                bytes.clear();
                Ok(())
            },
        )?;
        handed_on.check(output.totals())?;
        output.finish(control)?;
        Ok(ranges.temporary_bytes())
    }
}

/// What all partitions had.
#[derive(Clone, Copy)]
pub struct HandedOn {
    /// Different k-mers.
    pub distinct: u64,
    /// The sum of their counts.
    pub total: u128,
}

impl HandedOn {
    /// As many k-mers, and as many occurrences, must have been written.
    fn check(self, written: &Totals) -> kmers::Result<()> {
        if (written.distinct, written.total) == (self.distinct, self.total) {
            return Ok(());
        }
        Err(kmers::Error::totals(self.total, written.total))
    }
}

impl<K: Kmer> Sink<K> for PartitionOutput<K> {
    fn accept(&self, partition: usize, entries: &[(K, u64)]) -> kmers::Result<()> {
        match &self.0 {
            Kind::Partitions(partitions) => (partitions.writer.accept(partition, entries))
                .map_err(|error| partitions.placement.told(error)),
            Kind::Ranges(scatter, _) => scatter.accept(partition, entries),
        }
    }

    fn end(&self, partition: usize) -> kmers::Result<()> {
        match &self.0 {
            Kind::Partitions(partitions) => {
                (partitions.writer.end(partition)).map_err(|error| partitions.placement.told(error))
            }
            Kind::Ranges(scatter, _) => Sink::<K>::end(scatter.as_ref(), partition),
        }
    }
}
