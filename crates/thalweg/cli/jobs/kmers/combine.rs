//! `thalweg kmers merge`, `intersect`, `subtract` and `diff`

use std::path::PathBuf;

use thalweg::Budget;
use thalweg::count::{DatabaseOutput, HandedOn, PartitionOutput, Target, provenance};
use thalweg::kmers::database::{
    Database, Description, Format, Part, SortOptions, Totals, check_parts, check_shares,
};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::kmers::options::CountOptions;
use thalweg::kmers::set_operations::{
    self, Combine, Operation, combine, combine_partitions, common_partitions,
};
use thalweg::kmers::{self, Kmer};
use thalweg::write::is_stream;

use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use super::open_databases;
use super::part::PartOfCombination;
use super::strands::tell_strands;
use super::target::target;
use crate::options::kmers::{
    CombinedCount, MergeArguments, ResultArguments, SubtractArguments, UnionArguments,
};
use crate::options::quantity::{Shard, thousands};
use crate::output::{refuse_input_database, refuse_unwritten};
use crate::process::exit::Failure;
use crate::process::threads::threads;

pub(crate) fn merge(arguments: &UnionArguments) -> Result<(), Fault> {
    let merge = &arguments.merge;
    let operation = Operation::Union(combined(merge.count));
    run(
        &merge.databases,
        &merge.result,
        operation,
        arguments.partition,
        arguments.some_shards,
    )
}

pub(crate) fn intersect(arguments: &MergeArguments) -> Result<(), Fault> {
    let operation = Operation::Intersection(combined(arguments.count));
    run(
        &arguments.databases,
        &arguments.result,
        operation,
        None,
        true,
    )
}

pub(crate) fn subtract(arguments: &SubtractArguments) -> Result<(), Fault> {
    run(
        &arguments.databases,
        &arguments.result,
        Operation::Subtraction,
        None,
        true,
    )
}

pub(crate) fn diff(arguments: &SubtractArguments) -> Result<(), Fault> {
    run(
        &arguments.databases,
        &arguments.result,
        Operation::Difference,
        None,
        true,
    )
}

fn combined(count: CombinedCount) -> Combine {
    match count {
        CombinedCount::Sum => Combine::Sum,
        CombinedCount::Min => Combine::Minimum,
        CombinedCount::Max => Combine::Maximum,
        CombinedCount::First => Combine::First,
    }
}

fn run(
    paths: &[PathBuf],
    result: &ResultArguments,
    operation: Operation,
    partition: Option<Shard>,
    some_shards: bool,
) -> Result<(), Fault> {
    result.limits.check()?;
    refuse_unwritten(&result.output)?;
    let databases = open_databases(paths)?;
    match operation {
        Operation::Union(_) => {
            check_parts(&databases)?;
            check_shares(&databases, some_shards)?;
        }
        _ => refuse_parts(&databases)?,
    }
    let sorting = sort_options(&result.sorting)?;
    let target = target(&result.output, result.format, &sorting.directory)?;
    refuse_input_database(&result.output, target.format, paths)?;
    if partition.is_some() && target.format != Format::Thk {
        return Err(Failure::usage(
            format!("{}: a part is a .thk file", result.output.display()),
            "name it so; `thalweg kmers join` makes one database of all, and `thalweg kmers merge` any file of it",
        )
        .into());
    }
    let (k, _) = set_operations::check(&databases)?;
    let canonical = set_operations::are_canonical(&databases)?;
    if !result.quiet {
        databases
            .iter()
            .for_each(|database| tell_strands(database, canonical));
    }
    let mut description = Description::new(k, canonical);
    description.provenance = provenance();
    description.saturate = result.saturate;
    if target.format == Format::Jellyfish {
        description.counter_bytes = Some(counter_bytes(&databases, operation));
    }
    let combination = Combination {
        databases: &databases,
        operation,
        kept: (result.limits.min, result.limits.max),
        target: &target,
        description,
        sorting,
        threads: threads(result.threads),
    };
    let totals = match partition {
        None => dispatch(k, combination)?,
        Some(Shard { number, of }) => {
            let part = PartOfCombination {
                combination,
                number,
                of,
            };
            dispatch(k, part)?
        }
    };
    let totals = totals.map_err(|fault| fault.of_temporary_files(TMP_HINT))?;
    if !result.quiet {
        let to = match is_stream(&target.path) {
            true => String::new(),
            false => format!(" to {}", target.path.display()),
        };
        tell!(
            "thalweg: {} distinct k-mers, counts of {} in all{to}",
            thousands(totals.distinct),
            thousands(totals.total),
        );
    }
    Ok(())
}

/// Refuses parts of a database where each file is an operand of its own.
fn refuse_parts(databases: &[Database]) -> Result<(), Fault> {
    for database in databases {
        if let Some(Part { number, of, .. }) = Part::of(database)? {
            let path = database.path().display();
            return Err(Failure::usage(
                format!("{path}: this is part {number} of {of} of a database"),
                "make one of all parts by `thalweg kmers join`, and name their directory",
            )
            .into());
        }
    }
    Ok(())
}

/// Bases that bring a new k-mer: for so many, a range of sorted ones is laid out.
const BASES_OF_KMER: u64 = 4;

/// Bytes that hold every count of the result: Jellyfish's 4 unless there may be larger ones.
fn counter_bytes(databases: &[Database], operation: Operation) -> u8 {
    let largest = databases.iter().map(|database| {
        match (database.stored_totals(), database.header().counter_bytes) {
            (Some(totals), _) => Some(totals.max_count),
            // KMC's of k-mers alone: each counts as one.
            (None, Some(0)) => Some(1),
            (None, Some(bytes @ 1..=7)) => Some((1 << (8 * u32::from(bytes))) - 1),
            (None, _) => None,
        }
    });
    let largest: Option<Vec<u64>> = largest.collect();
    let bound = largest.and_then(|largest| match operation {
        Operation::Union(Combine::Sum) | Operation::Intersection(Combine::Sum) => {
            largest.into_iter().try_fold(0, u64::checked_add)
        }
        _ => largest.into_iter().max(),
    });
    match bound {
        Some(bound) if bound <= u64::from(u32::MAX) => 4,
        _ => 8,
    }
}

/// Databases on their way into one.
pub(crate) struct Combination<'a> {
    pub(crate) databases: &'a [Database],
    pub(crate) operation: Operation,
    /// Counts of the result that are kept.
    pub(crate) kept: (u64, u64),
    pub(crate) target: &'a Target,
    pub(crate) description: Description,
    pub(crate) sorting: SortOptions,
    pub(crate) threads: usize,
}

impl KmerTask for Combination<'_> {
    /// Of the result.
    type Output = Result<Totals, Fault>;

    fn run<K: Kmer>(mut self) -> Self::Output {
        self.tell_limits();
        match common_partitions(self.databases) {
            Some(partitions) => self.by_partitions::<K>(partitions),
            None => self.in_order::<K>(),
        }
    }
}

impl Combination<'_> {
    pub(crate) fn tell_limits(&mut self) {
        // Nothing is said of limits that did not hold for all that went in.
        let kept = (self.kept.0.max(1), self.kept.1);
        if kept.0 <= kept.1 {
            self.description.kept = kept;
        }
    }

    /// Partition by partition, by all threads.
    fn by_partitions<K: Kmer>(mut self, partitions: usize) -> Result<Totals, Fault> {
        let most = self.databases.iter().map(|database| {
            let totals = database.stored_totals();
            totals.map_or(0, |totals| totals.distinct)
        });
        let options = CountOptions::new(self.description.k)?
            .with_expected_bases(Some(BASES_OF_KMER * most.sum::<u64>()));
        let budget = Budget::new(self.threads).with_memory(self.sorting.memory as u64);
        let output = PartitionOutput::<K>::create(
            self.target,
            &self.description,
            partitions,
            &options,
            budget,
        )?;
        let kept = self.kept.0..=self.kept.1;
        // A union of partitions that one of them has alone is that partition, however counts are combined.
        let is_whole = self.kept.0 <= 1 && self.kept.1 == u64::MAX;
        let copied = match self.operation {
            Operation::Union(_) if is_whole => {
                output.copy(self.databases, partitions, self.threads)?
            }
            _ => None,
        };
        let totals = match copied {
            Some(totals) => totals,
            None => {
                combine_partitions(self.databases, self.operation, kept, self.threads, &output)?
            }
        };
        self.check(&totals)?;
        self.description.expected = Some(totals.distinct);
        let handed_on = HandedOn {
            distinct: totals.distinct,
            total: totals.total,
        };
        output.finish(self.target, &self.description, u64::MAX, handed_on)?;
        Ok(totals)
    }

    /// As one stream.
    fn in_order<K: Kmer>(self) -> Result<Totals, Fault> {
        let records = combine::<K>(self.databases, self.operation, &self.sorting)?;
        let mut output = DatabaseOutput::<K>::create(self.target, &self.description)?;
        output.extend(records, self.kept, self.threads)?;
        // Before the file has its name.
        self.check(output.totals())?;
        Ok(output.finish()?)
    }

    /// Of whole sums, that all that went in came out, where the totals of all that went in are known.
    fn check(&self, totals: &Totals) -> kmers::Result<()> {
        match self.expected() {
            Some(expected) if expected != totals.total => {
                Err(kmers::Error::totals(expected, totals.total))
            }
            _ => Ok(()),
        }
    }

    /// Of whole sums, all counts together, where they are known of all that goes in.
    pub(crate) fn expected(&self) -> Option<u128> {
        let is_whole = self.kept.0 <= 1 && self.kept.1 == u64::MAX;
        if !is_whole || self.operation != Operation::Union(Combine::Sum) {
            return None;
        }
        let totals = self.databases.iter().map(Database::stored_totals);
        totals.map(|totals| Some(totals?.total)).sum()
    }
}
