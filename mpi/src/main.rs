//! `thalweg-mpi`: the count of `thalweg count`, by the ranks of an MPI job.
//!
//! - `arguments`, `placement`: what the user said, and where this rank was put.
//! - `mpi`: MPI as an exchange, by way of `shim.c`.
//! - `said`: what rank 0 prints.
//!
//! Whatever fails in any thread of any rank ends the job: the rank says what, with its number and host, and has MPI end all others.
//! Nothing waits for a rank that is gone, as the launcher ends the job then.

#![deny(unsafe_op_in_unsafe_fn)]

mod arguments;
mod mpi;
mod placement;
#[path = "../../crates/thalweg/cli/options/quantity.rs"]
#[allow(dead_code, reason = "it is the command's, which parses more")]
mod quantity;
mod said;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use thalweg::count::{CountSettings, Target};
use thalweg_cluster::{ClusterJob, ClusterSettings, Destination, Exchange, Fault, Found};

use arguments::{Arguments, Command, CountArguments};
use mpi::{Mpi, abort};
use placement::{Placement, is_first_rank, unknown_to_mpi};
use said::{Progress, summarize, tell_fault};

#[global_allocator]
static ALLOCATOR: thalweg_memory::OrExit = thalweg_memory::OrExit;

/// Usage, input and output, internal errors.
const OTHER: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        // All ranks have the same command line: one says what is wrong with it.
        Err(error) if is_first_rank() => error.exit(),
        Err(error) => return ExitCode::from(error.exit_code() as u8),
    };
    let Command::Count(arguments) = arguments.command;
    let mut exchange = match Mpi::begin() {
        Ok(exchange) => exchange,
        Err(lost) => {
            eprintln!("thalweg-mpi: error: {lost}");
            return ExitCode::from(OTHER);
        }
    };
    let rank = exchange.rank();
    std::panic::set_hook(Box::new(move |panic| {
        eprintln!("thalweg-mpi: rank {rank}: {panic}");
    }));
    let outcome = catch_unwind(AssertUnwindSafe(|| count(&arguments, &mut exchange)));
    let fault = match outcome {
        Ok(Ok(())) => match exchange.end() {
            Ok(()) => return ExitCode::SUCCESS,
            Err(lost) => Fault::Lost(lost),
        },
        Ok(Err(fault)) => fault,
        Err(panic) => Fault::Panicked(words(panic.as_ref())),
    };
    tell_fault(rank, &fault);
    abort(fault.code())
}

fn count(arguments: &CountArguments, exchange: &mut Mpi) -> Result<(), Fault> {
    let start = Instant::now();
    if let Some(launched) = unknown_to_mpi(exchange.ranks()) {
        return Err(thalweg::count::Fault::usage(
            format!("{launched} ranks were started, and MPI knows of this one alone"),
            "the launcher is of another MPI than the program: start it by that of the MPI it is built with",
        )
        .into());
    }
    let placement = Placement::find(exchange.ranks());
    let settings = settings(arguments, &placement)?;
    if settings.count.memory.is_some() {
        thalweg_memory::give_back_freed_memory();
    }
    let is_first = exchange.rank() == 0;
    if is_first && !arguments.quiet {
        placement.warn(arguments.threads);
    }
    let draws = !arguments.quiet && !arguments.no_progress;
    let watch = |position| -> Box<dyn Any> {
        match draws {
            true => Box::new(Progress::start(position)),
            false => Box::new(()),
        }
    };
    let job = ClusterJob {
        settings: &settings,
        watch: &watch,
    };
    let found: Option<Found> = job.run(exchange)?;
    if let Some(found) = found
        && !arguments.quiet
    {
        summarize(arguments, &found, start.elapsed());
    }
    Ok(())
}

fn settings(arguments: &CountArguments, placement: &Placement) -> Result<ClusterSettings, Fault> {
    let mut files = arguments.files.clone();
    for list in &arguments.files_from {
        files.extend(names(list)?);
    }
    let tmp = arguments.tmp.clone().unwrap_or_else(std::env::temp_dir);
    std::fs::read_dir(&tmp).map_err(|error| thalweg::count::Fault::io(&tmp, error))?;
    let destination = match (&arguments.output, arguments.merge) {
        (None, _) => Destination::Nowhere,
        (Some(path), false) => Destination::Set(path.clone()),
        (Some(path), true) => Destination::Merged(Target::with_format(
            path,
            arguments.format.to_library(),
            &tmp,
        )?),
    };
    let in_environment = || {
        let directory = std::env::var_os("THALWEG_INDEX_DIR");
        directory.filter(|path| !path.is_empty()).map(PathBuf::from)
    };
    Ok(ClusterSettings {
        count: CountSettings {
            forward: arguments.forward,
            least: arguments.min,
            most: arguments.max,
            minimum_quality: arguments.min_quality,
            saturate: arguments.saturate,
            histo: arguments.histo.clone(),
            temporary_directory: tmp,
            threads: arguments.threads.map_or(placement.cores, usize::from),
            memory: arguments.memory,
            ..CountSettings::new(arguments.k, files)
        },
        destination,
        chunk: arguments.chunk,
        index: arguments.index.to_library(),
        index_directory: arguments.index_dir.clone().or_else(in_environment),
        ranks_here: placement.ranks_here,
    })
}

/// The names in a list, one in each line.
fn names(list: &Path) -> Result<Vec<PathBuf>, Fault> {
    let text = thalweg::files::read_list(list);
    let text = text.map_err(|error| thalweg::count::Fault::io(list, error))?;
    let names = thalweg::inputs::file_names(&text);
    match names.is_empty() {
        true => Err(thalweg::count::Fault::usage(
            format!("{}: names no file", list.display()),
            "a list has the name of a file in each line",
        )
        .into()),
        false => Ok(names),
    }
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "without a word".to_owned())
}
