//! Chunks of an indexed file.

use std::sync::Arc;

use thalweg_gzip::index::Index;
use thalweg_gzip::{Decoder, Goal, Start, WINDOW};

use crate::batch::{BufferPool, take_buffers};
use crate::file::InputFile;
use crate::{Error, ErrorKind};

/// A decoder at the start of chunk `chunk` of an indexed file.
pub(crate) fn open_chunk(
    file: &Arc<InputFile>,
    index: &Arc<Index>,
    chunk: usize,
    pool: &Arc<BufferPool>,
) -> Result<Decoder, Error> {
    let checkpoint = index.checkpoints[chunk];
    let mut window = Box::new([0; WINDOW]);
    let length = index
        .window(chunk, &mut window)
        .map_err(|error| Error::new(ErrorKind::Index(error)).in_file(file.path()))?;
    let offset = checkpoint.bit_offset / 8;
    let start = Start::Block {
        skip: (checkpoint.bit_offset % 8) as u8,
        window: &window[WINDOW - length.min(WINDOW)..],
    };
    let goal = goal(index, chunk, checkpoint.output_offset);
    let slab = take_buffers(pool).slab;
    Ok(Decoder::new(
        file.bytes_from(offset)?,
        offset,
        start,
        goal,
        slab,
    ))
}

/// The end of chunk `chunk`, for a decoder that started at uncompressed offset `from`.
pub(crate) fn goal(index: &Index, chunk: usize, from: u64) -> Goal {
    let crc32 = index.checkpoints[chunk].crc32;
    match index.checkpoints.get(chunk + 1) {
        Some(next) => Goal::Checkpoint {
            bit: next.bit_offset,
            length: next.output_offset - from,
            crc32,
        },
        None => Goal::EndOfIndexedFile {
            length: index.output_size - from,
            crc32,
        },
    }
}
