//! Legs as data, and the text that they are when the window before them is known.

use std::sync::{Arc, Mutex, PoisonError};

use thalweg_inflate::{WINDOW, translate};

use super::codes::{Codes, UNKNOWN};

/// What lies between two block starts, decoded without the window before it.
#[derive(Debug)]
pub(crate) struct Leg {
    /// Bit from the start of the file at which its first block begins, and at which the next one does behind its last.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Its last block is the last one of its stream, whose trailer is at `end`.
    pub(super) is_stream_end: bool,
    pub(super) parts: Vec<Part>,
    pub(super) buffers: Arc<Buffers>,
}

/// Some of the text of a leg, behind `WINDOW` symbols that are what was before it.
#[derive(Debug)]
pub(super) enum Part {
    /// Symbols: bytes, or those from [`UNKNOWN`] on.
    Wide { symbols: Vec<u16>, end: usize },
    /// Bytes, of which some are codes.
    Coded {
        bytes: Vec<u8>,
        end: usize,
        codes: Box<Codes>,
    },
}

impl Part {
    /// Where the text ends, counted from the start of the symbols.
    pub(super) fn end(&mut self) -> &mut usize {
        match self {
            Part::Wide { end, .. } | Part::Coded { end, .. } => end,
        }
    }

    pub(super) fn is_wide(&self) -> bool {
        matches!(self, Part::Wide { .. })
    }

    /// The last `WINDOW` symbols.
    pub(super) fn window(&self) -> Vec<u16> {
        match self {
            Part::Wide { symbols, end } => symbols[end - WINDOW..*end].to_vec(),
            Part::Coded { bytes, end, codes } => {
                let window = bytes[end - WINDOW..*end].iter();
                window.map(|&byte| codes.symbol(byte)).collect()
            }
        }
    }

    /// Bytes of text.
    pub(super) fn length(&self) -> usize {
        match self {
            Part::Wide { end, .. } | Part::Coded { end, .. } => end - WINDOW,
        }
    }
}

impl Leg {
    /// Whether it refers to a byte that is not one of the `history` last ones before it.
    pub(crate) fn reaches_behind(&self, history: usize) -> bool {
        if history >= WINDOW {
            return false;
        }
        // Codes only stand for what was copied from the symbols before.
        let mut wide = self.parts.iter().filter_map(|part| match part {
            Part::Wide { symbols, end } => Some(&symbols[WINDOW..*end]),
            Part::Coded { .. } => None,
        });
        let first = UNKNOWN + (WINDOW - history) as u16;
        wide.any(|symbols| {
            symbols
                .iter()
                .any(|symbol| (UNKNOWN..first).contains(symbol))
        })
    }
}

impl Drop for Leg {
    fn drop(&mut self) {
        self.parts
            .drain(..)
            .for_each(|part| self.buffers.give(part));
    }
}

/// A leg behind the window that it needs, as text.
#[derive(Debug)]
pub(crate) struct LegText {
    leg: Leg,
    window: Box<[u8; WINDOW]>,
    /// What each symbol is, while a part of symbols is read.
    symbols: Option<Box<[u8; 1 << 16]>>,
    /// The part that is read, its table, and the place of the next symbol in it.
    part: usize,
    table: Option<[u8; 256]>,
    at: usize,
}

impl LegText {
    /// The text of `leg` behind `window`.
    pub(crate) fn new(leg: Leg, window: &[u8; WINDOW]) -> Self {
        let mut text = Self {
            leg,
            window: Box::new(*window),
            symbols: None,
            part: 0,
            table: None,
            at: WINDOW,
        };
        text.open();
        text
    }

    /// The bit, from the start of the file, behind its last block.
    pub(crate) fn end(&self) -> u64 {
        self.leg.end
    }

    /// Whether its stream ends there.
    pub(crate) fn is_stream_end(&self) -> bool {
        self.leg.is_stream_end
    }

    /// Write the next bytes `to`, and say how many: none only if there are no more, or no room.
    pub(crate) fn read(&mut self, to: &mut [u8]) -> usize {
        let mut written = 0;
        while let (Some(part), true) = (self.leg.parts.get(self.part), written < to.len()) {
            let to = &mut to[written..];
            let count = (part.length() + WINDOW - self.at).min(to.len());
            let to = &mut to[..count];
            let from = self.at..self.at + count;
            match part {
                Part::Wide { symbols, .. } => {
                    let bytes = self
                        .symbols
                        .get_or_insert_with(|| bytes_of_symbols(&self.window));
                    for (to, &symbol) in to.iter_mut().zip(&symbols[from]) {
                        *to = bytes[usize::from(symbol)];
                    }
                }
                Part::Coded { bytes, .. } => match &self.table {
                    Some(table) => translate(&bytes[from], table, to),
                    None => to.copy_from_slice(&bytes[from]),
                },
            }
            written += count;
            self.at += count;
            if self.at == part.length() + WINDOW {
                self.part += 1;
                self.at = WINDOW;
                self.open();
            }
        }
        written
    }

    fn open(&mut self) {
        self.table = match self.leg.parts.get(self.part) {
            Some(Part::Coded { codes, .. }) if !codes.codes().is_empty() => {
                Some(codes.table(&self.window))
            }
            _ => None,
        };
    }
}

/// The byte that each symbol is, given the window.
fn bytes_of_symbols(window: &[u8; WINDOW]) -> Box<[u8; 1 << 16]> {
    let mut bytes = vec![0; 1 << 16];
    (0..=255).zip(&mut bytes).for_each(|(byte, to)| *to = byte);
    bytes[usize::from(UNKNOWN)..][..WINDOW].copy_from_slice(window);
    let bytes: Box<[u8]> = bytes.into();
    bytes.try_into().expect("as long as was asked for")
}

/// Memory of parts, for other parts: fresh memory costs as much as decoding does.
#[derive(Debug, Default)]
pub(super) struct Buffers {
    wide: Mutex<Vec<Vec<u16>>>,
    bytes: Mutex<Vec<Vec<u8>>>,
}

impl Buffers {
    /// Symbols, whatever they are: those of a part before, or none.
    pub(super) fn wide(&self) -> Vec<u16> {
        let mut wide = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
        wide.pop().unwrap_or_default()
    }

    /// Bytes, whatever they are: those of a part before, or none.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.pop().unwrap_or_default()
    }

    fn give(&self, part: Part) {
        match part {
            Part::Wide { symbols, .. } => {
                let mut wide = self.wide.lock().unwrap_or_else(PoisonError::into_inner);
                wide.push(symbols);
            }
            Part::Coded { bytes: buffer, .. } => {
                let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
                bytes.push(buffer);
            }
        }
    }
}
