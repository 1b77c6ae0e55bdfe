//! `thalweg kmers merge --partition`: what one of several jobs makes.

use thalweg_kmers::database::{Part, Totals, job_checksum, thk};
use thalweg_kmers::kmer::KmerTask;
use thalweg_kmers::options::CountOptions;
use thalweg_kmers::set_operations::{
    Combine, Operation, combine_some_partitions, combine_unless, common_partitions, hand_on_range,
};
use thalweg_kmers::{Error, Kmer, Result as KmersResult};

use super::combine::Combination;
use crate::count::{HandedOn, PartitionOutput};
use crate::stoppable::StoppableSink;
use crate::{Budget, Fault};

/// A range of what databases become.
pub(super) struct PartOfCombination<'a> {
    pub(super) combination: Combination<'a>,
    /// Which part, from 1 on, of how many.
    pub(super) number: u64,
    pub(super) of: u64,
}

impl KmerTask for PartOfCombination<'_> {
    /// Of the part.
    type Output = Result<Totals, Fault>;

    fn run<K: Kmer>(mut self) -> Self::Output {
        self.combination.tell_limits();
        match common_partitions(self.combination.databases) {
            Some(partitions) => self.by_partitions::<K>(partitions),
            None => self.in_order::<K>(),
        }
    }
}

impl PartOfCombination<'_> {
    /// A range of the partitions that all databases have.
    fn by_partitions<K: Kmer>(mut self, partitions: usize) -> Result<Totals, Fault> {
        let part = self.part(partitions)?;
        part.tell(&mut self.combination.description.provenance);
        let Combination {
            databases,
            operation,
            kept: (least, most),
            target,
            description,
            sorting,
            threads,
            control,
        } = self.combination;
        let options = CountOptions::new(description.k)?;
        let budget = Budget::new(threads).with_memory(sorting.memory as u64);
        let output =
            PartitionOutput::<K>::create(target, &description, partitions, &options, budget)?;
        let (range, sink) = (part.partitions, StoppableSink::new(&output, control));
        let totals =
            combine_some_partitions(databases, operation, least..=most, range, threads, &sink)?;
        let handed_on = handed_on(&totals);
        output.finish(target, &description, u64::MAX, handed_on, control)?;
        Ok(totals)
    }

    /// A range of k-mers.
    fn in_order<K: Kmer>(mut self) -> Result<Totals, Fault> {
        let ranges = u32::try_from(self.of)
            .map_err(|_| Error::BadOption(format!("{} parts are too many", self.of)))?;
        let part = self.part(ranges as usize)?;
        part.tell(&mut self.combination.description.provenance);
        let Combination {
            databases,
            operation,
            kept: (least, most),
            target,
            description,
            sorting,
            control,
            ..
        } = self.combination;
        let rule = thk::Partitioning::ranges(ranges);
        let output = PartitionOutput::<K>::create_partitioned(target, &description, rule)?;
        let stops = |_: u64| control.check_kmers();
        let records = combine_unless::<K>(databases, operation, &sorting, &stops)?;
        let totals = hand_on_range(
            records,
            description.k,
            least..=most,
            (self.number, self.of),
            description.canonical,
            &StoppableSink::new(&output, control),
        )?;
        let handed_on = handed_on(&totals);
        output.finish(target, &description, u64::MAX, handed_on, control)?;
        Ok(totals)
    }

    /// What the file says of itself, of which all parts together have so many partitions.
    fn part(&self, partitions: usize) -> KmersResult<Part> {
        let Combination {
            databases,
            operation,
            kept,
            ..
        } = self.combination;
        let options = format!("{operation:?} {kept:?} {}", self.of);
        let in_any_order = operation != Operation::Union(Combine::First);
        Ok(Part {
            number: self.number,
            of: self.of,
            partitions: Part::range(self.number, self.of, partitions),
            job: job_checksum(databases, &options, in_any_order)?,
            total: self.combination.expected(),
        })
    }
}

fn handed_on(totals: &Totals) -> HandedOn {
    HandedOn {
        distinct: totals.distinct,
        total: totals.total,
    }
}
