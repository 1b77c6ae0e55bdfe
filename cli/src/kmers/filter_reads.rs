//! `thalweg kmers filter-reads`

use std::path::Path;

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, Database, Lookup, SequenceKmers};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::write::{OutputOptions, Outputs, Piece};
use thalweg::{Batch, ReaderOptions, Reads, Source};

use super::arguments::FilterArguments;
use super::failure::Fault;
use super::lookups::{Lookups, tell_strands};
use crate::exit::Failure;
use crate::input;
use crate::output::{refuse_input, refuse_unwritten};
use crate::progress::Progress;
use crate::quantity::thousands;
use crate::threads::run_into;

pub(crate) fn run(arguments: &FilterArguments) -> Result<(), Fault> {
    let limits = &arguments.limits;
    if limits.min > limits.max {
        return Err(Failure::usage(
            format!("-L {} is more than -U {}", limits.min, limits.max),
            "no count is within both",
        )
        .into());
    }
    let database = database::open(&arguments.database)?;
    let path = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let mut inputs = arguments.files.clone();
    inputs.push(arguments.database.clone());
    refuse_input(path, &inputs)?;
    refuse_unwritten(path)?;
    let files = arguments.files.iter();
    let options = files.fold(ReaderOptions::new(), ReaderOptions::file);
    let options = options.budget(input::budget(&arguments.common));
    let reads = input::open(options, &arguments.common)?;
    let filter = Filter {
        arguments,
        database: &database,
        reads,
        path,
    };
    dispatch(database.header().k, filter)?
}

struct Filter<'a> {
    arguments: &'a FilterArguments,
    database: &'a Database,
    reads: Reads,
    path: &'a Path,
}

impl KmerTask for Filter<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Self {
            arguments,
            database,
            reads,
            path,
        } = self;
        let lookups = Lookups::<K>::for_files(database, &arguments.files)?;
        if !arguments.common.quiet {
            tell_strands(database, lookups.lookup()?.is_canonical());
        }
        let workers = reads.all_workers();
        let progress = Progress::start(&arguments.common, &arguments.files[0], workers.progress());
        let outputs = Outputs::open(vec![OutputOptions::new(path)], workers.ahead())?;
        let k = database.header().k;
        let work = |source: &mut _| keep(arguments, k, &lookups, &outputs, source);
        let (parts, tickets) = run_into(workers, &outputs, work, Fault::is_consequence)?;
        outputs.finish(tickets)?;
        drop(progress);
        if !arguments.common.quiet {
            let (kept, read) = parts
                .iter()
                .fold((0, 0), |(kept, read), part| (kept + part.0, read + part.1));
            eprintln!("thalweg: {} of {} reads", thousands(kept), thousands(read));
        }
        Ok(())
    }
}

/// Takes all batches of a thread through the filter; how many reads were kept, of how many.
fn keep<K: Kmer>(
    arguments: &FilterArguments,
    k: usize,
    lookups: &Lookups<'_, K>,
    outputs: &Outputs,
    source: &mut Source,
) -> Result<(u64, u64), Fault> {
    let (mut lookup, mut writer) = (lookups.lookup()?, outputs.writer()?);
    let (mut kept, mut read) = (0, 0);
    let mut text = Vec::new();
    while let Some(batch) = source.next_batch()? {
        text.clear();
        let number = select(arguments, k, &mut lookup, &batch, &mut text)?;
        writer.write(batch.place(), &mut [Piece::new(&mut text, number)])?;
        kept += number;
        read += batch.len() as u64;
    }
    Ok((kept, read))
}

/// Appends the reads of a batch that are kept to `text`; their number.
fn select<K: Kmer>(
    arguments: &FilterArguments,
    k: usize,
    lookup: &mut Lookup<K>,
    batch: &Batch,
    text: &mut Vec<u8>,
) -> thalweg::kmers::Result<u64> {
    let limits = arguments.limits.min..=arguments.limits.max;
    let mut number = 0;
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
    Ok(number)
}
