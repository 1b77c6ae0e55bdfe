//! Records, or whole texts, to outputs in the order of the input.

use std::path::{Path, PathBuf};

use thalweg::{Batch, ReaderOptions, Reads};

use crate::input;
use crate::options::CatArguments;
use crate::output::{Compressors, Output};
use crate::process::exit::Failure;
use crate::process::progress::Progress;
use crate::process::threads::map_in_order;

/// Options for all files, without a choice of records.
pub(crate) fn options(arguments: &CatArguments) -> Result<ReaderOptions, Failure> {
    let files = &arguments.files;
    let index = arguments.bam.index(&arguments.index)?;
    let options = input::options(files, &arguments.pairing, &index, &arguments.common)?;
    Ok(arguments.bam.choose(options))
}

/// Write everything that `reads` gives, in the order of the input, behind files that `joiner` has seen.
pub(crate) fn copy_behind(
    joiner: &mut Joiner,
    reads: Reads,
    arguments: &CatArguments,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut interleaver = Interleaver::default();
    // The records are brought into their order, and compressed, by all threads.
    match (reads.mates(), output.compressors()) {
        (1, None) => in_order(reads, arguments, Ok, |batch| joiner.write(&batch, output)),
        (1, Some(compressors)) => in_order(
            reads,
            arguments,
            |batch| compressed(&batch, &compressors),
            |(seam, bytes)| {
                if joiner.lacks_line_end(&seam) {
                    output.write(b"\n")?;
                }
                output.write_compressed(&bytes)
            },
        ),
        (_, None) => in_order(
            reads,
            arguments,
            |batch| Ok(interleave(&batch)),
            |bytes| interleaver.write(&bytes, output),
        ),
        (_, Some(compressors)) => in_order(
            reads,
            arguments,
            |batch| {
                let (text, mut bytes) = (interleave(&batch), Vec::new());
                compressors.compress(&text, &mut bytes)?;
                Ok((text.last().copied(), bytes))
            },
            |(last, bytes)| {
                if interleaver.lacks_line_end(last) {
                    output.write(b"\n")?;
                }
                output.write_compressed(&bytes)
            },
        ),
    }
}

/// The text of a batch of one file, compressed, and what its neighbours have to know of it.
fn compressed(
    batch: &Batch,
    compressors: &Compressors,
) -> Result<(Seam<PathBuf>, Vec<u8>), Failure> {
    let mut bytes = Vec::new();
    for block in batch.blocks() {
        compressors.compress(block.as_bytes(), &mut bytes)?;
    }
    Ok((Seam::of(batch).into_owned(), bytes))
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
pub(crate) struct Joiner {
    /// The file of the last block, if its last line is open.
    open_line: Option<PathBuf>,
}

/// How a text begins and ends; `None` for one that is empty.
struct Seam<P> {
    /// Its file, and whether it is the first of that.
    begins: Option<(P, bool)>,
    /// Its file, and whether its last line lacks its end.
    ends: Option<(P, bool)>,
}

impl<'a> Seam<&'a Path> {
    fn of(batch: &'a Batch) -> Self {
        let first = batch.blocks().first();
        let first = first.filter(|block| !block.as_bytes().is_empty());
        let last = batch.blocks().last();
        let last = last.and_then(|block| Some((block.path(), block.as_bytes().last()?)));
        Self {
            begins: first.map(|block| (block.path(), block.text_offset() == Some(0))),
            ends: last.map(|(path, last)| (path, *last != b'\n')),
        }
    }

    fn into_owned(self) -> Seam<PathBuf> {
        let owned = |(path, is): (&Path, bool)| (path.to_owned(), is);
        Seam {
            begins: self.begins.map(owned),
            ends: self.ends.map(owned),
        }
    }
}

impl Joiner {
    fn write(&mut self, batch: &Batch, output: &mut Output) -> Result<(), Failure> {
        if self.lacks_line_end(&Seam::of(batch)) {
            output.write(b"\n")?;
        }
        write_blocks(batch, output)
    }

    /// The file whose last line is open.
    pub(crate) fn open_line(&self) -> Option<&Path> {
        self.open_line.as_deref()
    }

    /// Whether a line end belongs before the text that is next.
    fn lacks_line_end(&mut self, next: &Seam<impl AsRef<Path>>) -> bool {
        let lacks = match (&next.begins, &self.open_line) {
            (Some((path, is_first)), Some(open)) => path.as_ref() != open || *is_first,
            _ => false,
        };
        if let Some((path, is_open)) = &next.ends {
            self.open_line = is_open.then(|| path.as_ref().to_owned());
        }
        lacks
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
        if self.lacks_line_end(bytes.last().copied()) {
            output.write(b"\n")?;
        }
        output.write(bytes)
    }

    /// Whether a line end belongs before the text that is next, which ends with `last`.
    fn lacks_line_end(&mut self, last: Option<u8>) -> bool {
        match last {
            Some(last) => std::mem::replace(&mut self.open_line, last != b'\n'),
            None => false,
        }
    }
}
