//! Pairs of a random genome that read through short inserts into adapters.

use crate::simulation::{Random, quality_errors, reverse_complement};

/// `count` pairs of `length` bases of a random genome, of which three in ten have a shorter insert and go on with the
/// adapters behind it, if there are any. The last cycles are worse than the first.
pub(crate) fn read_through(
    seed: u64,
    count: usize,
    length: usize,
    adapters: Option<[&[u8]; 2]>,
) -> [Vec<u8>; 2] {
    let mut random = Random(seed);
    let genome: Vec<u8> = (0..200_000).map(|_| random.base()).collect();
    let mut texts = [Vec::new(), Vec::new()];
    for number in 0..count {
        let size = match adapters {
            Some(_) if random.below(10) < 3 => 15 + random.below(length as u64 - 15),
            _ => length + random.below(2 * length as u64),
        };
        let from = random.below((genome.len() - size) as u64);
        let insert = genome[from..from + size].to_vec();
        let strands = match random.below(2) {
            0 => [insert.clone(), reverse_complement(&insert)],
            _ => [reverse_complement(&insert), insert],
        };
        let decay = random.below(31);
        for (mate, (text, mut read)) in texts.iter_mut().zip(strands).enumerate() {
            read.extend_from_slice(adapters.map_or(b"".as_slice(), |both| both[mate]));
            while read.len() < length {
                read.push(b"GGGGGGGA"[random.below(8)]);
            }
            read.truncate(length);
            let qualities: Vec<u8> = (0..length)
                .map(|at| {
                    let mean = 38 - at * decay / length;
                    let quality = (mean + random.below(9)).saturating_sub(4).clamp(2, 40);
                    if random.below(1000) < quality_errors(quality) {
                        read[at] = b"ACGTN"[random.below(5)];
                    }
                    match read[at] {
                        b'N' => b'#',
                        _ => 33 + quality as u8,
                    }
                })
                .collect();
            let head = format!("@K001:1:FLOW:1:1101:{}:{number}", number % 97);
            text.extend_from_slice(format!("{head} {}:N:0:ATCACG\n", mate + 1).as_bytes());
            text.extend_from_slice(&read);
            text.extend_from_slice(b"\n+\n");
            text.extend_from_slice(&qualities);
            text.push(b'\n');
        }
    }
    texts
}
