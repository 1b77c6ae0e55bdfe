//! Legs as data, and the text that they are when the window before them is known.

use std::collections::VecDeque;
use std::sync::Arc;

use thalweg_inflate::{WINDOW, translate};

use super::buffers::{Buffers, Room};
use super::codes::{Codes, UNKNOWN};

/// Bytes of text that are made and summed at a time.
const SUMMED: usize = 16 << 10;

/// What lies between two block starts, decoded without the window before it.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(crate) struct Leg {
    /// Bit from the start of the file at which its first block begins, and at which the next one does behind its last.
    pub(super) start: u64,
    pub(super) end: u64,
    /// Its last block is the last one of its stream, whose trailer is at `end`.
    pub(super) is_stream_end: bool,
    pub(super) parts: VecDeque<Part>,
    /// Where blocks begin behind the first one: the first of those at one place in the text.
    pub(super) blocks: VecDeque<BlockStart>,
    /// Where members end behind which it goes on.
    pub(super) members: VecDeque<MemberEnd>,
    pub(super) buffers: Arc<Buffers>,
}

/// Where a member ends in a leg, and the next one begins at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemberEnd {
    /// Bytes of text of the leg before it.
    pub(crate) text: u64,
    /// The first bit of its trailer, and that of the next one's first block, from the start of the file.
    pub(crate) trailer: u64,
    pub(crate) next: u64,
}

/// Where a block of a leg begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockStart {
    /// Its first bit, from the start of the file.
    pub(crate) bit: u64,
    /// Bytes of text of the leg before it.
    pub(crate) text: u64,
}

/// Some of the text of a leg, behind `WINDOW` symbols that are what was before it.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone))]
pub(super) enum Part {
    /// Symbols: bytes, or those from [`UNKNOWN`] on.
    Wide { symbols: Room<u16>, end: usize },
    /// Bytes, of which some are codes.
    Coded {
        bytes: Room<u8>,
        end: usize,
        codes: Arc<Codes>,
    },
    /// Text. It may have no window before it.
    Text {
        bytes: Room<u8>,
        begin: usize,
        end: usize,
        crc32: Option<u32>,
    },
}

impl Part {
    /// Where the text ends, counted from the start of the symbols.
    pub(super) fn end(&mut self) -> &mut usize {
        match self {
            Part::Wide { end, .. } | Part::Coded { end, .. } | Part::Text { end, .. } => end,
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
            Part::Text { bytes, end, .. } => {
                let window = bytes[end - WINDOW..*end].iter();
                window.map(|&byte| u16::from(byte)).collect()
            }
        }
    }

    /// Where the text begins, counted from the start of the symbols.
    fn begin(&self) -> usize {
        match self {
            Part::Wide { .. } | Part::Coded { .. } => WINDOW,
            Part::Text { begin, .. } => *begin,
        }
    }

    /// Bytes of text.
    pub(super) fn length(&self) -> usize {
        match self {
            Part::Wide { end, .. } | Part::Coded { end, .. } => end - WINDOW,
            Part::Text { begin, end, .. } => end - begin,
        }
    }
}

impl Leg {
    /// Bytes of text.
    pub(super) fn length(&self) -> usize {
        self.parts.iter().map(Part::length).sum()
    }

    /// How many bytes before its end are of the same member, if `history` are before its start; at most a window.
    pub(super) fn history_behind(&self, history: usize) -> usize {
        let before = match self.members.back() {
            Some(member) => self.length() - member.text as usize,
            None => self.length() + history,
        };
        before.min(WINDOW)
    }

    /// Whether it refers to a byte that is not one of the `history` last ones before it.
    pub(super) fn reaches_behind(&self, history: usize) -> bool {
        if history >= WINDOW {
            return false;
        }
        // Codes only stand for what was copied from the symbols before.
        let mut wide = self.parts.iter().filter_map(|part| match part {
            Part::Wide { symbols, end } => Some(&symbols[WINDOW..*end]),
            Part::Coded { .. } | Part::Text { .. } => None,
        });
        let first = UNKNOWN + (WINDOW - history) as u16;
        wide.any(|symbols| {
            symbols
                .iter()
                .any(|symbol| (UNKNOWN..first).contains(symbol))
        })
    }

    /// The last bytes of its text, and before these of `window`, which is before it. Not of one that has been
    /// [resolved](Self::resolve).
    pub(super) fn window_behind(&self, window: &[u8; WINDOW]) -> Box<[u8; WINDOW]> {
        let mut behind = Box::new(*window);
        match self.parts.back() {
            Some(Part::Wide { symbols, end }) => {
                for (to, &symbol) in behind.iter_mut().zip(&symbols[end - WINDOW..*end]) {
                    *to = match symbol.checked_sub(UNKNOWN) {
                        Some(place) => window[usize::from(place) % WINDOW],
                        None => symbol as u8,
                    };
                }
            }
            Some(Part::Coded { bytes, end, codes }) => {
                let table = codes.table(window);
                translate(&bytes[end - WINDOW..*end], &table, &mut behind[..]);
            }
            Some(Part::Text { bytes, end, .. }) => {
                behind.copy_from_slice(&bytes[end - WINDOW..*end]);
            }
            None => {}
        }
        behind
    }

    /// Make text of all, which `window` is before, and sum it.
    pub(super) fn resolve(&mut self, window: &[u8; WINDOW]) {
        let mut tables = Tables::new(window);
        for part in &mut self.parts {
            let length = part.length();
            let mut sum = crc32fast::Hasher::new();
            let (bytes, begin) = match part {
                Part::Text { bytes, begin, .. } => {
                    sum.update(&bytes[*begin..*begin + length]);
                    (std::mem::take(bytes), *begin)
                }
                Part::Wide { .. } | Part::Coded { .. } => {
                    let mut bytes = self.buffers.bytes();
                    let mut at = WINDOW;
                    // Summed while the nearest cache has it.
                    for text in bytes[..length].chunks_mut(SUMMED) {
                        tables.read(part, at, text);
                        sum.update(text);
                        at += text.len();
                    }
                    (bytes, 0)
                }
            };
            let end = begin + length;
            let resolved = Part::Text {
                crc32: Some(sum.finalize()),
                bytes,
                begin,
                end,
            };
            self.buffers.give(std::mem::replace(part, resolved));
        }
    }
}

impl Drop for Leg {
    fn drop(&mut self) {
        self.parts
            .drain(..)
            .for_each(|part| self.buffers.give(part));
    }
}

/// What symbols and codes are behind a window.
#[derive(Debug)]
struct Tables {
    window: Box<[u8; WINDOW]>,
    /// The byte that each symbol is, made when that is needed.
    symbols: Option<Box<[u8; 1 << 16]>>,
    /// Of the codes that were needed last, the byte that each is.
    codes: Option<(Arc<Codes>, [u8; 256])>,
}

impl Tables {
    fn new(window: &[u8; WINDOW]) -> Self {
        Self {
            window: Box::new(*window),
            symbols: None,
            codes: None,
        }
    }

    /// Write the text of `part` from symbol `at` on `to`, which it fills.
    fn read(&mut self, part: &Part, at: usize, to: &mut [u8]) {
        let from = at..at + to.len();
        match part {
            Part::Wide { symbols, .. } => {
                let bytes = self
                    .symbols
                    .get_or_insert_with(|| bytes_of_symbols(&self.window));
                for (to, &symbol) in to.iter_mut().zip(&symbols[from]) {
                    *to = bytes[usize::from(symbol)];
                }
            }
            Part::Coded { bytes, codes, .. } => {
                let known = self.codes.take_if(|(of, _)| Arc::ptr_eq(of, codes));
                let (_, table) = self.codes.insert(
                    known.unwrap_or_else(|| (Arc::clone(codes), codes.table(&self.window))),
                );
                translate(&bytes[from], table, to);
            }
            Part::Text { bytes, .. } => to.copy_from_slice(&bytes[from]),
        }
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

/// A leg behind the window that it needs, as text.
#[derive(Debug)]
pub(crate) struct LegText {
    leg: Leg,
    tables: Tables,
    /// The place of the next symbol in the first part that is left.
    at: usize,
    /// Bytes of text that were read.
    text: u64,
}

/// What was read of a leg.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Taken {
    /// Bytes.
    pub(crate) length: usize,
    /// They need not be summed: they are of a part that was.
    pub(crate) is_summed: bool,
    /// At the end of such a part, its CRC32 and its length.
    pub(crate) sum: Option<(u32, u64)>,
}

impl LegText {
    /// The text of `leg` behind `window`.
    pub(crate) fn new(leg: Leg, window: &[u8; WINDOW]) -> Self {
        let at = leg.parts.front().map_or(0, Part::begin);
        Self {
            leg,
            tables: Tables::new(window),
            at,
            text: 0,
        }
    }

    /// The bit, from the start of the file, behind its last block.
    pub(crate) fn end(&self) -> u64 {
        self.leg.end
    }

    /// Whether its stream ends there.
    pub(crate) fn is_stream_end(&self) -> bool {
        self.leg.is_stream_end
    }

    /// The next block, if one begins behind what was read, and bytes of text before it.
    pub(crate) fn next_block(&self) -> Option<(u64, u64)> {
        let block = self.leg.blocks.front()?;
        Some((block.bit, block.text - self.text))
    }

    /// The next block is where what was read ends: the one behind it is the next one now.
    pub(crate) fn begin_block(&mut self) {
        self.leg.blocks.pop_front();
    }

    /// The next member end, if it goes on behind one, and bytes of text before that.
    pub(crate) fn next_member_end(&self) -> Option<(MemberEnd, u64)> {
        let member = *self.leg.members.front()?;
        Some((member, member.text - self.text))
    }

    /// What was read ends where a member does. Whether it goes on in a block that begins at `bit`, from the start of the file.
    pub(crate) fn begin_member(&mut self, bit: u64) -> bool {
        let member = self.leg.members.pop_front();
        member.is_some_and(|member| member.next == bit)
    }

    /// Write some of the next bytes `to`: none only if there are no more, or no room.
    pub(crate) fn read(&mut self, to: &mut [u8]) -> Taken {
        let mut left = 0;
        while let Some(part) = self.leg.parts.front() {
            left = part.begin() + part.length() - self.at;
            if left > 0 {
                break;
            }
            self.leave_part();
        }
        let Some(part) = self.leg.parts.front() else {
            return Taken::default();
        };
        let length = left.min(to.len());
        self.tables.read(part, self.at, &mut to[..length]);
        let crc32 = match part {
            Part::Text { crc32, .. } => *crc32,
            Part::Wide { .. } | Part::Coded { .. } => None,
        };
        let whole = part.length() as u64;
        self.at += length;
        self.text += length as u64;
        if left == length {
            self.leave_part();
        }
        Taken {
            length,
            is_summed: crc32.is_some(),
            sum: crc32
                .filter(|_| left == length && length > 0)
                .map(|crc32| (crc32, whole)),
        }
    }

    /// What is not needed any more is soon used again, while the caches have it.
    fn leave_part(&mut self) {
        if let Some(part) = self.leg.parts.pop_front() {
            self.leg.buffers.give(part);
        }
        self.at = self.leg.parts.front().map_or(0, Part::begin);
    }
}
