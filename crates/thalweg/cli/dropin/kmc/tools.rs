//! `kmc_tools`: `transform` and `simple` here, `filter` and `info` beside it
//!
//! Each operation reads the databases anew. Dumps are sorted with `-s` and without.

mod arguments;
mod filter;
mod info;

use std::process::ExitCode;

use thalweg::Control;
use thalweg::count::{DatabaseOutput, Target, provenance};
use thalweg::databases::list_records;
use thalweg::kmers::database::{
    BATCH, Database, DatabaseFormat, Description, KmerRecords, RecordSource, SortOptions,
};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::kmers::set_operations::{self, combine_records};
use thalweg::kmers::{Error, Kmer};

use self::arguments::{Input, Line, Operation, Refusal, Step, Task, Tool, usage};
use super::arguments::asks_for_help;
use super::{FAILED, NOT_DONE, bytes_of, create_text, ended, words};
use crate::jobs::kmers::failure::Fault;
use crate::jobs::kmers::open_database;
use crate::output::{self, refuse_input_database};
use crate::process::exit::Failure;

const HELP: &str = concat!(
    "kmc_tools ver. 3.2.1 (thalweg ",
    env!("CARGO_PKG_VERSION"),
    ")

Usage:
  kmc_tools transform <database> [-ci<n>] [-cx<n>] <operation> <output> [options] [<operation> ...]
      histogram [-ci -cx], dump [-s] [-ci -cx], sort, reduce, compact [-ci -cx -cs]
  kmc_tools simple <database> [-ci -cx] <database> [-ci -cx] <operation> <output> [options] [<operation> ...]
      union, intersect [-ci -cx -cs -oc<min|max|sum|left|right>],
      kmers_subtract, counters_subtract, reverse_kmers_subtract, reverse_counters_subtract [-ci -cx -cs]
  kmc_tools filter [-t | -hm] <database> [-ci -cx] <reads or @list> [-ci -cx] <output> [-fa | -fq]
      keep reads with at least 2 k-mers in the database; change with -ci/-cx (counts, or fractions 0.0 to 1.0)
      -t trims reads at the first k-mer that occurs less than 2 times (or -ci); -hm masks such k-mers with N
  kmc_tools info <database>

  -ci<n>     leave out k-mers that occur less often
  -cx<n>     leave out k-mers that occur more often
  -cs<n>     cut larger counts to this
  -oc<mode>  count of a k-mer that both have (union: sum, intersect: min)
  -t<n>      threads of filter (one for each core)
Ignored: -v -hp -okmc, and what -f says of inputs. Not done: complex, compare, set_counts, -okff, -ocdiff.
`thalweg kmers --help` tells more.
"
);

/// The largest count that KMC keeps, and says to keep, unless told otherwise.
const HIGHEST: u64 = 1_000_000_000;

/// Histograms end here unless told otherwise.
const LAST_BIN: u64 = 10_000;

/// Do what the command line says, which is that of `kmc_tools`.
pub(crate) fn run() -> ExitCode {
    let words = match words() {
        Ok(words) => words,
        Err(failure) => {
            failure.print();
            return ExitCode::from(FAILED);
        }
    };
    let outcome = match asks_for_help(&words) {
        true => output::print(HELP).map_err(Fault::from),
        false => match Line::parse(words.into_iter()) {
            Ok(line) => match &line.task {
                Task::Databases(tool) => work(tool),
                Task::Filter(arguments) => filter::run(arguments, line.threads),
                Task::Info(database) => info::run(database),
            },
            Err(Refusal::NotDone(failure)) => {
                failure.print();
                return ExitCode::from(NOT_DONE);
            }
            Err(Refusal::Wrong(failure)) => Err(failure.into()),
        },
    };
    ended(outcome)
}

fn work(tool: &Tool) -> Result<(), Fault> {
    for step in &tool.steps {
        let inputs = tool.inputs.iter().map(|input| input.path.clone());
        let format = match step.operation {
            Operation::Histogram | Operation::Dump => DatabaseFormat::Tsv,
            _ => DatabaseFormat::Kmc,
        };
        refuse_input_database(&step.output, format, &inputs.collect::<Vec<_>>())?;
    }
    let databases = tool.inputs.iter().map(|input| open_database(&input.path));
    let databases = databases.collect::<Result<Vec<_>, _>>()?;
    let mut unread = None;
    for step in &tool.steps {
        match perform(&tool.inputs, databases.clone(), step) {
            // A reader that goes does not cost the outputs of other steps.
            Err(fault @ Fault::Command(Failure::ClosedPipe { .. })) => unread = Some(fault),
            performed => performed?,
        }
    }
    unread.map_or(Ok(()), Err)
}

fn perform(inputs: &[Input], databases: Vec<Database>, step: &Step) -> Result<(), Fault> {
    let kept = |(input, database): (&Input, &Database)| input.limits.within(database.header().kept);
    let kept: Vec<(u64, u64)> = inputs.iter().zip(&databases).map(kept).collect();
    if step.operation == Operation::Histogram {
        return histogram(&databases[0], kept[0], step);
    }
    let (k, canonical) = set_operations::check(&databases)?;
    let bytes = databases
        .iter()
        .map(|database| database.header().counter_bytes.unwrap_or(4));
    // Counts grow no further than those of the larger input can, and no further than KMC's.
    let largest = step.largest.unwrap_or(match bytes.max() {
        Some(bytes @ 0..=3) => (1 << (8 * u32::from(bytes.max(1)))) - 1,
        _ => u64::from(u32::MAX),
    });
    let said = match step.operation {
        // As KMC has it: what is looked at in either, from the least to the largest.
        Operation::Combine { .. } => {
            let least = kept.iter().map(|kept| kept.0).min();
            let most = kept.iter().map(|kept| kept.1).max();
            (least.unwrap_or(1), most.unwrap_or(HIGHEST).min(HIGHEST))
        }
        _ => kept[0],
    };
    // Of what is combined, counts beyond those limits are left out. Nobody asked for the usual one.
    let written = step.limits.within(match step.operation {
        Operation::Combine { .. } if said.1 < HIGHEST => said,
        Operation::Combine { .. } => (said.0, u64::MAX),
        _ => (1, u64::MAX),
    });
    let mut description = Description::new(k, canonical.unwrap_or(false));
    description.kept = step.limits.within(said);
    description.provenance = provenance();
    description.counter_bytes = Some(bytes_of(largest));
    description.saturate = true;
    dispatch(
        k,
        Work {
            databases,
            kept,
            written,
            step,
            largest,
            description,
        },
    )?
}

/// Lines of `count`, tab, number of k-mers, also of 0.
fn histogram(database: &Database, input: (u64, u64), step: &Step) -> Result<(), Fault> {
    let header = database.header();
    let largest = match header.counter_bytes {
        Some(bytes @ 1..=3) => (1 << (8 * u32::from(bytes))) - 1,
        _ => u64::MAX,
    };
    let usual = header.kept.1.min(largest).min(LAST_BIN);
    let (first, last) = step.limits.within((input.0, usual));
    let histogram = database.histogram(&SortOptions::default())?;
    let mut output = create_text(&step.output)?;
    let mut text = String::new();
    for count in first.max(1)..=last {
        let kmers = match (input.0..=input.1).contains(&count) {
            true => histogram.get(count),
            false => 0,
        };
        text.push_str(&format!("{count}\t{kmers}\n"));
        if text.len() > 1 << 16 {
            output.write(text.as_bytes())?;
            text.clear();
        }
    }
    output.write(text.as_bytes())?;
    Ok(output.finish()?)
}

/// k-mers on their way from one database or two to an output.
struct Work<'a> {
    databases: Vec<Database>,
    /// Counts of each that are looked at.
    kept: Vec<(u64, u64)>,
    /// Counts that are written.
    written: (u64, u64),
    step: &'a Step,
    /// What larger counts are cut to.
    largest: u64,
    description: Description,
}

impl KmerTask for Work<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let step = self.step;
        let sorting = SortOptions::default();
        let sorted = set_operations::sorted::<K>(&self.databases, &sorting)?;
        let limited = sorted.into_iter().zip(&self.kept);
        let is_combined = matches!(step.operation, Operation::Combine { .. });
        let limited = limited.map(|(records, &kept)| {
            KmerRecords::new(Limited {
                records,
                kept,
                is_combined,
            })
        });
        let mut streams: Vec<_> = limited.collect();
        let mut records = match step.operation {
            Operation::Combine { operation, swapped } => {
                if swapped {
                    streams.reverse();
                }
                combine_records(streams, self.description.k, operation)?
            }
            _ => streams.remove(0),
        };
        if step.operation == Operation::Dump {
            let (output, k) = (create_text(&step.output)?, self.description.k);
            // One thread, as of all that is combined here.
            list_records(records, k, self.written, output, 1, &Control::default())?;
            return Ok(());
        }
        let kept = self.written.0..=self.written.1;
        let target = Target::with_format(&step.output, DatabaseFormat::Kmc, &std::env::temp_dir())?;
        let mut output = DatabaseOutput::<K>::create(&target, &self.description)?;
        let mut cut = 0_u64;
        while let Some((kmer, count)) = records.take_next()? {
            if kept.contains(&count) {
                let count = match step.operation {
                    Operation::Compact => 1,
                    _ => {
                        cut += u64::from(count > self.largest);
                        count.min(self.largest)
                    }
                };
                output.push(kmer, count)?;
            }
        }
        output.finish(&Control::default())?;
        if cut > 0 && step.largest.is_none() && self.largest == u64::from(u32::MAX) {
            tell!(
                "thalweg: note: {}: {cut} k-mers occur more often than {}, the largest count that KMC has, and have that",
                step.output.display(),
                self.largest
            );
        }
        Ok(())
    }
}

/// Records whose counts are in a range.
struct Limited<K: Kmer> {
    records: KmerRecords<K>,
    kept: (u64, u64),
    /// Of two databases that are combined: KMC then has another rule for limits of which the least is above the largest.
    is_combined: bool,
}

impl<K: Kmer> Limited<K> {
    fn keeps(&self, count: u64) -> bool {
        let (least, most) = self.kept;
        match self.is_combined && least > most {
            // Its difference of them is a huge number, so that only counts between the two are beyond it.
            true => count >= least || count <= most,
            false => (least..=most).contains(&count),
        }
    }
}

impl<K: Kmer> RecordSource<K> for Limited<K> {
    fn fill(&mut self, batch: &mut Vec<(K, u64)>) -> Result<(), Error> {
        batch.clear();
        while batch.len() < BATCH
            && let Some((kmer, count)) = self.records.take_next()?
        {
            if self.keeps(count) {
                batch.push((kmer, count));
            }
        }
        Ok(())
    }
}

/// Whether a command line of `kmc_tools` is one that is followed.
#[cfg(test)]
pub(super) fn is_taken(line: &str) -> bool {
    arguments::Line::parse(line.split(' ').map(str::to_owned)).is_ok()
}
