//! `thalweg cat`

use std::sync::{Mutex, PoisonError};

use thalweg::{Batch, ReaderOptions, Reads};

use crate::arguments::CatArguments;
use crate::exit::Failure;
use crate::output::{Output, refuse_input};
use crate::progress::Progress;
use crate::{input, parts, pipes};

pub(crate) fn run(arguments: &CatArguments) -> Result<(), Failure> {
    check(arguments)?;
    if arguments.pipes {
        return pipes::run(arguments);
    }
    if arguments.parts.is_some() {
        return parts::run(arguments);
    }
    let mut options = options(arguments)?;
    if let Some(ranks) = &arguments.records {
        options = options.records(ranks.start..ranks.end.unwrap_or(u64::MAX));
    } else if let Some(shard) = arguments.shard {
        options = options.shard(shard.number - 1, shard.of);
    } else if !arguments.pairing.mates && !arguments.pairing.interleaved {
        // Nobody needs to know where records are.
        options = options.as_text(true);
    }
    let reads = input::open(options, &arguments.common)?;
    let mut output = match &arguments.output {
        Some(path) => Output::create(path)?,
        None => Output::stdout()?,
    };
    copy(reads, arguments, &mut output)?;
    output.finish()
}

/// Options for all files, without a choice of records.
pub(crate) fn options(arguments: &CatArguments) -> Result<ReaderOptions, Failure> {
    input::options(
        &arguments.files,
        &arguments.pairing,
        &arguments.index,
        &arguments.common,
    )
}

/// Write everything that `reads` gives, in the order of the input.
pub(crate) fn copy(
    reads: Reads,
    arguments: &CatArguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut interleaver = Interleaver::default();
    match reads.mates() {
        1 => in_order(reads, arguments, Ok, |batch| write_blocks(&batch, output)),
        // The records are brought into their order by all threads.
        _ => in_order(
            reads,
            arguments,
            |batch| Ok(interleave(&batch)),
            |bytes| interleaver.write(&bytes, output),
        ),
    }
}

/// `map_in_order` with progress, and with the cause of a failure instead of the
/// message that reading was stopped because of it.
fn in_order<T: Send>(
    reads: Reads,
    arguments: &CatArguments,
    work: impl Fn(Batch) -> Result<T, Failure> + Sync,
    mut sink: impl FnMut(T) -> Result<(), Failure> + Send,
) -> Result<(), Failure> {
    let cause = Mutex::new(None);
    let workers = reads.all_workers();
    let progress = Progress::start(&arguments.common, &arguments.files[0], workers.progress());
    let outcome = workers.map_in_order(work, |value| {
        sink(value).map_err(|failure| {
            let mut cause = cause.lock().unwrap_or_else(PoisonError::into_inner);
            cause.get_or_insert(failure);
            thalweg::Error::new(thalweg::ErrorKind::Stopped).into()
        })
    });
    drop(progress);
    outcome.map_err(|failure| {
        let cause = cause.into_inner().unwrap_or_else(PoisonError::into_inner);
        match cause {
            Some(cause) if failure.is_consequence() => cause,
            _ => failure,
        }
    })
}

/// The records of each file as they stand there, whole blocks at a time.
pub(crate) fn write_blocks(batch: &Batch, output: &mut Output) -> Result<(), Failure> {
    batch
        .blocks()
        .iter()
        .try_for_each(|block| output.write(block.as_bytes()))
}

/// Record 0 of each file, record 1 of each, …
pub(crate) fn interleave(batch: &Batch) -> Vec<u8> {
    let size = batch
        .blocks()
        .iter()
        .map(|block| block.as_bytes().len() + 1)
        .sum();
    let mut bytes = Vec::with_capacity(size);
    let mut files: Vec<_> = (0..batch.blocks().len())
        .map(|mate| batch.mates(mate))
        .collect();
    for _ in 0..batch.len() {
        for record in files.iter_mut().filter_map(Iterator::next) {
            // Only the last record of a file may lack its line end.
            if bytes.last().is_some_and(|&last| last != b'\n') {
                bytes.push(b'\n');
            }
            bytes.extend_from_slice(record.as_bytes());
        }
    }
    bytes
}

/// Joins interleaved batches: where files lack their last line end, it belongs
/// between them.
#[derive(Default)]
pub(crate) struct Interleaver {
    open_line: bool,
}

impl Interleaver {
    pub(crate) fn write(&mut self, bytes: &[u8], output: &mut Output) -> Result<(), Failure> {
        let Some(last) = bytes.last() else {
            return Ok(());
        };
        if self.open_line {
            output.write(b"\n")?;
        }
        self.open_line = *last != b'\n';
        output.write(bytes)
    }
}

fn check(arguments: &CatArguments) -> Result<(), Failure> {
    let one_set = arguments.pairing.mates || arguments.files.len() == 1;
    let selects =
        arguments.records.is_some() || arguments.shard.is_some() || arguments.parts.is_some();
    if selects && !one_set {
        return Err(Failure::usage(
            "--records, --shard and --parts go with one file or one set of mates",
            "run it for each file, or say --mates if the files belong together",
        ));
    }
    match &arguments.output {
        Some(path) if arguments.parts.is_none() => refuse_input(path, &arguments.files),
        _ => Ok(()),
    }
}
