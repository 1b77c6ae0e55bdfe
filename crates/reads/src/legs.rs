//! Large gzip files without an index, decoded in several places at once.
//!
//! What is read in order has one decoder, and who decodes is one worker at a time. Those that find nothing to take
//! meanwhile decode what it comes to later ([`Legs`]), and so does it itself. What comes out is the same for any number of workers.

use std::sync::Arc;

use thalweg_flow::Budget;
use thalweg_gzip::Legs;

use crate::bytes::Bytes;
use crate::feed::Feed;

/// Bytes of a strip. With half of it a twelfth more of the text is decoded to symbols of two bytes.
const STRIP: u64 = 4 << 20;
/// The smallest strips that are worth it, and how many of a file.
const LEAST_STRIP: u64 = 512 << 10;
const LEAST_STRIPS: u64 = 4;
/// Strips for each thread that a small file is cut into.
const STRIPS: u64 = 4;
/// A leg takes about so many times the memory of a strip: the text of reads is three to seven times as long.
const EXPANSION: u64 = 8;

/// Have the gzip files among those of `feeds` that are worth it decoded in legs, and return these: none for one thread.
///
/// Half of the memory may be for legs. Of mates each file has its share of threads and memory.
pub(crate) fn decode_in_legs(feeds: &mut [Feed], budget: Budget) -> Vec<Arc<Legs>> {
    if budget.threads() < 2 {
        return Vec::new();
    }
    let files = feeds.len().max(1);
    // Two for each thread are under way at most, and some lie ready.
    let most = (2 * budget.threads()).div_ceil(files) + 2;
    let memory = budget.memory() / 2 / (files * most) as u64 / EXPANSION;
    let legs = feeds.iter_mut().filter_map(|feed| {
        let size = feed.file().size()?;
        let file = Arc::clone(feed.file().regular()?);
        let strip = (size / STRIPS / budget.threads() as u64)
            .clamp(LEAST_STRIP, STRIP)
            .min(memory);
        let is_worth_it = strip >= LEAST_STRIP && size / strip >= LEAST_STRIPS;
        if !is_worth_it || !feed.is_decoded_whole() {
            return None;
        }
        let Bytes::Gzip(decoder) = feed.bytes() else {
            return None;
        };
        // Blocks of BGZF are the last ones of their members, which are not looked for.
        if decoder.is_bgzf() {
            return None;
        }
        let legs = Arc::new(Legs::new(file, size, strip as usize, most));
        decoder.with_legs(&legs);
        Some(legs)
    });
    legs.collect()
}
