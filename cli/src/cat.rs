//! `thalweg cat`

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use thalweg::index::Index;
use thalweg::{Batch, ReaderOptions, Reads};

use crate::arguments::CatArguments;
use crate::exit::Failure;
use crate::output::{Output, refuse_input};
use crate::progress::Progress;
use crate::quantity::Ranks;
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
    let mut skip = 0;
    if let Some(ranks) = &arguments.records {
        let end = ranks.end.or_else(|| last_rank(arguments));
        match end {
            Some(end) if end < ranks.start => return Err(out_of_range(arguments, ranks, end)),
            Some(end) => options = options.records(ranks.start..end),
            None => skip = ranks.start,
        }
    } else if let Some(shard) = arguments.shard {
        options = options.shard(shard.number - 1, shard.of);
    }
    let reads = input::open(options, &arguments.common)?;
    let mut output = match &arguments.output {
        Some(path) => Output::create(path)?,
        None => Output::stdout()?,
    };
    if skip == 0 {
        copy(reads, arguments, &mut output)?;
    } else {
        copy_behind(reads, arguments, skip, &mut output)?;
    }
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

/// The same without the first `skip` records of each file, which are read all
/// the same: for an open end where nobody knows how many records there are.
fn copy_behind(
    reads: Reads,
    arguments: &CatArguments,
    skip: u64,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut left = skip;
    let mut interleaver = Interleaver::default();
    in_order(reads, arguments, Ok, |batch: Batch| {
        let skipped = left.min(batch.len() as u64);
        left -= skipped;
        if batch.blocks().len() > 1 {
            return interleaver.write(&interleave_from(&batch, skipped as usize), output);
        }
        let (_, wanted) = batch.records().split_at(skipped as usize);
        output.write(wanted.as_bytes())
    })?;
    match (left, &arguments.records) {
        (1.., Some(ranks)) => Err(out_of_range(arguments, ranks, skip - left)),
        _ => Ok(()),
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
    interleave_from(batch, 0)
}

fn interleave_from(batch: &Batch, first: usize) -> Vec<u8> {
    let size = batch.blocks().iter().map(|block| block.as_bytes().len() + 1).sum();
    let mut bytes = Vec::with_capacity(size);
    let mut files: Vec<_> = (0..batch.blocks().len())
        .map(|mate| batch.mates(mate).split_at(first).1)
        .collect();
    for _ in first..batch.len() {
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

/// How many records there are, if an index says so.
fn last_rank(arguments: &CatArguments) -> Option<u64> {
    use crate::arguments::IndexMode;
    let file: &PathBuf = &arguments.files[0];
    let is_regular = std::fs::metadata(file).is_ok_and(|metadata| metadata.is_file());
    if !is_regular || arguments.index.index == IndexMode::Never {
        return None;
    }
    let path = input::index_path(file, &arguments.index);
    let index = Index::open(&path).ok().filter(|index| index.has_records)?;
    Some(index.record_count)
}

fn out_of_range(arguments: &CatArguments, ranks: &Ranks, records: u64) -> Failure {
    let kind = thalweg::ErrorKind::OutOfRange { records };
    thalweg::Error::new(kind)
        .in_file(&arguments.files[0])
        .at_record(Some(ranks.start))
        .into()
}
