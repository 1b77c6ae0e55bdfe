//! Records, or whole texts, to outputs in the order of the input.

use std::path::PathBuf;

use thalweg::{Batch, ReaderOptions, Reads};

use crate::arguments::CatArguments;
use crate::exit::Failure;
use crate::input;
use crate::output::Output;
use crate::progress::Progress;
use crate::threads::map_in_order;

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
    let mut joiner = Joiner::default();
    match reads.mates() {
        1 => in_order(reads, arguments, Ok, |batch| joiner.write(&batch, output)),
        // The records are brought into their order by all threads.
        _ => in_order(
            reads,
            arguments,
            |batch| Ok(interleave(&batch)),
            |bytes| interleaver.write(&bytes, output),
        ),
    }
}

/// `map_in_order` with progress.
fn in_order<T: Send>(
    reads: Reads,
    arguments: &CatArguments,
    work: impl Fn(Batch) -> Result<T, Failure> + Sync,
    sink: impl FnMut(T) -> Result<(), Failure> + Send,
) -> Result<(), Failure> {
    let workers = reads.all_workers();
    let _progress = Progress::start(&arguments.common, &arguments.files[0], workers.progress());
    map_in_order(workers, work, sink, Failure::is_consequence)
}

/// Puts files one after the other: where one lacks its last line end, the next
/// must not continue its last record.
#[derive(Default)]
struct Joiner {
    /// The file of the last block, if its last line is open.
    open_line: Option<PathBuf>,
}

impl Joiner {
    fn write(&mut self, batch: &Batch, output: &mut Output) -> Result<(), Failure> {
        if let (Some(block), Some(path)) = (batch.blocks().first(), &self.open_line)
            && !block.as_bytes().is_empty()
            && (block.path() != path || block.text_offset() == Some(0))
        {
            output.write(b"\n")?;
        }
        if let Some((block, last)) = batch
            .blocks()
            .last()
            .and_then(|block| Some((block, block.as_bytes().last()?)))
        {
            self.open_line = (*last != b'\n').then(|| block.path().to_owned());
        }
        write_blocks(batch, output)
    }
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
