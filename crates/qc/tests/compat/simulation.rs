//! Pairs with what makes cleaning interesting: short fragments, adapters, errors,
//! tails, unknown bases, indexes in names.

/// Numbers without a pattern (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> usize {
        (self.next() % limit) as usize
    }

    pub(crate) fn base(&mut self) -> u8 {
        b"ACGT"[self.below(4)]
    }
}

const ADAPTERS: [&[u8]; 2] = [
    b"AGATCGGAAGAGCACACGTCTGAACTCCAGTCACATCACGATCTCGTATGCCGTCTTCTGCTTGAAAAAAAAAAGGGGGGGGGGGGGGG",
    b"AGATCGGAAGAGCGTCGTGTAGGGAAAGAGTGTAGATCTCGGTGGTCGCCGTATCATTAAAAAAAAAAAGGGGGGGGGGGGGGGG",
];

/// `count` pairs of reads of about `length` bases. Names begin with `instrument`.
pub(crate) fn pairs(seed: u64, count: usize, length: usize, instrument: &str) -> [Vec<u8>; 2] {
    let mut random = Random(seed);
    let mut texts = [Vec::new(), Vec::new()];
    for number in 0..count {
        let fragment: Vec<u8> = match random.below(20) {
            0 => Vec::new(),
            1 => vec![random.base(); random.below(3 * length as u64)],
            2 => b"ACACACGT".repeat(random.below(length as u64 / 2)),
            _ => {
                let size = random.below(5 * length as u64 / 2);
                (0..size).map(|_| random.base()).collect()
            }
        };
        let reverse = reverse_complement(&fragment);
        let index: Vec<u8> = match random.below(3) {
            0 => b"ATCACG".to_vec(),
            _ => (0..6).map(|_| random.base()).collect(),
        };
        let decay = random.below(45);
        for (mate, (text, strand)) in texts.iter_mut().zip([fragment, reverse]).enumerate() {
            let mut read = strand;
            read.extend_from_slice(ADAPTERS[mate]);
            while read.len() < length {
                let tail = b"GGGGGGGA"[random.below(8)];
                read.push(tail);
            }
            read.truncate(match random.below(10) {
                0 => random.below(length as u64 + 1).max(1),
                _ => length,
            });
            if random.below(12) == 0 && read.len() > 20 {
                let at = random.below(read.len() as u64);
                match random.below(2) {
                    0 => drop(read.remove(at)),
                    _ => read.insert(at, b'C'),
                }
            }
            if random.below(8) == 0 {
                let tail = random.below(read.len() as u64);
                let base = b"ACGTN"[random.below(5)];
                let from = read.len() - tail;
                read[from..].fill(base);
            }
            let qualities: Vec<u8> = (0..read.len())
                .map(|at| {
                    let mean = 38 - (at * decay / length).min(34);
                    let quality = (mean + random.below(9)).saturating_sub(4).clamp(2, 41);
                    let wrong = random.below(1000) < quality_errors(quality);
                    if wrong {
                        read[at] = match random.below(6) {
                            0 => b'N',
                            _ => random.base(),
                        };
                    }
                    if read[at] == b'N' {
                        b'#'
                    } else {
                        33 + quality as u8
                    }
                })
                .collect();
            let head = format!("@{instrument}:1:FLOW:1:1101:{}:{number}", number % 97);
            text.extend_from_slice(head.as_bytes());
            text.extend_from_slice(format!(" {}:N:0:", mate + 1).as_bytes());
            text.extend_from_slice(&index);
            text.extend_from_slice(b"+TTAGGC\n");
            text.extend_from_slice(&read);
            text.extend_from_slice(b"\n+\n");
            text.extend_from_slice(&qualities);
            text.push(b'\n');
        }
    }
    texts
}

pub(crate) fn reverse_complement(strand: &[u8]) -> Vec<u8> {
    let other = |base: &u8| match base {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        _ => b'A',
    };
    strand.iter().rev().map(other).collect()
}

/// Wrong bases in a thousand.
pub(crate) fn quality_errors(quality: usize) -> usize {
    match quality {
        0..10 => 200,
        10..20 => 40,
        20..30 => 5,
        _ => 1,
    }
}
