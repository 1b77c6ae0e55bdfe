//! `thalweg cat --parts N --pipes`: a named pipe and a thread for each part.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nix::fcntl::OFlag;
use nix::sys::stat::Mode;
use thalweg::copy::{Interleaved, Interleaver};
use thalweg::files::TemporaryName;
use thalweg::sharing::CommonChecks;
use thalweg::write::{Error, Level};
use thalweg::{Budget, ReaderOptions, Reads};

use super::parts::{names_of_pipes, number_of_parts};
use crate::input;
use crate::options::CatArguments;
use crate::output::Output;
use crate::process::exit::Failure;

pub(crate) fn run(arguments: &CatArguments) -> Result<(), Failure> {
    let count = number_of_parts(arguments);
    if let Some(threads) = arguments.common.threads
        && (threads.get() as u64) < count
    {
        return Err(Failure::usage(
            format!("{count} pipes need {count} threads, but --threads is {threads}"),
            "each pipe is written by its own thread: ask for fewer parts or more threads",
        ));
    }
    let budget = input::budget(&arguments.common);
    let share = Budget::new(1).with_memory((budget.memory() / count).max(1));
    let checks = CommonChecks::default();
    let open = |number| -> Result<Reads, Failure> {
        let options = options(arguments)?.shard(number, count).budget(share);
        Ok(Reads::open(options.check_together(&checks))?)
    };
    // Faults of the input show before any pipe is there.
    let mut parts = Vec::new();
    for number in 0..count {
        parts.push(open(number)?);
    }
    let names = names_of_pipes(arguments, parts[0].format())?;
    let pipes = names
        .iter()
        .map(|name| Pipe::create(name))
        .collect::<Result<Vec<_>, _>>()?;
    if !arguments.common.quiet
        && let (Some(first), Some(last)) = (names.first(), names.last())
    {
        tell!(
            "thalweg: waiting for readers of {} to {}",
            first.display(),
            last.display()
        );
    }
    write_all(parts, &pipes, arguments.compression.level())?;
    Ok(checks.finish()?)
}

/// How all files are read, without a choice of records.
fn options(arguments: &CatArguments) -> Result<ReaderOptions, Failure> {
    let files = &arguments.files;
    let index = arguments.bam.index(&arguments.index)?;
    let options = input::options(files, &arguments.pairing, &index, &arguments.common)?;
    let options = options
        .max_record(arguments.limit.max_record)
        .check_end(arguments.end.is_wanted());
    Ok(arguments.bam.choose(options))
}

/// A named pipe that is removed at the end if we made it.
struct Pipe {
    path: PathBuf,
    _made: Option<TemporaryName>,
}

impl Pipe {
    fn create(path: &Path) -> Result<Self, Failure> {
        let is_pipe = |metadata: fs::Metadata| metadata.file_type().is_fifo();
        if fs::metadata(path).is_ok_and(is_pipe) {
            return Ok(Self {
                path: path.to_owned(),
                _made: None,
            });
        }
        let made = TemporaryName::make(path, |path| {
            Ok(nix::unistd::mkfifo(path, Mode::from_bits_truncate(0o666))?)
        });
        Ok(Self {
            path: path.to_owned(),
            _made: Some(made.map_err(|error| Failure::io(path, error))?),
        })
    }

    /// Let a writer go that waits for somebody to read.
    fn release_writer(&self) {
        let _ = OpenOptions::new()
            .read(true)
            .custom_flags(OFlag::O_NONBLOCK.bits())
            .open(&self.path);
    }
}

/// After a failure, how long until those are let go who came to wait meanwhile.
const RELEASE_AGAIN: Duration = Duration::from_millis(10);

/// Write all parts at the same time: readers may want them in any order.
fn write_all(parts: Vec<Reads>, pipes: &[Pipe], level: Level) -> Result<(), Failure> {
    let failed = AtomicBool::new(false);
    let writers = parts.len().min(pipes.len());
    let opened = AtomicUsize::new(0);
    let cause = Mutex::new(None);
    let unread = Mutex::new(Vec::new());
    let write = |reads, pipe: &Pipe| {
        // Waits until somebody opens the pipe to read.
        let output = Output::create_at(&pipe.path, level);
        opened.fetch_add(1, Ordering::AcqRel);
        let outcome = output.and_then(|output| write_part(reads, output, &failed));
        if let Err(failure @ Failure::Write(Error::ClosedPipe { .. })) = outcome {
            // The other readers get theirs; that of this one is told.
            if !failed.load(Ordering::Acquire) {
                let mut unread = unread.lock().unwrap_or_else(PoisonError::into_inner);
                unread.push(failure);
            }
        } else if let Err(failure) = outcome {
            cause
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(failure);
            failed.store(true, Ordering::Release);
            // Whoever waits goes on, and so do those who come to wait only now. What is opened is
            // not kept: it would look like a reader, for whom writers wait when the pipe is full.
            while opened.load(Ordering::Acquire) < writers {
                pipes.iter().for_each(Pipe::release_writer);
                std::thread::sleep(RELEASE_AGAIN);
            }
        }
    };
    std::thread::scope(|scope| {
        let write = &write;
        let mut work = parts.into_iter().zip(pipes);
        let own = work.next();
        for (reads, pipe) in work {
            scope.spawn(move || write(reads, pipe));
        }
        if let Some((reads, pipe)) = own {
            write(reads, pipe);
        }
    });
    if let Some(failure) = cause.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    let unread = unread.into_inner().unwrap_or_else(PoisonError::into_inner);
    unread.iter().for_each(Failure::print);
    match unread.first() {
        Some(failure) => Err(Failure::Reported(failure.code())),
        None => Ok(()),
    }
}

/// Write one part, until another has failed.
fn write_part(reads: Reads, mut output: Output, failed: &AtomicBool) -> Result<(), Failure> {
    let interleaved = reads.mates() > 1;
    let mut interleaver = Interleaver::default();
    for batch in reads.workers(1) {
        let batch = batch?;
        if failed.load(Ordering::Acquire) {
            return Ok(());
        }
        match interleaved {
            true => {
                let next = Interleaved::of(&batch);
                if interleaver.lacks_line_end(&next) {
                    output.write(b"\n")?;
                }
                output.write(&next.text)?;
            }
            false => {
                let mut blocks = batch.blocks().iter();
                blocks.try_for_each(|block| output.write(block.as_bytes()))?;
            }
        }
    }
    output.finish()
}
