//! `thalweg kmers filter-reads`

use std::path::Path;

use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, Lookup};
use thalweg::kmers::kmer::{Alphabet, KmerTask, dispatch};
use thalweg::{Batch, ReaderOptions, Record};

use super::failure::Fault;
use super::filtering::{Filtering, Kept};
use super::open_database;
use crate::input;
use crate::input::indexes;
use crate::options::bam::tell_of_pairs;
use crate::options::kmers::{FilterArguments, refuse_contradiction};
use crate::options::quantity::thousands;
use crate::output::{refuse_input, refuse_unwritten};
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &FilterArguments) -> Result<(), Fault> {
    check(arguments)?;
    let first = arguments.output.as_deref().unwrap_or(Path::new("-"));
    let paths: Vec<&Path> = [first]
        .into_iter()
        .chain(arguments.out2.as_deref())
        .collect();
    paths.iter().try_for_each(|path| refuse_unwritten(path))?;
    let database = open_database(&arguments.database)?;
    let mut inputs = arguments.files.clone();
    inputs.extend(database::files_of(&arguments.database));
    for path in &paths {
        refuse_input(path, &inputs)?;
    }
    let (common, budget) = (&arguments.common, input::budget(&arguments.common));
    indexes::check(&arguments.files, &arguments.index)?;
    indexes::save_named(&arguments.files, &arguments.index, budget, common.draws())?;
    let options = match arguments.mates {
        true => ReaderOptions::new().mates(&arguments.files),
        false => (arguments.files.iter()).fold(ReaderOptions::new(), ReaderOptions::file),
    };
    let options = options
        .interleaved(arguments.interleaved)
        .check_names(!arguments.ignore_names)
        .check_letters(true)
        .budget(budget);
    let options = indexes::choose(options, &arguments.index, budget);
    let reads = input::open(options, &arguments.common)?;
    input::refuse_two_formats(&reads, "filter them one after the other")?;
    if !is_paired(arguments) && !arguments.common.quiet {
        tell_of_pairs(&reads.plan(), "--interleaved");
    }
    let filtering = Filtering {
        database: &database,
        files: &arguments.files,
        reads,
        alphabet: Alphabet::Acgtu,
        paths,
        level: arguments.compression.level(),
        common: &arguments.common,
    };
    let filter = Filter {
        arguments,
        filtering,
    };
    dispatch(database.header().k, filter)?
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
    input::refuse_idle_names(arguments.ignore_names, is_paired(arguments))?;
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
    filtering: Filtering<'a>,
}

impl KmerTask for Filter<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let Self {
            arguments,
            filtering,
        } = self;
        let all = filtering
            .run(|lookup, batch, texts| Selection::<K> { arguments, lookup }.keep(batch, texts))?;
        if !arguments.common.quiet {
            if arguments.mates && arguments.output.is_some() && arguments.out2.is_none() {
                tell!(
                    "thalweg: note: second mates stand behind their first ones; -O gives them a file of their own"
                );
            }
            let what = match is_paired(arguments) {
                true => "pairs",
                false => "reads",
            };
            tell!(
                "thalweg: {} of {} {what}",
                thousands(all.kept),
                thousands(all.read)
            );
        }
        Ok(())
    }
}

/// What of a batch is kept.
struct Selection<'a, K: Kmer> {
    arguments: &'a FilterArguments,
    lookup: &'a mut Lookup<K>,
}

impl<K: Kmer> Selection<'_, K> {
    /// Appends what is kept of a batch to the texts, one for each output.
    fn keep(&mut self, batch: &Batch, texts: &mut [Vec<u8>]) -> thalweg::kmers::Result<Kept> {
        let (mut kept, mut read) = (0, 0);
        if is_paired(self.arguments) {
            for (first, second) in batch.pairs() {
                read += 1;
                // The second is not looked at where the first decides.
                let decides = self.qualifies(&first)?;
                let qualifies = match decides == self.arguments.both {
                    true => self.qualifies(&second)?,
                    false => decides,
                };
                if qualifies != self.arguments.invert {
                    kept += 1;
                    let last = texts.len() - 1;
                    push(&first, &mut texts[0]);
                    push(&second, &mut texts[last]);
                }
            }
            let records = match texts.len() {
                1 => 2 * kept,
                _ => kept,
            };
            return Ok(Kept {
                kept,
                read,
                records,
            });
        }
        for record in batch.records() {
            read += 1;
            if self.qualifies(&record)? != self.arguments.invert {
                kept += 1;
                push(&record, &mut texts[0]);
            }
        }
        Ok(Kept {
            kept,
            read,
            records: kept,
        })
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
pub(crate) fn push(record: &Record<'_>, text: &mut Vec<u8>) {
    text.extend_from_slice(record.as_bytes());
    // The last line of a file may lack its end.
    if text.last() != Some(&b'\n') {
        text.push(b'\n');
    }
}
