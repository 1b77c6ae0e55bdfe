//! Several databases to one: sums, intersections, differences.

use std::path::PathBuf;

use thalweg_kmers::database::{
    Database, DatabaseFormat, Description, Part, SortOptions, Totals, check_parts, check_shares,
    files_of, files_written,
};
use thalweg_kmers::kmer::{KmerTask, dispatch};
use thalweg_kmers::options::CountOptions;
use thalweg_kmers::set_operations::{
    self, Combine, Operation, combine_partitions, combine_unless, common_partitions,
};
use thalweg_kmers::{self as kmers, Kmer};
use thalweg_write::{check_not_input, check_written};

use super::counts::check_counts;
use super::open::open_databases;
use super::part::PartOfCombination;
use super::strands::say_strands;
use crate::count::{DatabaseOutput, HandedOn, PartitionOutput, Target, provenance};
use crate::sharing::Shard;
use crate::stoppable::StoppableSink;
use crate::{Budget, Control, Fault};

/// Which databases become one, and how. All fields can be set; [`sum`](Self::sum) has the defaults.
#[derive(Clone, Debug)]
pub struct CombineSettings {
    /// Databases of the same k, in any formats.
    pub databases: Vec<PathBuf>,
    /// What becomes of k-mers that several have, and of those that some have not.
    pub operation: Operation,
    /// Where the result goes.
    pub output: PathBuf,
    /// Its format; our own by default.
    pub format: DatabaseFormat,
    /// The least and the largest count of the result that are kept; all by default.
    pub kept: (u64, u64),
    /// Whether counts that the result has no room for are cut, and no error. Not so by default.
    pub saturate: bool,
    /// Of a union, the part that is made, if not all is: a `.thk` file.
    pub partition: Option<Shard>,
    /// Whether shards of one input may lack some of them. Not so by default.
    pub some_shards: bool,
    /// Memory for what must be put in order, and the directory of what it has no room for.
    pub sorting: SortOptions,
    /// Threads in all; by default as many as there are cores.
    pub threads: usize,
}

impl CombineSettings {
    /// All k-mers that any of `databases` has, with the sums of their counts.
    pub fn sum<P: Into<PathBuf>>(
        databases: impl IntoIterator<Item = P>,
        output: impl Into<PathBuf>,
    ) -> Self {
        Self {
            databases: databases.into_iter().map(Into::into).collect(),
            operation: Operation::Union(Combine::Sum),
            output: output.into(),
            format: DatabaseFormat::Thk,
            kept: (1, u64::MAX),
            saturate: false,
            partition: None,
            some_shards: false,
            sorting: SortOptions::default(),
            threads: Budget::all_cores().threads(),
        }
    }

    /// Combine them; what the result has, all in all.
    ///
    /// # Errors
    /// If a database cannot be read, or the result not be written; if they do not go together; if it was cancelled. There is no
    /// result, then.
    pub fn run(&self, control: &Control) -> Result<Totals, Fault> {
        check_counts(self.kept)?;
        check_written(&self.output)?;
        self.partition.map_or(Ok(()), Shard::check)?;
        let databases = open_databases(&self.databases, control)?;
        match self.operation {
            Operation::Union(_) => {
                check_parts(&databases)?;
                check_shares(&databases, self.some_shards)?;
            }
            _ => refuse_parts(&databases)?,
        }
        let target = Target::with_format(&self.output, self.format, &self.sorting.directory)?;
        let inputs: Vec<PathBuf> = self.databases.iter().flat_map(files_of).collect();
        for file in files_written(&self.output, self.format) {
            check_not_input(&file, &inputs)?;
        }
        if self.partition.is_some() && target.format != DatabaseFormat::Thk {
            return Err(Fault::usage(
                format!("{}: a part must be a .thk file", self.output.display()),
                "use a name that ends in .thk; join all parts with `thalweg kmers join`, then `thalweg kmers merge` converts the database",
            ));
        }
        let (k, _) = set_operations::check(&databases)?;
        let stops = |_: u64| control.check_kmers();
        let canonical = set_operations::are_canonical_unless(&databases, &stops)?;
        for database in &databases {
            say_strands(database, canonical, control);
        }
        control.check()?;
        let mut description = Description::new(k, canonical);
        description.provenance = provenance();
        description.saturate = self.saturate;
        if target.format == DatabaseFormat::Jellyfish {
            description.counter_bytes = Some(counter_bytes(&databases, self.operation));
        }
        let combination = Combination {
            databases: &databases,
            operation: self.operation,
            kept: self.kept,
            target: &target,
            description,
            sorting: self.sorting.clone(),
            threads: self.threads,
            control,
        };
        match self.partition {
            None => dispatch(k, combination)?,
            Some(Shard { number, of }) => {
                let part = PartOfCombination {
                    combination,
                    number,
                    of,
                };
                dispatch(k, part)?
            }
        }
    }
}

/// Refuses parts of a database where each file is an operand of its own.
fn refuse_parts(databases: &[Database]) -> Result<(), Fault> {
    for database in databases {
        if let Some(Part { number, of, .. }) = Part::of(database)? {
            let path = database.path().display();
            return Err(Fault::usage(
                format!("{path}: this database is only part {number} of {of}"),
                "join all parts with `thalweg kmers join`, then use their directory",
            ));
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

/// Databases on their way into one; [`dispatch`] runs it.
pub struct Combination<'a> {
    /// What goes in.
    pub databases: &'a [Database],
    /// What becomes of k-mers that several have.
    pub operation: Operation,
    /// Counts of the result that are kept.
    pub kept: (u64, u64),
    /// Where it goes.
    pub target: &'a Target,
    /// What it says about itself; what is known in the end is filled in.
    pub description: Description,
    /// Memory for what must be put in order, and the directory of what it has no room for.
    pub sorting: SortOptions,
    /// Threads in all.
    pub threads: usize,
    /// Who may stop it.
    pub control: &'a Control<'a>,
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
    pub(super) fn tell_limits(&mut self) {
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
                output.copy(self.databases, partitions, self.threads, self.control)?
            }
            _ => None,
        };
        let sink = StoppableSink::new(&output, self.control);
        let totals = match copied {
            Some(totals) => totals,
            None => combine_partitions(self.databases, self.operation, kept, self.threads, &sink)?,
        };
        self.check(&totals)?;
        self.description.expected = Some(totals.distinct);
        let handed_on = HandedOn {
            distinct: totals.distinct,
            total: totals.total,
        };
        let control = self.control;
        output.finish(self.target, &self.description, u64::MAX, handed_on, control)?;
        Ok(totals)
    }

    /// As one stream.
    fn in_order<K: Kmer>(self) -> Result<Totals, Fault> {
        let control = self.control;
        let stops = |_: u64| control.check_kmers();
        let records = combine_unless::<K>(self.databases, self.operation, &self.sorting, &stops)?;
        let mut output = DatabaseOutput::<K>::create(self.target, &self.description)?;
        output.extend(records, self.kept, self.threads, control)?;
        // Before the file has its name.
        self.check(output.totals())?;
        output.finish(control)
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
    pub(super) fn expected(&self) -> Option<u128> {
        let is_whole = self.kept.0 <= 1 && self.kept.1 == u64::MAX;
        if !is_whole || self.operation != Operation::Union(Combine::Sum) {
            return None;
        }
        let totals = self.databases.iter().map(Database::stored_totals);
        totals.map(|totals| Some(totals?.total)).sum()
    }
}
