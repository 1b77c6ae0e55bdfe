//! An index that grows in memory and can be thinned.

use super::windows::Windows;
use super::{Checkpoint, EncodedWindow, Index, IndexError, Origin, References, Summary, validate};

/// Builds an [`Index`] in memory.
///
/// Windows are kept in their stored form, about 5 KB each. For a fixed span over a very large file, where that adds
/// up, use [`IndexWriter`](super::IndexWriter); this one is for indexes that are used at once, and for choosing the
/// number of checkpoints while the file's size is still unknown: start with a small span, and when there are more
/// than twice as many as wanted, [`thin`](IndexBuilder::thin) and double the span.
#[derive(Debug, Default)]
pub struct IndexBuilder {
    checkpoints: Vec<Checkpoint>,
    windows: Vec<EncodedWindow>,
}

impl IndexBuilder {
    /// An index without checkpoints.
    pub fn new() -> IndexBuilder {
        IndexBuilder::default()
    }

    /// Adds the next checkpoint, in file order.
    ///
    /// `window` holds the bytes before it, oldest first (the last 32 KiB are used; empty at a member's start);
    /// `references` says which of them later data refers to, all if `None`.
    pub fn push(&mut self, checkpoint: Checkpoint, window: &[u8], references: Option<&References>) {
        self.push_encoded(checkpoint, EncodedWindow::encode(window, references));
    }

    /// As [`IndexBuilder::push`], with a window that was encoded elsewhere, perhaps on another thread.
    pub fn push_encoded(&mut self, checkpoint: Checkpoint, window: EncodedWindow) {
        self.checkpoints.push(checkpoint);
        self.windows.push(window);
    }

    /// Number of checkpoints so far.
    pub fn len(&self) -> usize {
        self.checkpoints.len()
    }

    /// Whether there are no checkpoints yet.
    pub fn is_empty(&self) -> bool {
        self.checkpoints.is_empty()
    }

    /// Drops every second checkpoint (the second, fourth, ...) with its window, and merges the CRCs of the chunks.
    ///
    /// `output_end` is the uncompressed offset at which the last chunk so far ends. A merged chunk has a CRC if both
    /// parts have one. O(checkpoints).
    ///
    /// # Panics
    /// If `output_end` lies before the last checkpoint.
    pub fn thin(&mut self, output_end: u64) {
        let mut kept = Vec::with_capacity(self.checkpoints.len().div_ceil(2));
        for (pair, checkpoints) in self.checkpoints.chunks(2).enumerate() {
            let mut checkpoint = checkpoints[0];
            if let Some(dropped) = checkpoints.get(1) {
                let end = self
                    .checkpoints
                    .get(2 * pair + 2)
                    .map_or(output_end, |next| next.output_offset);
                assert!(
                    end >= dropped.output_offset,
                    "the output ends before its last checkpoint"
                );
                let length = end - dropped.output_offset;
                checkpoint.crc32 = checkpoint
                    .crc32
                    .zip(dropped.crc32)
                    .map(|(a, b)| combine(a, b, length));
            }
            kept.push(checkpoint);
        }
        self.checkpoints = kept;
        let mut number = 0;
        self.windows.retain(|_| {
            number += 1;
            number % 2 == 1
        });
    }

    /// Completes the index.
    ///
    /// # Errors
    /// [`IndexError::Damaged`] if what was pushed breaks the rules that [`Index`] states.
    pub fn finish(self, summary: Summary) -> Result<Index, IndexError> {
        validate::check(&summary, &self.checkpoints)
            .map_err(|fault| fault.in_section("checkpoints"))?;
        let windows = Windows::in_memory(self.windows.into_iter());
        Ok(Index::assemble(
            summary,
            self.checkpoints,
            windows,
            Origin::Built,
        ))
    }
}

/// The CRC-32 of two pieces of data, one after the other, from theirs and the length of the second.
fn combine(first: u32, second: u32, second_length: u64) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(first);
    hasher.combine(&crc32fast::Hasher::new_with_initial_len(
        second,
        second_length,
    ));
    hasher.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_merges_checksums_and_drops_windows() {
        let text: Vec<u8> = (0..5000_u32).map(|at| ((at * at) >> 3) as u8).collect();
        let cuts = [0, 100, 100, 1700, 2000, 4999];
        for count in 1..=cuts.len() {
            let mut builder = IndexBuilder::new();
            for number in 0..count {
                let end = cuts[..count].get(number + 1).copied().unwrap_or(text.len());
                let checkpoint = Checkpoint {
                    bit_offset: number as u64,
                    output_offset: cuts[number] as u64,
                    record_rank: 0,
                    record_offset: 0,
                    crc32: Some(crc32fast::hash(&text[cuts[number]..end])),
                };
                builder.push(checkpoint, &text[..cuts[number]], None);
            }
            builder.thin(text.len() as u64);
            assert_eq!(
                (builder.len(), builder.windows.len()),
                (count.div_ceil(2), count.div_ceil(2))
            );
            for (number, checkpoint) in builder.checkpoints.iter().enumerate() {
                let start = checkpoint.output_offset as usize;
                assert_eq!(checkpoint.bit_offset, 2 * number as u64);
                let end = builder
                    .checkpoints
                    .get(number + 1)
                    .map_or(text.len(), |next| next.output_offset as usize);
                assert_eq!(checkpoint.crc32, Some(crc32fast::hash(&text[start..end])));
                let mut window = [0; super::super::WINDOW_SIZE];
                assert_eq!(
                    builder.windows[number].decode(0, &mut window).unwrap(),
                    start
                );
            }
        }
    }
}
