//! The head of a block with its own codes (RFC 1951, section 3.2.7).

use crate::{
    bits::Bits,
    codes::{self, Word},
    symbols::{DISTANCES, LITERALS},
};

/// The order in which lengths of the code for lengths are sent.
const ORDER: [usize; 19] = [
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
];

/// Lengths of two codes, ready to be sent.
pub(crate) struct Header {
    literals: usize,
    distances: usize,
    /// Symbol (5 bits), extra bits above.
    items: [u16; LITERALS + DISTANCES],
    used: usize,
    lengths: [u8; 19],
    sent: usize,
}

impl Header {
    pub(crate) fn new(literals: &[u8; LITERALS], distances: &[u8; DISTANCES]) -> Self {
        let literal_count = significant(literals).max(257);
        let distance_count = significant(distances).max(1);
        let mut all = [0; LITERALS + DISTANCES];
        all[..literal_count].copy_from_slice(&literals[..literal_count]);
        let end = literal_count + distance_count;
        all[literal_count..end].copy_from_slice(&distances[..distance_count]);

        let mut header = Self {
            literals: literal_count,
            distances: distance_count,
            items: [0; LITERALS + DISTANCES],
            used: 0,
            lengths: [0; 19],
            sent: 0,
        };
        let mut counts = [0_u32; 19];
        let mut rest = &all[..end];
        while let Some(&length) = rest.first() {
            let run = rest.iter().take_while(|&&other| other == length).count();
            rest = &rest[run..];
            header.run(length, run, &mut counts);
        }
        codes::lengths(&counts, 7, &mut header.lengths);
        let last = ORDER.iter().rposition(|&symbol| header.lengths[symbol] > 0);
        header.sent = last.map_or(4, |last| last + 1).max(4);
        header
    }

    /// `run` times the same length.
    fn run(&mut self, length: u8, mut run: usize, counts: &mut [u32; 19]) {
        let mut item = |symbol: u16, extra: usize| {
            self.items[self.used] = symbol | (extra as u16) << 5;
            self.used += 1;
            counts[usize::from(symbol)] += 1;
        };
        if length == 0 {
            while run >= 11 {
                let now = run.min(138);
                item(18, now - 11);
                run -= now;
            }
            if run >= 3 {
                item(17, run - 3);
                run = 0;
            }
        } else {
            item(length.into(), 0);
            run -= 1;
            while run >= 3 {
                let now = run.min(6);
                item(16, now - 3);
                run -= now;
            }
        }
        for _ in 0..run {
            item(length.into(), 0);
        }
    }

    /// Size in bits.
    pub(crate) fn size(&self) -> usize {
        let items = self.items[..self.used].iter();
        let items = items.map(|&item| {
            let symbol = item & 31;
            usize::from(self.lengths[usize::from(symbol)]) + extra(symbol) as usize
        });
        5 + 5 + 4 + 3 * self.sent + items.sum::<usize>()
    }

    pub(crate) fn write(&self, bits: &mut Bits<'_>) {
        bits.add(self.literals as u64 - 257, 5);
        bits.add(self.distances as u64 - 1, 5);
        bits.add(self.sent as u64 - 4, 4);
        bits.flush();
        for &symbol in &ORDER[..self.sent] {
            bits.add(self.lengths[symbol].into(), 3);
            bits.flush();
        }
        let mut words = [Word::default(); 19];
        codes::words(&self.lengths, &mut words);
        for &item in &self.items[..self.used] {
            let word = words[usize::from(item & 31)];
            bits.add(word.bits.into(), word.length.into());
            bits.add((item >> 5).into(), extra(item & 31));
            bits.flush();
        }
    }
}

fn significant(lengths: &[u8]) -> usize {
    let last = lengths.iter().rposition(|&length| length > 0);
    last.map_or(0, |last| last + 1)
}

fn extra(symbol: u16) -> u32 {
    match symbol {
        16 => 2,
        17 => 3,
        18 => 7,
        _ => 0,
    }
}
