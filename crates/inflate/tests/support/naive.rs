//! A decoder as slow and obvious as RFC 1951 reads: bit by bit, canonical codes by counting.

use std::collections::BTreeMap;

pub struct Naive<'a> {
    input: &'a [u8],
    bit: u64,
    pub out: Vec<u8>,
    /// Distances and lengths of all matches, with the place of output where they stand.
    pub matches: Vec<(usize, usize, usize)>,
}

type Code = BTreeMap<(u8, u32), usize>;

impl<'a> Naive<'a> {
    /// Decode; `Ok(bit after the end)` or `Err(what)`.
    pub fn decode(input: &'a [u8]) -> (Self, Result<u64, &'static str>) {
        let mut this = Self {
            input,
            bit: 0,
            out: Vec::new(),
            matches: Vec::new(),
        };
        let end = this.stream();
        let end = end.map(|()| this.bit);
        (this, end)
    }

    fn one(&mut self) -> Result<u32, &'static str> {
        let byte = self.input.get((self.bit / 8) as usize).ok_or("short")?;
        let bit = byte >> (self.bit % 8) & 1;
        self.bit += 1;
        Ok(bit.into())
    }

    fn bits(&mut self, count: u32) -> Result<usize, &'static str> {
        let mut value = 0;
        for i in 0..count {
            value |= (self.one()? as usize) << i;
        }
        Ok(value)
    }

    fn symbol(&mut self, code: &Code) -> Result<usize, &'static str> {
        let mut word = 0;
        for length in 1..=15 {
            word = word << 1 | self.one()?;
            if let Some(&symbol) = code.get(&(length, word)) {
                return Ok(symbol);
            }
            if code.is_empty() || code.keys().all(|key| key.0 <= length) {
                break;
            }
        }
        Err("symbol")
    }

    fn code(lengths: &[u8], may_be_incomplete: bool) -> Result<Code, &'static str> {
        let mut code = Code::new();
        let mut word = 0;
        for length in 1..=15 {
            word <<= 1;
            for (symbol, _) in lengths
                .iter()
                .enumerate()
                .filter(|(_, have)| **have == length)
            {
                if word >> length != 0 {
                    return Err("lengths");
                }
                code.insert((length, word), symbol);
                word += 1;
            }
        }
        let single = code.keys().all(|key| key.0 == 1);
        if word != 1 << 15 && !(may_be_incomplete && single) {
            return Err("lengths");
        }
        Ok(code)
    }

    fn stream(&mut self) -> Result<(), &'static str> {
        loop {
            let last = self.one()? == 1;
            match self.bits(2)? {
                0 => {
                    self.bit = self.bit.next_multiple_of(8);
                    let (length, complement) = (self.bits(16)?, self.bits(16)?);
                    if length != complement ^ 0xffff {
                        return Err("stored");
                    }
                    for _ in 0..length {
                        let byte = self.bits(8)? as u8;
                        self.out.push(byte);
                    }
                }
                1 => {
                    let mut lengths = [8; 288];
                    lengths[144..256].fill(9);
                    lengths[256..280].fill(7);
                    let litlen = Self::code(&lengths, false)?;
                    let distance = Self::code(&[5; 32], false)?;
                    self.tokens(&litlen, &distance)?;
                }
                2 => {
                    let litlen = self.bits(5)? + 257;
                    let distance = self.bits(5)? + 1;
                    let count = self.bits(4)? + 4;
                    if litlen > 286 || distance > 30 {
                        return Err("many");
                    }
                    let order = [
                        16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15,
                    ];
                    let mut lengths = [0; 19];
                    for symbol in &order[..count] {
                        lengths[*symbol] = self.bits(3)? as u8;
                    }
                    let code = Self::code(&lengths, false)?;
                    let mut lengths = Vec::new();
                    while lengths.len() < litlen + distance {
                        let (value, repeat) = match self.symbol(&code)? {
                            16 => (*lengths.last().ok_or("lengths")?, 3 + self.bits(2)?),
                            17 => (0, 3 + self.bits(3)?),
                            18 => (0, 11 + self.bits(7)?),
                            length => (length as u8, 1),
                        };
                        lengths.extend(std::iter::repeat_n(value, repeat));
                    }
                    if lengths.len() > litlen + distance || lengths[256] == 0 {
                        return Err("lengths");
                    }
                    let distance = Self::code(&lengths[litlen..], true)?;
                    let litlen = Self::code(&lengths[..litlen], true)?;
                    self.tokens(&litlen, &distance)?;
                }
                _ => return Err("type"),
            }
            if last {
                return Ok(());
            }
        }
    }

    fn tokens(&mut self, litlen: &Code, distances: &Code) -> Result<(), &'static str> {
        loop {
            let symbol = self.symbol(litlen)?;
            match symbol {
                0..=255 => self.out.push(symbol as u8),
                256 => return Ok(()),
                257..=285 => {
                    let base = [
                        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59,
                        67, 83, 99, 115, 131, 163, 195, 227, 258,
                    ];
                    let extra = [
                        0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5,
                        5, 5, 5, 0,
                    ];
                    let length = base[symbol - 257] + self.bits(extra[symbol - 257])?;
                    let symbol = self.symbol(distances)?;
                    let base = [
                        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513,
                        769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
                    ];
                    let extra = [
                        0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10,
                        11, 11, 12, 12, 13, 13,
                    ];
                    let base = base.get(symbol).ok_or("symbol")?;
                    let distance = base + self.bits(extra[symbol])?;
                    if distance > self.out.len() {
                        return Err("far");
                    }
                    self.matches.push((self.out.len(), distance, length));
                    for _ in 0..length {
                        self.out.push(self.out[self.out.len() - distance]);
                    }
                }
                _ => return Err("symbol"),
            }
        }
    }
}
