//! Large gzip files without an index, and such as come through pipes, decoded in several places at once.
//!
//! What is read in order has one decoder, and who decodes is one worker at a time. Those that find nothing to take
//! meanwhile decode what it comes to later ([`Legs`]), and so does it itself. What comes out is the same for any number of workers.

use std::sync::Arc;

use thalweg_flow::Budget;
use thalweg_gzip::{Decoder, Legs};

use crate::bytes::Bytes;
use crate::feed::Feed;
use crate::file::InputFile;

/// Bytes of a strip. With half of it a twelfth more of the text is decoded to symbols of two bytes.
const STRIP: u64 = 4 << 20;
/// The smallest strips that are worth it, and how many of a file.
const LEAST_STRIP: u64 = 512 << 10;
const LEAST_STRIPS: u64 = 4;
/// Strips for each thread that a small file is cut into.
const STRIPS: u64 = 4;
/// Two threads gain nothing of smaller files than this: the first legs are in fresh memory, and in the end one thread has none.
const LEAST_OF_TWO: u64 = 32 << 20;
/// A leg takes about so many times the memory of a strip: the text of reads is three to seven times as long.
const EXPANSION: u64 = 8;
/// The same with strips of a stream that were read ahead: as many as legs, and some more.
const EXPANSION_OF_STREAM: u64 = 10;

/// Have the gzip files among those of `feeds` that are worth it, and all streams, decoded in legs, and return these: none for one thread.
///
/// Half of the memory may be for legs. Of so many `files` that are decoded at once, such as mates, each has its share of threads and memory.
pub(crate) fn decode_in_legs(feeds: &mut [Feed], files: usize, budget: Budget) -> Vec<Arc<Legs>> {
    let files = files.max(1);
    let legs = feeds.iter_mut().filter_map(|feed| {
        let file = Arc::clone(feed.file());
        if !feed.can_be_in_legs() {
            return None;
        }
        let Bytes::Gzip(decoder) = feed.bytes() else {
            return None;
        };
        match file.regular() {
            Some(_) => legs_of(&file, decoder, files, budget),
            None => legs_of_stream(&file, decoder, files, budget),
        }
    });
    legs.collect()
}

/// Have `decoder` of `file`, one of so many `files` that are decoded at once, take legs of what is left of it, if that is worth it for so many
/// threads, and return these.
pub(crate) fn legs_of(
    file: &InputFile,
    decoder: &mut Decoder,
    files: usize,
    budget: Budget,
) -> Option<Arc<Legs>> {
    // Blocks of BGZF are the last ones of their members, which are not looked for.
    if budget.threads() < 2 || decoder.is_bgzf() {
        return None;
    }
    let size = file.size()?;
    let left = size.saturating_sub(decoder.position() / 8);
    if budget.threads() == 2 && left < LEAST_OF_TWO {
        return None;
    }
    let open = Arc::clone(file.regular()?);
    let most = most_of(files, budget);
    let strip = (left / STRIPS / budget.threads() as u64)
        .clamp(LEAST_STRIP, STRIP)
        .min(memory_of(files, budget) / EXPANSION);
    if strip < LEAST_STRIP || left / strip < LEAST_STRIPS {
        return None;
    }
    let legs = Arc::new(Legs::new(open, size, strip as usize, most));
    decoder.with_legs(&legs);
    Some(legs)
}

/// The same of a stream, of which nobody knows how long it is: legs begin only where as much of it has come as a small file has, and the writer
/// is quicker than one thread that decodes.
fn legs_of_stream(
    file: &InputFile,
    decoder: &mut Decoder,
    files: usize,
    budget: Budget,
) -> Option<Arc<Legs>> {
    if budget.threads() < 2 || decoder.is_bgzf() {
        return None;
    }
    let strip = STRIP.min(memory_of(files, budget) / EXPANSION_OF_STREAM);
    if strip < LEAST_STRIP {
        return None;
    }
    decoder.with_legs_of_stream(file.is_ready()?, strip as usize, most_of(files, budget))
}

/// Legs of one of so many files: two for each thread are under way, and some lie ready.
fn most_of(files: usize, budget: Budget) -> usize {
    (2 * budget.threads()).div_ceil(files) + 2
}

/// Bytes of memory for each of them.
fn memory_of(files: usize, budget: Budget) -> u64 {
    budget.memory() / 2 / (files * most_of(files, budget)) as u64
}
