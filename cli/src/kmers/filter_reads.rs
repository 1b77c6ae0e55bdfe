//! `thalweg kmers filter-reads`

use std::path::Path;

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, Database, Lookup};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::write::{OutputOptions, Outputs, Piece};
use thalweg::{Batch, ReaderOptions, Reads, Record, Source};

use super::arguments::{FilterArguments, refuse_contradiction};
use super::failure::Fault;
use super::lookups::Lookups;
use super::strands::tell_strands;
use crate::exit::Failure;
use crate::input;
use crate::output::{refuse_input, refuse_unwritten};
use crate::progress::Progress;
use crate::quantity::thousands;
use crate::threads::run_into;

pub(crate) fn run(arguments: &FilterArguments) -> Result<(), Fault> {
    check(arguments)?;
    let database = database::open(&arguments.database)?;
    let first = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let paths: Vec<&Path> = [first]
        .into_iter()
        .chain(arguments.out2.as_deref())
        .collect();
    let mut inputs = arguments.files.clone();
    inputs.extend(database::files_of(&arguments.database));
    for path in &paths {
        refuse_input(path, &inputs)?;
        refuse_unwritten(path)?;
    }
    let options = match arguments.mates {
        true => ReaderOptions::new().mates(&arguments.files),
        false => (arguments.files.iter()).fold(ReaderOptions::new(), ReaderOptions::file),
    };
    let options = options
        .interleaved(arguments.interleaved)
        .check_letters(true)
        .budget(input::budget(&arguments.common));
    let reads = input::open(options, &arguments.common)?;
    refuse_two_formats(&reads)?;
    let filter = Filter {
        arguments,
        database: &database,
        reads,
        paths,
    };
    dispatch(database.header().k, filter)?
}

/// FASTQ and FASTA behind one another are neither.
fn refuse_two_formats(reads: &Reads) -> Result<(), Failure> {
    let plans = reads.plan();
    let other = plans
        .iter()
        .find(|plan| plan.format.is_fastq() != plans[0].format.is_fastq());
    match other {
        Some(other) => Err(Failure::usage(
            format!(
                "{} and {}: FASTQ and FASTA would be joined",
                plans[0].path.display(),
                other.path.display()
            ),
            "filter them one after the other",
        )),
        None => Ok(()),
    }
}

/// Refuses what makes no sense.
fn check(arguments: &FilterArguments) -> Result<(), Failure> {
    let limits = &arguments.limits;
    refuse_contradiction(limits.min, limits.max)?;
    if arguments.mates && arguments.files.len() != 2 {
        return Err(Failure::usage(
            format!("--mates needs two files, not {}", arguments.files.len()),
            "mates that follow each other in one file are --interleaved",
        ));
    }
    let identity = |file| std::fs::canonicalize(file).ok();
    if let (true, [first, second]) = (arguments.mates, arguments.files.as_slice())
        && identity(first).is_some()
        && identity(first) == identity(second)
    {
        return Err(Failure::usage(
            format!("{}: named twice as its own mate", second.display()),
            "name the other file of the pair",
        ));
    }
    if (arguments.both || arguments.out2.is_some()) && !is_paired(arguments) {
        return Err(Failure::usage(
            "--both and -O are for mates",
            "say --mates if the two files belong together, or --interleaved",
        ));
    }
    Ok(())
}

fn is_paired(arguments: &FilterArguments) -> bool {
    arguments.mates || arguments.interleaved
}

struct Filter<'a> {
    arguments: &'a FilterArguments,
    database: &'a Database,
    reads: Reads,
    /// The output, or those of the first and of the second mates.
    paths: Vec<&'a Path>,
}

impl KmerTask for Filter<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Self {
            arguments,
            database,
            reads,
            paths,
        } = self;
        let threads = input::budget(&arguments.common).threads();
        let lookups = Lookups::<K>::for_files(database, &arguments.files, threads)?;
        if !arguments.common.quiet {
            tell_strands(database, lookups.lookup()?.is_canonical());
        }
        let workers = reads.all_workers();
        let progress = Progress::start(&arguments.common, &arguments.files[0], workers.progress());
        let options = paths.iter().map(OutputOptions::new).collect();
        let outputs = Outputs::open(options, workers.ahead())?;
        let work = |source: &mut _| {
            let selection = Selection {
                arguments,
                lookup: lookups.lookup()?,
                texts: vec![Vec::new(); paths.len()],
            };
            selection.keep_all(&outputs, source)
        };
        let outcome = run_into(workers, &outputs, work, Fault::is_consequence);
        let (parts, tickets) = outcome.map_err(|fault| fault.of_outputs(&paths))?;
        let finished = outputs.finish(tickets).map_err(Fault::from);
        finished.map_err(|fault| fault.of_outputs(&paths))?;
        drop(progress);
        if !arguments.common.quiet {
            let (kept, read) = parts
                .iter()
                .fold((0, 0), |(kept, read), part| (kept + part.0, read + part.1));
            let what = match is_paired(arguments) {
                true => "pairs",
                false => "reads",
            };
            tell!("thalweg: {} of {} {what}", thousands(kept), thousands(read));
        }
        Ok(())
    }
}

/// What one thread keeps.
struct Selection<'a, K: Kmer> {
    arguments: &'a FilterArguments,
    lookup: Lookup<K>,
    /// What is kept of a batch, for each output.
    texts: Vec<Vec<u8>>,
}

impl<K: Kmer> Selection<'_, K> {
    /// Takes all batches of a thread through the filter; how many reads, or pairs, were kept, of how many.
    fn keep_all(mut self, outputs: &Outputs, source: &mut Source) -> Result<(u64, u64), Fault> {
        let mut writer = outputs.writer()?;
        let (mut kept, mut read) = (0, 0);
        while let Some(batch) = source.next_batch()? {
            self.texts.iter_mut().for_each(Vec::clear);
            let (number, all) = self.keep(&batch)?;
            let records = match is_paired(self.arguments) && self.texts.len() == 1 {
                true => 2 * number,
                false => number,
            };
            let pieces = self.texts.iter_mut();
            let mut pieces: Vec<Piece> = pieces.map(|text| Piece::new(text, records)).collect();
            writer.write(batch.place(), &mut pieces)?;
            kept += number;
            read += all;
        }
        Ok((kept, read))
    }

    /// Appends what is kept of a batch to the texts; the number of reads, or pairs, and of all of them.
    fn keep(&mut self, batch: &Batch) -> thalweg::kmers::Result<(u64, u64)> {
        let (mut kept, mut all) = (0, 0);
        if is_paired(self.arguments) {
            for (first, second) in batch.pairs() {
                all += 1;
                // The second is not looked at where the first decides.
                let decides = self.qualifies(&first)?;
                let qualifies = match decides == self.arguments.both {
                    true => self.qualifies(&second)?,
                    false => decides,
                };
                if qualifies != self.arguments.invert {
                    kept += 1;
                    let last = self.texts.len() - 1;
                    push(&first, &mut self.texts[0]);
                    push(&second, &mut self.texts[last]);
                }
            }
            return Ok((kept, all));
        }
        for record in batch.records() {
            all += 1;
            if self.qualifies(&record)? != self.arguments.invert {
                kept += 1;
                push(&record, &mut self.texts[0]);
            }
        }
        Ok((kept, all))
    }

    /// Whether enough k-mers of a read are in the database.
    fn qualifies(&mut self, record: &Record<'_>) -> thalweg::kmers::Result<bool> {
        let limits = self.arguments.limits.min..=self.arguments.limits.max;
        let (mut all, mut found) = (0u64, 0u64);
        self.lookup
            .find_in_lines(record.sequence_lines(), |_, count| {
                all += 1;
                found += u64::from(count.is_some_and(|count| limits.contains(&count)));
            })?;
        Ok(found > 0 && found as f64 >= self.arguments.fraction * all as f64)
    }
}

/// Appends a record as it stands in its file.
fn push(record: &Record<'_>, text: &mut Vec<u8>) {
    text.extend_from_slice(record.as_bytes());
    // The last line of a file may lack its end.
    if text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
}
