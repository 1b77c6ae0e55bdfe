//! Whether an index is that of a sound file: its windows against the text.

use std::sync::Arc;

use thalweg_gzip::Event;
use thalweg_gzip::index::{Index, WINDOW_SIZE};

use crate::batch::BufferPool;
use crate::bytes::sequential;
use crate::file::InputFile;
use crate::{Error, ErrorKind};

/// Decodes all of a file without its index, and returns the first checkpoint whose window is not the text before it.
///
/// Bytes of a window that nothing refers to may be stored as zeros, and are not compared.
///
/// # Errors
/// What is wrong with the file itself, or with the coding of a window.
pub(crate) fn first_wrong_window(
    file: &Arc<InputFile>,
    index: &Index,
    pool: &Arc<BufferPool>,
) -> Result<Option<usize>, Error> {
    let mut bytes = sequential(file, pool)?;
    // The text before the next byte that comes: as much as a window has, or more.
    let mut text: Vec<u8> = Vec::new();
    let mut start = 0;
    let mut wrong = None;
    let mut checkpoint = 0;
    let mut window = Box::new([0; WINDOW_SIZE]);
    loop {
        match bytes.event() {
            None => {
                bytes.advance_alone(file)?;
                continue;
            }
            Some(Event::Block | Event::ChunkEnd) => {
                bytes.go_on();
                continue;
            }
            Some(Event::Full | Event::End) => {}
        }
        let is_over = bytes.event() == Some(Event::End);
        text.extend_from_slice(bytes.data());
        let length = bytes.data().len();
        while let Some(next) = index.checkpoints.get(checkpoint)
            && next.output_offset <= start + text.len() as u64
        {
            let stored = index.window(checkpoint, &mut window);
            let stored =
                stored.map_err(|error| Error::new(ErrorKind::Index(error)).in_file(file.path()))?;
            let end = (next.output_offset - start) as usize;
            let before = &text[end.saturating_sub(stored)..end];
            let stored = &window[WINDOW_SIZE - stored..];
            let mut pairs = stored.iter().zip(before);
            let fits = stored.len() == before.len()
                && pairs.all(|(&stored, &byte)| stored == byte || stored == 0);
            if !fits && wrong.is_none() {
                wrong = Some(checkpoint);
            }
            checkpoint += 1;
        }
        if is_over {
            return Ok(wrong);
        }
        let passed = text.len().saturating_sub(WINDOW_SIZE);
        text.drain(..passed);
        start += passed as u64;
        bytes.skip(length);
        bytes.make_room();
    }
}
