//! `jellyfish bc`, and `jellyfish count --bc`: only k-mers that occur more than once.
//!
//! Where Jellyfish has a filter that may be wrong and only answers "never", "once" or "more often", this is a database of
//! the k-mers that occur more than once: no k-mer passes by mistake. A filter that Jellyfish made is refused.

use std::path::Path;

use thalweg::Control;
use thalweg::count::{DatabaseOutput, Target, provenance};
use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, DatabaseFormat, Description, SortOptions};
use thalweg::kmers::kmer::{Alphabet, KmerTask, dispatch};
use thalweg::kmers::options::CountOptions;
use thalweg::kmers::set_operations::{self, Combine, Operation, combine};

use super::arguments::FilterArguments;
use super::count::{Engine, write_timing};
use super::generators::Generators;
use crate::jobs::kmers::Fault;

/// `jellyfish bc`.
pub(super) fn run(arguments: &FilterArguments) -> Result<(), Fault> {
    let start = std::time::Instant::now();
    let tmp = std::env::temp_dir();
    let outputs = [&arguments.output].into_iter().chain(&arguments.timing);
    arguments.input.refuse(outputs, [])?;
    let options = CountOptions::new(arguments.mer_len)?
        .with_canonical(arguments.canonical)
        .with_alphabet(Alphabet::Acgt)
        .with_counts(2, u64::MAX)?
        .with_temporary_directory(&tmp);
    let mut description = Description::new(arguments.mer_len, arguments.canonical);
    description.provenance = provenance();
    description.kept = (2, u64::MAX);
    let engine = Engine {
        k: arguments.mer_len,
        threads: arguments.threads,
        tmp: &tmp,
    };
    Generators::with(&arguments.input, &arguments.output, |files, output| {
        let target = Target::with_format(output, DatabaseFormat::Thk, &tmp)?;
        engine.count(files, options, Some(&target), description)
    })?;
    write_timing(arguments.timing.as_deref(), start)
}

/// Of the database `counted`, what is in the filter, too.
pub(super) struct Filtered<'a> {
    pub(super) counted: &'a Path,
    pub(super) filter: &'a Path,
    pub(super) target: &'a Target,
    pub(super) description: &'a Description,
    pub(super) kept: (u64, u64),
    pub(super) threads: usize,
}

impl Filtered<'_> {
    pub(super) fn write(self) -> Result<(), Fault> {
        dispatch(self.description.k, self)?
    }
}

impl KmerTask for Filtered<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let databases = [database::open(self.filter)?, database::open(self.counted)?];
        set_operations::check(&databases)?;
        let [filter, counted] = databases;
        let operation = Operation::Intersection(Combine::First);
        let records = combine::<K>(&[counted, filter], operation, &SortOptions::default())?;
        let mut output = DatabaseOutput::create(self.target, self.description)?;
        let control = Control::default();
        output.extend(records, self.kept, self.threads, &control)?;
        output.finish(&control)?;
        Ok(())
    }
}
