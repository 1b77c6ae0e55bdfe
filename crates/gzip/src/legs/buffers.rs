//! Memory of parts of legs.

use std::sync::{Mutex, PoisonError};

use thalweg_inflate::WINDOW;

use super::leg::Part;

/// Bytes of text, and symbols, of one part. A part ends with its leg, so some of the last one stays unused; and the window is copied to
/// the next one.
pub(super) const BYTES: usize = 1 << 20;
pub(super) const SYMBOLS: usize = 256 << 10;

/// Memory of parts that were taken, for others: fresh memory costs as much as decoding does.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    wide: Mutex<Vec<Vec<u16>>>,
    bytes: Mutex<Vec<Vec<u8>>>,
}

impl Buffers {
    /// Room for a window and [`SYMBOLS`] symbols, whatever they are.
    pub(super) fn wide(&self) -> Vec<u16> {
        let mut wide = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = wide.pop();
        drop(wide);
        kept.unwrap_or_else(|| vec![0; WINDOW + SYMBOLS])
    }

    /// Room for a window and [`BYTES`] bytes, whatever they are.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = bytes.pop();
        drop(bytes);
        kept.unwrap_or_else(|| vec![0; WINDOW + BYTES])
    }

    /// Take back the memory of a part, if it still has it.
    pub(super) fn give(&self, part: Part) {
        match part {
            Part::Wide { symbols, .. } if !symbols.is_empty() => {
                let mut wide = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
                wide.push(symbols);
            }
            Part::Coded { bytes, .. } | Part::Text { bytes, .. } if !bytes.is_empty() => {
                let mut kept = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push(bytes);
            }
            Part::Wide { .. } | Part::Coded { .. } | Part::Text { .. } => {}
        }
    }
}
