//! `thalweg kmers merge`, `intersect`, `subtract` and `diff`

use std::path::PathBuf;

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, Database, Description, Format, SortOptions, Totals};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::kmers::set_operations::{self, Combine, Operation};
use thalweg::write::is_stream;

use super::arguments::{CombinedCount, MergeArguments, ResultArguments, SubtractArguments};
use super::dump::sort_options;
use super::failure::{Fault, TMP_HINT};
use super::output::DatabaseOutput;
use super::strands::tell_strands;
use super::target::Target;
use crate::count::provenance;
use crate::output::refuse_input_database;
use crate::quantity::thousands;

pub(crate) fn merge(arguments: &MergeArguments) -> Result<(), Fault> {
    let operation = Operation::Union(combined(arguments.count));
    run(&arguments.databases, &arguments.result, operation)
}

pub(crate) fn intersect(arguments: &MergeArguments) -> Result<(), Fault> {
    let operation = Operation::Intersection(combined(arguments.count));
    run(&arguments.databases, &arguments.result, operation)
}

pub(crate) fn subtract(arguments: &SubtractArguments) -> Result<(), Fault> {
    run(
        &arguments.databases,
        &arguments.result,
        Operation::Subtraction,
    )
}

pub(crate) fn diff(arguments: &SubtractArguments) -> Result<(), Fault> {
    run(
        &arguments.databases,
        &arguments.result,
        Operation::Difference,
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

fn run(paths: &[PathBuf], result: &ResultArguments, operation: Operation) -> Result<(), Fault> {
    let databases = open(paths)?;
    let sorting = sort_options(&result.sorting)?;
    let target = Target::new(&result.output, result.format, &sorting.directory)?;
    refuse_input_database(&result.output, target.format, paths)?;
    let (k, _) = set_operations::check(&databases)?;
    let canonical = set_operations::are_canonical(&databases)?;
    databases
        .iter()
        .for_each(|database| tell_strands(database, canonical));
    let mut description = Description::new(k, canonical);
    description.provenance = provenance();
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
    };
    let totals = dispatch(k, combination)?.map_err(|fault| fault.of_temporary_files(TMP_HINT))?;
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

/// Open all databases.
pub(super) fn open(paths: &[PathBuf]) -> Result<Vec<Database>, Fault> {
    Ok(paths.iter().map(database::open).collect::<Result<_, _>>()?)
}

/// Bytes that hold every count of the result: Jellyfish's 4 unless there may be larger ones.
fn counter_bytes(databases: &[Database], operation: Operation) -> u8 {
    let largest = databases.iter().map(|database| {
        match (database.stored_totals(), database.header().counter_bytes) {
            (Some(totals), _) => Some(totals.max_count),
            (None, Some(bytes @ 0..=7)) => Some((1 << (8 * u32::from(bytes))) - 1),
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
pub(super) struct Combination<'a> {
    pub(super) databases: &'a [Database],
    pub(super) operation: Operation,
    /// Counts of the result that are kept.
    pub(super) kept: (u64, u64),
    pub(super) target: &'a Target,
    pub(super) description: Description,
    pub(super) sorting: SortOptions,
}

impl KmerTask for Combination<'_> {
    /// Of the result.
    type Output = Result<Totals, Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let mut description = self.description;
        // Nothing is said of limits that did not hold for all that went in.
        let kept = (self.kept.0.max(1), self.kept.1);
        if kept.0 <= kept.1 {
            description.kept = kept;
        }
        let records = set_operations::combine::<K>(self.databases, self.operation, &self.sorting)?;
        let mut output = DatabaseOutput::<K>::create(self.target, &description)?;
        output.extend(records, self.kept)?;
        output.finish()
    }
}
