//! `thalweg kmers filter-reads`

use std::sync::{Mutex, PoisonError};

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, Database, Lookup, SequenceKmers};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::{Batch, ReaderOptions, Reads};

use super::arguments::FilterArguments;
use super::failure::Fault;
use crate::input;
use crate::output::{Output, refuse_input};
use crate::progress::Progress;
use crate::quantity::thousands;

pub(crate) fn run(arguments: &FilterArguments) -> Result<(), Fault> {
    let database = database::open(&arguments.database)?;
    let output = match &arguments.output {
        Some(path) => {
            let mut inputs = arguments.files.clone();
            inputs.push(arguments.database.clone());
            refuse_input(path, &inputs)?;
            Output::create(path)?
        }
        None => Output::stdout()?,
    };
    let files = arguments.files.iter();
    let options = files.fold(ReaderOptions::new(), ReaderOptions::file);
    let options = options.budget(input::budget(&arguments.common));
    let reads = input::open(options, &arguments.common)?;
    let filter = Filter {
        arguments,
        database: &database,
        reads,
        output,
    };
    dispatch(database.header().k, filter)?
}

struct Filter<'a> {
    arguments: &'a FilterArguments,
    database: &'a Database,
    reads: Reads,
    output: Output,
}

impl KmerTask for Filter<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Self {
            arguments,
            database,
            reads,
            mut output,
        } = self;
        let workers = reads.all_workers();
        let progress = Progress::start(&arguments.common, &arguments.files[0], workers.progress());
        // As many as there are threads; each is in use by one of them.
        let idle: Mutex<Vec<Lookup<K>>> = Mutex::default();
        let lock = || idle.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut read, mut kept) = (0, 0);
        workers.map_in_order(
            |batch| -> Result<_, Fault> {
                let free = lock().pop();
                let mut lookup = match free {
                    Some(lookup) => lookup,
                    None => database.lookup::<K>()?,
                };
                let selected = select(arguments, database.header().k, &mut lookup, &batch)?;
                lock().push(lookup);
                Ok((batch.len() as u64, selected))
            },
            |(count, (number, text))| {
                read += count;
                kept += number;
                Ok(output.write(&text)?)
            },
        )?;
        output.finish()?;
        drop(progress);
        if !arguments.common.quiet {
            eprintln!("thalweg: {} of {} reads", thousands(kept), thousands(read));
        }
        Ok(())
    }
}

/// The reads of a batch that are kept: their number and their text.
fn select<K: Kmer>(
    arguments: &FilterArguments,
    k: usize,
    lookup: &mut Lookup<K>,
    batch: &Batch,
) -> thalweg::kmers::Result<(u64, Vec<u8>)> {
    let limits = arguments.limits.min..=arguments.limits.max;
    let (mut number, mut text) = (0, Vec::new());
    for record in batch.records() {
        let (mut all, mut found) = (0u64, 0u64);
        for (_, kmer) in SequenceKmers::<K>::new(&record.sequence(), k) {
            all += 1;
            found += u64::from(
                lookup
                    .find(kmer)?
                    .is_some_and(|count| limits.contains(&count)),
            );
        }
        let enough = found > 0 && found as f64 >= arguments.fraction * all as f64;
        if enough != arguments.invert {
            number += 1;
            text.extend_from_slice(record.as_bytes());
            // The last line of a file may lack its end.
            if text.last() != Some(&b'\n') {
                text.push(b'\n');
            }
        }
    }
    Ok((number, text))
}
