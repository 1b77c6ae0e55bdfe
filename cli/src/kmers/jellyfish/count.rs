//! `jellyfish count`

use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::kmers::Kmer;
use thalweg::kmers::count::Totals;
use thalweg::kmers::database::{self, Description, Format, Records, SortOptions};
use thalweg::kmers::kmer::{KmerTask, dispatch};
use thalweg::kmers::options::CountOptions;

use super::arguments::CountArguments;
use super::primed::Primed;
use crate::arguments::Common;
use crate::count::{Job, budget, expected_bases, open, provenance, temporary_directory};
use crate::kmers::{DatabaseOutput, Fault, Target, TemporaryName};
use crate::output::{Output, refuse_input};

pub(super) fn run(arguments: &CountArguments) -> Result<(), Fault> {
    let start = Instant::now();
    let tmp = temporary_directory(None);
    let (k, canonical) = (arguments.mer_len, arguments.canonical);
    let lower = arguments.lower_count.unwrap_or(0);
    let upper = arguments.upper_count.unwrap_or(u64::MAX);
    let mut options = CountOptions::new(k)?
        .with_canonical(canonical)
        .with_temporary_directory(&tmp);
    let quality = arguments.min_qual_char.or_else(|| {
        let quality = arguments.min_quality?;
        Some(arguments.quality_start.saturating_add(quality))
    });
    options = options.with_minimum_quality(quality.unwrap_or(0));
    let format = match arguments.text {
        true => Format::JellyfishText,
        false => Format::Jellyfish,
    };
    refuse_input(&arguments.output, &arguments.files)?;
    let target = Target::with_format(&arguments.output, format, &tmp)?;
    let mut description = Description::new(k, canonical);
    description.provenance = provenance();
    description.counter_bytes = Some(arguments.out_counter_len);
    description.saturate = true;
    description.kept = (lower.max(1), upper);
    let task = Task {
        arguments,
        target: &target,
        tmp: &tmp,
        description,
    };
    if arguments.only.is_empty() {
        let options = options.with_counts(lower.max(1), upper)?;
        task.count(&arguments.files, options, &target, task.description.clone())?;
    } else {
        task.count_only(&options, (lower, upper))?;
    }
    if let Some(path) = &arguments.timing {
        let mut output = Output::create(path)?;
        // Counting and writing overlap here: all is counting.
        let seconds = start.elapsed().as_secs_f64();
        output.write(format!("Init     0\nCounting {seconds}\nWriting  0\n").as_bytes())?;
        output.finish()?;
    }
    Ok(())
}

struct Task<'a> {
    arguments: &'a CountArguments,
    target: &'a Target,
    tmp: &'a Path,
    description: Description,
}

impl Task<'_> {
    fn count(
        &self,
        files: &[PathBuf],
        options: CountOptions,
        target: &Target,
        description: Description,
    ) -> Result<Totals, Fault> {
        let common = Common {
            threads: Some(self.arguments.threads),
            memory: None,
            quiet: true,
            verbose: false,
            no_progress: true,
        };
        let budget = budget(&common);
        let reads = open(files, budget)?;
        let job = Job {
            options: options.with_expected_bases(expected_bases(&reads)),
            reads,
            name: &files[0],
            common: &common,
            budget,
            target: Some(target),
            largest: u64::MAX,
            description,
        };
        dispatch(self.arguments.mer_len, job)?
    }

    /// Count everything, then keep the k-mers of the files named by `--if`.
    fn count_only(&self, options: &CountOptions, kept: (u64, u64)) -> Result<(), Fault> {
        let aside = |files: &[PathBuf]| -> Result<TemporaryName, Fault> {
            let name = TemporaryName::new(self.tmp)?;
            let target = Target::with_format(name.path(), Format::Thk, self.tmp)?;
            let description = Description::new(options.k(), options.canonical());
            self.count(files, options.clone(), &target, description)?;
            Ok(name)
        };
        let counted = aside(&self.arguments.files)?;
        let wanted = aside(&self.arguments.only)?;
        let join = Join {
            task: self,
            counted: counted.path(),
            wanted: wanted.path(),
            kept,
        };
        dispatch(options.k(), join)?
    }
}

struct Join<'a> {
    task: &'a Task<'a>,
    counted: &'a Path,
    wanted: &'a Path,
    kept: (u64, u64),
}

impl KmerTask for Join<'_> {
    type Output = Result<(), Fault>;

    fn run<K: Kmer>(self) -> Self::Output {
        let options = SortOptions::default();
        let primed = Records::new(Primed::<K> {
            wanted: database::open(self.wanted)?.sorted(&options)?,
            counted: database::open(self.counted)?.sorted(&options)?,
        });
        let mut output = DatabaseOutput::create(self.task.target, &self.task.description)?;
        output.extend(primed, self.kept)?;
        output.finish()?;
        Ok(())
    }
}
