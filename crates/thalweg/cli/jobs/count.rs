//! `thalweg count`
//!
//! What it says when it is done; the count itself is [`thalweg::count`].

use std::any::Any;
use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::count::{self, CountJob, Inputs, OutputFile, Target, expected_bases, reader_budget};
use thalweg::kmers::count::{OtherLetters, Totals};
use thalweg::kmers::database::{self, Format, SortOptions};
use thalweg::kmers::kmer::dispatch;
use thalweg::trace::{KmerTrace, TraceOutput};
use thalweg::write::{self, is_stream};
use thalweg::{Budget, ReaderOptions, Reads};
use thalweg_memory::give_back_freed_memory;

use crate::input;
use crate::input::indexes;
use crate::input::sharing::Sharing;
use crate::jobs::kmers::{Fault, TMP_HINT, target};
use crate::jobs::trace;
use crate::options::count::CountArguments;
use crate::options::quantity::{Shard, bytes, thousands};
use crate::options::{Common, IndexDirectory, Pairing};
use crate::output::{refuse_input, refuse_unwritten};
use crate::process::exit::Failure;
use crate::process::limits::{addresses, most_open_files};
use crate::process::progress::Progress;
use thalweg::write::is_same;

pub(crate) fn run(arguments: &CountArguments) -> Result<(), Failure> {
    let start = Instant::now();
    let tmp = temporary_directory(arguments.tmp.as_deref())?;
    let totals = count(arguments, &tmp)
        .map_err(|fault| fault.of_temporary_files(TMP_HINT).into_failure())?;
    if !arguments.common.quiet {
        summarize(arguments, &totals, start);
    }
    Ok(())
}

fn count(arguments: &CountArguments, tmp: &Path) -> Result<Totals, Fault> {
    let common = &arguments.common;
    let settings = arguments.settings(tmp);
    let options = settings.options()?;
    for path in arguments.output.iter().chain(&arguments.histo) {
        refuse_input(path, &arguments.files)?;
        refuse_unwritten(path)?;
    }
    let target = match &arguments.output {
        Some(path) => Some(target(path, arguments.format, tmp)?),
        None => None,
    };
    if let (Some(target), Some(histo)) = (&target, &arguments.histo) {
        let mut files = database::files_written(&target.path, target.format).into_iter();
        if files.any(|file| is_same(&file, histo)) {
            let message = format!("{} is both --output and --histo", histo.display());
            return Err(Failure::usage(message, "give them two names").into());
        }
    }
    let traced = trace_output(arguments, target.as_ref())?;
    let traced = (traced.as_ref().map(KmerTrace::create)).transpose()?;
    let histo = (arguments.histo.as_deref().map(OutputFile::create)).transpose()?;
    let pairing = Pairing {
        mates: false,
        interleaved: false,
        ignore_names: false,
    };
    let budget = budget(common)?;
    input::check_stdin(&arguments.files)?;
    indexes::check(&arguments.files, &arguments.index)?;
    let sharing = Sharing::of(&arguments.files, &pairing, arguments.shard)?;
    let mut description = settings.description();
    if let Some(shard) = arguments.shard {
        indexes::save_all_missing(sharing.files(), &arguments.index, common)?;
        let share = sharing.share(&arguments.files, shard, &arguments.index)?;
        share.tell(&mut description.provenance);
    }
    let inputs = Inputs::open(sharing.files(), most_open_files(), |range, tells| {
        let index = sharing.indexes(range.clone(), &arguments.index);
        let files = &sharing.files()[range.clone()];
        let reader = input::options(files, &pairing, &index, common)?;
        let reader = sharing
            .choose(reader, range)
            .check_letters(true)
            .pipes_as_they_come(true)
            .long_sequences_in_pieces(arguments.k - 1)
            .budget(reader_budget(budget));
        match tells {
            true => Ok(input::open(reader, common)?),
            false => Ok::<_, Fault>(Reads::open(reader)?),
        }
    })?;
    if !common.quiet {
        input::warn_of_repeats(inputs.plans());
    }
    let watch = |position| -> Box<dyn Any> {
        Box::new(Progress::start(common, &arguments.files[0], position))
    };
    let job = CountJob {
        options: options.with_expected_bases(expected_bases(inputs.plans())),
        inputs,
        watch: &watch,
        budget,
        target: target.as_ref(),
        histo,
        largest: u64::MAX,
        description,
    };
    let totals = dispatch(arguments.k, job)??.totals;
    if let (Some(traced), Some(target)) = (traced, &target) {
        let written = write_trace(traced, target, budget);
        if let (Err(_), false) = (&written, common.quiet) {
            tell!("thalweg: note: the database is written; it is the trace that fails");
        }
        written?;
    }
    Ok(totals)
}

/// The trace, if one is asked for. Its k-mers are read from the database, which must be a file that can be read, then.
fn trace_output(
    arguments: &CountArguments,
    target: Option<&Target>,
) -> Result<Option<TraceOutput>, Fault> {
    let (Some(path), Some(target)) = (&arguments.trace, target) else {
        return Ok(None);
    };
    refuse_input(path, &arguments.files)?;
    let is_text = matches!(target.format, Format::Tsv | Format::Fasta);
    let is_compressed = is_text && write::Format::of_name(&target.path) != write::Format::Plain;
    if is_stream(&target.path) || is_compressed {
        let message = "--trace has what the database has, which cannot be read from a pipe or compressed text";
        return Err(Failure::usage(message, "name a file for it, such as -o counts.thk").into());
    }
    let files = database::files_written(&target.path, target.format);
    let outputs = files.iter().chain(&arguments.histo);
    if let Some(other) = outputs.into_iter().find(|other| is_same(other, path)) {
        let message = format!(
            "{}: --trace and another output name the same file",
            other.display()
        );
        return Err(Failure::usage(message, "give each its own").into());
    }
    Ok(Some(trace::output(path, &arguments.files)?))
}

/// What the database has, as records.
fn write_trace(traced: KmerTrace<'_>, target: &Target, budget: Budget) -> Result<u64, Fault> {
    let sorting = SortOptions {
        memory: usize::try_from(budget.memory()).unwrap_or(usize::MAX),
        directory: target.temporary_directory.clone(),
    };
    let database = database::open(&target.path)?;
    Ok(traced.write(&database, &sorting, budget.threads())?)
}

/// Threads of a count, and the memory that they may use for counting, so that the process stays within its limit.
pub(crate) fn budget(common: &Common) -> Result<Budget, thalweg::kmers::Error> {
    let threads = input::budget(common).threads();
    let memory = for_counting(common.memory, threads)?;
    Ok(Budget::new(threads).with_memory(memory))
}

/// What is left for counting. From a limit on, the allocator keeps no large ones that were freed.
pub(crate) fn for_counting(
    limit: Option<u64>,
    threads: usize,
) -> Result<u64, thalweg::kmers::Error> {
    let left = count::for_counting(limit, threads, addresses())?;
    if limit.is_some() {
        give_back_freed_memory();
    }
    Ok(left)
}

/// Where temporary files go: told now if it is no directory, and not when the first of them is wanted.
///
/// # Errors
/// Why the directory that was asked for cannot be listed.
pub(crate) fn temporary_directory(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let Some(asked) = asked else {
        return Ok(std::env::temp_dir());
    };
    std::fs::read_dir(asked).map_err(|error| Failure::io(asked, error))?;
    Ok(asked.to_owned())
}

/// The reads of `files`, for k-mers of `k` bases, with the indexes that they have.
pub(crate) fn open(
    files: &[PathBuf],
    k: usize,
    budget: Budget,
) -> Result<Inputs<'_, Fault>, Fault> {
    Inputs::open(files, most_open_files(), move |range, tells| {
        let files = &files[range];
        let reads = open_all(files, k, budget)?;
        let told = files.iter().filter(|_| tells);
        told.for_each(|file| input::warn_if_cut_or_empty(file));
        Ok(reads)
    })
}

fn open_all(files: &[PathBuf], k: usize, budget: Budget) -> Result<Reads, thalweg::Error> {
    // Any letters, as the programs whose names we have then.
    let options = files.iter().fold(ReaderOptions::new(), ReaderOptions::file);
    let options = options
        .index_directory(IndexDirectory::of_environment())
        .pipes_as_they_come(true)
        .on_wait(input::tell_of_wait)
        .long_sequences_in_pieces(k - 1)
        .on_missing_end(input::warn_of_missing_end);
    Reads::open(options.budget(reader_budget(budget)))
}

fn summarize(arguments: &CountArguments, totals: &Totals, start: Instant) {
    let strands = if arguments.forward {
        "strands apart"
    } else {
        "canonical"
    };
    let kept = match (arguments.min.max(1), arguments.max) {
        (1, u64::MAX) => String::new(),
        _ => format!(", {} of them kept", thousands(totals.kept_distinct)),
    };
    tell!(
        "thalweg: {} k-mers, {} distinct{kept} (k = {}, {strands}) of {} bases in {:.1} s",
        thousands(totals.kmers),
        thousands(totals.distinct),
        arguments.k,
        thousands(totals.bases),
        start.elapsed().as_secs_f64(),
    );
    if totals.other_letters.total() > 0 {
        tell!("thalweg: {}", left_out(&totals.other_letters));
    }
    if totals.kmers == 0 && totals.bases > 0 {
        tell!(
            "thalweg: note: no k-mer: nowhere are {} good bases together",
            arguments.k
        );
    } else if let (0, Some(Shard { number, of })) = (totals.kmers, arguments.shard) {
        tell!(
            "thalweg: note: no k-mer: part {number} of {of} has no bases: a file that cannot be cut, as gzip without an index, is in one part as a whole"
        );
    } else if totals.kmers == 0 {
        tell!("thalweg: note: no k-mer: the input has no bases");
    }
    if arguments.common.verbose {
        tell!(
            "thalweg: {} super-k-mers, {} different; {} in memory, {} in temporary files",
            thousands(totals.super_kmers),
            thousands(totals.merged_super_kmers),
            bytes(totals.record_bytes),
            bytes(totals.spilled_bytes),
        );
    }
}

/// So many kinds of letters are named, the most frequent.
const NAMED: usize = 8;

/// What letters no k-mer was counted with.
fn left_out(letters: &OtherLetters) -> String {
    let mut kinds: Vec<String> = (letters.iter().take(NAMED))
        .map(|(letter, number)| format!("{}: {}", letter.escape_ascii(), thousands(number)))
        .collect();
    let others: u64 = letters.iter().skip(NAMED).map(|(_, number)| number).sum();
    if others > 0 {
        kinds.push(format!("others: {}", thousands(others)));
    }
    format!(
        "left out: k-mers with any of {} letters that are no A, C, G, T or U ({})",
        thousands(letters.total()),
        kinds.join(", ")
    )
}
