//! Text to tokens.

use std::mem;

use thalweg_scan::coder::Coder;

use crate::{
    Level, lazy,
    looks::Latest,
    matches::{common, word},
    records,
    sample::{Sample, Search},
    symbols::{LONGEST, WINDOW},
    tokens::{self, Tokens, literal_token, match_token},
};

/// Where something was seen last, by hash.
///
/// Places are counted through all texts of a compressor, so that nothing need be cleared: what
/// is older than this text is more than a window away.
pub(crate) struct Tables {
    /// Any text.
    recent: Vec<u32>,
    /// Sixteen bases.
    pub(crate) bases: Vec<u32>,
    /// Lines of bases since the last one of this text in which a repeat was found.
    pub(crate) unrepeated: usize,
    /// For the slower search.
    lazy: lazy::Places,
    /// For qualities at `Level::Small`.
    latest: Latest,
    /// For qualities of which runs alone are looked for.
    pub(crate) coder: Option<Coder>,
    /// Of the qualities of this text, at `Level::Small`.
    sample: Sample,
    /// Of the line of qualities at hand: which of them equal the one before, 64 to a word.
    pub(crate) repeat_masks: Vec<u64>,
    /// Place of the first byte of this text.
    pub(crate) first: u32,
    /// Place of the first byte of the next text.
    next: u32,
}

const RECENT_BITS: u32 = 13;
/// Shorter matches are longer than their letters.
const LEAST: u32 = 5;
/// Bits of the hash of sixteen bases.
pub(crate) const BASES_BITS: u32 = 11;

impl Tables {
    pub(crate) fn new(level: Level, coder: Option<Coder>) -> Self {
        let (lazy, latest) = match level {
            Level::Fast => (0, Latest::none()),
            Level::Small => (1 << lazy::BITS, Latest::new()),
        };
        Self {
            latest,
            coder,
            sample: Sample::default(),
            repeat_masks: Vec::new(),
            lazy: vec![[0; 2]; lazy],
            recent: vec![0; 1 << RECENT_BITS],
            bases: vec![0; 1 << BASES_BITS],
            unrepeated: 0,
            first: 0,
            next: WINDOW as u32 + 1,
        }
    }

    /// Forget what was seen, and get ready for so many bytes.
    pub(crate) fn begin(&mut self, length: usize) {
        let room = u32::try_from(length + WINDOW + 1).unwrap_or(u32::MAX);
        self.unrepeated = 0;
        self.latest.begin();
        self.sample = Sample::default();
        self.first = self.next;
        match self.first.checked_add(room) {
            Some(next) => self.next = next,
            None => {
                self.recent.fill(0);
                self.bases.fill(0);
                self.lazy.fill([0; 2]);
                self.first = WINDOW as u32 + 1;
                self.next = self.first.saturating_add(room);
            }
        }
    }
}

/// The tokens of the text from `start` on; matches may reach back before it.
pub(crate) fn parse(
    text: &[u8],
    start: usize,
    level: Level,
    tables: &mut Tables,
    tokens: &mut Tokens,
) {
    let mut parser = Parser {
        text,
        at: start,
        level,
        tables,
        tokens,
    };
    records::parse(&mut parser);
}

pub(crate) struct Parser<'a> {
    pub(crate) text: &'a [u8],
    /// The first byte that is in no token yet.
    pub(crate) at: usize,
    pub(crate) level: Level,
    pub(crate) tables: &'a mut Tables,
    pub(crate) tokens: &'a mut Tokens,
}

impl Parser<'_> {
    /// The next byte as it is.
    #[inline(always)]
    pub(crate) fn literal(&mut self) {
        self.tokens.push(literal_token(self.text[self.at]));
        self.at += 1;
    }

    /// Take what equals the bytes from `old` on, if it is worth while; tell how much.
    #[inline(always)]
    pub(crate) fn try_at(&mut self, old: usize, least: usize) -> usize {
        let mut total = 0;
        let distance = self.at - old;
        if distance > WINDOW {
            return 0;
        }
        loop {
            let length = common(self.text, old + total, self.at);
            if length < if total == 0 { least } else { 3 } {
                return total;
            }
            self.tokens.push(match_token(length, distance));
            self.at += length;
            total += length;
            if length < LONGEST {
                return total;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, token: u32) {
        self.tokens.push(token);
    }

    /// Place of the first byte of the text in the tables.
    #[inline(always)]
    pub(crate) fn first(&self) -> usize {
        self.tables.first as usize
    }

    /// Any text, up to `end`.
    pub(crate) fn search(&mut self, end: usize) {
        if self.at >= end {
            return;
        }
        match self.level {
            Level::Fast => self.search_greedily(end),
            Level::Small => {
                let mut places = mem::take(&mut self.tables.lazy);
                self.search_lazily(&mut places, end);
                self.tables.lazy = places;
            }
        }
    }

    /// A line of qualities, up to `end`.
    pub(crate) fn qualities(&mut self, end: usize) {
        /// Less is as much as general tokens take: a line costs something, too.
        const LINE: usize = 32;
        if end < self.at + LINE {
            return self.search(end);
        }
        let search = match self.level {
            Level::Fast => Search::Runs,
            Level::Small => self.tables.sample.search(&self.text[self.at..end]),
        };
        match search {
            Search::Runs => self.runs(end),
            Search::Lazy => self.search(end),
            Search::Mixed => {
                let mut latest = mem::replace(&mut self.tables.latest, Latest::none());
                self.runs_and_matches(&mut latest, end);
                self.tables.latest = latest;
            }
        }
    }

    /// Look for what occurred before at each byte, and take the latest.
    #[inline(never)]
    fn search_greedily(&mut self, end: usize) {
        if self.at == 0 {
            self.literal();
        }
        let text = self.text;
        let first = self.tables.first as usize;
        let recent: &mut [u32; 1 << RECENT_BITS] =
            (&mut self.tables.recent[..]).try_into().expect("its size");
        let Tokens {
            list,
            used: used_before,
            units,
            distances,
            ..
        } = &mut *self.tokens;
        let values = &mut units.counts;
        let mut used = *used_before;
        let mut at = self.at;
        while at < end {
            let Some(here) = word(text, at) else { break };
            let slot = hash(here);
            let place = first + at;
            let mut distance = place - recent[slot] as usize;
            recent[slot] = place as u32;
            let old = if distance <= WINDOW {
                at - distance
            } else {
                at - 1
            };
            let before = text[at - 1];
            let mut same = (word(text, old).unwrap_or(0) ^ here).trailing_zeros() / 8;
            let run = (here ^ (here << 8 | u64::from(before))).trailing_zeros() / 8;
            if run >= same {
                same = run;
                distance = 1;
            }
            if same >= if distance == 1 { 3 } else { LEAST } {
                let mut length = same as usize;
                if same == 8 {
                    // A second word without asking: most matches end in it.
                    let further = at + 8;
                    let (old, new) = (word(text, further - distance), word(text, further));
                    let Some(new) = new else { break };
                    length += ((old.unwrap_or(0) ^ new).trailing_zeros() / 8) as usize;
                    if length == 16 {
                        length += common(text, further + 8 - distance, further + 8);
                        length = length.min(LONGEST);
                    }
                }
                let token = match_token(length, distance);
                list[used] = token;
                used += 1;
                values[tokens::value(token)] += 1;
                distances[tokens::distance(token).0] += 1;
                // Their hashes are at hand.
                for ahead in 1..=2 {
                    recent[hash(here >> (8 * ahead))] = (place + ahead) as u32;
                }
                at += length;
                continue;
            }
            list[used] = literal_token(here as u8);
            used += 1;
            values[usize::from(here as u8)] += 1;
            at += 1;
        }
        *used_before = used;
        self.at = at;
        while self.at < end {
            self.literal();
        }
    }
}

#[inline(always)]
fn hash(word: u64) -> usize {
    ((word << 16).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - RECENT_BITS)) as usize
}
