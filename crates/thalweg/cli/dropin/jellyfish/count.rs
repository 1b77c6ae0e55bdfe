//! `jellyfish count`

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::Control;
use thalweg::count::{
    CountJob, DatabaseOutput, Target, TemporaryDatabase, expected_bases, provenance,
};
use thalweg::kmers::Kmer;
use thalweg::kmers::database::{self, DatabaseFormat, Description, KmerRecords, SortOptions};
use thalweg::kmers::kmer::{Alphabet, KmerTask, dispatch};
use thalweg::kmers::options::CountOptions;

use super::arguments::CountArguments;
use super::filter::Filtered;
use super::generators::Generators;
use super::primed::Primed;
use crate::dropin::with_counts;
use crate::jobs::count::{budget, open};
use crate::jobs::kmers::Fault;
use crate::options::Common;
use crate::output::Output;

pub(super) fn run(arguments: &CountArguments) -> Result<(), Fault> {
    let start = Instant::now();
    let tmp = std::env::temp_dir();
    let (k, canonical) = (arguments.mer_len, arguments.canonical);
    let mut lower = arguments.lower_count.unwrap_or(0);
    if arguments.bf_size.is_some() {
        // Its filter takes the first of each k-mer, so that Jellyfish counts one less, and what is left of one is 0.
        lower = lower.max(2);
        tell!(
            "thalweg: note: --bf-size: singletons are dropped exactly; counts are exact (Jellyfish's are one lower)"
        );
    }
    let upper = arguments.upper_count.unwrap_or(u64::MAX);
    let mut options = CountOptions::new(k)?
        .with_canonical(canonical)
        .with_alphabet(Alphabet::Acgt)
        .with_temporary_directory(&tmp);
    let quality = arguments.min_qual_char.or_else(|| {
        let quality = arguments.min_quality?;
        Some(arguments.quality_start.saturating_add(quality))
    });
    options = options.with_minimum_quality(quality.unwrap_or(0));
    let format = match arguments.text {
        true => DatabaseFormat::JellyfishText,
        false => DatabaseFormat::Jellyfish,
    };
    let outputs = [&arguments.output].into_iter().chain(&arguments.timing);
    let others = arguments.only.iter().chain(&arguments.filter);
    arguments.input.refuse(outputs, others)?;
    let mut description = Description::new(k, canonical);
    description.provenance = provenance();
    description.counter_bytes = Some(arguments.out_counter_len);
    description.saturate = true;
    description.kept = (lower.max(1), upper);
    if arguments.ignored.no_merge || arguments.ignored.no_unlink {
        tell!("thalweg: note: --no-merge and --no-unlink have no effect: there is only one output");
    }
    let engine = Engine {
        k,
        threads: arguments.threads,
        tmp: &tmp,
    };
    if arguments.no_write {
        // Of an output that is a stream nothing is kept, and nothing is written to it here.
        Generators::with(&arguments.input, Path::new("-"), |files, _| {
            engine.count(files, options, None, description)
        })?;
        return write_timing(arguments.timing.as_deref(), start);
    }
    Generators::with(&arguments.input, &arguments.output, |files, output| {
        let target = Target::with_format(output, format, &tmp)?;
        if arguments.only.is_empty() && arguments.filter.is_none() {
            let options = with_counts(options, (lower.max(1), upper))?;
            return engine.count(files, options, Some(&target), description);
        }
        let counted = engine.count_aside(files, &options)?;
        let (target, description, kept) = (&target, &description, (lower, upper));
        if let Some(filter) = &arguments.filter {
            return Filtered {
                counted: counted.path(),
                filter,
                target,
                description,
                kept,
                threads: arguments.threads.get(),
            }
            .write()
            .map_err(|fault| fault.told_by(&counted));
        }
        let wanted = engine.count_aside(&arguments.only, &options)?;
        dispatch(
            k,
            Join {
                counted: counted.path(),
                wanted: wanted.path(),
                target,
                description,
                kept,
                threads: arguments.threads.get(),
            },
        )?
        .map_err(|fault| fault.told_by(&wanted).told_by(&counted))
    })?;
    write_timing(arguments.timing.as_deref(), start)
}

/// Writes how long it took to the file that `--timing` names.
pub(super) fn write_timing(path: Option<&Path>, start: Instant) -> Result<(), Fault> {
    let Some(path) = path else {
        return Ok(());
    };
    let mut output = Output::create_plain(path)?;
    // Counting and writing overlap here: all is counting.
    let seconds = start.elapsed().as_secs_f64();
    output.write(format!("Init     0\nCounting {seconds}\nWriting  0\n").as_bytes())?;
    Ok(output.finish()?)
}

/// How is counted, whatever is.
pub(super) struct Engine<'a> {
    pub(super) k: usize,
    pub(super) threads: NonZeroUsize,
    pub(super) tmp: &'a Path,
}

impl Engine<'_> {
    /// The k-mers of `files` to a database, if there is one to be.
    pub(super) fn count(
        &self,
        files: &[PathBuf],
        options: CountOptions,
        target: Option<&Target>,
        description: Description,
    ) -> Result<(), Fault> {
        let common = Common::quiet(Some(self.threads), None);
        let budget = budget(&common)?;
        let inputs = open(files, self.k, budget)?;
        let job = CountJob {
            options: options.with_expected_bases(expected_bases(inputs.plans())),
            inputs,
            control: &Control::default(),
            budget,
            target,
            histo: None,
            largest: u64::MAX,
            description,
        };
        dispatch(self.k, job)??;
        Ok(())
    }

    /// All of them to a temporary database.
    fn count_aside(
        &self,
        files: &[PathBuf],
        options: &CountOptions,
    ) -> Result<TemporaryDatabase, Fault> {
        let name = TemporaryDatabase::new(self.tmp)?;
        let description = Description::new(self.k, options.canonical());
        Target::with_format(name.path(), DatabaseFormat::Thk, self.tmp)
            .map_err(Fault::from)
            .and_then(|target| self.count(files, options.clone(), Some(&target), description))
            .map_err(|fault: Fault| fault.told_by(&name))?;
        Ok(name)
    }
}

/// The k-mers of `--if`, with their counts.
struct Join<'a> {
    counted: &'a Path,
    wanted: &'a Path,
    target: &'a Target,
    description: &'a Description,
    kept: (u64, u64),
    threads: usize,
}

impl KmerTask for Join<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let options = SortOptions::default();
        let primed = KmerRecords::new(Primed::<K> {
            wanted: database::open(self.wanted)?.sorted(&options)?,
            counted: database::open(self.counted)?.sorted(&options)?,
        });
        let mut output = DatabaseOutput::create(self.target, self.description)?;
        let control = Control::default();
        output.extend(primed, self.kept, self.threads, &control)?;
        output.finish(&control)?;
        Ok(())
    }
}
