//! `thalweg count`
//!
//! What it says when it is done; the count itself is [`thalweg::count`].

use std::path::{Path, PathBuf};
use std::time::Instant;

use thalweg::count::{self, Inputs, reader_budget};
use thalweg::databases::check_counts;
use thalweg::files::counted;
use thalweg::kmers::count::{CountTotals, OtherLetters};
use thalweg::{Budget, Listener, ReaderOptions, Reads};
use thalweg_memory::give_back_freed_memory;

use crate::input;
use crate::input::indexes;
use crate::jobs::kmers::{Fault, TMP_HINT, format_of};
use crate::options::count::CountArguments;
use crate::options::quantity::{Shard, bytes, thousands};
use crate::options::{Common, IndexDirectory};
use crate::output::refuse_input;
use crate::process::exit::Failure;
use crate::process::hearing::heard;
use crate::process::limits::{addresses, most_open_files};

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

fn count(arguments: &CountArguments, tmp: &Path) -> Result<CountTotals, Fault> {
    let common = &arguments.common;
    let mut settings = arguments.settings(tmp);
    check_counts((arguments.min, arguments.max))?;
    settings.options()?;
    if let Some(path) = &arguments.output {
        refuse_input(path, &arguments.files)?;
        settings.format = format_of(path, arguments.format)?;
    }
    settings.threads = input::budget(common).threads();
    settings.addresses = addresses();
    settings.most_open = most_open_files();
    settings.indexes = indexes::to_library(&arguments.index);
    settings.on_wait = (!common.quiet).then(|| Listener::new(input::tell_of_wait));
    if common.memory.is_some() {
        give_back_freed_memory();
    }
    input::tell_of_terminal(&arguments.files, common);
    let counted = heard(common, &arguments.files[0], |control| settings.run(control))?;
    Ok(counted.totals)
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
        told.for_each(|file| input::warn_if_cut(file));
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

fn summarize(arguments: &CountArguments, totals: &CountTotals, start: Instant) {
    let strands = if arguments.forward {
        "strands separate"
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
            "thalweg: note: no k-mers: no sequence has {} consecutive valid bases",
            arguments.k
        );
    } else if let (0, Some(Shard { number, of })) = (totals.kmers, arguments.shard) {
        tell!(
            "thalweg: note: no k-mers: part {number} of {of} has no bases: a file that cannot be divided, such as gzip without an index, is in one part as a whole"
        );
    } else if totals.kmers == 0 {
        tell!("thalweg: note: no k-mers: the input has no bases");
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
        "skipped k-mers that contain letters other than A, C, G, T and U; {} in the reads ({})",
        counted(letters.total(), "such letter"),
        kinds.join(", ")
    )
}
