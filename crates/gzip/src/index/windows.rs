//! The windows of an index: stored forms in a file or in memory, decoded one at a time.

use super::source::Source;
use super::window::LARGEST_ENCODED;
use super::{EncodedWindow, IndexError, WINDOW_SIZE};

/// Where one stored window lies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) crc32: u32,
}

/// All windows of an index, one entry per checkpoint, or no entries if there is not one window.
#[derive(Debug)]
pub(super) struct Windows {
    source: Source,
    entries: Vec<Entry>,
}

impl Windows {
    pub(super) fn new(source: Source, entries: Vec<Entry>) -> Windows {
        Windows { source, entries }
    }

    pub(super) fn none() -> Windows {
        Windows::new(Source::from_bytes(Vec::new()), Vec::new())
    }

    /// Windows held in memory.
    pub(super) fn in_memory(windows: impl Iterator<Item = EncodedWindow>) -> Windows {
        let mut bytes = Vec::new();
        let mut entries = Vec::new();
        for window in windows {
            let offset = bytes.len() as u64;
            let stored = window.as_bytes();
            entries.push(Entry {
                offset,
                length: stored.len() as u32,
                crc32: crc32fast::hash(stored),
            });
            bytes.extend_from_slice(stored);
        }
        Windows::new(Source::from_bytes(bytes), entries)
    }

    pub(super) fn stored_size(&self) -> u64 {
        self.entries
            .iter()
            .map(|entry| u64::from(entry.length))
            .sum()
    }

    /// Returns whether the bytes before a checkpoint are stored.
    pub(super) fn has(&self, checkpoint: usize) -> bool {
        let entry = self.entries.get(checkpoint);
        entry.is_some_and(|entry| entry.length > 0)
    }

    /// The stored form of one window, its checksum verified; empty where there is none.
    pub(super) fn encoded(&self, checkpoint: usize) -> Result<EncodedWindow, IndexError> {
        let Some(entry) = self
            .entries
            .get(checkpoint)
            .filter(|entry| entry.length > 0)
        else {
            return Ok(EncodedWindow::default());
        };
        if entry.length as usize > LARGEST_ENCODED {
            return Err(IndexError::damaged(
                "windows",
                entry.offset,
                "a window has an impossible length",
            ));
        }
        let mut bytes = vec![0; entry.length as usize];
        self.source.read_exact_at(&mut bytes, entry.offset)?;
        if crc32fast::hash(&bytes) != entry.crc32 {
            let reason = format!("the window of checkpoint {checkpoint} fails its checksum");
            return Err(IndexError::damaged("windows", entry.offset, reason));
        }
        Ok(EncodedWindow::from_bytes(bytes))
    }

    pub(super) fn decode(
        &self,
        checkpoint: usize,
        window: &mut [u8; WINDOW_SIZE],
    ) -> Result<usize, IndexError> {
        let offset = self.entries.get(checkpoint).map_or(0, |entry| entry.offset);
        self.encoded(checkpoint)?.decode(offset, window)
    }
}
